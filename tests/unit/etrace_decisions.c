/* Where the E-Trace encoder reports what, by address and depth, and what the decoder makes of it:
 * loops, returns, synchronisation (ET Algorithm, ET Format 2, design/et-encoder, design/et-returns,
 * design/et-encoder). */
#include "cases.h"

#include "etrace/et_config.h"
#include "etrace/et_reader.h"
#include "unit/etrace_paths.h"
#include "unit/decoders.h"

/* ---- packets as text ------------------------------------------------------------------------ */

/* S start, T trap, C context, B branches, A an address, I an index, K a count; a support packet by
 * qual_status: N no change, E ended, R ended and reported anyway, L lost, small with ienable 0.  Of
 * branches the map, the oldest one first, 1 not taken; @ and the address; n notify, u updiscon, d
 * the depth, r irets. */
static void print_packet(const struct hs_et_packet *p, bool full, uint64_t *address, char *to)
{
	static const char forms[HS_ET_FORMS] = {
		[HS_ET_FORM_START] = 'S', [HS_ET_FORM_TRAP] = 'T',   [HS_ET_FORM_CONTEXT] = 'C',
		[HS_ET_FORM_FULL] = 'F',  [HS_ET_FORM_BRANCH] = 'B', [HS_ET_FORM_ADDRESS] = 'A',
		[HS_ET_FORM_INDEX] = 'I', [HS_ET_FORM_BRANCH_COUNT] = 'K',
	};
	const uint64_t *f = p->field;
	const unsigned branches = (unsigned)f[HS_ETF_BRANCHES];

	if (p->form == HS_ET_FORM_SUPPORT) {
		sprintf(to, "%c", (f[HS_ETF_IENABLE] ? "NELR" : "nelr")[f[HS_ETF_QUAL_STATUS]]);
		return;
	}
	to += sprintf(to, "%c", forms[p->form]);
	for (unsigned i = 0; i < branches; i++)
		to += sprintf(to, "%u", (unsigned)(f[HS_ETF_BRANCH_MAP] >> i & 1));
	if (hs_et_has(p, HS_ETF_ADDRESS)) {
		if (full || p->form == HS_ET_FORM_START)
			*address = 0;
		*address = (*address + 2 * f[HS_ETF_ADDRESS]) & UINT32_MAX;
		to += sprintf(to, "@%x", (unsigned)*address & 0xfff);
	}
	if (hs_et_has(p, HS_ETF_TRAP_ADDRESS))
		to += sprintf(to, "@%x", (unsigned)(*address = 2 * f[HS_ETF_TRAP_ADDRESS]) & 0xfff);
	to += sprintf(to, "%s%s", f[HS_ETF_NOTIFY] ? "n" : "", f[HS_ETF_UPDISCON] ? "u" : "");
	if (f[HS_ETF_IRREPORT])
		to += sprintf(to, "d%u", (unsigned)f[HS_ETF_IRDEPTH]);
	if (f[HS_ETF_IRETS])
		sprintf(to, "r%u", (unsigned)f[HS_ETF_IRETS]);
}

