/* The word of options: what support packets say of a source that lasts until the next one.
 *
 * Its low bits are enum hs_et_option, in all versions.  The standard support packet of 2.1 says
 * sizes and more; et_support.def has their places (ET Standard Support Packet format,
 * design/et-standard).
 */
#ifndef HS_ETRACE_ET_STANDARD_H
#define HS_ETRACE_ET_STANDARD_H

#include <hartscope/etrace.h>

#include "etrace/et_config.h"

/* All of enum hs_et_option. */
#define ET_OPTIONS (2u * HS_ET_FULL_ADDRESS - 1)

/* time_width counts in units of so many bits, and 4 of them at most are a width that we have. */
#define ET_TIME_UNIT 16u

/* Lowest bits of fields in the word: ET_AT_id. */
enum et_word {
#define HS_ET_SUPPORT(id, bits, at) ET_AT_##id = (at),
#include "etrace/et_support.def"
#undef HS_ET_SUPPORT
};

/* What data trace has apart (ET Standard Support Packet format, noaddr and after it) is followed by
 * its coder. */
#define ET_WORD_FOLLOWED ((1u << ET_AT_NOADDR) - 1)

static inline bool et_is_standard(const struct hs_et_resolved *c)
{
	return c->version == HS_ET_2_1;
}

/* Sizes of tables. */
#define ET_WORD_SIZES \
	(7u << ET_AT_RETURN_STACK_SIZE | 15u << ET_AT_CALL_COUNTER_SIZE | 7u << ET_AT_BPRED_SIZE | \
	 7u << ET_AT_CACHE_SIZE)

/* The word of parameters. */
uint32_t et_standard_word(const struct hs_et_resolved *c);

/* The same of any version. */
static inline uint32_t et_options_word(const struct hs_et_resolved *c)
{
	return et_is_standard(c) ? et_standard_word(c) : c->options;
}

/* The word that a support packet of 2.1 says; and the packet that says it. */
uint32_t hs_et_standard_said(const struct hs_et_packet *p);
void et_standard_say(struct hs_et_packet *p, uint32_t word);

/* Make the parameters those of a word of 2.1. */
void et_standard_take(struct hs_et_resolved *c, uint32_t word);

/* The same of any version. */
static inline void et_take_options_word(struct hs_et_resolved *c, uint32_t word)
{
	if (et_is_standard(c))
		et_standard_take(c, word);
	else
		c->options = (uint8_t)word;
}

/* The field of a support packet of 2.1 whose value has no meaning: a time of more than 64 bits, a
 * subformat of 3 (ET Format 0 subformat has 2 values); HS_ETF_COUNT: none. */
unsigned et_standard_bad(const struct hs_et_packet *p);

/* Can the packet say these parameters? */
bool et_standard_good(const struct hs_et_resolved *c);

/** Make what a word says the parameters: options, sizes, time, and whether sync_mode is off. */
void hs_et_standard_config(struct hs_et_config *c, uint32_t word);

/**
 * Does a trace of 2.1 begin here?  Its first packet is a standard support packet that a 2.0 encoder
 * cannot have sent with another meaning, and the bytes read as packets with what it says.
 * @param bytes         The beginning of the trace: a few KiB.
 * @param may_be        Also a packet that means something else in 2.0: the caller decides by the
 *                      program.
 * @param[out] framing  Version and framing, which is that of the encapsulation; also written where
 *                      the result is false.
 * @param[out] word     What the packet says.
 */
bool hs_et_recognise(const struct hs_span *bytes, bool may_be, struct hs_et_config *framing,
                     uint32_t *word);

/** Do bytes look like packets that only one dialect has: RV_TRACER and CVA6 by their slots, QEMU by
 * two arrivals (design/et-layouts)?
 * @param bytes   The first of a trace.
 * @param[out] c  That dialect, with kept_map 0 where a branch map shows it; else void. */
bool hs_et_recognise_dialect(const struct hs_span *bytes, struct hs_et_config *c);

#endif
