# The trace encoders of ESP32 chips with RISC-V cores, by their registers; after hartscope.tcl.
#
#   esp32_trace chip c6                     # of several cores: esp32_trace chip p4 1
#   esp32_trace setup 0x40840000 0x4000     # memory that no program uses
#   esp32_trace start
#   resume; sleep 100; halt
#   esp32_trace dump capture                # capture.trace, and the command that lists it
#
# After the memory, setup takes -full (full addresses), -implicit MTVEC (traps without the address
# of their handler) and -notify ADDRESS (a packet whenever this instruction retires), where the chip
# has the registers.
#
# The vendor's component esp_riscv_trace does the same from inside a program: what
# esp_riscv_trace_get_buffer() gives are the bytes of capture.trace and, as head_offset, --wrap.

# Encoders of the cores; does it have CONFIG and filters?  Without them RESYNC and the clock gate
# are where those are.  CONFIG is 0 after reset and in the driver: addresses are differences.
set esp32_chips {
	c5  {0x600c0000 1}
	c6  {0x600c0000 0}
	c61 {0x600c0000 1}
	h2  {0x600c0000 0}
	h21 {0x600c0000 0}
	h4  {{0x60000000 0x60001000} 1}
	p4  {{0x3ff04000 0x3ff05000} 1}
	s31 {{0x2d000000 0x2d001000} 1}
}
set esp32_base 0
set esp32_has_config 0
set esp32_memory {0 0} ;# start and bytes
set esp32_words ""     ;# of the command that lists it

set esp32_offsets {start 0x00 end 0x04 current 0x08 update 0x0c fifo 0x10 raw 0x18 clear 0x1c
	trigger 0x20 config 0x24 filter 0x28 comparators 0x30 primary 0x34}

proc esp32_chip {name {core 0}} {
	if {![dict exists $::esp32_chips $name]} {
		error "no chip '$name'; there are [dict keys $::esp32_chips]"
	}
	lassign [dict get $::esp32_chips $name] bases ::esp32_has_config
	if {$core >= [llength $bases]} {
		error "the chip has [llength $bases] encoders"
	}
	set ::esp32_base [expr {[lindex $bases $core] + 0}]
	dict set ::esp32_offsets resync [expr {$::esp32_has_config ? 0x3c : 0x24}]
	dict set ::esp32_offsets clock [expr {$::esp32_has_config ? 0x44 : 0x28}]
}

proc esp32_at {name} {
	return [expr {$::esp32_base + [dict get $::esp32_offsets $name]}]
}

proc esp32_get {name} {
	return [expr {[hartscope_read [esp32_at $name]] & 0xffffffff}]
}

proc esp32_put {name value} {
	hartscope_write [esp32_at $name] $value
}

# TRIGGER: 1 on, 2 off, 4 ring, 8 restart after a loss.  A restart would undo the stop.
proc esp32_stop {} {
	esp32_put trigger 4
	esp32_put trigger 6
	for {set i 0} {$i <= $::hs_timeout} {incr i} {
		if {[esp32_get fifo] & 1} {
			return
		}
		hs_wait_1ms
	}
	hs_say "warning: the FIFO of the encoder does not get empty: the end of the trace is lost"
}

# What differs from a driver that was left as it is.
proc esp32_set_options {options} {
	set config 0
	if {[llength $options] && !$::esp32_has_config} {
		error "this chip has neither CONFIG nor filters"
	}
	for {set i 0} {$i < [llength $options]} {incr i} {
		switch -- [lindex $options $i] {
		-full {
			set config [expr {$config | 0x10}]
			append ::esp32_words "--set full-address=true "
		}
		-implicit {
			set config [expr {$config | 0x20}]
			append ::esp32_words "--set implicit-except=true\
				--set mtvec=[lindex $options [incr i]] "
		}
		-notify { ;# a filter without conditions: all is traced
			esp32_put filter 1
			esp32_put comparators 0x20
			esp32_put primary [lindex $options [incr i]]
		}
		default { error "setup has -full, -implicit MTVEC and -notify ADDRESS" }
		}
	}
	if {$::esp32_has_config} {
		esp32_put config $config
	}
}

# The memory is zeroed: zeros are no packet, so that what was not written is seen.  A ring is read
# from a synchronisation on, and chips with CONFIG send none after reset: one each 1,024 packets, or
# cycles, since manuals have the two modes either way.
proc esp32_setup {start bytes args} {
	if {!$::esp32_base} {
		error "which chip?  esp32_trace chip NAME"
	}
	esp32_put clock 1
	esp32_stop
	esp32_put start $start
	esp32_put end [expr {$start + $bytes}]
	if {[esp32_get start] != $start || [esp32_get end] != $start + $bytes} {
		error "the encoder at [hs_hex $::esp32_base] does not take [hs_hex $start]: it has\
			no clock, or this is no encoder"
	}
	set ::esp32_words ""
	esp32_set_options $args
	if {$::esp32_has_config} {
		esp32_put resync 0x02000400
	}
	for {set at $start} {$at < $start + $bytes} {incr at 4} {
		hartscope_write $at 0
	}
	set ::esp32_memory [list [expr {$start + 0}] [expr {$bytes + 0}]]
}

proc esp32_start {} {
	esp32_put update 1
	esp32_put clear 3
	esp32_put trigger 13
}

# Was there anything after the head before?  Anchors are 14 zeros: 64 zeros are what setup wrote.
proc esp32_wrapped {start bytes head} {
	for {set at [expr {($head + 3) & ~3}]} {$at < $bytes && $at < $head + 64} {incr at 4} {
		if {[hartscope_read [expr {$start + $at}]]} {
			return 1
		}
	}
	return [expr {$head >= $bytes}]
}

proc esp32_write {path start bytes} {
	set file [open $path wb]
	fconfigure $file -translation binary
	for {set at 0} {$at < $bytes} {incr at 1024} {
		set n [expr {($bytes - $at < 1024 ? $bytes - $at + 3 : 1024) / 4}]
		hs_put_piece $file [hartscope_read_words [expr {$start + $at}] $n]
	}
	close $file
	hs_say "$path: $bytes bytes"
}

proc esp32_dump {prefix} {
	esp32_stop
	lassign $::esp32_memory start bytes
	set head [expr {[esp32_get current] - $start}]
	if {$head < 0 || $head > $bytes} {
		error "the write pointer is not in the memory of `esp32_trace setup`"
	}
	if {[esp32_get raw] & 1} {
		hs_say "note: packets were lost; the listing shows where"
	}
	set wrap ""
	if {[esp32_wrapped $start $bytes $head]} {
		set wrap "--wrap [expr {$head % $bytes}] "
	} else {
		set bytes $head
	}
	esp32_write $prefix.trace $start $bytes
	set layout esp32-[expr {$::esp32_has_config ? "p4" : "c6"}].layout
	hs_say "hartscope list --protocol etrace --config $layout $::esp32_words${wrap}--elf\
		app.elf $prefix.trace"
}

proc esp32_trace {command args} {
	return [esp32_$command {*}$args]
}
