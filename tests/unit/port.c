/* The ingress port: rows of its tables, legal and illegal combinations, both forms; stall and loss;
 * the queue of fetched instructions; rows of text. */
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/port.h>

#include "ingress/import.h"
#include "unit/port_rows.h"
#include "widest_port.h"

/* 100 c.add, 102 beq 200; 200 ret */
static const uint8_t code_100[] = { 0x2e, 0x95, 0x63, 0x0f, 0xb5, 0x0e },
	code_200[] = { 0x67, 0x80, 0x00, 0x00 };
static const struct hs_section sections[] = { { 0x100, sizeof code_100, code_100 },
                                              { 0x200, sizeof code_200, code_200 } };
static const struct hs_image program = { sections, 2, { .xlen = 64 }, 0 };

static void configure(struct hs_port_config *c, enum hs_port_form form, unsigned flags)
{
	*c = widest_port(form);
	c->isa.xlen = flags & RV32 ? 32 : 64;
	c->iaddress_width = c->isa.xlen;
	c->retract_width = flags & FETCH ? 6 : 0;
	c->retract_last = (flags & RETRACT_LAST) != 0;
	c->sideband = (flags & SIDEBAND) != 0;
	c->user_width = 256;
	c->machine_is_7 = (flags & MACHINE_7) != 0;
	c->ecall_traps = (flags & RATIFIED_ECALL) != 0;
	c->insn_width = flags & WIDEST ? 128 : flags & WIDE ? 64 : 32;
	c->ctype_width = flags & PLAIN_CONTEXT ? 0 : 2;
	c->interrupt_iaddr = (flags & TOLD_EPC) != 0;
	c->retires = flags & SINGLE ? 1 : 4;
	c->itype_width = flags & ITYPE3 ? 3 : 4;
	c->compressed = (flags & COMPRESSED) != 0;
	c->slots = flags & ONE_SLOT ? 1 : 4;
	c->privilege_width = flags & PRIV2 ? 2 : 3;
	c->trcstate = (flags & TRCSTATE) != 0;
	c->accesses = flags & (UNIFIED | SPLIT) ? 2 : 0;
	c->split = (flags & SPLIT) != 0;
	c->iaddr_lsbs_width = flags & LSBS ? 4 : 0;
	c->data_width = flags & NARROW ? 64 : 0;
}

static void compare(const struct hs_block *got, size_t n, const struct hs_block *want)
{
	struct hs_block_checker check = { 0 };

	for (size_t i = 0; i < n && want[i].kind != 0xff; i++) {
		if (want[i].kind != got[i].kind || want[i].value != got[i].value ||
		    want[i].arg != got[i].arg ||
		    want[i].itype != got[i].itype || want[i].ilast != got[i].ilast ||
		    want[i].priv != got[i].priv ||
		    want[i].sijump != got[i].sijump)
			fail_msg("entry %zu: %s %llx+%u last %u itype %u priv %u", i,
			         hs_kind_name(got[i].kind),
			         (unsigned long long)got[i].value, got[i].arg, got[i].ilast,
			         got[i].itype, got[i].priv);
		assert_int_equal(hs_block_check(&check, &got[i]), HS_OK);
	}
	assert_int_equal(want[n].kind, 0xff);
}

static void clock_row(const struct port_row *row, enum hs_port_form form)
{
	struct hs_block at[8 * HS_PORT_ROOM];
	struct hs_blocks out = { at, 8 * HS_PORT_ROOM, 0 };
	enum hs_status status = HS_OK, s;
	struct hs_port_config c;
	struct hs_port p;

	configure(&c, form, row->flags);
	assert_int_equal(hs_port_init(&p, &c, row->flags & PROGRAM ? &program : NULL), HS_OK);
	for (unsigned i = 0; i < row->n; i++) {
		s = hs_port_clock(&p, &row->cycles[i], &out);
		if (s != HS_OK && status == HS_OK) {
			status = s;
			assert_non_null(row->clause);
			assert_string_equal(p.fault.clause, row->clause);
			assert_non_null(p.fault.why);
		}
		assert_false(p.stall);
	}
	assert_int_equal(hs_port_flush(&p, &out), HS_OK);
	assert_int_equal(status, row->status);
	compare(at, out.n, row->want);
}

static void insn_row(void **state)
{
	clock_row(*state, HS_PORT_INSN);
}

static void block_row(void **state)
{
	clock_row(*state, HS_PORT_BLOCK);
}

