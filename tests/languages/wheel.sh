#!/bin/bash
# A wheel, built without a network of what it needs of the sources, and its module in an environment
# of its own.
set -u
. "$HARTSCOPE_SOURCE/tests/need.sh"
need riscv64-linux-gnu-gcc qemu-riscv64 meson
for module in mesonpy pip venv numpy; do
	"$PYTHON" -c "import $module" 2>/dev/null && continue
	echo "1..0 # SKIP no Python module $module"
	exit 77
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
check()
{
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
		return
	fi
	printf 'not ok - %s\n  want: %s\n  got: %s\n' "$1" "$2" "$3"
	status=1
}
# quiet NAME COMMAND...: it succeeds; what it says is shown otherwise
quiet()
{
	local name=$1
	shift
	"$@" >"$work/log" 2>&1
	check "$name" 0 $?
	[ "$status" -eq 0 ] || { tail -n 30 "$work/log"; exit 1; }
}

mkdir -p "$work/source/docs" "$work/source/scripts/packaging"
cd "$HARTSCOPE_SOURCE" || exit
cp -r include src python meson.build meson_options.txt pyproject.toml LICENSE "$work/source"
cp docs/python.md "$work/source/docs"
cp scripts/packaging/version.sh "$work/source/scripts/packaging"
cd "$work" || exit
unset HARTSCOPE_LIBRARY PYTHONPATH
quiet "a wheel is built" "$PYTHON" -m pip wheel --no-index --no-deps --no-build-isolation \
	--no-cache-dir --config-settings setup-args=-Doptimization=0 --wheel-dir wheels ./source
wheel=$(echo wheels/*.whl)
version=$("$HARTSCOPE" --version | sed -nE '1s/[^0-9]*([0-9.]+).*/\1/p')
check "its name has the version" "hartscope-$version" "$(basename "$wheel" | cut -d- -f1,2)"
check "it has the module and the library, and nothing else" \
	"hartscope hartscope-$version.dist-info" \
	"$("$PYTHON" -m zipfile -l "$wheel" | sed -nE '1!s|/.*||p' | sort -u | paste -sd ' ')"

quiet "an environment is made" "$PYTHON" -m venv --without-pip --system-site-packages environment
quiet "it is installed there" "$PYTHON" -m pip --python environment/bin/python install --no-index \
	--no-deps --no-cache-dir "$wheel"
quiet "a program is built" riscv64-linux-gnu-gcc -g -O1 -static \
	"$HARTSCOPE_SOURCE/tests/programs/report.c" -o app
quiet "a program is recorded" "$HARTSCOPE" record -q -o app.rec -- ./app
quiet "its trace is made" "$HARTSCOPE" encode -q --protocol etrace -o app.et app.rec
environment/bin/python - >out 2>&1 <<'END'
import pathlib

import hartscope

print(pathlib.Path(hartscope.__file__).parts[-5:-4])
folder = pathlib.Path(hartscope.__file__).resolve().parent
maps = {pathlib.Path(m.split()[-1]) for m in open("/proc/self/maps") if "libhartscope" in m}
print([m.parent == folder for m in maps])
with hartscope.open("app.rec") as run, hartscope.open("app.et") as trace:
    print(run.compare(trace).equal, trace.damage, trace.functions() == run.functions() != [])
END
check "its module decodes a trace with the library in the wheel" \
	"('lib',) [True] True [] True" "$(paste -sd ' ' out)"
exit $status
