#!/usr/bin/env bash
# Shows in some minutes that everything works on a GPU, and how fast: builds the library and the
# training step, runs the tests labelled gpu (every function on the card against the CPU), and
# measures training, inference and sampling, PyTorch's eager and compiled step beside ours. It needs
# CMake, ninja, a C++ compiler, LibTorch and what scripts/cuda_carry.sh gathers; no network.
#
#   --device cuda|cpu  default cuda; cpu tries all of it without a card: small sizes, a GPU's code on the CPU
#   --torch DIR        LibTorch (default: that of python3, else of .venv)
#   --out DIR          default results/cuda_check: report.txt, report.json, logs
#   --carried DIR      what cuda_carry.sh has gathered (default carried/; without it, the system's packages)
#   --build DIR        a configured build folder to use as it is (default build/cuda_check, made anew)
#   --only tests|bench one part alone
set -euo pipefail
start=$(date +%s)
source_folder=$(cd "$(dirname "$0")/.." && pwd)
called_from=$PWD
cd "$source_folder"
source scripts/usage.sh

device=cuda torch="" out=results/cuda_check carried=carried build="" only=all
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --device | --torch | --out | --carried | --build | --only)
      [ $# -gt 1 ] || refuse "$1 needs a value"
      case "$1" in --torch | --out | --carried | --build) value=$(realpath -m "$called_from/$2") ;; *) value=$2 ;; esac
      [[ "$2" != /* ]] || value=$2
      declare "${1#--}=$value"
      shift ;;
    *) refuse "unknown argument '$1' (see --help)" ;;
  esac
  shift
done
case "$device" in cuda | cpu) ;; *) refuse "--device $device: expected cuda or cpu" ;; esac
case "$only" in all | tests | bench) ;; *) refuse "--only $only: expected tests or bench" ;; esac
out=$(realpath -m "$out")

torch_of() { "$1" -c 'import os, importlib.util as u; print(os.path.dirname(u.find_spec("torch").origin))' 2>/dev/null; }
if [ -z "$torch" ]; then
  torch=$(torch_of python3 || true)
  [ -e "$torch/lib/libtorch_cpu.so" ] || torch=$(echo "$source_folder"/.venv/lib/python3*/site-packages/torch)
fi
[ -e "$torch/lib/libtorch_cpu.so" ] || refuse "no LibTorch in '$torch'; name it by --torch"
[ "$device" = cpu ] || [ -e "$torch/lib/libtorch_cuda.so" ] || refuse "$torch has no CUDA libraries; --device cpu goes without"
mkdir -p "$out"
: >"$out/build.log"

configure() {
  local options=()
  if [ -d "$carried" ]; then
    # Found by compiler, linker and loader alike.
    export CPLUS_INCLUDE_PATH=$carried/include LIBRARY_PATH=$carried/lib LD_LIBRARY_PATH=$carried/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    options+=(-DSUPN_GTEST_SOURCE="$carried/googletest" -DSUPN_HIGHWAY="$carried/include"
      -Dnlohmann_json_DIR="$carried/share/cmake/nlohmann_json")
  fi
  # Processes that share one card need Gloo.
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSUPN_APPS=OFF -DSUPN_NCCL=OFF \
    -DSUPN_CUDA="$([ "$device" = cuda ] && echo ON || echo OFF)" -DSUPN_LIBTORCH="$torch" "${options[@]}"
}

targets=()
[ "$only" = bench ] || targets+=(gaussian_gpu_tests network_gpu_tests training_gpu_tests)
[ "$only" = tests ] || targets+=(supn_device_bench)
status=0
if [ -z "$build" ]; then
  build=$source_folder/build/cuda_check
  configure >>"$out/build.log" 2>&1 || { tail -20 "$out/build.log" >&2; refuse "cannot configure; see $out/build.log"; }
fi
cmake --build "$build" --target "${targets[@]}" >>"$out/build.log" 2>&1 ||
  { grep -A5 -m3 'error' "$out/build.log" >&2 || tail -3 "$out/build.log" >&2; refuse "cannot build; see $out/build.log"; }
built=$(date +%s)
echo "cuda_check: built in $((built - start)) s"

export OMP_WAIT_POLICY=passive
if [ "$only" != bench ]; then
  ctest --test-dir "$build" -L gpu --parallel "$(($(nproc) / 4 + 1))" --output-on-failure \
    --output-junit "$out/tests.xml" >"$out/tests.log" 2>&1 || status=1
  grep 'tests passed' "$out/tests.log" | sed 's/^/cuda_check: /'
fi
tested=$(date +%s)

# The twin's Python: one with torch, numpy and safetensors.
twin_python() {
  local python
  for python in "${SUPN_PYTHON:-python3}" /usr/bin/python3; do
    if "$python" -c 'import torch, numpy, safetensors.torch' 2>/dev/null; then echo "$python"; return; fi
  done
}
twin() {
  local name=$1
  shift
  "$python" bench/training/eager_step.py "$out/twin" --device "$device" "$@" >"$out/twin_$name.json" 2>>"$out/bench.log" ||
    echo "cuda_check: the twin, $name, failed; see $out/bench.log"
}
if [ "$only" != tests ]; then
  [ "$device" = cuda ] && size=full steps=23 || size=small steps=4
  rm -rf "$out/twin" "$out"/twin_*.json
  "$build/bin/supn_device_bench" --device "$device" --size $size --out "$out/bench.json" --twin "$out/twin" 2>&1 |
    tee "$out/bench.log" >/dev/null || status=1
  python=$(twin_python)
  if [ -n "$python" ] && [ -d "$out/twin" ]; then
    twin eager --steps $steps
    twin eager_bf16 --steps $steps --precision bf16 --channels-last
    if [ "$device" = cuda ]; then
      twin compiled --steps $steps --compile
      twin compiled_bf16 --steps $steps --compile --precision bf16 --channels-last
    fi
  else
    echo "cuda_check: no Python with torch, numpy and safetensors: PyTorch's step is left out"
  fi
  rm -rf "$out/twin"
fi
python3 scripts/cuda_report.py "$out" --device "$device" --torch "$torch" --status $status \
  --seconds "build=$((built - start)),tests=$((tested - built)),bench=$(($(date +%s) - tested))" || status=1
exit $status
