/* hartscope ctr: the control transfer records that a hart would have held. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/ctr.h>
#include <hartscope/status.h>

#include "commands/ctr.h"
#include "common/new_file.h"

static bool keep_predictor(void *settings, const struct option_row *r, char *value)
{
	(void)r;
	return setting_keep(settings, "--ctr", "predictor", value);
}

static bool parse_context(void *options, const struct option_row *r, char *value)
{
	struct ctr_options *o = options;

	o->one_context = true;
	return read_number(r->name, value, UINT64_MAX, &o->context);
}

/* clang-format off */
static const struct option_row ctr_rows[] = {
	{ "--ctr", 0, "NAME=VALUE",
	  "a setting of CTR, such as version=0.1.4, depth=16 or TKBRINH=1",
	  AS_SETTING(struct ctr_options, settings),
	  .words = "version= depth= cycles= cce= predictor= mode= contexts=" },
	{ "--predictor", 0, "NAME",
	  "what counts as mispredicted (misp): off, bimodal or gshare, with targets by address "
	  "and a stack of calls; the same as --ctr predictor=NAME",
	  AS_PARSED(struct ctr_options, settings, keep_predictor), .words = "off bimodal gshare" },
	{ "--at", 0, "POINT",
	  "show the records at insn=N (N instructions retired) or at pc=ADDRESS[,N] (before "
	  "its N-th execution), not at the end",
	  AS_TEXT(struct ctr_options, at), .words = "insn= pc=" },
	{ "--export", 0, "FORMAT",
	  "sample the records and write brstack, perf-data, bolt, profgen, callchain, "
	  "folded or json",
	  AS_TEXT(struct ctr_options, export),
	  .words = "brstack perf-data bolt profgen callchain folded json" },
	{ "--period", 0, "N", "instructions between samples (10007)",
	  AS_NUMBER(struct ctr_options, period, 0) },
	{ "--context", 0, "N",
	  "brstack, bolt, profgen: of the program of context N, not of the main program",
	  PARSED(parse_context) },
	{ "--explain", 0, "DUMP",
	  "explain a dump of CTR's registers and entries: NAME = VALUE lines",
	  AS_TEXT(struct ctr_options, explain) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "ctr",
	.form = "[--ctr NAME=VALUE]... [--at POINT | --export FORMAT [-o FILE]] REC|FLOW|TRACE\n"
		"       hartscope ctr --explain DUMP",
	.text = "Replays what ran through control transfer records (Smctr, Ssctr), and shows those that the\n"
		"hart would hold at the end or at another point, the youngest first. With --export, samples\n"
		"them as a profiler does, for perf, llvm-bolt, llvm-profgen and flame graphs; without a\n"
		"sample nothing is written, and the exit status is 1.\n\n"
		"Settings (--ctr): version (0.1.4, 1.0), depth (16 to 256; 32), cycles (off, instructions,\n"
		"time, counts), cce (0 to 4), predictor (off, bimodal, gshare), mode (U, S, M: of code whose\n"
		"mode is not known), contexts (keep, clear, swap: what a change of context does with the\n"
		"records; swap with --export, else keep), and as 0 or 1: fields of the control register (M,\n"
		"S, U, VS, VU, MTE, STE, VSTE, ETEN, RASEMU, BPFRZ, LCOFIFRZ, EXCINH, INTRINH, TRETINH,\n"
		"NTBREN, TKBRINH, INDCALLINH, DIRCALLINH, INDJUMPINH, DIRJUMPINH, CORSWAPINH, RETINH,\n"
		"INDOJMPINH, DIROJMPINH), and what 0.1.4 leaves open (type6, v-as-1.0, freeze-as-1.0,\n"
		"ras-no-cc). Without them: 1.0, every mode enabled, nothing filtered.",
	.example = "  hartscope ctr --ctr depth=16 --ctr RETINH=1 --at pc=0x1057c,2 app.rec\n"
		   "  hartscope ctr --export perf-data -o perf.data app.rec\n"
		   "  perf report -i perf.data\n"
		   "  hartscope ctr --export bolt -o app.pa app.rec\n"
		   "  /usr/lib/llvm-19/bin/perf2bolt app -p app.pa -pa -o app.fdata",
	.often = "--output --elf --set --ctr --at --export --period --predictor --explain --json",
	.temporary = true,
	.options = OPTIONS(ROWS(options_output), OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS(options_cycles), ROWS(options_xlen), ROWS(ctr_rows),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_force),
	                   ROWS(options_quiet), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 0,
	.max_args = 1,
};

struct replay {
	const struct ctr_options *own;
	struct hs_source *source;
	struct hs_ctr_settings settings;
	struct hs_ctr_run_options wanted;
	struct hs_ctr_run *run;
	struct hs_ctr_run_result result;
	bool empty; /* there is nothing to show */
	enum hs_status status;
};

/* A hart that is shown. */
struct shown {
	const struct hs_ctr_run_hart *at;
	struct hs_guest *guest; /* or NULL */
};

/* ---- what was asked for ------------------------------------------------------------- */

/* Samples are of processes: each has records of its own, unless --ctr contexts= says otherwise. */
static bool take_settings(const struct ctr_options *own, struct hs_ctr_settings *s)
{
	struct hs_error e = { 0 };

	if (own->export)
		s->contexts = HS_CTR_CONTEXTS_SWAP;
	for (size_t i = 0; i < own->settings.count; i++) {
		if (hs_ctr_settings_set(s, own->settings.at[i].name, own->settings.at[i].value,
		                        &e) != HS_OK) {
			complain("%s", e.text);
			return false;
		}
	}
	return true;
}

static bool take_point(struct hs_ctr_run_options *r, const char *text)
{
	char *end = NULL;

	r->times = 1;
	if (!text || strcmp(text, "end") == 0)
		return true;
	errno = 0;
	if (strncmp(text, "insn=", 5) == 0) {
		r->point = HS_CTR_AT_INSN;
		r->at = strtoull(text + 5, &end, 10);
	} else if (strncmp(text, "pc=", 3) == 0) {
		r->point = HS_CTR_AT_PC;
		r->at = strtoull(text + 3, &end, 16);
		if (*end == ',' && end != text + 3)
			r->times = strtoull(end + 1, &end, 10);
	}
	if (end && !*end && !errno && r->times && end[-1] != '=' && end[-1] != ',')
		return true;
	complain("--at needs insn=N, pc=ADDRESS (hexadecimal) or pc=ADDRESS,N, not '%s'", text);
	return false;
}

/* ---- the flow ----------------------------------------------------------------------- */

static bool take_blocks(void *to, const struct hs_block *b, size_t n)
{
	return hs_ctr_run_add(to, b, n) == HS_OK;
}

static int replay_all(struct replay *r)
{
	const struct block_taker taker = { "replaying", r->own->shared.quiet, take_blocks, r->run,
		                           false };
	struct damage damage = { 0 };

	read_blocks(&taker, r->source, &damage);
	r->status = hs_ctr_run_end(r->run, &r->result);
	r->empty = nothing_to_show(&damage, r->own->shared.json);
	return damage_exit(&damage);
}

/* ---- the records ---------------------------------------------------------------------------- */

/* The function at an address.  A record has no mode. */
static bool find_function(const struct shown *w, uint64_t addr, struct hs_guest_place *f)
{
	const struct hs_guest_at at = { .context = w->at->context,
		                        .priv = HS_PRIV_UNKNOWN,
		                        .has_context = w->at->has_context };

	return hs_guest_name(w->guest, w->at->program, &at, addr, f);
}

static void function_text(const struct hs_guest_place *f, uint64_t addr, char *text, size_t size)
{
	char name[256], file[96] = "";

	hs_text_escape(name, sizeof(name), f->label);
	if (!f->own && f->file)
		library_text(f->file, file, sizeof(file));
	if (!f->offset)
		snprintf(text, size, "0x%llx %s%s%s", (unsigned long long)addr, name,
		         *file ? " " : "", file);
	else
		snprintf(text, size, "0x%llx %s+0x%llx%s%s", (unsigned long long)addr, name,
		         (unsigned long long)f->offset, *file ? " " : "", file);
}

static void place_text(const struct shown *w, uint64_t addr, bool none, char *text, size_t size)
{
	struct hs_guest_place f;

	if (none)
		snprintf(text, size, "(not recorded)");
	else if (!find_function(w, addr, &f))
		snprintf(text, size, "0x%llx", (unsigned long long)addr);
	else
		function_text(&f, addr, text, size);
}

static struct hs_ctr_record record_at(const struct hs_ctr *c, unsigned i)
{
	const struct hs_ctr_entry e = hs_ctr_get_entry(c, i);

	return hs_ctr_decode_entry(&e);
}

static unsigned valid_of(const struct hs_ctr *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < hs_ctr_depth(c); i++)
		n += record_at(c, i).valid;
	return n;
}

