#!/usr/bin/env bash
# scripts/eight_or_one.sh on a synthetic road and two untrained members: its table, and what it refuses. Python's
# members are measured too where there is a torch for Python.
# usage: eight_or_one_test.sh FOLDER_OF_PROGRAMS SOURCE_FOLDER
set -euo pipefail
bin=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "eight_or_one_test: $*" >&2; exit 1; }

"$bin/supn_data" synth --out "$work/road" --members 2 --size 96x64 --train 2 --val 1 --test 4 >/dev/null
# Members have no skips.
settings=(--set network.backbone=compact --set "data.root=$work/road" --set "data.samples=$work/road/samples"
          --set data.height=64 --set data.width=96
          --set "data.train_split=$work/road/splits/train_files.txt" --set "data.val_split=$work/road/splits/val_files.txt"
          --set "data.test_split=$work/road/splits/test_files.txt")
for seed in 1 2; do
  "$bin/supn_train" --config configs/demo.yaml "${settings[@]}" --set training.epochs=1 --set training.warm_up.epochs=0 \
    --set training.batch_size=2 --set "training.seed=$seed" --set "training.output=$work/run$seed" >/dev/null 2>&1
  # A member is the network without its second decoder.
  python3 - "$work/run$seed/last/model.safetensors" "$work/$seed.safetensors" <<'PYTHON'
import json, sys
with open(sys.argv[1], "rb") as stream:
    header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
    data = stream.read()
kept, parts, end = {}, [], 0
for name, entry in header.items():
    if name == "__metadata__" or name.startswith("supn."):
        continue
    part = data[slice(*entry["data_offsets"])]
    kept[name] = {**entry, "data_offsets": [end, end + len(part)]}
    parts.append(part)
    end += len(part)
text = json.dumps(kept).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[2], "wb") as stream:
    stream.write(len(text).to_bytes(8, "little") + text + b"".join(parts))
PYTHON
done
peers=supn_ensemble
LD_LIBRARY_PATH=$PWD/.venv/cuda_stand_ins .venv/bin/python -c 'import torch, numpy, PIL' 2>/dev/null && peers=supn_ensemble,eager
compare() {
  scripts/eight_or_one.sh --bin "$bin" --config configs/demo.yaml "${settings[@]}" --checkpoint "$work/run1/last" \
    --set "ensemble.members=[$work/1.safetensors,$work/2.safetensors]" --set ensemble.output_keys=[0] \
    --images 4 --rounds 1 --threads 1 --out "$work/out" "$@"
}
compare --peers "$peers" --evaluation none >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "it failed"; }
grep -q '^| one SUPN | ' "$work/out/table.md" || fail "no row of the SUPN"
grep -qE '^\| two by `supn_ensemble` \|.*\([-0-9.]+ x\)' "$work/out/table.md" || fail "no row of the members with ratios"
[ "$peers" = supn_ensemble ] || grep -q "maps differ from supn_ensemble's by" "$work/log" || fail "nothing was compared"
[ ! -e "$work/out/work" ] || fail "what it worked with is left"
compare --images 5 --peers supn_ensemble --evaluation none >"$work/log" 2>&1 && fail "5 of 4 images were taken"
grep -q 'the test split has 4 images' "$work/log" || fail "it does not say how many images there are"
compare --peers eager >"$work/log" 2>&1 && fail "--peers without supn_ensemble was taken"
grep -q 'supn_ensemble must be there' "$work/log" || fail "the missing peer is not named"
compare --evaluation "$work" >"$work/log" 2>&1 && fail "a folder without a table was taken"
grep -q 'holds no table.json' "$work/log" || fail "the missing table is not named"
mkdir "$work/evaluation"
echo '{"rows": [{"name": "net", "scores": {"abs_rel": {"mean": 0.25}}}, {"name": "ensemble", "scores": {}},
  {"name": "net, 10 points", "scores": {"abs_rel": {"mean": 0.2}}}]}' >"$work/evaluation/table.json"
compare --peers supn_ensemble --evaluation "$work/evaluation" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "it failed"; }
grep -q '^| one SUPN | .2500 | ' "$work/out/table.md" || fail "no accuracy of the evaluation"
grep -q '^| one SUPN, conditioned | .2000 |' "$work/out/table.md" || fail "no accuracy given points"
echo "eight_or_one.sh gave its table"
