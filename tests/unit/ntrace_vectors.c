/* Worked messages of N-Trace: tests/vectors/ntrace/messages.txt, whose head gives their form.  Our
 * encoder is given each case an instruction at a time, our decoder its bytes. */
#include "unit/worked.h"

static void check_by_instructions(void **state)
{
	const struct vector *v = *state;
	struct hs_block run[CUTS];
	void *config = configure(v);

	check_encoder(config, v, run, cut_runs(v, run, true), NULL);
	free(config);
}

/* The next instruction of items, from *@i on, in *@left; false: there are no more. */
static bool next_pc(const struct hs_block *item, unsigned items, unsigned *i,
                    struct hs_block *left, uint64_t *pc)
{
	while (!left->iretire) {
		if (*i == items)
			return false;
		*left = item[(*i)++];
		if (left->kind != HS_KIND_BLOCK)
			left->iretire = 0;
	}
	*pc = left->iaddr;
	left->iretire -= hwords_at(left->iaddr);
	left->iaddr += 2u * hwords_at(*pc);
	return true;
}

static void check_decoder(void **state)
{
	const struct vector *v = *state;
	uint8_t bytes[BYTES];
	void *config = configure(v);
	struct hs_decoder *decoder;
	struct hs_span in = { bytes, expected_bytes(v, bytes) };
	struct hs_block got[2 * RUNS], left = { 0 }, ours = { 0 };
	unsigned i = 0, k = 0;
	uint64_t want = 0, pc = 0;
	size_t n = 0, end;

	assert_int_equal(hs_decoder_new(&decoder, protocol, config, &image, NULL), HS_OK);
	for (enum hs_status s = HS_OK; s != HS_MORE; n += end) {
		s = hs_decode(decoder, &in, got + n, RUNS - n, &end);
		assert_true(s == HS_MORE || s == HS_E_LOST);
	}
	assert_int_equal(hs_decode_end(decoder, got + n, RUNS, &end), HS_OK);
	n += end;
	while (next_pc(v->run, v->runs, &i, &left, &want)) {
		assert_true(next_pc(got, (unsigned)n, &k, &ours, &pc));
		assert_int_equal(pc, want);
	}
	assert_false(next_pc(got, (unsigned)n, &k, &ours, &pc));
	hs_decoder_free(decoder);
	free(config);
}

TESTS
{
	char name[100];

	read_file("ntrace", "messages.txt");
	for (struct vector *v = vectors; v < vectors + vector_count; v++) {
		test_add(v->name, check_by_instructions, v);
		snprintf(name, sizeof name, "%.79s, decoded", v->name);
		if (v->only != 'e')
			test_add(name, check_decoder, v);
	}
}
