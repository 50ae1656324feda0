/* The parameters of a trace: files of NAME = VALUE lines. */
#include <stdio.h>
#include <stdlib.h>
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

/* A parameter of ".packet." by our name, and what its value is multiplied by. */
static const struct packet_name {
	const char *theirs, *ours;
	unsigned times;
} packet_names[] = {
	{ "srcid_bytes_p", "trTeSrcBits", 8 },
	{ "tstamp_bytes_p", "trTsWidth", 1 },
	{ "type_width_p", "layout.type_bits", 1 },
};

#define ROW_ROOM 128

static bool is_name(const char *from, const char *end, const char *name)
{
	const size_t n = (size_t)(end - from);

	return strlen(name) == n && memcmp(from, name, n) == 0;
}

/* Names whose 0 is a value; that of others is the default, or what the encoder lacks. */
static bool means_zero(const char *name, const char *end)
{
	static const char *const names[] = { "iaddress_lsb_p", "nocontext_p", "notime_p" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_name(name, end, names[i]))
			return true;
	return false;
}

/* A row ".itrace.NAME,VALUE" or ".packet.NAME,VALUE", as QEMU's model of a trace encoder writes what
 * it has, as NAME=VALUE.  Empty: nothing is to be set. */
static void take_row(const char *row, char out[ROW_ROOM])
{
	const char *comma = strchr(row, ',');
	const char *name = comma ? memchr(row + 1, '.', (size_t)(comma - row) - 1) : NULL;
	const bool packet = strncmp(row, ".packet.", 8) == 0;
	unsigned long value = 0;

	*out = '\0';
	if (!name)
		return;
	name++;
	value = strtoul(comma + 1, NULL, 0);
	for (size_t i = 0; packet && i < sizeof(packet_names) / sizeof(*packet_names); i++)
		if (is_name(name, comma, packet_names[i].theirs))
			snprintf(out, ROW_ROOM, "%s=%lu", packet_names[i].ours,
			         value * packet_names[i].times);
	if (!packet && (value || means_zero(name, comma)))
		snprintf(out, ROW_ROOM, "%.*s=%s", (int)(comma - name), name, comma + 1);
}

/* Take NAME and VALUE out of a line.  HS_END: it has none. */
static enum hs_status split_line(const struct hs_trace_params *p, char *line, char row[ROW_ROOM],
                                 const char **name, const char **value)
{
	line[strcspn(line, "#;")] = '\0';
	char *text = trim(line);

	if (*text == '.' && strchr(text, ',')) {
		take_row(text, row);
		text = row;
	}
	char *equals = strchr(text, '=');

	*name = text;
	if (!*text || *text == '[')
		return HS_END;
	if (!equals)
		return HS_E_CONFIG;
	*equals = '\0';
	*name = trim(text);
	*value = trim(equals + 1);
	return params_listed(p->protocol->ignored, *name) ? HS_END : HS_OK;
}

/* @leading: only if it is such a parameter; the turn of others, and of errors, comes later. */
static enum hs_status set_line(struct hs_trace_params *p, const char *file, unsigned number,
                               char *line, bool leading, struct hs_error *error)
{
	struct hs_error why = { 0 };
	const char *name, *value;
	char row[ROW_ROOM];
	enum hs_status status = split_line(p, line, row, &name, &value);

	if (leading && (status != HS_OK || !params_listed(p->protocol->leading, name)))
		return HS_OK;
	if (status == HS_E_CONFIG)
		return hs_error_set(error, status, "%s:%u: not NAME = VALUE: %.60s", file, number,
		                    name);
	if (status == HS_OK)
		status = hs_trace_params_set(p, name, value, &why);
	return status == HS_OK || status == HS_END
	               ? HS_OK
	               : hs_error_set(error, status, "%s:%u: %.400s", file, number, why.text);
}

static enum hs_status set_lines(struct hs_trace_params *p, const char *text, size_t n,
                                const char *file, bool leading, struct hs_error *error)
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
		status = set_line(p, file, number, line, leading, error);
		text += length + (newline != NULL);
		n -= length + (newline != NULL);
	}
	return status;
}

enum hs_status params_read_lines(struct hs_trace_params *p, const char *text, size_t n,
                                 const char *file, struct hs_error *error)
{
	enum hs_status status = HS_OK;

	if (p->plain)
		status = set_lines(p, text, n, file, true, error);
	p->plain = false;
	return status == HS_OK ? set_lines(p, text, n, file, false, error) : status;
}
