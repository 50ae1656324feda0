/* See ctr_referee.h.  Clauses are titles of the text: "mctrctl" of 1.0, "mctrcontrol" of 0.1.4. */
#include "referee/ctr_referee.h"

#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))

/* "Control Transfer Type Definitions" */
enum { EXCEPTION = 1, INTERRUPT, TRAP_RETURN, NOT_TAKEN, TAKEN, EXTERNAL_OF_0_1, INDIRECT_CALL = 8,
       DIRECT_CALL, SWAP = 12, RETURN };

/* ---- fields of the control registers ------------------------------------------------- */

enum field { U, S, M, RASEMU, STE, MTE, BPFRZ, LCOFIFRZ };

static uint64_t field(const struct ctr_referee *r, enum field f)
{
	static const uint8_t draft[] = { [M] = 0, [S] = 1, [U] = 2, [MTE] = 8, [STE] = 9,
		                         [RASEMU] = 10, [BPFRZ] = 11, [LCOFIFRZ] = 12 };
	static const uint8_t ratified[] = { [U] = 0, [S] = 1, [M] = 2, [RASEMU] = 7, [STE] = 8,
		                            [MTE] = 9, [BPFRZ] = 11, [LCOFIFRZ] = 12 };

	return BIT(r->has.draft ? draft[f] : ratified[f]);
}

#define CLR BIT(7)   /* 0.1.4 */
#define ETEN BIT(38) /* 0.1.4 */

/* "All fields are optional except for ..." */
static uint64_t implemented(const struct ctr_referee *r)
{
	const struct ctr_traits *h = &r->has;
	uint64_t required = field(r, M), optional = field(r, MTE) | field(r, RASEMU) |
	                                            field(r, BPFRZ) | field(r, LCOFIFRZ);

	if (h->has_s) {
		required |= field(r, S);
		optional |= field(r, STE);
	}
	if (h->has_u)
		required |= field(r, U);
	if (!h->draft)
		required |= field(r, BPFRZ) | (h->sscofpmf ? field(r, LCOFIFRZ) : 0);
	else
		optional |= ETEN;
	for (unsigned bit = 33; bit <= 47; bit++)
		if (bit != 38 && bit != 39)
			optional |= BIT(bit);
	return required | (optional & ~h->absent);
}

/* "Bits 2 and 9 in sctrctl are read-only 0", bits 0 and 8 in sctrcontrol. */
static uint64_t machine_only(const struct ctr_referee *r)
{
	return field(r, M) | field(r, MTE);
}

/* ---- depth ---------------------------------------------------------------------------- */

static unsigned depth_code(const struct ctr_referee *r, unsigned n)
{
	return r->has.draft ? (1u << n) - 1 : n; /* 0000, 0001, 0011, 0111, 1111; 000 to 100 */
}

static unsigned code_of_depth(const struct ctr_referee *r)
{
	unsigned n = 0;

	while (16u << n != r->depth)
		n++;
	return depth_code(r, n);
}

/* WARL; design/ctr, A7. */
static unsigned depth_for(const struct ctr_referee *r, unsigned code)
{
	for (unsigned n = 5; n-- > 0;)
		if (r->has.depth[n] && depth_code(r, n) <= code)
			return 16u << n;
	for (unsigned n = 0;; n++)
		if (r->has.depth[n])
			return 16u << n;
}

/* "On depth changes, WRPTR holds an unspecified but legal value", "the newly accessible entries
 * contain unspecified but legal values". */
static void set_depth(struct ctr_referee *r, unsigned code)
{
	const unsigned before = r->depth;

	r->depth = depth_for(r, code);
	if (r->depth == before)
		return;
	r->open.wrptr = true;
	r->open.from = before < r->depth ? before : 256;
	r->wrptr %= r->depth;
}

/* ---- entries -------------------------------------------------------------------------- */

unsigned ctr_referee_place(const struct ctr_referee *r, unsigned index)
{
	return (r->wrptr + 2 * r->depth - index - 1) % r->depth;
}

static uint64_t extend(uint64_t a, unsigned bits)
{
	const uint64_t upper = UINT64_MAX << (bits - 1);

	return a & BIT(bits - 1) ? a | upper : a & ~upper;
}

/* An address that some pc may have: virtual, sign-extended; physical; of a mode of 32 bits. */
static bool is_valid(const struct ctr_referee *r, uint64_t a, bool xlen32)
{
	if (xlen32 || r->has.rv32)
		return a <= UINT32_MAX;
	if (r->has.va == 0 || extend(a, r->has.va) == a)
		return true;
	return r->has.pa && a >> r->has.pa == 0;
}