static void show_text(const struct shown *w)
{
	const struct hs_ctr *c = &w->at->ctr;
	const char *predicted = c->config.without & HS_CTR_NO_MISP ? "-" : "no";
	char source[512], target[512], cycles[32], where[512];
	int width = 20;

	place_text(w, w->at->pc, false, where, sizeof(where));
	printf("hart %u, CTR %s: %u of %u records, WRPTR %u%s%s\n", w->at->hart,
	       hs_ctr_version_name((enum hs_ctr_version)c->config.version), valid_of(c),
	       hs_ctr_depth(c), c->wrptr, c->wrap ? ", WRAP" : "", c->frozen ? ", FROZEN" : "");
	printf("after %llu instructions%s%s\n\n", (unsigned long long)w->at->retired,
	       w->at->pc ? ", before " : "", w->at->pc ? where : "");
	for (unsigned i = 0; i < hs_ctr_depth(c); i++) {
		const struct hs_ctr_record r = record_at(c, i);
		int n;

		place_text(w, r.source, r.no_source, source, sizeof(source));
		n = (int)strlen(source);
		width = r.valid && n > width ? (n < 44 ? n : 44) : width;
	}
	printf("%3s  %-19s  %4s  %9s  %-*s  %s\n", "#", "type", "misp", "cycles", width, "source",
	       "target");
	for (unsigned i = 0; i < hs_ctr_depth(c); i++) {
		const struct hs_ctr_record r = record_at(c, i);

		if (!r.valid)
			continue;
		place_text(w, r.source, r.no_source, source, sizeof(source));
		place_text(w, r.target, r.no_target, target, sizeof(target));
		snprintf(cycles, sizeof(cycles), "%u", r.cycles);
		printf("%3u  %-19s  %4s  %9s  %-*s  %s\n", i, hs_ctr_type_name(r.type),
		       r.misp ? "yes" : predicted, r.ccv ? cycles : "-", width, source, target);
	}
}

