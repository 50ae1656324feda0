#!/bin/bash
# The binary interface of the frozen tier is the one that is stored in abi/, so that a change of it
# is a decision (make abi); and the comparison finds what is broken on purpose, and says what it was.
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
for tool in abidw abidiff xz; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool (package abigail-tools)"; exit \
		77; }
done
[ "$(uname -m)" = x86_64 ] || { echo '1..0 # SKIP the stored description is of x86_64'; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
status=0

. tests/conformance/verdict.sh

scripts/checks/abi.sh dump . "$work/now.abi" >"$work/log" 2>&1
verdict 'the library is described' $? "$work/log"
if [ -e abi/libhartscope.abi.xz ]; then
	scripts/checks/abi.sh compare abi/libhartscope.abi.xz "$work/now.abi" >"$work/log" 2>&1
	verdict 'the interface is the stored one (else make abi)' $? "$work/log"
	! xz -dc abi/libhartscope.abi.xz | grep -q "='/\|$HOME/"
	verdict 'the stored description has no paths of a machine' $?
else
	echo 'not ok - abi/libhartscope.abi.xz is missing'
	status=1
fi

# Three breaks: a member before others, an enumerator with another number, a function that is gone;
# of a few rooms, which takes seconds.
mkdir -p "$work/tree/src"
cp -r include "$work/tree"
cp -r src/{core,ingress,hartscope.map} "$work/tree/src"
scripts/checks/abi.sh dump "$work/tree" "$work/few.abi" >"$work/log" 2>&1
verdict 'a library of few rooms is described' $? "$work/log"
sed -i 's/^struct hs_insn {$/&\n\tuint64_t seeded;/' "$work/tree/include/hartscope/image.h"
sed -i 's/^HS_STATUS(END, *3,/HS_STATUS(END, 33,/' "$work/tree/include/hartscope/tables/status.def"
sed -i '/^const char \*hs_version_string/,$d' "$work/tree/src/core/version.c"
scripts/checks/abi.sh dump "$work/tree" "$work/seeded.abi" >"$work/log" 2>&1
verdict 'the seeded library is described' $? "$work/log"
xz -k "$work/few.abi" "$work/seeded.abi"
scripts/checks/abi.sh compare "$work/few.abi.xz" "$work/seeded.abi.xz" >"$work/report" 2>&1
[ $? -eq 1 ]
verdict 'seeded: the comparison fails' $? "$work/report"
grep -q "\[D\] .*hs_version_string" "$work/report"
verdict 'seeded: it names the function that is gone' $? "$work/report"
grep -q "seeded" "$work/report" && grep -q "struct hs_insn'" "$work/report"
verdict 'seeded: it names the member that was inserted, and its struct' $? "$work/report"
grep -q "HS_END.*from value '3' to '33'" "$work/report"
verdict 'seeded: it names the enumerator, and both numbers' $? "$work/report"
exit $status
