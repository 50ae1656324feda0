/* Lint: the values of one message, without its past (NT 6, 7). */
#include "ntrace/lint.h"

#include "ntrace/tables.h"

#define HAS(m, f) hs_nt_has(m, HS_NTF_##f)
#define GET(m, f) ((m)->field[HS_NTF_##f])

/* Codes of a field: bit n of reserved and vendor is code n. */
static const struct codes {
	uint8_t field;
	uint16_t reserved, vendor, reserved_id, vendor_id;
} codes[] = {
	{ HS_NTF_SYNC, 0x3d00, 0xc000, HS_NT_FIND_SYNC_RESERVED, HS_NT_FIND_SYNC_VENDOR },
	{ HS_NTF_EVCODE, 0x00ec, 0xff00, HS_NT_FIND_EVCODE_RESERVED, HS_NT_FIND_EVCODE_VENDOR },
	{ HS_NTF_ETYPE, 0x00fe, 0xff00, HS_NT_FIND_ETYPE_RESERVED, HS_NT_FIND_ETYPE_VENDOR },
	{ HS_NTF_RCODE, 0x00f8, 0xff00, HS_NT_FIND_RCODE_RESERVED, HS_NT_FIND_RCODE_VENDOR },
	{ HS_NTF_CDF, 0x000c, 0, HS_NT_FIND_CDF_RESERVED, 0 },
};

static void check_codes(struct hs_nt_lint *l)
{
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		const struct codes *c = &codes[i];

		if (!hs_nt_has(&l->msg, c->field))
			continue;
		const unsigned code = 1u << (l->msg.field[c->field] & 15);

		if (c->reserved & code)
			nt_lint_field(l, c->reserved_id, c->field);
		if (c->vendor & code)
			nt_lint_field(l, c->vendor_id, c->field);
	}
}

/* Does a value need more bits?  Halves: a 64-bit shift is a function where XLEN is 32. */
static bool wider(uint64_t v, unsigned bits)
{
	const uint32_t low = (uint32_t)v, high = (uint32_t)(v >> 32);

	if (bits >= 32)
		return bits < 64 && high >> (bits - 32) != 0;
	return high != 0 || low >> bits != 0;
}

/* Widest values; bits above 64 count for every limit. */
static void limit(struct hs_nt_lint *l, const struct nt_lint_view *v, unsigned f, unsigned bits,
                  unsigned id)
{
	if (!hs_nt_has(&l->msg, f))
		return;
	if ((v->over >> f & 1) || wider(l->msg.field[f], bits))
		nt_lint_field(l, id, f);
}

static void check_limits(struct hs_nt_lint *l, const struct nt_lint_view *v)
{
	const bool rv32 = l->config.xlen == 32;
	const unsigned addr = rv32 ? HS_NT_FIND_ADDRESS_XLEN : HS_NT_FIND_ADDRESS_WIDE;

	limit(l, v, HS_NTF_ICNT, 22, HS_NT_FIND_ICNT_WIDE);
	limit(l, v, HS_NTF_HIST, 32, HS_NT_FIND_HIST_WIDE);
	limit(l, v, HS_NTF_FADDR, rv32 ? 31 : 63, addr);
	limit(l, v, HS_NTF_UADDR, rv32 ? 31 : 63, addr);
	limit(l, v, HS_NTF_TSTAMP, 64, HS_NT_FIND_TSTAMP_WIDE);
	limit(l, v, HS_NTF_HREPEAT, 18, HS_NT_FIND_HREPEAT_WIDE);
	limit(l, v, HS_NTF_BCNT, 18, HS_NT_FIND_BCNT_WIDE);
	limit(l, v, HS_NTF_ECODE, 8, HS_NT_FIND_ECODE_WIDE);
	limit(l, v, HS_NTF_PROCESS, rv32 ? 5 + 32 : 64, HS_NT_FIND_PROCESS_WIDE);
	if (l->config.icnt_bits && GET(&l->msg, ICNT) < 1u << 22)
		limit(l, v, HS_NTF_ICNT, l->config.icnt_bits, HS_NT_FIND_ICNT_COUNTER);
	if (l->config.hist_bits && l->config.hist_bits < 31 && GET(&l->msg, HIST) >> 32 == 0)
		limit(l, v, HS_NTF_HIST, l->config.hist_bits + 1u, HS_NT_FIND_HIST_REGISTER);
}

