# The trace encoder of an ESP32 with RISC-V cores, by its registers.  esp32-c6.tcl and esp32-p4.tcl
# read this file after hartscope.tcl and say where the encoder is.
#
#   esp32_trace setup 0x40840000 0x4000     # memory that no program uses
#   esp32_trace start
#   resume; sleep 100; halt
#   esp32_trace dump capture                # capture.trace, and the command that lists it
#
# The vendor's component esp_riscv_trace does the same from inside a program: what
# esp_riscv_trace_get_buffer() gives are the bytes of capture.trace and, as head_offset, --wrap.

set esp32_base 0        ;# of the encoder
set esp32_clock 0x28    ;# offset of its clock gate; that of RESYNC is 0x24 without CONFIG
set esp32_config 0      ;# offset of CONFIG; 0: the chip has none
set esp32_layout ""
set esp32_memory {0 0}  ;# start and bytes

# START, END, CURRENT, UPDATE, FIFO_STATUS, INTR_RAW, INTR_CLR, TRIGGER
set esp32_offsets {start 0x00 end 0x04 current 0x08 update 0x0c fifo 0x10 raw 0x18 clear 0x1c
	trigger 0x20}

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

# The memory is zeroed: zeros are no packet, so that what was not written is seen.
proc esp32_setup {start bytes} {
	hartscope_write [expr {$::esp32_base + $::esp32_clock}] 1
	esp32_stop
	esp32_put start $start
	esp32_put end [expr {$start + $bytes}]
	if {[esp32_get start] != $start || [esp32_get end] != $start + $bytes} {
		error "the encoder at [hs_hex $::esp32_base] does not take [hs_hex $start]: it has\
			no clock, or this is no encoder"
	}
	if {$::esp32_config} {
		hartscope_write [expr {$::esp32_base + $::esp32_config}] 0
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
	hs_say "hartscope list --protocol etrace --config $::esp32_layout ${wrap}--elf app.elf\
		$prefix.trace"
}

proc esp32_trace {command args} {
	return [esp32_$command {*}$args]
}
