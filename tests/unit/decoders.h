/* A decoder of each protocol for a test: one source, memory that is enough, and the code that ran.
 * Each call starts it anew. */
#ifndef TESTS_DECODERS_H
#define TESTS_DECODERS_H

#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>

/* An image of RV64 that has the bytes of an array at an address. */
#define CODE_AT(address, array) \
	(&(const struct hs_image){ \
		.sections = &(const struct hs_section){ (address), sizeof(array), \
			                                (const uint8_t *)(array) }, \
		.count = 1, .isa = { .xlen = 64 } })

static inline struct hs_bb_table *table_of(const struct hs_image *of)
{
	static uint64_t memory[4096];
	static struct hs_bb_table table;

	assert_true(hs_bb_memory(64) <= sizeof memory);
	assert_int_equal(hs_bb_init(&table, of, memory, 64), HS_OK);
	return &table;
}

static inline struct hs_et_decoder *et_decoder(const struct hs_et_config *c,
                                               const struct hs_image *of)
{
	static struct hs_et_decoder d;
	static struct hs_et_source source;
	static uint64_t tables[128];
	const size_t bytes = hs_et_source_memory(c);

	assert_true(bytes <= sizeof tables);
	assert_int_equal(hs_et_decoder_init(&d, c, table_of(of), &source, 1,
	                                    bytes ? tables : NULL, bytes),
	                 HS_OK);
	return &d;
}

static inline struct hs_nt_decoder *nt_decoder(const struct hs_nt_config *c,
                                               const struct hs_image *of)
{
	static struct hs_nt_decoder d;
	static struct hs_nt_source source;

	assert_int_equal(hs_nt_decoder_init(&d, c, table_of(of), &source, 1), HS_OK);
	return &d;
}

#endif
