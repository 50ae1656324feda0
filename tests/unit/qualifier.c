/* What is traced: filters over blocks, and the trace that comes of it. */
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/ingress.h>
#include <hartscope/port.h>

#include "unit/ntrace_rows.h"
#include "widest_port.h"

#define OFF STOP(4)
#define U(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_U, 0, 0, HS_KIND_BLOCK }
#define M(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_M, 0, 0, HS_KIND_BLOCK }
#define D(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_D, 0, 0, HS_KIND_BLOCK }
#define TIME(t) { { (t) }, { 0 }, 0, 0, HS_PRIV_UNKNOWN, 0, 0, HS_KIND_TIME }
#define HART(n) { { 0 }, { (n) }, 0, 0, HS_PRIV_UNKNOWN, 0, 0, HS_KIND_HART }
#define TRAP(cause) { { 0 }, { (cause) }, 0, 0, 0, 0, 0, HS_KIND_TRAP }
#define TVAL(cause, tval) { { (tval) }, { (cause) }, 0, 0, 0, 0, 0, HS_KIND_TRAP }
/* A trap whose block is not traced, before its handler, which is. */
#define LONE(type, cause, tval) { { (tval) }, { (cause) }, 0, (type), 0, 0, 0, HS_KIND_TRAP }
#define USER(v, word) { { (v) }, { HS_NOTE_USER }, 0, (word), HS_PRIV_UNKNOWN, 0, 0, HS_KIND_NOTE }
#define TRIGGER(action) { { (action) }, { HS_NOTE_TRIGGER }, 0, 0, HS_PRIV_UNKNOWN, 0, \
	0, HS_KIND_NOTE }
#define WATCH(a) { { (a) }, { 0 }, 0, 6, HS_PRIV_UNKNOWN, 0, 0, HS_KIND_SYNC }

/* All lines of @text; *line as hs_qualifier_read() sets it. */
static enum hs_status read_lines(struct hs_qualifier_config *c, const char *text, unsigned *line)
{
	struct hs_span in = { (const uint8_t *)text, strlen(text) };
	const enum hs_status s = hs_qualifier_read(c, &in, line);

	assert_true(s != HS_OK || in.n == 0);
	return s;
}

/* counter: 100 c.add, 102 beq, 106 c.add, 108 10c 110 114 118 add, 11c c.ebreak; 200 c.add, 202
 * ret */