static void print_packets(const struct hs_et_config *c, struct hs_span in, char *to)
{
	struct hs_et_reader r;
	struct hs_et_packet p;
	uint64_t address = 0;

	assert_int_equal(hs_et_reader_init(&r, c), HS_OK);
	for (*to = 0; hs_et_read(&r, &in, &p) == HS_OK;) {
		to += strlen(to);
		print_packet(&p, hs_et_reader_options(&r) & HS_ET_FULL_ADDRESS, &address, to);
		strcat(to, " ");
		if (p.form == HS_ET_FORM_TRAP && !hs_et_has(&p, HS_ETF_TRAP_ADDRESS))
			address = c->mtvec;
		if (p.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&r, &p);
	}
	assert_int_equal(in.n, 0);
	to[strlen(to) - 1] = 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define C(...) { .size = sizeof(struct hs_et_config), .iaddress_width = 32, __VA_ARGS__ }
#define STACK(...) C(.return_stack_size = 3, .options = HS_ET_IMPLICIT_RETURN, __VA_ARGS__)
#define CACHED (HS_ET_JUMP_TARGET_CACHE | HS_ET_FULL_ADDRESS)
#define PRECISE .context = 1, .context_width = 4, .context_precise = 1
#define COUNTER(...) C(.call_counter_size = 3, .options = HS_ET_IMPLICIT_RETURN, __VA_ARGS__)

static const struct row {
	const char *name;
	struct hs_et_config c;
	uint16_t path[PATH], end;
	const char *packets;
} rows[] = {
	{ "in order", C(0),
	  P(0x00, 0x06), 0x08, "N S@0 B1@6 e" },
	/* a second jump back since the last packet is reported (design/et-encoder) */
	{ "a loop", C(0),
	  P(0x130, 0x130, 0x130), 0x132, "N S@130 A@132n A@132n A@130 e" },
	{ "a loop, plain", C(.plain_loops = 1),
	  P(0x130, 0x130, 0x130), 0x132, "N S@130 A@130 e" },
	{ "a loop of two jumps", C(0),
	  P(0x180, 0x190, 0x180, 0x190, 0x180), 0x182, "N S@180 A@192n A@192n A@180 e" },
	{ "a loop with a branch", C(0),
	  P(0x10, 0x00, 0x10, 0x00, 0x10), 0x12, "N S@10 B00@10 e" },
	{ "a jump back to its start", C(0),
	  P(0x180, 0x190, 0x180), 0x182, "N S@180 A@192n A@180 e" },
	/* a depth names one return (design/et-encoder, design/et-returns) */
	{ "calls and returns", STACK(0),
	  P(0x26, 0x120, 0x108, 0x124, 0x2a), 0x2c, "N S@26 A@120n A@2ad0 e" },
	{ "a call after a return", STACK(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@30nd0 A@34nd0 A@38d0 e" },
	{ "a call after a return, counted", COUNTER(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@30nd0 A@34nd0 A@38d0 e" },
	{ "a call after a return, irets", COUNTER(.iret_ext = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@38ud0r2 e" },
	{ "a call after a return, not inferred", C(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@30 A@34 A@38 r" },
	{ "a return to itself", STACK(0),
	  P(0x2c, 0x108, 0x108, 0x30), 0x34, "N S@2c A@108ud1 S@30 e" },
	{ "a return to itself, strict", STACK(.strict = 1),
	  P(0x2c, 0x108, 0x108, 0x30), 0x34, "N S@2c A@108d1 A@30d0 e" },
	{ "a return to itself, then a synchronisation", STACK(0),
	  P(0x2c, 0x108, REQUEST, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@108n A@108ud1 S@30 A@34nd0 A@38d0 e" },
	/* a target that may have been met has updiscon, and a synchronisation follows
	 * (design/et-returns) */
	{ "a return that fails forwards", STACK(0),
	  P(0x2c, 0x108, 0x124, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@124d1 A@30nd0 A@34nd0 A@38d0 e" },
	{ "a return that fails backwards", STACK(0),
	  P(0x2c, 0x108, 0x100, 0x106, 0x30), 0x34, "N S@2c A@100ud1 S@102 A@30 r" },
	{ "a return that fails after others", STACK(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x3e), 0x40, "N S@2c A@30nd0 A@3eud1 e" },
	{ "a return that fails after others, counted", COUNTER(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x3e), 0x40, "N S@2c A@30nd0 A@3eud1 e" },
	{ "a return that fails after others, irets", COUNTER(.iret_ext = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x3e), 0x40, "N S@2c A@3ed0r1 r" },
	{ "a return that fails after others, plain", COUNTER(.plain_loops = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34), 0x38, "N S@2c A@30nd0 A@34d0 e" },
	{ "a return that fails after a branch", STACK(0),
	  P(0x22, 0x100, 0x106, 0x3e), 0x40, "N S@22 B1@3eud1 e" },
	{ "a return that fails, and a context", STACK(.context = 1, .context_width = 4),
	  P(0x2c, 0x108, CONTEXT + 5, 0x3e), 0x40, "N S@2c A@3eud1 C e" },
	{ "a return that fails, and a precise context", STACK(PRECISE),
	  P(0x2c, 0x108, CONTEXT + 5, 0x3e), 0x40, "N S@2c A@108n A@3eud1 C e" },
	{ "a return that fails back, and a precise context", STACK(PRECISE),
	  P(0x30, 0x108, CONTEXT + 5, 0x2a, 0x108, 0x34), 0x38,
	  "N S@30 A@108n A@2aud1 C S@2c A@34ud1 e" },
	{ "a return that fails after an inner one, and a precise context", STACK(PRECISE),
	  P(0x26, 0x120, 0x108, 0x124, CONTEXT + 5, 0x3e), 0x40, "N S@26 A@126nd1 A@3eud1 C e" },
	{ "a return that fails after an inner one", STACK(0),
	  P(0x26, 0x120, 0x108, 0x124, 0x3e), 0x40, "N S@26 A@3eud1 e" },
	{ "a return that fails at a depth of before the branch", STACK(0),
	  P(0x60, 0x120, 0x108, 0x124, 0x64, 0x60, 0x120, 0x108, 0x124, 0x3e), 0x40,
	  "N S@60 B0@108n A@3eud1 e" },
	{ "a return that fails at a depth of before the branch, strict", STACK(.strict = 1),
	  P(0x60, 0x120, 0x108, 0x124, 0x64, 0x60, 0x120, 0x108, 0x124, 0x3e), 0x40,
	  "N S@60 B0@3ed1 r" },
	{ "a return that fails at a depth of before the branch, irets", COUNTER(.iret_ext = 1),
	  P(0x60, 0x120, 0x108, 0x124, 0x64, 0x60, 0x120, 0x108, 0x124, 0x3e), 0x40,
	  "N S@60 B0@3ed0r1 r" },
	{ "a call at a depth of before the branch", STACK(0),
	  P(0x60, 0x120, 0x108, 0x124, 0x64, 0x60, 0x120, 0x108, 0x124), 0x126,
	  "N S@60 B0@120n A@124d1 e" },
	{ "a return that is a jump's target", STACK(0),
	  P(0x50, 0x1a0, 0x108, 0x1a4, 0x108, 0x54), 0x56, "N S@50 A@108u S@54 e" },
	{ "a return that is a jump's target, irets", COUNTER(.iret_ext = 1),
	  P(0x50, 0x1a0, 0x108, 0x1a4, 0x108, 0x54), 0x56, "N S@50 A@108 A@54ud0 e" },
	{ "a return that is a jump's target and fails", STACK(0),
	  P(0x50, 0x1a0, 0x108, 0x1a4, 0x108, 0x3e), 0x40, "N S@50 A@108 A@3ed1 r" },
	/* depth 0 also stands for 2^n calls (design/et-encoder) */
	{ "a counter that is full", C(.call_counter_size = 1, .options = HS_ET_IMPLICIT_RETURN),
	  P(0x26, 0x120, 0x108, 0x124, 0x2a), 0x2c, "N S@26 A@126nd1 A@2ad0 e" },
	{ "calls beyond a stack", C(.return_stack_size = 1, .options = HS_ET_IMPLICIT_RETURN),
	  P(0x80, 0x1b0, 0x120, 0x108, 0x124, 0x1b4, 0x84), 0x86, "N S@80 A@120n A@84 r" },
	{ "nested calls in a loop", STACK(0),
	  P(0x60, 0x120, 0x108, 0x124, 0x64, 0x60, 0x120, 0x108, 0x124, 0x64, 0x68), 0x6c,
	  "N S@60 B01@68 e" },
	{ "nested calls in a loop without a branch", STACK(0),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0 A@120n A@6cd0 e" },
	{ "nested calls in a loop, irets", COUNTER(.iret_ext = 1),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0r2 A@120n A@6cud0r1 e" },
	/* the target of a return is reported with the returns before it (ET Format 2 irreport and
	 * irets) */
	{ "a trap after a return, irets", COUNTER(.iret_ext = 1),
	  P(0x34, 0x108, 0x38, TRAP, 0x130), 0x132, "N S@34 A@38ud0 T@130 e" },
	{ "a trap after two returns, irets", COUNTER(.iret_ext = 1),
	  P(0x26, 0x120, 0x108, 0x124, 0x2a, TRAP, 0x130), 0x132,
	  "N S@26 A@120n A@2aud0r1 T@130 e" },
	{ "a synchronisation after two returns, irets", COUNTER(.iret_ext = 1),
	  P(0x26, 0x120, 0x108, 0x124, REQUEST, 0x2a), 0x2c, "N S@26 A@120n A@126d0r2 S@2a e" },
	{ "calls beyond a stack, irets",
	  C(.return_stack_size = 1, .options = HS_ET_IMPLICIT_RETURN, .iret_ext = 1),
	  P(0x80, 0x1b0, 0x120, 0x108, 0x124, 0x1b4, 0x84), 0x86, "N S@80 A@120n A@84d0r2 r" },
	{ "a notification after a return, irets, strict", STACK(.strict = 1, .iret_ext = 1),
	  P(0x2c, 0x108, NOTIFY, 0x30), 0x34, "N S@2c A@30d0 e" },
	{ "a notification before a trap, irets, strict", STACK(.strict = 1, .iret_ext = 1),
	  P(0x34, 0x108, NOTIFY, 0x38, TRAP, 0x130), 0x132, "N S@34 A@38ud0 T@130 e" },
	{ "a loop at a return's target, irets", COUNTER(.iret_ext = 1),
	  P(0x90, 0x108, 0x94, 0x90, 0x108, 0x94, 0x90), 0x94,
	  "N S@90 A@94d0 A@94d0 A@90 e" },
	/* irets of the first packet are not those of the second */
	{ "a loop after a return, irets", COUNTER(.iret_ext = 1),
	  P(0x98, 0x108, 0x9c, 0x130, 0x130, 0x130), 0x132,
	  "N S@98 A@132nd0r1 A@132n A@130 e" },
	{ "nested calls in a loop, counted", COUNTER(0),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0 A@120n A@6cd0 e" },
	/* what came before is reported first (ET Resynchronisation, docs/etrace-additions.md) */
	{ "a synchronisation after a return", STACK(0),
	  P(0x2c, 0x108, REQUEST, 0x30, 0x108, 0x34), 0x38, "N S@2c A@108 S@30 A@34d0 e" },
	{ "a synchronisation after a call", STACK(0),
	  P(0x2c, REQUEST, 0x108, 0x30), 0x34, "N S@2c S@108 A@30 r" },
	{ "a synchronisation after a jump", C(0),
	  P(0x0c, REQUEST, 0x20), 0x22, "N S@c A@e S@20 e" },
	{ "a synchronisation at a branch", C(0),
	  P(0x00, REQUEST, 0x06), 0x08, "N S@0 B1@2 S@6 e" },
	{ "a synchronisation after a jump back", C(0),
	  P(0x180, 0x190, REQUEST, 0x180), 0x182, "N S@180 A@192 S@180 e" },
	{ "a synchronisation in a loop", C(0),
	  P(0x130, REQUEST, 0x130, 0x130), 0x132, "N S@130 A@132 S@130 A@132n A@130 e" },
	/* every 16 half-words, where the flow turns; strict: by instructions (design/et-encoder) */
	{ "half-words", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@30 A@34 A@38 r" },
	{ "half-words, strict", C(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@30 A@34 A@38 r" },
	{ "half-words, returns", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@30nd0 A@34nd0 A@38d0 e" },
	{ "half-words, branches", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x10, 0x00, 0x10, 0x00, 0x10, 0x00, 0x06), 0x08, "N S@10 B001@2 S@6 e" },
	{ "half-words, jumps", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x180, 0x190, 0x180, 0x190, 0x180, 0x190, 0x180), 0x182,
	  "N S@180 A@192n A@192n A@192 S@180 e" },
	{ "packets", C(.sync_mode = HS_ET_SYNC_PACKETS),
	  P(0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e,
	    0x0e, 0x0e, 0x0e, 0x0e, 0x20), 0x22,
	  "N S@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@eu S@20 e" },
	{ "half-words, branches, strict", C(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x10, 0x00, 0x10, 0x00, 0x10, 0x00, 0x06), 0x08, "N S@10 B00@0 S@2 A@6 e" },
	{ "half-words, no branches, strict", C(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x180, 0x190, 0x180, 0x190, 0x180, 0x190, 0x180), 0x182, "N S@180 S@192 A@180 e" },
	{ "half-words, returns, strict", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 S@126 A@6c r" },
	{ "half-words, nested calls", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0 A@120n A@126d1 S@6c e" },
	{ "half-words, a failed return", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x3e, 0x60, 0x120), 0x124,
	  "N S@68 A@6end0 A@3eud2 S@40 A@60 A@120 e" },
	{ "half-words, jumps that need an address", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x20), 0x22,
	  "N S@c A@c A@c A@c A@c A@c A@c A@c A@e S@c A@20 r" },
	{ "packets, strict", C(.sync_mode = HS_ET_SYNC_PACKETS, .strict = 1),
	  P(0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e,
	    0x0e, 0x0e, 0x0e, 0x0e, 0x20), 0x22,
	  "N S@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@eu S@20 e" },
	/* ET sijump */
	{ "a pair", C(.sijump = 1, .options = HS_ET_SIJUMP),
	  P(0x160, 0x170), 0x172, "N S@160 A@170 e" },
	{ "a pair, not inferred", C(.sijump = 1),
	  P(0x160, 0x170), 0x172, "N S@160 A@170 r" },
	{ "a pair after a synchronisation", C(.sijump = 1, .options = HS_ET_SIJUMP),
	  P(0x0e, REQUEST, 0x160, 0x170), 0x172, "N S@e S@160 A@170 e" },
	/* ET Format 2 notify, design/et-encoder */
	{ "a notification", C(0),
	  P(0x00, NOTIFY, 0x06), 0x08, "N S@0 B1@2 S@6 e" },
	{ "a notification, strict", C(.strict = 1),
	  P(0x00, NOTIFY, 0x06), 0x08, "N S@0 B1@6n e" },
	{ "a notification at a jump's target", C(.strict = 1),
	  P(0x0e, NOTIFY, 0x20), 0x22, "N S@e A@20 r" },
	{ "a notification after a return", STACK(.strict = 1),
	  P(0x2c, 0x108, NOTIFY, 0x30), 0x34, "N S@2c A@30nd0 e" },
	/* an index that is not shorter is not used (design/et-encoder) */
	{ "cached targets", C(.cache_size = 3, .options = HS_ET_JUMP_TARGET_CACHE),
	  P(0x0c, 0x3e, 0x0c, 0x3e, 0x0c, 0x3e), 0x40, "N S@c A@3e A@c I I I r" },
	{ "cached targets and a branch", C(.cache_size = 3, .options = HS_ET_JUMP_TARGET_CACHE),
	  P(0x0c, 0x00, 0x06, 0x100, 0x108, 0x0c, 0x00, 0x06, 0x100, 0x106, 0x0c), 0x0e,
	  "N S@c A@0 B10@c I I11 r" },
	{ "cached full addresses", C(.cache_size = 3, .options = CACHED),
	  P(0x0c, 0x3e, 0x0c, 0x3e, 0x0c, 0x3e), 0x42, "N S@c A@3e A@c I I I A@40 e" },
	{ "a cache that is switched on", C(.cache_size = 3, .options = HS_ET_FULL_ADDRESS),
	  P(0x0c, 0x3e, 0x0c, OPTIONS + CACHED, 0x3e, 0x0c, 0x3e, 0x0c), 0x0e,
	  "N S@c A@3e A@c A@e N S@3e A@c A@3e I r" },
	{ "a cache that is switched off", C(.cache_size = 3, .options = CACHED),
	  P(0x0c, 0x3e, 0x0c, 0x3e, OPTIONS + HS_ET_FULL_ADDRESS, 0x0c, 0x3e), 0x42,
	  "N S@c A@3e A@c I A@40 N S@c A@3e A@40 e" },
	{ "differences that are switched on", C(.options = HS_ET_FULL_ADDRESS),
	  P(0x0e, 0x3e, OPTIONS, 0x0e, 0x3e), 0x42, "N S@e A@3e A@40 N S@e A@3e A@40 e" },
	/* a trap comes with its handler, or at once where its place is not known (ET Format 3
	 * thaddr) */
	{ "a trap", C(0),
	  P(0x00, 0x10, TRAP, 0x100, 0x108), 0x10a, "N S@0 B0@10 T@100 B0@108 e" },
	{ "a trap in a trap's handler", C(0),
	  P(0x10, TRAP, 0x100, TRAP, 0x130), 0x132, "N S@10 T@100 T@130 e" },
	{ "a trap whose handler is known", C(.options = HS_ET_IMPLICIT_EXCEPT, .mtvec = 0x1100),
	  P(0x00, 0x10, TRAP, 0x100, 0x108), 0x10a, "N S@0 B0@10 T B0@108 e" },
	{ "a trap whose handler is another", C(.options = HS_ET_IMPLICIT_EXCEPT, .mtvec = 0x1100),
	  P(0x00, 0x10, TRAP, 0x130), 0x132, "N S@0 B0@10 T@12 S@130 e" },
	{ "known handlers are switched on", C(.mtvec = 0x1100),
	  P(0x00, 0x10, TRAP, 0x100, OPTIONS + HS_ET_IMPLICIT_EXCEPT, 0x108, 0x2a, TRAP, 0x100),
	    0x102,
	  "N S@0 B0@10 T@100 B0@102 N S@108 A@2au T e" },
	{ "a trap at a jump's target", C(0),
	  P(0x0e, 0x10, TRAP, 0x130), 0x132, "N S@e A@10u T@130 e" },
	{ "a notification and a context", C(.strict = 1, .context = 1, .context_width = 4),
	  P(0x00, CONTEXT + 3, NOTIFY, 0x06), 0x0c, "N S@0 B1@6n C A@8 e" },
	{ "a request and a context", C(.context = 1, .context_width = 4),
	  P(0x00, CONTEXT + 3, REQUEST, 0x06), 0x0c, "N S@0 B1@2 S@6 A@8 e" },
	{ "a context", C(.context = 1, .context_width = 4),
	  P(0x00, CONTEXT + 3, 0x06), 0x0c, "N S@0 C B1@8 e" },
	/* ET Format 3 subformat 3 */
	{ "a stop after a jump", C(0),
	  P(0x0e, STOP, 0x20), 0x22, "N S@e E S@20 e" },
	{ "a stop at a jump's target", C(0),
	  P(0x0e, 0x10, STOP, 0x20), 0x22, "N S@e A@10 A@12 E S@20 e" },
	{ "full addresses", C(.options = HS_ET_FULL_ADDRESS),
	  P(0x0e, 0x3e, 0x0e), 0x10, "N S@e A@3e A@e r" },
};

TEST_ROWS(decide, rows, row)
{
	struct hs_block in[PATH], out[PATH + HS_ET_DECODE_ROOM];
	uint8_t bytes[PATH_BYTES];
	char text[4096];
	const size_t n = blocks_of(row->path, row->end, in);
	size_t got, k = 0;
	struct hs_span span = { bytes, encode_path(&row->c, in, n, bytes, sizeof bytes) };

	print_packets(&row->c, span, text);
	assert_string_equal(text, row->packets);
	if (row->c.plain_loops || row->c.strict) /* loops may have two meanings
						  * (design/et-encoder) */
		return;
	struct hs_et_decoder *d = et_decoder(&row->c, &image);

	if (hs_et_decoder_next(d, &span, out, sizeof out / sizeof *out, &got) != HS_MORE)
		fail_msg("%s", hs_et_decoder_diag(d)->text);
	for (size_t i = 0; i < got; i++) {
		if (out[i].kind != HS_KIND_BLOCK)
			continue;
		while (k < n && in[k].kind != HS_KIND_BLOCK)
			k++;
		assert_true(k < n);
		if (!hs_block_equal(&out[i], &in[k]))
			fail_msg("block %zu: want %llx+%u %u, got %llx+%u %u", k,
			         (unsigned long long)in[k].iaddr, in[k].iretire, in[k].itype,
			         (unsigned long long)out[i].iaddr, out[i].iretire, out[i].itype);
		k++;
	}
	assert_int_equal(k, n);
}

/* "There have been 255 unreported returns": the next one's target is reported, and it does not
 * enter the cache (ET Format 2 irreport and irets, ET Jump target cache mode). */
TEST(returns_256)
{
	static const struct hs_et_config c =
		C(.return_stack_size = 3, .iret_ext = 1, .plain_loops = 1, .cache_size = 3,
	          .options = HS_ET_IMPLICIT_RETURN | CACHED);
	static const struct hs_block loop[] = { /* call, return, jump back */
		{ .iaddr = 0x102c, .iretire = 2, .ilast = 2, .itype = HS_ITYPE_CALL_INF },
		{ .iaddr = 0x1108, .iretire = 1, .ilast = 1, .itype = HS_ITYPE_RETURN },
		{ .iaddr = 0x1030, .iretire = 2, .ilast = 2, .itype = HS_ITYPE_JUMP_INF },
	};
	static struct hs_block in[3 * 600];
	static uint8_t bytes[4096];
	char text[4096];

	for (unsigned i = 0; i < COUNT_OF(in); i++)
		in[i] = loop[i % 3];
	struct hs_span span = { bytes, encode_path(&c, in, COUNT_OF(in), bytes, sizeof bytes) };

	print_packets(&c, span, text);
	assert_string_equal(text, "N S@2c A@30d0r255 A@30d0r255 A@30ud0r87 e");
	/* the 256th return is the last instruction: it has no number of its own */
	span = (struct hs_span){ bytes, encode_path(&c, in, 3 * 255 + 2, bytes, sizeof bytes) };
	print_packets(&c, span, text);
	assert_string_equal(text, "N S@2c A@108d0r255 e");
}

TESTS
{
	assemble();
}
