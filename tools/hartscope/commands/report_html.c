/* hartscope report --html: one file that needs no network.
 *
 * The page is tools/hartscope/html, with the run's data as JSON in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/status.h>

#include "commands/report_html.h"
#include "common/new_file.h"

#define FUNCTIONS_MAX 20000u

/* What is gathered of a flow for the page. */
struct page {
	struct html_out out;
	struct run run;
	struct timeline timeline;
	struct inlined_runs inlined;
	struct hs_traps_result kinds;
	struct events events;
	bool ranged;      /* the flow is a part of the run */
	uint32_t *row_of; /* of a function of the graph: its row on the page */
	uint32_t rows, own_rows;    /* the last ones are of the run before only */
	struct html_before *before; /* NULL: there is none */
};

/* ---- gathering -------------------------------------------------------------------------- */

static void take_trap(void *to, const struct hs_trap_taken *trap)
{
	struct page *p = to;

	events_trap(&p->events, trap);
	sums_trap(&p->timeline, trap->hart, trap->at);
	if (!p->ranged)
		thread_order_take(&p->timeline.order, trap);
}

/* A time or a gap. */
static void take_event(void *to, const struct hs_block *item, uint32_t hart, uint64_t retired)
{
	struct page *p = to;

	if (item->kind == HS_KIND_TIME) {
		timeline_time(&p->timeline, item, hart, retired);
		return;
	}
	timeline_gap(&p->timeline, hart);
	sums_gap(&p->timeline, hart, retired);
	events_gap(&p->events, &(struct gap){ .offset = item->value,
	                                      .at = retired,
	                                      .status = (enum hs_status)item->arg,
	                                      .hart = hart });
}

static void page_close(struct page *p)
{
	timeline_close(&p->timeline);
	inlined_free(&p->inlined);
	run_close(&p->run);
	events_free(&p->events);
	free(p->row_of);
}

/* The functions that the page has are the first rows. */
static bool number_functions(struct page *p)
{
	const struct run *r = &p->run;

	p->own_rows =
		r->function_count < FUNCTIONS_MAX ? (uint32_t)r->function_count : FUNCTIONS_MAX;
	if (p->before && !before_functions(p->before, r, p->own_rows, 2 * FUNCTIONS_MAX))
		return false;
	p->rows = p->before ? p->before->rows : p->own_rows;
	p->row_of = calloc(r->edges.function_count + 1, sizeof(*p->row_of));
	if (!p->row_of)
		return false;
	for (size_t i = 0; i < r->edges.function_count; i++)
		p->row_of[i] = p->rows; /* "others" */
	for (uint32_t i = 0; i < p->own_rows; i++)
		if (r->functions[i].called)
			p->row_of[r->functions[i].called - r->edges.functions] = i;
	return !p->before || before_tree(p->before, r, p->row_of);
}

/* ---- members ---------------------------------------------------------------------------- */

static void write_summary(struct page *p, const char *name)
{
	struct html_out *o = &p->out;
	const struct hs_source *source = p->run.source;
	const struct hs_rec_info *info = hs_source_known(source)->info;

	fputs("{\"title\":", o->f);
	html_string(o, path_base(name));
	html_key(o, "program");
	html_string(o, info && info->program ? info->program : "");
	html_key(o, "end");
	html_string(o, info && info->end ? info->end : "");
	html_key(o, "protocol");
	html_string(o, hs_source_known(source)->protocol ? hs_source_known(source)->protocol->name
	                                                 : "");
	html_key(o, "version");
	html_string(o, hs_version_string());
	html_number(o, "instructions", p->run.counts.instructions);
	html_number(o, "blocks", p->run.counts.blocks);
	html_number(o, "time", p->run.calls.time);
	html_number(o, "unsure", p->run.calls.unsure);
	html_number(o, "full", p->run.calls.full);
	html_number(o, "forgotten", p->run.calls.forgotten);
	html_number(o, "functionCount", p->run.function_count);
	html_number(o, "errors", p->run.damage.count);
	html_key(o, "modes");
	fputc('[', o->f);
	for (unsigned i = 0; i < 8; i++)
		fprintf(o->f, "%s[\"%s\",%llu]", i ? "," : "", mode_name(i),
		        (unsigned long long)p->run.counts.modes[i].instructions);
	fputc(']', o->f);
}

static void write_function(struct html_out *o, const struct hs_counts_function *f)
{
	char library[300] = "";

	if (f->own && f->own->file)
		snprintf(library, sizeof(library), "%.255s", path_base(f->own->file));
	fputc('[', o->f);
	html_string(o, f->name ? f->name : "(no symbol)");
	fputc(',', o->f);
	html_string(o, library);
	fprintf(o->f, ",%llu,%llu,%llu,%llu,%llu,\"0x%llx\"]", (unsigned long long)f->self,
	        (unsigned long long)f->total, (unsigned long long)f->calls,
	        (unsigned long long)f->self_time, (unsigned long long)f->total_time,
	        (unsigned long long)(f->own ? f->own->start : f->called->start));
}

static void write_functions(struct page *p)
{
	html_key(&p->out, "functions");
	fputc('[', p->out.f);
	for (uint32_t i = 0; i < p->own_rows; i++) {
		fputs(i ? ",\n" : "\n", p->out.f);
		write_function(&p->out, &p->run.functions[i]);
	}
	if (p->before)
		before_write_names(&p->out, p->before);
	fputc(']', p->out.f);
}

