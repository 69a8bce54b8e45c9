#!/usr/bin/env bash
# Set-up, release build and the whole job on a procedural road world, from nothing to tables and
# pictures: scripts/demo.sh [--size default|smallest] [--out runs/demo] (an earlier demo there is
# replaced)
#
#   supn_data synth   road scenes with exact depth, and an ensemble drawn from a known Gaussian
#   supn_train        one network that maps an image to mean and sparse Cholesky factor
#   supn_sample       samples of whole depth maps, as arrays and as a picture
#   supn_eval         accuracy, sparsification, likelihood, beside the ensemble and the truth
#   supn_covariance   how one pixel of the first test image varies with all others
#   supn_condition    the same image given ten measured depths
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh

size=default out=runs/demo bin=
read_options "--size --out" "$@"
case "$size" in
  default) train=640; val=16; test=24; warm_up=12; epochs=13; samples=40 ;;
  smallest) train=12; val=4; test=4; warm_up=2; epochs=1; samples=10 ;;
  *) refuse "--size is default or smallest, not '$size'" ;;
esac

claim_output "$out" .supn_demo road run samples eval covariance conditioned

ready_programs
rm -rf "$out"/{road,run,samples,eval,covariance,conditioned}
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
drive=$out/road/2000_01_01/2000_01_01_drive_0003_sync
first=(--checkpoint "$out/run/best" --image "$drive/image_02/data/0000000000.png" --scale 5.4)
$bin/supn_covariance "${first[@]}" --pixel 202,62 --out "$out/covariance"
$bin/supn_condition "${first[@]}" --depth "$drive/proj_depth/groundtruth/image_02/0000000000.png" \
  --count-known 10 --noise-relative 0.02 --out "$out/conditioned"

echo
echo "Pictures (image, mean, std, samples): $out/samples/*.png"
echo "Correlations, ten known depths:       $out/covariance/, $out/conditioned/"
echo "Tables (text, CSV, JSON, LaTeX):      $out/eval/"
echo "Checkpoint for your own images:       $out/run/best"
echo "Look into it, in the browser:         $bin/supn_view --checkpoint $out/run/best --config $out/run/config.yaml --split test --scale 5.4"
