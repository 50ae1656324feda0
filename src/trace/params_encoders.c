/* Dumps of several encoders whose trace is one stream. */
#include <hartscope/trace_params.h>

#include "trace/params_private.h"

/* What N-Trace 11.2 and the decode of one stream need to be alike in all of them. */
static const uint16_t alike[] = {
	HS_TCF_TE_FORMAT,         HS_TCF_TE_INHIBIT_SRC,
	HS_TCF_TE_SRC_BITS,       HS_TCF_TE_INST_EN_ALL_JUMPS,
	HS_TCF_TE_PROTOCOL_MAJOR, HS_TCF_TS_ENABLE,
};

/* Options that a decoder sees from the evidence where they are allowed (design/nt-decoder): allowed
 * for the stream when one encoder has them. */
static const uint16_t allowed[] = {
	HS_TCF_TE_CONTEXT,
	HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP,
	HS_TCF_TE_INST_EN_IMPLICIT_RETURN,
	HS_TCF_TE_INST_EN_REPEATED_HISTORY,
	HS_TCF_TE_INST_EXTEND_ADDR_MSB,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t value_of(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_get(r, HS_TC_ENCODER, field);
}

static uint32_t *word_of(struct hs_tc_regs *r, unsigned field)
{
	struct hs_tc_place p;

	hs_tc_at(HS_TC_ENCODER, hs_tc_reg_at(hs_tc_field_at(field)->reg)->offset, &p);
	return &r->word[p.word];
}

static const char *find_difference(const struct hs_tc_regs *a, const struct hs_tc_regs *b)
{
	for (size_t i = 0; i < COUNT(alike); i++)
		if (hs_tc_known(a, HS_TC_ENCODER, alike[i]) &&
		    hs_tc_known(b, HS_TC_ENCODER, alike[i]) &&
		    value_of(a, alike[i]) != value_of(b, alike[i]))
			return hs_tc_field_at(alike[i])->name;
	return NULL;
}

/* Was anything of the current encoder read? */
static bool has_encoder(const struct hs_tc_regs *r)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p) && p.component == HS_TC_ENCODER; w = p.word + 1u)
		if (r->known[w / 32] >> w % 32 & 1u)
			return true;
	return false;
}

static void add_source(struct hs_registers *r, const struct hs_tc_regs *regs)
{
	if (r->encoders < HS_REGISTERS_ENCODERS)
		r->sources[r->encoders] = (uint16_t)value_of(regs, HS_TCF_TE_SRC_ID);
	r->encoders++;
}

/* Forget what belongs to an encoder. */
static void clear_encoder(struct hs_tc_regs *r)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p) && p.component == HS_TC_ENCODER; w = p.word + 1u) {
		r->word[p.word] = 0;
		r->known[p.word / 32] &= ~((uint32_t)1 << p.word % 32);
	}
}

/* Put encoder @from in place of that in @to. */
static void copy_encoder(struct hs_tc_regs *to, const struct hs_tc_regs *from)
{
	struct hs_tc_place p;

	clear_encoder(to);
	for (unsigned w = 0; hs_tc_next(w, &p) && p.component == HS_TC_ENCODER; w = p.word + 1u) {
		to->word[p.word] = from->word[p.word];
		to->known[p.word / 32] |= from->known[p.word / 32] & (uint32_t)1 << p.word % 32;
	}
}

static enum hs_status merge(struct hs_registers *r, struct hs_tc_regs *first, const char *path,
                            struct hs_error *error)
{
	const char *field = find_difference(first, &r->dump.regs);

	if (field)
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: encoders of one stream differ in %s (NT 11.2)", path,
		                    field);
	for (size_t i = 0; i < COUNT(allowed); i++)
		if (value_of(&r->dump.regs, allowed[i]))
			*word_of(first, allowed[i]) |= (uint32_t)1
			                               << hs_tc_field_at(allowed[i])->lsb;
	return HS_OK;
}

enum hs_status params_next_encoder(struct hs_registers *r, struct hs_tc_regs *first,
                                   const char *path, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	if (!has_encoder(&r->dump.regs))
		return HS_OK;
	add_source(r, &r->dump.regs);
	if (r->encoders == 1)
		*first = r->dump.regs;
	else
		s = merge(r, first, path, error);
	clear_encoder(&r->dump.regs);
	return s;
}

enum hs_status params_last_encoder(struct hs_registers *r, struct hs_tc_regs *first,
                                   const char *path, struct hs_error *error)
{
	const enum hs_status s = params_next_encoder(r, first, path, error);

	if (r->encoders)
		copy_encoder(&r->dump.regs, first);
	return s;
}
