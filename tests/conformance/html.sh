#!/bin/bash
# The page of report --html in headless Chromium: loaded, searched, clicked, zoomed, by mouse and by
# keys; its numbers are those of report; names and source are text whatever they contain.
needs='python3 chromium riscv64-linux-gnu-objcopy'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
check=$HARTSCOPE_SOURCE/tests/conformance/html.py

# One function is called <script>, and a line that runs has the end of a script in it.
sed 's|/\* one time in four \*/|/* </script><!-- "one" in four */|' "$programs/report.c" >report.c
evil='<script>window.bad=1</script>'
$gcc -g -O1 -fno-optimize-sibling-calls -static report.c -o plain 2>out &&
	riscv64-linux-gnu-objcopy --redefine-sym "is_odd=$evil" plain report &&
	"$HARTSCOPE" record -q -o report.rec -- ./report >out 2>&1
report "a program was recorded" $? out
"$HARTSCOPE" report -q --html -o report.html report.rec 2>out &&
	"$HARTSCOPE" report --json --top 100000 report.rec >report.json 2>out
report "a page was written" $? out
! grep -Eq '(src|href)="?(https?:)?//|@import|fetch\(|XMLHttp' report.html
report "it asks for nothing from elsewhere" $? report.html
"$HARTSCOPE" report --html report.rec >out 2>&1
[ $? -eq 2 ] && grep -q -e '--html and -o FILE belong together' out
report "--html without -o" $? out
"$HARTSCOPE" encode -q --protocol ntrace --set trTsEnable=1 --set trTeInstSyncMode=bytes \
	--set trTeInstSyncMax=1 -o report.nt report.rec && head -c 4000 report.nt >cut.nt &&
	dd if=/dev/zero of=cut.nt bs=1 seek=2400 count=60 conv=notrunc 2>/dev/null
"$HARTSCOPE" report -q --html -o cut.html --set trTsEnable=1 --elf report cut.nt >out 2>&1
[ $? -eq 3 ]
report "of a damaged trace, too" $? out
cycles='--cycles-per load=3 --cycles-per taken=7'
# shellcheck disable=SC2086
"$HARTSCOPE" report -q --html -o timed.html $cycles report.rec 2>out &&
	"$HARTSCOPE" calls -q --json $cycles report.rec >timed.json 2>out
report "with times" $? out
timeout 100 python3 "$check" report.html report.json cut.html timed.html timed.json report.rec \
	>out 2>&1
good=$?
sed -n '/^not ok/p' out
report "$(grep -c '^ok' out) things in the browser" $good out
# Two runs in one page.
$gcc -g -static -nostdlib "$HARTSCOPE_SOURCE/tests/cli/diff.S" -o rounds 2>out &&
	"$HARTSCOPE" record -q -o two.rec -- ./rounds x && "$HARTSCOPE" record -q -o three.rec \
	-- ./rounds x y && "$HARTSCOPE" diff -q --html -o more.html two.rec three.rec 2>>out &&
	"$HARTSCOPE" diff -q --html -o less.html three.rec two.rec 2>>out
report "diff --html: pages were written" $? out
timeout 60 python3 "$HARTSCOPE_SOURCE/tests/conformance/diff_page.py" more.html less.html >out 2>&1
good=$?
sed -n '/^not ok/p' out
report "diff --html: $(grep -c '^ok' out) things in the browser" $good out
exit $failed
