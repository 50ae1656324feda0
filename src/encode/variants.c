/* One recording under every variant of every protocol, in one pass.  Variants know nothing of each
 * other, and threads share them. */
#define _GNU_SOURCE /* strsep */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/private.h"
#include "source/source.h"
#include "support/pool.h"
#include "trace/trace.h"

#define VARIANT_SETTINGS 16

/* A variant, and its encoder for each hart. */
struct column {
	const struct hs_protocol *protocol;
	const struct hs_variant *variant;
	struct hs_trace_params *params;
	struct encode_feed feed;
	struct hs_encoder **encoders; /* by index of the hart, made when it first runs */
	uint64_t bytes;
	struct hs_error error; /* why it has no encoder */
};

struct hs_encode_variants {
	struct hs_source *source;
	struct column *columns;
	unsigned count;
	const uint32_t *harts;
	uint32_t hart_count, hart;    /* hart: index of the current one */
	uint8_t *out;                 /* ENCODE_ROOM bytes for each thread */
	struct hs_pool *pool;         /* each column is a strand */
	const struct hs_block *items; /* that are encoded now */
	size_t item_count;
	struct hs_error error; /* why the pass was stopped */
};

static bool count_bytes(void *column, const uint8_t *bytes, size_t n)
{
	(void)bytes;
	((struct column *)column)->bytes += n;
	return true;
}

/* ---- set-up --------------------------------------------------------------------- */

/* Add a variant's parameters after those of the caller, which they win over. */
static size_t add_settings(const struct hs_variant *v, char *words, size_t size,
                           struct hs_setting *to)
{
	char *rest = words;
	size_t n = 0;

	snprintf(words, size, "%s", v->settings);
	while (n < VARIANT_SETTINGS && rest) {
		char *word = strsep(&rest, " "), *equals = strchr(word, '=');

		if (!equals)
			continue;
		*equals = '\0';
		to[n++] = (struct hs_setting){ word, equals + 1 };
	}
	return n;
}

static enum hs_status configure(struct hs_encode_variants *v,
                                const struct hs_trace_params_options *params, struct column *col)
{
	struct hs_trace_params_options po = *params;
	const size_t n = po.setting_count;
	struct hs_setting *settings = calloc(n + VARIANT_SETTINGS, sizeof(*settings));
	char words[512];
	enum hs_status s;

	if (!settings)
		return encode_no_memory(&v->error);
	if (n)
		memcpy(settings, po.settings, n * sizeof(*settings));
	po.setting_count += add_settings(col->variant, words, sizeof(words), settings + n);
	po.settings = settings;
	po.protocol = col->protocol->name;
	s = encode_open_params(&po, &col->params, &v->error);
	free(settings);
	if (s != HS_OK)
		return s;
	hs_trace_params_set_default_sync(col->params);
	hs_trace_params_set_default_width(col->params, &hs_source_image(v->source)->isa);
	return HS_OK;
}

static enum hs_status add_column(struct hs_encode_variants *v,
                                 const struct hs_trace_params_options *params,
                                 const struct hs_protocol *p, const struct hs_variant *variant)
{
	struct column *col = &v->columns[v->count++];

	col->protocol = p;
	col->variant = variant;
	col->feed = (struct encode_feed){ .protocol = p,
		                          .image = hs_source_image(v->source),
		                          .out = v->out,
		                          .put = count_bytes,
		                          .to = col };
	const enum hs_status s = configure(v, params, col);

	if (s != HS_OK)
		return s;
	encode_feed_configure(&col->feed, hs_trace_params_config(col->params));
	if (hs_protocol_set_sources(p, hs_trace_params_edit_config(col->params), v->hart_count) !=
	    HS_OK)
		return hs_error_set(&v->error, HS_E_CONFIG,
		                    "%s, %s: parameters contradict each other or %u harts", p->name,
		                    variant->name, v->hart_count);
	col->encoders = calloc((size_t)v->hart_count + 1, sizeof(*col->encoders));
	return col->encoders ? HS_OK : encode_no_memory(&v->error);
}

/* Choose the encoder of the current hart, a new one when it first runs. */
static enum hs_status select_encoder(const struct hs_encode_variants *v, struct column *col)
{
	void *config = hs_trace_params_edit_config(col->params);
	struct hs_encoder **e = &col->encoders[v->hart];
	enum hs_status s = HS_OK;

	if (!*e) {
		hs_protocol_set_hart(col->protocol, config,
		                     v->hart_count > 1 ? v->harts[v->hart] : 0);
		s = hs_encoder_new(e, col->protocol, config);
	}
	if (s == HS_E_MEMORY)
		return encode_no_memory(&col->error);
	if (s != HS_OK)
		return hs_error_set(&col->error, HS_E_CONFIG,
		                    "%s, %s: parameters contradict each other", col->protocol->name,
		                    col->variant->name);
	col->feed.encoder = *e;
	return HS_OK;
}

static void feed_column(void *variants, uint32_t column, uint32_t thread)
{
	const struct hs_encode_variants *v = variants;
	struct column *col = &v->columns[column];

	col->feed.out = v->out + thread * ENCODE_ROOM;
	if (select_encoder(v, col) == HS_OK)
		encode_feed_blocks(&col->feed, v->items, v->item_count);
}