/* All that the fields of ctrdata leave; "Undefined bits". */
static uint64_t data_bits(const struct ctr_referee *r)
{
	const struct ctr_traits *h = &r->has;
	uint64_t bits = h->type ? 15 : 0;

	if (h->cycles)
		bits |= BIT(15) | (BIT(12 + h->exponent) - 1) << 16;
	if (h->keeps_undefined)
		bits |= UINT64_C(0x7ff) << 4 | (h->rv32 ? 0 : UINT64_MAX << 32);
	return bits;
}

bool ctr_referee_holds(const struct ctr_referee *r, const struct ctr_row *row)
{
	const uint64_t address[] = { row->source & ~UINT64_C(1), row->target & ~UINT64_C(1) };
	const unsigned physical = r->has.pa + 1, virtual = r->has.va;
	const unsigned bits = physical > virtual ? physical : virtual;

	for (unsigned i = 0; i < 2; i++)
		if (!is_valid(r, address[i], false) && extend(address[i], bits) != address[i] &&
		    (address[i] > UINT32_MAX || !r->has.has_u))
			return false;
	return (r->has.misp || !(row->target & 1)) && !(row->data & ~data_bits(r));
}

static void write_row(struct ctr_referee *r, unsigned index, unsigned which, uint64_t value,
                      bool xlen32)
{
	struct ctr_row *row = &r->row[ctr_referee_place(r, index)];
	uint64_t *const to[] = { &row->source, &row->target, &row->data };
	const uint64_t upper = UINT64_MAX << 32;

	if (which > 2)
		return;
	if (xlen32)
		value = (value & ~upper) |
		        (r->has.keeps_upper && !r->has.rv32 ? *to[which] & upper : 0);
	const bool valid = is_valid(r, value & ~UINT64_C(1), xlen32 && !r->has.keeps_upper);

	r->open.row = ctr_referee_place(r, index);
	r->open.source = which == 0 && !valid;
	r->open.target = which == 1 && !valid;
	if (which == 1 && !r->has.misp)
		value &= ~UINT64_C(1);
	*to[which] = which == 2 ? value & data_bits(r) : value;
}

static void zero_rows(struct ctr_referee *r)
{
	memset(r->row, 0, sizeof(r->row));
	r->open = (struct ctr_open){ .from = 256 };
}

/* ---- access --------------------------------------------------------------------------- */

enum kind { CONTROL, CONTROL_H, STATUS, DEPTH, SELECT, WINDOW, NONE };

/* A CSR: what it is, and its level: 1 supervisor, 2 hypervisor, 3 machine. */
struct csr {
	enum kind kind;
	unsigned level, window; /* 0 to 5: *ireg to *ireg6 */
};

static enum kind own_csr(const struct ctr_referee *r, unsigned number)
{
	if (r->has.draft) {
		switch (number) {
		case 0x181: case 0x281: case 0x381: return CONTROL;
		case 0x182: case 0x282: case 0x382: return CONTROL_H;
		case 0x183: case 0x383: return STATUS;
		default: return NONE;
		}
	}
	switch (number) {
	case 0x14e: case 0x24e: case 0x34e: return CONTROL;
	case 0x14f: return STATUS;
	case 0x15f: return DEPTH;
	default: return NONE;
	}
}

static struct csr find_csr(const struct ctr_referee *r, unsigned number)
{
	struct csr c = { own_csr(r, number), number >> 8, 0 };
	const unsigned low = number & 0xff;

	if (c.kind != NONE || c.level < 1 || c.level > 3)
		return c;
	if (low == 0x50)
		c.kind = SELECT;
	if (low >= 0x51 && low <= 0x57 && low != 0x54) {
		c.kind = WINDOW;
		c.window = low - (low < 0x54 ? 0x51 : 0x52);
	}
	return c;
}

static bool is_guest(enum ctr_mode m)
{
	return m == CTR_VU || m == CTR_VS;
}

/* A bit of mstateen0 and hstateen0, and the privilege that a CSR of @level wants. */
static enum ctr_says gate(const struct ctr_referee *r, const struct ctr_who *w, unsigned level,
                          unsigned bit)
{
	const bool machine = !r->has.smstateen || (w->mstateen0 & BIT(bit));
	const bool hypervisor = !r->has.smstateen || (w->hstateen0 & BIT(bit));

	if (w->mode == CTR_M)
		return CTR_DONE;
	if (!machine || level == 3 || w->mode == CTR_U)
		return CTR_ILLEGAL;
	if (w->mode == CTR_S)
		return CTR_DONE;
	return w->mode == CTR_VS && level == 1 && hypervisor ? CTR_DONE : CTR_VIRTUAL;
}

