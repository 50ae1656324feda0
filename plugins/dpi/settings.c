/* Parameters of a model as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

static _Thread_local char last_error[sizeof(((struct hs_error *)0)->text)];

const char *hs_dpi_error(void)
{
	return last_error;
}

enum hs_status dpi_fail(const struct hs_error *e)
{
	snprintf(last_error, sizeof(last_error), "%s", e->text);
	return e->status;
}

/* Members of the port and the queue by name. */
static const struct member {
	const char *name;
	size_t offset, width;
} members[] = {
#define HS_PORT_PARAM(name, member) \
	{ "port." name, offsetof(struct settings, port.member), \
	  sizeof(((struct hs_port_config *)0)->member) },
#include "ingress/port_params.def"
#undef HS_PORT_PARAM
	{ "queue.bytes", offsetof(struct settings, queue.bytes), 4 },
	{ "queue.drain_bits", offsetof(struct settings, queue.drain_bits), 4 },
	{ "queue.drain_cycles", offsetof(struct settings, queue.drain_cycles), 4 },
};

static enum hs_status set_member(struct settings *s, const struct member *m, const char *value,
                                 struct hs_error *e)
{
	const bool block = strcmp(value, "block") == 0;
	const bool form = m->offset == offsetof(struct settings, port.form) &&
	                  (block || strcmp(value, "insn") == 0);
	char *end;
	const uint64_t number = strtoull(value, &end, 0);
	const uint64_t v = form ? (block ? HS_PORT_BLOCK : HS_PORT_INSN) : number;

	if (!form && (*end || end == value || number >> 8 * m->width))
		return hs_error_set(e, HS_E_CONFIG, "%s=%s: not a number that it can be", m->name,
		                    value);
	const size_t last = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(v) - m->width : 0;

	memcpy((char *)s + m->offset, (const char *)&v + last, m->width);
	return HS_OK;
}

/* elf=PATH, bin=PATH@ADDRESS */
static enum hs_status add_code(struct settings *s, bool elf, char *path, struct hs_error *e)
{
	char *address = elf ? NULL : strrchr(path, '@');

	if (!elf && !address)
		return hs_error_set(e, HS_E_CONFIG, "bin=%s: not PATH@ADDRESS", path);
	if (!s->program && hs_program_new(&s->program) != HS_OK)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	if (elf)
		return hs_program_add_elf(s->program, path, 0, e);
	*address++ = 0;
	return hs_program_add_raw(s->program, path, strtoull(address, NULL, 0), e);
}

static enum hs_status set_one(struct settings *s, char *word, struct hs_error *e)
{
	char *value = strchr(word, '=');

	if (!value)
		return hs_error_set(e, HS_E_CONFIG, "'%s' is not NAME=VALUE", word);
	*value++ = 0;
	if (strcmp(word, "elf") == 0 || strcmp(word, "bin") == 0)
		return add_code(s, word[0] == 'e', value, e);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (strcmp(word, members[i].name) == 0)
			return set_member(s, &members[i], value, e);
	if (strncmp(word, "port.", 5) == 0 || strncmp(word, "queue.", 6) == 0)
		return hs_error_set(e, HS_E_CONFIG, "%s: there is no such parameter", word);
	if (!s->params)
		return hs_error_set(e, HS_E_CONFIG, "%s: a port has no such parameter", word);
	return hs_trace_params_set(s->params, word, value, e);
}

static enum hs_status read_all(struct settings *s, const char *protocol, char *words,
                               struct hs_error *e)
{
	enum hs_status status = HS_OK;
	char *rest = words;

	if (*protocol)
		status = hs_trace_params_new(protocol, &s->params, e);
	for (char *word; status == HS_OK && (word = strtok_r(rest, " \t\n", &rest));)
		status = set_one(s, word, e);
	if (status == HS_OK && s->params)
		status = hs_trace_params_check(s->params, e);
	if (status == HS_OK && hs_port_config_resolve(&s->port, &s->port) != HS_OK)
		status = hs_error_set(e, HS_E_CONFIG, "a width of the port is out of its range");
	return status;
}

bool settings_read(struct settings *s, const char *protocol, const char *parameters)
{
	char *words = strdup(parameters ? parameters : "");
	struct hs_error e = { HS_E_MEMORY, "out of memory" };
	enum hs_status status = HS_E_MEMORY;

	memset(s, 0, sizeof(*s));
	s->port.size = sizeof(s->port);
	s->queue.size = sizeof(s->queue);
	if (words)
		status = read_all(s, protocol ? protocol : "", words, &e);
	free(words);
	if (status == HS_OK)
		return true;
	dpi_fail(&e);
	settings_free(s);
	return false;
}

void settings_free(struct settings *s)
{
	hs_trace_params_free(s->params);
	hs_program_free(s->program);
	memset(s, 0, sizeof(*s));
}

const struct hs_image *settings_image(const struct settings *s)
{
	return s->program ? hs_program_image(s->program) : NULL;
}
