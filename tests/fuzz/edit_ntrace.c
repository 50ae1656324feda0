/* Messages of N-Trace as records: messages.def say what they are made of. */
#include <hartscope/ntrace.h>

#include "edit.h"
#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"

static struct hs_nt_reader reader_of(const struct hs_nt_config *config)
{
	struct hs_nt_reader r;

	hs_nt_reader_init(&r, config->src_bits);
	hs_nt_reader_set_dialect(&r, config->dialect);
	return r;
}

static size_t cut(const void *config, const uint8_t *p, size_t n, struct fuzz_record *out,
                  size_t cap)
{
	struct hs_nt_reader r = reader_of(config);
	struct hs_span in = { p, n };
	struct hs_nt_msg m;
	size_t count = 0;

	while (count < cap) {
		const uint8_t *from = in.p;

		if (hs_nt_read(&r, &in, &m) == HS_MORE)
			break;
		if (in.p == from) /* an error of bytes that were taken before */
			continue;
		out[count++] = (struct fuzz_record){ (size_t)(from - p), (size_t)(in.p - from), 0 };
	}
	return count;
}

static unsigned limit_of(enum hs_nt_field field)
{
	static const uint8_t limits[] = {
#define HS_NT_FIELD(id, name, bits, limit, clause) (limit),
#include <hartscope/tables/messages.def>
#undef HS_NT_FIELD
	};

	return limits[field];
}

static void change_field(struct fuzz_edit *e, const struct hs_nt_config *config,
                         struct hs_nt_msg *m)
{
	enum hs_nt_field fields[HS_NTF_COUNT];
	const unsigned n = hs_nt_dialect_msg_fields(config->dialect, m->tcode, fields);

	if (n == 0)
		return;
	const enum hs_nt_field f = fields[fuzz_pick(e, n)];

	m->field[f] = fuzz_pick(e, 3) ? fuzz_limit(e, limit_of(f))
	                              : m->field[f] + fuzz_pick(e, 5) - 2;
	m->addr_bits = 0;
}

/* Another message with the same fields. */
static void change_tcode(struct fuzz_edit *e, struct hs_nt_msg *m)
{
	static const uint8_t tcodes[] = {
#define HS_NT_MSG(id, name, tcode, fields, clause) (tcode),
#define HS_NT_MSG_SIFIVE HS_NT_MSG
#include <hartscope/tables/messages.def>
#undef HS_NT_MSG_SIFIVE
#undef HS_NT_MSG
	};

	m->tcode = tcodes[fuzz_pick(e, sizeof(tcodes))];
}

static size_t change(const void *config, struct fuzz_edit *e, const uint8_t *p,
                     const struct fuzz_record *record, uint8_t *out)
{
	const struct hs_nt_config *c = config;
	struct hs_nt_reader r = reader_of(c);
	struct hs_span in = { p, record->n };
	struct hs_nt_msg m;

	if (hs_nt_read(&r, &in, &m) != HS_OK)
		return 0;
	switch (fuzz_pick(e, 8)) {
	case 0:
		change_tcode(e, &m);
		break;
	case 1:
		m.present ^= 1u << HS_NTF_TSTAMP;
		break;
	case 2:
		m.src = (uint16_t)fuzz_limit(e, c->src_bits);
		break;
	case 3: /* an address padded by zeros */
		m.addr_bits = (uint8_t)(6 * fuzz_pick(e, 12));
		break;
	default:
		change_field(e, c, &m);
	}
	return hs_nt_dialect_write(c->dialect, &m, c->src_bits, out);
}

struct fuzz_format fuzz_nt_messages(const struct hs_nt_config *config)
{
	return (struct fuzz_format){ config, cut, change };
}