static bool exists(const struct ctr_referee *r, unsigned level)
{
	return level == 1 ? r->has.has_s : level == 2 ? r->has.has_h : true;
}

static unsigned ctr_bit(const struct ctr_referee *r)
{
	return r->has.draft ? 55 : 54;
}

static enum ctr_says may_own(const struct ctr_referee *r, const struct ctr_who *w, struct csr c)
{
	const enum ctr_says gated = gate(r, w, c.level, ctr_bit(r));

	if (!exists(r, c.level) || (c.kind == CONTROL_H && !w->xlen32))
		return CTR_ILLEGAL;
	/* "Attempts to access sctrdepth from VS-mode or VU-mode ..." */
	return c.kind == DEPTH && is_guest(w->mode) && gated != CTR_ILLEGAL ? CTR_VIRTUAL : gated;
}

/* "When siselect holds a value in this range" */
static uint64_t selected(const struct ctr_who *w, unsigned level)
{
	if (level == 3)
		return w->miselect;
	return level == 2 || is_guest(w->mode) ? w->vsiselect : w->siselect;
}

static enum ctr_says may_window(const struct ctr_referee *r, const struct ctr_who *w,
                                struct csr c)
{
	const uint64_t at = selected(w, c.level);
	enum ctr_says says;

	if (!exists(r, c.level))
		return CTR_ILLEGAL;
	says = gate(r, w, c.level, 60);
	if (says != CTR_DONE)
		return says;
	if (c.kind == SELECT || at < 0x200 || at > 0x2ff || (c.level == 3 && !r->has.draft))
		return CTR_NOT_MINE;
	return gate(r, w, c.level, ctr_bit(r));
}

static enum ctr_says may_access(const struct ctr_referee *r, const struct ctr_who *w, struct csr c)
{
	switch (c.kind) {
	case NONE: return CTR_NOT_MINE;
	case SELECT: case WINDOW: return may_window(r, w, c);
	default: return may_own(r, w, c);
	}
}

/* ---- what is read and written --------------------------------------------------------- */

/* The control register that a CSR of @level shows: in a guest sctrctl is vsctrctl. */
static bool shows_guest(const struct ctr_who *w, unsigned level)
{
	return level == 2 || is_guest(w->mode);
}

static uint64_t read_control(const struct ctr_referee *r, const struct ctr_who *w, unsigned level)
{
	const uint64_t all = shows_guest(w, level) ? r->vsctl : r->mctl;
	const uint64_t seen = level == 3 ? all : all & ~machine_only(r);

	return seen | (r->has.draft ? (uint64_t)code_of_depth(r) << 16 : 0);
}

static uint64_t read_status(const struct ctr_referee *r)
{
	if (r->has.draft)
		return r->wrptr | (r->wrap ? BIT(14) : 0) | (r->frozen ? BIT(15) : 0);
	return r->wrptr | (r->frozen ? BIT(31) : 0);
}

static uint64_t read_row(const struct ctr_referee *r, uint64_t index, unsigned window)
{
	if (index >= r->depth)
		return 0;
	const struct ctr_row *row = &r->row[ctr_referee_place(r, (unsigned)index)];

	return window == 0 ? row->source : window == 1 ? row->target : window == 2 ? row->data : 0;
}

static uint64_t read_csr(const struct ctr_referee *r, const struct ctr_who *w, struct csr c)
{
	switch (c.kind) {
	case CONTROL: return read_control(r, w, c.level);
	case CONTROL_H: return read_control(r, w, c.level) >> 32;
	case STATUS: return read_status(r);
	case DEPTH: return code_of_depth(r);
	default: return read_row(r, selected(w, c.level) - 0x200, c.window);
	}
}

enum ctr_says ctr_referee_read(struct ctr_referee *r, const struct ctr_who *who, unsigned csr,
                               uint64_t *value)
{
	const struct csr c = find_csr(r, csr);
	const enum ctr_says says = may_access(r, who, c);

	r->open = (struct ctr_open){ .from = 256 };
	if (says == CTR_DONE)
		*value = read_csr(r, who, c) & (who->xlen32 ? UINT32_MAX : UINT64_MAX);
	return says;
}

