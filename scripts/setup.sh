#!/usr/bin/env bash
# Installs what SUPN is built from: Debian packages and LibTorch (the PyPI wheel, into .venv/).
# Idempotent: what is there already is kept. Needs Debian 12 (or alike) and root or sudo for apt.
#
#   scripts/setup.sh            LibTorch without CUDA's libraries (1.3 GB): builds and runs on the CPU
#   scripts/setup.sh --cuda     the full wheel (4.7 GB): CUDA as well
#   scripts/setup.sh --tests    also numpy, pytest, tensorboard and others, which tests use or compare
#                               with, and torch made importable (scripts/lean_torch.sh)
#   scripts/setup.sh --browser  also Chromium and its driver, which the viewer's page is tested in
#
# Skip it altogether if you bring your own packages, and pass -DSUPN_LIBTORCH=<dir> to CMake.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
source scripts/packages.sh

TORCH_VERSION=2.11.0
PACKAGES=(g++ cmake ninja-build git ca-certificates python3 python3-venv
          libopencv-dev libcli11-dev libyaml-cpp-dev libspdlog-dev nlohmann-json3-dev libhwy-dev libcpp-httplib-dev
          libgtest-dev libgmock-dev)

cuda=no
tests=no
browser=no
for argument in "$@"; do
  case "$argument" in
    --cuda) cuda=yes ;;
    --tests) tests=yes ;;
    --browser) browser=yes ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "unknown argument '$argument' (known: --cuda, --tests, --browser, --help)" ;;
  esac
done

torch_directory() { echo .venv/lib/python3*/site-packages/torch; }

has_torch() {
  local version
  version=$(cat $(torch_directory)/version.py 2>/dev/null || true)
  [[ "$version" == *"$TORCH_VERSION"* ]] && [ -e $(torch_directory)/lib/libtorch_cpu.so ]
}

# The full wheel is told from the lean one by cuBLAS, which only the former brings along.
has_cuda_libraries() { compgen -G '.venv/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.*' >/dev/null; }

install_torch() {
  [ -x .venv/bin/pip ] || { echo "setup: creating .venv"; python3 -m venv .venv; }
  if [ "$cuda" = yes ]; then
    if has_torch && has_cuda_libraries; then
      echo "setup: LibTorch $TORCH_VERSION with CUDA is installed"
    else
      echo "setup: installing LibTorch $TORCH_VERSION with CUDA (4.7 GB)"
      .venv/bin/pip install -q --disable-pip-version-check "torch==$TORCH_VERSION"
    fi
  elif has_torch; then
    echo "setup: LibTorch $TORCH_VERSION is installed"
  else
    echo "setup: installing LibTorch $TORCH_VERSION for the CPU (1.3 GB)"
    # libtorch_cpu.so itself needs these two CUDA libraries and no other.
    .venv/bin/pip install -q --disable-pip-version-check --no-deps \
      "torch==$TORCH_VERSION" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85
  fi
}

# Before anything is touched: what is missing, and where it goes.
announce_installation() {
  local missing
  missing=$(missing_debian_packages "$@")
  [ -z "$missing" ] || echo "setup: will install as root, by apt-get: ${missing//$'\n'/ }"
  if [ "$cuda" = yes ]; then
    has_torch && has_cuda_libraries || echo "setup: will install LibTorch $TORCH_VERSION with CUDA (4.7 GB) into .venv"
  elif ! has_torch; then
    echo "setup: will install LibTorch $TORCH_VERSION for the CPU (1.3 GB) into .venv"
  fi
}

# The second line holds what torch itself imports, which the lean wheel comes without.
TEST_PACKAGES=(numpy==2.2.6 safetensors==0.6.2 tensorboard==2.20.0 protobuf==6.33.6 pytest==8.4.2 pillow==11.3.0
               sympy==1.14.0 networkx==3.4.2 jinja2==3.1.6 fsspec==2025.9.0 filelock==3.19.1 typing_extensions
               nbclient==0.10.2 ipykernel==6.30.1 matplotlib==3.10.3)

install_test_packages() {
  local imports=numpy,safetensors,tensorboard,pytest,PIL,sympy,networkx,jinja2,fsspec,filelock,nbclient,ipykernel,matplotlib
  if .venv/bin/python -c "import $imports" 2>/dev/null; then
    echo "setup: the Python packages that tests use are installed"
  else
    echo "setup: installing numpy, pytest, tensorboard and others that tests use"
    .venv/bin/pip install -q --disable-pip-version-check "${TEST_PACKAGES[@]}"
  fi
  scripts/lean_torch.sh
}

if [ "$browser" = yes ]; then PACKAGES+=(chromium chromium-driver); fi
announce_installation "${PACKAGES[@]}"
install_debian_packages "${PACKAGES[@]}"
install_torch
if [ "$tests" = yes ]; then install_test_packages; fi
echo "setup: done"
