/* stat --compare: one recording under every variant of every protocol, in one pass.  Variants know
 * nothing of each other, and threads share them. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/pool.h>
#include <hartscope/profile.h>

#include "commands/stat.h"

#define VARIANT_SETTINGS 16

/* A column of the comparison: a variant, and its encoder for each hart. */
struct column {
	const struct hs_protocol *protocol;
	const struct hs_variant *variant;
	struct hs_trace_params *params;
	struct feed feed;
	void **encoders; /* by index of the hart, made when it first runs */
	uint64_t bytes;
	struct hs_error error; /* why it has no encoder */
};

struct compare {
	struct hs_source *source;
	struct hs_profile *profile;
	struct column *columns;
	unsigned count;
	const uint32_t *harts;
	uint32_t hart_count, hart; /* hart: index of the current one */
	uint8_t *out;              /* FEED_ROOM bytes for each thread */
	struct hs_pool *pool;      /* each column is a strand */
	const struct hs_block *items; /* that are encoded now */
	size_t item_count;
	struct damage damage;
	struct hs_error error; /* why the pass was stopped */
};

static int no_memory(void)
{
	complain("out of memory");
	return EXIT_USAGE;
}

static bool count_bytes(void *column, const uint8_t *bytes, size_t n)
{
	(void)bytes;
	((struct column *)column)->bytes += n;
	return true;
}

/* ---- set-up --------------------------------------------------------------------- */

/* Add a variant's parameters after those of --set, which they win over. */
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

static enum hs_status configure(struct compare *c, const struct options *o, struct column *col)
{
	struct hs_setting settings[SETTINGS_MAX + VARIANT_SETTINGS];
	struct hs_trace_params_options po = o->params;
	char words[512];

	memcpy(settings, o->store.settings.at, po.setting_count * sizeof(*settings));
	po.setting_count += add_settings(col->variant, words, sizeof(words),
	                                 settings + po.setting_count);
	po.settings = settings;
	po.protocol = col->protocol->name;
	const enum hs_status s = hs_trace_params_open(&po, &col->params, &c->error);

	if (s == HS_OK)
		hs_trace_params_set_default_sync(col->params);
	if (s == HS_OK)
		hs_trace_params_set_default_width(col->params, &hs_source_image(c->source)->isa);
	return s;
}

static enum hs_status add_column(struct compare *c, const struct options *o,
                                 const struct hs_protocol *p, const struct hs_variant *v)
{
	struct column *col = &c->columns[c->count++];

	col->protocol = p;
	col->variant = v;
	col->feed = (struct feed){ .protocol = p, .image = hs_source_image(c->source),
		                   .out = c->out, .put = count_bytes, .to = col };
	const enum hs_status s = configure(c, o, col);

	if (s != HS_OK)
		return s;
	feed_configure(&col->feed, hs_trace_params_config(col->params));
	if (p->config_sources(hs_trace_params_edit_config(col->params), c->hart_count) != HS_OK)
		return hs_error_set(&c->error, HS_E_CONFIG,
		                    "%s, %s: parameters contradict each other or %u harts", p->name,
		                    v->name, c->hart_count);
	col->encoders = calloc((size_t)c->hart_count + 1, sizeof(*col->encoders));
	return col->encoders ? HS_OK : hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
}

/* Choose the encoder of the current hart, a new one when it first runs. */
static enum hs_status select_encoder(const struct compare *c, struct column *col)
{
	void *config = hs_trace_params_edit_config(col->params);
	void **e = &col->encoders[c->hart];

	if (!*e) {
		*e = calloc(1, col->protocol->encoder_size(config));
		if (!*e)
			return hs_error_set(&col->error, HS_E_MEMORY, "out of memory");
		col->protocol->config_hart(config, c->hart_count > 1 ? c->harts[c->hart] : 0);
		if (col->protocol->encoder_init(*e, config) != HS_OK)
			return hs_error_set(&col->error, HS_E_CONFIG,
			                    "%s, %s: parameters contradict each other",
			                    col->protocol->name, col->variant->name);
	}
	col->feed.encoder = *e;
	return HS_OK;
}

static void feed_column(void *compare, uint32_t column, uint32_t thread)
{
	const struct compare *c = compare;
	struct column *col = &c->columns[column];

	col->feed.out = c->out + thread * FEED_ROOM;
	if (select_encoder(c, col) == HS_OK)
		feed_blocks(&col->feed, c->items, c->item_count);
}

static enum hs_status add_columns(struct compare *c, const struct options *o)
{
	unsigned total = 0;

	for (unsigned i = 0; hs_protocol_at(i); i++)
		total += hs_protocol_at(i)->variant_count;
	c->columns = calloc(total, sizeof(*c->columns));
	c->out = calloc(o->jobs, FEED_ROOM);
	if (!c->columns || !c->out)
		return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
	if (o->params.protocol && !hs_protocol_find(o->params.protocol))
		return hs_error_set(&c->error, HS_E_CONFIG, "no protocol '%.40s'",
		                    o->params.protocol);
	for (unsigned i = 0; hs_protocol_at(i); i++) {
		const struct hs_protocol *p = hs_protocol_at(i);

		if (o->params.protocol && strcmp(p->name, o->params.protocol) != 0)
			continue;
		for (unsigned v = 0; v < p->variant_count; v++) {
			const enum hs_status s = add_column(c, o, p, &p->variants[v]);

			if (s != HS_OK)
				return s;
		}
	}
	const enum hs_status s = hs_pool_new(&c->pool, (uint32_t)o->jobs, c->count, feed_column, c);