/* "mctrcontrol": DEPTH and CLR are fields of it; vsctrcontrol.DEPTH is read-only, and CLR there
 * has an effect only when V=1. */
static void write_draft_fields(struct ctr_referee *r, const struct ctr_who *w, bool guest,
                               uint64_t value)
{
	if (!guest)
		set_depth(r, (unsigned)(value >> 16 & 15));
	if (!(value & CLR) || (guest && !is_guest(w->mode)))
		return;
	zero_rows(r);
	r->wrptr = 0;
	r->wrap = r->frozen = false;
}

static void write_control(struct ctr_referee *r, const struct ctr_who *w, unsigned level,
                          uint64_t value)
{
	const bool guest = shows_guest(w, level);
	uint64_t *control = guest ? &r->vsctl : &r->mctl;
	const uint64_t hidden = level == 3 ? 0 : machine_only(r);

	*control = (value & implemented(r) & ~hidden) | (guest ? 0 : *control & hidden);
	if (r->has.draft)
		write_draft_fields(r, w, guest, value);
	r->cycles = 0; /* "The CtrCycleCounter is reset on writes to xctrctl" */
	r->ccv = false;
}

static void write_csr(struct ctr_referee *r, const struct ctr_who *w, struct csr c, uint64_t value)
{
	const uint64_t low = UINT32_MAX;
	uint64_t old;

	switch (c.kind) {
	case CONTROL:
		old = w->xlen32 ? read_control(r, w, c.level) & ~low : 0;
		write_control(r, w, c.level, w->xlen32 ? old | (value & low) : value);
		break;
	case CONTROL_H:
		old = read_control(r, w, c.level) & low;
		write_control(r, w, c.level, value << 32 | old);
		break;
	case STATUS:
		r->wrptr = (unsigned)(value % r->depth);
		r->wrap = r->has.draft && (value & BIT(14));
		r->frozen = value & BIT(r->has.draft ? 15 : 31);
		break;
	case DEPTH:
		set_depth(r, (unsigned)(value & 7));
		break;
	default:
		old = selected(w, c.level) - 0x200;
		if (old < r->depth)
			write_row(r, (unsigned)old, c.window, value, w->xlen32);
	}
}

enum ctr_says ctr_referee_write(struct ctr_referee *r, const struct ctr_who *who, unsigned csr,
                                uint64_t value)
{
	const struct csr c = find_csr(r, csr);
	const enum ctr_says says = may_access(r, who, c);

	r->open = (struct ctr_open){ .from = 256 };
	if (says == CTR_DONE)
		write_csr(r, who, c, value);
	return says;
}

enum ctr_says ctr_referee_clear(struct ctr_referee *r, const struct ctr_who *who)
{
	const enum ctr_says says = r->has.draft ? CTR_NOT_MINE : gate(r, who, 1, ctr_bit(r));

	r->open = (struct ctr_open){ .from = 256 };
	if (says == CTR_DONE) {
		zero_rows(r);
		r->cycles = 0;
		r->ccv = false;
	}
	return says;
}

void ctr_referee_start(struct ctr_referee *r, const struct ctr_traits *has)
{
	memset(r, 0, sizeof(*r));
	r->has = *has;
	r->depth = depth_for(r, 0);
	r->open.from = 256;
}

/* ---- records -------------------------------------------------------------------------- */

static uint64_t control_of(const struct ctr_referee *r, bool guest)
{
	return guest ? r->vsctl : r->mctl;
}

static bool is_enabled(const struct ctr_referee *r, enum ctr_mode m)
{
	switch (m) {
	case CTR_U: return r->mctl & field(r, U);
	case CTR_S: return r->mctl & field(r, S);
	case CTR_M: return r->mctl & field(r, M);
	case CTR_VU: return r->vsctl & field(r, U);
	case CTR_VS: return r->vsctl & field(r, S);
	default: return false;
	}
}

/* "The CC field is encoded such that CCE holds 0 if the CtrCycleCounter value is less than 4096,
 * otherwise it holds the index of the most significant one bit ... minus 11." */
static uint64_t encode_cycles(uint64_t cycles, unsigned exponent)
{
	const unsigned most = (1u << exponent) - 1; /* the largest CCE */
	unsigned top = 0;

	for (uint64_t v = cycles; v > 1; v >>= 1)
		top++;
	if (top < 12)
		return cycles;
	if (top - 11 > most)
		return (uint64_t)most << 12 | 0xfff;
	return (uint64_t)(top - 11) << 12 | (cycles >> (top - 12) & 0xfff);
}