static void name_of(struct report *out, const struct shown *w, const char *key, uint64_t addr,
                    bool none)
{
	struct hs_guest_place f;

	if (!none && find_function(w, addr, &f))
		report_text(out, key, "", f.label);
}

static void show_record(struct report *out, const struct shown *w, unsigned i)
{
	const struct hs_ctr_entry e = hs_ctr_get_entry(&w->at->ctr, i);
	const struct hs_ctr_record r = hs_ctr_decode_entry(&e);

	report_row(out);
	report_u32(out, "hart", "", w->at->hart);
	report_u32(out, "index", "", i);
	report_hex(out, "source", "", r.source);
	name_of(out, w, "source_function", r.source, r.no_source);
	report_hex(out, "target", "", r.target);
	name_of(out, w, "target_function", r.target, r.no_target);
	report_u32(out, "type", "", r.type);
	report_text(out, "name", "", hs_ctr_type_name(r.type));
	report_bool(out, "misp", "", r.misp);
	report_bool(out, "partial", "", r.no_source || r.no_target);
	if (r.ccv)
		report_u32(out, "cycles", "", r.cycles);
	report_hex(out, "ctrdata", "", e.data);
	report_row_end(out);
}

static void show_hart(struct report *out, const struct shown *w)
{
	report_row(out);
	report_u32(out, "hart", "", w->at->hart);
	report_bool(out, "reached", "", w->at->reached);
	report_u64(out, "instructions", "", w->at->retired);
	report_hex(out, "pc", "", w->at->pc);
	report_u32(out, "records", "", w->at->reached ? valid_of(&w->at->ctr) : 0);
	report_u32(out, "wrptr", "", w->at->ctr.wrptr);
	report_bool(out, "wrap", "", w->at->ctr.wrap);
	report_bool(out, "frozen", "", w->at->ctr.frozen);
	report_u64(out, "transfers", "", w->at->transfers);
	report_u64(out, "lost", "", w->at->lost);
	report_u64(out, "unknown_writes", "", w->at->unknown_writes);
	report_row_end(out);
}

