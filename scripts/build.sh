#!/bin/sh
# Build what `make` builds, and say what that is, how long it takes and where the tool is.
#
#   scripts/build.sh FOLDER PREFIX     a configured build folder
set -eu
folder=$1
prefix=$2
tool=$folder/tools/hartscope/hartscope

# Ninja's dry run counts the steps that are left.
steps=$(ninja -C "$folder" -n | sed -n 's|^\[[0-9]*/\([0-9]*\)\].*|\1|p' | tail -n 1)
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
echo "building the library, the tool, the recorder and the tests in $folder/:" \
	"$steps steps, about $about on $cores cores"
start=$(date +%s)
ninja --quiet -C "$folder"
echo "built in $(($(date +%s) - start)) s: $tool ('make install' puts it into $prefix)"
