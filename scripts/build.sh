#!/usr/bin/env bash
# Configures and builds one preset: scripts/build.sh [release|dev|tidy|asan|tsan|core|bench|cuda] [target ...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift || true
cmake --preset "$preset" >"$(mktemp)" || cmake --preset "$preset"
if [ $# -gt 0 ]; then cmake --build --preset "$preset" --target "$@"
else cmake --build --preset "$preset"; fi
