/* Good values of what is made of a run; see made.h. */
#include "api/made.h"

#include <hartscope/capture.h>
#include <hartscope/compare.h>
#include <hartscope/counts.h>
#include <hartscope/ctr.h>
#include <hartscope/encode.h>
#include <hartscope/record.h>
#include <hartscope/views.h>

#include "api/made_world.h"

/* ---- what is made of a run ----------------------------------------------------------------- */

MADE(hs_counts_options)
{
	const struct hs_counts_options o = { .size = sizeof(o),
		                             .what = HS_COUNTS_PROFILE | HS_COUNTS_COVERAGE |
		                                     HS_COUNTS_TRAPS | HS_COUNTS_TREE,
		                             .program = made_hs_program(state) };

	return COPY(o);
}

MADE(hs_counts)
{
	struct hs_counts *counts;

	MUST(hs_counts_new(made_hs_counts_options(API_FRESH), &counts) == HS_OK);
	if (state != API_FRESH)
		MUST(hs_counts_add(counts, made_blocks, MADE_BLOCKS) == HS_OK);
	return counts;
}

MADE(hs_coverage_result)
{
	struct hs_coverage_result result;

	MUST(hs_counts_get_coverage(made_hs_counts(state), &result) == HS_OK);
	return COPY(result);
}

MADE(hs_ctr_run_options)
{
	const struct hs_ctr_run_options o = { .size = sizeof(o),
		                              .program = made_hs_program(state) };

	return COPY(o);
}

MADE(hs_ctr_run)
{
	struct hs_ctr_run_result result;
	struct hs_ctr_run *run;

	MUST(hs_ctr_run_new(made_hs_ctr_run_options(API_FRESH), &run, NULL) == HS_OK);
	if (state != API_FRESH)
		hs_ctr_run_end(run, &result);
	return run;
}

MADE(hs_ctr)
{
	const struct hs_ctr_config config = { .size = sizeof(config), .xlen = 64 };
	struct hs_ctr c;

	(void)state;
	MUST(hs_ctr_init(&c, &config) == HS_OK);
	return COPY(c);
}

MADE(hs_ctr_explain_options)
{
	const struct hs_ctr_explain_options o = { .size = sizeof(o) };

	(void)state;
	return COPY(o);
}

MADE(hs_diff)
{
	struct hs_diff *diff;

	MUST(hs_diff_new(made_hs_source(API_FRESH), made_hs_source(API_FRESH), &diff, NULL) ==
	     HS_OK);
	(void)state;
	return diff;
}

MADE(hs_disasm)
{
	struct hs_disasm *d;
	struct hs_error error = { 0 };

	(void)state;
	return hs_disasm_new(&made_image.isa, &d, &error) == HS_OK ? d : NULL;
}

MADE(hs_encode_options)
{
	const struct hs_encode_options o = { .size = sizeof(o), .write = made_take_none };

	(void)state;
	return COPY(o);
}

MADE(hs_encode)
{
	struct hs_source_options nowhere = { .size = sizeof(nowhere), .path = "/nowhere/at/all" };
	struct hs_encode *e;

	MUST(hs_encode_new(made_hs_encode_options(state), &e, NULL) == HS_OK);
	if (state == API_FAILED)
		MUST(hs_encode_open(e, &nowhere, NULL) != HS_OK);
	if (state == API_ENDED) {
		nowhere.path = made_world.rec;
		MUST(hs_encode_open(e, &nowhere, NULL) == HS_OK);
		MUST(hs_encode_run(e, NULL) == HS_OK);
	}
	return e;
}

MADE(hs_export_options)
{
	const struct hs_export_options o = { .size = sizeof(o), .format = "folded",
		                             .program = made_hs_program(state),
		                             .write = made_take_none };

	return COPY(o);
}

MADE(hs_export)
{
	struct hs_export_report report;
	struct hs_export *x;

	MUST(hs_export_new(made_hs_export_options(API_FRESH), &x, NULL) == HS_OK);
	if (state != API_FRESH)
		hs_export_end(x, &report);
	return x;
}

MADE(hs_flow_options)
{
	const struct hs_flow_options o = { .size = sizeof(o), .path = made_new_path(),
		                           .source = made_hs_source(state) };

	return COPY(o);
}

MADE(hs_flow_writer)
{
	struct hs_flow_writer *flow;

	MUST(hs_flow_create(made_hs_flow_options(state), &flow, NULL) == HS_OK);
	return flow;
}

MADE(hs_follower)
{
	struct hs_follower *follower;

	MUST(hs_follower_new(made_hs_source(state), 0, NULL, NULL, &follower) == HS_OK);
	return follower;
}

MADE(hs_gdb_server_options)
{
	struct hs_source_options *so = made_hs_source_options(state);
	struct hs_gdb_server_options o = { .size = sizeof(o), .write = made_take_none };

	so->places = so->names = true;
	MUST(hs_source_open(so, &o.source, NULL) == HS_OK);
	return COPY(o);
}

