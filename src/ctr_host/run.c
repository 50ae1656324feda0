/* A flow through the CTR model, up to a point or with samples on the way. */
#include <stdlib.h>

#include <hartscope/program.h>

#include "core/config.h"
#include "ctr_host/ctr_host.h"

/* What is watched of one hart. */
struct watch {
	struct hs_ctr_run_hart at; /* as it was at the point */
	uint64_t executed, next;   /* next: sample */
};

struct hs_ctr_run {
	struct hs_ctr_run_options o;
	struct hs_ctr start; /* a hart with these settings */
	struct hs_ctr_replay *replay;
	struct hs_ctr_export *export; /* NULL: no samples are taken */
	struct watch *watches;
	struct hs_ctr_run_hart *harts; /* of the result */
	size_t count;
	enum hs_status status;
};

/* ---- points and samples ----------------------------------------------------------------- */

static void take_hart(struct watch *w, const struct hs_ctr_replay_hart *h)
{
	w->at.retired = h->retired;
	w->at.transfers = h->transfers;
	w->at.lost = h->lost;
	w->at.unknown_writes = h->unknown_writes;
	w->at.program = h->program;
	w->at.context = h->context;
	w->at.has_context = h->has_context;
	w->at.ctr = h->ctr;
}

static struct watch *watch_of(struct hs_ctr_run *r, const struct hs_ctr_replay_hart *h)
{
	struct watch *more;

	for (size_t i = 0; i < r->count; i++)
		if (r->watches[i].at.hart == h->hart)
			return &r->watches[i];
	more = realloc(r->watches, (r->count + 1) * sizeof(*more));
	if (!more) {
		r->status = HS_E_MEMORY;
		return NULL;
	}
	r->watches = more;
	more[r->count] = (struct watch){ .at.hart = h->hart, .next = r->o.period };
	take_hart(&more[r->count], h);
	return &r->watches[r->count++];
}

static void found(struct watch *w, const struct hs_ctr_replay_hart *h, uint64_t n, uint64_t pc)
{
	struct hs_ctr within;
	const struct hs_ctr *c = hs_ctr_replay_within(h, n, &within);

	take_hart(w, h);
	w->at.reached = true;
	w->at.ctr = *c;
	w->at.retired += n;
	w->at.pc = pc;
}

static void look_for_pc(const struct hs_ctr_run *r, struct watch *w,
                        const struct hs_ctr_replay_hart *h)
{
	uint64_t pc = h->block.iaddr, n = 0;

	if (r->o.at < pc || r->o.at >= hs_block_end(&h->block))
		return;
	while (pc < r->o.at && hs_ctr_replay_step(h, &pc, 1) == HS_OK)
		n++;
	if (pc == r->o.at && ++w->executed == r->o.times)
		found(w, h, n, pc);
}

static void look_for_insn(const struct hs_ctr_run *r, struct watch *w,
                          const struct hs_ctr_replay_hart *h)
{
	uint64_t pc = h->block.iaddr;

	if (r->o.at - h->retired < h->instructions &&
	    hs_ctr_replay_step(h, &pc, r->o.at - h->retired) == HS_OK)
		found(w, h, r->o.at - h->retired, pc);
}

static void sample(struct hs_ctr_run *r, struct watch *w, const struct hs_ctr_replay_hart *h)
{
	struct hs_ctr within;
	struct hs_ctr_sample s = { .ctr = &h->ctr,
		                   .program = h->program,
		                   .context = h->context,
		                   .has_context = h->has_context,
		                   .hart = h->hart,
		                   .pc = h->block.iaddr,
		                   .priv = h->block.priv,
		                   .instructions = h->retired };

	while (r->status == HS_OK && w->next - h->retired < h->instructions) {
		if (hs_ctr_replay_step(h, &s.pc, w->next - s.instructions) != HS_OK)
			return;
		s.instructions = w->next;
		s.ctr = hs_ctr_replay_within(h, s.instructions - h->retired, &within);
		r->status = hs_ctr_export_sample(r->export, &s);
		w->next += r->o.period;
	}
}

static void look(struct hs_ctr_run *r)
{
	const struct hs_ctr_replay_hart *h = hs_ctr_replay_now(r->replay);
	struct watch *w = watch_of(r, h);

	if (!w || w->at.reached)
		return;
	if (r->export)
		sample(r, w, h);
	else if (r->o.point == HS_CTR_AT_INSN)
		look_for_insn(r, w, h);
	else if (r->o.point == HS_CTR_AT_PC)
		look_for_pc(r, w, h);
}

/* The last block's transfer is made; N instructions may be all there were. */
static void look_at_end(struct hs_ctr_run *r)
{
	const struct hs_ctr_replay_hart *h;

	hs_ctr_replay_end(r->replay);
	for (size_t i = 0; (h = hs_ctr_replay_at(r->replay, i)); i++) {
		struct watch *w = watch_of(r, h);

		if (!w || w->at.reached ||
		    (r->o.point != HS_CTR_AT_END &&
		     (r->o.point != HS_CTR_AT_INSN || r->o.at != h->retired)))
			continue;
		take_hart(w, h);
		w->at.reached = true;
	}
}