/* PT Table 3.5: the core waits, and nothing is missing. */
TEST(a_core_that_waits_loses_nothing)
{
	static const struct hs_port_cycle one = C(I(0x100, NOP)), two = C(I(0x104, JAL)),
		three = C(I(0x124, NOP));
	struct hs_block at[HS_PORT_ROOM + 1];
	struct hs_blocks out = { at, HS_PORT_ROOM, 0 };
	struct hs_port_config c;
	struct hs_port p;

	configure(&c, HS_PORT_INSN, 0);
	assert_int_equal(hs_port_init(&p, &c, NULL), HS_OK);
	assert_int_equal(hs_port_clock(&p, &one, &out), HS_OK);
	assert_int_equal(hs_port_clock(&p, &two, &out), HS_OK);
	assert_false(p.stall);
	assert_int_equal(hs_port_clock(&p, &three, &out), HS_OK);
	/* less room than a cycle needs: the port asks the core to wait */
	assert_int_equal(out.n, 1);
	assert_true(p.stall);
	assert_int_equal(hs_port_clock(&p, &two, &out), HS_FULL);
	assert_int_equal(hs_port_flush(&p, &out), HS_FULL);
	assert_int_equal(at[0].iretire, 4);
	assert_true(p.stall);
	out.n = 0;
	assert_int_equal(hs_port_clock(&p, &(struct hs_port_cycle){ 0 }, &out), HS_OK);
	assert_false(p.stall);
	assert_int_equal(hs_port_flush(&p, &out), HS_OK);
	assert_int_equal(out.n, 1);
	assert_int_equal(at[0].iaddr, 0x124);
}

/* A core that cannot wait loses what there is no room for; a gap says so, and context is reported
 * again. */
TEST(a_core_that_cannot_wait_has_gaps)
{
	static const struct hs_port_cycle cycles[] = {
		C({ .iretire = 1, .iaddr = 0x100, .instr = JAL, .priv = 3, .context = 4 }),
		C({ .iretire = 1, .iaddr = 0x120, .instr = JAL, .priv = 3, .context = 4 }),
		C({ .iretire = 1, .iaddr = 0x140, .instr = JAL, .priv = 3, .context = 4 }),
		C({ .iretire = 1, .iaddr = 0x160, .instr = NOP, .priv = 3, .context = 4 }),
	};
	static const struct hs_block want[] =
		{ CONTEXT(4, 0), GAP(2, HS_E_LOST), B(0x140, 2, 2, 15), CONTEXT(4, 0),
		                                B(0x160, 2, 2, 0), END };
	struct hs_block at[3 * HS_PORT_ROOM];
	struct hs_blocks out = { at, HS_PORT_ROOM, 0 };
	struct hs_port_config c;
	struct hs_port p;

	configure(&c, HS_PORT_INSN, 0);
	c.no_stall = 1;
	assert_int_equal(hs_port_init(&p, &c, NULL), HS_OK);
	assert_int_equal(hs_port_clock(&p, &cycles[0], &out), HS_OK); /* one entry: the context */
	assert_int_equal(hs_port_clock(&p, &cycles[1], &out), HS_E_LOST); /* block 100 */
	assert_int_equal(hs_port_clock(&p, &cycles[2], &out), HS_E_LOST); /* block 120 */
	assert_false(p.stall);
	out.cap = 3 * HS_PORT_ROOM;
	assert_int_equal(hs_port_clock(&p, &cycles[3], &out), HS_OK);
	assert_int_equal(hs_port_flush(&p, &out), HS_OK);
	compare(at, out.n, want);
}

/* PT 3.1.2: more than the queue holds. */
TEST(queue_full)
{
	static const struct hs_port_cycle four =
		C({ .fvalid = 1, .instr = CNOP }, { .fvalid = 1, .instr = CNOP },
	                                           { .fvalid = 1, .instr = CNOP },
	                                           { .fvalid = 1, .instr = CNOP });
	static const struct hs_port_cycle one = C(I(0x100, 0));
	struct hs_block at[HS_PORT_ROOM];
	struct hs_blocks out = { at, HS_PORT_ROOM, 0 };
	struct hs_port_config c;
	struct hs_port p;

	configure(&c, HS_PORT_INSN, FETCH);
	assert_int_equal(hs_port_init(&p, &c, NULL), HS_OK);
	for (unsigned i = 0; i < HS_PORT_QUEUE / 4; i++)
		assert_int_equal(hs_port_clock(&p, &four, &out), HS_OK);
	assert_int_equal(hs_port_clock(&p, &four, &out), HS_FULL);
	assert_true(p.stall);
	assert_int_equal(hs_port_clock(&p, &one, &out), HS_OK);
	assert_false(p.stall);
}

