/* The table of protocols, and parameters by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "support/nearest.h"
#include "trace/trace.h"

#define SOURCE_BITS 12u /* of one stream, at most */

static const struct hs_protocol *const protocols[] = { &protocol_ntrace, &protocol_etrace,
	                                               &protocol_tacit };

const struct hs_protocol *hs_protocol_at(unsigned index)
{
	return index < sizeof(protocols) / sizeof(*protocols) ? protocols[index] : NULL;
}

const struct hs_protocol *hs_protocol_find(const char *name)
{
	for (unsigned i = 0; hs_protocol_at(i); i++)
		if (strcmp(protocols[i]->name, name) == 0)
			return protocols[i];
	return NULL;
}

/* One word of "btm=3 htm=6" and its value. */
struct word {
	const char *text;
	size_t length;
	uint32_t value;
};

/* Read the word at *at and move *at to the next one; false at the end. */
static bool next_word(const char **at, struct word *w)
{
	const char *equals = *at ? strchr(*at, '=') : NULL;
	char *end;

	if (!equals)
		return false;
	w->text = *at;
	w->length = (size_t)(equals - *at);
	w->value = (uint32_t)strtoul(equals + 1, &end, 10);
	*at = end + strspn(end, " ");
	return true;
}

static bool find_word(const struct hs_param *param, const char *text, size_t n, uint64_t *value)
{
	const char *at = param->words;
	struct word w;

	while (next_word(&at, &w))
		if (n == w.length && strncmp(text, w.text, n) == 0) {
			*value = w.value;
			return true;
		}
	return false;
}

/* Words separated by commas.  The first is in the lowest bits. */
static bool read_list(const struct hs_param *param, const char *text, uint64_t *value)
{
	uint64_t one;

	*value = 0;
	for (unsigned shift = 0; shift < 64; shift += param->list) {
		const size_t n = strcspn(text, ",");

		if (!find_word(param, text, n, &one))
			return false;
		*value |= one << shift;
		if (!text[n])
			return true;
		text += n + 1;
		text += strspn(text, " ");
	}
	return false;
}

static bool read_value(const struct hs_param *param, const char *text, uint64_t *value)
{
	if (param->list)
		return read_list(param, text, value);
	if (find_word(param, text, strlen(text), value))
		return true;
	if (*text < '0' || *text > '9')
		return false;
	return hs_text_number(text, 1000, value) == HS_OK && *value <= param->max;
}

/* Append the parameter's word for a value.  @return Has it one? */
static bool add_word(const struct hs_param *param, uint64_t value, char *text, size_t size)
{
	const char *at = param->words;
	const size_t used = strlen(text);
	struct word w;

	while (next_word(&at, &w))
		if (w.value == value) {
			snprintf(text + used, size - used, "%.*s", (int)w.length, w.text);
			return true;
		}
	return false;
}

static void list_text(const struct hs_param *param, uint64_t value, char *text, size_t size)
{
	for (; value; value >>= param->list) {
		add_word(param, value & (((uint64_t)1 << param->list) - 1), text, size);
		if (value >> param->list && strlen(text) + 1 < size)
			strcat(text, ",");
	}
}

void hs_protocol_value_text(const struct hs_param *param, uint64_t value, char *text, size_t size)
{
	*text = '\0';
	if (param->list)
		list_text(param, value, text, size);
	else if (!add_word(param, value, text, size))
		snprintf(text, size, param->width == 8 ? "0x%llx" : "%llu",
		         (unsigned long long)value);
}

/* A protocol that has such a parameter. */
static const struct hs_protocol *other_with(const char *name)
{
	for (unsigned i = 0; hs_protocol_at(i); i++)
		for (unsigned k = 0; k < protocols[i]->param_count; k++)
			if (strcmp(protocols[i]->params[k].name, name) == 0)
				return protocols[i];
	return NULL;
}

static enum hs_status unknown_name(const struct hs_protocol *p, const char *name,
                                   struct hs_error *error)
{
	const struct hs_protocol *other = other_with(name);
	struct support_nearest nearest = { { NULL }, { 0 } };
	char names[400] = "";

	if (other)
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s has no parameter '%.40s', but %s has: --protocol %s",
		                    p->name, name, other->name, other->name);
	for (unsigned i = 0; i < p->param_count; i++)
		support_nearest_add(&nearest, name, p->params[i].name);
	support_nearest_text(&nearest, names, sizeof(names));
	return hs_error_set(error, HS_E_CONFIG, "%s has no parameter '%.40s'%s", p->name, name,
	                    names);
}

static enum hs_status bad_value(const struct hs_param *param, const char *value,
                                struct hs_error *error)
{
	if (param->list)
		return hs_error_set(error, HS_E_CONFIG, "'%.40s' is no value of %s: a list of %s",
		                    value, param->name, param->words);
	return hs_error_set(error, HS_E_CONFIG, "'%.40s' is no value of %s: 0 to %llu%s%s", value,
	                    param->name, (unsigned long long)param->max,
	                    param->words ? ", or " : "", param->words ? param->words : "");
}