static void show_json(const struct replay *r)
{
	const struct hs_ctr_run_result *found = &r->result;
	struct shown w = { .guest = hs_source_known(r->source)->guest };
	struct report out;

	report_begin(&out, stdout, true);
	report_text(&out, "version", "",
	            hs_ctr_version_name((enum hs_ctr_version)found->start.config.version));
	report_u32(&out, "depth", "", hs_ctr_depth(&found->start));
	report_list(&out, "harts", "");
	for (size_t i = 0; i < found->count; i++) {
		w.at = &found->harts[i];
		show_hart(&out, &w);
	}
	report_list_end(&out);
	report_list(&out, "records", "");
	for (size_t i = 0; i < found->count; i++) {
		w.at = &found->harts[i];
		for (unsigned k = 0; w.at->reached && k < hs_ctr_depth(&w.at->ctr); k++)
			if (record_at(&w.at->ctr, k).valid)
				show_record(&out, &w, k);
	}
	report_list_end(&out);
	report_end(&out);
}

static int show(const struct replay *r)
{
	struct shown w = { .guest = hs_source_known(r->source)->guest };
	size_t shown = 0;

	if (r->own->shared.json)
		show_json(r);
	for (size_t i = 0; i < r->result.count; i++) {
		w.at = &r->result.harts[i];
		if (!w.at->reached)
			continue;
		if (!r->own->shared.json) {
			printf("%s", shown ? "\n" : "");
			show_text(&w);
		}
		shown++;
	}
	if (!shown)
		complain("%s is not reached", r->own->at ? r->own->at : "the end");
	return shown ? EXIT_GOOD : EXIT_FINDINGS;
}

/* ---- export ------------------------------------------------------------------------- */

static bool to_file(void *context, const void *bytes, size_t n)
{
	return write_all(*(const int *)context, bytes, n);
}

static void say_export(const struct ctr_options *own, const struct hs_ctr_export_report *x)
{
	const struct options *o = &own->shared;

	if (o->quiet)
		return;
	fprintf(stderr, "hartscope: %s: %llu samples, %llu records", own->export,
	        (unsigned long long)x->samples, (unsigned long long)x->branches);
	if (x->not_taken)
		fprintf(stderr, "; left out %llu not-taken branches",
		        (unsigned long long)x->not_taken);
	if (x->foreign)
		fprintf(stderr, "; left out %llu outside of the program",
		        (unsigned long long)x->foreign);
	if (x->other)
		fprintf(stderr, "; left out %llu samples of other programs (--context chooses one)",
		        (unsigned long long)x->other);
	if (x->broken)
		fprintf(stderr, "; left out %llu ranges that are not straight code",
		        (unsigned long long)x->broken);
	if (x->cut)
		fprintf(stderr, "; cut %llu counts of cycles to 65535", (unsigned long long)x->cut);
	fputc('\n', stderr);
}

/* Says why there is nothing to write. */
static void say_no_sample(const struct ctr_options *own, const struct hs_ctr_export_report *x)
{
	if (x->other)
		complain(
			"no sample; left out %llu samples of other programs (--context chooses one)",
			(unsigned long long)x->other);
	else
		complain("no sample: fewer instructions ran than the %llu of --period",
		         (unsigned long long)own->period);
}

/* The program that an export of one program is of; NULL after a complaint. */
static struct hs_program *exported_program(const struct replay *r)
{
	const struct hs_program_set *set = hs_source_known(r->source)->programs;

	if (!r->own->one_context)
		return hs_source_known(r->source)->program;
	for (size_t i = 0; i < set->count; i++)
		if (set->contexts[i] == r->own->context)
			return set->programs[i];
	complain("context %llu has no program: --process names them",
	         (unsigned long long)r->own->context);
	return NULL;
}

