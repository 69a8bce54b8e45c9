#!/usr/bin/env bash
# Usage of every script, from another folder too, and mistakes in a call: exit code 2, before anything is
# touched. usage: scripts_test.sh FOLDER_OF_PROGRAMS SOURCE_FOLDER
set -euo pipefail
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "scripts_test: $*" >&2; exit 1; }

# A copy, so that a script that does touch something touches no more than this; programs that install
# or build fail, and leave a trace.
mkdir "$work/bin" "$work/copy"
cp -r "$source/scripts" "$source/configs" "$work/copy/"
for program in apt-get sudo pip cmake ctest clang-format; do
  printf '#!/bin/sh\necho %s >>"%s/touched"\nexit 1\n' "$program" "$work" >"$work/bin/$program"
  chmod +x "$work/bin/$program"
done
export PATH=$work/bin:$PATH
before=$(cd "$work/copy" && find . | sort)

cd "$work"
for script in bench build cuda_carry cuda_check demo docs format fuzz lean_torch lint reproduce setup test \
  training_size; do
  usage=$("copy/scripts/$script.sh" --help 2>&1) || fail "$script.sh --help ends with $?"
  [ "$(wc -l <<<"$usage")" -ge 1 ] && [[ $usage != "#"* ]] || fail "$script.sh --help says '$usage'"
  [ "$usage" = "$(cd copy && "scripts/$script.sh" -h)" ] || fail "$script.sh -h says something else elsewhere"
  status=0
  "copy/scripts/$script.sh" --nonsense >log 2>&1 || status=$?
  [ "$status" = 2 ] && [ "$(wc -l <log)" = 1 ] || fail "$script.sh --nonsense ends with $status: $(cat log)"
  grep -q "^$script: " log || fail "$script.sh --nonsense says $(cat log)"
done
status=0
copy/scripts/test.sh nonsense >log 2>&1 || status=$?
[ "$status" = 2 ] || fail "test.sh nonsense ends with $status: $(cat log)"
[ ! -e touched ] || fail "called: $(cat touched)"
[ "$before" = "$(cd copy && find . | sort)" ] || fail "something was written"

# Nothing of the user's is removed.
for script in demo training_size reproduce; do
  mkdir -p "mine_$script/road"
  echo precious >"mine_$script/road/notes.txt"
  arguments=(--out "$work/mine_$script")
  [ "$script" != reproduce ] || arguments+=(--config configs/demo.yaml --bin /nowhere)
  status=0
  "copy/scripts/$script.sh" "${arguments[@]}" >log 2>&1 || status=$?
  [ "$status" = 2 ] && grep -q "choose another --out" log || fail "$script.sh took a foreign folder: $(cat log)"
  [ "$(cat "mine_$script/road/notes.txt")" = precious ] || fail "$script.sh has removed a file"
done
mkdir -p earlier/road
touch earlier/.supn_demo earlier/notes.txt
copy/scripts/demo.sh --out "$work/earlier" >log 2>&1 && fail "demo.sh took a folder with another file in it"
grep -q "notes.txt is not of earlier results" log || fail "demo.sh says $(cat log)"
[ -d earlier/road ] || fail "demo.sh has removed what it refused"
echo "the scripts told their usage and touched nothing"
