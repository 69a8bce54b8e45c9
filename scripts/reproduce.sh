#!/usr/bin/env bash
# Trains the paper's variants and ours under one budget, evaluates them together, and writes tables and
# pictures. Resumable: what is done is not done again; run the same line once more.
#
#   scripts/reproduce.sh --config configs/kitti_mini.yaml [options] [--set key=value …]
#
#   --config FILE      the set, the ensemble and the budget; each file of configs/ablations goes on top
#   --out DIR          default results: runs/<variant>_seed<n>/, then tables.{txt,tex,csv,json},
#                      per_image.csv, intervals.csv, differences.csv, curves.csv, pictures of the
#                      curves, and pictures/<variant>_seed<n>/ of the first test image: samples,
#                      covariance of a pixel, the same given 50 points of the ground truth
#   --variants LIST    default: all of configs/ablations, by name: full,diagonal,factored
#   --seeds LIST       default 0; several seeds for every variant: 0,1,2
#   --repeat LIST      only these variants get the seeds after the first; default all
#   --known LIST       default 25,50,100,200: rows given so many ground-truth points; "none" for none
#   --baselines KIND   default all: Gaussians fitted to the members of each image, which takes four or
#                      more members; "none" for none
#   --second DIR       sample files of another ensemble, for its likelihood
#   --bin DIR          default build/release/bin, which is built first; others are taken as they are
#   --set key=value    for every program, on top of the variant: training.epochs=1 for a trial
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh

config= out=results variants= seeds=0 repeat= known=25,50,100,200 baselines=all second= bin=
settings=()
read_options "--config --out --variants --seeds --repeat --known --baselines --second --bin --set" "$@"
[ -f "$config" ] || fail "--config: give a configuration file, such as configs/kitti_mini.yaml"
config=$(realpath "$config")
if [ -z "$variants" ]; then
  variants=$(basename -s .yaml configs/ablations/*.yaml | paste -sd,)
fi
repeat=${repeat:-$variants}
for variant in ${variants//,/ } ${repeat//,/ }; do
  [ -f "configs/ablations/$variant.yaml" ] || fail "no variant '$variant' in configs/ablations"
done
claim_output "$out" .supn_reproduce runs configs pictures evaluation evaluation.log 'tables.*' '*.csv' '*.svg'
[[ "$config" != "$(realpath "$out")"/configs/* ]] ||
  refuse "--config: $config is one that is written here; give the file that it starts from (its base)"
ready_programs
mkdir -p "$out/runs" "$out/configs"

# The variant on top of the given configuration in place of the paper's.
variant_config() { # variant run
  local file=$out/configs/$2.yaml output
  output=$(realpath "$out")/runs/$2
  sed -e "s|^base:.*|base: $config|" -e "s|^  output:.*|  output: $output|" \
    "configs/ablations/$1.yaml" >"$file.new"
  mv "$file.new" "$file"
  echo "$file"
}

setting() { # key
  "$bin/supn_train" --config "$config" "${settings[@]}" --print-config |
    sed -n "s/^ *$1: *//p" | tr -d '"'
}

# Members' predictions first, where the configuration says how; those that are there are kept.
[ "$(setting members)" = "[]" ] || "$bin/supn_ensemble" --config "$config" "${settings[@]}"

# What the evaluation would refuse, before the hours of training: one image's rows without a model.
rows=(--ensemble --ensemble-variants)
[ "$baselines" = none ] || rows+=(--baselines)
head -n 1 -- "$(setting test_split)" >"$out/configs/one_frame.txt" ||
  fail "data.test_split: expected the file that lists the images to evaluate"
"$bin/supn_eval" --config "$config" "${settings[@]}" "${rows[@]}" --split test \
  --set "data.test_split=$(realpath "$out")/configs/one_frame.txt" >/dev/null 2>"$out/evaluation.log" ||
  grep -q "no image of the split has ground truth" "$out/evaluation.log" ||  # others may have
  fail "$(tail -n 1 "$out/evaluation.log"); the evaluation after training would end so"

checkpoints=()
for seed in ${seeds//,/ }; do
  for variant in ${variants//,/ }; do
    [ "$seed" = "${seeds%%,*}" ] || [[ ",$repeat," == *",$variant,"* ]] || continue
    run=${variant}_seed$seed
    checkpoints+=(--checkpoint "$run=$out/runs/$run/best")
    train_once "$out/runs/$run" --config "$(variant_config "$variant" "$run")" "${settings[@]}" \
      --set "training.seed=$seed"
  done
done

[ "$known" = none ] || rows+=(--known-points "$known")
[ -z "$second" ] || rows+=(--second-samples "$(realpath "$second")")
[ -z "$(setting truth)" ] || rows+=(--truth)
"$bin/supn_eval" --config "$config" "${settings[@]}" "${checkpoints[@]}" "${rows[@]}" \
  --split test --out "$out/evaluation"
for extension in txt tex csv json; do
  cp "$out/evaluation/table.$extension" "$out/tables.$extension"
done
rm -f "$out"/*.svg # an earlier evaluation may have had others
cp "$out"/evaluation/*.svg "$out"/evaluation/{per_image,intervals,differences,curves}.csv "$out/"

# The paper's figures, of the first test image, for every variant.
read -r drive number camera <"$out/configs/one_frame.txt"
name=$(printf '%010d' "$((10#$number))")
folder=$(setting root)/$drive
camera_folder=image_0$([ "$camera" = l ] && echo 2 || echo 3)
image=$(find "$folder/$camera_folder/data" -name "$name.*")
depth=$(find "$folder"/*_depth/{,groundtruth/}"$camera_folder/$name.png" 2>/dev/null | head -n 1) || true
pixel=$(($(setting width) / 2)),$(($(setting height) * 3 / 4))
for variant in ${variants//,/ }; do
  run=${variant}_seed${seeds%%,*}
  pictures=$out/pictures/$run
  checkpoint=(--checkpoint "$out/runs/$run/best" --image "$image")
  "$bin/supn_sample" --log-level warn "${checkpoint[@]}" --count 4 --quantity depth --scale 5.4 \
    --out "$pictures/samples"
  "$bin/supn_covariance" --log-level warn "${checkpoint[@]}" --pixel "$pixel" --marginals \
    --out "$pictures/covariance"
  [ -z "$depth" ] || "$bin/supn_condition" --log-level warn "${checkpoint[@]}" --depth "$depth" \
    --count-known 50 --noise-relative 0.02 --out "$pictures/conditioned"
done
echo "reproduce: tables and pictures are in $out"
