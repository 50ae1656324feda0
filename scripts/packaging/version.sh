#!/bin/sh
# Print the version that include/hartscope/status.h states, for meson.build.
set -eu
sed -nE 's/^#define HS_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' \
	"$(dirname "$0")/../../include/hartscope/status.h" |
	paste -sd .
