#!/usr/bin/env bash
# Set-up, release build and the whole job on a procedural road world, from nothing to tables and
# pictures: scripts/demo.sh [--size default|smallest] [--out runs/demo] (an earlier demo there is
# replaced)
#
#   supn_data synth   road scenes with exact depth, and an ensemble drawn from a known Gaussian
#   supn_train        one network that maps an image to mean and sparse Cholesky factor
#   supn_sample       samples of whole depth maps, as arrays and as a picture
#   supn_eval         accuracy, sparsification, likelihood, beside the ensemble and the truth
set -euo pipefail
cd "$(dirname "$0")/.."

size=default
out=runs/demo
while [ $# -gt 0 ]; do
  case "$1" in
    --size) size=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "demo: unknown argument '$1' (known: --size default|smallest, --out DIR)" >&2; exit 1 ;;
  esac
done
case "$size" in
  default) train=192; val=16; test=24; warm_up=8; epochs=6; samples=40 ;;
  smallest) train=12; val=4; test=4; warm_up=2; epochs=1; samples=10 ;;
  *) echo "demo: --size is default or smallest, not '$size'" >&2; exit 1 ;;
esac

# Threads that wait must not spin on cores that the loader or another program needs.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
scripts/setup.sh
scripts/build.sh release apps
bin=build/release/bin
if [ -e "$out" ] && [ ! -e "$out/.supn_demo" ]; then
  echo "demo: $out exists and is not an earlier demo's; choose another --out" >&2
  exit 1
fi
rm -rf "$out"
mkdir -p "$out"
touch "$out/.supn_demo"
settings=(--config configs/demo.yaml --set "data.root=$out/road" --set "data.samples=$out/road/samples"
          --set "data.truth=$out/road/truth" --set "data.train_split=$out/road/splits/train_files.txt"
          --set "data.val_split=$out/road/splits/val_files.txt"
          --set "data.test_split=$out/road/splits/test_files.txt")

$bin/supn_data synth --out "$out/road" --seed 1 --train $train --val $val --test $test
$bin/supn_train "${settings[@]}" --set "training.output=$out/run" \
  --set "training.warm_up.epochs=$warm_up" --set "training.epochs=$epochs"
$bin/supn_sample --checkpoint "$out/run/best" "${settings[@]}" --split test --count 8 --seed 1 \
  --quantity depth --scale 5.4 --out "$out/samples"
$bin/supn_eval --checkpoint "$out/run/best" --ensemble --truth "${settings[@]}" --split test \
  --set "evaluation.samples=$samples" --out "$out/eval"

echo
echo "Pictures (image, mean, std, samples): $out/samples/*.png"
echo "Tables (text, CSV, JSON, LaTeX):      $out/eval/"
echo "Checkpoint for your own images:       $out/run/best"