/* ---- blocks to cycles ---- */

enum { ADD = 0x952e, BEQ_200 = 0x0eb50f63, SAME_CYCLE = 1 << 20, SECOND_LANE = 1 << 21 };

static const struct drive_row {
	const char *name;
	enum hs_port_form form;
	unsigned flags;
	struct hs_block in[5]; /* ends where kind is 0xff */
	struct hs_port_cycle want[4];
	unsigned n;
} drive_rows[] = {
	{ "two instructions, a halt, and on", HS_PORT_INSN, 0,
	  { B(0x100, 3, 2, 5), STOP(0), SYNC(3), B(0x200, 2, 2, 13), END },
	  { C(I(0x100, ADD), I(0x102, BEQ_200)), { .halted = 1 }, C(I(0x200, RET)) }, 3 },
	{ "reset", HS_PORT_INSN, 0, { STOP(4), SYNC(1), B(0x200, 2, 2, 13), END },
	  { { .reset = 1 }, { .reset = 1 }, C(I(0x200, RET)) }, 3 },
	{ "one lane", HS_PORT_INSN, SECOND_LANE, { B(0x100, 3, 2, 5), END },
	  { C(HOLE, I(0x100, ADD)), C(HOLE, I(0x102, BEQ_200)) }, 2 },
	{ "a trap in the cycle of its instruction", HS_PORT_INSN, SAME_CYCLE,
	  { B(0x100, 1, 1, 2), TRAP(7, 0), END },
	  { C(I_AND(0x100, ADD, 1, 7)) }, 1 },
	{ "a trap in a word of its own, at what did not retire", HS_PORT_INSN, 0,
	  { B(0x100, 1, 1, 1), TRAP(2, 9), B(0x200, 2, 2, 13), END },
	  { C(I(0x100, ADD), X(0x102, BEQ_200, 2, 9)), C(I(0x200, RET)) }, 2 },
	{ "at fetch", HS_PORT_INSN, FETCH, { B(0x200, 2, 2, 13), END },
	  { C({ .fvalid = 1, .iretire = 1, .iaddr = 0x200, .instr = RET, .priv = 3 }) }, 1 },
	{ "groups, and a precise context", HS_PORT_BLOCK, 0,
	  { CONTEXT(9, 2), B(0x100, 3, 2, 5), B(0x200, 2, 2, 13), END },
	  { { .slot = { { .iaddr = 0x100, .iretire = 3, .ilastsize = 1, .itype = 5, .priv = 3,
	                  .context = 9 },
	                { .iaddr = 0x200, .iretire = 2, .ilastsize = 1, .itype = 13 } },
	                .ctype = 2 } }, 1 },
	{ "an imprecise context begins a cycle", HS_PORT_BLOCK, 0,
	  { B(0x100, 3, 2, 5), CONTEXT(9, 0), B(0x200, 2, 2, 13), END },
	  { C(G(0x100, 3, 1, 5)), { .slot = { { .iaddr = 0x200, .iretire = 2, .ilastsize = 1,
	                                        .itype = 13, .priv = 3, .context = 9 } },
	                                        .ctype = 1 } }, 2 },
	{ "a privilege begins a cycle", HS_PORT_BLOCK, 0,
	  { B(0x100, 3, 2, 5), BP(0x200, 2, 2, 13, HS_PRIV_VS), END },
	  { C(G(0x100, 3, 1, 5)), C({ .iaddr = 0x200, .iretire = 2, .ilastsize = 1, .itype = 13,
	                              .priv = 6 }) }, 2 },
	{ "one instruction a group", HS_PORT_BLOCK, SINGLE, { B(0x100, 3, 2, 5), END },
	  { C({ .iaddr = 0x100, .iretire = 1, .priv = 3 },
	      { .iaddr = 0x102, .iretire = 1, .ilastsize = 1, .itype = 5 }) }, 1 },
	{ "3 bits of itype", HS_PORT_BLOCK, ITYPE3, { B(0x200, 2, 2, 13), END },
	  { C(G(0x200, 2, 1, 6)) }, 1 },
};

