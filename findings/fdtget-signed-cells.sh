#!/bin/bash
# fdtget of dtc 1.6.1: what it prints for cells of a device tree.
#
# Expected: a cell is an unsigned number of 32 bits (Devicetree Specification 0.4, 2.2.4: u32), and how
#           a property is printed depends on its size or its name, not on its value.
# Seen:     without -t a cell is printed as a signed number: memory at 0x80000000, where RISC-V
#           boards have it, is at -2147483648.  Cells whose bytes happen to be printable text that
#           ends in 0 are printed as text: of two selectors of events, 0x41424344 is a number and
#           0x41424300 is "ABC".  With "-t x" both are hexadecimal.  "dtc -O dts" writes the same
#           text into the source that it makes, but cells in it are unsigned.
# Exit status 0: as seen; 1: it changed.
set -eu
packages='device-tree-compiler=1.6.1-4+b1 libfdt1=1.6.1-4+b1 libyaml-0-2=0.2.5-1'
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >/dev/null 2>&1
for package in *.deb; do
	dpkg-deb -x "$package" root
	dpkg-deb -f "$package" Package Version | xargs
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu PATH=$work/root/usr/bin:$PATH
cat >tree.dts <<'END'
/dts-v1/;
/ {
	#address-cells = <1>;
	#size-cells = <1>;
	memory@80000000 { device_type = "memory"; reg = <0x80000000 0x8000000>; };
	pmu {
		compatible = "riscv,pmu";
		number = <0x41424344>;
		text = <0x41424300>;
	};
};
END
dtc -q -O dtb -o tree.dtb tree.dts
{
	echo "memory:    $(fdtget tree.dtb /memory@80000000 reg)"
	echo "number:    $(fdtget tree.dtb /pmu number)"
	echo "text:      $(fdtget tree.dtb /pmu text)"
	echo "text, -tx: $(fdtget -t x tree.dtb /pmu text)"
	dtc -q -I dtb -O dts tree.dtb | sed -nE 's/^\t+((reg|text) = .*)/dtc: \1/p'
} | tee said
[ "$(cat said)" = 'memory:    -2147483648 134217728
number:    1094861636
text:      ABC
text, -tx: 41424300
dtc: reg = <0x80000000 0x8000000>;
dtc: text = "ABC";' ] || { echo 'it changed'; exit 1; }