/* ---- the object ----------------------------------------------------------------------------- */

static enum hs_status start_export(struct hs_ctr_run *r, struct hs_error *e)
{
	const struct hs_ctr_export_options x = {
		.size = sizeof(x),
		.format = r->o.format,
		.period = r->o.period,
		.program_path = r->o.program_path,
		.guest = r->o.guest,
	};

	return hs_ctr_export_new(r->o.sampled ? r->o.sampled : r->o.program, &r->start, r->o.write,
	                         r->o.context, &x, &r->export, e);
}

/* The source of blocks of only one hart does not say which it is. */
static void name_hart(struct hs_ctr_run *r)
{
	const struct hs_block hart = { .kind = HS_KIND_HART, .arg = r->o.hart };

	if (r->o.one_hart)
		r->status = hs_ctr_replay_add(r->replay, &hart);
}

static enum hs_status prepare(struct hs_ctr_run *r, struct hs_error *e)
{
	struct hs_ctr_settings s = { .size = sizeof(s) };
	const unsigned xlen = hs_program_image(r->o.program)->isa.xlen;
	enum hs_status status =
		r->o.settings ? base_take_config(&s, sizeof(s), r->o.settings) : HS_OK;

	if (status != HS_OK)
		return hs_error_set(e, status, "struct hs_ctr_settings: wrong size");
	if (r->o.format && hs_ctr_export_needs_ras(r->o.format))
		status = hs_ctr_settings_set(&s, "RASEMU", "1", e);
	if (status == HS_OK)
		status = hs_ctr_settings_make(&s, xlen == 32 ? 32 : 64, &r->start, e);
	if (status == HS_OK)
		status = hs_ctr_replay_new(&s, r->o.program, r->o.programs, &r->replay, e);
	if (status == HS_OK && r->o.format)
		status = start_export(r, e);
	if (status != HS_OK)
		return status;
	hs_ctr_replay_set_predictor(r->replay, r->o.missed, r->o.missed_of);
	name_hart(r);
	return HS_OK;
}

enum hs_status hs_ctr_run_new(const struct hs_ctr_run_options *options, struct hs_ctr_run **run,
                              struct hs_error *error)
{
	struct hs_ctr_run *r = calloc(1, sizeof(*r));
	enum hs_status s;

	*run = NULL;
	if (!r)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (base_take_config(&r->o, sizeof(r->o), options) != HS_OK || !r->o.program)
		s = hs_error_set(error, HS_E_CONFIG,
		                 "struct hs_ctr_run_options: wrong size, or no program");
	else
		s = prepare(r, error);
	if (s == HS_OK)
		*run = r;
	else
		hs_ctr_run_free(r);
	return s;
}

void hs_ctr_run_free(struct hs_ctr_run *r)
{
	if (!r)
		return;
	hs_ctr_export_free(r->export);
	hs_ctr_replay_free(r->replay);
	free(r->watches);
	free(r->harts);
	free(r);
}

/* Nothing that comes matters any more. */
static bool enough(const struct hs_ctr_run *r)
{
	return r->status != HS_OK ||
	       (!r->export && r->o.first_hart && r->count == 1 && r->watches[0].at.reached);
}

enum hs_status hs_ctr_run_add(struct hs_ctr_run *r, const struct hs_block *items, size_t n)
{
	for (size_t i = 0; i < n && !enough(r); i++) {
		r->status = hs_ctr_replay_add(r->replay, &items[i]);
		if (r->status == HS_OK && items[i].kind == HS_KIND_BLOCK)
			look(r);
	}
	return r->status == HS_OK && enough(r) ? HS_END : r->status;
}

static void sum_up(struct hs_ctr_run *r, struct hs_ctr_run_result *result)
{
	const struct hs_ctr_replay_hart *h;

	r->harts = calloc(r->count + 1, sizeof(*r->harts));
	if (!r->harts)
		r->status = HS_E_MEMORY;
	for (size_t i = 0; r->harts && i < r->count; i++)
		r->harts[i] = r->watches[i].at;
	result->harts = r->harts;
	result->count = r->harts ? r->count : 0;
	for (size_t i = 0; (h = hs_ctr_replay_at(r->replay, i)); i++) {
		result->unmapped += h->unmapped;
		result->unknown_writes += h->unknown_writes;
	}
}

enum hs_status hs_ctr_run_end(struct hs_ctr_run *r, struct hs_ctr_run_result *result)
{
	*result = (struct hs_ctr_run_result){ .start = r->start };
	if (r->status == HS_OK)
		look_at_end(r);
	if (r->status == HS_OK && r->export)
		r->status = hs_ctr_export_end(r->export, &result->samples);
	sum_up(r, result);
	return r->status;
}
