# The trace encoder of an ESP32 at $esp32_model, with a memory of words, for scripts/openocd/boards.
# It sends the file $env(ESP32_PACKETS) when it is switched on, into a ring.
array set words {}

proc hartscope_read {address} {
	set address [expr {$address + 0}]
	return [expr {[info exists ::words($address)] ? $::words($address) : 0}]
}

proc hartscope_read_words {address count} {
	set all {}
	for {set i 0} {$i < $count} {incr i} {
		lappend all [hartscope_read [expr {$address + 4 * $i}]]
	}
	return $all
}

proc hartscope_write {address value} {
	set offset [expr {$address - $::esp32_model}]
	set ::words([expr {$address + 0}]) [expr {$value + 0}]
	if {$offset == 0x0c && ($value & 1)} {
		set ::words([expr {$::esp32_model + 8}]) [hartscope_read $::esp32_model]
	} elseif {$offset == 0x20 && ($value & 1)} {
		esp32_send
	}
	set ::words([expr {$::esp32_model + 0x10}]) 1
}

proc esp32_send {} {
	set file [open $::env(ESP32_PACKETS) rb]
	set bytes [read $file]
	close $file
	set at [hartscope_read [expr {$::esp32_model + 8}]]
	for {set i 0} {$i < [string bytelength $bytes]} {incr i} {
		scan [string byterange $bytes $i $i] %c byte
		set word [expr {$at & ~3}]
		set shift [expr {8 * ($at & 3)}]
		set others [expr {[hartscope_read $word] & ~(0xff << $shift)}]
		set ::words($word) [expr {$others | $byte << $shift}]
		incr at
		if {$at == [hartscope_read [expr {$::esp32_model + 4}]]} {
			set at [hartscope_read $::esp32_model]
		}
	}
	set ::words([expr {$::esp32_model + 8}]) $at
}
