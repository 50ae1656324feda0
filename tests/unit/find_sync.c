/* Where the last message begins that synchronises, by bytes made from the texts. */
#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>
#include <hartscope/protocol.h>

#include "etrace/et_reader.h"
#include "ntrace/nt_reader.h"
#include "trace/protocol.h"

#define NONE SIZE_MAX /* none is seen */
#define NTRACE 0xff   /* in place of a dialect of E-Trace */

/* TCODE is in bits 7:2 of a first byte, MSEO in 1:0 (NT 3.1).  Of E-Trace's standard packets length
 * is in bits 4:0 of the header, then type 2, format and subformat (EE Header, ET Format 3). */
static const struct row {
	const char *name;
	uint8_t dialect, n, bytes[12];
	size_t found;
	size_t end; /* of E-Trace: of the last whole packet; NONE: nothing says */
} rows[] = {
	{ "N-Trace: ProgTraceSync", NTRACE, 6, { 0x0c, 0x03, 0x24, 0x15, 0x00, 0x0b }, 2, NONE },
	{ "N-Trace: the last of two", NTRACE, 8,
	  { 0x0c, 0x03, 0x24, 0x03, 0x74, 0x03, 0x0c, 0x03 }, 4, NONE },
	{ "N-Trace: DirectBranchSync", NTRACE, 3, { 0x03, 0x2c, 0x03 }, 1, NONE },
	{ "N-Trace: IndirectBranchSync", NTRACE, 3, { 0x03, 0x30, 0x03 }, 1, NONE },
	{ "N-Trace: after idle bytes", NTRACE, 3, { 0xff, 0x24, 0x03 }, 1, NONE },
	{ "N-Trace: inside a message", NTRACE, 5, { 0x10, 0x24, 0x24, 0x25, 0x03 }, NONE, NONE },
	{ "N-Trace: the first byte has none before it", NTRACE, 2, { 0x24, 0x03 }, NONE, NONE },
	{ "N-Trace: no bytes", NTRACE, 0, { 0 }, NONE, NONE },
	{ "standard: format 3, subformat 0", HS_ET_DIALECT_STANDARD, 7,
	  { 0x01, 0x06, 0x02, 0x0e, 0x00, 0x01, 0x06 }, 2, 7 },
	{ "standard: subformat 1", HS_ET_DIALECT_STANDARD, 4, { 0x01, 0x06, 0x01, 0x1e }, NONE, 4 },
	{ "standard: after null packets", HS_ET_DIALECT_STANDARD, 6,
	  { 0x00, 0x80, 0x01, 0x06, 0x01, 0x0e }, 4, 6 },
	{ "standard: not whole", HS_ET_DIALECT_STANDARD, 4, { 0x01, 0x06, 0x02, 0x0e }, NONE, 2 },
	{ "reference: one header byte", HS_ET_DIALECT_REFERENCE, 5,
	  { 0x41, 0x01, 0x42, 0x03, 0x00 }, 2, 5 },
	{ "pulp: header and payload share a byte", HS_ET_DIALECT_PULP, 4,
	  { 0x61, 0x00, 0xe1, 0x00 }, 2, 4 },
	{ "none: no lengths", HS_ET_DIALECT_NONE, 2, { 0x01, 0x03 }, NONE, NONE },
	{ "esp32: an index first", HS_ET_DIALECT_ESP32, 4, { 0x01, 0x0e, 0x02, 0x0e }, NONE, NONE },
};

TEST_ROWS(found, rows, r)
{
	const struct hs_span bytes = { r->bytes, r->n };
	const size_t want = r->found == NONE ? r->n : r->found;
	struct hs_et_config c = { .size = sizeof(c) };

	if (r->dialect == NTRACE) {
		assert_int_equal(hs_nt_find_sync(&bytes), want);
		return;
	}
	assert_int_equal(hs_et_config_dialect(&c, r->dialect), HS_OK);
	assert_int_equal(hs_et_find_sync(&c, &bytes), want);
	assert_int_equal(hs_et_find_end(&c, &bytes), r->end);
	c.size = 0;
	assert_int_equal(hs_et_find_sync(&c, &bytes), r->n);
	assert_int_equal(hs_et_find_end(&c, &bytes), SIZE_MAX);
}

/* What a reader knows when @bytes are read; the rest is as of a new one. */
static struct hs_reader *read_some(const struct hs_protocol *p, const void *config,
                                   const uint8_t *bytes, size_t n)
{
	struct hs_span in = { bytes, n };
	struct hs_message m;
	struct hs_reader *reader;

	assert_int_equal(hs_reader_new(&reader, p, config), HS_OK);
	while (in.n)
		(void)hs_reader_next(reader, &in, &m);
	return reader;
}

/* Do both know the same between two messages? */
static bool is_alike(const struct hs_reader *a, const struct hs_reader *b)
{
	void *state = malloc(machine_size(b));

	assert_non_null(state);
	machine_save(b, state);
	const bool alike = machine_alike(a, b, state);

	free(state);
	return alike;
}

/* A reader begins after messages that another one read, with what they said. */
static void begun(const char *protocol, const uint8_t *bytes, size_t n, size_t cut, bool options)
{
	const struct hs_protocol *p = hs_protocol_find(protocol);
	void *config = calloc(1, p->config_size);

	assert_non_null(config);
	hs_protocol_defaults(p, config);
	struct hs_reader *fresh = read_some(p, config, NULL, 0),
			 *all = read_some(p, config, bytes, n),
			 *part = read_some(p, config, bytes, cut);
	void *state = malloc(machine_size(all));
	struct hs_span again = { bytes, n };
	struct hs_message m;

	assert_true(is_alike(fresh, fresh));
	assert_int_equal(is_alike(all, fresh), !options);
	assert_false(is_alike(part, fresh));
	assert_false(is_alike(fresh, part));
	machine_save(all, state);
	machine_begin(part, state, 7);
	assert_true(is_alike(part, all));
	assert_int_equal(hs_reader_next(part, &again, &m), HS_OK);
	assert_int_equal(m.offset, 7);
	machine_begin(all, NULL, 0);
	assert_true(is_alike(all, fresh));
	hs_reader_free(fresh);
	hs_reader_free(all);
	hs_reader_free(part);
	free(state);
	free(config);
}

TEST(readers_begin)
{
	/* ProgTraceSync; a support packet with implicit exception */
	static const uint8_t sync[] = { 0x24, 0x15, 0x00, 0x0b };
	static const uint8_t support[] = { 0x03, 0x7e, 0x10, 0x00 };

	begun("ntrace", sync, sizeof(sync), 2, false);
	begun("etrace", support, sizeof(support), 3, true);
}

/* Every length up to some hundreds and every place in it, with the same TCODE, inside a message, at
 * the place after. */
TEST(every_place)
{
	uint8_t bytes[300];

	for (size_t n = 2; n < sizeof(bytes); n++)
		for (size_t at = 0; at < n; at++) {
			const struct hs_span all = { bytes, n };

			memset(bytes, 0x15, n);
			bytes[at] = 0x24;
			if (at > 0)
				bytes[at - 1] = 0x03;
			if (at + 1 < n)
				bytes[at + 1] = 0x24;
			assert_int_equal(hs_nt_find_sync(&all), at > 0 ? at : n);
		}
}
