#!/usr/bin/env bash
# How far a trained network stays behind the truth, by the number of its training images: on the
# procedural road world of supn_data synth, whose members are drawn from a known Gaussian. Every
# network gets the same number of steps. Resumable: run the same line once more.
#
#   scripts/training_size.sh [options] [--set key=value …]
#
#   --sizes LIST       training images, default 12,24,48,96,192,384: the first of one list
#   --steps N          steps of the likelihood, default 288; as many again, times 4/3, warm up the mean
#   --seeds LIST       default 0
#   --size WxH         of the images, default 320x96
#   --test N           test images, default 24; each takes some 10 s a network, for the divergence from the truth
#   --out DIR          default results/training_size: table.{txt,csv,json,tex}, training_size.png
#   --bin DIR          default build/release/bin, which is built first; others are taken as they are
#   --set key=value    for every program: network.backbone=resnet18
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
source scripts/packages.sh

sizes=12,24,48,96,192,384 steps=288 seeds=0 size=320x96 test=24 out=results/training_size bin= batch=4
settings=()
read_options "--sizes --steps --seeds --size --test --out --bin --set" "$@"
[[ " ${settings[*]} " != *" training.batch_size="* ]] ||
  fail "--set: the batch is $batch here, of which --steps counts"
[[ $sizes =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || fail "--sizes: expected numbers of images such as 12,48,192, found '$sizes'"
[[ $steps =~ ^[1-9][0-9]*$ ]] || fail "--steps: expected a number, found '$steps'"
[[ $size =~ ^[1-9][0-9]*x[1-9][0-9]*$ ]] || fail "--size: expected a width and a height such as 320x96, found '$size'"
[[ $test =~ ^[1-9][0-9]*$ ]] || fail "--test: expected a number of images, found '$test'"
for images in ${sizes//,/ }; do
  [ "$images" -ge "$batch" ] || fail "--sizes: $images images are fewer than a batch of $batch"
done
claim_output "$out" .supn_training_size road road.done splits runs evaluation 'table.*' training_size.png
ready_programs
[ -x .venv/bin/python ] || python3 -m venv .venv
install_drawing_packages

largest=$(tr , '\n' <<<"$sizes" | sort -n | tail -1)
road=$out/road
mkdir -p "$out/splits"
if [ ! -e "$road.done" ]; then
  rm -rf "$road"
  "$bin/supn_data" synth --out "$road" --size "$size" --seed 1 --train "$largest" --val 16 --test "$test"
  touch "$road.done"
fi
[ "$(wc -l <"$road/splits/train_files.txt")" -ge "$largest" ] ||
  fail "$road has fewer than $largest training images; choose another --out"
[ "$(wc -l <"$road/splits/test_files.txt")" -eq "$test" ] ||
  fail "$road has another number of test images than $test; choose another --out"

world=(--config configs/demo.yaml --set "data.width=${size%x*}" --set "data.height=${size#*x}"
       --set "data.root=$road" --set "data.samples=$road/samples"
       --set "data.truth=$road/truth" --set "data.val_split=$road/splits/val_files.txt"
       --set "data.test_split=$road/splits/test_files.txt" --set "training.batch_size=$batch" "${settings[@]}")
epochs_of() { # steps images
  local per_epoch=$(($2 / batch))  # the last images of an epoch, fewer than a batch, are left out
  echo $((($1 + per_epoch - 1) / per_epoch))
}
checkpoints=()
for seed in ${seeds//,/ }; do
  for images in ${sizes//,/ }; do
    run=images${images}_seed$seed
    checkpoints+=(--checkpoint "$run=$out/runs/$run/last")
    head -n "$images" "$road/splits/train_files.txt" >"$out/splits/$images.txt"
    epochs=$(epochs_of "$steps" "$images")
    train_once "$out/runs/$run" "${world[@]}" --set "data.train_split=$out/splits/$images.txt" \
      --set "training.output=$out/runs/$run" --set "training.seed=$seed" --set "training.epochs=$epochs" \
      --set "training.warm_up.epochs=$(epochs_of $((steps * 4 / 3)) "$images")" \
      --set "training.validation.every=$((epochs > 4 ? epochs / 4 : 1))"
  done
done

"$bin/supn_eval" "${world[@]}" "${checkpoints[@]}" --truth --split test --out "$out/evaluation"
cp "$out"/evaluation/table.* "$out/"
.venv/bin/python scripts/plot_training_size.py "$out/evaluation/intervals.csv" "$out/training_size.png"
