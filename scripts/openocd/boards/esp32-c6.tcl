# ESP32-C6: the trace encoder of its core (esp32.tcl).  H2 and H21 have the same registers.
source [file join [file dirname [info script]] esp32.tcl]
set esp32_base 0x600c0000
set esp32_layout esp32-c6.layout