TEST_ROWS(drive_row, drive_rows, row)
{
	struct hs_port_config c;
	struct hs_port_driver d;
	size_t n = 0, at = 0, used;
	unsigned cycles = 0;

	configure(&c, row->form, row->flags);
	c.slots = 2;
	assert_int_equal(hs_port_driver_init(&d, &c, &program), HS_OK);
	d.same_cycle = (row->flags & SAME_CYCLE) != 0;
	d.lanes = row->flags & SECOND_LANE ? 2 : 0;
	while (row->in[n].kind != 0xff)
		n++;
	for (; at < n; at += used, cycles++) {
		struct hs_port_cycle cycle;

		assert_int_equal(hs_port_drive(&d, row->in + at, n - at, &used, &cycle), HS_OK);
		assert_true(cycles < row->n);
		for (unsigned i = 0; hs_port_get_signal(i); i++)
			for (unsigned slot = 0; slot < HS_PORT_SLOTS; slot++)
				if (hs_port_get(&cycle, i, slot) != hs_port_get(&row->want[cycles],
						i, slot))
					fail_msg("cycle %u: %s of slot %u is %llx", cycles,
					         hs_port_get_signal(i)->name, slot,
					         (unsigned long long)hs_port_get(&cycle, i, slot));
	}
	assert_int_equal(cycles, row->n);
}

/* Accesses of a push of three stores and of c.lw, which a port of two accesses a cycle has in two
 * cycles, and one of four in one (RHTI Multi-memory-access Instructions). */
TEST(accesses_are_driven)
{
	/* cm.push {ra, s0-s1}; c.lw a0, 0(a1) */
	static const uint8_t code[] = { 0x62, 0xb8, 0x88, 0x41 };
	static const struct hs_section text = { 0x100, sizeof code, code };
	static const struct hs_image push = { &text, 1, { .xlen = 64, .zcmp_zcmt = true }, 0 };
	static const struct hs_block in[] = {
		DATA_OF(LOAD, 0x10, 2, 1, 1, 9), /* a unified port has no requests */
		DATA(MULTI_STORE, 0x7ff8, 3, 3), VALUE(1, 0),
		DATA(MULTI_STORE, 0x7ff0, 3, 3), VALUE(2, 0),
		DATA(MULTI_STORE, 0x7fe8, 3, 3), VALUE(3, 0),
		DATA(LOAD, 0x9000, 2, 3), VALUE(4, 0), B(0x100, 2, 1, 0),
	};
	static const struct { uint8_t accesses, early, retired[3], driven[3]; } rows[] = {
		{ 4, 0, { 2 }, { 4 } },
		{ 2, 0, { 0, 1, 1 }, { 1, 2, 1 } },
		{ 4, 1, { 0, 0, 0 }, { 1, 1, 1 } }, /* then both, with c.lw */
	};

	for (unsigned i = 0; i < COUNT_OF(rows); i++) {
		struct hs_port_config c;
		struct hs_port_driver d;
		struct hs_port_cycle cycle;
		size_t at = 0, used;

		configure(&c, HS_PORT_BLOCK, ONE_SLOT);
		c.accesses = rows[i].accesses;
		assert_int_equal(hs_port_driver_init(&d, &c, &push), HS_OK);
		d.early = rows[i].early;
		for (unsigned n = 0; n < 3 && rows[i].driven[n]; n++, at += used) {
			unsigned driven = 0;

			assert_int_equal(hs_port_drive(&d, in + at, COUNT_OF(in) - at, &used,
			                               &cycle), HS_OK);
			while (driven < HS_PORT_SLOTS && cycle.data[driven].dretire)
				driven++;
			assert_int_equal(driven, rows[i].driven[n]);
			assert_int_equal(cycle.slot[0].iretire, rows[i].retired[n]);
		}
		assert_int_equal(COUNT_OF(in) - at, rows[i].early ? 1 : 0);
	}
}

TEST(fields_that_are_not_there)
{
	/* no code; half an instruction */
	static const struct hs_block in[] = { B(0x900, 2, 2, 0), B(0x100, 2, 2, 0) };
	static const struct hs_image empty = { 0 };
	struct hs_port_config c;
	struct hs_port_driver d;
	struct hs_port_cycle cycle;
	size_t used;

	for (unsigned form = 0; form < 2; form++) {
		configure(&c, (enum hs_port_form)form, 0);
		assert_int_equal(hs_port_driver_init(&d, &c, &program), HS_OK);
		assert_int_equal(hs_port_drive(&d, in, 0, &used, &cycle), HS_END);
		assert_int_equal(hs_port_drive(&d, in, 1, &used, &cycle), HS_E_NOCODE);
		assert_int_equal(used, 0);
		/* what fits comes first, the rest is refused on its own */
		assert_int_equal(hs_port_drive(&d, in + 1, 1, &used, &cycle), HS_OK);
		assert_int_equal(cycle.slot[0].iretire, 1);
		assert_int_equal(hs_port_drive(&d, in + 1, 1, &used, &cycle), HS_E_NOCODE);
		assert_int_equal(used, 0);
	}
	assert_int_equal(hs_port_driver_init(&d, &c, &empty), HS_E_CONFIG);
	c.slots = HS_PORT_SLOTS + 1;
	assert_int_equal(hs_port_driver_init(&d, &c, &program), HS_E_CONFIG);
}

