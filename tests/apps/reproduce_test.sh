#!/usr/bin/env bash
# scripts/reproduce.sh on a synthetic set, with a budget of two epochs in all, and once more: nothing is
# trained again. usage: reproduce_test.sh FOLDER_OF_PROGRAMS SOURCE_FOLDER
set -euo pipefail
bin=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bin/supn_data" --log-level warn synth --out "$work/road" --size 96x64 --members 4 --train 4 --val 1 --test 2
reproduce() { # [option …]
  scripts/reproduce.sh --config configs/demo.yaml --bin "$bin" --out "$work/results" \
    --variants diagonal,twofold --seeds 0,1 --repeat twofold --known 5 --set data.height=64 --set data.width=96 \
    --set "data.root=$work/road" --set "data.samples=$work/road/samples" \
    --set "data.truth=$work/road/truth" --set "data.train_split=$work/road/splits/train_files.txt" \
    --set "data.val_split=$work/road/splits/val_files.txt" \
    --set "data.test_split=$work/road/splits/test_files.txt" --set training.epochs=1 \
    --set training.warm_up.epochs=1 --set evaluation.samples=4 "$@"
}
fail() { echo "reproduce_test: $*" >&2; exit 1; }

reproduce >"$work/first.log" 2>&1 || { cat "$work/first.log" >&2; fail "the first run failed"; }
for file in tables.txt tables.tex tables.csv tables.json intervals.csv differences.csv coverage_regions.svg; do
  [ -s "$work/results/$file" ] || fail "no $file"
done
for row in diagonal_seed0 'twofold_seed0, 5 points' twofold_seed1 ensemble 'ensemble fit: shrinkage' truth; do
  grep -qF "$row" "$work/results/tables.txt" || fail "no row '$row'"
done
for picture in samples covariance conditioned; do
  [ -s "$work/results/pictures/twofold_seed0/$picture/0000000000.png" ] || fail "no picture of $picture"
done
[ ! -e "$work/results/runs/diagonal_seed1" ] || fail "a variant that is not repeated has a second seed"
sums=$(md5sum "$work"/results/runs/*/best/model.safetensors "$work/results/per_image.csv")
reproduce >"$work/second.log" 2>&1 || { cat "$work/second.log" >&2; fail "the second run failed"; }
grep -q training "$work/second.log" && fail "the second run trained again"
[ "$sums" = "$(md5sum "$work"/results/runs/*/best/model.safetensors "$work/results/per_image.csv")" ] ||
  fail "the second run changed what was done"
reproduce --set training.epochs=2 >"$work/other.log" 2>&1 && fail "networks of another budget were taken for this one's"
grep -q "diagonal_seed0 was trained with other settings" "$work/other.log" ||
  fail "another budget is not told: $(tail -n 1 "$work/other.log")"
scripts/reproduce.sh --config configs/demo.yaml --variants absent >"$work/third.log" 2>&1 &&
  fail "an unknown variant was taken"
grep -q "no variant 'absent'" "$work/third.log" || fail "an unknown variant is not named"
reproduce --out "$work/few" --set data.exclude_members=[3] >"$work/fourth.log" 2>&1 &&
  fail "baselines of three members were taken"
grep -q "^reproduce: .*the baselines' rows: 3 members.*the evaluation after training would end so" "$work/fourth.log" ||
  fail "the evaluation's fault is not found before training: $(tail -n 1 "$work/fourth.log")"
grep -q training: "$work/fourth.log" && fail "trained before the evaluation's fault was found"
echo "reproduce.sh gave its tables, and did nothing twice"