static const struct filter_row {
	const char *name, *filters[3];
	struct hs_block in[8], out[10];
} filter_rows[] = {
	/* A row for each sentence of PT 4.  "The encoder must be able to filter on": */
	{ "the instruction address", { "iaddr=0x200-0x205" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x106, 11, 2, 0) },
	  { B(0x200, 3, 2, 13), OFF } },
	{ "the context", { "context=7" }, { B(0x100, 3, 2, 5), CONTEXT(7, 2, 7),
	                                    B(0x200, 3, 2, 13) },
	  { CONTEXT(7, 2, 7), B(0x200, 3, 2, 13) } },
	{ "the exception cause", { "ecause=63" },
	  { B(0x100, 1, 1, 1), TRAP(63), B(0x200, 3, 2, 3), B(0x106, 11, 2, 0) },
	  { LONE(1, 63, 0), B(0x200, 3, 2, 3), OFF } },
	{ "the exception cause: one that multiple choice does not reach",
	  { "filter.0.ecause_value = 0x1234", "filter.0.enable = 1" },
	  { B(0x100, 1, 1, 1), TRAP(0x1234), B(0x200, 3, 2, 3), B(0x106, 11, 2, 1), TRAP(52),
	    B(0x200, 3, 2, 3) },
	  { LONE(1, 0x1234, 0), B(0x200, 3, 2, 3), OFF, TRAP(52) } },
	{ "whether it is an interrupt: interrupts", { "interrupt" },
	  { B(0x100, 1, 1, 1), TRAP(7), B(0x200, 3, 2, 3), B(0x102, 2, 2, 2), TRAP(7),
	    B(0x200, 3, 2, 3) },
	  { TRAP(7), LONE(2, 7, 0), B(0x200, 3, 2, 3) } },
	{ "whether it is an interrupt: exceptions", { "exception" },
	  { B(0x100, 1, 1, 2), TRAP(7), B(0x200, 3, 2, 3), B(0x102, 2, 2, 1), TRAP(7),
	    B(0x200, 3, 2, 3) },
	  { TRAP(7), LONE(1, 7, 0), B(0x200, 3, 2, 3) } },
	{ "cause and interrupt together", { "interrupt+ecause=7" },
	  { B(0x100, 1, 1, 1), TRAP(7), B(0x200, 3, 2, 3), B(0x102, 2, 2, 2), TRAP(7),
	    B(0x200, 3, 2, 3), B(0x106, 1, 1, 2), TRAP(9) },
	  { TRAP(7), LONE(2, 7, 0), B(0x200, 3, 2, 3), OFF } },
	{ "the privilege level", { "priv=M" },
	  { U(0x100, 3, 2, 5), M(0x200, 3, 2, 13), U(0x106, 11, 2, 0) },
	  { M(0x200, 3, 2, 13), OFF } },
	{ "tval", { "tval=0xbad0" },
	  { B(0x100, 1, 1, 1), TVAL(13, 0xbad0), B(0x200, 3, 2, 3), B(0x102, 2, 2, 1),
	    TVAL(13, 0xbad4), B(0x200, 3, 2, 3) },
	  { LONE(1, 13, 0xbad0), B(0x200, 3, 2, 3), OFF, TVAL(13, 0xbad4) } },
	{ "tval, through a nested trap", { "tval>=0xbad0" },
	  { B(0x100, 1, 1, 1), TVAL(13, 0xbad0), B(0x200, 1, 1, 1), TVAL(2, 0), B(0x206, 2, 2, 3),
	    B(0x202, 2, 2, 3), B(0x106, 11, 2, 0) },
	  { LONE(1, 13, 0xbad0), B(0x200, 1, 1, 1), TVAL(2, 0), B(0x206, 2, 2, 3),
	    B(0x202, 2, 2, 3),
	    OFF } },
	{ "user specific signals", { "user=0x50/0xf0" },
	  { B(0x100, 3, 2, 5), USER(0x5f, 0), B(0x200, 3, 2, 13), USER(0x6f, 0),
	    B(0x106, 11, 2, 0) }, { B(0x200, 3, 2, 13), OFF } },
	{ "user specific signals above 64", { "filter.0.user = 1", "filter.0.user_word = 3",
	                                      "filter.0.enable = 1" },
	  { USER(1, 0), B(0x100, 3, 2, 5), USER(1, 3), B(0x200, 3, 2, 13) },
	  { B(0x200, 3, 2, 13) } },
	/* "Which filtering operation": each on both sides of the value, and on it */
	{ "eq", { "context=7" }, { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7),
	                           B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(6, 2, 7), CONTEXT(7, 2, 7), B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), OFF } },
	{ "neq", { "context!=7" }, { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7),
	                             B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7), OFF, CONTEXT(8, 2, 7),
	    B(0x106, 11, 2, 0) } },
	{ "lt", { "context<7" }, { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7),
	                           B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7), OFF, CONTEXT(8, 2, 7) } },
	{ "lte", { "context<=7" }, { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7),
	                             B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7), B(0x200, 3, 2, 13),
	    CONTEXT(8, 2, 7), OFF } },
	{ "gt", { "context>7" }, { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7),
	                           B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(6, 2, 7), CONTEXT(7, 2, 7), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) } },
	{ "gte", { "context>=7" }, { CONTEXT(6, 2, 7), B(0x100, 3, 2, 5), CONTEXT(7, 2, 7),
	                             B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(6, 2, 7), CONTEXT(7, 2, 7), B(0x200, 3, 2, 13), CONTEXT(8, 2, 7),
	    B(0x106, 11, 2, 0) } },
	{ "always", { "comparator.0.function = always", "filter.0.comparators = 0",
	              "filter.0.enable = 1" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13) }, { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13) } },
	{ "lt on address", { "iaddr<0x108" }, { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x100, 3, 2, 4), B(0x106, 1, 1, 0), OFF } },
	{ "gt on address", { "iaddr>0x108" }, { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x10c, 8, 2, 0) } },
	{ "neq on address", { "iaddr!=0x108" }, { B(0x106, 11, 2, 0) },
	  { B(0x106, 1, 1, 0), OFF, B(0x10c, 8, 2, 0) } },
	{ "lt on tval", { "tval<5" }, { B(0x100, 1, 1, 1), TVAL(2, 4), B(0x200, 3, 2, 3),
	                                B(0x102, 2, 2, 1), TVAL(2, 5), B(0x200, 3, 2, 3) },
	  { LONE(1, 2, 4), B(0x200, 3, 2, 3), OFF, TVAL(2, 5) } },
	{ "neq on tval", { "tval!=4" }, { B(0x100, 1, 1, 1), TVAL(2, 4), B(0x200, 3, 2, 3),
	                                  B(0x102, 2, 2, 1), TVAL(2, 5), B(0x200, 3, 2, 3) },
	  { TVAL(2, 4), LONE(1, 2, 5), B(0x200, 3, 2, 3) } },
	{ "a range of tval", { "tval=4-5" }, { B(0x100, 1, 1, 1), TVAL(2, 5), B(0x200, 3, 2, 3),
	                                       B(0x102, 2, 2, 1), TVAL(2, 6), B(0x200, 3, 2, 3) },
	  { LONE(1, 2, 5), B(0x200, 3, 2, 3), OFF, TVAL(2, 6) } },
	/* "The user may wish to": */
	{ "trace instructions between a range of addresses", { "iaddr=0x102-0x10b" },
	  { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x102, 2, 2, 4), B(0x106, 3, 2, 0), OFF } },
	{ "trace instruction from one address to another", { "latch=0x200-0x10c" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x106, 11, 2, 0) },
	  { B(0x200, 3, 2, 13), B(0x106, 5, 2, 0), OFF } },
	{ "trace interrupt service routine", { "interrupt+ecause=7" },
	  { B(0x100, 1, 1, 2), TRAP(7), B(0x200, 3, 2, 3), B(0x102, 2, 2, 5) },
	  { LONE(2, 7, 0), B(0x200, 3, 2, 3), OFF } },
	{ "start/stop trace when in a particular privilege", { "priv=U" },
	  { M(0x100, 3, 2, 5), U(0x200, 3, 2, 13), M(0x106, 11, 2, 0), U(0x200, 3, 2, 13) },
	  { U(0x200, 3, 2, 13), OFF, U(0x200, 3, 2, 13) } },
	{ "start/stop trace when context changes", { "context!=1" },
	  { CONTEXT(1, 2, 7), B(0x100, 3, 2, 5), CONTEXT(2, 2, 7), B(0x200, 3, 2, 13) },
	  { CONTEXT(1, 2, 7), CONTEXT(2, 2, 7), B(0x200, 3, 2, 13) } },
	{ "start at one context, stop at another",
	  { "comparator.0.input = context\ncomparator.0.value = 2\ncomparator.0.second.input = context\n"
	  "comparator.0.second.value = 3\ncomparator.0.mode = latch\n", "filter.0.comparators = 0",
	  "filter.0.enable = 1" },
	  { CONTEXT(1, 2, 7), B(0x100, 3, 2, 5), CONTEXT(2, 2, 7), B(0x200, 3, 2, 13),
	    CONTEXT(3, 2, 7), B(0x106, 11, 2, 0) },
	  { CONTEXT(1, 2, 7), CONTEXT(2, 2, 7), B(0x200, 3, 2, 13), CONTEXT(3, 2, 7),
	    B(0x106, 1, 1, 0), OFF } },
	{ "start/stop trace when specific instruction", { "iaddr=0x102-0x102" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13) }, { B(0x102, 2, 2, 5), OFF } },
	{ "start/stop using user specific signals: a CSR value", { "user=0xc0" },
	  { USER(0xc0, 0), B(0x100, 3, 2, 5), USER(0xc1, 0), B(0x200, 3, 2, 13) },
	  { B(0x100, 3, 2, 5), OFF } },
	/* PT Table 4.1 */
	{ "2: trace on", { "trace = off" }, { B(0x100, 3, 2, 5), TRIGGER(2), B(0x200, 3, 2, 13) },
	  { B(0x200, 3, 2, 13) } },
	{ "3: trace off", { NULL }, { B(0x100, 3, 2, 5), TRIGGER(3), B(0x200, 3, 2, 13) },
	  { B(0x100, 3, 2, 5), OFF } },
	{ "4: trace single", { NULL }, { B(0x100, 3, 2, 5), TRIGGER(4), B(0x200, 3, 2, 13) },
	  { B(0x100, 3, 2, 5), WATCH(0x200), B(0x200, 3, 2, 13) } },
	{ "off, then on before anything retires: it stays on", { NULL },
	  { B(0x100, 3, 2, 5), TRIGGER(3), TRIGGER(2), B(0x200, 3, 2, 13) },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13) } },
	{ "on and off about one block", { "trace = off" },
	  { B(0x100, 3, 2, 5), TRIGGER(2), B(0x200, 3, 2, 13), TRIGGER(3), B(0x106, 11, 2, 0) },
	  { B(0x200, 3, 2, 13), OFF } },
	/* ET Filtering; TCI trTeFilter */
	{ "up to three comparators must match", { "iaddr<0x200+context=1+context<2" },
	  { B(0x100, 3, 2, 5), CONTEXT(1, 2, 7), B(0x200, 3, 2, 13), B(0x106, 11, 2, 0) },
	  { CONTEXT(1, 2, 7), B(0x106, 11, 2, 0) } },
	{ "nested traps are counted to 2^1", { "filter_ecause = 1", "filter.0.interrupt = 0",
	                                       "filter.0.enable = 1" },
	  { B(0x100, 1, 1, 1), TRAP(2), B(0x200, 1, 1, 1), TRAP(2), B(0x206, 2, 2, 3),
	    B(0x202, 2, 2, 3), B(0x106, 11, 2, 0) },
	  { LONE(1, 2, 0), B(0x200, 1, 1, 1), TRAP(2), B(0x206, 2, 2, 3), B(0x202, 2, 2, 3),
	    OFF } },
	{ "one more than is counted: it ends too early (TCI note)",
	  { "filter_ecause = 1", "filter.0.interrupt = 0", "filter.0.enable = 1" },
	  { TRAP(2), TRAP(2), TRAP(2), B(0x206, 2, 2, 3), B(0x202, 2, 2, 3), B(0x20e, 2, 2, 3) },
	  { TRAP(2), TRAP(2), LONE(1, 2, 0), B(0x206, 2, 2, 3), B(0x202, 2, 2, 3),
	    OFF } },
	{ "the secondary value is a mask",
	  { "comparator.0.value = 0x8\ncomparator.0.second.function = mask\ncomparator.0.second.value = 0xc",
	    "filter.0.comparators = 0", "filter.0.enable = 1" },
	  { B(0x106, 11, 2, 0) }, { B(0x108, 2, 2, 0), OFF, B(0x118, 2, 2, 0) } },
	{ "!(P && S)", { "comparator.0.function = gte\ncomparator.0.value = 0x108\ncomparator.0.second.function = lt\ncomparator.0.second.value = 0x10c\ncomparator.0.mode = not_both",
	  "filter.0.comparators = 0", "filter.0.enable = 1" },
	  { B(0x106, 11, 2, 0) }, { B(0x106, 1, 1, 0), OFF, B(0x10c, 8, 2, 0) } },
	{ "a watchpoint alone", { "comparator.3.value = 0x108\ncomparator.3.notify = 1" },
	  { B(0x106, 11, 2, 0) }, { B(0x106, 1, 1, 0), WATCH(0x108), B(0x108, 10, 2, 0) } },
	{ "off inside a block, its end is traced", { "iaddr=0x106-0x107", "iaddr=0x10c-0x11b" },
	  { B(0x106, 11, 2, 5) }, { B(0x106, 1, 1, 0), OFF, B(0x10c, 8, 2, 5) } },
	/* a synchronisation whose instruction is not traced is taken back (NT Table 25) */
	{ "out of debug mode, not traced", { "iaddr=0x200-0x2ff" },
	  { B(0x200, 3, 2, 13), STOP(0), SYNC(3, 0x106), B(0x106, 11, 2, 0), B(0x200, 3, 2, 13) },
	  { B(0x200, 3, 2, 13), STOP(0), SYNC(3, 0x106), OFF, B(0x200, 3, 2, 13) } },
	{ "a trigger while it is off", { "iaddr=0x200-0x2ff" },
	  { B(0x106, 11, 2, 0), SYNC(0, 0x106), B(0x106, 11, 2, 0) },
	  { SYNC(0, 0x106), OFF } },
	/* ET Filtering: "For a fixed period of time"; ET Privilege level encoding: D */
	{ "a period of time", { "time=10-19" },
	  { B(0x100, 3, 2, 5), TIME(10), B(0x200, 3, 2, 13), TIME(19), B(0x106, 1, 1, 0), TIME(20),
	    B(0x108, 2, 2, 0) },
	  { TIME(10), B(0x200, 3, 2, 13), TIME(19), B(0x106, 1, 1, 0), TIME(20), OFF } },
	{ "before a time", { "time<10" }, { B(0x100, 3, 2, 5), TIME(10), B(0x200, 3, 2, 13) },
	  { B(0x100, 3, 2, 5), TIME(10), OFF } },
	{ "debug mode", { "priv=D" }, { U(0x100, 3, 2, 5), D(0x200, 3, 2, 13), M(0x106, 11, 2, 0) },
	  { D(0x200, 3, 2, 13), OFF } },
	{ "a hart", { "hart=2" }, { HART(1), B(0x100, 3, 2, 5), HART(2), B(0x200, 3, 2, 13) },
	  { HART(1), HART(2), B(0x200, 3, 2, 13) } },
	/* TCI 6.3, IMPORTANT: only bits of the input are compared */
	{ "a comparator's value above an address of 32 bits", { "address_bits = 32",
	  "filter.0.comparators = 0\nfilter.0.enable = 1",
	  "comparator.0.value = 0xdeadbeef00000108" },
	  { B(0x106, 11, 2, 0) }, { B(0x108, 2, 2, 0), OFF } },
	{ "a comparator's value above a context of 4 bits", { "context_bits = 4",
	  "filter.0.comparators = 0\nfilter.0.enable = 1",
	  "comparator.0.input = context\ncomparator.0.value = 0xf7" },
	  { B(0x100, 3, 2, 5), CONTEXT(0x17, 2, 7), B(0x200, 3, 2, 13) },
	  { CONTEXT(0x17, 2, 7), B(0x200, 3, 2, 13) } },
	/* Earlier rows */
	{ "no filter", { NULL }, { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) } },
	{ "range of whole blocks", { "iaddr=0x106-0x11b" },
	  { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x106, 11, 2, 0) } },
	{ "range begins inside a block", { "iaddr=0x108-0x200" }, { B(0x106, 11, 2, 0) },
	  { B(0x108, 10, 2, 0) } },
	{ "range ends inside a block", { "iaddr=0x100-0x10d" },
	  { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) },
	  { B(0x100, 3, 2, 4), B(0x106, 5, 2, 0), OFF } },
	{ "off, and on again", { "iaddr=0x100-0x105" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x100, 3, 2, 4) },
	  { B(0x100, 3, 2, 5), OFF, B(0x100, 3, 2, 4) } },
	{ "two filters are alternatives", { "iaddr=0x100-0x105", "iaddr=0x200-0x205" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x106, 11, 2, 0) },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), OFF } },
	{ "joined terms must all hold", { "iaddr=0x100-0x105+priv=M" },
	  { U(0x100, 3, 2, 5), M(0x100, 3, 2, 5), M(0x200, 3, 2, 13) },
	  { M(0x100, 3, 2, 5), OFF } },
	{ "latch: from one address to another, both included", { "latch=0x10c-0x114" },
	  { B(0x100, 3, 2, 4), B(0x106, 11, 2, 0) }, { B(0x10c, 6, 2, 0), OFF } },
	{ "latch across blocks", { "latch=0x102-0x200" },
	  { B(0x100, 3, 2, 5), B(0x200, 3, 2, 13), B(0x106, 11, 2, 0) },
	  { B(0x102, 2, 2, 5), B(0x200, 1, 1, 0), OFF } },
	{ "privileges", { "priv=U,S" }, { M(0x100, 3, 2, 5), U(0x200, 3, 2, 13),
	                                  M(0x106, 11, 2, 0) },
	  { U(0x200, 3, 2, 13), OFF } },
	{ "context", { "context=7" },
	  { B(0x100, 3, 2, 5), CONTEXT(7, 2, 7), B(0x200, 3, 2, 13), CONTEXT(8, 2, 7),
	    B(0x106, 11, 2, 0) },
	  { CONTEXT(7, 2, 7), B(0x200, 3, 2, 13), CONTEXT(8, 2, 7), OFF } },
	{ "inside an exception of a cause", { "ecause=2" },
	  { B(0x100, 1, 1, 1), TRAP(2), B(0x200, 3, 2, 3), B(0x106, 11, 2, 0) },
	  { LONE(1, 2, 0), B(0x200, 3, 2, 3), OFF } },
	{ "other causes do not match", { "ecause=2,5" },
	  { B(0x100, 1, 1, 1), TRAP(3), B(0x200, 3, 2, 3), B(0x106, 11, 2, 0) }, { TRAP(3) } },
	{ "nested traps end with the first", { "interrupt" },
	  { B(0x100, 1, 1, 2), TRAP(7), B(0x200, 1, 1, 1), TRAP(2), B(0x206, 2, 2, 3),
	    B(0x202, 2, 2, 3),
	    B(0x106, 11, 2, 0) },
	  { LONE(2, 7, 0), B(0x200, 1, 1, 1), TRAP(2), B(0x206, 2, 2, 3), B(0x202, 2, 2, 3),
	    OFF } },
};

