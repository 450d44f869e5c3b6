#!/bin/sh
# Any CI system, or a git hook: compares HEAD with what it will be merged into, keeps the reports, and decides.
#   check.sh [BASE] [DIRECTORY]     BASE is a git revision (default: origin/main), reports go to DIRECTORY (default: kdiff-report)
set -eu

base=${1:-origin/main}
reports=${2:-kdiff-report}
mkdir -p "$reports"

status=0
kdiff --merge-base "git:$base" git:HEAD --fail-on blocking \
  -o text -o "json=$reports/kdiff.json" -o "markdown=$reports/kdiff.md" -o "html=$reports/kdiff.html" || status=$?

case $status in
  0) echo "kdiff: nothing differs" >&2 ;;
  1) echo "kdiff: something differs, and nothing of it is known to be dangerous" >&2 ;;
  2) echo "kdiff: something was not compared: nobody knows what it does" >&2; exit 2 ;;
  3) echo "kdiff: a blocking hazard was raised" >&2; exit 3 ;;
  *) exit "$status" ;;
esac