TEST(configurations_are_checked)
{
	struct hs_port_config c, resolved;
	struct hs_port p;

#define REFUSED(form, change) \
	c = widest_port(form); \
	assert_int_equal(hs_port_config_resolve(&c, &resolved), HS_OK); \
	change; \
	assert_int_equal(hs_port_init(&p, &c, NULL), HS_E_CONFIG)
	REFUSED(HS_PORT_INSN, c.size = 3);
	REFUSED(HS_PORT_INSN, c.slots = HS_PORT_SLOTS + 1);
	REFUSED(HS_PORT_INSN, c.isa.xlen = 128);
	REFUSED(HS_PORT_INSN, c.iaddress_width = 32);
	REFUSED(HS_PORT_INSN, c.context_width = 33);
	REFUSED(HS_PORT_INSN, c.ecause_width = 17);
	REFUSED(HS_PORT_BLOCK, c.ecause_width = 33);
	REFUSED(HS_PORT_INSN, c.privilege_width = 5);
	REFUSED(HS_PORT_INSN, c.insn_width = 48);
	REFUSED(HS_PORT_INSN, c.user_width = 257);
	REFUSED(HS_PORT_INSN, c.retract_width = 7);
	REFUSED(HS_PORT_INSN, (c.insn_width = 64, c.compressed = 1));
	REFUSED(HS_PORT_BLOCK, c.itype_width = 2);
	REFUSED(HS_PORT_BLOCK, c.iretire_width = 11);
	REFUSED(HS_PORT_BLOCK, c.ilastsize_width = 3);
	REFUSED(HS_PORT_BLOCK, c.ctype_width = 3);
	REFUSED(HS_PORT_BLOCK, c.iaddress_width = 1);
	REFUSED(HS_PORT_BLOCK, c.cycle_time = 1); /* it has a signal time */
	REFUSED(HS_PORT_INSN, (c.time_width = 0, c.cycle_time = 2));
	REFUSED(HS_PORT_BLOCK, c.trcstate = 2);
	REFUSED(HS_PORT_INSN, c.accesses = 1);
	REFUSED(HS_PORT_BLOCK, c.accesses = HS_PORT_SLOTS + 1);
	REFUSED(HS_PORT_BLOCK, (c.accesses = 1, c.split = 2));
	REFUSED(HS_PORT_BLOCK, (c.accesses = 1, c.dtype_width = 5));
	REFUSED(HS_PORT_BLOCK, (c.accesses = 1, c.daddress_width = 65));
	REFUSED(HS_PORT_BLOCK, (c.accesses = 1, c.dsize_width = 4));
	REFUSED(HS_PORT_BLOCK, (c.accesses = 1, c.data_width = 6));
	REFUSED(HS_PORT_BLOCK, (c.accesses = 1, c.data_width = 65));
	REFUSED(HS_PORT_BLOCK, (c.accesses = c.split = 1, c.data_width = 128));
	REFUSED(HS_PORT_BLOCK, (c.accesses = 1, c.iaddr_lsbs_width = 13));
	REFUSED(HS_PORT_BLOCK, (c.accesses = c.split = 1, c.lrid_width = 9));
}

/* docs/library.md, "Structs that grow": each row fills a struct in memory of another size. */
TEST(configurations_grow)
{
	static const struct {
		const char *name;
		uint32_t size;
		uint8_t tail; /* the byte after what this library knows */
		enum hs_status want;
	} row[] = {
		{ "older: the size only", 4, 0, HS_OK },
		{ "older: without its last member", offsetof(struct hs_port_config, no_stall), 0,
		  HS_OK },
		{ "newer, not used", sizeof(struct hs_port_config) + 8, 0, HS_OK },
		{ "newer and used", sizeof(struct hs_port_config) + 8, 1, HS_E_CONFIG },
		{ "not even a size", 3, 0, HS_E_CONFIG },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct { struct hs_port_config c; uint8_t more[8]; } given =
			{ .c = { .size = row[i].size } };
		struct hs_port_config c = { .size = 77 };
		struct hs_port p;

		given.more[0] = row[i].tail;
		if (hs_port_config_resolve(&given.c, &c) != row[i].want ||
		    hs_port_init(&p, &given.c, NULL) != row[i].want)
			fail_msg("%s", row[i].name);
		assert_int_equal(c.size, row[i].want == HS_OK ? sizeof c : 77);
	}
}

