#!/bin/bash
# Verilator 5.006 (Debian 12): $error and assert of SystemVerilog.
#
# Expected: $error reports, and the simulation goes on (IEEE 1800-2017, 20.10: of the severity tasks
#           only $fatal ends it); an assertion that fails takes its else branch.
# Seen:     $error stops the simulation as $stop does, and that ends the process with SIGABRT:
#           nothing after it runs, and a coverage file or a wave that main() would close is lost.  An
#           assert is compiled away without a word, unless --assert is given.  Icarus Verilog 11
#           reports $error and goes on.
#
# Needs g++, make and perl; packages of Verilator go to a temporary folder.
# Exit status 0: as seen; 1: it changed.
set -eu
package=verilator=5.006-3
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q "$package" >/dev/null 2>&1
dpkg-deb -x *.deb root
dpkg-deb -f *.deb Package Version
cat >error.sv <<'END'
module top;
	int n = 1;
	initial begin
		assert (n == 2) else $display("assertion failed");
		if ($test$plusargs("error"))
			$error("reported");
		$display("after it");
		$finish;
	end
endmodule
END
export VERILATOR_ROOT=$work/root/usr/share/verilator VERILATOR_BIN=../../bin/verilator_bin
for option in --no-assert --assert; do
	OBJCACHE='' root/usr/bin/verilator --binary -Wno-fatal -CFLAGS -O0 $option --Mdir "obj$option" \
		--top-module top error.sv >log 2>&1 || { cat log; exit 1; }
done
# run NAME COMMAND...: what it prints, without where, and its exit status
run()
{
	local name=$1 status=0

	shift
	"$@" >out 2>&1 || status=$?
	echo "$name: $(sed -n 's/.*\(assertion failed\|reported\|after it\).*/\1/p' out | paste -sd ,)" \
		"status $status"
}
{
	run 'no $error' obj--no-assert/Vtop
	run '$error' obj--no-assert/Vtop +error
	run 'with --assert' obj--assert/Vtop
} 2>/dev/null | tee said
[ "$(cat said)" = 'no $error: after it status 0
$error: reported status 134
with --assert: assertion failed,after it status 0' ] || { echo 'it changed'; exit 1; }
