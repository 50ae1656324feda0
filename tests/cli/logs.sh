#!/bin/sh
# Logs of other tools: the examples of docs/import.md, there and back in both protocols; what is
# refused, and how.
. "$(dirname "$0")/lib.sh"
page=${HARTSCOPE_SOURCE:?the source tree}/docs/import.md
printf '\011\105\175\025\175\375\163\000\000\000' >app.bin
"$HARTSCOPE_SOURCE/tests/cli/examples.py" "$page" "$HARTSCOPE" || failed=1

names=
for rec in *.rec; do
	for p in ntrace etrace; do
		"$HARTSCOPE" encode -q --protocol $p -o trace "$rec" &&
			"$HARTSCOPE" decode -q --image "$rec" -o flow trace
		exits "$rec through $p" 0 "$HARTSCOPE" check "$rec" flow
		rm -rf flow trace trace.json
	done
done
for log in *.log *.dasm *.csv *.txt; do
	names="$names $("$HARTSCOPE" import --json --bin app.bin@0x80000000 -o json.rec "$log" |
		sed -n 's/.*"format": "\(.*\)".*/\1/p')"
done
for name in $(sed -n 's/^HS_LOG_FORMAT([A-Z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' \
	"$HARTSCOPE_SOURCE/src/ingress/log_formats.def"); do
	case " $names " in
	*" $name "*) ok "an example of $name" ;;
	*) bad "an example of $name" ;;
	esac
	"$HARTSCOPE" import --help >out
	has "--help has $name" "^  $name " out
done

exits "a log of another format" 3 "$HARTSCOPE" import --from spike -o no.rec qemu.log
has "its name" 'qemu.log has no lines of spike; it is a log of qemu: --from qemu' err
exits "no such format" 2 "$HARTSCOPE" import --from spik -o no.rec qemu.log
: >empty
exits "an empty file" 3 "$HARTSCOPE" import -o no.rec empty
has "says so" 'empty is empty' err
exits "a program" 3 "$HARTSCOPE" import -o no.rec "$HARTSCOPE"
has "is an ELF file" 'is an ELF file' err
printf 'some words\n' >words
exits "words" 3 "$HARTSCOPE" import -o no.rec words
has "have no format" 'no lines of a format that is known' err
exits "gem5 without a program" 3 "$HARTSCOPE" import -o no.rec gem5.log
has "asks for it" '--elf' err
printf '80000000\n80000002\n80000004\n80000002\n80000004\n80000006\n' >pcs
exits "PCs are recognised" 0 "$HARTSCOPE" import -o pcs.rec --bin app.bin@0x80000000 pcs
exits "PCs without a program" 2 "$HARTSCOPE" import -o no.rec pcs
"$HARTSCOPE" import --json -o json.rec spike.log >out
json "the summary" out
exits "from a pipe" 0 sh -c "\"$HARTSCOPE\" import -q -o pipe.rec - <spike.log"
exits "the same" 0 "$HARTSCOPE" check spike.rec pipe.rec

# A damaged line in the middle and one that is cut: all else is there.
sed -e '8s/0x4509/0x45?9/' -e '8,9s/(0x157d)/(0x15?d)/' spike.log | head -c -60 >damaged.log
exits "damaged lines" 3 "$HARTSCOPE" import -o damaged.rec damaged.log
has "the first, by line and column" 'damaged.log: line 8, column 35: expected "[)]", not "?d)"' err
has "the last one, which is cut" 'damaged.log: line 19 ends at column' err
has "gaps are counted" '^gaps  *[1-9]' out
is "what was before is there" "$("$HARTSCOPE" list --format pc spike.rec | head -3)" \
	"$("$HARTSCOPE" list --format pc damaged.rec | head -3)"
"$HARTSCOPE" encode -q --protocol ntrace -o damaged.nt damaged.rec
is "and can be encoded" "$("$HARTSCOPE" list --format pc damaged.rec)" \
	"$("$HARTSCOPE" list --format pc --image damaged.rec damaged.nt)"

