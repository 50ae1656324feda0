/* hartscope identify: what a capture is. */
#include <string.h>

#include <hartscope/transport.h>

#include "commands/identify_seen.h"
#include "common/found.h"

static const struct usage usage = {
	.name = "identify",
	.form = "[--elf FILE]... CAPTURE",
	.text = "Says what a capture is: tries protocols, transports, dialects and parameters, and "
		"shows what\n"
		"fits, how well, and the command that decodes it.  With the program (--elf, --bin) "
		"parameters\n"
		"are found that only the flow shows, such as widths of fields and modes, and it is said if that\n"
		"program did not run.  Exit status 1: nothing fits.",
	.example = "  hartscope identify --elf app.elf capture.bin\n"
		   "  hartscope identify --json capture.bin",
	.often = "--elf --bin --process --process-map --then --image --kcore --vcd-clock "
		 "--vcd-data --custom --json",
	.options = OPTIONS(FIRST_ROWS(options_capture, 2), ROWS(options_code),
	                   ROWS(options_process), ROWS(options_maps), ROWS(options_xlen),
	                   ROWS(options_json), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

#define PROBED 256u /* batches of blocks in which an address without code is looked for */

static const char *const verdicts[] = { "none", "form", "likely", "clear" };

/* What those mean that are not plain. */
static const char *const meanings[] = {
	[HS_IDENTIFY_FORM] = "only the form of messages fits; nothing shows of which program",
	[HS_IDENTIFY_LIKELY] = "the program fits in part, or several things fit",
	[HS_IDENTIFY_CLEAR] = NULL,
};

static double share_of(const struct hs_identified *f)
{
	return f->bytes ? 100.0 * (double)f->explained / (double)f->bytes : 0;
}

/* How well it fits, of a large file in its beginning, middle and end. */
static void show_fit(struct report *r, const struct options *o, const struct hs_identified *f)
{
	static const char *const keys[] = { "beginning", "middle", "end" };
	static const char *const names[] = { "  beginning", "  middle", "  end" };

	report_real(r, "explained", "explained", share_of(f), "%");
	for (uint32_t i = 0; i < f->shares; i++)
		report_real(r, keys[i], names[i], f->share[i] / 100.0, "%");
	if (r->json || f->head * 100 > f->bytes)
		report_u64(r, "head", "bytes before it", f->head);
	report_u64(r, "messages", "messages", f->messages);
	if (hs_source_names_code(&o->source) || r->json) {
		report_u64(r, "segments", "segments", f->segments);
		report_u64(r, "contradicted", "contradicted", f->contradicted);
	}
}

static void show_offset(struct report *r, const struct hs_identified *f)
{
	char text[32];

	if (!f->has_offset)
		return;
	snprintf(text, sizeof(text), "%s0x%llx", f->offset < 0 ? "-" : "",
	         (unsigned long long)(f->offset < 0 ? -f->offset : f->offset));
	report_text(r, "offset", "program moved by", text);
}

/* The settings as words, one in a line where people read them. */
static void show_settings(struct report *r, const struct hs_identified *f)
{
	char words[HS_IDENTIFY_TEXT], *save = NULL;
	const char *name = "settings";

	if (r->json || !*f->settings) {
		report_text(r, "settings", name,
		            *f->settings || r->json ? f->settings : "defaults");
		return;
	}
	memcpy(words, f->settings, sizeof(words));
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		report_text(r, "settings", name, w);
		name = "";
	}
}

static void show_result(struct report *r, const struct options *o, const struct hs_identified *f)
{
	if (f->source_id || r->json)
		report_u32(r, "source", "source", f->source_id);
	report_text(r, "protocol", "protocol", f->protocol);
	report_text(r, "transport", "transport", f->transport);
	if (f->described || r->json)
		report_text(r, "described_by", "described by",
		            f->described ? "its standard support packet (E-Trace 2.1)" : "");
	if (!r->json && strcmp(f->protocol, HS_IDENTIFY_UNKNOWN) == 0)
		return;
	if (f->ring || r->json)
		report_bool(r, "wrapped", "circular buffer", f->ring);
	show_settings(r, f);
	if (*f->unsure || r->json)
		report_text(r, "unsure", "not decided", f->unsure);
	show_offset(r, f);
	show_fit(r, o, f);
}

/* The sources of frames after the first. */
static void show_others(struct report *r, const struct options *o, const struct hs_identity *id)
{
	const struct hs_identified *f = hs_identity_get(id, 1);

	if (!f && !r->json)
		return;
	if (r->json)
		report_list(r, "others", "others");
	for (size_t i = 1; (f = hs_identity_get(id, i)) != NULL; i++) {
		if (r->json)
			report_row(r);
		show_result(r, o, f);
		if (r->json)
			report_row_end(r);
	}
	if (r->json)
		report_list_end(r);
}

static void show_command(struct report *r, const struct options *o, const struct hs_identity *id)
{
	char text[FOUND_TEXT], command[FOUND_TEXT + 4096];

	found_text(text, sizeof(text), o, id);
	snprintf(command, sizeof(command), "hartscope decode%s %s", text, o->args[0]);
	report_text(r, "command", "command", command);
}

/* Whole frames whose sources nothing reads: which sources there are. */
static bool hint_of_frames(const char *path, const uint64_t frames[2])
{
	char ids[700] = "";
	size_t n = 0;
	unsigned first = 0;

	for (unsigned id = 1; id <= HS_FRAME_SOURCE_MAX; id++) {
		if (!(frames[id / 64] >> id % 64 & 1))
			continue;
		first = first ? first : id;
		n += (size_t)snprintf(ids + n, sizeof(ids) - n, "%s0x%x", n ? ", " : "", id);
	}
	if (first)
		complain(
			"%s is CoreSight frames of the sources %s; no protocol was found that reads "
			"them: name it, and its parameters, for one that is a trace of RISC-V: "
			"'hartscope decode --transport tpiu --source 0x%x=ntrace,NAME=VALUE %s'",
			path, ids, first, path);
	return first;
}

/* Why nothing fits, for people. */
static void show_doubt(const struct options *o, const struct hs_identity *id,
                       enum hs_identify_verdict verdict)
{
	const struct hs_identified *f = hs_identity_get(id, 0);

	if (verdict == HS_IDENTIFY_NONE) {
		complain("%s: no protocol that is known reads this", o->args[0]);
		hint_of_kind(o->args[0]);
	} else if (verdict == HS_IDENTIFY_FORM && !hs_source_names_code(&o->source))
		complain("without the program (--elf) only the form of messages was looked at");
	else if (verdict == HS_IDENTIFY_FORM && f->program_differs)
		complain("%s: it reads as %s, but not as a trace of this program: of %llu segments "
		         "%llu contradict it at once",
		         o->args[0], f->protocol, (unsigned long long)f->segments,
		         (unsigned long long)f->contradicted);
	else if (verdict == HS_IDENTIFY_FORM && !f->segments)
		complain("%s: it reads as %s, but no message synchronises: parameters are not "
		         "among those tried, or it is something else",
		         o->args[0], f->protocol);
	else if (verdict == HS_IDENTIFY_FORM)
		complain("%s: it reads as %s; of %llu segments %llu contradict this program at "
		         "once: it is another one, or parameters are not among those tried",
		         o->args[0], f->protocol, (unsigned long long)f->segments,
		         (unsigned long long)f->contradicted);
}

/* The trace by what was found, with its contexts.  NULL: it cannot be read so. */
static struct hs_source *open_again(const struct options *o, const struct hs_identity *id)
{
	struct found found = { .params = NULL };
	struct hs_source *source = NULL;
	struct hs_error e = { 0 };

	if (found_take(id, &found, &e) == HS_OK) {
		if (strcmp(hs_identity_get(id, 0)->protocol, "ntrace") == 0)
			hs_trace_params_set(found.params, "trTeContext", "1", NULL);
		open_found(o, o->source, o->args[0], &found, &source, &e);
	}
	hs_trace_params_free(found.params);
	return source;
}

/* What of the program is missing: the first address that has no code. */
static void show_missing(const struct options *o, const struct hs_identity *id)
{
	struct damage damage = { .silent = true };
	struct block_reader reader = { .source = open_again(o, id), .damage = &damage };

	if (!reader.source)
		return;
	for (unsigned i = 0; i < PROBED && damage.count == 0 && reader_fill(&reader); i++)
		continue;
	hint_of_missing(&damage);
	hs_source_close(reader.source);
}

/* Who ran what was given, and who what is missing.  False: the trace names nobody. */
static bool show_processes(struct report *r, const struct options *o, const struct hs_identity *id)
{
	struct hs_source *source = open_again(o, id);
	const bool named = source && show_seen(r, source);

	hs_source_close(source);
	return named;
}

static void show(const struct options *o, const struct hs_identity *id)
{
	uint64_t sources[2];
	const enum hs_identify_verdict verdict = hs_identity_verdict(id, sources);
	const struct hs_identified *f = hs_identity_get(id, 0);
	const bool frames = hint_of_frames(o->args[0], sources);
	bool named = false;
	struct report r;

	report_begin(&r, stdout, o->json);
	report_text(&r, "verdict", "verdict", verdicts[verdict]);
	if (!o->json && meanings[verdict])
		report_text(&r, NULL, "", meanings[verdict]);
	if (f && verdict != HS_IDENTIFY_NONE) {
		show_result(&r, o, f);
		show_others(&r, o, id);
		if (hs_source_names_code(&o->source))
			named = show_processes(&r, o, id);
		if (!frames)
			show_command(&r, o, id);
	}
	report_end(&r);
	if (!frames)
		show_doubt(o, id, verdict);
	if (verdict == HS_IDENTIFY_LIKELY && hs_source_names_code(&o->source) && !named)
		show_missing(o, id);
}

int cmd_identify(int argc, char **argv)
{
	struct hs_identity *id;
	struct hs_error e = { 0 };
	struct options o = { .arg_count = 0 };
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (is_recording(o.args[0])) {
		complain("%s is a recording, not a capture: list it", o.args[0]);
		return EXIT_USAGE;
	}
	const struct hs_identify_options io = found_ask(&o, o.args[0]);

	if (hs_identify(&io, &id, &e) != HS_OK)
		return fail(&e);
	show(&o, id);
	const enum hs_identify_verdict verdict = hs_identity_verdict(id, NULL);
	const bool lacking = verdict == HS_IDENTIFY_NONE ||
	                     (verdict == HS_IDENTIFY_FORM && hs_source_names_code(&o.source));

	hs_identity_free(id);
	return lacking ? EXIT_FINDINGS : EXIT_GOOD;
}