/* A zeroed configuration is a port that works; 0 stands for these widths (PT Table 3.6, ET
 * Parameters). */
TEST(configurations_of_zeros)
{
	const struct hs_port_config insn = { .size = sizeof insn };
	const struct hs_port_config block = { .size = sizeof block, .form = HS_PORT_BLOCK,
	                                      .isa.xlen = 32 };
	const struct hs_port_cycle cycles[] =
		{ { .slot = { { .iretire = 1, .iaddr = 0x100, .instr = 0x13, .priv = 3 } } },
		                                { .slot = { { .iretire = 1, .iaddr = 0x104,
		                                              .instr = 0x8067, .priv = 3 } } } };
	struct hs_block at[HS_PORT_ROOM + 2];
	struct hs_blocks out = { at, HS_PORT_ROOM + 2, 0 };
	struct hs_port_config c;
	struct hs_port p;

	assert_int_equal(hs_port_config_resolve(&insn, &c), HS_OK);
	assert_int_equal(c.slots, 1);
	assert_int_equal(c.iaddress_width, 64);
	assert_int_equal(c.ecause_width, 16);
	assert_int_equal(c.privilege_width, 3);
	assert_int_equal(c.insn_width, 32);
	assert_int_equal(hs_port_signal_width(&insn, HS_PORT_SIGNAL_iaddr), 64);
	assert_int_equal(hs_port_signal_width(&insn, HS_PORT_SIGNAL_context), 0);
	assert_int_equal(hs_port_config_resolve(&block, &c), HS_OK);
	assert_int_equal(c.iaddress_width, 32);
	assert_int_equal(c.ecause_width, 32);
	assert_int_equal(c.itype_width, 4);
	assert_int_equal(c.iretire_width, 10);
	assert_int_equal(hs_port_signal_width(&block, HS_PORT_SIGNAL_iretire), 10);
	assert_int_equal(hs_port_init(&p, &insn, NULL), HS_OK);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(hs_port_clock(&p, &cycles[i], &out), HS_OK);
	assert_int_equal(hs_port_flush(&p, &out), HS_OK);
	compare(at, out.n, (const struct hs_block[]){ B(0x100, 4, 2, 13), END });
}

/* Tables of text: every split is in the importers' property; here what the lines mean. */
static const struct text_row {
	const char *name, *text;
	struct hs_block want[8];
	enum hs_status status;
} text_rows[] = {
	{ "two slots of the instruction form",
	  "iretire_0,iexception_0,cause_0,priv_0,iaddr_0,instr_0,iretire_1,iaddr_1,instr_1,priv_1,note\n"
	  "1,0,0,3,100,13,1,104,863,3,x\n1,1,2,3,114,13,0,0,0,0,\n",
	  { B(0x100, 4, 2, 5), B(0x114, 2, 2, 1), TRAP(2, 0), END }, HS_OK },
	{ "the reference flow's rows",
	  "itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0\n"
	  "0,0,0,3,1000,0,0,1,1\n6,0,0,3,1004,0,0,1,1\n5,0,0,3,80000000,0,0,1,1\n",
	  { B(0x1000, 4, 2, 6), B(0x80000000, 2, 2, 5), END }, HS_OK },
	{ "groups of half-words",
	  "itype_0,priv,iaddr_0,iretire_0,ilastsize_0,itype_1,iaddr_1,iretire_1,ilastsize_1\n"
	  "4,3,100,3,1,5,106,1,0\n8,3,200,7,0,0,0,0,0\n",
	  { B(0x100, 3, 2, 4), B(0x106, 1, 1, 5), B(0x200, 7, 1, 8), END }, HS_OK },
	{ "PULP: a 16-bit instruction written out, an interrupt",
	  "valid=1 exception=0 interrupt=0 cause=00 tval=00000000 priv=7 compressed=1 addr=1c0081be instr=f8010113\n"
	  "valid=0 exception=0 interrupt=0 cause=00 tval=00000000 priv=7 compressed=0 addr=00000000 instr=00000000\n"
	  "valid=1 exception=1 interrupt=1 cause=1a tval=00000000 priv=7 compressed=0 addr=1c0081c0 instr=30047773\r\n"
	  "valid=1 exception=0 interrupt=0 cause=00 tval=00000000 priv=7 compressed=0 addr=1c008068 instr=1560006f",
	  { B(0x1c0081be, 1, 1, 2), TRAP(0x1a, 0), B(0x1c008068, 2, 2, 15), END }, HS_OK },
	{ "no iaddr", "iretire_0,instr_0\n1,13\n", { END }, HS_E_FORMAT },
	{ "a column twice", "iretire_0,iaddr_0,instr_0,iaddr_0\n", { END }, HS_E_FORMAT },
	{ "a number that is none", "iretire_0,iaddr_0,instr_0\n1,10g,13\n", { END }, HS_E_FORMAT },
	{ "a column too few", "iretire_0,iaddr_0,instr_0\n1,100\n", { END }, HS_E_FORMAT },
	{ "a column too many", "iretire_0,iaddr_0,instr_0\n1,100,13,\n", { END }, HS_E_FORMAT },
	{ "a row that is illegal",
	  "iretire_0,iexception_0,iaddr_0,instr_0,iretire_1,iaddr_1,instr_1\n1,1,100,13,1,104,13\n",
	  { GAP(0, HS_E_BLOCK), END }, HS_E_BLOCK },
	{ "nothing", "", { END }, HS_E_FORMAT },
	{ "PULP: a name is missing",
	  "valid=1 exception=0 interrupt=0 cause=00 tval=0 priv=7 compressed=1 addr=1c0081be\n",
	  { END }, HS_E_FORMAT },
	{ "PULP: a name twice",
	  "valid=1 valid=1 exception=0 interrupt=0 cause=00 tval=0 priv=7 compressed=1 addr=1c0081be\n", { END }, HS_E_FORMAT },
};

