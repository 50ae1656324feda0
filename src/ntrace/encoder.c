/* Retired blocks to N-Trace messages (NT 10).
 *
 * An address is known one block late: a block that ends in an uninferable jump or a trap
 * leaves a message pending, and the next block's first address completes it.
 */
#include "ntrace/tables.h"

#include "base/mem.h"

/* What the next address completes. */
enum pending {
	NOTHING,
	INDIRECT,   /* IndirectBranch or IndirectBranchHist, B-TYPE in btype */
	DIRECT_SYNC /* BTM: a taken branch, to be reported with its target */
};

/* SYNC codes (NT Table 25). */
enum { SYNC_PERIODIC = 2, SYNC_COUNTER = 4, SYNC_ENABLE = 5 };

/* Where messages go. */
struct sheet {
	uint8_t *p, *end;
};

static uint8_t or_default(uint8_t v, uint8_t standard)
{
	return v ? v : standard;
}

enum hs_status hs_nt_encoder_init(struct hs_nt_encoder *e, const struct hs_nt_config *config)
{
	const enum hs_status s = hs_nt_config_check(config);

	if (s != HS_OK)
		return s;
	if (config->sync_mode == HS_NT_SYNC_CYCLES)
		return HS_E_CONFIG;
	memset(e, 0, sizeof *e);
	memcpy(&e->config, config, sizeof e->config);
	e->config.inst_mode = or_default(config->inst_mode, HS_NT_HTM);
	e->config.hist_bits = or_default(config->hist_bits, 31);
	e->icnt_limit = (uint32_t)1 << (or_default(config->icnt_bits, 22) - 1);
	if (config->inhibit_src)
		e->config.src_bits = 0;
	if (config->sync_mode != HS_NT_SYNC_OFF)
		e->interval = (uint64_t)1 << (config->sync_max + 4);
	e->hist = 1;
	return HS_OK;
}

static bool htm(const struct hs_nt_encoder *e)
{
	return e->config.inst_mode == HS_NT_HTM;
}

/* A message without fields.  The values of fields that are not set mean nothing. */
static void begin(struct hs_nt_msg *m, unsigned tcode)
{
	m->tcode = (uint8_t)tcode;
	m->present = 0;
}

static void set(struct hs_nt_msg *m, enum hs_nt_field f, uint64_t v)
{
	m->field[f] = v;
	m->present |= (uint32_t)1 << f;
}

static void count(struct hs_nt_encoder *e, uint64_t units)
{
	e->count += units;
	if (e->interval && e->count >= e->interval)
		e->sync_due = true;
}

static void emit(struct hs_nt_encoder *e, struct sheet *out, struct hs_nt_msg *m)
{
	m->src = e->config.src_id;
	const size_t n = hs_nt_write(m, e->config.src_bits, out->p);

	out->p += n;
	e->messages[m->tcode]++;
	e->bytes += n;
	if (e->config.sync_mode == HS_NT_SYNC_MESSAGES)
		count(e, 1);
	else if (e->config.sync_mode == HS_NT_SYNC_BYTES)
		count(e, n);
}

/* I-CNT goes out and starts again (NT 8.4.3). */
static void set_icnt(struct hs_nt_encoder *e, struct hs_nt_msg *m)
{
	set(m, HS_NTF_ICNT, e->icnt);
	e->icnt = 0;
}

static void set_hist(struct hs_nt_encoder *e, struct hs_nt_msg *m)
{
	set(m, HS_NTF_HIST, e->hist);
	e->hist = 1;
	e->hist_n = 0;
}

/* Full or differential address; either is the next reference (NT 8.1). */
static void set_address(struct hs_nt_encoder *e, struct hs_nt_msg *m, uint64_t addr, bool full)
{
	if (full)
		set(m, HS_NTF_FADDR, addr >> 1);
	else
		set(m, HS_NTF_UADDR, (addr ^ e->ref) >> 1);
	e->ref = addr;
}

/* A synchronising message restarts the interval (trTeInstSyncMax). */
static void synchronised(struct hs_nt_encoder *e)
{
	e->count = 0;
	e->sync_due = false;
}