static unsigned padded_id(const struct hs_nt_lint *l, unsigned f)
{
	switch (f) {
	case HS_NTF_FADDR:
	case HS_NTF_UADDR:
		return HS_NT_FIND_ADDRESS_PADDED;
	case HS_NTF_TSTAMP:
		return HS_NT_FIND_TSTAMP_PADDED;
	case HS_NTF_HIST:
		return HS_NT_FIND_HIST_PADDED;
	case HS_NTF_RDATA:
		return GET(&l->msg, RCODE) ? HS_NT_FIND_HIST_PADDED : HS_NT_FIND_FIELD_PADDED;
	default:
		return HS_NT_FIND_FIELD_PADDED;
	}
}

static bool bit_at(uint64_t v, unsigned i)
{
	return (i < 32 ? (uint32_t)v >> i : (uint32_t)(v >> 32) >> (i - 32)) & 1;
}

/* Extension (NT 8.2): could the last byte of an address be left off?  Then the top bit of the byte
 * before is equal to all above it. */
static bool could_be_shorter(const struct hs_nt_lint *l, unsigned f)
{
	const unsigned width = l->config.xlen == 32 ? 31 : 63, n = l->msg.addr_bits;
	const uint64_t v = l->msg.field[f];

	if (n <= 6)
		return false;
	for (unsigned i = n - 6; i < n && i < width; i++)
		if (bit_at(v, i) != bit_at(v, n - 7))
			return false;
	return true;
}

/* A field of addressBits: above its top bit is nothing, or what equals it (design/nt-vendor). */
static void check_extension(struct hs_nt_lint *l, unsigned f)
{
	const uint64_t v = l->msg.field[f];

	if (!hs_nt_has(&l->msg, f) || !l->config.address_bits)
		return;
	for (unsigned i = l->config.address_bits; i < 63; i++) {
		if (!bit_at(v, i) || bit_at(v, i - 1))
			continue;
		nt_lint_field(l, HS_NT_FIND_ADDRESS_BEYOND, f);
		return;
	}
}

static void check_padding(struct hs_nt_lint *l, const struct nt_lint_view *v)
{
	for (unsigned f = 0; f < HS_NTF_COUNT; f++) {
		const bool address = f == HS_NTF_FADDR || f == HS_NTF_UADDR;

		if (!hs_nt_has(&l->msg, f) || nt_field_rows[f].bits || (v->over >> f & 1))
			continue;
		if (address && l->config.extend_addr && !l->config.address_bits) {
			if (could_be_shorter(l, f))
				nt_lint_field(l, HS_NT_FIND_ADDRESS_UNEXTENDED, f);
		} else if (v->padded >> f & 1) {
			nt_lint_field(l, padded_id(l, f), f);
		}
	}
}

/* ResourceFull (NT 7.8): RDATA is I-CNT or HIST. */
static void check_full(struct hs_nt_lint *l, const struct nt_lint_view *v)
{
	const struct hs_nt_msg *m = &l->msg;
	const unsigned top = l->config.icnt_bits ? l->config.icnt_bits - 1u : 0;
	const uint64_t rcode = GET(m, RCODE), rdata = GET(m, RDATA);

	if (rcode == 0) {
		limit(l, v, HS_NTF_RDATA, 22, HS_NT_FIND_ICNT_WIDE);
		if (rdata == 0)
			nt_lint_field(l, HS_NT_FIND_ICNT_FULL_0, HS_NTF_RDATA);
		else if (top && !wider(rdata, top))
			nt_lint_field(l, HS_NT_FIND_ICNT_NOT_FULL, HS_NTF_RDATA);
		else if (top && rdata >> 22 == 0)
			limit(l, v, HS_NTF_RDATA, top + 1, HS_NT_FIND_ICNT_COUNTER);
		return;
	}
	if (rcode > 2)
		return;
	limit(l, v, HS_NTF_RDATA, 32, HS_NT_FIND_HIST_WIDE);
	if (l->config.hist_bits && l->config.hist_bits < 31 && rdata >> 32 == 0)
		limit(l, v, HS_NTF_RDATA, l->config.hist_bits + 1u, HS_NT_FIND_HIST_REGISTER);
	if (rdata < 2)
		nt_lint_field(l, rdata ? HS_NT_FIND_HIST_FULL_EMPTY : HS_NT_FIND_HIST_NO_STOP,
		              HS_NTF_RDATA);
	if (rcode == 2 && !l->config.repeated_history)
		nt_lint_field(l, HS_NT_FIND_RCODE_REPEAT, HS_NTF_RCODE);
	if (rcode == 2 && GET(m, HREPEAT) < 2)
		nt_lint_field(l, GET(m, HREPEAT) ? HS_NT_FIND_HREPEAT_1 : HS_NT_FIND_HREPEAT_0,
		              HS_NTF_HREPEAT);
}

