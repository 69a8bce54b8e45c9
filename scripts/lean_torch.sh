#!/usr/bin/env bash
# Lets Python import the lean wheel of LibTorch that is in .venv: scripts/lean_torch.sh
#
# The wheel's Python part is linked to CUDA's libraries, which the lean installation lacks and which
# nothing calls on the CPU. This writes stand-ins for those that are missing to
# .venv/cuda_stand_ins, each function of which aborts. Programs that need them are started with
# LD_LIBRARY_PATH=.venv/cuda_stand_ins. With the full wheel nothing is missing, and the folder is empty.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  "") python=.venv/bin/python ;;
  *) refuse "unknown argument '$1'" ;;
esac
stand_ins=.venv/cuda_stand_ins
torch=$("$python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])')
imports() { LD_LIBRARY_PATH=$1 "$python" -c 'import torch' 2>/dev/null; }

mkdir -p "$stand_ins"
# Stand-ins of an earlier lean wheel would hide the libraries that the full one has brought since.
if imports ""; then rm -f "$stand_ins"/*; exit 0; fi
if imports "$PWD/$stand_ins"; then exit 0; fi
rm -f "$stand_ins"/*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ldd -r "$torch/lib/libtorch_python.so" >"$work/links" 2>&1 || true
# "undefined symbol: NAME[, version VERSION] (FILE)"; Python's own are the interpreter's.
sed -nE 's/^undefined symbol: ([A-Za-z_0-9]+)(, version ([^[:space:]]+))?.*/\1 \3/p' "$work/links" |
  grep -vE '^_?Py' | sort -u >"$work/symbols"
awk '{ print "void " $1 "(void) { __builtin_trap(); }" }' "$work/symbols" >"$work/stand_in.c"
awk 'NF == 2 { names[$2] = names[$2] $1 ";" }
     END { for (version in names) print version " { " names[version] " };" }' "$work/symbols" >"$work/versions"
gcc -shared -fPIC -w -o "$stand_ins/stand_in.so" -Wl,--version-script="$work/versions" "$work/stand_in.c"
for library in $(awk '/not found/ { print $1 }' "$work/links" | sort -u); do
  ln -s stand_in.so "$stand_ins/$library"
done
imports "$PWD/$stand_ins" || { echo "lean_torch: $python cannot import torch; see: ldd -r $torch/lib/libtorch_python.so" >&2; exit 1; }