static void emit_sync(struct hs_nt_encoder *e, struct sheet *out, unsigned tcode, unsigned sync,
                      uint64_t addr)
{
	struct hs_nt_msg m;

	begin(&m, tcode);
	set(&m, HS_NTF_SYNC, sync);
	set(&m, HS_NTF_BTYPE, e->btype);
	set_icnt(e, &m);
	set_address(e, &m, addr, true);
	if (tcode == HS_NT_INDIRECT_BRANCH_HIST_SYNC)
		set_hist(e, &m);
	emit(e, out, &m);
	synchronised(e);
}

static void emit_indirect(struct hs_nt_encoder *e, struct sheet *out, uint64_t addr)
{
	const bool hist = htm(e) && (e->hist_n || e->config.hist_always);
	struct hs_nt_msg m;

	begin(&m, hist ? HS_NT_INDIRECT_BRANCH_HIST : HS_NT_INDIRECT_BRANCH);
	set(&m, HS_NTF_BTYPE, e->btype);
	set_icnt(e, &m);
	set_address(e, &m, addr, false);
	if (hist)
		set_hist(e, &m);
	emit(e, out, &m);
}

static void emit_direct(struct hs_nt_encoder *e, struct sheet *out)
{
	struct hs_nt_msg m;

	begin(&m, HS_NT_DIRECT_BRANCH);
	set_icnt(e, &m);
	emit(e, out, &m);
}

/* RCODE 0: I-CNT, 1: HIST (NT 7.8). */
static void emit_full(struct hs_nt_encoder *e, struct sheet *out, unsigned rcode)
{
	struct hs_nt_msg m;

	begin(&m, HS_NT_RESOURCE_FULL);
	set(&m, HS_NTF_RCODE, rcode);
	set(&m, HS_NTF_RDATA, rcode ? e->hist : e->icnt);
	if (rcode) {
		e->hist = 1;
		e->hist_n = 0;
	} else {
		e->icnt = 0;
	}
	emit(e, out, &m);
}

static void emit_correlation(struct hs_nt_encoder *e, struct sheet *out, unsigned evcode)
{
	struct hs_nt_msg m;

	begin(&m, HS_NT_PROG_TRACE_CORRELATION);
	if (e->pending == DIRECT_SYNC) /* its target will not be known: report it without */
		emit_direct(e, out);
	set(&m, HS_NTF_EVCODE, evcode);
	set(&m, HS_NTF_CDF, htm(e)); /* NT 7.12: in HTM 1, even if HIST is empty */
	set_icnt(e, &m);
	if (htm(e))
		set_hist(e, &m);
	emit(e, out, &m);
	e->running = false;
	e->pending = NOTHING;
	e->sync = 0;
	e->follow = false;
}

/* Start or restart: ProgTraceSync with I-CNT 0 (NT 7.5). */
static void start(struct hs_nt_encoder *e, struct sheet *out, uint64_t addr)
{
	const bool first = e->messages[HS_NT_PROG_TRACE_SYNC] == 0;

	e->icnt = 0;
	e->btype = 0;
	emit_sync(e, out, HS_NT_PROG_TRACE_SYNC,
	          first ? or_default(e->config.start_sync, SYNC_ENABLE) : SYNC_ENABLE, addr);
	e->running = true;
}

/* A synchronising message that no jump asked for: HTM has one with HIST, BTM one without. */
static unsigned plain_sync_tcode(const struct hs_nt_encoder *e)
{
	return htm(e) ? HS_NT_INDIRECT_BRANCH_HIST_SYNC : HS_NT_PROG_TRACE_SYNC;
}

/* The address of the next instruction is known: send what waited for it. */
static void at_address(struct hs_nt_encoder *e, struct sheet *out, uint64_t addr)
{
	const unsigned sync = e->sync ? e->sync : SYNC_PERIODIC;
	const bool due = e->sync || e->sync_due;

	if (e->pending == INDIRECT && due)
		emit_sync(e, out, htm(e) ? HS_NT_INDIRECT_BRANCH_HIST_SYNC
		                         : HS_NT_INDIRECT_BRANCH_SYNC, sync, addr);
	else if (e->pending == INDIRECT)
		emit_indirect(e, out, addr);
	else if (e->pending == DIRECT_SYNC)
		emit_sync(e, out, HS_NT_DIRECT_BRANCH_SYNC, sync, addr);
	else if (due) {
		e->btype = 0;
		emit_sync(e, out, plain_sync_tcode(e), sync, addr);
	}
	e->pending = NOTHING;
	e->sync = 0;
}

