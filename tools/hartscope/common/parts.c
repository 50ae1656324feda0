/* --source: the sources of a trace, each with an encoder of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"

#define WORDS_MAX 32

/* What the words of one --source mean. */
struct part_words {
	struct hs_trace_params_options params;
	const char *configs[WORDS_MAX];
	struct hs_setting settings[WORDS_MAX];
	bool given; /* there are parameters */
};

/* An ID of a frame. */
static bool take_id(const char *text, uint8_t *id)
{
	char *end;

	errno = 0;
	const unsigned long v = strtoul(text, &end, 0);

	if (*text < '0' || *text > '9' || *end || errno || v == 0 || v > HS_FRAME_SOURCE_MAX)
		return false;
	*id = (uint8_t)v;
	return true;
}

bool part_of_output(const char *text, uint8_t *id, const char **path)
{
	const char *equals = strchr(text, '=');
	char number[80];
	const size_t n = equals ? (size_t)(equals - text) : 0;

	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	*path = equals ? equals + 1 : text;
	if (n < sizeof(number) && equals && equals[1] && take_id(number, id))
		return true;
	complain("encode needs --source ID=TRACE, with an ID from 1 to 0x%x, not '%s'",
	         HS_FRAME_SOURCE_MAX, text);
	return false;
}

/* A protocol, a file of parameters, NAME=VALUE, registers=FILE, or hart=N. */
static bool take_word(struct part_words *w, char *word, uint32_t *hart)
{
	char *equals = strchr(word, '='), *end;
	const bool full = w->params.config_count == WORDS_MAX ||
	                  w->params.setting_count == WORDS_MAX;

	if (strncmp(word, "hart=", 5) == 0) {
		*hart = (uint32_t)strtoul(word + 5, &end, 0);
		return word[5] && !*end;
	}
	w->given = true;
	if (strncmp(word, "registers=", 10) == 0) {
		w->params.registers = word + 10;
		return word[10] != '\0';
	}
	if (full)
		return false;
	if (equals) {
		*equals = '\0';
		w->settings[w->params.setting_count++] = (struct hs_setting){ word, equals + 1 };
	} else if (hs_protocol_find(word)) {
		w->params.protocol = word;
	} else {
		w->configs[w->params.config_count++] = word;
	}
	return true;
}

/* WHICH[=WORD[,WORD]...] */
static enum hs_status take_part(char *text, struct hs_source_part *part,
                                struct hs_trace_params **params, struct hs_error *e)
{
	struct part_words w = { .params = { .size = sizeof(w.params) } };
	char *words = strchr(text, '='), *save = NULL;
	uint32_t hart = part->hart;

	w.params.configs = w.configs;
	w.params.settings = w.settings;
	if (words)
		*words++ = '\0';
	if (!take_id(text, &part->id))
		part->path = text;
	for (char *word = words ? strtok_r(words, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save))
		if (!take_word(&w, word, &hart))
			return hs_error_set(e, HS_E_CONFIG, "--source %s: '%s' is not understood",
			                    text, word);
	part->hart = hart;
	if (!w.given)
		return HS_OK;
	const enum hs_status s = hs_trace_params_open(&w.params, params, e);

	part->params = *params;
	return s;
}

enum hs_status parts_take(const char *const *words, size_t count, bool framed, struct parts *p,
                          struct hs_error *e)
{
	enum hs_status s = HS_OK;

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < count && s == HS_OK; i++) {
		char *text = p->text[i] = strdup(words[i]);

		p->list[i].hart = (uint32_t)(i + !framed);
		p->count++;
		s = text ? take_part(text, &p->list[i], &p->params[i], e)
		         : hs_error_set(e, HS_E_MEMORY, "out of memory");
	}
	return s;
}

enum hs_status parts_open(const struct options *o, struct parts *p, struct hs_error *e)
{
	return parts_take(o->parts.at, o->parts.count, hs_transport_frames(o->capture.transport), p,
	                  e);
}

void parts_close(struct parts *p)
{
	for (size_t i = 0; i < p->count; i++) {
		hs_trace_params_free(p->params[i]);
		free(p->text[i]);
	}
}
