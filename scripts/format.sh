#!/usr/bin/env bash
# Formats every C++ file in place; with --check only says which ones are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror) ;;
  -h | --help) sed -n '2s/^# //p' "$0"; exit 0 ;;
  *) echo "format: unknown argument '$1'; give --check or nothing" >&2; exit 1 ;;
esac
git ls-files '*.cpp' '*.hpp' | xargs clang-format "${mode[@]}"
