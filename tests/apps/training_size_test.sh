#!/usr/bin/env bash
# scripts/training_size.sh with a budget of a few steps, and once more: nothing is trained again.
# Skipped (77) without Matplotlib in .venv. usage: training_size_test.sh FOLDER_OF_PROGRAMS SOURCE_FOLDER
set -euo pipefail
bin=$1
cd "$2"
.venv/bin/python -c 'import matplotlib' 2>/dev/null || { echo "skipped: no matplotlib in .venv"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "training_size_test: $*" >&2; exit 1; }
measure() {
  scripts/training_size.sh --bin "$bin" --out "$work/out" --sizes 4,9 --steps 3 --size 96x64 --test 2 \
    --set evaluation.samples=2
}

measure >"$work/first.log" 2>&1 || { cat "$work/first.log" >&2; fail "the first run failed"; }
for row in images4_seed0 images9_seed0 truth; do
  grep -q "^$row " "$work/out/table.txt" || fail "no row '$row'"
done
head -c 8 "$work/out/training_size.png" | grep -q PNG || fail "no picture"
[ "$(grep -c '"kind":"step"' "$work/out/runs/images9_seed0/metrics.jsonl")" = 8 ] ||
  fail "9 images, 4 a batch: expected 2 epochs of 2 steps after 2 of warm-up"
measure >"$work/second.log" 2>&1 || { cat "$work/second.log" >&2; fail "the second run failed"; }
grep -q 'training images' "$work/second.log" && fail "the second run trained again"
scripts/training_size.sh --sizes 3,x >"$work/third.log" 2>&1 && fail "'3,x' was taken for sizes"
grep -q "found '3,x'" "$work/third.log" || fail "the faulty sizes are not named"
scripts/training_size.sh --size 96 >"$work/fifth.log" 2>&1 && fail "a width alone was taken for a size"
grep -q "found '96'" "$work/fifth.log" || fail "the faulty size is not named"
scripts/training_size.sh --set training.batch_size=8 >"$work/fourth.log" 2>&1 && fail "another batch size was taken"
grep -q "the batch is 4 here" "$work/fourth.log" || fail "the batch size is not named"
echo "training_size.sh gave its table and picture, and did nothing twice"