void protocol_put_number(const struct hs_param *param, void *config, uint64_t number)
{
	uint8_t *at = (uint8_t *)config + param->offset;

	if (param->width == 1)
		*at = (uint8_t)number;
	else if (param->width == 2)
		memcpy(at, &(uint16_t){ (uint16_t)number }, 2);
	else if (param->width == 4)
		memcpy(at, &(uint32_t){ (uint32_t)number }, 4);
	else
		memcpy(at, &number, 8);
}

unsigned hs_protocol_param(const struct hs_protocol *p, const char *name)
{
	unsigned i = 0;

	while (i < p->param_count && strcmp(p->params[i].name, name) != 0)
		i++;
	return i;
}

uint64_t hs_protocol_number(const struct hs_protocol *p, const void *config, const char *name)
{
	const unsigned i = hs_protocol_param(p, name);

	return i < p->param_count ? hs_protocol_get(p, config, i) : 0;
}

enum hs_status hs_protocol_set(const struct hs_protocol *p, void *config, const char *name,
                               const char *value, struct hs_error *error)
{
	const unsigned i = hs_protocol_param(p, name);
	uint64_t number;

	if (i == p->param_count)
		return unknown_name(p, name, error);
	if (!read_value(&p->params[i], value, &number))
		return bad_value(&p->params[i], value, error);
	protocol_put_number(&p->params[i], config, number);
	return HS_OK;
}

uint64_t hs_protocol_get(const struct hs_protocol *p, const void *config, unsigned index)
{
	if (index >= p->param_count)
		return 0;
	const struct hs_param *param = &p->params[index];
	const uint8_t *at = (const uint8_t *)config + param->offset;
	uint16_t half;
	uint32_t word;
	uint64_t wide;

	switch (param->width) {
	case 1:
		return *at;
	case 2:
		memcpy(&half, at, 2);
		return half;
	case 4:
		memcpy(&word, at, 4);
		return word;
	default:
		memcpy(&wide, at, 8);
		return wide;
	}
}

/* ---- parameters that each protocol has -------------------------------------------- */

/* 0 where the protocol has no such parameter. */
static uint64_t number_of(const struct hs_protocol *p, const void *config, const char *name)
{
	const unsigned i = hs_protocol_param(p, name);

	return i < p->param_count ? hs_protocol_get(p, config, i) : 0;
}

static void set_number(const struct hs_protocol *p, void *config, const char *name, uint64_t value)
{
	protocol_put_number(&p->params[hs_protocol_param(p, name)], config, value);
}

static bool has_param(const struct hs_protocol *p, const char *name)
{
	return hs_protocol_param(p, name) < p->param_count;
}

enum hs_status hs_protocol_set_sources(const struct hs_protocol *p, void *config, uint32_t sources)
{
	const uint64_t given = number_of(p, config, "trTeSrcBits");
	unsigned bits = 0;

	while (bits < SOURCE_BITS && sources > 1u << bits)
		bits++;
	if (sources > 1u << bits || (given && given < bits) ||
	    (sources > 1 && number_of(p, config, "trTeInhibitSrc")))
		return HS_E_CONFIG;
	if (!has_param(p, "trTeSrcBits")) /* its messages name no source */
		return sources > 1 ? HS_E_CONFIG : p->codec->check(config, CODEC_CHECK_ALL, NULL);
	if (!given)
		set_number(p, config, "trTeSrcBits", bits);
	return p->codec->check(config, CODEC_CHECK_ALL, NULL);
}

void hs_protocol_set_hart(const struct hs_protocol *p, void *config, uint32_t hart)
{
	if (has_param(p, "trTeSrcID"))
		set_number(p, config, "trTeSrcID", hart);
}

void protocol_set_width(const struct hs_protocol *p, void *config, const struct hs_isa *isa)
{
	if (p->codec->narrow_address && isa->xlen == 32)
		set_number(p, config, p->codec->narrow_address, 32);
}

/* ---- counts ------------------------------------------------------------------------ */

unsigned hs_message_counts_add(struct hs_message_count *sum, unsigned n, unsigned cap,
                               const struct hs_message_count *v, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned at = 0;

		while (at < n &&
		       (sum[at].number < v[i].number ||
		        (sum[at].number == v[i].number && strcmp(sum[at].name, v[i].name) != 0)))
			at++;
		const bool known = at < n && sum[at].number == v[i].number;

		if (known) {
			sum[at].messages += v[i].messages;
			sum[at].bytes += v[i].bytes;
		} else if (n < cap) {
			memmove(&sum[at + 1], &sum[at], (n++ - at) * sizeof(*sum));
			sum[at] = v[i];
		}
	}
	return n;
}
