# The memory of tests/board/serve.c, for jimsh (hartscope_read, hartscope_write) and, in an OpenOCD
# without an adapter, as the commands read_memory and write_memory of its targets.
set board [socket unix $env(BOARD_SOCKET)]

proc board_ask {line} {
	$::board puts $line
	$::board flush
	return [$::board gets]
}

proc board_access {line} {
	set answer [board_ask $line]
	if {$answer eq "error"} {
		error "bus error"
	}
	return $answer
}

if {[llength [info commands adapter]]} {
	proc read_memory {address width count {phys ""}} {
		if {$width != 32} {
			error "the board has 32-bit accesses"
		}
		set words {}
		for {set i 0} {$i < $count} {incr i} {
			lappend words [board_access "r [expr {$address + 4 * $i}]"]
		}
		return $words
	}
	proc write_memory {address width values {phys ""}} {
		foreach value $values {
			board_access "w $address $value"
			incr address 4
		}
	}
} else {
	proc hartscope_read {address} {
		return [board_access "r $address"]
	}
	proc hartscope_write {address value} {
		board_access "w $address $value"
	}
}

# OpenOCD's commands for a hart: it executes all of its program.
proc resume {} {
	board_ask run
}
proc halt {} {
}
proc sleep {milliseconds} {
}

source $env(HARTSCOPE_SOURCE)/scripts/openocd/hartscope.tcl
