#!/usr/bin/env bash
# Set-up, build and all tests: scripts/test.sh [preset, default release]
# Tests on data that is not part of the repository are skipped where it is absent, and listed as such.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
case "${1:-release}" in
  -h | --help) usage; exit 0 ;;
  release | dev | asan | tsan | core | bench | cuda) preset=${1:-release} ;;
  *) refuse "unknown preset '$1' (known: release, dev, asan, tsan, core, bench, cuda)" ;;
esac
[ $# -le 1 ] || refuse "unknown argument '$2'"
# Tests run side by side: a thread that waits must not spin on a core that another test needs.
export OMP_WAIT_POLICY=passive
scripts/setup.sh --tests
cmake --preset "$preset"
cmake --build --preset "$preset"

log=build/$preset/ctest.log
status=0
ctest --preset "$preset" --parallel "$(nproc)" | tee "$log" || status=$?
# CTest counts groups of suites, and calls skipped only those of which all of a suite was.
skipped=$(grep -hoE '^\[  SKIPPED \] [^ ]+ \(' "build/$preset/Testing/Temporary/LastTest.log" |
  sed -E 's/^\[  SKIPPED \] (Cuda\/[^.]*)\..*/  \1/; s/^\[  SKIPPED \] ([^ ]+) \(/  \1/' | uniq || true)
if [ -n "$skipped" ]; then
  echo
  echo "Skipped (they need data or hardware that is absent):"
  echo "$skipped"
fi
echo
grep 'tests passed' "$log"
exit "$status"