static size_t length(const struct hs_block *b, size_t cap)
{
	size_t n = 0;

	while (n < cap && (b[n].iaddr || b[n].iretire || b[n].kind))
		n++;
	return n;
}

static void start(struct hs_qualifier *q, const struct filter_row *row)
{
	struct hs_qualifier_config c = { .size = sizeof c };
	unsigned line;

	for (size_t i = 0; i < 3 && row->filters[i]; i++)
		if (strstr(row->filters[i], " = "))
			assert_int_equal(read_lines(&c, row->filters[i], &line), HS_OK);
		else
			assert_int_equal(hs_qualifier_parse(&c, row->filters[i]), HS_OK);
	assert_int_equal(hs_qualifier_init(q, &c, &counter), HS_OK);
}

TEST_ROWS(filters, filter_rows, row)
{
	struct hs_qualifier q;
	struct hs_block out[64];
	size_t used, n;

	start(&q, row);
	assert_int_equal(hs_qualify(&q, row->in, length(row->in, 8), &used, out, 64, &n), HS_OK);
	assert_int_equal(used, length(row->in, 8));
	for (size_t i = 0; i < n && i < length(row->out, 10); i++) {
		const struct hs_block *w = &row->out[i];

		if (w->kind != out[i].kind || w->value != out[i].value || w->arg != out[i].arg ||
		    w->itype != out[i].itype || w->ilast != out[i].ilast)
			fail_msg("entry %zu: %s %llx+%u last %u itype %u", i,
			         hs_kind_name(out[i].kind),
			         (unsigned long long)out[i].value, out[i].arg, out[i].ilast,
			         out[i].itype);
	}
	assert_int_equal(n, length(row->out, 10));
}

