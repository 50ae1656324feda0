/* Sources: the parameters of a trace, from TRACE.json, --config and --set. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/registers.h>

#include "recording/processes.h"
#include "source/private.h"

static char *join(const char *a, const char *b, const char *c)
{
	const size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = malloc(n);

	if (text)
		snprintf(text, n, "%s%s%s", a, b, c);
	return text;
}

/* The folder of a path with its slash, or "". */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
}

static enum hs_status set_one(struct hs_source *s, const char *file, const char *name,
                              const json_t *value, struct hs_error *error)
{
	char text[32];
	struct hs_error why = { 0 };
	const char *v = json_string_value(value);

	if (json_is_integer(value)) {
		snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
		v = text;
	}
	if (!v)
		return hs_error_set(error, HS_E_FORMAT, "%s: %s is neither a number nor a string", file,
		                    name);
	const enum hs_status status = hs_protocol_set(s->protocol, s->config, name, v, &why);

	return status == HS_OK ? status : hs_error_set(error, status, "%s: %.400s", file, why.text);
}

static enum hs_status take_protocol(struct hs_source *s, const char *name, struct hs_error *error)
{
	if (!name)
		name = "ntrace";
	free(s->config);
	s->config = NULL;
	s->protocol = hs_protocol_find(name);
	if (!s->protocol)
		return hs_error_set(error, HS_E_CONFIG, "no protocol '%.40s'; there are: ntrace, etrace", name);
	s->config = calloc(1, s->protocol->config_size);
	if (!s->config)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	s->protocol->config_init(s->config);
	return HS_OK;
}