static void text_piece(struct hs_port_text *t, const char *text, size_t n, struct hs_blocks *out,
                       enum hs_status *status)
{
	struct hs_span in = { (const uint8_t *)text, n };
	enum hs_status s = HS_OK;

	while (s != HS_MORE) {
		s = hs_port_text_feed(t, &in, out);
		if (s != HS_MORE && *status == HS_OK)
			*status = s;
	}
}

TEST_ROWS(text_row, text_rows, row)
{
	const size_t n = strlen(row->text);

	for (size_t cut = 0; cut <= n; cut++) {
		struct hs_block at[4 * HS_PORT_ROOM];
		struct hs_blocks out = { at, 4 * HS_PORT_ROOM, 0 };
		enum hs_status status = HS_OK, s;
		struct hs_port_text t;

		assert_int_equal(hs_port_text_init(&t, NULL, 64), HS_OK);
		text_piece(&t, row->text, cut, &out, &status);
		text_piece(&t, row->text + cut, n - cut, &out, &status);
		s = hs_port_text_flush(&t, &out);
		assert_int_equal(status == HS_OK ? s : status, row->status);
		compare(at, out.n, row->want);
	}
}

/* A cycle as a row, read again: the same signals. */
TEST(rows_of_cycles)
{
	static const struct hs_port_cycle cycle = {
		.slot = { { .iretire = 1, .iaddr = 0xfedcba9876543210, .instr = 0x13, .priv = 3,
		            .context = 4294967295 },
		          { .iexception = 1, .interrupt = 1, .cause = 65535,
		            .tval = 0xffffffffffffffff, .iaddr = 10 } },
		.user_2 = 0xabcdef0123456789, .halted = 1 };
	struct hs_port_config c;
	char line[HS_PORT_LINE], names[HS_PORT_LINE];
	size_t n;

	configure(&c, HS_PORT_INSN, 0);
	c.slots = 2;
	n = hs_port_header(&c, names);
	names[n] = 0;
	assert_string_equal(names,
	                    "iretire_0,iexception_0,interrupt_0,cause_0,tval_0,priv_0,context_0,iaddr_0,instr_0,user,user_1,"
	                    "user_2,user_3,action,halted,reset,iretire_1,iexception_1,interrupt_1,cause_1,tval_1,priv_1,context_1,"
	                    "iaddr_1,instr_1\n");
	n = hs_port_row(&c, &cycle, line);
	line[n] = 0;
	assert_string_equal(line,
	                    "1,0,0,0,0,3,4294967295,fedcba9876543210,13,0,0,abcdef0123456789,0,0,1,0,0,1,1,65535,"
	                    "ffffffffffffffff,0,0,a,0\n");
}

