/* hartscope info of a capture: what TRACE.json says of it, or else its form; of a log or waves:
 * what import reads them as. */
#include <string.h>
#include <sys/stat.h>

#include <hartscope/capture.h>
#include <hartscope/record.h>
#include <hartscope/trace_params.h>

#include "common/tool.h"

bool info_is_program(const char *path)
{
	const enum hs_file_type what = hs_file_what(path, NULL);

	return what == HS_FILE_ELF || what == HS_FILE_UNREADABLE;
}

static uint64_t bytes_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return (uint64_t)st.st_size;
	note_incomplete("its size cannot be read");
	return 0;
}

/* Messages by type, as the parameters have them. */
static void show_messages(struct report *r, const char *path, const struct hs_trace_params *params)
{
	const struct hs_source_options o = { .size = sizeof(o), .path = path, .params = params,
		                             .no_code = true };
	struct hs_source *source;
	struct hs_message m;
	uint64_t messages = 0, damaged = 0;
	struct hs_error e = { 0 };
	enum hs_status s = hs_source_open(&o, &source, &e);

	if (s != HS_OK) {
		note_incomplete(e.text);
		return;
	}
	verify_source(NULL, source, path);
	while (s != HS_END) {
		s = hs_source_message(source, &m, &e);
		if (s == HS_E_SYSTEM || s == HS_E_MEMORY)
			note_incomplete(e.text);
		messages += s == HS_OK;
		damaged += s != HS_OK && s != HS_END;
	}
	hs_source_close(source);
	report_u64(r, "messages", "messages", messages);
	report_u64(r, "damaged", "damaged", damaged);
}

/* What TRACE.json next to it says.  NULL: there is none; else hs_trace_params_free(). */
static struct hs_trace_params *params_of(const char *path)
{
	struct hs_trace_params *params;
	struct hs_trace_info info;
	struct hs_error e = { 0 };

	if (hs_trace_params_new(NULL, &params, NULL) != HS_OK)
		return NULL;
	if (hs_trace_params_read_beside(params, path, &e) == HS_OK) {
		hs_trace_params_get_info(params, &info);
		if (info.recording || info.transport)
			return params;
	} else if (e.status == HS_E_SYSTEM || e.status == HS_E_MEMORY) {
		note_incomplete(e.text);
	}
	hs_trace_params_free(params);
	return NULL;
}

static void show_known(struct report *r, const char *path, const struct hs_trace_params *params)
{
	struct hs_trace_info info;

	hs_trace_params_get_info(params, &info);
	report_text(r, "parameters", "parameters", "TRACE.json next to it");
	report_text(r, "protocol", "protocol", hs_trace_params_protocol(params)->name);
	report_text(r, "transport", "transport", info.transport ? info.transport : "raw");
	report_text(r, "recording", "made from", info.recording ? info.recording : "");
	show_messages(r, path, params);
}

/* What the stream says of itself, one parameter in a row. */
static void show_stream(struct report *r, const struct hs_identified *f)
{
	char words[HS_IDENTIFY_TEXT], *save = NULL;

	if (!f->described && !r->json)
		return;
	report_list(r, "stream", "said by its standard support packet (E-Trace 2.1)");
	memcpy(words, f->described ? f->settings : "", f->described ? sizeof(words) : 1);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *value = strchr(w, '=');

		if (value)
			*value++ = '\0';
		report_row(r);
		report_text(r, "name", "", w);
		report_text(r, "value", "", value ? value : "");
		report_row_end(r);
	}
	report_list_end(r);
}

static void show_source(struct report *r, const struct hs_identified *f)
{
	if (f->source_id || r->json)
		report_u32(r, "source", "source", f->source_id);
	report_text(r, "protocol", "protocol", f->protocol);
	report_text(r, "transport", "transport", f->transport);
	report_text(r, "settings", "settings", *f->settings || r->json ? f->settings : "defaults");
	show_stream(r, f);
	report_u64(r, "messages", "messages", f->messages);
	report_real(r, "explained", "readable",
	            f->bytes ? 100.0 * (double)f->explained / (double)f->bytes : 0, "%");
}

/* Of CoreSight frames each source. */
static void show_form(struct report *r, const struct hs_identity *id)
{
	const struct hs_identified *f = hs_identity_get(id, 0);

	report_text(r, "parameters", "parameters",
	            f->described ? "said by the trace itself" : "found by its form");
	show_source(r, f);
	if (r->json)
		report_list(r, "others", "others");
	for (size_t i = 1; (f = hs_identity_get(id, i)) != NULL; i++) {
		if (r->json)
			report_row(r);
		show_source(r, f);
		if (r->json)
			report_row_end(r);
	}
	if (r->json)
		report_list_end(r);
}

/* A log, rows or waves that import reads.  False: it is none. */
static bool show_import(const char *path, bool json)
{
	char command[4200];
	struct hs_import_format format;
	uint8_t xlen;
	struct report r;

	if (!hs_import_detect(path, &format, &xlen))
		return false;
	snprintf(command, sizeof(command), "hartscope import --from %s -o OUT.rec %s", format.name,
	         path);
	report_begin(&r, stdout, json);
	report_text(&r, "kind", "kind", format.waves ? "waves" : "log");
	report_u64(&r, "bytes", "bytes", bytes_of(path));
	report_text(&r, "format", "format", format.name);
	report_text(&r, "what", "what", format.what);
	if (xlen || json)
		report_u32(&r, "xlen", "XLEN", xlen);
	report_text(&r, "command", "command", command);
	report_end(&r);
	return true;
}

/* A dump of trace control registers, which is text.  False: it is none. */
static bool show_registers(const char *path, bool json)
{
	struct hs_registers found;

	return hs_registers_read(path, &found, NULL) == HS_OK &&
	       registers_show(path, json) == EXIT_GOOD;
}

/* False: neither TRACE.json nor its form says that it is one. */
static bool show_capture(const char *path, const struct hs_identity *id, bool json)
{
	struct hs_trace_params *params = params_of(path);
	struct report r;

	if (!params && !hs_identity_get(id, 0))
		return false;
	report_begin(&r, stdout, json);
	report_text(&r, "kind", "kind", "capture");
	report_u64(&r, "bytes", "bytes", bytes_of(path));
	if (params)
		show_known(&r, path, params);
	else
		show_form(&r, id);
	report_end(&r);
	if (!params && !hs_identity_get(id, 0)->described)
		complain("%s: only the form of its messages was looked at; 'hartscope identify "
		         "--elf FILE' decides by the program", path);
	hs_trace_params_free(params);
	return true;
}

int info_capture(const char *path, bool json)
{
	const struct hs_identify_options o = { .size = sizeof(o), .path = path };
	struct hs_error e = { .status = HS_OK };
	struct hs_identity *id;
	const enum hs_status s = hs_identify(&o, &id, &e);
	const bool captured = s == HS_OK && show_capture(path, id, json);

	if (s == HS_OK)
		hs_identity_free(id);
	if (captured || show_import(path, json) || show_registers(path, json))
		return EXIT_GOOD;
	if (s != HS_OK)
		return fail(&e);
	complain("%s: neither a program, a recording or a perf.data, nor a capture by its form; "
	         "with the program 'hartscope identify --elf FILE' looks further", path);
	hint_of_kind(path);
	return EXIT_DAMAGED;
}
