# To be sourced by the other scripts from the project's folder, before they do anything.

# Prints the comment at the script's top: its usage.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "scripts/$(basename "$0")"; }

# A mistake in the call: one line, exit code 2.
refuse() {
  echo "$(basename -s .sh "$0"): $*" >&2
  exit 2
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
