/* A run, counted (run.h). */
#include "common/run.h"

void note_unmapped(uint64_t blocks, struct damage *damage)
{
	struct hs_error e;

	if (!blocks)
		return;
	hs_error_set(&e, HS_E_NOCODE,
	             "the code of %llu blocks is not known: their instructions are not counted; "
	             "give the program with --elf",
	             (unsigned long long)blocks);
	damage_add(damage, &e, HS_REASON_NONE);
}

static bool finish(struct run *r, uint32_t what)
{
	struct hs_counts_functions f;

	if (((what & HS_COUNTS_CODE) && hs_counts_get_code(r->all, &r->code) != HS_OK) ||
	    hs_counts_get_functions(r->all, &f) != HS_OK)
		return false;
	r->counts = f.profile;
	r->calls = f.tree;
	r->edges = f.graph;
	r->functions = f.functions;
	r->function_count = f.function_count;
	note_unmapped(r->counts.unmapped, &r->damage);
	return true;
}

bool run_count(struct run *r, struct hs_source *source, const struct hs_counts_options *wants,
               bool quiet)
{
	const struct block_look look = { "counting", quiet, false, &r->damage };
	struct hs_counts_options o = *wants;

	*r = (struct run){ .source = source };
	o.size = sizeof(o);
	o.what |= (uint32_t)HS_COUNTS_PROFILE | HS_COUNTS_TREE;
	o.source = source;
	if (hs_counts_new(&o, &r->all) == HS_OK && count_source(&look, source, r->all) == HS_OK &&
	    finish(r, o.what))
		return true;
	complain("out of memory");
	return false;
}

void run_close(struct run *r)
{
	hs_counts_free(r->all);
}

bool run_is_name(const struct run *r, const struct hs_counts_function *f, const char *name)
{
	const struct hs_program_function named = {
		.name = f->name,
		.start = f->own ? f->own->start : f->called->start,
		.symbol = f->own ? f->own->symbol : NULL,
	};

	return f->name && hs_program_is_name(hs_source_known(r->source)->program, &named, name);
}
