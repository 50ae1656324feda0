# ESP32-P4: the trace encoders of its two cores, at 0x3ff04000 and 0x3ff05000 (esp32.tcl).  The
# second one: set esp32_base 0x3ff05000 after this file.  CONFIG stays 0: addresses are differences.
source [file join [file dirname [info script]] esp32.tcl]
set esp32_base 0x3ff04000
set esp32_clock 0x44
set esp32_config 0x24
set esp32_layout esp32-p4.layout