/* A comparator that changes at every instruction, with the least room: nothing is lost. */
TEST(least_room)
{
	struct hs_qualifier_config c = { .size = sizeof c };
	const struct hs_block b = B(0x106, 11, 2, 0);
	struct hs_qualifier q;
	struct hs_block out[HS_QUALIFIER_ROOM];
	unsigned pieces = 0, stops = 0;
	size_t used = 0, n;
	enum hs_status s;

	c.filters[0] = (struct hs_filter){ .enable = true, .comps = 1 };
	c.comparators[0] = (struct hs_comparator){ .p_function = HS_COMP_EQ,
	                                           .s_function = HS_COMP_SPECIAL,
		                                   /* bit 2 is 0 */
		                                   .p_match = 0x8, .s_match = 0x4 };
	c.comparators[0].p_match = 0;
	assert_int_equal(hs_qualifier_init(&q, &c, &counter), HS_OK);
	for (int rounds = 0; rounds < 20; rounds++) {
		do {
			s = hs_qualify(&q, &b, 1, &used, out, HS_QUALIFIER_ROOM, &n);
			for (size_t i = 0; i < n; i++) {
				pieces += out[i].kind == HS_KIND_BLOCK;
				stops += out[i].kind == HS_KIND_STOP;
			}
		} while (s == HS_FULL);
		assert_int_equal(s, HS_OK);
	}
	/* 106 off, 108 on, 10c off, 110 on, 114 off, 118 on */
	assert_int_equal(pieces, 20 * 3);
	assert_int_equal(stops, 20 * 3 - 1);
	assert_int_equal(hs_qualify(&q, &b, 1, &used, out, HS_QUALIFIER_ROOM - 1, &n), HS_E_SPACE);
}

