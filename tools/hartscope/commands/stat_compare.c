/* stat --compare: one recording under every variant of every protocol, in one pass. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/profile.h>

#include "common/tool.h"

#define BATCH 4096
#define HARTS_MAX 4096
#define VARIANT_SETTINGS 16

/* A column of the comparison: a variant, and its encoder for each hart. */
struct column {
	const struct hs_protocol *protocol;
	const struct hs_variant *variant;
	void *config;
	struct feed feed;
	void **encoders; /* by hart, made when it first runs */
	uint64_t bytes;
};

struct compare {
	struct hs_source *source;
	struct hs_profile *profile;
	struct column *columns;
	unsigned count;
	uint32_t hart;
	uint8_t *out;
	struct hs_block blocks[BATCH];
	struct hs_error error;
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

/* A variant's parameters behind those that people set: the later win. */
static size_t add_settings(const struct hs_variant *v, char *words, size_t size, struct hs_setting *to)
{
	char *rest = words, *word, *equals;
	size_t n = 0;

	snprintf(words, size, "%s", v->settings);
	while (n < VARIANT_SETTINGS && (word = strsep(&rest, " "))) {
		equals = strchr(word, '=');
		if (!equals)
			continue;
		*equals = '\0';
		to[n++] = (struct hs_setting){ word, equals + 1 };
	}
	return n;
}

static enum hs_status configure(struct compare *c, const struct options *o, struct column *col)
{
	const struct hs_protocol *p = col->feed.protocol;
	struct hs_setting settings[SETTINGS_MAX + VARIANT_SETTINGS];
	struct hs_source_options so = o->source;
	char words[512];

	memcpy(settings, o->settings, so.setting_count * sizeof(*settings));
	so.setting_count += add_settings(col->variant, words, sizeof(words), settings + so.setting_count);
	so.settings = settings;
	so.path = "-"; /* nothing stands beside the trace */
	so.protocol = p->name;
	const enum hs_status s = hs_trace_read_config(&so, &p, &col->config, &c->error);

	if (s == HS_OK && p->config_sync && !so.config && !so.registers && !setting_given(o, "trTeInstSyncMode"))
		p->config_sync(col->config);
	return s;
}

static enum hs_status add_column(struct compare *c, const struct options *o, const struct hs_protocol *p,
                                 const struct hs_variant *v)
{
	struct column *col = &c->columns[c->count++];
	struct hs_rec *rec = hs_source_recording(c->source);
	const uint32_t harts = hs_rec_get_info(rec)->harts;

	col->protocol = p;
	col->variant = v;
	col->feed = (struct feed){ .protocol = p, .image = hs_rec_image(rec), .out = c->out,
		                   .put = count_bytes, .to = col };
	const enum hs_status s = configure(c, o, col);
	if (s != HS_OK)
		return s;
	if (p->config_sources(col->config, harts) != HS_OK)
		return hs_error_set(&c->error, HS_E_CONFIG, "%s, %s: parameters contradict each other or %u harts",
		                    p->name, v->name, harts);
	col->encoders = calloc(HARTS_MAX, sizeof(*col->encoders));
	return col->encoders ? HS_OK : hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
}

static enum hs_status add_columns(struct compare *c, const struct options *o)
{
	const struct hs_protocol *p;
	unsigned total = 0;

	for (unsigned i = 0; (p = hs_protocol_at(i)); i++)
		total += p->variant_count;
	c->columns = calloc(total, sizeof(*c->columns));
	c->out = malloc(FEED_ROOM);
	if (!c->columns || !c->out)
		return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
	if (o->source.protocol && !hs_protocol_find(o->source.protocol))
		return hs_error_set(&c->error, HS_E_CONFIG, "no protocol '%.40s'", o->source.protocol);
	for (unsigned i = 0; (p = hs_protocol_at(i)); i++) {
		if (o->source.protocol && strcmp(p->name, o->source.protocol) != 0)
			continue;
		for (unsigned v = 0; v < p->variant_count; v++) {
			const enum hs_status s = add_column(c, o, p, &p->variants[v]);

			if (s != HS_OK)
				return s;
		}
	}
	return HS_OK;
}

/* The encoder of the hart that runs, made on first use. */
static enum hs_status select_hart(struct compare *c, struct column *col)
{
	void **e = &col->encoders[c->hart % HARTS_MAX];

