#!/usr/bin/env bash
# Formats every C++ file in place; with --check only says which ones are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
git ls-files '*.cpp' '*.hpp' | xargs clang-format "${mode[@]}"