TEST(triggers_switch_and_report)
{
	const struct hs_qualifier_config c = { .size = sizeof c, .off = true };
	const struct hs_block a = B(0x100, 3, 2, 5), b = B(0x200, 3, 2, 13);
	struct hs_qualifier q;
	struct hs_block out[32];
	size_t used, n;

	assert_int_equal(hs_qualifier_init(&q, &c, &counter), HS_OK);
	hs_qualify(&q, &a, 1, &used, out, 32, &n);
	assert_int_equal(n, 0);
	hs_qualifier_trigger(&q, HS_TRIGGER_ON);
	hs_qualifier_trigger(&q, HS_TRIGGER_NOTIFY);
	hs_qualify(&q, &b, 1, &used, out, 32, &n);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_SYNC);
	assert_int_equal(out[0].itype, 6);
	hs_qualifier_trigger(&q, HS_TRIGGER_OFF);
	hs_qualify(&q, &a, 1, &used, out, 32, &n);
	assert_int_equal(n, 1);
	assert_int_equal(out[0].kind, HS_KIND_STOP);
	assert_int_equal(out[0].itype, 4);
}

/* A watchpoint: SYNC 6 at its address (NT Table 25; TCI trTeCompPNotify). */
TEST(a_watchpoint_reports)
{
	struct hs_qualifier_config c = { .size = sizeof c };
	const struct hs_block a = B(0x100, 3, 2, 4), b = B(0x106, 11, 2, 0);
	struct hs_qualifier q;
	struct hs_block out[32];
	size_t used, n;

	c.comparators[2] = (struct hs_comparator){ .p_match = 0x106, .p_notify = true };
	assert_int_equal(hs_qualifier_init(&q, &c, &counter), HS_OK);
	hs_qualify(&q, &a, 1, &used, out, 32, &n);
	assert_int_equal(n, 1);
	hs_qualify(&q, &b, 1, &used, out, 32, &n);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_SYNC);
	assert_int_equal(out[0].value, 0x106);
}