# A line that begins like the log's and is in no form that is known; the program's own; a byte order
# mark, prompts, UTF-16.
sed '9i core   0: is up' spike.log >own.log
exits "a line in no form that is known" 3 "$HARTSCOPE" import -o own.rec own.log
has "its number, its text, the way out" \
	'own.log: line 9, column 1: "core   0: is up" begins.*--skip-unknown' err
has "a gap" '^gaps  *1' out
exits "the program's own line" 0 "$HARTSCOPE" import --skip-unknown --force -o own.rec own.log
exits "changes nothing" 0 "$HARTSCOPE" check spike.rec own.rec
sed '1s/^/\xef\xbb\xbf/; s/$/\r/; 9s/^/> /' spike.log >marked.log
exits "a byte order mark, a prompt, CR LF" 0 "$HARTSCOPE" import -o marked.rec marked.log
exits "hide nothing" 0 "$HARTSCOPE" check spike.rec marked.rec
iconv -f UTF-8 -t UTF-16 spike.log >wide.log
exits "text in UTF-16" 3 "$HARTSCOPE" import -o no.rec wide.log
has "says how to convert it" 'iconv -f UTF-16 -t UTF-8' err
sed '1s/^/\xef\xbb\xbf/' pcs >marked.pcs
exits "PCs after a byte order mark" 0 \
	"$HARTSCOPE" import -o marked-pcs.rec --bin app.bin@0x80000000 marked.pcs
exits "are the same" 0 "$HARTSCOPE" check pcs.rec marked-pcs.rec
printf 'core   0: 0x0000000080000000 (0x0000a001) j\ncore   0: Executed 100000 times\n' >times.log
exits "executions that are counted" 0 "$HARTSCOPE" import -o times.rec times.log
has "are there" '^instructions  *100,000$' out

# Two harts, in one log; and code that changes.
sed -n 's/core   0: 3 \(.*(0x[14].*\)/core   1: 3 \1/p' spike.log | cat spike.log - >harts.log
"$HARTSCOPE" import -q -o harts.rec harts.log
is "two harts" 2 "$("$HARTSCOPE" info --json harts.rec | sed -n 's/.*"harts": \([0-9]*\).*/\1/p')"
printf '%s\n' 'core   0: 3 0x0000000080000000 (0x4509)' 'core   0: 3 0x0000000080000002 (0xbffd)' \
	'core   0: 3 0x0000000080000000 (0x4501)' 'core   0: 3 0x0000000080000002 (0xbffd)' \
	'core   0: 3 0x0000000080000000 (0x4501)' >changes.log
exits "code that changes" 0 "$HARTSCOPE" import -o changes.rec changes.log
has "is counted" '^code changes  *1' out
is "is listed as it ran" '4509 bffd 4501 bffd 4501' "$("$HARTSCOPE" list changes.rec |
	sed -n 's/^ *0x8000000[02]  \([0-9a-f]*\) .*/\1/p' | tr '\n' ' ' | sed 's/ $//')"
for p in ntrace etrace; do
	"$HARTSCOPE" encode -q --protocol $p -o changes.$p changes.rec
	exits "and decoded from $p" 0 "$HARTSCOPE" check --image changes.rec changes.rec changes.$p
done
# A file for each hart: its number.
for f in hart.csv hart.rvfi; do
	cat >hart.csv <<-EOS
		itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0
		0,0,0,3,1000,0,0,1,0
	EOS
	printf 'order,insn,pc_rdata,pc_wdata\n0,00004509,1000,1002\n1,00004509,1002,1004\n' >hart.rvfi
	loop_bin
	exits "$f: of hart 5" 0 "$HARTSCOPE" import --hart 5 --bin loop.bin@0x1000 -o five.rec $f
	exits "$f: hart 5 is there" 0 "$HARTSCOPE" list --hart 5 --format pc five.rec
	is "$f: its first address" 1000 "$(head -n 1 out)"
	rm -r five.rec
done
finish
