#!/usr/bin/env bash
# Formats every C++ and JavaScript file in place; with --check only says which ones are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
case "${1:-}" in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror) ;;
  -h | --help) usage; exit 0 ;;
  *) refuse "unknown argument '$1'; give --check or nothing" ;;
esac
git ls-files '*.cpp' '*.hpp' '*.js' | xargs clang-format "${mode[@]}"