static uint64_t decode_cycles(uint64_t cc)
{
	const uint64_t cce = cc >> 12 & 15, ccm = cc & 0xfff;

	return cce == 0 ? ccm : (4096 + ccm) << (cce - 1);
}

/* Overwrite an entry; @to32 is of the target's mode. */
static void record(struct ctr_referee *r, unsigned at, const struct ctr_move *m, bool no_cycles)
{
	const uint64_t source = m->source & (m->from32 ? UINT32_MAX : UINT64_MAX) & ~UINT64_C(1);
	const uint64_t target = m->target & (m->to32 ? UINT32_MAX : UINT64_MAX) & ~UINT64_C(1);
	const bool ccv = r->has.cycles && r->ccv && !no_cycles;
	uint64_t data = r->has.type ? m->type : 0;

	if (r->has.cycles)
		data |= (ccv ? BIT(15) : 0) | encode_cycles(r->cycles, r->has.exponent) << 16;
	r->row[at] = (struct ctr_row){ source | 1, target | (m->misp && r->has.misp), data };
	r->open.row = at;
	r->open.source = !is_valid(r, source, m->from32);
	r->open.target = !is_valid(r, target, m->to32);
	r->open.cc = !ccv && r->has.cycles;
	r->cycles = 0;
	r->ccv = true;
}

static void push(struct ctr_referee *r, const struct ctr_move *m, bool no_cycles)
{
	record(r, r->wrptr, m, no_cycles);
	if (r->wrptr == r->depth - 1)
		r->wrap = r->has.draft;
	r->wrptr = (r->wrptr + 1) % r->depth;
}

/* "add the CC field from the popped entry to the counter" */
static void add_popped(struct ctr_referee *r, const struct ctr_row *row)
{
	if (row->source & 1 && row->data & BIT(15))
		r->cycles += decode_cycles(row->data >> 16 & 0xffff);
	else
		r->ccv = false;
}

static void pop(struct ctr_referee *r)
{
	const unsigned at = ctr_referee_place(r, 0);

	add_popped(r, &r->row[at]);
	r->row[at].source &= ~UINT64_C(1);
	if (r->wrptr == 0)
		r->wrap = false;
	r->wrptr = at;
}

/* "RAS (Return Address Stack) Emulation Mode" */
static void emulate(struct ctr_referee *r, const struct ctr_move *m)
{
	const unsigned top = ctr_referee_place(r, 0);

	if (m->type == DIRECT_CALL || m->type == INDIRECT_CALL)
		push(r, m, r->has.no_ras_cycles);
	if (m->type == RETURN)
		pop(r);
	if (m->type == SWAP) {
		add_popped(r, &r->row[top]);
		record(r, top, m, r->has.no_ras_cycles);
	}
}

/* "Transfer Type Filtering" */
static bool is_inhibited(uint64_t control, unsigned type)
{
	if (type == NOT_TAKEN) /* NTBREN */
		return !(control & BIT(36));
	return control & BIT(32 + type);
}

static void retire(struct ctr_referee *r, const struct ctr_move *m)
{
	const uint64_t control = control_of(r, is_guest(m->from));
	struct ctr_move within = *m;

	within.to32 = m->from32;
	if (m->type > 15 || m->type == 6 || m->type == 7 || !is_enabled(r, m->from))
		return;
	if (control & field(r, RASEMU))
		emulate(r, &within);
	else if (!is_inhibited(control, m->type))
		push(r, &within, false);
}

/* ---- changes of the mode --------------------------------------------------------------- */

static unsigned rank(enum ctr_mode m)
{
	static const uint8_t ranks[] = { [CTR_U] = 0, [CTR_VU] = 0, [CTR_VS] = 1, [CTR_S] = 2,
		                         [CTR_M] = 3 };

	return ranks[m];
}

/* A trap goes to where it is handled; U-mode below HS is no guest. */
static bool may_trap(enum ctr_mode from, enum ctr_mode to)
{
	if (to == CTR_U || to == CTR_VU || rank(to) < rank(from))
		return false;
	return to != CTR_VS || is_guest(from);
}

bool ctr_referee_possible(const struct ctr_move *m)
{
	if (m->from == CTR_DEBUG || m->to == CTR_DEBUG)
		return true;
	if (m->type == EXCEPTION || m->type == INTERRUPT)
		return may_trap(m->from, m->to);
	return m->type != TRAP_RETURN || may_trap(m->to, m->from);
}

