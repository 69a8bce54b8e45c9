#!/usr/bin/env bash
# "Eight networks or one SUPN": what mean, standard deviation and eight maps of an image cost by the members
# of an ensemble and by the SUPN that learned from them, and what each knows. One table.
#
#   scripts/eight_or_one.sh --config FILE --checkpoint DIR [options] [--set key=value …]
#
#   --config FILE       whose ensemble.members are there, and whose test split is read
#   --checkpoint DIR    the trained SUPN; for coverages with its temperature of the truth
#   --images N          for the times, default 16
#   --rounds N          default 3: the programs take turns
#   --threads N         default: the cores
#   --peers LIST        of supn_ensemble,eager,compiled; the latter two need a PYTHON with torch, NumPy, Pillow
#   --python FILE       default .venv/bin/python
#   --evaluation DIR    what supn_eval wrote of this checkpoint, with --ensemble --baselines
#                       --known-points 10,25,100; or "none": times alone. Default: it is run, which takes minutes
#   --out DIR           default results/eight_or_one: table.md, table.json
#   --bin DIR           default build/release/bin, which is built first; others are taken as they are
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh

config='' checkpoint='' images=16 rounds=3 threads=$(nproc) peers=supn_ensemble,eager,compiled
python=.venv/bin/python evaluation='' out=results/eight_or_one bin=''
settings=() libraries=()
read_options "--config --checkpoint --images --rounds --threads --peers --python \
  --evaluation --out --bin --set" "$@"
[ -f "$config" ] || fail "--config: give a configuration file, such as configs/kitti_mini.yaml"
[ -f "$checkpoint/model.safetensors" ] || fail "--checkpoint: '$checkpoint' holds no model.safetensors"
[[ $images =~ ^[1-9][0-9]*$ ]] && [ "$images" -gt 2 ] || fail "--images: expected a number above 2, found '$images'"
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "--rounds: expected a number, found '$rounds'"
[[ ,$peers, =~ ^,((supn_ensemble|eager|compiled),)+$ ]] || fail "--peers: expected some of supn_ensemble,eager,compiled, found '$peers'"
[[ $peers == *supn_ensemble* ]] || fail "--peers: supn_ensemble must be there, with which Python's maps are compared"
[ "$evaluation" = '' ] || [ "$evaluation" = none ] || [ -f "$evaluation/table.json" ] ||
  fail "--evaluation: '$evaluation' holds no table.json of supn_eval"
claim_output "$out" .supn_eight_or_one work evaluation 'table.*'
ready_programs
# The lean wheel's stand-ins (scripts/lean_torch.sh), where they are; for Python alone.
if [[ $peers == *eager* || $peers == *compiled* ]]; then
  stand_ins=$PWD/.venv/cuda_stand_ins${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  LD_LIBRARY_PATH=$stand_ins "$python" -c 'import torch, numpy, PIL' 2>/dev/null ||
    fail "--python: '$python' cannot import torch, numpy and PIL; name one that can, or --peers supn_ensemble"
  libraries=(--python-libraries "$stand_ins")
fi
if [ "$evaluation" = '' ]; then
  evaluation=$out/evaluation
  "$bin/supn_eval" --config "$config" "${settings[@]}" --checkpoint "$checkpoint" --split test --ensemble \
    --baselines --known-points 10,25,100 --out "$evaluation"
fi
[ "$evaluation" = none ] && evaluation=''
[ -x "$python" ] || python=python3
"$python" scripts/eight_or_one.py --bin "$bin" --checkpoint "$checkpoint" --out "$out" --images "$images" \
  --rounds "$rounds" --threads "$threads" --peers "$peers" "${libraries[@]}" ${evaluation:+--evaluation "$evaluation"} \
  -- --config "$config" "${settings[@]}"
