#!/usr/bin/env bash
# Hostile input:
#
#   scripts/fuzz.sh parsers [seconds of processor time, default 600] [target ...]
#                                                                 every parser, with libFuzzer
#   scripts/fuzz.sh apps [mutants, default 1000]                  damaged files through the apps
#
# parsers builds in build/fuzz with clang++ (Debian: clang, libclang-rt-14-dev, libomp-dev), or else
# in build/release with g++ and the engine of tests/fuzz/. What crashes is kept as
# <build>/fuzz/<target>.crash-*, what was learnt in <target>.seeds there. SUPN_FUZZ_SEED repeats the
# mutations of a run; without it each run makes others. apps needs a built preset release; the tests
# labelled hostile do the same with 8 mutants.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
export OMP_WAIT_POLICY=passive

# Whether clang++ links a program with its fuzzer and with LLVM's OpenMP library, as LibTorch needs.
clang_can_fuzz() {
  local entry='extern "C" int LLVMFuzzerTestOneInput(const char*, long) { return 0; }'
  clang++ -fsanitize=fuzzer,address -fopenmp -x c++ -o /dev/null - <<<"$entry" 2>/dev/null
}

fuzz_parsers() {
  local seconds=${1:-600} build=build/release compiler=() target
  shift || true
  if clang_can_fuzz; then
    build=build/fuzz
    # The Python module, which the fuzzer has no use for, refuses clang++.
    compiler=(-DCMAKE_CXX_COMPILER=clang++ -DSUPN_PYTHON=OFF)
  fi
  cmake --preset release -B "$build" "${compiler[@]}" >/dev/null
  cmake --build "$build" --target fuzz
  local targets=("$@")
  [ $# -gt 0 ] || targets=($(cd tests/fuzz && ls *_fuzz.cpp | sed 's/_fuzz.cpp//'))
  cd "$build/fuzz"
  for target in "${targets[@]}"; do fuzz_target "$target" "$seconds"; done
}

# In rounds of at most five minutes, until it has used the processor for so long: on a busy machine
# that takes longer than the clock says.
fuzz_target() {
  local target=$1 seconds=$2 used=0 executions=0 peak=0 TIMEFORMAT='%U %S' round left
  while [ "$used" -lt "$seconds" ]; do
    left=$((seconds - used < 300 ? seconds - used : 300))
    { time "./$target" -max_total_time="$left" -seed="${SUPN_FUZZ_SEED:-$RANDOM}" -max_len=4096 \
      -timeout=60 -rss_limit_mb=2048 -malloc_limit_mb=1024 -artifact_prefix="$target." \
      -print_final_stats=1 "$target.seeds" >"$target.log" 2>&1; } 2>"$target.time" ||
      { tail -n 40 "$target.log"; exit 1; }
    used=$(awk -v used="$used" '{printf "%d", used + $1 + $2 + 1}' "$target.time")
    round=$(grep -oE '^stat::number_of_executed_units: +[0-9]+|^[0-9]+ executions' "$target.log")
    executions=$((executions + $(tr -dc 0-9 <<<"$round")))
    round=$(grep -oE '^stat::peak_rss_mb: +[0-9]+|peak [0-9]+' "$target.log" | tr -dc 0-9)
    peak=$((round > peak ? round : peak))
  done
  echo "$target: $executions executions in $used s of processor time, at most $peak MB"
}

case "${1:-}" in
  parsers) shift; fuzz_parsers "$@" ;;
  apps) SUPN_MUTANTS=${2:-1000} build/release/tests/apps/apps_hostile_tests ;;
  -h | --help) usage ;;
  *) refuse "expected parsers or apps (see --help)" ;;
esac
