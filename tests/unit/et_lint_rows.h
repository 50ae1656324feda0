/* Lint rows: a stream with exactly one thing wrong, where, and the same stream repaired.
 *
 * Packets are written as the fields of the text's tables, in their order: "WIDTH:VALUE", each least
 * significant bit first.  "hHH" adds bits to the header, ";" ends a packet that is compressed by
 * its sign, "!" one at its full length; "xHH..." are bytes as they are.  After "|" is a payload of
 * whole bytes, wherever it begins (ET Packets); padding comes after it.  Bits that say "differs
 * from the bit before" (notify, updiscon, irreport, irdepth) are written as on the wire.
 */
#ifndef TESTS_ET_LINT_ROWS_H
#define TESTS_ET_LINT_ROWS_H

#include "etrace/et_config.h"
#include "etrace/etrace_lint.h"

#define WHOLE HS_LINT_NO_BIT

struct lint_row {
	const char *kind;
	struct hs_et_config config; /* size is filled in */
	unsigned packet;            /* the n-th packet, or bytes, of bad */
	unsigned bit;               /* of its payload */
	const char *bad, *good;
};

/* One header byte of length and type; addresses of 31 bits. */
#define REF .dialect = HS_ET_DIALECT_REFERENCE, .iaddress_width = 32
/* ET Format 3 subformat 3: ienable, encoder_mode, qual_status, ioptions of the reference flow:
 * implicit return 1, implicit exception 2, full address 4, jump target cache 8, branch prediction
 * 16. */
#define SUPPORT_AS(ienable, mode, qual, options) \
	"2:3 2:3 1:" #ienable " 1:" #mode " 2:" #qual " 5:" #options " ; "
#define SUPPORT SUPPORT_AS(1, 0, 0, 0)
#define ENDED SUPPORT_AS(1, 0, 1, 0)
#define LOST SUPPORT_AS(1, 0, 2, 0)
#define ENDED_NTR SUPPORT_AS(1, 0, 3, 0)
/* ET Format 3 subformat 0: branch, privilege, address. */
#define START_AS(branch, priv, address) "2:3 2:0 1:" #branch " 3:" #priv " 31:" #address " ; "
#define START START_AS(1, 3, 0x800)
/* ET Format 3 subformat 1: branch, privilege, ecause, interrupt, thaddr, address, tval. */
#define TRAP_AS(cause, thaddr, address) \
	"2:3 2:1 1:1 3:3 6:" #cause " 1:0 1:" #thaddr " 31:" #address " 32:0 ; "
/* ET Format 2: address, notify, updiscon, irreport. */
#define ADDRESS "2:2 31:2 1:0 1:0 1:0 ; "
#define ADDRESS_DISCON "2:2 31:2 1:0 1:1 1:1 ; "
#define EIGHT(packet) packet packet packet packet packet packet packet packet

/* The standard encapsulation: type 2 comes before the payload (EE Payload); ioptions have 6
 * bits. */
#define STD .iaddress_width = 32
#define STD_SUPPORT "2:2 | 2:3 2:3 1:1 1:0 2:0 6:0 ; "
#define STD_SYNC "2:2 | 2:3 2:0 1:1 3:3 31:0x800 ; "
/* With a timestamp of one byte, and with srcID of 4 bits. */
#define TIMED(t) "h80 8:" #t " 2:2 | 2:3 2:3 1:1 1:0 2:0 6:0 ; "
#define FROM(src) "4:" #src " 2:2 | 2:3 2:3 1:1 1:0 2:0 6:0 ; "

/* 0.026 with message types: 2 before te_inst (PT 6). */
#define PT \
	.version = HS_ET_0_026, .dialect = HS_ET_DIALECT_DRAFT, .type_prefix = 1, \
	.iaddress_width = 32
#define PT_SUPPORT(type, code, support, qual) \
	"2:" #type " 6:" #code " 4:" #support " 1:1 2:1 2:" #qual " ; "
#define PT_START(address) "2:2 2:3 2:0 3:3 1:0 31:" #address " ; "
#define PT_ENDED PT_SUPPORT(0, 0x34, 0, 1)
#define PT_ENABLED PT_SUPPORT(0, 0x34, 0, 0)
#define PT_DISABLED "2:0 6:0x34 4:0 1:0 2:0 2:0 ; "

