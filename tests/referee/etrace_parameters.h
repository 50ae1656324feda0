/* What our configuration says of an encoder, as the second decoder wants it. */
#ifndef TESTS_ETRACE_PARAMETERS_H
#define TESTS_ETRACE_PARAMETERS_H

#include <string.h>

#include <hartscope/etrace.h>

#include "referee/etrace_referee.h"

/* Bits of ioptions, which are the dialect's. */
static inline void referee_options(const struct hs_et_config *c, struct referee_parameters *p)
{
	static const unsigned standard[] = { REFEREE_SIJUMP,     REFEREE_RETURN, REFEREE_EXCEPTION,
		                             REFEREE_PREDICTION, REFEREE_CACHE,  REFEREE_FULL };
	static const unsigned reference[] = { REFEREE_RETURN, REFEREE_EXCEPTION, REFEREE_FULL,
		                              REFEREE_CACHE, REFEREE_PREDICTION };
	const bool flow = c->dialect == HS_ET_DIALECT_REFERENCE;

	p->option_count = flow ? 5 : 6;
	memcpy(p->option, flow ? reference : standard, flow ? sizeof reference : sizeof standard);
}

/* @c has its defaults written out. */
static inline struct referee_parameters referee_parameters_of(const struct hs_et_config *c,
                                                              unsigned xlen)
{
	struct referee_parameters p = {
		.xlen = xlen,
		.compressed = c->iaddress_unit < 4,
		.iaddress_width = c->iaddress_width,
		.iaddress_lsb = c->iaddress_unit / 2, /* of 1, 2, 4 */
		.privilege_width = c->privilege_width,
		.ecause_width = c->ecause_width,
		.context_width = c->context_width,
		.time_width = c->time_width,
		.nocontext = !c->context,
		.notime = !c->time,
		.f0s_width = c->f0s_width,
		.bpred_size = c->bpred_size,
		.cache_size = c->cache_size,
		.return_stack_size = c->return_stack_size,
		.call_counter_size = c->call_counter_size,
		.iret_ext = c->iret_ext,
		.mode_bits = c->version == HS_ET_2_1 ? 2 : 1,
		.standard = c->version == HS_ET_2_1,
		.other_width = c->other_width,
		.sync_resets = c->sync_resets,
		.cache_kept = c->cache_kept,
		.cache_returns = c->cache_returns,
		.x0_inferable = c->x0_inferable,
		.data_trace = c->data_trace,
		.doptions_width = c->doptions_width,
		.mtvec = c->mtvec,
		.stvec = c->stvec,
		.vstvec = c->vstvec,
	};

	referee_options(c, &p);
	return p;
}

#endif
