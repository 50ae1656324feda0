# RISC-V trace through a debugger: find the trace components, set them up, start, stop, and dump to
# files that `hartscope decode` takes.  docs/boards.md explains how to use it.
#
#   source hartscope.tcl
#   hartscope find 0x10001000 0x10002000 0x10003000      # encoder, funnel, RAM sink
#   hartscope setup ntrace -smem 0x90000000 0x10000
#   hartscope start
#   resume; sleep 100; halt                              # the program runs
#   hartscope dump capture                               # capture.trace, capture.regs
#
# "TCI n" is a chapter of RISC-V Trace Control Interface 1.0, counted from its introduction.  The
# script needs Jim Tcl, as OpenOCD has it, and nothing of OpenOCD but access to memory: another host
# defines hartscope_read and hartscope_write before it sources this file.

# ---- registers and fields, by scripts/docs/trace-registers.py ------------------------------------
# {UNIT REGISTER} {OFFSET INSTANCES}; instances are 0x20 bytes apart, # is their number.
set hs_registers {
	{encoder trTeControl} {0x000 1}
	{encoder trTeImpl} {0x004 1}
	{encoder trTeInstFeatures} {0x008 1}
	{encoder trTeInstFilters} {0x00c 1}
	{encoder trTeDataControl} {0x010 1}
	{encoder trTeDataFilters} {0x01c 1}
	{ts trTsControl} {0x040 1}
	{ts trTsCounterLow} {0x048 1}
	{ts trTsCounterHigh} {0x04c 1}
	{encoder trTeTrigDbgControl} {0x050 1}
	{encoder trTeTrigExtInControl} {0x054 1}
	{encoder trTeTrigExtOutControl} {0x058 1}
	{encoder trTeFilter#Control} {0x400 16}
	{encoder trTeFilter#MatchInst} {0x404 16}
	{encoder trTeFilter#MatchEcauseLow} {0x408 16}
	{encoder trTeFilter#MatchEcauseHigh} {0x40c 16}
	{encoder trTeFilter#MatchValueImpdef} {0x410 16}
	{encoder trTeFilter#MatchMaskImpdef} {0x414 16}
	{encoder trTeFilter#MatchData} {0x418 16}
	{encoder trTeComp#Control} {0x600 8}
	{encoder trTeComp#PMatchLow} {0x610 8}
	{encoder trTeComp#PMatchHigh} {0x614 8}
	{encoder trTeComp#SMatchLow} {0x618 8}
	{encoder trTeComp#SMatchHigh} {0x61c 8}
	{ram trRamControl} {0x000 1}
	{ram trRamImpl} {0x004 1}
	{ram trRamStartLow} {0x010 1}
	{ram trRamStartHigh} {0x014 1}
	{ram trRamLimitLow} {0x018 1}
	{ram trRamLimitHigh} {0x01c 1}
	{ram trRamWPLow} {0x020 1}
	{ram trRamWPHigh} {0x024 1}
	{ram trRamRPLow} {0x028 1}
	{ram trRamRPHigh} {0x02c 1}
	{ram trRamData} {0x040 1}
	{funnel trFunnelControl} {0x000 1}
	{funnel trFunnelImpl} {0x004 1}
	{funnel trFunnelDisInput} {0x008 1}
	{pib trPibControl} {0x000 1}
	{pib trPibImpl} {0x004 1}
	{atb trAtbBridgeControl} {0x000 1}
	{atb trAtbBridgeImpl} {0x004 1}
	{encoder0 teControl} {0x000 1}
	{encoder0 teImpl} {0x004 1}
	{sifive teSinkBase} {0x010 1}
	{sifive teSinkBaseHigh} {0x014 1}
	{sifive teSinkLimit} {0x018 1}
	{sifive teSinkWP} {0x01c 1}
	{sifive tsControl} {0x040 1}
	{sifive tsLower} {0x044 1}
	{sifive tsUpper} {0x048 1}
	{encoder0 xtiControl} {0x050 1}
	{encoder0 xtoControl} {0x054 1}
	{encoder0 wpControl} {0x058 1}
	{encoder0 itcTraceEnable} {0x060 1}
	{encoder0 itcTrigEnable} {0x064 1}
	{funnel0 tfControl} {0x000 1}
	{funnel0 tfImpl} {0x004 1}
}
# FIELD {REGISTER MSB LSB}; of registers with instances, of the first.
set hs_fields {
	trTeActive {trTeControl 0 0}
	trTeEnable {trTeControl 1 1}
	trTeInstTracing {trTeControl 2 2}
	trTeEmpty {trTeControl 3 3}
	trTeInstMode {trTeControl 6 4}
	trTeContext {trTeControl 9 9}
	trTeInstTrigEnable {trTeControl 11 11}
	trTeInstStallOrOverflow {trTeControl 12 12}
	trTeInstStallEna {trTeControl 13 13}
	trTeInhibitSrc {trTeControl 15 15}
	trTeInstSyncMode {trTeControl 17 16}
	trTeInstSyncMax {trTeControl 23 20}
	trTeFormat {trTeControl 26 24}
	trTeVerMajor {trTeImpl 3 0}
	trTeVerMinor {trTeImpl 7 4}
	trTeCompType {trTeImpl 11 8}
	trTeProtocolMajor {trTeImpl 19 16}
	trTeProtocolMinor {trTeImpl 23 20}
	trTeInstNoAddrDiff {trTeInstFeatures 0 0}
	trTeInstNoTrapAddr {trTeInstFeatures 1 1}
	trTeInstEnSequentialJump {trTeInstFeatures 2 2}
	trTeInstEnImplicitReturn {trTeInstFeatures 3 3}
	trTeInstEnBranchPrediction {trTeInstFeatures 4 4}
	trTeInstEnJumpTargetCache {trTeInstFeatures 5 5}
	trTeInstImplicitReturnMode {trTeInstFeatures 7 6}
	trTeInstEnRepeatedHistory {trTeInstFeatures 8 8}
	trTeInstEnAllJumps {trTeInstFeatures 9 9}
	trTeInstExtendAddrMSB {trTeInstFeatures 10 10}
	trTeSrcID {trTeInstFeatures 27 16}
	trTeSrcBits {trTeInstFeatures 31 28}
	trTeInstFilters {trTeInstFilters 15 0}
	trTeDataImplemented {trTeDataControl 0 0}
	trTeDataTracing {trTeDataControl 1 1}
	trTeDataTrigEnable {trTeDataControl 2 2}
	trTeDataStallOrOverflow {trTeDataControl 3 3}
	trTeDataStallEna {trTeDataControl 4 4}
	trTeDataDrop {trTeDataControl 5 5}
	trTeDataDropEna {trTeDataControl 6 6}
	trTeDataNoValue {trTeDataControl 16 16}
	trTeDataNoAddr {trTeDataControl 17 17}
	trTeDataAddrCompress {trTeDataControl 19 18}
	trTeDataFilters {trTeDataFilters 15 0}
	trTsActive {trTsControl 0 0}
	trTsCount {trTsControl 1 1}
	trTsReset {trTsControl 2 2}
	trTsRunInDebug {trTsControl 3 3}
	trTsMode {trTsControl 6 4}
	trTsPrescale {trTsControl 9 8}
	trTsEnable {trTsControl 15 15}
	trTsWidth {trTsControl 29 24}
	trTsCounterLow {trTsCounterLow 31 0}
	trTsCounterHigh {trTsCounterHigh 31 0}
	trTeTrigDbgControl {trTeTrigDbgControl 31 0}
	trTeTrigExtInAction0 {trTeTrigExtInControl 3 0}
	trTeTrigExtInAction1 {trTeTrigExtInControl 7 4}
	trTeTrigExtInAction2 {trTeTrigExtInControl 11 8}
	trTeTrigExtInAction3 {trTeTrigExtInControl 15 12}
	trTeTrigExtInAction4 {trTeTrigExtInControl 19 16}
	trTeTrigExtInAction5 {trTeTrigExtInControl 23 20}
	trTeTrigExtInAction6 {trTeTrigExtInControl 27 24}
	trTeTrigExtInAction7 {trTeTrigExtInControl 31 28}
	trTeTrigExtOutEvent0 {trTeTrigExtOutControl 3 0}
	trTeTrigExtOutEvent1 {trTeTrigExtOutControl 7 4}
	trTeTrigExtOutEvent2 {trTeTrigExtOutControl 11 8}
	trTeTrigExtOutEvent3 {trTeTrigExtOutControl 15 12}
	trTeTrigExtOutEvent4 {trTeTrigExtOutControl 19 16}
	trTeTrigExtOutEvent5 {trTeTrigExtOutControl 23 20}
	trTeTrigExtOutEvent6 {trTeTrigExtOutControl 27 24}
	trTeTrigExtOutEvent7 {trTeTrigExtOutControl 31 28}
	trTeFilterEnable {trTeFilter0Control 0 0}
	trTeFilterMatchPrivilege {trTeFilter0Control 1 1}
	trTeFilterMatchEcause {trTeFilter0Control 2 2}
	trTeFilterMatchInterrupt {trTeFilter0Control 3 3}
	trTeFilterMatchComp1 {trTeFilter0Control 4 4}
	trTeFilterComp1 {trTeFilter0Control 7 5}
	trTeFilterMatchComp2 {trTeFilter0Control 8 8}
	trTeFilterComp2 {trTeFilter0Control 11 9}
	trTeFilterMatchComp3 {trTeFilter0Control 12 12}
	trTeFilterComp3 {trTeFilter0Control 15 13}
	trTeFilterMatchImpdef {trTeFilter0Control 16 16}
	trTeFilterMatchDtype {trTeFilter0Control 24 24}
	trTeFilterMatchDsize {trTeFilter0Control 25 25}
	trTeFilterMatchChoicePrivilege {trTeFilter0MatchInst 7 0}
	trTeFilterMatchValueInterrupt {trTeFilter0MatchInst 8 8}
	trTeFilterMatchChoiceEcauseLow {trTeFilter0MatchEcauseLow 31 0}
	trTeFilterMatchChoiceEcauseHigh {trTeFilter0MatchEcauseHigh 31 0}
	trTeFilterMatchValueImpdef {trTeFilter0MatchValueImpdef 31 0}
	trTeFilterMatchMaskImpdef {trTeFilter0MatchMaskImpdef 31 0}
	trTeFilterMatchChoiceDtype {trTeFilter0MatchData 15 0}
	trTeFilterMatchChoiceDsize {trTeFilter0MatchData 23 16}
	trTeCompPInput {trTeComp0Control 1 0}
	trTeCompSInput {trTeComp0Control 3 2}
	trTeCompPFunction {trTeComp0Control 6 4}
	trTeCompSFunction {trTeComp0Control 10 8}
	trTeCompMatchMode {trTeComp0Control 13 12}
	trTeCompPNotify {trTeComp0Control 14 14}
	trTeCompSNotify {trTeComp0Control 15 15}
	trTeCompPMatchLow {trTeComp0PMatchLow 31 0}
	trTeCompPMatchHigh {trTeComp0PMatchHigh 31 0}
	trTeCompSMatchLow {trTeComp0SMatchLow 31 0}
	trTeCompSMatchHigh {trTeComp0SMatchHigh 31 0}
	trRamActive {trRamControl 0 0}
	trRamEnable {trRamControl 1 1}
	trRamEmpty {trRamControl 3 3}
	trRamMode {trRamControl 4 4}
	trRamStopOnWrap {trRamControl 8 8}
	trRamMemFormat {trRamControl 10 9}
	trRamAsyncFreq {trRamControl 14 12}
	trRamVerMajor {trRamImpl 3 0}
	trRamVerMinor {trRamImpl 7 4}
	trRamCompType {trRamImpl 11 8}
	trRamHasSRAM {trRamImpl 12 12}
	trRamHasSMEM {trRamImpl 13 13}
	trRamStartLow {trRamStartLow 31 2}
	trRamStartHigh {trRamStartHigh 31 0}
	trRamLimitLow {trRamLimitLow 31 2}
	trRamLimitHigh {trRamLimitHigh 31 0}
	trRamWrap {trRamWPLow 0 0}
	trRamWPLow {trRamWPLow 31 2}
	trRamWPHigh {trRamWPHigh 31 0}
	trRamRPLow {trRamRPLow 31 2}
	trRamRPHigh {trRamRPHigh 31 0}
	trRamData {trRamData 31 0}
	trFunnelActive {trFunnelControl 0 0}
	trFunnelEnable {trFunnelControl 1 1}
	trFunnelEmpty {trFunnelControl 3 3}
	trFunnelVerMajor {trFunnelImpl 3 0}
	trFunnelVerMinor {trFunnelImpl 7 4}
	trFunnelCompType {trFunnelImpl 11 8}
	trFunnelDisInput {trFunnelDisInput 15 0}
	trPibActive {trPibControl 0 0}
	trPibEnable {trPibControl 1 1}
	trPibEmpty {trPibControl 3 3}
	trPibMode {trPibControl 7 4}
	trPibClkCenter {trPibControl 8 8}
	trPibCalibrate {trPibControl 9 9}
	trPibAsyncFreq {trPibControl 14 12}
	trPibDivider {trPibControl 31 16}
	trPibVerMajor {trPibImpl 3 0}
	trPibVerMinor {trPibImpl 7 4}
	trPibCompType {trPibImpl 11 8}
	trAtbBridgeActive {trAtbBridgeControl 0 0}
	trAtbBridgeEnable {trAtbBridgeControl 1 1}
	trAtbBridgeEmpty {trAtbBridgeControl 3 3}
	trAtbBridgeID {trAtbBridgeControl 14 8}
	trAtbBridgeVerMajor {trAtbBridgeImpl 3 0}
	trAtbBridgeVerMinor {trAtbBridgeImpl 7 4}
	trAtbBridgeCompType {trAtbBridgeImpl 11 8}
	trAtbBridgeAsyncFreq {trAtbBridgeImpl 14 12}
	teActive {teControl 0 0}
	teEnable {teControl 1 1}
	teTracing {teControl 2 2}
	teEmpty {teControl 3 3}
	teInstruction {teControl 6 4}
	teInstrumentation {teControl 8 7}
	teStallOrOverflow {teControl 12 12}
	teStallEnable {teControl 13 13}
	teStopOnWrap {teControl 14 14}
	teInhibitSrc {teControl 15 15}
	teSyncMaxBTM {teControl 19 16}
	teSyncMaxInst {teControl 23 20}
	teSliceFormat {teControl 26 24}
	teSinkError {teControl 27 27}
	teSink {teControl 31 28}
	teVersion {teImpl 3 0}
	teHasSRAMSink {teImpl 4 4}
	teHasATBSink {teImpl 5 5}
	teHasPIBSink {teImpl 6 6}
	teHasSBASink {teImpl 7 7}
	teHasFunnelSink {teImpl 8 8}
	teSinkBytes {teImpl 17 16}
	teCrossingType {teImpl 19 18}
	teSrcID {teImpl 23 20}
	teNSrcBits {teImpl 26 24}
	teHartID {teImpl 31 28}
	teSinkBase {teSinkBase 31 2}
	teSinkBaseHigh {teSinkBaseHigh 31 0}
	teSinkLimit {teSinkLimit 31 2}
	teSinkWrapped {teSinkWP 0 0}
	teSinkWP {teSinkWP 31 2}
	tsActive {tsControl 0 0}
	tsCount {tsControl 1 1}
	tsReset {tsControl 2 2}
	tsType {tsControl 6 4}
	tsPrescale {tsControl 9 8}
	tsEnable {tsControl 15 15}
	tsBranch {tsControl 17 16}
	tsInstrumentation {tsControl 18 18}
	tsOwnership {tsControl 19 19}
	tsWidth {tsControl 31 24}
	tsLower {tsLower 31 0}
	tsUpper {tsUpper 31 0}
	xtiControl {xtiControl 31 0}
	xtoControl {xtoControl 31 0}
	wpControl {wpControl 31 0}
	itcTraceEnable {itcTraceEnable 31 0}
	itcTrigEnable {itcTrigEnable 31 0}
	tfActive {tfControl 0 0}
	tfEnable {tfControl 1 1}
	tfEmpty {tfControl 3 3}
	tfStopOnWrap {tfControl 14 14}
	tfSinkError {tfControl 27 27}
	tfSink {tfControl 31 28}
	tfVersion {tfImpl 3 0}
	tfHasSRAMSink {tfImpl 4 4}
	tfHasATBSink {tfImpl 5 5}
	tfHasPIBSink {tfImpl 6 6}
	tfHasSBASink {tfImpl 7 7}
	tfHasFunnelSink {tfImpl 8 8}
	tfSinkBytes {tfImpl 17 16}
}
# ---- end of what scripts/docs/trace-registers.py writes ------------------------------------------

# What one component has in common with the others, TCI 4.3: prefix of names, type in tr??Impl.
# encoder0 and funnel0 are SiFive's of version 0, which have no type; the sink is the funnel's.
set hs_kinds {
	encoder {trTe 1} funnel {trFunnel 8} ram {trRam 9} pib {trPib 10} atb {trAtbBridge 14}
	encoder0 {te -1} funnel0 {tf -1}
}

# Registers that a reset may leave as they were and that must be 0 (TCI 11.2, "Trace Components
# Reset"), and comparators, which report matches even without a filter.
set hs_cleared {
	encoder {trTeInstFeatures trTeInstFilters trTeDataControl trTeDataFilters trTeTrigDbgControl
		trTeTrigExtInControl trTeTrigExtOutControl trTsControl
		trTeComp0Control trTeComp1Control trTeComp2Control trTeComp3Control
		trTeComp4Control trTeComp5Control trTeComp6Control trTeComp7Control}
	funnel {trFunnelDisInput trTsControl}
	ram {} pib {} atb {}
	encoder0 {tsControl itcTraceEnable itcTrigEnable xtiControl xtoControl wpControl}
	funnel0 {tsControl}
}

# The registers in their order, which a dict may not keep.
set hs_order {}
foreach {key place} $hs_registers {
	lappend hs_order $key $place
}

set hs_parts {}        ;# {KIND BASE} of each component, in the order in which trace passes
set hs_timeout 1000    ;# milliseconds that a bit may take to change

# ---- memory: what another host replaces ----------------------------------------------------------

proc hs_missing {name} {
	return [expr {[llength [info commands $name]] == 0}]
}

# Trace registers are at physical addresses.  OpenOCD before 0.12 has mrw and mww only.
if {[hs_missing hartscope_read]} {
	proc hartscope_read {address} {
		if {[hs_missing read_memory]} {
			return [mrw $address]
		}
		return [lindex [read_memory $address 32 1 phys] 0]
	}
}
if {[hs_missing hartscope_write]} {
	proc hartscope_write {address value} {
		if {[hs_missing write_memory]} {
			mww $address $value
		} else {
			write_memory $address 32 [list $value] phys
		}
	}
}
# Words of memory from an address on.
if {[hs_missing hartscope_read_words]} {
	proc hartscope_read_words {address count} {
		if {![hs_missing read_memory]} {
			return [read_memory $address 32 $count phys]
		}
		set words {}
		for {set i 0} {$i < $count} {incr i} {
			lappend words [hartscope_read [expr {$address + 4 * $i}]]
		}
		return $words
	}
}

proc hs_say {text} {
	if {[hs_missing echo]} {
		puts $text
	} else {
		echo $text
	}
}

proc hs_wait_1ms {} {
	if {[hs_missing after]} {
		sleep 1
	} else {
		after 1
	}
}

proc hs_hex {value} {
	return [format 0x%x $value]
}

# ---- registers -----------------------------------------------------------------------------------

proc hs_prefix {part} {
	return [lindex [dict get $::hs_kinds [lindex $part 0]] 0]
}

proc hs_name {part} {
	return "[lindex $part 0] at [hs_hex [lindex $part 1]]"
}

# Offset of a register; -1: the component has none of that name.  The number in the name of a filter
# or comparator is its instance, and they are 0x20 bytes apart.
proc hs_offset {kind name} {
	set instance 0
	regexp {^(trTeFilter|trTeComp)([0-9]+)(.*)$} $name all head instance tail
	if {[info exists head]} {
		set name "$head#$tail"
	}
	foreach {unit kinds} [list $kind $kind ts {encoder funnel} sifive {encoder0 funnel0}] {
		set key "$unit $name"
		if {$kind ni $kinds || ![dict exists $::hs_registers $key]} {
			continue
		}
		lassign [dict get $::hs_registers $key] offset count
		if {$instance < $count} {
			return [expr {$offset + 0x20 * $instance}]
		}
	}
	return -1
}

proc hs_address {part register} {
	set offset [hs_offset [lindex $part 0] $register]
	if {$offset < 0} {
		error "a component of kind [lindex $part 0] has no register $register"
	}
	return [expr {[lindex $part 1] + $offset}]
}

proc hs_read {part register} {
	set address [hs_address $part $register]
	if {[catch {hartscope_read $address} value]} {
		error "cannot read $register of the [hs_name $part] ([hs_hex $address]): $value"
	}
	return [expr {$value & 0xffffffff}]
}

proc hs_write {part register value} {
	set address [hs_address $part $register]
	if {[catch {hartscope_write $address [format 0x%08x [expr {$value & 0xffffffff}]]} why]} {
		error "cannot write $register of the [hs_name $part] ([hs_hex $address]): $why"
	}
}

# The register of a field and its mask and shift.
proc hs_field {field} {
	if {![dict exists $::hs_fields $field]} {
		error "no field of the Trace Control Interface is named $field"
	}
	lassign [dict get $::hs_fields $field] register msb lsb
	return [list $register [expr {((1 << ($msb - $lsb + 1)) - 1) << $lsb}] $lsb]
}

proc hs_extract {field word} {
	lassign [hs_field $field] register mask shift
	return [expr {($word & $mask) >> $shift}]
}

proc hs_insert {field word value} {
	lassign [hs_field $field] register mask shift
	return [expr {($word & ~$mask) | (($value << $shift) & $mask)}]
}

proc hs_get {part field} {
	return [hs_extract $field [hs_read $part [lindex [hs_field $field] 0]]]
}

# An address in a Low and a High register, whose bits 1:0 are not part of it.  Those of SiFive's
# sink share their upper half.
proc hs_get64 {part name} {
	if {[lindex $part 0] eq "funnel0"} {
		set low [expr {[hs_read $part $name] & ~3}]
		return [expr {([hs_read $part teSinkBaseHigh] << 32) | $low}]
	}
	return [expr {([hs_read $part ${name}High] << 32) | ([hs_read $part ${name}Low] & ~3)}]
}

proc hs_put64 {part name value} {
	hs_write $part ${name}Low $value
	hs_write $part ${name}High [expr {$value >> 32}]
}

# Wait until bits of a register read as wanted.  Returns 0 when they do not.
proc hs_wait {part register mask value} {
	for {set i 0} {$i <= $::hs_timeout} {incr i} {
		if {([hs_read $part $register] & $mask) == $value} {
			return 1
		}
		hs_wait_1ms
	}
	return 0
}

# ---- components ----------------------------------------------------------------------------------

proc hs_parts_of {args} {
	set found {}
	foreach part $::hs_parts {
		if {[lindex $part 0] in $args} {
			lappend found $part
		}
	}
	return $found
}

proc hs_need_parts {} {
	if {[llength $::hs_parts] == 0} {
		error "no components: run `hartscope find ADDRESS...` first"
	}
}

# Bits of tr??Control that all components have (TCI 4.3).
proc hs_control {part} {
	return [hs_prefix $part]Control
}

proc hs_activate {part} {
	set prefix [hs_prefix $part]
	hs_write $part [hs_control $part] 1
	if {![hs_wait $part [hs_control $part] 1 1]} {
		error "${prefix}Active of the [hs_name $part] stays 0: wrong address, or the trace\
			domain has no clock or power, or is locked"
	}
}

proc hs_reset {part} {
	hs_write $part [hs_control $part] 0
	if {![hs_wait $part [hs_control $part] 1 0]} {
		error "[hs_prefix $part]Active of the [hs_name $part] stays 1: it does not reset"
	}
	hs_activate $part
}

# What TCI 5 asks of a tool of version 1.0.
proc hs_check_version {part word} {
	set major [expr {$word & 15}]
	set minor [expr {$word >> 4 & 15}]
	set text "[hs_name $part] has version $major.$minor\
		([hs_prefix $part]Impl [format 0x%08x $word]), 1.0 is supported"
	if {$major == 0} {
		error "$text: before ratification, its registers are others"
	} elseif {$major > 1} {
		error "$text: it is not compatible"
	} elseif {$minor == 15} {
		hs_say "warning: $text: it is experimental"
	} elseif {$minor > 0} {
		hs_say "warning: $text"
	}
}

# The component at an address, by the type that tr??Impl has (at the same place in all, TCI 4.3).
# Only one that is in reset is written to.
proc hs_identify {base} {
	set part [list encoder $base]
	if {([hs_read $part trTeControl] & 1) == 0} {
		hs_write $part trTeControl 1
		if {![hs_wait $part trTeControl 1 1]} {
			error "bit 0 (tr??Active) at [hs_hex $base] stays 0: wrong address, or the\
				trace domain has no clock or power, or is locked"
		}
	}
	set word [hs_read $part trTeImpl]
	# SiFive's version 0 has no type; bits 15:9 are reserved.
	if {($word & 0xfe0f) == 0} {
		return [hs_identify_sifive $base]
	}
	dict for {kind common} $::hs_kinds {
		if {[lindex $common 1] == ($word >> 8 & 15)} {
			set part [list $kind $base]
			hs_check_version $part $word
			return $part
		}
	}
	error "no trace component at [hs_hex $base]: tr??Impl ([hs_hex [expr {$base + 4}]]) reads\
		[format 0x%08x $word], whose bits 11:8 are no type"
}

# Encoders have a format of slices, which funnels do not have.
proc hs_identify_sifive {base} {
	set part [list encoder0 $base]
	if {[hs_get $part teSliceFormat] == 0} {
		set part [list funnel0 $base]
	}
	return $part
}

proc hs_is_enabled {part} {
	return [expr {([hs_read $part [hs_control $part]] & 3) == 3}]
}

# Values that a WARL field of the encoder takes; it is disabled.
proc hs_try {part field values} {
	set taken {}
	set register [lindex [hs_field $field] 0]
	set old [hs_read $part $register]
	foreach value $values {
		hs_write $part $register [hs_insert $field $old $value]
		if {[hs_get $part $field] == $value} {
			lappend taken $value
		}
	}
	hs_write $part $register $old
	return $taken
}

proc hs_describe {part} {
	set kind [lindex $part 0]
	set text [hs_name $part]
	if {$kind eq "encoder" && ![hs_is_enabled $part]} {
		set protocols {}
		foreach format [hs_try $part trTeFormat {0 1 7}] {
			lappend protocols [dict get {0 E-Trace 1 N-Trace 7 "vendor's"} $format]
		}
		append text ": [join $protocols {, }]"
		set modes [hs_try $part trTeInstMode {1 2 3 4 5 6 7}]
		append text ", trTeInstMode [join $modes {, }]"
	} elseif {$kind eq "ram"} {
		append text ": [hs_describe_sinks $part trRamHas {SRAM SMEM}]"
	} elseif {$kind eq "encoder0"} {
		append text ": SiFive's N-Trace of version 0"
		if {![hs_is_enabled $part]} {
			set modes [hs_try $part teInstruction {1 3 6 7}]
			append text ", teInstruction [join $modes {, }]"
		}
		append text ", hart [hs_get $part teHartID]"
	} elseif {$kind eq "funnel0"} {
		append text ": [hs_describe_sinks $part tfHas \
			{SRAMSink ATBSink PIBSink SBASink FunnelSink}]"
	}
	return $text
}

# The sinks of a component, by the fields of its tr??Impl.
proc hs_describe_sinks {part prefix names} {
	set found {}
	foreach name $names {
		if {[hs_get $part $prefix$name]} {
			lappend found [string map {Sink ""} $name]
		}
	}
	return [join $found {, }]
}

proc hs_cmd_find {args} {
	set found {}
	set order {{encoder encoder0} funnel {ram pib atb funnel0}}
	if {[lindex $args 0] eq "-order"} {
		set args [lassign $args option order]
	}
	foreach base $args {
		lappend found [hs_identify [expr {$base}]]
	}
	set ::hs_parts {}
	foreach kinds $order {
		foreach part $found {
			if {[lindex $part 0] in $kinds} {
				lappend ::hs_parts $part
			}
		}
	}
	foreach part $::hs_parts {
		hs_say [hs_describe $part]
	}
}

# ---- set-up --------------------------------------------------------------------------------------

# What is wanted: a dict of fields.  Those of another component are left out.
proc hs_fields_of {part wanted} {
	set own {}
	dict for {field value} $wanted {
		if {[hs_offset [lindex $part 0] [lindex [hs_field $field] 0]] >= 0} {
			dict set own $field $value
		}
	}
	return $own
}

# Write the fields that are wanted, register by register, tr??Control without tr??Enable.
proc hs_write_fields {part wanted} {
	set words {}
	dict for {field value} $wanted {
		set register [lindex [hs_field $field] 0]
		if {![dict exists $words $register]} {
			dict set words $register [hs_read $part $register]
		}
		dict set words $register [hs_insert $field [dict get $words $register] $value]
	}
	dict for {register word} $words {
		hs_write $part $register $word
	}
}

# WARL: what was written may have become something else (TCI 6).
proc hs_check_fields {part wanted} {
	dict for {field value} $wanted {
		set now [hs_get $part $field]
		# E-Trace before 2.1 hard codes trTeInstMode to 7 (ET Control).
		if {$now == $value || ($field eq "trTeInstMode" && $now == 7)} {
			continue
		}
		if {$field in {trTeFormat trRamMode trPibMode teInstruction teSink tfSink}} {
			error "the [hs_name $part] cannot do this: $field is $now, not $value"
		}
		hs_say "note: $field is $now, not $value: the [hs_name $part] does not have it"
	}
}

proc hs_enable {part} {
	set register [hs_control $part]
	set word [expr {([hs_read $part $register] & ~0xe) | 3}]
	hs_write $part $register $word
	if {![hs_wait $part $register 3 3]} {
		error "[hs_prefix $part]Enable of the [hs_name $part] stays 0"
	}
}

# The addresses of a RAM sink, start first (TCI 7.1).  SMEM: never beyond what the user gave.
proc hs_set_ram {part options} {
	if {[dict get $options smem] eq ""} {
		set last 0xffffffff
		if {[dict get $options sram] > 0} {
			set last [expr {[dict get $options sram] - 4}]
		}
		hs_write $part trRamStartLow 0
		hs_write $part trRamLimitLow $last
	} else {
		lassign [dict get $options smem] start bytes
		set last [expr {$start + $bytes - 4}]
		hs_put64 $part trRamStart $start
		hs_put64 $part trRamLimit $last
	}
	set first [hs_get64 $part trRamStart]
	set limit [hs_get64 $part trRamLimit]
	if {[dict get $options smem] ne "" && ($first < $start || $limit > $last)} {
		error "the [hs_name $part] has its buffer at [hs_hex $first] to\
			[hs_hex [expr {$limit + 3}]], outside of what -smem allows"
	}
	hs_put64 $part trRamWP $first
	if {[hs_get64 $part trRamWP] != $first || [hs_get $part trRamWrap]} {
		error "trRamWP of the [hs_name $part] cannot be set to [hs_hex $first]"
	}
	hs_say "[hs_name $part]: buffer [hs_hex $first] to [hs_hex [expr {$limit + 3}]],\
		[expr {$limit - $first + 4}] bytes"
	return [expr {$limit - $first + 4}]
}

# A ring keeps only what follows its first synchronisation: some 16 of them, at 4 bytes a message.
proc hs_sync_max {bytes} {
	set n 0
	while {$n < 8 && (4 << ($n + 5)) * 16 <= $bytes} {
		incr n
	}
	return $n
}

proc hs_options {arguments} {
	set o [dict create sram 0 smem "" stop 0 pins 0 atb 0 set {}]
	while {[llength $arguments]} {
		set arguments [lassign $arguments name]
		switch -- $name {
			-stop { dict set o stop 1 }
			-smem { set arguments [lassign $arguments start bytes]
				dict set o smem [list [expr {$start}] [expr {$bytes}]] }
			-sram - -pins - -atb - -set {
				set arguments [lassign $arguments value]
				dict set o [string range $name 1 end] $value }
			default { error "setup: no option $name; see `hartscope help`" }
		}
	}
	return $o
}

# N-Trace: HTM (NT Table 7).  E-Trace hard codes trTeInstMode to 6 (ET Control), and where a packet
# begins in a ring only sequences of alignment packets say.
proc hs_wanted {protocol options} {
	set wanted [dict create trTeInstSyncMode 1]
	switch -- $protocol {
		ntrace { dict set wanted trTeFormat 1; dict set wanted trTeInstMode 6 }
		etrace { dict set wanted trTeFormat 0; dict set wanted trTeInstMode 6 }
		default { error "setup: the protocol is ntrace or etrace, not $protocol" }
	}
	dict set wanted trRamMode [expr {[dict get $options smem] ne ""}]
	dict set wanted trRamStopOnWrap [dict get $options stop]
	dict set wanted trRamMemFormat 0
	dict set wanted trRamAsyncFreq [expr {$protocol eq "etrace" ? 2 : 0}]
	if {[dict get $options pins]} {
		set mode [lsearch {1 2 4 8 16} [dict get $options pins]]
		if {$mode < 0} {
			error "setup: -pins is 1, 2, 4, 8 or 16"
		}
		dict set wanted trPibMode [expr {8 + $mode}]
	}
	if {[dict get $options atb]} {
		dict set wanted trAtbBridgeID [dict get $options atb]
	}
	return $wanted
}

# Encoders that share a sink need a source each (NT 11.2).
proc hs_source_of {part} {
	set encoders [hs_parts_of encoder]
	set bits 0
	while {(1 << $bits) < [llength $encoders]} {
		incr bits
	}
	return [dict create trTeSrcBits $bits trTeSrcID [lsearch $encoders $part]]
}

proc hs_set_up_part {part wanted options} {
	set kind [lindex $part 0]
	hs_reset $part
	if {$kind ni {encoder0 funnel0}} {
		hs_check_version $part [hs_read $part [hs_prefix $part]Impl]
	}
	foreach register [dict get $::hs_cleared $kind] {
		hs_write $part $register 0
	}
	set own [hs_fields_of $part $wanted]
	if {$kind eq "encoder"} {
		set own [dict merge $own [hs_source_of $part]]
	} elseif {$kind eq "atb" && [dict get $options atb]} {
		dict set own trAtbBridgeID \
			[expr {[dict get $options atb] + [lsearch [hs_parts_of atb] $part]}]
	}
	set own [hs_own [lindex $part 0] \
		[dict merge $own [hs_fields_of $part [dict get $options set]]]]
	hs_write_fields $part $own
	hs_check_fields $part $own
	set bytes 0
	if {$kind eq "ram"} {
		set bytes [hs_set_ram $part $options]
	} elseif {$kind eq "funnel0"} {
		set bytes [hs_set_sifive_sink $part $options]
	}
	hs_enable $part
	return $bytes
}

# SiFive's encoder and funnel have tsControl in common, and each has half of it.
proc hs_own {kind fields} {
	set others [dict create encoder0 {tsCount tsReset tsPrescale} \
		funnel0 {tsEnable tsBranch tsInstrumentation tsOwnership}]
	if {[dict exists $others $kind]} {
		foreach field [dict get $others $kind] {
			dict unset fields $field
		}
	}
	return $fields
}

# Bytes of a word that SiFive's sink stores.
proc hs_sifive_bytes {part} {
	return [expr {4 << [hs_get $part tfSinkBytes]}]
}

# The buffer of SiFive's funnel in system memory.
proc hs_set_sifive_sink {part options} {
	if {[dict get $options smem] eq ""} {
		error "the [hs_name $part] stores in system memory: setup needs -smem START BYTES"
	}
	lassign [dict get $options smem] start bytes
	set bytes [expr {$bytes + 0}]
	set width [hs_sifive_bytes $part]
	set last [expr {$start + $bytes - $width}]
	if {$start % $width || $bytes % $width || $bytes <= 0 || ($start >> 32) != ($last >> 32)} {
		error "-smem of the [hs_name $part]: multiples of $width bytes, not across 4 GiB"
	}
	hs_write $part teSinkBaseHigh [expr {$start >> 32}]
	foreach {register value} [list teSinkBase $start teSinkLimit $last teSinkWP $start] {
		hs_write $part $register $value
		if {[hs_read $part $register] != ($value & 0xffffffff)} {
			error "$register of the [hs_name $part] cannot be set to [hs_hex $value]"
		}
	}
	hs_say "[hs_name $part]: buffer [hs_hex $start] to [hs_hex [expr {$start + $bytes - 1}]],\
		$bytes bytes"
	return $bytes
}

# Settings of SiFive's components: HTM with all that makes it short, and the clock of its times.
proc hs_wanted_sifive {options bytes} {
	set max [expr {$bytes ? [hs_sync_max $bytes] - 1 : 7}]
	return [dict create teInstruction 7 teSyncMaxBTM [expr {$max < 0 ? 0 : $max}] teSink 8 \
		tfSink 7 tfStopOnWrap [dict get $options stop] tsActive 1 tsCount 1]
}

# Sinks first, encoders last (TCI 11.2).
proc hs_cmd_setup {protocol args} {
	hs_need_parts
	set options [hs_options $args]
	set wanted [hs_wanted $protocol $options]
	if {[dict get $options smem] ne "" && [llength [hs_parts_of ram]] > 1} {
		error "setup: -smem is one buffer, and there are several RAM sinks: `hartscope\
			find` with one of them"
	}
	if {$protocol ne "ntrace" && [llength [hs_parts_of encoder0]]} {
		error "setup: encoders of SiFive's version 0 send N-Trace"
	}
	hs_cmd_stop
	set bytes 0
	foreach part [lreverse $::hs_parts] {
		if {[lindex $part 0] eq "encoder"} {
			dict set wanted trTeInstSyncMax [expr {$bytes ? [hs_sync_max $bytes] : 8}]
		} elseif {[lindex $part 0] in {encoder0 funnel0}} {
			set wanted [hs_wanted_sifive $options $bytes]
		}
		set stored [hs_set_up_part $part $wanted $options]
		set bytes [expr {$stored ? $stored : $bytes}]
	}
}

# ---- start, stop, state --------------------------------------------------------------------------

proc hs_cmd_start {} {
	hs_need_parts
	foreach part [hs_parts_of encoder encoder0] {
		set register [hs_control $part]
		hs_write $part $register [hs_kept $part [expr {[hs_read $part $register] | 4}]]
		if {![hs_wait $part $register 7 7]} {
			set names {encoder trTeInstTracing encoder0 teTracing}
			error "[dict get $names [lindex $part 0]] of the [hs_name $part] stays 0:\
				is it enabled?"
		}
	}
}

# tr??Control without the bits that a 1 clears, so that they stay.
proc hs_kept {part word} {
	set cleared {encoder trTeInstStallOrOverflow encoder0 teSinkError funnel0 tfSinkError}
	if {[dict exists $cleared [lindex $part 0]]} {
		return [hs_insert [dict get $cleared [lindex $part 0]] $word 0]
	}
	return $word
}

# Encoders, funnels, sinks: each sends what it holds before the next one stops (TCI 11.3).
proc hs_cmd_stop {} {
	hs_need_parts
	foreach part $::hs_parts {
		set register [hs_control $part]
		set word [hs_read $part $register]
		if {($word & 1) == 0} {
			continue
		}
		hs_write $part $register [hs_kept $part [expr {$word & ~2}]]
		if {![hs_wait $part $register 10 8]} {
			hs_say "warning: [hs_prefix $part]Empty of the [hs_name $part] stays 0: the\
				end of the trace is lost"
		}
	}
}

proc hs_state {part} {
	set prefix [hs_prefix $part]
	set word [hs_read $part ${prefix}Control]
	set text "[hs_name $part]:"
	foreach {bit name} {1 Active 2 Enable 8 Empty} {
		append text " ${prefix}$name [expr {($word & $bit) != 0}]"
	}
	if {($word & 1) == 0} {
		return $text
	}
	if {[lindex $part 0] eq "encoder"} {
		append text " trTeInstTracing [hs_extract trTeInstTracing $word]"
		append text " trTeInstStallOrOverflow [hs_extract trTeInstStallOrOverflow $word]"
	} elseif {[lindex $part 0] eq "ram"} {
		append text " trRamWP [hs_hex [hs_get64 $part trRamWP]]"
		append text " trRamWrap [hs_get $part trRamWrap]"
	} elseif {[lindex $part 0] eq "funnel"} {
		append text " trFunnelDisInput [hs_hex [hs_get $part trFunnelDisInput]]"
	} elseif {[lindex $part 0] eq "encoder0"} {
		foreach field {teTracing teStallOrOverflow teSinkError} {
			append text " $field [hs_extract $field $word]"
		}
	} elseif {[lindex $part 0] eq "funnel0"} {
		append text " teSinkWP [hs_hex [hs_get64 $part teSinkWP]]"
		append text " teSinkWrapped [hs_get $part teSinkWrapped]"
		append text " tfSinkError [hs_extract tfSinkError $word]"
	}
	return $text
}

proc hs_cmd_status {} {
	hs_need_parts
	foreach part $::hs_parts {
		hs_say [hs_state $part]
	}
}

# ---- dump ----------------------------------------------------------------------------------------

# Little-endian bytes of words (TCI 7: the first byte is the lowest).
proc hs_bytes {words} {
	set escapes ""
	foreach word $words {
		set hex [format %08x [expr {$word & 0xffffffff}]]
		for {set i 6} {$i >= 0} {incr i -2} {
			append escapes "\\x" [string range $hex $i [expr {$i + 1}]]
		}
	}
	return [subst -nocommands -novariables $escapes]
}

# Can words be read through trRamData?  TCI 7.1: if trRamRP can be set.
proc hs_has_data {part} {
	set limit [hs_read $part trRamLimitLow]
	hs_write $part trRamRPLow $limit
	return [expr {([hs_read $part trRamRPLow] & ~3) == ($limit & ~3) && $limit != 0}]
}

proc hs_read_data {part from words} {
	hs_put64 $part trRamRP $from
	set data {}
	for {set i 0} {$i < $words} {incr i} {
		lappend data [hs_read $part trRamData]
	}
	return $data
}

# Names of a sink's registers: start, limit, write pointer, the bit of a buffer that wrapped.
proc hs_sink_names {part} {
	if {[lindex $part 0] eq "funnel0"} {
		return {teSinkBase teSinkLimit teSinkWP teSinkWrapped}
	}
	return {trRamStart trRamLimit trRamWP trRamWrap}
}

proc hs_sink_start {part} {
	return [hs_get64 $part [lindex [hs_sink_names $part] 0]]
}

# Is the buffer in system memory?
proc hs_in_memory {part} {
	return [expr {[lindex $part 0] eq "funnel0" || [hs_get $part trRamMode]}]
}

# The bytes of a buffer from its start on: all of it when it wrapped, else those up to the write
# pointer.
proc hs_buffer_size {part} {
	lassign [hs_sink_names $part] first limit pointer wrapped
	set start [hs_get64 $part $first]
	if {[hs_get $part $wrapped]} {
		set word [expr {[lindex $part 0] eq "funnel0" ? [hs_sifive_bytes $part] : 4}]
		return [expr {[hs_get64 $part $limit] - $start + $word}]
	}
	return [expr {[hs_get64 $part $pointer] - $start}]
}

# Call a command with the words of a buffer, in pieces.
proc hs_each_piece {part command} {
	set at [hs_sink_start $part]
	set left [expr {[hs_buffer_size $part] / 4}]
	set through_data [expr {[lindex $part 0] eq "ram" && [hs_has_data $part]}]
	if {!$through_data && ![hs_in_memory $part]} {
		error "trRamRP of the [hs_name $part] cannot be set: its SRAM cannot be read"
	}
	while {$left > 0} {
		set n [expr {$left < 256 ? $left : 256}]
		if {$through_data} {
			{*}$command [hs_read_data $part $at $n]
		} else {
			{*}$command [hartscope_read_words $at $n]
		}
		incr at [expr {4 * $n}]
		incr left [expr {-$n}]
	}
}

proc hs_put_piece {file words} {
	puts -nonewline $file [hs_bytes $words]
}

proc hs_say_piece {words} {
	foreach {a b c d e f g h} $words {
		hs_say [string trim "$a $b $c $d $e $f $g $h"]
	}
}

# All registers of a component but trRamData, whose reading moves trRamRP, and of filters and
# comparators those that are not 0.
proc hs_register_lines {part} {
	set lines [list "\[[lindex $part 0] [hs_hex [lindex $part 1]]\]"]
	foreach {key place} $::hs_order {
		lassign $key unit name
		lassign $place offset count
		for {set i 0} {$i < $count} {incr i} {
			set register [string map [list # $i] $name]
			if {$name eq "trRamData" ||
			    [hs_offset [lindex $part 0] $register] != $offset + 0x20 * $i} {
				continue
			}
			set word [hs_read $part $register]
			if {$word || $count == 1} {
				lappend lines [format "%s = 0x%08x" $register $word]
			}
		}
	}
	return $lines
}

# Without `open` (an OpenOCD whose Jim has no files): system memory by dump_image, the rest as text.
proc hs_dump_ram {part path} {
	if {![hs_missing open]} {
		set file [open $path wb]
		fconfigure $file -translation binary
		hs_each_piece $part [list hs_put_piece $file]
		close $file
	} elseif {[hs_in_memory $part] && ![hs_missing dump_image]} {
		dump_image $path [hs_sink_start $part] [hs_buffer_size $part]
	} else {
		hs_say "words of the buffer of the [hs_name $part], for $path:"
		hs_each_piece $part hs_say_piece
		return
	}
	hs_say "$path: [hs_buffer_size $part] bytes"
}

proc hs_write_lines {path lines} {
	if {[hs_missing open]} {
		hs_say "for $path:"
		hs_say [join $lines \n]
		return
	}
	set file [open $path w]
	puts $file [join $lines \n]
	close $file
	hs_say "$path: registers"
}

proc hs_note_empty {part} {
	if {[hs_buffer_size $part] == 0} {
		hs_say "warning: nothing is in the buffer of the [hs_name $part]: see\
			docs/boards.md, \"When nothing arrives\""
	}
}

# Registers first: reading SRAM moves trRamRP.
proc hs_cmd_dump {prefix} {
	hs_cmd_stop
	set sinks [hs_parts_of ram funnel0]
	foreach sink $sinks {
		set path $prefix
		if {[llength $sinks] > 1} {
			append path - [hs_hex [lindex $sink 1]]
		}
		set lines {}
		foreach part $::hs_parts {
			if {$part eq $sink || [lindex $part 0] in {encoder funnel encoder0}} {
				lappend lines {*}[hs_register_lines $part]
			}
		}
		hs_write_lines $path.regs $lines
		hs_dump_ram $sink $path.trace
		hs_note_empty $sink
	}
	if {[llength $sinks] == 0} {
		set lines {}
		foreach part $::hs_parts {
			lappend lines {*}[hs_register_lines $part]
		}
		hs_write_lines $prefix.regs $lines
	}
}

# ---- the writes that `hartscope registers` prints ------------------------------------------------

# The component of a section "[ram]" or "[ram 0x10003000]".
proc hs_section {kind base} {
	foreach part [hs_parts_of $kind] {
		if {$base eq "" || [lindex $part 1] == $base} {
			return $part
		}
	}
	if {$base eq ""} {
		error "the file sets up a component of kind $kind, and `hartscope find` found none"
	}
	return [list $kind [expr {$base}]]
}

# "NAME = VALUE", with "wait until & MASK reads VALUE" after it where the write takes time.
proc hs_apply_line {part line} {
	if {![regexp {^ *([A-Za-z0-9]+) *= *(0x[0-9a-fA-F]+|[0-9]+)} $line all name value]} {
		error "not a line NAME = VALUE: $line"
	}
	hs_write $part $name $value
	if {[regexp {wait until & (0x[0-9a-f]+) reads (0x[0-9a-f]+)} $line all mask wanted] &&
	    ![hs_wait $part $name $mask $wanted]} {
		error "$name of the [hs_name $part]: bits $mask do not become $wanted"
	}
	return [list $name $value]
}

# What `hartscope registers` cannot know is the size of an SRAM: all bits set become its limit.
proc hs_default_limit {part line written} {
	if {[regexp {^ *trRamWPLow} $line] && ![hs_get $part trRamMode] &&
	    ![dict exists $written [list $part trRamLimitLow]]} {
		hs_write $part trRamLimitLow 0xffffffff
	}
}

proc hs_cmd_apply {path} {
	set part [hs_section encoder ""]
	set written {}
	hs_cmd_stop
	set file [open $path r]
	while {[gets $file line] >= 0} {
		if {[regexp {^ *(#|$)} $line]} {
			continue
		}
		if {[regexp {^\[([a-z]+) *(0x[0-9a-f]+)?\]} $line all kind base]} {
			set part [hs_section $kind $base]
			continue
		}
		if {![regexp {^ *(to|toInput[0-9]+|hart) *=} $line]} {
			hs_default_limit $part $line $written
			lassign [hs_apply_line $part $line] name value
			dict set written [list $part $name] $value
		}
	}
	close $file
	hs_check_written $written
}

# Of each register the last value; tr??Control has bits that change by themselves.
proc hs_check_written {written} {
	dict for {key value} $written {
		lassign $key part name
		set now [hs_read $part $name]
		set mask [expr {[hs_control $part] eq $name ? 0xffffefe0 : 0xffffffff}]
		if {(($now ^ $value) & $mask) && ![string match trRamWP* $name]} {
			hs_say "note: $name of the [hs_name $part] is [format 0x%08x $now], not\
				[format 0x%08x $value]"
		}
	}
}

# ---- the command ---------------------------------------------------------------------------------

proc hs_cmd_help {} {
	hs_say {
hartscope find ADDRESS...      bases of encoders, of funnels from the harts on, of sinks
    -order KINDS       (first) the order in which trace passes them: {encoder atb funnel}
hartscope setup PROTOCOL [OPTION]...   reset and set up all of them; ntrace or etrace
    -sram BYTES        use so much of the sink's own memory (without this, all of it)
    -smem START BYTES  store in this range of system memory
    -stop              stop when the buffer is full (without this, it is a ring)
    -pins N            a pin interface sends on 1, 2, 4, 8 or 16 pins
    -atb ID            the ID of an ATB bridge; of several the next ones
    -set {NAME VALUE ...}      fields by name, such as {trTeInstMode 3 trTeInstStallEna 1}
hartscope apply FILE           in place of setup and start: what `hartscope registers` printed
hartscope start                trace begins
hartscope status               what each component is doing
hartscope stop                 disable and flush, encoders first
hartscope dump PREFIX          stop, then PREFIX.trace and PREFIX.regs of the RAM sink}
}

proc hartscope {{command help} args} {
	if {[hs_missing hs_cmd_$command]} {
		error "hartscope: no command $command; see `hartscope help`"
	}
	return [hs_cmd_$command {*}$args]
}