/* All signals of all slots at their largest. */
TEST(longest_line)
{
	struct hs_port_cycle cycle;
	char line[HS_PORT_LINE];

	memset(&cycle, 0xff, sizeof(cycle));
	for (unsigned form = HS_PORT_INSN; form <= HS_PORT_BLOCK; form++) {
		struct hs_port_config c = widest_port((enum hs_port_form)form);

		c.retract_width = form == HS_PORT_INSN ? 6 : 0;
		size_t n = hs_port_header(&c, line);
		assert_true(n > 0 && n < HS_PORT_LINE && line[n - 1] == '\n');
		n = hs_port_row(&c, &cycle, line);
		assert_true(n > 0 && n < HS_PORT_LINE && line[n - 1] == '\n');
	}
}

/* Each row of the table of signals has what the manual prints, and a width in one form at least. */
TEST(signal_table)
{
	struct hs_port_config insn, block, split;
	unsigned i = 0;

	configure(&insn, HS_PORT_INSN, FETCH | COMPRESSED);
	configure(&block, HS_PORT_BLOCK, TRCSTATE | UNIFIED | LSBS);
	configure(&split, HS_PORT_BLOCK, SPLIT);
	for (const struct hs_port_signal *s; (s = hs_port_get_signal(i)); i++) {
		struct hs_port_cycle c = { 0 };

		assert_true(s->name && s->width && s->clause && s->text);
		assert_true(hs_port_signal_width(&insn, i) || hs_port_signal_width(&block, i) ||
		            hs_port_signal_width(&split, i));
		hs_port_set(&c, i, 3, i + 7);
		assert_int_equal(hs_port_get(&c, i, 3), i + 7);
		assert_int_equal(hs_port_get(&c, i, 2), s->in_cycle ? i + 7 : 0);
	}
	assert_true(i > 20);
	assert_int_equal(hs_port_signal_width(&insn, i), 0);
}

/* Opcodes are passed on when their instructions retire, also from a fetch stage: 0x9002 was
 * retracted, the 48-bit 0x1f is longer than the bus.  The second 0x0001 is called another code than
 * before: its event is between the blocks. */
struct opcodes {
	struct hs_port_opcode at[4];
	unsigned n;
};

static bool take_opcode(void *of, const struct hs_port_opcode *opcode, uint32_t *version)
{
	struct opcodes *o = of;

	assert_true(o->n < COUNT_OF(o->at));
	o->at[o->n++] = *opcode;
	*version = 7;
	return o->n == 2;
}

TEST(opcodes_are_passed_on)
{
#define TO(a) .iretire = 1, .iaddr = (a), .priv = 3
	static const struct hs_port_cycle cycles[] = {
		{ .slot = { { .fvalid = 1, .instr = 0x13 }, { .fvalid = 1, .instr = 0x9002 } } },
		{ .slot = { { TO(0x100), .fvalid = 1, .instr = 1 } }, .retract = 1 },
		{ .slot = { { TO(0x104), .fvalid = 1, .instr = 0x1f } } },
		{ .slot = { { TO(0x106) } } },
	};
#undef TO
	struct hs_port_config c;
	struct hs_block at[3 * HS_PORT_ROOM];
	struct hs_blocks out = { at, COUNT_OF(at), 0 };
	struct opcodes got = { .n = 0 };
	struct hs_port port;

	configure(&c, HS_PORT_INSN, FETCH);
	assert_int_equal(hs_port_init(&port, &c, NULL), HS_OK);
	hs_port_set_code(&port, take_opcode, &got);
	for (size_t i = 0; i < COUNT_OF(cycles); i++)
		assert_int_equal(hs_port_clock(&port, &cycles[i], &out), HS_OK);
	assert_int_equal(hs_port_flush(&port, &out), HS_OK);
	assert_int_equal(got.n, 2);
	assert_true(got.at[0].iaddr == 0x100 && got.at[0].instr == 0x13 && got.at[0].hwords == 2);
	assert_true(got.at[1].iaddr == 0x104 && got.at[1].instr == 1 && got.at[1].hwords == 1);
	assert_int_equal(out.n, 3);
	assert_true(at[0].iaddr == 0x100 && at[0].iretire == 2);
	assert_true(at[1].kind == HS_KIND_VERSION && at[1].value == 0x104 && at[1].arg == 7);
	assert_true(at[2].iaddr == 0x104 && at[2].iretire == 4);
}

TEST_TABLE(insn_row, insn_rows)
TEST_TABLE(block_row, block_rows)