/* 2.1 of the reference flow (ET Standard Support Packet format): qual_status, the options from
 * sijump to resync_disabled, and the sizes of time to those of the cache in 18 bits. */
#define STANDARD .version = HS_ET_2_1, REF
#define SAYS(qual, options, sizes) \
	"2:3 2:3 1:1 2:0 2:" #qual " 7:" #options " 1:0 18:" #sizes " 7:0 ; "

#define PREDICTS .bpred_size = 3, .options = HS_ET_BRANCH_PREDICTION
#define CACHES .cache_size = 3, .options = HS_ET_JUMP_TARGET_CACHE
#define RETURNS .return_stack_size = 2, .options = HS_ET_IMPLICIT_RETURN
#define CONTEXT .context = 1, .context_width = 8

static const struct lint_row lint_rows[] = {
	/* Frames */
	{ "null-flow-not-0", { STD }, 0, WHOLE, "xa0 " STD_SUPPORT, "x80 " STD_SUPPORT },
	{ "nulls-without-alignment", { STD }, 2, WHOLE,
	  "x00 x00 " STD_SUPPORT,
	  "x00 x80 " STD_SUPPORT },
	{ "extend-without-timestamp", { STD }, 0, WHOLE, "h80 " STD_SUPPORT, STD_SUPPORT },
	{ "timestamp-absent", { STD, .tstamp_bytes = 1 }, 1, WHOLE,
	  TIMED(5) STD_SUPPORT,
	  TIMED(5) TIMED(5) },
	{ "timestamp-goes-back", { STD, .tstamp_bytes = 1 }, 1, WHOLE,
	  TIMED(5) TIMED(4),
	  TIMED(255) TIMED(4) },
	{ "header-flow-varies", { STD }, 1, WHOLE,
	  STD_SUPPORT "h20 " STD_SUPPORT,
	  STD_SUPPORT STD_SUPPORT },
	{ "type-not-instruction", { REF }, 1, WHOLE, SUPPORT "x01ff ", SUPPORT },
	{ "payload-empty", { REF }, 1, WHOLE, SUPPORT "x40 " START ENDED, SUPPORT START ENDED },
	{ "payload-too-long", { REF }, 1, 13, SUPPORT "x431f0000 ", SUPPORT },
	{ "address-not-compressed", { REF }, 2, 32,
	  SUPPORT START "2:2 31:2 1:0 1:0 1:0 ! " ENDED,
	  SUPPORT START ADDRESS ENDED },
	{ "payload-not-compressed", { REF }, 1, 32,
	  SUPPORT "2:3 2:0 1:1 3:3 31:0x800 ! " ENDED,
	  SUPPORT START ENDED },
	/* 13 bits in 2 bytes; 31 + 10 bits in 6 */
	{ "padding-not-sign", { REF }, 1, 13, SUPPORT "x421f20 ", SUPPORT },
	{ "padding-not-kept", { STD }, 1, 39,
	  STD_SUPPORT "2:2 2:3 2:0 1:1 3:3 31:0x800 7:1 ! ",
	  STD_SUPPORT STD_SYNC },
	{ "stream-ends-in-packet", { REF }, 1, WHOLE, SUPPORT "x431f ", SUPPORT },
	{ "src-unexpected", { STD, .src_bits = 4, .src_id = 5 }, 1, WHOLE,
	  FROM(5) FROM(6),
	  FROM(5) },
	{ "src-over-memory", { STD, .src_bits = 4 }, 2, WHOLE,
	  FROM(1) FROM(2) FROM(3),
	  FROM(1) FROM(2) },

	/* Formats */
	{ "format-0-not-enabled", { REF }, 2, 0, SUPPORT START "2:0 6:0 ; ", SUPPORT START ENDED },
	{ "format-0-subformat", { REF, PREDICTS, .f0s_width = 2 }, 2, 2,
	  SUPPORT_AS(1, 0, 0, 16) START "2:0 2:2 4:0 ; ",
	  SUPPORT_AS(1, 0, 0, 16) START },
	{ "subformat-3-reserved", { PT }, 1, 4,
	  PT_START(0x800) "2:2 2:3 2:3 ; ",
	  PT_START(0x800) PT_ENDED },
	{ "branch-count-not-enabled", { REF, .bpred_size = 3, .f0s_width = 1 }, 2, 0,
	  SUPPORT START "2:0 1:0 32:5 2:0 ; ",
	  SUPPORT START },
	{ "index-not-enabled", { REF, .cache_size = 3, .f0s_width = 1 }, 2, 0,
	  SUPPORT START "2:0 1:1 3:2 5:0 1:0 ; ",
	  SUPPORT START },
	{ "branch-fmt-reserved", { REF, PREDICTS }, 2, 34,
	  SUPPORT_AS(1, 0, 0, 16) START "2:0 32:5 2:1 4:0 ; ",
	  SUPPORT_AS(1, 0, 0, 16) START "2:0 32:5 2:0 ; " },
	{ "branch-count-full", { REF, PREDICTS }, 2, 34,
	  SUPPORT_AS(1, 0, 0, 16) START "2:0 32:0xffffffff 2:0 ; ",
	  SUPPORT_AS(1, 0, 0, 16) START "2:0 32:0xfffffffe 2:0 ; " },
	{ "branch-map-spare-bits", { REF }, 2, 7,
	  SUPPORT START "2:1 5:2 3:4 31:2 1:0 1:0 1:0 ; " ENDED,
	  SUPPORT START "2:1 5:2 3:3 31:2 1:0 1:0 1:0 ; " ENDED },
	{ "notify-and-updiscon", { REF }, 2, 34,
	  SUPPORT START "2:2 31:2 1:1 1:0 1:0 ; " ENDED,
	  SUPPORT START "2:2 31:2 1:1 1:1 1:1 ; " ENDED },
	{ "irreport-not-enabled", { REF }, 2, 35,
	  SUPPORT START "2:2 31:2 1:0 1:0 1:1 ; " ENDED,
	  SUPPORT START ADDRESS ENDED },
	{ "irdepth-not-repeated", { REF, RETURNS }, 2, 36,
	  SUPPORT_AS(1, 0, 0, 1) START "2:2 31:2 1:0 1:0 1:0 3:1 ; ",
	  SUPPORT_AS(1, 0, 0, 1) START "2:2 31:2 1:0 1:0 1:0 3:0 ; " },
	{ "irdepth-over-stack", { REF, RETURNS }, 2, 36,
	  SUPPORT_AS(1, 0, 0, 1) START "2:2 31:2 1:0 1:0 1:1 3:5 ; ",
	  SUPPORT_AS(1, 0, 0, 1) START "2:2 31:2 1:0 1:0 1:1 3:4 ; " },
	{ "address-odd", { REF, .iaddress_unit = 1 }, 1, 8,
	  SUPPORT "2:3 2:0 1:1 3:3 32:0x1001 ; ",
	  SUPPORT "2:3 2:0 1:1 3:3 32:0x1002 ; " },
	{ "full-address-longer", { PT }, 1, 10,
	  PT_START(0x7ff80) "2:2 2:0 5:1 1:0 31:0x7ff90 ; " PT_ENDED,
	  PT_START(0x7ff80) "2:2 2:1 5:1 1:0 31:0x10 ; " PT_ENDED },

	/* Traps and contexts */
	{ "privilege-reserved", { REF }, 1, 5,
	  SUPPORT START_AS(1, 2, 0x800),
	  SUPPORT START_AS(1, 4, 0x800) },
	{ "ecause-reserved", { REF }, 2, 8,
	  SUPPORT START TRAP_AS(14, 1, 0x900),
	  SUPPORT START TRAP_AS(13, 1, 0x900) },
	{ "interrupt-with-tval", { REF }, 2, 47,
	  SUPPORT START "2:3 2:1 1:1 3:3 6:7 1:1 1:1 31:0x900 32:7 ! ",
	  SUPPORT START "2:3 2:1 1:1 3:3 6:7 1:1 1:1 31:0x900 ; " },
	{ "ecall-from-elsewhere", { REF }, 2, 8,
	  SUPPORT START TRAP_AS(8, 1, 0x900),
	  SUPPORT START TRAP_AS(11, 1, 0x900) },
	{ "context-without-fields", { REF }, 2, WHOLE,
	  SUPPORT START "2:3 2:2 3:3 ; " ENDED,
	  SUPPORT START ENDED },
	{ "context-unchanged", { REF, CONTEXT }, 2, WHOLE,
	  SUPPORT "2:3 2:0 1:1 3:3 8:5 31:0x800 ; " "2:3 2:2 3:3 8:5 ; " ENDED,
	  SUPPORT "2:3 2:0 1:1 3:3 8:5 31:0x800 ; " "2:3 2:2 3:3 8:6 ; " ENDED },
	{ "context-new-privilege", { REF, CONTEXT }, 2, 4,
	  SUPPORT "2:3 2:0 1:1 3:3 8:5 31:0x800 ; " "2:3 2:2 3:0 8:6 ; " ENDED,
	  SUPPORT "2:3 2:0 1:1 3:3 8:5 31:0x800 ; " "2:3 2:2 3:3 8:6 ; " ENDED },
	{ "time-goes-back", { REF, .time = 1, .time_width = 8 }, 2, 8,
	  SUPPORT "2:3 2:0 1:1 3:3 8:5 31:0x800 ; " "2:3 2:0 1:1 3:3 8:4 31:0x801 ; " ENDED,
	  SUPPORT "2:3 2:0 1:1 3:3 8:250 31:0x800 ; " "2:3 2:0 1:1 3:3 8:4 31:0x801 ; " ENDED },

	/* Support packets */
	{ "encoder-mode-reserved", { REF }, 1, 5, SUPPORT SUPPORT_AS(1, 1, 0, 0), SUPPORT },
	{ "qual-status-reserved", { PT }, 1, 15,
	  PT_START(0x800) PT_SUPPORT(0, 0x34, 0, 2),
	  PT_START(0x800) PT_ENDED },
	{ "msg-type-not-0", { PT }, 1, 0,
	  PT_START(0x800) PT_SUPPORT(1, 0x34, 0, 1),
	  PT_START(0x800) PT_ENDED },
	{ "control-code-unknown", { PT }, 1, 2,
	  PT_START(0x800) PT_SUPPORT(0, 0x35, 0, 1),
	  PT_START(0x800) PT_ENDED },
	{ "support-type-unknown", { PT }, 1, 8,
	  PT_START(0x800) PT_SUPPORT(0, 0x34, 2, 1),
	  PT_START(0x800) PT_ENDED },
	{ "option-not-supported", { REF }, 0, 8, SUPPORT_AS(1, 0, 0, 16), SUPPORT_AS(1, 0, 0, 4) },
	/* implicit return, a predictor, a cache: from payload bit 10 on */
	{ "option-not-supported", { STANDARD }, 0, 10, SAYS(0, 2, 0), SAYS(0, 2, 0x20) },
	{ "option-not-supported", { STANDARD }, 0, 11, SAYS(0, 4, 0), SAYS(0, 4, 0x1000) },
	{ "option-not-supported", { STANDARD }, 0, 12, SAYS(0, 8, 0), SAYS(0, 8, 0x8000) },
	{ "options-need-subformat", { REF, .bpred_size = 3, .cache_size = 3 }, 0, 8,
	  SUPPORT_AS(1, 0, 0, 24),
	  SUPPORT_AS(1, 0, 0, 16) },
	{ "dloss-without-denable", { REF, .data_trace = 1 }, 0, 14,
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:0 1:1 ; ",
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:1 1:1 ; " },
	{ "doptions-without-denable", { REF, .data_trace = 1, .doptions_width = 2 }, 0, 15,
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:0 1:0 2:1 ; ",
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:1 1:0 2:1 ; " },
	{ "support-missing", { REF }, 0, WHOLE, START ENDED, SUPPORT START ENDED },
	{ "support-unchanged", { REF }, 1, WHOLE,
	  SUPPORT SUPPORT START ENDED,
	  SUPPORT START ENDED },
	{ "support-unchanged", { STANDARD }, 1, WHOLE,
	  SAYS(0, 0, 0x1000) SAYS(0, 0, 0x1000) START SAYS(1, 0, 0x1000),
	  SAYS(0, 0, 0x1000) SAYS(0, 0, 0x2000) START SAYS(1, 0, 0x2000) },
	{ "options-change-while-on", { REF }, 2, 8,
	  SUPPORT START SUPPORT_AS(1, 0, 0, 4),
	  SUPPORT SUPPORT_AS(1, 0, 0, 4) START },
	{ "options-change-while-on", { REF, .data_trace = 1, .doptions_width = 2 }, 2, 8,
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:1 1:0 2:1 ; " START
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:1 1:0 2:2 ; ",
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:1 1:0 2:1 ; "
	  "2:3 2:3 1:1 1:0 2:0 5:0 1:1 1:0 2:2 ; " START },
	{ "ienable-0-while-on", { REF }, 2, 4,
	  SUPPORT START SUPPORT_AS(0, 0, 0, 0),
	  SUPPORT START SUPPORT_AS(0, 0, 1, 0) },
	/* said twice it is a loss (design/et-draft) */
	{ "ienable-0-while-on", { PT }, 1, WHOLE,
	  PT_START(0x800) PT_DISABLED PT_ENABLED PT_START(0x800),
	  PT_START(0x800) PT_DISABLED PT_DISABLED PT_ENABLED PT_START(0x800) },
	{ "ienable-0-while-on", { PT }, 1, WHOLE,
	  PT_START(0x800) PT_DISABLED PT_ENDED,
	  PT_START(0x800) PT_ENDED PT_DISABLED PT_ENABLED PT_START(0x800) },
	{ "ienable-0-while-on", { PT }, 1, WHOLE,
	  PT_START(0x800) PT_DISABLED,
	  PT_START(0x800) PT_DISABLED PT_DISABLED },
	{ "packet-while-disabled", { PT }, 3, WHOLE,
	  PT_START(0x800) PT_DISABLED PT_DISABLED PT_START(0x800),
	  PT_START(0x800) PT_DISABLED PT_DISABLED PT_ENABLED PT_START(0x800) },
	{ "packet-while-disabled", { REF }, 3, WHOLE,
	  SUPPORT START SUPPORT_AS(0, 0, 1, 0) START,
	  SUPPORT START SUPPORT_AS(0, 0, 1, 0) SUPPORT START },
	{ "ended-while-off", { REF }, 3, 6, SUPPORT START ENDED ENDED, SUPPORT START ENDED },
	{ "ended-while-off", { REF }, 0, 6, ENDED, SUPPORT },
	{ "ended-without-address", { REF }, 3, 6,
	  SUPPORT START "2:1 5:0 31:5 ; " ENDED,
	  SUPPORT START "2:1 5:0 31:5 ; " ADDRESS ENDED },
	{ "ended-ntr-after-updiscon", { REF }, 3, 6,
	  SUPPORT START ADDRESS_DISCON ENDED_NTR,
	  SUPPORT START ADDRESS_DISCON ENDED },
	{ "lost-while-lost", { REF }, 3, 6,
	  SUPPORT START LOST LOST START,
	  SUPPORT START LOST START },

	/* Order */
	{ "first-not-sync", { REF }, 1, WHOLE,
	  SUPPORT ADDRESS START ENDED,
	  SUPPORT START ADDRESS ENDED },
	{ "packet-while-off", { REF }, 3, WHOLE,
	  SUPPORT START ENDED ADDRESS,
	  SUPPORT START ENDED START ADDRESS },
	{ "context-while-off", { REF, CONTEXT }, 3, WHOLE,
	  SUPPORT "2:3 2:0 1:1 3:3 8:5 31:0x800 ; " ENDED "2:3 2:2 3:3 8:6 ; ",
	  SUPPORT "2:3 2:0 1:1 3:3 8:5 31:0x800 ; " "2:3 2:2 3:3 8:6 ; " ENDED },
	{ "lost-without-sync", { REF }, 3, WHOLE,
	  SUPPORT START LOST ADDRESS,
	  SUPPORT START LOST START ADDRESS },
	{ "trap-without-sync", { REF }, 3, WHOLE,
	  SUPPORT START TRAP_AS(2, 0, 0) ADDRESS ENDED,
	  SUPPORT START TRAP_AS(2, 0, 0) START ADDRESS ENDED },
	{ "updiscon-without-format-3", { REF }, 3, WHOLE,
	  SUPPORT START ADDRESS_DISCON ADDRESS ENDED,
	  SUPPORT START ADDRESS_DISCON START ENDED },
	{ "sync-interval-exceeded", { REF, .sync_mode = HS_ET_SYNC_PACKETS }, 34, WHOLE,
	  SUPPORT START EIGHT(EIGHT(ADDRESS)) ENDED,
	  SUPPORT START EIGHT(ADDRESS ADDRESS) START EIGHT(ADDRESS ADDRESS) ENDED },
	{ "stream-ends-while-on", { REF }, 1, WHOLE, SUPPORT START, SUPPORT START ENDED },

	/* What the program contradicts */
	{ "flow-no-code", { REF }, 2, WHOLE,
	  SUPPORT START_AS(1, 3, 0x806) "2:2 31:0x7fa 1:0 1:0 1:0 ; ",
	  SUPPORT START_AS(1, 3, 0x806) "2:2 31:0x7ffffffa 1:1 1:1 1:1 ; " },
	/* then a synchronisation that is not followed: its branch bit says nothing */
	{ "flow-no-code", { REF }, 2, WHOLE,
	  SUPPORT START_AS(1, 3, 0x806) "2:2 31:0x7fa 1:0 1:0 1:0 ; " START_AS(0, 3, 0x1001),
	  SUPPORT START_AS(1, 3, 0x806) "2:2 31:0x7ffffffa 1:1 1:1 1:1 ; " },
	{ "flow-sync-without-code", { REF }, 1, WHOLE,
	  SUPPORT START_AS(1, 3, 0x1000),
	  SUPPORT START },
	{ "flow-branch-not-reported", { REF }, 2, WHOLE,
	  SUPPORT START ADDRESS ENDED,
	  SUPPORT START "2:1 5:1 1:1 31:2 1:0 1:0 1:0 ; " ENDED },
	{ "flow-branches-left", { REF }, 2, WHOLE,
	  SUPPORT START "2:1 5:2 3:3 31:2 1:0 1:0 1:0 ; ",
	  SUPPORT START "2:1 5:1 1:1 31:2 1:0 1:0 1:0 ; " },
	{ "flow-jump-before-branch", { REF, RETURNS }, 2, WHOLE,
	  SUPPORT_AS(1, 0, 0, 1) START_AS(1, 3, 0x806) "2:1 5:0 31:5 ; ",
	  SUPPORT_AS(1, 0, 0, 1) START_AS(1, 3, 0x806) },
	{ "flow-not-reached", { REF }, 2, WHOLE,
	  SUPPORT START_AS(1, 3, 0x803) "2:2 31:1 1:0 1:0 1:0 ; ",
	  SUPPORT START_AS(1, 3, 0x803) ENDED },
	{ "flow-handler-unknown", { REF, .options = HS_ET_IMPLICIT_EXCEPT }, 2, WHOLE,
	  SUPPORT_AS(1, 0, 0, 2) START "2:3 2:1 1:1 3:3 6:2 1:0 1:1 32:0 ; ",
	  SUPPORT_AS(1, 0, 0, 2) START TRAP_AS(2, 0, 0) START },
	{ "flow-cache-entry-empty", { REF, CACHES }, 2, WHOLE,
	  SUPPORT_AS(1, 0, 0, 8) START_AS(1, 3, 0x806) "2:0 3:2 5:0 1:0 ; ",
	  SUPPORT_AS(1, 0, 0, 8) START_AS(1, 3, 0x806) },
	{ "flow-sync-branch-bit", { REF }, 1, WHOLE,
	  SUPPORT START_AS(0, 3, 0x800) ENDED,
	  SUPPORT START_AS(0, 3, 0x801) ENDED },
	{ "flow-notify-at-target", { REF }, 2, WHOLE,
	  SUPPORT START_AS(1, 3, 0x806) "2:2 31:0x7ffffffa 1:0 1:0 1:0 ; ",
	  SUPPORT START_AS(1, 3, 0x806) "2:2 31:0x7ffffffa 1:1 1:1 1:1 ; " },
	{ "flow-ecall-not-there", { REF }, 2, WHOLE,
	  SUPPORT START_AS(1, 3, 0x806) TRAP_AS(11, 1, 0x800),
	  SUPPORT START_AS(1, 3, 0x804) TRAP_AS(11, 1, 0x800) },
	/* thaddr 0 before anything was traced: the address may be undefined */
	{ "flow-ecall-not-there", { REF }, 2, WHOLE,
	  SUPPORT START_AS(1, 3, 0x806) TRAP_AS(11, 1, 0x800),
	  SUPPORT TRAP_AS(11, 0, 0) START_AS(1, 3, 0x800) },
	{ "flow-ambiguous", { PT }, 2, WHOLE,
	  PT_START(0x804) "2:2 2:2 31:2 ; " PT_START(0x807),
	  PT_START(0x804) PT_START(0x806) },
};

#define LINT_ROWS (sizeof lint_rows / sizeof *lint_rows)

#endif
