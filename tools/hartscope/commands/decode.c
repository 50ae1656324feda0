/* hartscope decode: a trace to a flow. */
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "decode",
	.form = "[--protocol ntrace] [--set NAME=VALUE]... [--elf FILE]... [-o FLOW] TRACE",
	.text = "Decodes a trace to the blocks that were executed.  FLOW is a directory in the format of\n"
	        "a recording; without -o it stands beside TRACE, with the ending .flow.  Parameters come\n"
	        "from TRACE.json where it is there, and --set wins.  Where the trace is damaged, decoding\n"
	        "goes on at the next synchronisation, and the gap is marked in the flow.",
	.example = "  hartscope decode --elf app.elf --set trTeInstMode=htm -o app.flow capture.bin",
	.set = OPT_OUTPUT | OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_HART | OPT_TRANSPORT | OPT_CAPTURE | OPT_QUIET,
	.min_args = 1,
	.max_args = 1,
};

#define BATCH 8192

struct counts {
	uint64_t blocks, gaps, errors;
	struct damage damage;
	enum hs_status write;
};

static void count(struct counts *c, const struct hs_block *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		c->blocks += v[i].kind == HS_KIND_BLOCK;
		c->gaps += v[i].kind == HS_KIND_GAP;
	}
}

static void decode_all(struct hs_source *source, struct hs_rec_writer *w, bool quiet,
                       struct counts *c, struct hs_error *why)
{
	static struct hs_block blocks[BATCH];
	struct progress progress;
	struct hs_error e = { 0 };
	enum hs_status s;
	uint64_t total;
	size_t n;

	progress_start(&progress, quiet);
	while ((s = hs_source_next(source, blocks, BATCH, &n, &e)) != HS_END) {
		count(c, blocks, n);
		if (s != HS_OK)
			damage_add(&c->damage, &e);
		c->write = n && w ? hs_rec_write(w, blocks, n, why) : HS_OK;
		if (c->write != HS_OK)
			break;
		hs_source_bytes(source, &total);
		progress_show(&progress, "decoding",
		              total ? hs_source_bytes(source, NULL) : c->blocks, total);
	}
	progress_end(&progress);
}

static void summary(struct hs_source *source, const char *flow, const struct counts *c, bool json)
{
	struct report r;

	report_begin(&r, stdout, json);
	report_text(&r, "flow", "flow", flow);
	report_text(&r, "protocol", "protocol", hs_source_protocol(source)->name);
	report_u64(&r, "bytes", "trace bytes", hs_source_bytes(source, NULL));
	capture_report(&r, source);
	report_u64(&r, "blocks", "blocks", c->blocks);
	report_u64(&r, "gaps", "gaps", c->gaps);
	report_u64(&r, "errors", "errors", c->damage.count);
	report_end(&r);
}

/* A flow can be made again; a recording cannot, and is not replaced. */
static bool is_original(const char *path)
{
	struct hs_rec *rec;
	bool original = false;

	if (hs_is_recording(path) && hs_rec_open(path, &rec, NULL) == HS_OK) {
		original = strcmp(hs_rec_get_info(rec)->kind, "recording") == 0;
		hs_rec_close(rec);
	}
	return original;
}

static int decode_to(struct hs_source *source, const char *trace, const char *flow,
                     const struct options *o)
{
	struct hs_program *p = hs_source_program(source);
	char made_by[300];
	struct hs_rec_writer_options ro = { .size = sizeof(ro), .source = made_by,
		                           .image = hs_program_image(p),
		                           .xlen = hs_program_image(p)->isa.xlen,
		                           .program = hs_source_program_path(source) };
	struct hs_rec_writer *w = NULL;
	struct counts c = { 0 };
	struct hs_error e = { 0 };

	if (strcmp(flow, "/dev/null") == 0) { /* decode for the errors and the summary alone */
		decode_all(source, NULL, o->quiet, &c, &e);
		if (!o->quiet || o->json)
			summary(source, flow, &c, o->json);
		return damage_exit(&c.damage);
	}
	if (is_original(flow)) {
		complain("%s is a recording and is not replaced; choose another name with -o", flow);
		return EXIT_USAGE;
	}
	snprintf(made_by, sizeof(made_by), "decode %.250s", trace);
	struct hs_rec_map *maps = hs_program_maps(p, &ro.map_count);

	ro.maps = maps;
	ro.processes = hs_source_processes(source, &ro.process_count);
	const enum hs_status s = hs_rec_create(flow, &ro, &w, &e);

	hs_maps_free(maps, ro.map_count);
	if (s != HS_OK)
		return fail(&e);
	decode_all(source, w, o->quiet, &c, &e);
	if (c.write != HS_OK) {
		const int status = fail(&e);

		hs_rec_finish(w, false, "cut", NULL);
		return status;
	}
	if (hs_rec_finish(w, true, "end of the trace", &e) != HS_OK)
		return fail(&e);
	if (!o->quiet || o->json)
		summary(source, flow, &c, o->json);
	return damage_exit(&c.damage);
}

int cmd_decode(int argc, char **argv)
{
	struct hs_source *source;
	struct hs_error e = { 0 };
	struct options o;
	char *flow;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (hs_is_recording(o.args[0])) {
		complain("%s is a recording: it needs no decoding", o.args[0]);
		return EXIT_USAGE;
	}
	if ((o.output && strcmp(o.output, "-") == 0) || (!o.output && strcmp(o.args[0], "-") == 0)) {
		complain("decode writes a directory: name it with -o FLOW");
		return EXIT_USAGE;
	}
	if (hs_source_open(&o.source, &source, &e) != HS_OK)
		return fail(&e);
	flow = o.output ? strdup(o.output) : with_ending(o.args[0], ".nt", ".flow");
	status = flow ? decode_to(source, o.args[0], flow, &o) : EXIT_USAGE;
	free(flow);
	hs_source_close(source);
	return status;
}