	return s == HS_OK ? HS_OK : hs_error_set(&c->error, s, "out of memory");
}

/* ---- the pass ------------------------------------------------------------------- */

static enum hs_status feed_all(struct compare *c, const struct hs_block *b, size_t n)
{
	if (!n)
		return HS_OK;
	c->items = b;
	c->item_count = n;
	for (unsigned i = 0; i < c->count; i++)
		hs_pool_give(c->pool, i);
	for (unsigned i = 0; i < c->count; i++) {
		hs_pool_take(c->pool, i);
		if (c->error.status == HS_OK)
			c->error = c->columns[i].error;
	}
	return c->error.status;
}

static bool take_blocks(void *compare, const struct hs_block *b, size_t n)
{
	struct compare *c = compare;
	enum hs_status s = hs_profile_add(c->profile, b, n);
	size_t from = 0;

	if (s != HS_OK)
		hs_error_set(&c->error, s, "out of memory");
	for (size_t i = 0; i < n && s == HS_OK; i++) {
		if (b[i].kind != HS_KIND_HART)
			continue;
		s = feed_all(c, b + from, i - from);
		c->hart = hart_index(c->harts, c->hart_count, b[i].arg);
		from = i + 1;
	}
	return s == HS_OK && feed_all(c, b + from, n - from) == HS_OK;
}

static void end_all(struct compare *c)
{
	for (unsigned i = 0; i < c->count; i++)
		for (uint32_t h = 0; h < c->hart_count; h++) {
			c->columns[i].feed.encoder = c->columns[i].encoders[h];
			if (c->columns[i].feed.encoder)
				feed_end(&c->columns[i].feed);
		}
}

/* ---- result --------------------------------------------------------------------- */

/* The row without options that a row belongs to: the nearest one above without a comma. */
static const struct column *base_of(const struct compare *c, unsigned i)
{
	while (i && strchr(c->columns[i].variant->name, ','))
		i--;
	return &c->columns[i];
}

static void show_row(struct report *r, const struct compare *c, unsigned i, uint64_t instructions)
{
	const struct column *col = &c->columns[i], *base = base_of(c, i);

	report_row(r);
	if (r->json)
		report_text(r, "protocol", "", col->protocol->name);
	report_u64(r, "bytes", "", col->bytes);
	report_fine(r, "bits_per_instruction", "",
	            instructions ? 8.0 * (double)col->bytes / (double)instructions : 0);
	report_real(r, "percent", "",
	            base->bytes ? 100.0 * (double)col->bytes / (double)base->bytes : 0, "%");
	report_text(r, "name", "", col->variant->name);
	report_text(r, "settings", NULL, col->variant->settings);
	report_u64(r, "refused", NULL, col->feed.refused);
	report_row_end(r);
}

static int show(struct compare *c, bool json)
{
	struct hs_profile_result t;
	const char *last = "";
	uint64_t refused = 0;
	char title[96];
	struct report r;

	if (hs_profile_get_result(c->profile, &t) != HS_OK)
		return no_memory();
	report_begin(&r, stdout, json);
	report_u64(&r, "instructions", "instructions", t.instructions);
	report_u64(&r, "blocks", "blocks", t.blocks);
	if (json)
		report_list(&r, "variants", "");
	for (unsigned i = 0; i < c->count; last = c->columns[i++].protocol->name) {
		refused += c->columns[i].feed.refused;
		snprintf(title, sizeof(title), "%s: bytes, bits per instruction, percent, variant",
		         c->columns[i].protocol->name);
		if (!json && strcmp(last, c->columns[i].protocol->name) != 0)
			report_list(&r, "variants", title);
		show_row(&r, c, i, t.instructions);
	}
	report_list_end(&r);
	report_end(&r);
	if (!refused)
		return EXIT_GOOD;
	complain("%llu blocks were refused by an encoder: see \"refused\" of --json",
	         (unsigned long long)refused);
	return EXIT_DAMAGED;
}

static int run(struct compare *c, const struct options *o)
{
	const struct block_taker taker = { "encoding, blocks", o->quiet, take_blocks, c, false };

	if (open_source(o, o->args[0], &c->source, &c->error) != HS_OK)
		return fail(&c->error);
	if (!hs_source_info(c->source)) {
		complain("--compare needs a recording or a flow; '%s' is a trace", o->args[0]);
		return EXIT_USAGE;
	}
	if (hs_source_get_harts(c->source, &c->harts, &c->hart_count, &c->error) != HS_OK ||
	    add_columns(c, o) != HS_OK)
		return fail(&c->error);
	if (hs_profile_new(hs_source_program(c->source), hs_source_programs(c->source),
	                   &c->profile) != HS_OK)
		return no_memory();
	if (!read_blocks(&taker, c->source, &c->damage))
		return fail(&c->error);
	end_all(c);
	const int damaged = damage_exit(&c->damage);
	const int status = show(c, o->json);

	return damaged ? damaged : status;
}

static void release(struct compare *c)
{
	hs_pool_free(c->pool);
	for (unsigned i = 0; i < c->count; i++) {
		for (uint32_t h = 0; c->columns[i].encoders && h < c->hart_count; h++)
			free(c->columns[i].encoders[h]);
		free(c->columns[i].encoders);
		hs_trace_params_free(c->columns[i].params);
	}
	free(c->columns);
	free(c->out);
	hs_profile_free(c->profile);
	hs_source_close(c->source);
}

int stat_compare(const struct options *o)
{
	static struct compare c;
	const int status = run(&c, o);

	release(&c);
	return status;
}
