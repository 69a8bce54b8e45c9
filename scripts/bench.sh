#!/usr/bin/env bash
# Sets up the peers, builds the benchmark suite, runs it, draws its curves. docs/benchmarks.md tells
# how to read the results.
#
#   scripts/bench.sh                 every row and curve
#   scripts/bench.sh --quick         the rows that have targets, few pairs
#   scripts/bench.sh --setup-only    installs what it needs and stops
#   scripts/bench.sh --no-setup …    builds and runs with what is there
#
# Any other option goes to the program: --out DIR, --threads N, --only sampling,likelihood,
# marginals,conditioning,growth. Results: bench.json, bench.csv, bench.txt, growth.png in the
# folder of --out (default results/bench).
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
source scripts/packages.sh

PACKAGES=(libeigen3-dev libsuitesparse-dev libopenblas0-pthread libopenblas-pthread-dev
  libbenchmark-dev)
preset=${SUPN_BENCH_PRESET:-bench}

setup=yes
run=yes
out=results/bench
options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --setup-only) run=no ;;
    --no-setup) setup=no ;;
    --out)
      [ $# -gt 1 ] || refuse "--out needs a folder"
      out=$2
      shift ;;
    --out=*) out=${1#--out=} ;;
    -h | --help) usage; exit 0 ;;
    --threads | --only)
      [ $# -gt 1 ] || refuse "$1 needs a value"
      options+=("$1" "$2")
      shift ;;
    --quick | --threads=* | --only=*) options+=("$1") ;;
    *) refuse "unknown argument '$1' (see --help)" ;;
  esac
  shift
done

if [ "$setup" = yes ]; then
  scripts/setup.sh --tests
  install_debian_packages "${PACKAGES[@]}"
  install_drawing_packages scipy==1.15.3
fi
[ "$run" = yes ] || exit 0
scripts/build.sh "$preset" supn_bench
mkdir -p "$out"
program=build/$preset/bin/supn_bench
"$program" --out "$out" --python .venv/bin/python "${options[@]}" | tee "$out/bench.txt"
.venv/bin/python bench/plot_growth.py "$out/bench.json" "$out/growth.png"
