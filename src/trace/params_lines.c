/* The parameters of a trace: files of NAME = VALUE lines. */
#include <string.h>

#include "trace/params_private.h"
#include "trace/trace.h"

#define LINE_ROOM 4096

static char *trim(char *text)
{
	text += strspn(text, " \t\r\n");
	for (size_t n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

static enum hs_status set_line(struct hs_trace_params *p, const char *file, unsigned number,
                               char *line, struct hs_error *error)
{
	struct hs_error why = { 0 };

	line[strcspn(line, "#;")] = '\0';
	char *name = trim(line), *equals = strchr(name, '=');

	if (!*name || *name == '[')
		return HS_OK;
	if (!equals)
		return hs_error_set(error, HS_E_CONFIG, "%s:%u: not NAME = VALUE: %.60s", file,
		                    number, name);
	*equals = '\0';
	name = trim(name);
	if (params_listed(p->protocol->ignored, name))
		return HS_OK;
	const char *value = trim(equals + 1);

	params_note_given(p, name);
	const enum hs_status status =
		strcmp(name, "discovery") == 0
			? params_set_discovery_text(p, value, &why)
			: hs_protocol_set(p->protocol, p->config, name, value, &why);

	return status == HS_OK
	               ? status
	               : hs_error_set(error, status, "%s:%u: %.400s", file, number, why.text);
}

enum hs_status params_read_lines(struct hs_trace_params *p, const char *text, size_t n,
                                 const char *file, struct hs_error *error)
{
	enum hs_status status = HS_OK;
	char line[LINE_ROOM];

	for (unsigned number = 1; n && status == HS_OK; number++) {
		const char *newline = memchr(text, '\n', n);
		const size_t length = newline ? (size_t)(newline - text) : n;

		if (length >= sizeof(line))
			return hs_error_set(error, HS_E_CONFIG, "%s:%u: longer than %d characters",
			                    file, number, LINE_ROOM - 1);
		memcpy(line, text, length);
		line[length] = '\0';
		status = set_line(p, file, number, line, error);
		text += length + (newline != NULL);
		n -= length + (newline != NULL);
	}
	return status;
}
