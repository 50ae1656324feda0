/* Any bytes can be linted: lint ends, says the same however the bytes are cut, and every finding is
 * one of its kinds at a place that exists.
 *
 * Input: framing and version, options, piece size, trace.
 */
#include "edit.h"
#include "etrace/etrace_lint.h"
#include "fuzz.h"

#define SOURCES 3
#define ENTRIES 64

/* c.nop, c.beqz a0 to the ecall, c.jr a1, c.j to itself, ecall, c.nop, c.jr a1 */
static const uint8_t code[] = { 0x01, 0x00, 0x19, 0xc1, 0x82, 0x85, 0x01, 0xa0,
	                        0x73, 0x00, 0x00, 0x00, 0x01, 0x00, 0x82, 0x85 };

struct said {
	uint64_t hash, findings, dropped;
};

static void note(struct said *s, const struct hs_et_lint *l, const struct hs_finding *f, size_t n)
{
	const uint64_t words[] = { f->offset,     f->id,          f->field,
		                   f->value,      f->bit,         f->pc,
		                   f->has_message, l->packet.form, l->packet.present,
		                   l->packet.src };

	fuzz_must(hs_et_finding_get_kind(f->id) != NULL && f->offset < n);
	fuzz_must(f->field <= HS_ETF_COUNT &&
	          (f->bit < 8 * HS_ET_PACKET_MAX || f->bit == HS_LINT_NO_BIT));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		s->hash = (s->hash ^ words[i]) * 0x100000001b3u;
	s->findings++;
}

static struct hs_et_config config_of(const uint8_t *data)
{
	const uint8_t o = data[1];
	struct hs_et_config c = { .size = sizeof(c), .version = data[0] % 3 };

	hs_et_config_dialect(&c, (enum hs_et_dialect_id)(data[0] / 3 % HS_ET_DIALECT_COUNT));
	c.type_prefix =
		c.version == HS_ET_0_026 && (c.type_prefix || c.dialect == HS_ET_DIALECT_NONE);
	c.iaddress_width = 32;
	c.context = o & 1;
	c.time = o >> 1 & 1 && c.version != HS_ET_0_026;
	if (c.dialect == HS_ET_DIALECT_STANDARD || c.dialect == HS_ET_DIALECT_ATB) {
		c.src_bits = o >> 2 & 3;
		c.tstamp_bytes = o >> 4 & 1;
	}
	if (c.version == HS_ET_0_026 || !(o & 32))
		return c;
	c.bpred_size = 4;
	c.cache_size = 4;
	c.return_stack_size = 2;
	c.sijump = 1;
	c.data_trace = 1;
	c.f0s_width = o & 64 ? 2 : 0;
	c.iret_ext = o >> 7;
	return c;
}

static struct said lint(const struct hs_et_config *config, const uint8_t *trace, size_t n,
                        size_t piece, bool program)
{
	static const struct hs_section section = { 0x1000, sizeof(code), code };
	static const struct hs_image image = { .sections = &section,
		                               .count = 1,
		                               .isa = { .xlen = 64 } };
	static struct hs_et_source followed[SOURCES];
	static struct hs_et_decoder decoder;
	static struct hs_et_lint l;
	static uint64_t memory[16384], tables[256];
	struct hs_et_lint_source sources[SOURCES];
	struct said s = { 0xcbf29ce484222325u, 0, 0 };
	struct hs_bb_table table;
	struct hs_finding f;
	enum hs_status status;

	fuzz_must(hs_et_lint_init(&l, config, sources, SOURCES) == HS_OK);
	fuzz_must(hs_bb_memory(ENTRIES) <= sizeof(memory));
	if (program) {
		fuzz_must(hs_bb_init(&table, &image, memory, ENTRIES) == HS_OK);
		fuzz_must(hs_et_decoder_init(&decoder, config, &table, followed, SOURCES, tables,
		                             sizeof(tables)) == HS_OK);
		hs_et_lint_program(&l, &decoder);
	}
	for (size_t at = 0; at < n; at += piece) {
		const size_t len = n - at < piece ? n - at : piece;
		struct hs_span in = { trace + at, len };

		status = hs_et_lint_next(&l, &in, &f);
		for (; status == HS_OK; status = hs_et_lint_next(&l, &in, &f))
			note(&s, &l, &f, n);
		fuzz_must(status == HS_MORE && in.n == 0 && in.p == trace + at + len);
	}
	status = hs_et_lint_end(&l, &f);
	for (; status == HS_OK; status = hs_et_lint_end(&l, &f))
		note(&s, &l, &f, n);
	fuzz_must(status == HS_END && l.offset == n);
	fuzz_must(s.findings <= HS_LINT_QUEUE * (n + SOURCES));
	s.dropped = l.dropped;
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 4)
		return 0;
	const struct hs_et_config config = config_of(data);

	if (hs_et_config_check(&config) != HS_OK)
		return 0;
	const bool program = data[2] & 8;
	const struct said whole = lint(&config, data + 3, size - 3, size, program);
	const struct said pieces = lint(&config, data + 3, size - 3, 1 + data[2] % 7, program);

	fuzz_must(whole.hash == pieces.hash && whole.findings == pieces.findings);
	fuzz_must(whole.dropped == 0 && pieces.dropped == 0);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	if (e->size < 4)
		return false;

	const struct hs_et_config config = config_of(e->data);
	const struct fuzz_format packets = fuzz_et_packets(&config);

	return fuzz_mutate_records(e, &packets, 3, 3);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	/* In the reference flow's framing: support, synchronisation at 0x1000, a branch not
	 * taken to 0x1004, an address,
	 * support with ended_rep (ET Packets). */
	static const uint8_t trace[] = { 0x41, 0x1f, 0x43, 0x73, 0x00, 0x08, 0x42,
		                         0x85, 0x02, 0x41, 0x0a, 0x41, 0x5f };

	if (i >= 36 || size < 3 + sizeof(trace))
		return 0;
	data[0] = (uint8_t)i;
	data[1] = (uint8_t)(i * 37);
	data[2] = (uint8_t)(i * 5);
	memcpy(data + 3, trace, sizeof(trace));
	return 3 + sizeof(trace);
}
