#!/bin/sh
# Make a build folder, or bring the options of an old one up to date.
#
#   scripts/configure.sh FOLDER [MESON OPTION]...
set -eu

folder=$1
shift
options="$*"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Say nothing, unless it fails.
quietly()
{
	if ! "$@" >"$log" 2>&1; then
		cat "$log" >&2
		exit 1
	fi
}

if [ ! -f "$folder/build.ninja" ]; then
	quietly meson setup "$folder" "$@"
elif [ "$(cat "$folder/.options" 2>/dev/null || true)" != "$options" ]; then
	quietly meson setup --reconfigure "$folder" "$@"
fi
printf '%s' "$options" >"$folder/.options"
# Changes of a meson.build; ninja would do this by itself, and print all that meson says.
quietly ninja -C "$folder" build.ninja