/* FORMAT, PRV, V and CONTEXT of PROCESS (NT Table 12). */
static void check_process(struct hs_nt_lint *l)
{
	const uint64_t process = GET(&l->msg, PROCESS);
	const unsigned format = process & 3, prv = process >> 2 & 3;

	if (!l->config.context)
		nt_lint_put(l, HS_NT_FIND_OWNERSHIP_DISABLED);
	if (format == 1)
		nt_lint_field(l, HS_NT_FIND_FORMAT_RESERVED, HS_NTF_PROCESS);
	if (prv == 2)
		nt_lint_field(l, HS_NT_FIND_PRV_RESERVED, HS_NTF_PROCESS);
	if (prv == 3 && (process >> 4 & 1))
		nt_lint_field(l, HS_NT_FIND_V_RESERVED, HS_NTF_PROCESS);
	if (format == 0 && process >> 5)
		nt_lint_field(l, HS_NT_FIND_CONTEXT_UNUSED, HS_NTF_PROCESS);
}

/* A branch or jump that retired counts in I-CNT (NT 8.4). */
static void check_own_count(struct hs_nt_lint *l)
{
	const struct hs_nt_msg *m = &l->msg;

	if (GET(m, ICNT) != 0)
		return;
	if (m->tcode == HS_NT_DIRECT_BRANCH)
		nt_lint_field(l, HS_NT_FIND_DIRECT_ICNT_0, HS_NTF_ICNT);
	else if ((m->tcode == HS_NT_INDIRECT_BRANCH || m->tcode == HS_NT_INDIRECT_BRANCH_HIST) &&
	         GET(m, BTYPE) == 0)
		nt_lint_field(l, HS_NT_FIND_JUMP_ICNT_0, HS_NTF_ICNT);
}

/* Reserved bits of ECODE: data trace, and those without a name (NT Table 15). */
#define ECODE_RESERVED 0x73u

void nt_lint_values(struct hs_nt_lint *l, const struct nt_lint_view *v)
{
	const struct hs_nt_msg *m = &l->msg;

	if (!m->known)
		return;
	check_codes(l);
	check_limits(l, v);
	check_padding(l, v);
	check_extension(l, HS_NTF_FADDR);
	check_extension(l, HS_NTF_UADDR);
	check_own_count(l);
	if (m->tcode == HS_NT_RESOURCE_FULL)
		check_full(l, v);
	if (m->tcode == HS_NT_OWNERSHIP)
		check_process(l);
	if (HAS(m, HIST) && GET(m, HIST) == 0)
		nt_lint_field(l, HS_NT_FIND_HIST_NO_STOP, HS_NTF_HIST);
	if (m->tcode == HS_NT_REPEAT_BRANCH && GET(m, BCNT) == 0)
		nt_lint_field(l, HS_NT_FIND_BCNT_0, HS_NTF_BCNT);
	if (m->tcode == HS_NT_ERROR && (GET(m, ECODE) & ECODE_RESERVED))
		nt_lint_field(l, HS_NT_FIND_ECODE_RESERVED, HS_NTF_ECODE);
	if (!l->config.timestamps && HAS(m, TSTAMP))
		nt_lint_field(l, HS_NT_FIND_TSTAMP_DISABLED, HS_NTF_TSTAMP);
	if (l->config.timestamps && !HAS(m, TSTAMP))
		nt_lint_field(
			l, nt_lint_sync(m) ? HS_NT_FIND_TSTAMP_MISSING : HS_NT_FIND_TSTAMP_ABSENT,
			HS_NTF_TSTAMP);
}