/* Is it to be compared?  One whose messages all have times only where it is asked for: without a
 * clock they would all be short. */
static bool is_wanted(const struct hs_protocol *p, const char *name)
{
	struct hs_protocol_traits traits = { .timed = true };
	void *config = name ? NULL : calloc(1, p->config_size);

	if (name)
		return strcmp(p->name, name) == 0;
	if (!config)
		return false;
	hs_protocol_defaults(p, config);
	hs_protocol_check(p, config, &traits);
	free(config);
	return !traits.timed;
}

static enum hs_status add_columns(struct hs_encode_variants *v,
                                  const struct hs_trace_params_options *params, uint32_t threads)
{
	const struct hs_protocol *p;
	unsigned total = 0;

	for (unsigned i = 0; (p = hs_protocol_at(i)); i++)
		total += p->variant_count;
	v->columns = calloc(total, sizeof(*v->columns));
	v->out = calloc(threads, ENCODE_ROOM);
	if (!v->columns || !v->out)
		return encode_no_memory(&v->error);
	if (params->protocol && !hs_protocol_find(params->protocol))
		return hs_error_set(&v->error, HS_E_CONFIG, "no protocol '%.40s'",
		                    params->protocol);
	for (unsigned i = 0; (p = hs_protocol_at(i)); i++) {
		if (!is_wanted(p, params->protocol))
			continue;
		for (unsigned k = 0; k < p->variant_count; k++) {
			const enum hs_status s = add_column(v, params, p, &p->variants[k]);

			if (s != HS_OK)
				return s;
		}
	}
	const enum hs_status s = hs_pool_new(&v->pool, threads, v->count, feed_column, v);

	return s == HS_OK ? HS_OK : encode_no_memory(&v->error);
}

enum hs_status hs_encode_variants_new(struct hs_source *source,
                                      const struct hs_trace_params_options *params,
                                      uint32_t threads, struct hs_encode_variants **out,
                                      struct hs_error *error)
{
	struct hs_encode_variants *v = calloc(1, sizeof(*v));
	enum hs_status s;

	if (!v)
		return encode_no_memory(error);
	v->source = source;
	s = hs_source_get_harts(source, &v->harts, &v->hart_count, &v->error);
	if (s == HS_OK)
		s = add_columns(v, params, threads ? threads : 1);
	if (s == HS_OK) {
		*out = v;
		return HS_OK;
	}
	if (error)
		*error = v->error;
	hs_encode_variants_free(v);
	return s;
}

void hs_encode_variants_free(struct hs_encode_variants *v)
{
	if (!v)
		return;
	hs_pool_free(v->pool);
	for (unsigned i = 0; i < v->count; i++) {
		for (uint32_t h = 0; v->columns[i].encoders && h < v->hart_count; h++)
			hs_encoder_free(v->columns[i].encoders[h]);
		free(v->columns[i].encoders);
		hs_trace_params_free(v->columns[i].params);
	}
	free(v->columns);
	free(v->out);
	free(v);
}

/* ---- the pass ------------------------------------------------------------------- */

static enum hs_status feed_all(struct hs_encode_variants *v, const struct hs_block *b, size_t n)
{
	if (!n)
		return HS_OK;
	v->items = b;
	v->item_count = n;
	for (unsigned i = 0; i < v->count; i++)
		hs_pool_give(v->pool, i);
	for (unsigned i = 0; i < v->count; i++) {
		hs_pool_take(v->pool, i);
		if (v->error.status == HS_OK)
			v->error = v->columns[i].error;
	}
	return v->error.status;
}

static void end_all(struct hs_encode_variants *v)
{
	for (unsigned i = 0; i < v->count; i++)
		for (uint32_t h = 0; h < v->hart_count; h++) {
			v->columns[i].feed.encoder = v->columns[i].encoders[h];
			if (v->columns[i].feed.encoder)
				encode_feed_end(&v->columns[i].feed);
		}
}

static uint32_t index_of(const struct hs_encode_variants *v, uint32_t hart)
{
	uint32_t i = 0;

	while (i < v->hart_count && v->harts[i] != hart)
		i++;
	return i;
}

enum hs_status hs_encode_variants_add(struct hs_encode_variants *v, const struct hs_block *b,
                                      size_t n, struct hs_error *error)
{
	enum hs_status s = HS_OK;
	size_t from = 0;

	if (!n)
		end_all(v);
	for (size_t i = 0; i < n && s == HS_OK; i++) {
		if (b[i].kind != HS_KIND_HART)
			continue;
		s = feed_all(v, b + from, i - from);
		v->hart = index_of(v, b[i].arg);
		from = i + 1;
	}
	if (s == HS_OK)
		s = feed_all(v, b + from, n - from);
	if (s != HS_OK && error)
		*error = v->error;
	return s;
}

bool hs_encode_variants_get(const struct hs_encode_variants *v, unsigned i,
                            struct hs_encode_variant *out)
{
	if (i >= v->count)
		return false;
	const struct column *col = &v->columns[i];

	*out = (struct hs_encode_variant){ .protocol = col->protocol->name,
		                           .name = col->variant->name,
		                           .settings = col->variant->settings,
		                           .plain = !strchr(col->variant->name, ','),
		                           .bytes = col->bytes,
		                           .refused = col->feed.refused };
	return true;
}
