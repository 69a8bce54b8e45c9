#!/usr/bin/env bash
# Builds the site into build/site: scripts/docs.sh [--serve]
# A dead link, a missing heading or a page that no menu names is an error.
#   --serve    shows it on this machine instead, and follows changes
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/usage.sh
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  "") command=(build --strict) ;;
  --serve) command=(serve) ;;
  *) refuse "unknown argument '$1' (known: --serve, --help)" ;;
esac
[ -x .venv/bin/pip ] || python3 -m venv .venv
if ! .venv/bin/python -c 'import mkdocs, material' 2>/dev/null; then
  echo "docs: installing mkdocs into .venv"
  .venv/bin/pip install -q --disable-pip-version-check mkdocs==1.6.1 mkdocs-material==9.6.14
fi
.venv/bin/mkdocs "${command[@]}"
[ "${1:-}" = --serve ] || echo "The site: build/site/index.html"
