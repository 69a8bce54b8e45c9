# Packages for setup.sh, bench.sh and training_size.sh; to be sourced from the project's folder.

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else
    echo "$(basename "$0"): '$*' needs root: run this as root or install sudo" >&2
    exit 1
  fi
}

# missing_debian_packages <package>...: those that are not installed yet, one a line.
missing_debian_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# install_debian_packages <package>...: those that are missing.
install_debian_packages() {
  local missing
  mapfile -t missing < <(missing_debian_packages "$@")
  if [ ${#missing[@]} -eq 0 ]; then
    echo "setup: all $# Debian packages are installed"
    return
  fi
  if ! command -v apt-get >/dev/null; then
    echo "setup: no apt-get here; install the equivalents of: ${missing[*]}" >&2
    exit 1
  fi
  echo "setup: installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# install_drawing_packages [package]...: Matplotlib and these, into .venv.
install_drawing_packages() {
  if ! .venv/bin/python -c "import matplotlib${1:+, ${1%%=*}}" 2>/dev/null; then
    echo "setup: installing matplotlib $* into .venv"
    .venv/bin/pip install -q --disable-pip-version-check matplotlib==3.10.3 "$@"
  fi
}
