/* The parameters of a trace: what its encoder says of itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/trace_params.h>

#include "trace/params.h"
#include "trace/params_private.h"
#include "trace/trace.h"

#define WORDS_LIMIT 8

enum hs_status params_set_discovery_text(struct hs_trace_params *p, const char *text,
                                         struct hs_error *error)
{
	uint32_t words[WORDS_LIMIT];
	size_t n = 0;
	char *end;

	for (; *text && n < WORDS_LIMIT; text = end + strspn(end, ", ")) {
		const uint64_t word = strtoull(text, &end, 0);

		if (*text < '0' || *text > '9' || (*end && !strchr(", ", *end)) ||
		    word > UINT32_MAX)
			break;
		words[n++] = (uint32_t)word;
	}
	if (*text)
		return hs_error_set(error, HS_E_CONFIG,
		                    "discovery needs words of 32 bits, not '%.40s'", text);
	return hs_trace_params_set_discovery(p, words, n, error);
}

enum hs_status hs_trace_params_set_discovery(struct hs_trace_params *p, const uint32_t *words,
                                             size_t count, struct hs_error *error)
{
	enum hs_status status = HS_E_UNSUPPORTED;

	p->plain = false;
	p->width_decided = true;
	p->described = true;
	if (p->protocol->codec->take_discovery)
		status = p->protocol->codec->take_discovery(p->config, words, count);
	return status == HS_OK ? status
	                       : hs_error_set(error, status, "%s: discovery: %s", p->protocol->name,
	                                      hs_status_text(status));
}

enum hs_status params_set_info(struct hs_trace_params *p, const struct hs_registers *r,
                               const char *where, struct hs_error *error)
{
	const uint64_t *info = r->discovery;
	const uint32_t words[] = { (uint32_t)info[0], (uint32_t)(info[0] >> 32), (uint32_t)info[1],
		                   (uint32_t)(info[1] >> 32) };
	struct hs_error why = { 0 };

	if (!r->discovery_known)
		return HS_OK;
	if (r->discovery_known != 3)
		return hs_error_set(error, HS_E_CONFIG,
		                    "%sdiscovery_info_%u is missing: both say what an encoder is",
		                    where, r->discovery_known & 1);
	const enum hs_status status = hs_trace_params_set_discovery(p, words, 4, &why);

	return status == HS_OK ? status : hs_error_set(error, status, "%s%.400s", where, why.text);
}

/* ---- a trace that says what it is ---------------------------------------------- */

/* Was nothing said of the trace? */
static bool is_unknown(const struct hs_trace_params *p)
{
	for (unsigned i = 0; i < p->protocol->param_count; i++)
		if (p->given[i])
			return false;
	return !p->described && !p->registers && !p->width_decided;
}

bool hs_trace_params_recognise(struct hs_trace_params *p, const struct hs_span *bytes)
{
	const struct hs_protocol *to;
	struct hs_discovered d;
	struct hs_error e;
	void *config = NULL;
	bool found = false;

	for (unsigned i = 0; is_unknown(p) && !found && (to = hs_protocol_at(i)); i++) {
		if (!to->codec->find_discovery || (p->protocol_given && to != p->protocol))
			continue;
		free(config);
		config = malloc(to->config_size);
		if (!config)
			break;
		hs_protocol_defaults(to, config);
		found = to->codec->find_discovery(config, bytes, CODEC_KNOWN_NOTHING, &d) &&
		        (!d.count ||
		         to->codec->take_discovery(config, d.words, d.count) == HS_OK) &&
		        params_start(p, to->name, &e) == HS_OK;
	}
	if (found) {
		memcpy(p->config, config, p->protocol->config_size);
		p->plain = false;
		for (unsigned i = 0; p->protocol->leading[i]; i++)
			params_note_given(p, p->protocol->leading[i]);
	}
	free(config);
	return found;
}

/* ---- from the trace itself ---------------------------------------------------- */

/* One parameter of both, as text. */
struct contradiction {
	char given[64], found[64];
};

/* Set parameter @i back to what was given. @return  Did it differ? */
static bool keep_given(struct hs_trace_params *p, const void *before, unsigned i,
                       struct contradiction *c)
{
	const struct hs_param *param = &p->protocol->params[i];
	const uint64_t given = hs_protocol_get(p->protocol, before, i),
		       found = hs_protocol_get(p->protocol, p->config, i);

	if (!p->given[i] || given == found)
		return false;
	hs_protocol_value_text(param, given, c->given, sizeof(c->given));
	hs_protocol_value_text(param, found, c->found, sizeof(c->found));
	return hs_protocol_set(p->protocol, p->config, param->name, c->given, NULL) == HS_OK;
}

static void keep_all_given(struct hs_trace_params *p, const void *before, struct hs_error *note)
{
	char list[400] = "";
	struct contradiction c;

	for (unsigned i = 0; i < p->protocol->param_count; i++) {
		const size_t n = strlen(list);

		if (keep_given(p, before, i, &c))
			snprintf(list + n, sizeof(list) - n,
			         "%s%s is %s as given, the trace says %s", n ? "; " : "",
			         p->protocol->params[i].name, c.given, c.found);
	}
	if (*list)
		hs_error_set(note, HS_E_CONFIG, "%s", list);
}

enum hs_status hs_trace_params_add_discovery(struct hs_trace_params *p, const uint32_t *words,
                                             size_t count, struct hs_error *note)
{
	const size_t size = p->protocol->config_size;
	void *before = malloc(size);

	if (!before)
		return HS_E_MEMORY;
	memcpy(before, p->config, size);
	if (hs_trace_params_set_discovery(p, words, count, note) == HS_OK)
		keep_all_given(p, before, note);
	if (p->protocol->codec->check(p->config, CODEC_CHECK_ALL, NULL) != HS_OK) {
		memcpy(p->config, before, size);
		hs_error_set(note, HS_E_CONFIG,
		             "what the trace says of its encoder contradicts "
		             "the parameters that were given: it is not used");
	}
	free(before);
	return HS_OK;
}
