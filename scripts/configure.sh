#!/bin/sh
# Make a build folder, or bring the options of an old one up to date.
#
#   scripts/configure.sh FOLDER [MESON OPTION]...
set -eu

folder=$1
shift
options="$*"
again=
if [ -f "$folder/build.ninja" ]; then
	# ninja would notice a changed meson.build too, and print all that meson says.
	if [ "$(cat "$folder/.options" 2>/dev/null || true)" = "$options" ] &&
	   [ -z "$(find meson.build meson_options.txt src tools plugins tests bench -name 'meson*' \
		-newer "$folder/build.ninja" -print -quit)" ]; then
		exit 0
	fi
	again=--reconfigure
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # $again is one word or none
if ! meson setup $again "$folder" "$@" >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
printf '%s' "$options" >"$folder/.options"
