#!/bin/sh
# Build what `make` builds, which is what `make install` installs, and say how long it takes and
# where the tool is.  What only tests need is built by them.
#
#   scripts/build.sh FOLDER PREFIX     a configured build folder
set -eu
folder=$1
prefix=$2
tool=$folder/tools/hartscope/hartscope

# Without the tests' programs, which are half of the steps.
targets=$(meson introspect --targets "$folder" | python3 -c 'import json, os, sys
for target in json.load(sys.stdin):
    if target["installed"]:
        print(*(os.path.relpath(name, sys.argv[1]) for name in target["filename"]))' \
	"$(realpath "$folder")")
# Ninja's dry run counts the steps that are left.
# shellcheck disable=SC2086  # a list
steps=$(ninja -C "$folder" -n $targets | sed -n 's|^\[[0-9]*/\([0-9]*\)\].*|\1|p' | tail -n 1)
if [ -z "$steps" ]; then
	echo "hartscope is built: $tool ('make install' puts it into $prefix)"
	exit 0
fi
# An eighth of a second of a core for each step, as measured without a compiler cache.
cores=$(nproc)
seconds=$((steps / 8 / cores + 1))
if [ "$seconds" -ge 60 ]; then
	minutes=$(((seconds + 30) / 60))
	about="$minutes minute$([ "$minutes" -eq 1 ] || echo s)"
else
	about="$seconds s"
fi
echo "building the library, the tool and the recorder in $folder/:" \
	"$steps steps, about $about on $cores cores"
start=$(date +%s)
# shellcheck disable=SC2086
ninja --quiet -C "$folder" $targets
echo "built in $(($(date +%s) - start)) s: $tool ('make install' puts it into $prefix)"
