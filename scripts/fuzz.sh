#!/usr/bin/env bash
# Hostile input, at length (the tests labelled fuzz and hostile do the same for seconds):
#
#   scripts/fuzz.sh parsers [seconds, default 600] [target ...]   every parser, with libFuzzer
#   scripts/fuzz.sh apps [mutants, default 1000]                  damaged files through the apps
#
# parsers builds in build/fuzz with clang++ (Debian: clang, libclang-rt-14-dev), or else with g++ and
# the engine of tests/fuzz/. What crashes is kept in build/fuzz/<target>.crash-*, what was learnt in
# build/fuzz/<target>.seeds. apps needs a built preset release.
set -euo pipefail
cd "$(dirname "$0")/.."
export OMP_WAIT_POLICY=passive

fuzz_parsers() {
  local seconds=${1:-600} compiler=g++ target
  shift || true
  command -v clang++ >/dev/null && compiler=clang++
  cmake --preset release -B build/fuzz -DCMAKE_CXX_COMPILER=$compiler >/dev/null
  cmake --build build/fuzz --target fuzz
  local targets=("$@")
  [ $# -gt 0 ] || targets=($(cd tests/fuzz && ls *_fuzz.cpp | sed 's/_fuzz.cpp//'))
  cd build/fuzz/fuzz
  for target in "${targets[@]}"; do
    echo "$target"
    "./$target" -max_total_time="$seconds" -max_len=4096 -timeout=25 -rss_limit_mb=2048 \
      -malloc_limit_mb=1024 -artifact_prefix="$target." -print_final_stats=1 "$target.seeds" \
      >"$target.log" 2>&1 || { tail -40 "$target.log"; exit 1; }
    grep -E 'executions|^stat::number_of_executed_units|^stat::peak_rss' "$target.log"
  done
}

case "${1:-}" in
  parsers) shift; fuzz_parsers "$@" ;;
  apps) SUPN_MUTANTS=${2:-1000} build/release/tests/apps/apps_hostile_tests ;;
  -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0" ;;
  *) echo "fuzz: expected parsers or apps (see --help)" >&2; exit 1 ;;
esac
