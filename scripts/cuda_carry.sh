#!/usr/bin/env bash
# Gathers what scripts/cuda_check.sh needs on a machine without Debian's packages and without a
# network, from this one's: GoogleTest's sources, Highway's headers and library, nlohmann-json. 7 MB.
#
#   scripts/cuda_carry.sh [DIR]      default carried/
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  -*) refuse "unknown argument '$1' (see --help)" ;;
esac
[ $# -le 1 ] || refuse "unknown argument '$2'"
out=${1:-carried}
googletest=/usr/src/googletest
library=$(echo /usr/lib/*/libhwy.so.1)
[ -e $googletest/CMakeLists.txt ] || refuse "there is no $googletest; install libgtest-dev and libgmock-dev"
[ -e "$library" ] && [ -e /usr/include/hwy/highway.h ] || refuse "Highway is missing; install libhwy-dev"
json=/usr/share/cmake/nlohmann_json
[ -e $json ] && [ -e /usr/include/nlohmann/json.hpp ] || refuse "there is no $json; install nlohmann-json3-dev"

mkdir -p "$out/include" "$out/lib" "$out/share/cmake"
cp -r $googletest "$out/"
cp -r /usr/include/hwy /usr/include/nlohmann "$out/include/"
cp -r $json "$out/share/cmake/"
cp -L "$library" "$out/lib/libhwy.so.1"
cp -L "$library" "$out/lib/libhwy.so" # no link: not every way of copying keeps them
echo "carry: $out holds $(du -sh "$out" | cut -f1); copy it beside the sources, or name it by cuda_check.sh --carried"
