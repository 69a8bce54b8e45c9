#!/usr/bin/env bash
# Configures and builds one preset: scripts/build.sh [release|dev|tidy|asan|tsan|core|bench|cuda] [target ...]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
case "${1:-release}" in
  -h | --help) usage; exit 0 ;;
  release | dev | tidy | asan | tsan | core | bench | cuda) preset=${1:-release} ;;
  *) refuse "unknown preset '$1' (see --help)" ;;
esac
shift || true
cmake --preset "$preset" >"$(mktemp)" || cmake --preset "$preset"
if [ $# -gt 0 ]; then cmake --build --preset "$preset" --target "$@"
else cmake --build --preset "$preset"; fi