/* *whole: everything was written, and there is something. */
static int export_to(struct replay *r, int *fd, bool *whole)
{
	const struct hs_ctr_export_report *written = &r->result.samples;
	struct hs_error e = { 0 };
	int status;

	r->wanted.sampled = exported_program(r);
	if (!r->wanted.sampled)
		return EXIT_USAGE;
	r->wanted.write = to_file;
	r->wanted.context = fd;
	if (hs_ctr_run_new(&r->wanted, &r->run, &e) != HS_OK)
		return fail(&e);
	status = replay_all(r);
	*whole = r->status == HS_OK && written->samples && !r->empty;
	if (*whole)
		say_export(r->own, written);
	else if (r->status == HS_OK && !r->empty)
		say_no_sample(r->own, written);
	return r->status == HS_OK && !written->samples && status == EXIT_GOOD ? EXIT_FINDINGS
	                                                                      : status;
}

static int export_all(struct replay *r)
{
	struct new_file file;
	bool whole = false;
	int status;

	if (!r->own->period) {
		complain("--period is at least 1");
		return EXIT_USAGE;
	}
	if (!new_file_open(&file, r->own->shared.output ? r->own->shared.output : "-"))
		return EXIT_USAGE;
	status = export_to(r, &file.fd, &whole);
	if (whole && !new_file_commit(&file))
		status = EXIT_DAMAGED;
	new_file_discard(&file);
	return status;
}

static int say_unmapped(const struct replay *r)
{
	if (!r->result.unmapped)
		return EXIT_GOOD;
	complain(
		"the code of %llu blocks is not known: their records are as the flow says, and their instructions "
		"are not counted",
		(unsigned long long)r->result.unmapped);
	return EXIT_DAMAGED;
}

static void say_unknown_writes(const struct replay *r)
{
	if (r->result.unknown_writes && !r->own->shared.quiet)
		fprintf(stderr,
		        "hartscope: %llu writes of CTR's CSRs are left out: their values are not "
		        "in the flow (record --data has them)\n",
		        (unsigned long long)r->result.unknown_writes);
}

/* What the options and the source say. */
static void prepare(struct replay *r)
{
	const struct hs_rec_info *info = hs_source_known(r->source)->info;
	struct hs_ctr_run_options *w = &r->wanted;

	w->settings = &r->settings;
	w->program = hs_source_known(r->source)->program;
	w->programs = hs_source_known(r->source)->programs;
	w->guest = hs_source_known(r->source)->guest;
	w->one_hart = r->own->shared.source.one_hart; /* then the source does not report it */
	w->hart = r->own->shared.source.hart;
	w->first_hart = w->one_hart || (info && info->harts == 1);
	w->format = r->own->export;
	w->period = r->own->period;
	w->program_path = r->own->one_context ? NULL : hs_source_known(r->source)->program_path;
}

static int run(struct replay *r)
{
	struct hs_error e = { 0 };
	int status;

	prepare(r);
	if (!r->own->export && hs_ctr_run_new(&r->wanted, &r->run, &e) != HS_OK)
		return fail(&e);
	status = r->own->export ? export_all(r) : replay_all(r);
	if (r->status == HS_OK && !r->own->export && !r->empty) {
		const int reached = show(r);

		status = status ? status : reached;
	} else if (r->status != HS_OK) {
		complain("%s", hs_status_text(r->status));
		status = EXIT_USAGE;
	}
	say_unknown_writes(r);
	if (r->status == HS_OK && say_unmapped(r) != EXIT_GOOD && status == EXIT_GOOD)
		status = EXIT_DAMAGED;
	capture_note(r->source);
	return status;
}

int cmd_ctr(int argc, char **argv)
{
	struct replay r = { .settings.size = sizeof(r.settings), .wanted.size = sizeof(r.wanted) };
	struct ctr_options own = { .period = 10007 };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status) || !take_settings(&own, &r.settings) ||
	    !take_point(&r.wanted, own.at))
		return status;
	if (own.explain)
		return explain_ctr(&own);
	if (!o->arg_count) {
		complain(
			"ctr needs a recording, flow or trace, or --explain DUMP; see 'hartscope ctr --help'");
		return EXIT_USAGE;
	}
	if (own.export && own.at) {
		complain("--export samples everything: it goes without --at");
		return EXIT_USAGE;
	}
	r.own = &own;
	o->source.names = o->source.versions = true;
	r.source = open_argument(o, &status);
	if (!r.source)
		return status;
	status = run(&r);
	hs_ctr_run_free(r.run);
	hs_source_close(r.source);
	return status;
}
