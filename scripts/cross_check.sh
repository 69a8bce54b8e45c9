#!/usr/bin/env bash
# Do the kernels compute the same bits on AArch64? Cross-compiles them with the program that hashes
# their results (tests/gaussian/kernels/bits.cpp), runs it under qemu, and compares its lines with
# those of the built preset release. Works in build/aarch64, on Debian.
#
#   scripts/cross_check.sh             with g++-aarch64-linux-gnu, qemu-user-static and Highway for arm64
#   scripts/cross_check.sh --install   gets them first (root); exit code 77 where they can't be had
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
work=build/aarch64
native=build/release/tests/gaussian/gaussian_kernel_bits

get_tools() {
  dpkg --add-architecture arm64 && apt-get update -q &&
    apt-get install -y -q --no-install-recommends g++-aarch64-linux-gnu qemu-user-static &&
    (cd $work && apt-get download -q libhwy1:arm64 && dpkg -x libhwy1_*_arm64.deb .)
}

case "${1:-}" in
  "") ;;
  --install) ;;
  -h | --help) usage; exit 0 ;;
  *) refuse "unknown argument '$1' (see --help)" ;;
esac
[ -x $native ] || refuse "there is no $native; build the preset release first"
mkdir -p $work/include
if [ "${1:-}" = --install ] && ! get_tools >$work/install.log 2>&1; then
  tail -n 5 $work/install.log
  echo "skipped: the tools for AArch64 can't be installed here"
  exit 77
fi
library=$work/usr/lib/aarch64-linux-gnu
[ -e $library/libhwy.so.1 ] || refuse "there is no Highway for arm64 in $library; --install gets it"

ln -sfn /usr/include/hwy $work/include/hwy
for source in tests/gaussian/kernels/bits.cpp src/gaussian/kernels/*.cpp; do
  printf '%s %s\n' "$source" "$work/$(basename "$source" .cpp).o"
done | xargs -P "$(nproc)" -L 1 sh -c 'aarch64-linux-gnu-g++ -march=armv8-a+crypto -std=c++20 -O2 \
  -ffp-contract=off -I include -I src -I '$work'/include -c "$0" -o "$1"'
aarch64-linux-gnu-g++ $work/*.o $library/libhwy.so.1 -o $work/bits
$native >$work/native.txt
qemu-aarch64-static -cpu max -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$library \
  $work/bits >$work/aarch64.txt
diff $work/native.txt $work/aarch64.txt
echo "the same bits on AArch64: $(wc -l <$work/native.txt) results of the kernels"