/* "External Trap Enable Requirements" */
static bool external_1_0(const struct ctr_referee *r, enum ctr_mode from, enum ctr_mode to)
{
	const bool mte = r->mctl & field(r, MTE), ste = r->mctl & field(r, STE);
	const bool vste = r->vsctl & field(r, STE);

	switch (from) {
	case CTR_U: return to == CTR_S ? ste : mte && ste;
	case CTR_S: return mte;
	case CTR_VU: return to == CTR_VS ? vste : to == CTR_S ? ste && vste : mte && ste && vste;
	case CTR_VS: return to == CTR_S ? ste : mte && ste;
	default: return false;
	}
}

/* "only if both ETEN=1 and xTE=1, such that x is the target privilege mode of the trap" */
static bool external_draft(const struct ctr_referee *r, uint64_t control, enum ctr_mode to)
{
	const uint64_t te = to == CTR_M ? r->mctl & field(r, MTE) :
	                    to == CTR_S ? r->mctl & field(r, STE) : r->vsctl & field(r, STE);

	return (control & ETEN) && te;
}

static bool is_external(const struct ctr_referee *r, const struct ctr_move *m, uint64_t control)
{
	return r->has.draft ? external_draft(r, control, m->to) : external_1_0(r, m->from, m->to);
}

/* "Freeze" */
static bool freezes(const struct ctr_referee *r, const struct ctr_move *m, uint64_t cause)
{
	const bool target = !r->has.draft || r->has.freeze_as_1_0;
	const uint64_t control = control_of(r, is_guest(target ? m->to : m->from));

	return m->type == EXCEPTION ? cause == 3 && (control & field(r, BPFRZ))
	                            : cause == 13 && (control & field(r, LCOFIFRZ));
}

/* "Virtualization Mode Transitions": vsctrctl; 0.1.4: the control of the source. */
static uint64_t control_between(const struct ctr_referee *r, const struct ctr_move *m)
{
	const bool either = !r->has.draft || r->has.v_as_1_0;

	return control_of(r, is_guest(m->from) || (either && is_guest(m->to)));
}

static void trap(struct ctr_referee *r, const struct ctr_move *m, uint64_t cause)
{
	const uint64_t control = control_between(r, m);
	const bool from = is_enabled(r, m->from), to = is_enabled(r, m->to);
	struct ctr_move made = *m;

	made.misp = false; /* a trap is no instruction */
	if (freezes(r, m, cause)) {
		r->frozen = true;
		return;
	}
	if (r->frozen || (control & field(r, RASEMU)))
		return;
	if (from && !to) { /* "External Traps" */
		made.target = 0;
		made.type = r->has.type6 ? EXTERNAL_OF_0_1 : m->type;
		if (is_external(r, m, control))
			push(r, &made, false);
	} else if (to && !is_inhibited(control, m->type)) {
		made.source = from ? m->source : 0;
		push(r, &made, false);
	}
}

static void trap_return(struct ctr_referee *r, const struct ctr_move *m)
{
	const uint64_t control = control_between(r, m);
	struct ctr_move made = *m;

	if (!is_enabled(r, m->from) || (control & field(r, RASEMU)) ||
	    is_inhibited(control, TRAP_RETURN))
		return;
	if (!is_enabled(r, m->to))
		made.target = 0;
	push(r, &made, false);
}

void ctr_referee_move(struct ctr_referee *r, const struct ctr_move *m, uint64_t cause)
{
	r->open = (struct ctr_open){ .from = 256 };
	if (m->from == CTR_DEBUG)
		return;
	if (m->type == EXCEPTION || m->type == INTERRUPT) {
		if (m->to != CTR_DEBUG)
			trap(r, m, cause);
	} else if (m->type == TRAP_RETURN) {
		if (m->to != CTR_DEBUG && !r->frozen)
			trap_return(r, m);
	} else if (m->type && !r->frozen) {
		retire(r, m);
	}
}

/* "Only cycles while CTR is active are counted" */
void ctr_referee_tick(struct ctr_referee *r, enum ctr_mode mode, uint64_t cycles)
{
	const uint64_t many = BIT(40);

	r->open = (struct ctr_open){ .from = 256 };
	if (r->frozen || !is_enabled(r, mode))
		return;
	r->cycles += cycles < many ? cycles : many;
	r->cycles = r->cycles < many ? r->cycles : many;
}

void ctr_referee_miss_cycles(struct ctr_referee *r)
{
	r->open = (struct ctr_open){ .from = 256 };
	r->ccv = false;
}