/* Instructions that a node needs, so that not too many are drawn. */
static uint64_t least_total(const struct hs_call_tree_result *t)
{
	uint64_t least = 1;
	size_t n;

	do {
		n = 0;
		for (size_t i = 0; i < t->count; i++)
			n += t->nodes[i].total >= least;
		least *= n > FLAME_MAX ? 2 : 1;
	} while (n > FLAME_MAX);
	return least;
}

static void write_flame(struct page *p)
{
	if (p->before) {
		before_write_flame(&p->out, p->before);
		return;
	}
	const struct hs_call_tree_result *t = &p->run.calls;
	const uint64_t least = least_total(t);
	struct html_out *o = &p->out;

	html_number(o, "flameLeast", least);
	html_key(o, "flame");
	html_pack(o);
	for (size_t i = 0; i < t->count; i++) {
		const struct hs_call_node *n = &t->nodes[i];

		if (n->total < least)
			continue;
		html_put(o, n->depth);
		html_put(o, (uint64_t)p->row_of[p->run.edges.function_of[i]] << 3 | n->how);
		html_put(o, n->self);
		html_put(o, n->total);
		html_put(o, n->calls);
	}
	html_pack_end(o);
}

static bool write_timeline(struct page *p)
{
	const struct hs_call_tree_result *t = &p->run.calls;
	uint32_t *function_of = calloc(t->count + 1, sizeof(*function_of));

	if (!function_of)
		return false;
	for (size_t i = 0; i < t->count; i++)
		function_of[i] = p->row_of[p->run.edges.function_of[t->place[i]]];
	const struct time_tree tree = { .tree = t,
		                        .function_of = function_of,
		                        .functions = p->rows };
	const bool good = timeline_write(&p->out, &p->timeline, &p->inlined, &tree);

	free(function_of);
	return good;
}

/* ---- the file --------------------------------------------------------------------------- */

static void write_part(FILE *f, const char *ending, const char *before, const char *after)
{
	for (const struct embedded *part = html_parts; part->name; part++) {
		const char *dot = strrchr(part->name, '.');

		if (!dot || strcmp(dot, ending) != 0)
			continue;
		fputs(before, f);
		fwrite(part->bytes, 1, part->n, f);
		fputs(after, f);
	}
}

static bool write_page(struct page *p, const char *name)
{
	FILE *f = p->out.f;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", f);
	write_part(f, ".css", "<style>\n", "</style>\n");
	write_part(f, ".html", "", "");
	fputs("<script type=\"application/json\" id=\"data\">\n", f);
	write_summary(p, name);
	write_functions(p);
	write_flame(p);
	events_write(&p->out, &p->events, &p->kinds);
	const bool good = write_timeline(p) && html_sources(&p->out, &p->run.code) &&
	                  html_edges(&p->out, &p->run, p->row_of) &&
	                  html_code(&p->out, &p->run, p->own_rows) &&
	                  (!p->before || before_write(&p->out, p->before));

	fputs("}\n</script>\n", f);
	write_part(f, ".js", "<script>\n", "</script>\n");
	fputs("</body>\n</html>\n", f);
	return good;
}

static int write_file(struct page *p, const struct options *o)
{
	struct new_file file;

	if (!new_file_open(&file, o->output))
		return EXIT_USAGE;
	p->out.f = new_file_stream(&file);
	if (!p->out.f)
		return EXIT_DAMAGED;
	if (write_page(p, o->args[p->before ? 1 : 0]))
		return new_file_end(&file, p->out.f) ? EXIT_GOOD : EXIT_DAMAGED;
	complain("out of memory");
	fclose(p->out.f);
	new_file_discard(&file);
	return EXIT_DAMAGED;
}

/* Was there no memory for what was gathered? */
static bool has_failed(const struct page *p)
{
	return p->timeline.failed || p->inlined.runs.failed || p->events.failed;
}

int report_html(struct hs_source *source, const struct options *o, struct html_before *before)
{
	struct page p = { .before = before, .ranged = o->range.given };
	const struct hs_counts_options wants = {
		.what = (uint32_t)HS_COUNTS_CODE | HS_COUNTS_TRAPS,
		.trap = take_trap,
		.trap_to = &p,
		.call = timeline_take,
		.call_to = &p.timeline,
		.event = take_event,
		.event_to = &p,
		.inlined_run = inlined_take,
		.inlined_run_to = &p.inlined,
	};
	int status = EXIT_USAGE;

	if (!timeline_open(&p.timeline, TIME_KEPT, TIME_WINDOW) ||
	    !timeline_open(&p.inlined.runs, INLINED_KEPT, INLINED_WINDOW))
		complain("out of memory");
	else if (run_count(&p.run, source, &wants, o->quiet) && !has_failed(&p) &&
	         hs_counts_get_traps(p.run.all, &p.kinds) == HS_OK && number_functions(&p))
		status = nothing_to_show(&p.run.damage, false) ? EXIT_FINDINGS : write_file(&p, o);
	else if (has_failed(&p))
		complain("out of memory");
	const int damaged = damage_exit(&p.run.damage);

	page_close(&p);
	return status != EXIT_GOOD ? status : damaged;
}