	if (!*e) {
		*e = calloc(1, col->protocol->encoder_size);
		if (!*e)
			return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
		col->protocol->config_hart(col->config, hs_rec_get_info(hs_source_recording(c->source))->harts > 1
		                                        ? c->hart : 0);
		if (col->protocol->encoder_init(*e, col->config) != HS_OK)
			return hs_error_set(&c->error, HS_E_CONFIG, "%s, %s: parameters contradict each other",
			                    col->protocol->name, col->variant->name);
	}
	col->feed.encoder = *e;
	return HS_OK;
}

/* ---- the pass ------------------------------------------------------------------- */

static enum hs_status feed_all(struct compare *c, const struct hs_block *b, size_t n)
{
	for (unsigned i = 0; i < c->count && n; i++) {
		const enum hs_status s = select_hart(c, &c->columns[i]);

		if (s != HS_OK)
			return s;
		feed_blocks(&c->columns[i].feed, b, n);
	}
	return HS_OK;
}

/* Blocks of one hart after the other. */
static enum hs_status split(struct compare *c, size_t n)
{
	enum hs_status s = HS_OK;
	size_t from = 0;

	for (size_t i = 0; i < n && s == HS_OK; i++) {
		if (c->blocks[i].kind != HS_KIND_HART)
			continue;
		s = feed_all(c, c->blocks + from, i - from);
		c->hart = c->blocks[i].arg;
		from = i + 1;
	}
	return s == HS_OK ? feed_all(c, c->blocks + from, n - from) : s;
}

static void end_all(struct compare *c)
{
	for (unsigned i = 0; i < c->count; i++)
		for (unsigned h = 0; h < HARTS_MAX; h++) {
			c->columns[i].feed.encoder = c->columns[i].encoders[h];
			if (c->columns[i].feed.encoder)
				feed_end(&c->columns[i].feed);
		}
}

static int pass(struct compare *c, bool quiet)
{
	struct damage damage = { 0 };
	struct progress progress;
	enum hs_status s;
	uint64_t done = 0;
	size_t n;

	progress_start(&progress, quiet);
	while ((s = hs_source_next(c->source, c->blocks, BATCH, &n, &c->error)) != HS_END) {
		if (s != HS_OK)
			damage_add(&damage, &c->error);
		if (hs_profile_add(c->profile, c->blocks, n) != HS_OK)
			return no_memory();
		if (split(c, n) != HS_OK)
			return fail(&c->error);
		done += n;
		progress_show(&progress, "encoding, blocks", done, 0);
	}
	end_all(c);
	progress_end(&progress);
	return damage_exit(&damage);
}

/* ---- result --------------------------------------------------------------------- */

/* The row without options that a row belongs to: the last one above without a comma. */
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
	report_real(r, "percent", "", base->bytes ? 100.0 * (double)col->bytes / (double)base->bytes : 0, "%");
	report_text(r, "name", "", col->variant->name);
	report_text(r, "settings", NULL, col->variant->settings);
	report_u64(r, "refused", NULL, col->feed.refused);
	report_row_end(r);
}

static int show(struct compare *c, bool json)
{
	const struct hs_profile_function *f;
	struct hs_profile_totals t;
	const char *last = "";
	uint64_t refused = 0;
	char title[96];
	struct report r;
	size_t n;

	if (hs_profile_result(c->profile, &t, &f, &n) != HS_OK)
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
	complain("%llu blocks were refused by an encoder: see \"refused\" of --json", (unsigned long long)refused);
	return EXIT_DAMAGED;
}

static int run(struct compare *c, const struct options *o)
{
	if (hs_source_open(&o->source, &c->source, &c->error) != HS_OK)
		return fail(&c->error);
	if (!hs_source_recording(c->source)) {
		complain("--compare needs a recording or a flow; '%s' is a trace", o->args[0]);
		return EXIT_USAGE;
	}
	if (add_columns(c, o) != HS_OK)
		return fail(&c->error);
	if (hs_profile_new(hs_source_program(c->source), hs_source_programs(c->source), &c->profile) != HS_OK)
		return no_memory();
	const int damaged = pass(c, o->quiet);

	if (damaged && damaged != EXIT_DAMAGED)
		return damaged;
	const int status = show(c, o->json);

	return damaged ? damaged : status;
}

static void release(struct compare *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		for (unsigned h = 0; c->columns[i].encoders && h < HARTS_MAX; h++)
			free(c->columns[i].encoders[h]);
		free(c->columns[i].encoders);
		free(c->columns[i].config);
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
