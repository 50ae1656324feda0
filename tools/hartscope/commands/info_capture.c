/* hartscope info of a capture: what TRACE.json says of it, or else its form. */
#include <string.h>
#include <sys/stat.h>

#include <hartscope/file_kind.h>
#include <hartscope/identify.h>

#include "common/tool.h"

bool info_is_program(const char *path)
{
	uint8_t first[4] = { 0 };
	FILE *f = fopen(path, "rb");
	const size_t n = f ? fread(first, 1, sizeof(first), f) : 0;

	if (f)
		fclose(f);
	return !f || (n == sizeof(first) && memcmp(first, "\177ELF", 4) == 0);
}

static uint64_t bytes_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Messages by type, as the parameters have them. */
static void show_messages(struct report *r, const char *path, const struct hs_trace_params *params)
{
	const struct hs_source_options o = { .size = sizeof(o), .path = path, .params = params,
		                             .no_code = true };
	struct hs_source *source;
	struct hs_message m;
	uint64_t messages = 0, damaged = 0;
	enum hs_status s = hs_source_open(&o, &source, NULL);

	if (s != HS_OK)
		return;
	while (s != HS_END) {
		s = hs_source_message(source, &m, NULL);
		messages += s == HS_OK;
		damaged += s != HS_OK && s != HS_END;
	}
	hs_source_close(source);
	report_u64(r, "messages", "messages", messages);
	report_u64(r, "damaged", "damaged", damaged);
}

/* TRACE.json next to it says what it is.  False: there is none. */
static bool show_known(struct report *r, const char *path)
{
	struct hs_trace_params *params;
	struct hs_trace_info info;

	if (hs_trace_params_new(NULL, &params, NULL) != HS_OK)
		return false;
	if (hs_trace_params_read_beside(params, path, NULL) == HS_OK) {
		hs_trace_params_get_info(params, &info);
		if (info.recording || info.transport) {
			report_text(r, "parameters", "parameters", "TRACE.json next to it");
			report_text(r, "protocol", "protocol",
			            hs_trace_params_protocol(params)->name);
			report_text(r, "transport", "transport",
			            info.transport ? info.transport : "raw");
			report_text(r, "recording", "made from",
			            info.recording ? info.recording : "");
			show_messages(r, path, params);
			hs_trace_params_free(params);
			return true;
		}
	}
	hs_trace_params_free(params);
	return false;
}

static void show_form(struct report *r, const struct hs_identified *f)
{
	report_text(r, "parameters", "parameters", "found by its form");
	report_text(r, "protocol", "protocol", f->protocol);
	report_text(r, "transport", "transport", f->transport);
	report_text(r, "settings", "settings", *f->settings || r->json ? f->settings : "defaults");
	report_u64(r, "messages", "messages", f->messages);
	report_real(r, "explained", "readable",
	            f->bytes ? 100.0 * (double)f->explained / (double)f->bytes : 0, "%");
}

int info_capture(const char *path, bool json)
{
	const struct hs_identify_options o = { .size = sizeof(o), .path = path };
	struct hs_error e = { .status = HS_OK };
	struct hs_identity *id;
	struct report r;

	if (hs_identify(&o, &id, &e) != HS_OK)
		return fail(&e);
	const struct hs_identified *f = hs_identity_get(id, 0);

	report_begin(&r, stdout, json);
	report_text(&r, "kind", "kind", "capture");
	report_u64(&r, "bytes", "bytes", bytes_of(path));
	const bool known = show_known(&r, path);

	if (!known && f)
		show_form(&r, f);
	report_end(&r);
	const bool nothing = !known && !f;

	hs_identity_free(id);
	if (!nothing)
		return EXIT_GOOD;
	complain("%s: neither a program, a recording or a perf.data, nor a capture by its form; with "
	         "the program 'hartscope identify --elf FILE' looks further", path);
	hint_of_kind(path);
	return EXIT_DAMAGED;
}