MADE(hs_gdb_server)
{
	struct hs_gdb_server *server;

	MUST(hs_gdb_server_new(made_hs_gdb_server_options(API_FRESH), &server, NULL) == HS_OK);
	if (state != API_FRESH)
		hs_gdb_server_take(server, (const uint8_t *)"$D#44", 5);
	return server;
}

MADE(hs_guest)
{
	static const char symbols[] = "ffffffff80000000 T _start\n";
	const struct hs_guest_file file = { .kind = HS_GUEST_SYMBOLS, .path = "kallsyms",
		                            .bytes = { (const uint8_t *)symbols,
		                                       sizeof(symbols) - 1 } };
	struct hs_source_options *o = made_hs_source_options(state);
	struct hs_source *s;

	o->guest = &file;
	o->guest_count = 1;
	MUST(hs_source_open(o, &s, NULL) == HS_OK);
	return hs_source_known(s)->guest;
}

MADE(hs_identify_options)
{
	const struct hs_identify_options o = { .size = sizeof(o), .path = "a.nt",
		                               .bytes = { made_world.trace, made_world.n } };

	(void)state;
	return COPY(o);
}

MADE(hs_identity)
{
	struct hs_identity *identity;

	MUST(hs_identify(made_hs_identify_options(state), &identity, NULL) == HS_OK);
	return identity;
}

MADE(hs_import_options)
{
	const struct hs_import_options o = { .size = sizeof(o), .path = made_world.log };

	(void)state;
	return COPY(o);
}

MADE(hs_import)
{
	struct hs_import *import;

	(void)state;
	MUST(hs_import_open(made_hs_import_options(state), &import, NULL) == HS_OK);
	return import;
}

MADE(hs_listing_options)
{
	const struct hs_listing_options o = { .size = sizeof(o), .write = made_take_none,
		                              .program = made_hs_program(state) };

	return COPY(o);
}

MADE(hs_listing)
{
	struct hs_listing *listing;

	MUST(hs_listing_new(made_hs_listing_options(state), &listing) == HS_OK);
	if (state != API_FRESH)
		MUST(hs_listing_end(listing) == HS_OK);
	return listing;
}

MADE(hs_perf)
{
	struct hs_perf_event event;
	struct hs_perf *perf;

	MUST(hs_perf_open(made_world.perf, &perf, NULL) == HS_OK);
	while (state != API_FRESH && hs_perf_next(perf, &event, NULL) == HS_OK)
		;
	return perf;
}

MADE(hs_port_rows)
{
	struct hs_port_rows *rows;

	(void)state;
	MUST(hs_port_rows_open(made_world.rows, 64, &rows, NULL) == HS_OK);
	return rows;
}

MADE(hs_stacks_options)
{
	const struct hs_stacks_options o = { .size = sizeof(o),
		                             .program = made_hs_program(state) };

	return COPY(o);
}

MADE(hs_stacks)
{
	struct hs_stack_step step;
	struct hs_stacks *stacks;

	MUST(hs_stacks_new(made_hs_stacks_options(API_FRESH), &stacks) == HS_OK);
	if (state != API_FRESH)
		MUST(hs_stacks_follow(stacks, made_blocks, &step) == HS_OK);
	return stacks;
}

MADE(hs_program_set)
{
	const struct hs_program_set set = { .first = made_hs_program(state) };

	return COPY(set);
}

MADE(hs_tally)
{
	struct hs_tally *tally;

	MUST(hs_tally_new(made_hs_program_set(API_FRESH), &tally) == HS_OK);
	if (state != API_FRESH)
		MUST(hs_tally_add(tally, made_blocks, MADE_BLOCKS) == HS_OK);
	return tally;
}

MADE(hs_trace_params_options)
{
	const struct hs_trace_params_options o = { .size = sizeof(o), .protocol = "etrace" };

	(void)state;
	return COPY(o);
}

MADE(hs_range_options)
{
	const struct hs_range_options o = { .size = sizeof(o), .program = made_hs_program(state),
		                            .last = 3 };

	return COPY(o);
}

static void no_problem(void *of, enum hs_rec_problem what, const char *directory,
                       const struct hs_error *error)
{
	(void)of;
	(void)what;
	(void)directory;
	(void)error;
}

static void a_file(void *of, const struct hs_rec_file_check *file)
{
	(void)of;
	(void)file;
}

MADE(hs_rec_checker)
{
	const struct hs_rec_checker check = { .file = a_file, .problem = no_problem };

	(void)state;
	return COPY(check);
}

MADE(hs_message_count)
{
	const struct hs_message_count counts[2] = { { .name = "a", .messages = 1 },
		                                    { .name = "b", .messages = 2 } };

	(void)state;
	return COPY(counts);
}

/* An encoder of a program that runs. */
MADE(hs_encode_take_e)
{
	const struct hs_encode_options o = { .size = sizeof(o), .write = made_take_none,
		                             .harts = 1 };
	struct hs_encode *e;

	(void)state;
	MUST(hs_encode_new(&o, &e, NULL) == HS_OK);
	return e;
}