/* Off and on through the encoder: ProgTraceCorrelation EVCODE 4, ProgTraceSync SYNC 5 (NT 7). */
TEST(in_a_trace)
{
	static const uint8_t want[] = { SYNC_100, 0x84, 0x50, 0x0d, 0x0f, SYNC_100, 0x84, 0x40,
	                                0x0d, 0x0b };
	const struct filter_row *row = filter_rows;
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_qualifier q;
	struct hs_nt_encoder e;
	struct hs_block out[32];
	uint8_t bytes[2048];
	size_t used, n, len, end;

	while (strcmp(row->name, "off, and on again") != 0)
		row++;
	start(&q, row);
	assert_int_equal(hs_qualify(&q, row->in, length(row->in, 8), &used, out, 32, &n), HS_OK);
	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, out, n, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(hs_nt_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	assert_int_equal(len + end, sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

TEST(filters_as_texts)
{
	static const struct { const char *text; enum hs_status want; } list[] = {
		{ "iaddr=0x100-0x200", HS_OK }, { "iaddr=256-512", HS_OK }, { "priv=VS,VU", HS_OK },
		{ "iaddr=1-2+context=3+latch=4-5", HS_OK }, { "interrupt+priv=M", HS_OK },
		{ "", HS_E_FORMAT }, { "iaddr", HS_E_FORMAT }, { "iaddr=", HS_E_FORMAT },
			{ "iaddr=1", HS_E_FORMAT },
		{ "iaddr=1-", HS_E_FORMAT }, { "iaddr=1-2 ", HS_E_FORMAT },
			{ "iaddr=1-2+", HS_E_FORMAT },
		{ "priv=X", HS_E_FORMAT }, { "ecause=64", HS_E_FORMAT }, { "ecause=63", HS_OK },
		{ "iaddr=0x1ffffffffffffffff-2", HS_E_FORMAT }, { "iaddr=0x-2", HS_E_FORMAT },
		{ "context=1+context=2+context=3+context=4", HS_E_SPACE },
		{ "context>=3+tval!=0x10", HS_OK }, { "exception+ecause=2", HS_OK },
			{ "user=1/0xff", HS_OK }, { "user=1", HS_OK },
		{ "context=1-5", HS_OK }, { "tval<", HS_E_FORMAT }, { "tval", HS_E_FORMAT },
			{ "context==1", HS_E_FORMAT },
		{ "user=/1", HS_E_FORMAT }, { "user=1/", HS_E_FORMAT }, { "tval<1-2", HS_E_FORMAT },
	};
	struct hs_qualifier_config c;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		c = (struct hs_qualifier_config){ .size = sizeof c };
		c.size = sizeof c;
		if (hs_qualifier_parse(&c, list[i].text) != list[i].want)
			fail_msg("'%s'", list[i].text);
	}
	c = (struct hs_qualifier_config){ .size = sizeof c };
	for (int i = 0; i < HS_COMPARATORS; i++)
		assert_int_equal(hs_qualifier_parse(&c, "context=1"), HS_OK);
	assert_int_equal(hs_qualifier_parse(&c, "context=1"), HS_E_SPACE);
	for (int i = HS_COMPARATORS; i < HS_FILTERS; i++)
		assert_int_equal(hs_qualifier_parse(&c, "priv=U"), HS_OK);
	assert_int_equal(hs_qualifier_parse(&c, "priv=U"), HS_E_SPACE);
}

/* Set-up commands, a line each. */
TEST(set_up_commands_a_line_each)
{
	static const struct { const char *text; enum hs_status want; unsigned line; } list[] = {
		{ "# a comment\n\n; another\n[filters]\n  filter.0.enable=1 ; why\r\n\tfilter.15.privilege = U,VS", HS_OK, 6 },
		{ "comparator.7.function = gte\ncomparator.7.mode = latch\n", HS_OK, 2 },
			{ "comparator.0.function = 3", HS_OK, 1 },
		{ "trace = off\ntrace = on", HS_OK, 2 }, { "filter_ecause = 15", HS_OK, 1 },
			{ "address_bits = 64\ncontext_bits = 65", HS_E_FORMAT, 2 },
			{ "comparator.0.input = time\ncomparator.0.second.input = hart", HS_OK, 2 },
			{ "comparator.0.input = 6", HS_E_FORMAT, 1 },
			{ "filter.0.comparators = 0,1,7", HS_OK, 1 },
		{ "", HS_OK, 0 }, { "\n\nnonsense", HS_E_FORMAT, 3 },
			{ "filter.0.enable = 2", HS_E_FORMAT, 1 },
		{ "filter.16.enable = 1", HS_E_ARG, 1 }, { "comparator.8.value = 1", HS_E_ARG, 1 },
			{ "filter.0.colour = 1", HS_E_ARG, 1 },
		{ "filter.0 = 1", HS_E_ARG, 1 }, { "colour = 1", HS_E_ARG, 1 },
			{ "comparator.0.function = sideways", HS_E_FORMAT, 1 },
		{ "comparator.0.function = 8", HS_E_FORMAT, 1 },
			{ "comparator.0.input = 3", HS_OK, 1 },
			{ "comparator.0.mode = 4", HS_E_FORMAT, 1 },
		{ "comparator.0.notify = 2", HS_E_FORMAT, 1 },
			{ "comparator.0.value = ", HS_E_FORMAT, 1 },
			{ "comparator.0.value = 1 2", HS_E_FORMAT, 1 },
		{ "filter.0.comparators = 0,1,2,3", HS_E_FORMAT, 1 },
			{ "filter.0.comparators = 8", HS_E_FORMAT, 1 },
			{ "filter.0.privilege = X", HS_E_FORMAT, 1 },
		{ "filter.0.ecause = 64", HS_E_FORMAT, 1 },
			{ "filter.0.ecause_value = 0x100000000", HS_E_FORMAT, 1 },
			{ "filter.0.user_word = 4", HS_E_FORMAT, 1 },
		{ "trace = maybe", HS_E_FORMAT, 1 }, { "filter_ecause = 16", HS_E_FORMAT, 1 },
			{ "= 1", HS_E_ARG, 1 },
	};
	struct hs_qualifier_config c;
	char longest[HS_QUALIFIER_LINE + 20];
	unsigned line;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		c = (struct hs_qualifier_config){ .size = sizeof c };
		if (read_lines(&c, list[i].text, &line) != list[i].want || line != list[i].line)
			fail_msg("'%s': line %u", list[i].text, line);
	}
	memset(longest, ' ', sizeof longest);
	assert_int_equal(hs_qualifier_read(&c,
	                                   &(struct hs_span){ (const uint8_t *)longest,
	                                                      HS_QUALIFIER_LINE }, &line), HS_OK);
	assert_int_equal(hs_qualifier_read(&c,
	                                   &(struct hs_span){ (const uint8_t *)longest,
	                                                      HS_QUALIFIER_LINE + 1 }, &line),
	                                                      HS_E_FORMAT);
	c = (struct hs_qualifier_config){ .size = sizeof c };
	assert_int_equal(hs_qualifier_set(&c, "comparator.2.second.value", "0xffffffffffffffff"),
	                 HS_OK);
	assert_true(c.comparators[2].s_match == UINT64_MAX);
	assert_int_equal(hs_qualifier_set(&c, "filter.3.user", "5"), HS_OK);
	assert_true(c.filters[3].match_user && c.filters[3].value_user == 5 &&
	            c.filters[3].mask_user == UINT64_MAX);
	assert_int_equal(hs_qualifier_set(&c, "filter.3.user", "x"), HS_E_FORMAT);
	assert_true(c.filters[3].value_user == 5);
}

/* Parameters of PT Table 3.6 that say what a device filters on. */
TEST(parameters_of_support)
{
	static const struct { const char *text; struct hs_filter_support lacks; } list[] = {
		{ "context=1", { .filter_context = 1 } }, { "tval=1", { .filter_tval = 1 } },
			{ "interrupt", { .filter_interrupt = 1 } },
		{ "priv=U", { .filter_privilege = 1 } }, { "ecause=1", { .filter_ecause = 1 } },
			{ "ecause=8", { .ecause_choice = 1 } },
		{ "user=0x100/0x100", { .user_width = 1 } }, { "iaddr=1-2", { .comparators = 1 } },
			{ "iaddr=1-2", { .filters = 1 } },
		{ "time=1-2", { .filter_time = 1 } }, { "hart=1", { .filter_context = 1 } },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct hs_filter_support *x = &list[i].lacks;
		const struct hs_filter_support all = { sizeof all, 8, 16, 1, 1, 1, 1, 15, 6, 256,
			1 };
		const struct hs_filter_support some = { sizeof some,
			x->comparators ? 0 : 8, x->filters ? 0
				: 16, !x->filter_context, !x->filter_interrupt,
				!x->filter_privilege,
			!x->filter_tval, x->filter_ecause ? 0 : 15, x->ecause_choice ? 3
				: 6, x->user_width ? 8 : 256, !x->filter_time
		};
		struct hs_qualifier_config c = { .size = sizeof c };

		assert_int_equal(hs_qualifier_parse(&c, list[i].text), HS_OK);
		assert_int_equal(hs_qualifier_supported(&c, &all), HS_OK);
		if (hs_qualifier_supported(&c, &some) != HS_E_UNSUPPORTED)
			fail_msg("'%s' should need more", list[i].text);
	}
}

/* docs/library.md, "Structs that grow". */
TEST(configurations_grow)
{
	static const struct { uint32_t size; uint8_t tail; enum hs_status want, filter; } sizes[] =
		{
		/* zeroed: everything is traced */
		{ sizeof(struct hs_qualifier_config), 0, HS_OK, HS_OK },
		/* older: without filters */
		{ offsetof(struct hs_qualifier_config, filters), 0, HS_OK, HS_E_CONFIG },
		{ sizeof(struct hs_qualifier_config) + 8, 0, HS_OK, HS_OK }, /* newer */
		{ sizeof(struct hs_qualifier_config) + 8, 1, HS_E_CONFIG, HS_E_CONFIG },
		{ 3, 0, HS_E_CONFIG, HS_E_CONFIG },
	};
	const struct hs_filter_support none = { .size = sizeof none };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct { struct hs_qualifier_config c; uint8_t more[8]; } given =
			{ .c = { .size = sizes[i].size } };
		struct hs_span in = { (const uint8_t *)"filter_ecause = 2", 17 };
		struct hs_qualifier q;
		unsigned line;

		given.more[0] = sizes[i].tail;
		assert_int_equal(hs_qualifier_init(&q, &given.c, NULL), sizes[i].want);
		assert_int_equal(hs_qualifier_supported(&given.c, &none), sizes[i].want);
		assert_int_equal(hs_qualifier_set(&given.c, "trace", "off"), sizes[i].want);
		assert_int_equal(given.c.off, sizes[i].want == HS_OK);
		assert_int_equal(hs_qualifier_read(&given.c, &in, &line), sizes[i].want);
		assert_int_equal(given.c.filter_ecause, sizes[i].want == HS_OK ? 2 : 0);
		assert_int_equal(hs_qualifier_parse(&given.c, "interrupt"), sizes[i].filter);
		assert_int_equal(given.c.size, sizes[i].size);
		assert_int_equal(given.more[0], sizes[i].tail);
	}
}

