# SpacemiT K3: 16 harts in clusters of four; each has an encoder and an ATB bridge, each cluster a
# funnel after them.  After hartscope.tcl; then for example
#
#   hartscope setup ntrace -atb 1 -set {trTeContext 1}       # IDs 1, 2, ... of the bridges
#
# The CoreSight funnel at 0xd9042000, ETF and ETR after them are not set up here: a driver or the
# debugger's CoreSight commands do that, and save the ETR's buffer as capture.bin.  On the host:
#
#   hartscope list --protocol ntrace --config k3.layout --transport tpiu-frames capture.bin
set k3_clusters {0 1 2 3}
set k3_parts {}
foreach offset {0x2000 0x3000} {
	foreach cluster $k3_clusters {
		for {set hart 0} {$hart < 4} {incr hart} {
			lappend k3_parts \
				[expr {0xd9000000 + 0x10000 * $cluster + $offset + 0x2000 * $hart}]
		}
	}
}
foreach cluster $k3_clusters {
	lappend k3_parts [expr {0xd9000000 + 0x10000 * $cluster}]
}
hartscope find -order {encoder atb funnel} {*}$k3_parts
