#!/bin/bash
# The Python module under pytest, as its package in the build folder.
set -u
. "$HARTSCOPE_SOURCE/tests/need.sh"
need riscv64-linux-gnu-gcc qemu-riscv64
for module in numpy pytest; do
	"$PYTHON" -c "import $module" 2>/dev/null && continue
	echo "ok - Python module # SKIP no python3-$module"
	exit 77
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HARTSCOPE_LIBRARY=$HARTSCOPE_BUILD/libhartscope.so.0 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$HARTSCOPE_BUILD/python
"$PYTHON" -m pytest -q -p no:cacheprovider --basetemp="$work/tmp" -rA --tb=short \
	${HARTSCOPE_ONLY:+-k "${HARTSCOPE_ONLY//\*/}"} \
	"$HARTSCOPE_SOURCE/tests/languages/test_python.py" >"$work/out" 2>&1
status=$?
sed -nE 's/^PASSED .*::(.*)/ok - \1/p; s/^(FAILED|ERROR) .*::(.*)/not ok - \2/p' "$work/out"
[ $status -eq 0 ] || sed 's/^/  /' "$work/out"
exit $status
