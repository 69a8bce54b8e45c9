# To be sourced by the other scripts from the project's folder, before they do anything.

# Prints the comment at the script's top: its usage.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "scripts/$(basename "$0")"; }

# A mistake in the call: one line, exit code 2.
refuse() {
  echo "$(basename -s .sh "$0"): $*" >&2
  exit 2
}

# Anything else that ends a script: one line, exit code 1.
fail() {
  echo "$(basename -s .sh "$0"): $*" >&2
  exit 1
}

# read_options "<option>..." "$@": sets the variable that each option is named after to its value; --set adds
# to the array `settings`.
read_options() {
  local known=$1
  shift
  while [ $# -gt 0 ]; do
    case "$1" in -h | --help) usage; exit 0 ;; esac
    [[ " $known " == *" $1 "* ]] || refuse "unknown argument '$1' (see --help)"
    [ $# -ge 2 ] || refuse "$1 needs a value (see --help)"
    if [ "$1" = --set ]; then settings+=(--set "$2"); else declare -g "${1#--}=$2"; fi
    shift 2
  done
}

# Builds the programs and sets `bin`, unless it is given. Threads that wait must not spin on cores that the
# loader or another program needs.
ready_programs() {
  export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
  if [ -z "$bin" ]; then
    scripts/setup.sh
    scripts/build.sh release apps
    bin=build/release/bin
  fi
}

# train_once <run's folder> <option>...: trains a network by supn_train or resumes its training. One that
# is finished stays as it is, and must be of the same settings.
train_once() {
  local run=$1 finished=$1.done wanted resume=()
  shift
  # Of the options in `training` and below, what a trained network depends on.
  wanted=$("$bin/supn_train" "$@" --print-config |
    sed -E -e '/^evaluation:/,$d' -e '/^  (test_split|sequence_split|truth|workers|prefetch):/d')
  if [ -e "$finished" ]; then
    [ "$wanted" = "$(cat "$finished")" ] ||
      fail "$(basename "$run") was trained with other settings (they are in $finished); choose another --out"
    return
  fi
  echo "$(basename -s .sh "$0"): training $(basename "$run")"
  [ -d "$run/last" ] && resume=(--resume)
  "$bin/supn_train" "$@" "${resume[@]}"
  [ -d "$run/best" ] || fail "$(basename "$run") has no best epoch; see $run/metrics.csv"
  echo "$wanted" >"$finished.new"
  mv "$finished.new" "$finished"
}

# claim_output <folder> <marker> <name>...: a folder for results. One that is there already must be
# ours, by the marker, and hold nothing but these names (shell patterns).
claim_output() {
  local folder=$1 marker=$2 entry name known
  shift 2
  if [ -e "$folder" ] && [ -n "$(ls -A "$folder")" ]; then
    [ -e "$folder/$marker" ] || refuse "$folder holds something, and not earlier results (there is no $marker); choose another --out"
    for entry in "$folder"/* "$folder"/.[!.]*; do
      [ -e "$entry" ] || continue
      known=no
      for name in "$marker" "$@"; do
        # shellcheck disable=SC2254
        case "$(basename "$entry")" in $name) known=yes ;; esac
      done
      [ "$known" = yes ] || refuse "$entry is not of earlier results; move it away, or choose another --out"
    done
  fi
  mkdir -p "$folder"
  touch "$folder/$marker"
}