/* From the trigger unit's action on the port to what is traced (PT 4.1). */
TEST(from_the_port)
{
#define CYCLE(a, op, act) { .slot = { { .iretire = 1, .iaddr = (a), .instr = (op), .priv = 3 } }, \
	.action = (act) }
	static const struct hs_port_cycle cycles[] =
		{ CYCLE(0x100, 0x13, 0), CYCLE(0x104, 0x13, 2), CYCLE(0x108, 0x13, 0),
		                                       CYCLE(0x10c, 0x13, 3),
		                                       CYCLE(0x110, 0x13, 0) };
	const struct hs_qualifier_config qc = { .size = sizeof qc, .off = true };
	struct hs_block at[6 * HS_PORT_ROOM], out[64];
	struct hs_blocks blocks = { at, 6 * HS_PORT_ROOM, 0 };
	const struct hs_port_config c = widest_port(HS_PORT_INSN);
	struct hs_qualifier q;
	struct hs_port p;
	size_t used, n;

	assert_int_equal(hs_port_init(&p, &c, NULL), HS_OK);
	for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++)
		assert_int_equal(hs_port_clock(&p, &cycles[i], &blocks), HS_OK);
	assert_int_equal(hs_port_flush(&p, &blocks), HS_OK);
	assert_int_equal(hs_qualifier_init(&q, &qc, NULL), HS_OK);
	assert_int_equal(hs_qualify(&q, at, blocks.n, &used, out, 64, &n), HS_OK);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].iaddr, 0x104);
	assert_int_equal(out[0].iretire, 6); /* 104, 108, 10c */
	assert_int_equal(out[1].kind, HS_KIND_STOP);
}
