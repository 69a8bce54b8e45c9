#!/usr/bin/env bash
# clang-tidy (checks in .clang-tidy) on the sources named, or on those changed since the given commit:
#   scripts/lint.sh src/gaussian/solve.cpp …      scripts/lint.sh --since HEAD~3
#   scripts/lint.sh --clang                       builds the core with clang++, warnings as errors
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  --clang) cmake --preset clang >/dev/null && cmake --build --preset clang; exit ;;
  --since) [ $# -gt 1 ] || refuse "--since needs a commit" ;;
  -*) refuse "unknown argument '$1' (see --help)" ;;
esac
[ -e build/dev/compile_commands.json ] || cmake --preset dev >/dev/null
if [ "${1:-}" = --since ]; then
  mapfile -t files < <(git diff --name-only --diff-filter=d "$2" -- '*.cpp')
elif [ $# -gt 0 ]; then files=("$@")
else mapfile -t files < <(git ls-files 'src/*.cpp' 'apps/*.cpp'); fi
printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" -n 1 clang-tidy -p build/dev --quiet
