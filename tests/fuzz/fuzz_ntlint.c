/* Any bytes can be linted: lint ends, says the same however the bytes are cut, and every finding is
 * one of its kinds at a place that exists.
 *
 * Input: SRC width and dialect, options, piece size, trace.
 */
#include "edit.h"
#include "fuzz.h"
#include "ntrace/nt_lint.h"

#define SOURCES 3

struct said {
	uint64_t hash, findings, dropped;
};

static void note(struct said *s, const struct hs_nt_lint *l, const struct hs_finding *f, size_t n)
{
	const uint64_t words[] = { f->offset,      f->id,         f->field,        f->value,
		                   f->has_message, l->msg.tcode, l->msg.present, l->msg.src };

	fuzz_must(hs_nt_finding_get_kind(f->id) != NULL && f->offset < n &&
	          f->field <= HS_NTF_COUNT);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		s->hash = (s->hash ^ words[i]) * 0x100000001b3u;
	s->findings++;
}

static struct hs_nt_config config_of(const uint8_t *data)
{
	const uint8_t o = data[1];

	return (struct hs_nt_config){ .size = sizeof(struct hs_nt_config),
		                      .src_bits = data[0] % 13,
		                      .dialect = data[0] / 13 % 4,
		                      .timestamps = o & 1,
		                      .context = o >> 1 & 1,
		                      .extend_addr = o >> 2 & 1,
		                      .repeated_history = o >> 3 & 1,
		                      .xlen = o & 16 ? 32 : 64,
		                      .sync_mode = o & 32 ? HS_NT_SYNC_MESSAGES : HS_NT_SYNC_OFF,
		                      .icnt_bits = o & 64 ? 5 : 0,
		                      .hist_bits = o & 128 ? 7 : 0 };
}

static struct said lint(const struct hs_nt_config *config, const uint8_t *trace, size_t n,
                        size_t piece)
{
	struct hs_nt_lint_source sources[SOURCES];
	struct said s = { 0xcbf29ce484222325u, 0, 0 };
	struct hs_finding f;
	struct hs_nt_lint l;
	enum hs_status status;

	fuzz_must(hs_nt_lint_init(&l, config, sources, SOURCES) == HS_OK);
	for (size_t at = 0; at < n; at += piece) {
		const size_t len = n - at < piece ? n - at : piece;
		struct hs_span in = { trace + at, len };

		for (status = hs_nt_lint_next(&l, &in, &f); status == HS_OK;
		     status = hs_nt_lint_next(&l, &in, &f))
			note(&s, &l, &f, n);
		fuzz_must(status == HS_MORE && in.n == 0 && in.p == trace + at + len);
	}
	for (status = hs_nt_lint_end(&l, &f); status == HS_OK; status = hs_nt_lint_end(&l, &f))
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
	const struct hs_nt_config config = config_of(data);
	const struct said whole = lint(&config, data + 3, size - 3, size);
	const struct said pieces = lint(&config, data + 3, size - 3, 1 + data[2] % 7);

	fuzz_must(whole.hash == pieces.hash && whole.findings == pieces.findings);
	fuzz_must(whole.dropped == 0 && pieces.dropped == 0);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	if (e->size < 4)
		return false;

	const struct hs_nt_config config = config_of(e->data);
	const struct fuzz_format messages = fuzz_nt_messages(&config);

	return fuzz_mutate_records(e, &messages, 3, 3);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	/* ProgTraceSync, Ownership, IndirectBranchHist, ResourceFull with repeat, Error,
	 * ProgTraceSync with SYNC 7, RepeatBranch, ProgTraceCorrelation (NT 7). */
	static const uint8_t trace[] = { 0x24, 0x15, 0x00, 0x0b, 0x08, 0x33, 0x70, 0x31, 0x05, 0x0f,
		                         0x6c, 0x48, 0x05, 0x0b, 0x20, 0x03, 0x24, 0x1d, 0x00, 0x0b,
		                         0x78, 0x07, 0x84, 0x40, 0x05, 0x07 };

	if (i >= 16 || size < 3 + sizeof(trace))
		return 0;
	data[0] = (uint8_t)(i * 13);
	data[1] = (uint8_t)(i * 17);
	data[2] = (uint8_t)i;
	memcpy(data + 3, trace, sizeof(trace));
	return 3 + sizeof(trace);
}