/* Is it in a list that ends with NULL, and may be NULL? */
static bool listed(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

/* Settings that others depend on come before everything else, wherever they stand. */
static enum hs_status lead(struct hs_source *s, const struct hs_source_options *o, struct hs_error *error)
{
	enum hs_status status = HS_OK;
	bool any = false;

	for (size_t i = 0; i < o->setting_count && status == HS_OK; i++)
		if (listed(s->protocol->leading, o->settings[i].name)) {
			status = hs_protocol_set(s->protocol, s->config, o->settings[i].name,
			                         o->settings[i].value, error);
			any = true;
		}
	if (any && status == HS_OK)
		s->protocol->config_follow(s->config);
	return status;
}

static enum hs_status start_protocol(struct hs_source *s, const struct hs_source_options *o,
                                     struct hs_error *error)
{
	const enum hs_status status = take_protocol(s, o->protocol, error);

	return status == HS_OK ? lead(s, o, error) : status;
}

/* The recording that a file names is relative to the file's folder. */
static enum hs_status take_recording(struct hs_source *s, const char *file, const char *name,
                                     struct hs_error *error)
{
	char *folder = name[0] == '/' ? strdup("") : folder_of(file);

	if (folder)
		s->recording = join(folder, name, "");
	free(folder);
	return s->recording ? HS_OK : hs_error_set(error, HS_E_MEMORY, "out of memory");
}

/* How the bytes came. */
static enum hs_status take_transport(struct hs_source *s, const json_t *root, struct hs_error *error)
{
	const struct {
		const char *key;
		char **to;
	} words[] = {
		{ "transport", &s->transport },
		{ "vcd_clock", &s->vcd_clock },
		{ "vcd_data", &s->vcd_data },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *text = json_string_value(json_object_get(root, words[i].key));

		if (!text)
			continue;
		*words[i].to = strdup(text);
		if (!*words[i].to)
			return hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	return HS_OK;
}

/* The programs of contexts; their paths are relative to the file's folder. */
static enum hs_status take_processes(struct hs_source *s, const char *file, const json_t *root,
                                     struct hs_error *error)
{
	struct hs_rec_process *p;
	size_t n;
	enum hs_status status = rec_processes_read(json_object_get(root, "processes"), &p, &n);

	for (size_t i = 0; i < n && status == HS_OK; i++) {
		char *folder = p[i].path[0] == '/' ? strdup("") : folder_of(file);
		char *path = folder ? join(folder, p[i].path, "") : NULL;

		status = path ? source_name_process(s, &(struct hs_rec_process){ p[i].context,
		                                    p[i].bias, path }) : HS_E_MEMORY;
		free(folder);
		free(path);
	}
	free(p);
	return status == HS_OK ? status : hs_error_set(error, status, "%s: processes: %s", file,
	                                               hs_status_text(status));
}

static enum hs_status take_json(struct hs_source *s, const struct hs_source_options *o,
                                const char *file, const json_t *root, struct hs_error *error)
{
	const char *protocol = json_string_value(json_object_get(root, "protocol"));
	const char *recording = json_string_value(json_object_get(root, "recording"));
	json_t *set = json_object_get(root, "set");
	const char *name;
	json_t *value;

	if (!json_is_object(root) || (set && !json_is_object(set)))
		return hs_error_set(error, HS_E_FORMAT, "%s: not the parameters of a trace", file);
	enum hs_status status = take_protocol(s, o->protocol ? o->protocol : protocol, error);

	if (status != HS_OK)
		return status;
	json_object_foreach (set, name, value) {
		status = set_one(s, file, name, value, error);
		if (status != HS_OK)
			return status;
	}
	status = take_transport(s, root, error);
	if (status == HS_OK)
		status = take_processes(s, file, root, error);
	return status == HS_OK && recording ? take_recording(s, file, recording, error) : status;
}

static enum hs_status read_json(struct hs_source *s, const struct hs_source_options *o,
                                const char *file, struct hs_error *error)
{
	json_error_t why;
	json_t *root = json_load_file(file, JSON_REJECT_DUPLICATES, &why);

	if (!root)
		return hs_error_set(error, access(file, R_OK) ? HS_E_SYSTEM : HS_E_FORMAT,
		                    "%s:%d: %s", file, why.line, why.text);
	const enum hs_status status = take_json(s, o, file, root, error);

	json_decref(root);
	return status;
}

/* ---- files of NAME = VALUE lines ------------------------------------------------ */

static char *trim(char *text)
{
	text += strspn(text, " \t\r\n");
	for (size_t n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

static enum hs_status take_line(struct hs_source *s, const char *file, unsigned number, char *line,
                                struct hs_error *error)
{
	struct hs_error why = { 0 };

	line[strcspn(line, "#;")] = '\0';
	char *name = trim(line), *equals = strchr(name, '=');

	if (!*name || *name == '[')
		return HS_OK;
	if (!equals)
		return hs_error_set(error, HS_E_CONFIG, "%s:%u: not NAME = VALUE: %.60s", file, number, name);
	*equals = '\0';
	name = trim(name);
	if (listed(s->protocol->ignored, name))
		return HS_OK;
	const enum hs_status status = hs_protocol_set(s->protocol, s->config, name, trim(equals + 1), &why);

	return status == HS_OK ? status
	                       : hs_error_set(error, status, "%s:%u: %.400s", file, number, why.text);
}

static enum hs_status read_lines(struct hs_source *s, FILE *f, const char *file, struct hs_error *error)
{
	enum hs_status status = HS_OK;
	unsigned number = 0;
	char *line = NULL;
	size_t room = 0;

	while (status == HS_OK && getline(&line, &room, f) >= 0)
		status = take_line(s, file, ++number, line, error);
	free(line);
	return status;
}

/* TRACE.json and its like begin with '{'; what else is a text file of NAME = VALUE lines. */
static bool is_json(FILE *f)
{
	int c;

	do
		c = getc(f);
	while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
	rewind(f);
	return c == '{' || c == EOF;
}

static enum hs_status read_config(struct hs_source *s, const struct hs_source_options *o, const char *file,
                                  struct hs_error *error)
{
	FILE *f = fopen(file, "re");
	enum hs_status status = HS_OK;

	if (!f)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", file, strerror(errno));
	if (is_json(f)) {
		fclose(f);
		return read_json(s, o, file, error);
	}
	if (!s->protocol)
		status = start_protocol(s, o, error);
	if (status == HS_OK)
		status = read_lines(s, f, file, error);
	fclose(f);
	return status;
}

static enum hs_status read_configs(struct hs_source *s, const struct hs_source_options *o,
                                   struct hs_error *error)
{
	enum hs_status status = read_config(s, o, o->config, error);

	for (size_t i = 0; i < o->more_count && status == HS_OK; i++)
		status = read_config(s, o, o->more_configs[i], error);
	return status;
}

static enum hs_status take_registers(struct hs_source *s, const char *path, struct hs_error *error)
{
	struct hs_registers r;
	enum hs_status status = hs_registers_read(path, &r, error);

	if (status != HS_OK)
		return status;
	status = s->protocol->config_registers(s->config, &r.dump.regs);
	if (status == HS_OK)
		return status;
	return hs_error_set(error, HS_E_CONFIG, "%s: these registers are not those of %s: see "
	                    "trTeFormat, trTeProtocolMajor, trTeInstMode and trTeSrcBits", path,
	                    s->protocol->name);
}

enum hs_status source_read_config(struct hs_source *s, const struct hs_source_options *o,
                                  struct hs_error *error)
{
	char *beside = join(o->path, ".json", "");
	enum hs_status status = HS_OK;

	if (!beside)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (o->config)
		status = read_configs(s, o, error);
	else if (strcmp(o->path, "-") != 0 && access(beside, F_OK) == 0)
		status = read_json(s, o, beside, error);
	else
		status = start_protocol(s, o, error);
	free(beside);
	if (status == HS_OK && o->registers)
		status = take_registers(s, o->registers, error);
	for (size_t i = 0; i < o->setting_count && status == HS_OK; i++)
		status = hs_protocol_set(s->protocol, s->config, o->settings[i].name,
		                         o->settings[i].value, error);
	if (status == HS_OK && s->protocol->config_check(s->config) != HS_OK)
		status = hs_error_set(error, HS_E_CONFIG,
		                      "%s: parameters out of range or contradicting each other",
		                      s->protocol->name);
	return status;
}

enum hs_status hs_trace_read_config(const struct hs_source_options *o,
                                    const struct hs_protocol **protocol, void **config,
                                    struct hs_error *error)
{
	struct hs_source s = { 0 };
	const enum hs_status status = source_read_config(&s, o, error);

	source_free_processes(&s);
	free(s.recording);
	free(s.transport);
	free(s.vcd_clock);
	free(s.vcd_data);
	if (status != HS_OK) {
		free(s.config);
		return status;
	}
	*protocol = s.protocol;
	*config = s.config;
	return HS_OK;
}

/* ---- writing ------------------------------------------------------------------ */

/* The way from a folder to a path, both without links. */
static char *relative(const char *folder, const char *path)
{
	size_t common = 0, ups = 0, at = 0;

	while (folder[at] && folder[at] == path[at])
		if (folder[at++] == '/')
			common = at;
	if (!folder[at] && path[at] == '/')
		common = at + 1;
	else if (!path[at] && folder[at] == '/' && at > common)
		common = at + 1; /* the path is a folder above */
	for (const char *p = folder + (common <= strlen(folder) ? common : strlen(folder)); *p;) {
		ups++;
		p += strcspn(p, "/");
		p += *p == '/';
	}
	const char *rest = common <= strlen(path) ? path + common : "";
	char *text = malloc(3 * ups + strlen(rest) + 2);

	if (!text)
		return NULL;
	*text = '\0';
	for (size_t i = 0; i < ups; i++)
		strcat(text, i + 1 == ups && !*rest ? ".." : "../");
	strcat(text, rest);
	return text;
}

static char *relative_recording(const char *trace, const char *recording)
{
	char *folder = folder_of(trace);
	char *from = folder ? realpath(*folder ? folder : ".", NULL) : NULL;
	char *to = realpath(recording, NULL);
	char *text = from && to ? relative(from, to) : NULL;

	free(folder);
	free(from);
	free(to);
	return text;
}

static json_t *config_json(const struct hs_protocol *p, const void *config)
{
	json_t *set = json_object();
	void *standard = calloc(1, p->config_size);

	if (standard)
		p->config_init(standard);
	for (unsigned i = 0; set && standard && i < p->param_count; i++) {
		const uint64_t v = hs_protocol_get(p, config, i);
		char text[32];

		if (v == hs_protocol_get(p, standard, i))
			continue;
		hs_protocol_value_text(&p->params[i], v, text, sizeof(text));
		json_object_set_new(set, p->params[i].name,
		                    strspn(text, "0123456789") == strlen(text) ? json_integer(v) : json_string(text));
	}
	free(standard);
	return set;
}

static bool dump_json(const json_t *root, const char *file)
{
	FILE *f = fopen(file, "we");

	if (!f)
		return false;
	const bool dumped = json_dumpf(root, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF;

	return fclose(f) == 0 && dumped;
}

enum hs_status hs_trace_write_config(const char *trace, const struct hs_protocol *p,
                                     const void *config, const char *recording,
                                     const char *transport, struct hs_error *error)
{
	char *file = join(trace, ".json", "");
	char *rel = recording ? relative_recording(trace, recording) : NULL;
	json_t *root = json_pack("{s:s, s:o}", "protocol", p->name, "set", config_json(p, config));
	enum hs_status status = HS_OK;

	if (root && rel)
		json_object_set_new(root, "recording", json_string(rel));
	if (root && transport)
		json_object_set_new(root, "transport", json_string(transport));
	if (!file || !root)
		status = hs_error_set(error, HS_E_MEMORY, "out of memory");
	else if (!dump_json(root, file))
		status = hs_error_set(error, HS_E_SYSTEM, "%s: %s", file, strerror(errno));
	json_decref(root);
	free(rel);
	free(file);
	return status;
}