static void at_branch(struct hs_nt_encoder *e, struct sheet *out, bool taken)
{
	if (!htm(e)) {
		if (taken && (e->sync_due || e->sync))
			e->pending = DIRECT_SYNC;
		else if (taken)
			emit_direct(e, out);
		return;
	}
	if (e->hist_n == e->config.hist_bits) /* NT 8.3.1: sent before the next bit is added */
		emit_full(e, out, 1);
	e->hist = e->hist << 1 | taken;
	e->hist_n++;
}

static uint8_t btype_of(const struct hs_nt_encoder *e, unsigned itype)
{
	if (itype != HS_ITYPE_EXCEPTION && itype != HS_ITYPE_INTERRUPT)
		return 0;
	if (e->config.btype_plain)
		return 1;
	return itype == HS_ITYPE_EXCEPTION ? 2 : 3;
}

/* The counter has reached its overflow bit and no message takes it away (NT 8.4.4). */
static void icnt_full(struct hs_nt_encoder *e, struct sheet *out)
{
	if (e->icnt < e->icnt_limit || e->pending != NOTHING)
		return;
	if (e->config.icnt_full == HS_NT_ICNT_SYNC && htm(e) && e->hist_n)
		e->sync = SYNC_COUNTER;
	else
		emit_full(e, out, 0);
}

static enum hs_status check(const struct hs_nt_encoder *e, const struct hs_block *b)
{
	if ((b->iaddr & 1) || b->itype > 15 || b->itype == HS_ITYPE_RESERVED ||
	    b->iretire > e->icnt_limit)
		return HS_E_BLOCK;
	return HS_OK;
}

static void encode_block(struct hs_nt_encoder *e, struct sheet *out, const struct hs_block *b)
{
	if (e->running && e->follow && e->expect != b->iaddr)
		emit_correlation(e, out, 4); /* blocks are missing: trace was off in between */
	if (!e->running)
		start(e, out, b->iaddr);
	else if (e->pending || e->sync || e->sync_due)
		at_address(e, out, b->iaddr);
	e->icnt += b->iretire;
	if (e->config.sync_mode == HS_NT_SYNC_HALFWORDS)
		count(e, b->iretire);
	if (b->itype == HS_ITYPE_TAKEN || b->itype == HS_ITYPE_NOT_TAKEN) {
		at_branch(e, out, b->itype == HS_ITYPE_TAKEN);
	} else if (hs_itype_uninferable(b->itype)) {
		e->pending = INDIRECT;
		e->btype = btype_of(e, b->itype);
	}
	e->follow = b->itype == HS_ITYPE_NONE || b->itype == HS_ITYPE_NOT_TAKEN;
	e->expect = hs_block_end(b);
	icnt_full(e, out);
}

static void encode_event(struct hs_nt_encoder *e, struct sheet *out, const struct hs_block *b)
{
	if (!e->running)
		return;
	if (b->kind == HS_KIND_STOP)
		emit_correlation(e, out, b->itype & 15u);
	else if (b->kind == HS_KIND_GAP)
		emit_correlation(e, out, 4);
}

enum hs_status hs_nt_encode(struct hs_nt_encoder *e, const struct hs_block *in, size_t n,
                            size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	struct sheet sheet = { out, out + cap };
	enum hs_status s = HS_OK;

	*used = 0;
	*len = 0;
	if (cap < HS_NT_ENCODE_ROOM)
		return HS_E_SPACE;
	for (; *used < n && s == HS_OK; ++*used) {
		const struct hs_block *b = &in[*used];

		if (sheet.end - sheet.p < HS_NT_ENCODE_ROOM)
			s = HS_FULL;
		else if (b->kind != HS_KIND_BLOCK)
			encode_event(e, &sheet, b);
		else if ((s = check(e, b)) == HS_OK)
			encode_block(e, &sheet, b);
		if (s != HS_OK)
			break;
	}
	*len = (size_t)(sheet.p - out);
	return s;
}

enum hs_status hs_nt_encode_end(struct hs_nt_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	struct sheet sheet = { out, out + cap };

	*len = 0;
	if (cap < HS_NT_ENCODE_ROOM)
		return HS_E_SPACE;
	if (e->running)
		emit_correlation(e, &sheet, e->config.stop_evcode);
	*len = (size_t)(sheet.p - out);
	return HS_OK;
}
