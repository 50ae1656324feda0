/* stat --compare: one recording under every variant of every protocol, in one pass. */
#include <stdlib.h>
#include <string.h>

#include "commands/stat.h"

struct compare {
	struct hs_source *source;
	struct hs_counts *counts;
	struct hs_encode_variants *variants;
	struct damage damage;
	struct hs_error error; /* why the pass was stopped */
};

static int no_memory(void)
{
	complain("out of memory");
	return EXIT_USAGE;
}

static bool take_blocks(void *compare, const struct hs_block *b, size_t n)
{
	struct compare *c = compare;
	enum hs_status s = hs_counts_add(c->counts, b, n);

	if (s != HS_OK)
		hs_error_set(&c->error, s, "out of memory");
	return s == HS_OK && (!n || hs_encode_variants_add(c->variants, b, n, &c->error) == HS_OK);
}

/* ---- result --------------------------------------------------------------------- */

static void show_row(struct report *r, const struct hs_encode_variant *v, uint64_t base,
                     uint64_t instructions)
{
	report_row(r);
	if (r->json)
		report_text(r, "protocol", "", v->protocol);
	report_u64(r, "bytes", "", v->bytes);
	report_fine(r, "bits_per_instruction", "",
	            instructions ? 8.0 * (double)v->bytes / (double)instructions : 0);
	report_real(r, "percent", "", base ? 100.0 * (double)v->bytes / (double)base : 0, "%");
	report_text(r, "name", "", v->name);
	report_text(r, "settings", NULL, v->settings);
	report_u64(r, "refused", NULL, v->refused);
	report_row_end(r);
}

/* Returns how many blocks were refused. */
static uint64_t show_rows(struct report *r, const struct compare *c, uint64_t instructions)
{
	struct hs_encode_variant v;
	const char *last = "";
	uint64_t refused = 0, base = 0; /* base: bytes of the row that a row is compared with */
	char title[96];

	if (r->json)
		report_list(r, "variants", "");
	for (unsigned i = 0; hs_encode_variants_get(c->variants, i, &v); i++) {
		refused += v.refused;
		if (v.plain || !i)
			base = v.bytes;
		snprintf(title, sizeof(title), "%s: bytes, bits per instruction, percent, variant",
		         v.protocol);
		if (!r->json && strcmp(last, v.protocol) != 0)
			report_list(r, "variants", title);
		show_row(r, &v, base, instructions);
		last = v.protocol;
	}
	report_list_end(r);
	return refused;
}

static int show(struct compare *c, bool json)
{
	struct hs_profile_result t;
	struct report r;

	if (hs_counts_get_profile(c->counts, &t) != HS_OK)
		return no_memory();
	report_begin(&r, stdout, json);
	report_u64(&r, "instructions", "instructions", t.instructions);
	report_u64(&r, "blocks", "blocks", t.blocks);
	const uint64_t refused = show_rows(&r, c, t.instructions);

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
	if (!hs_source_known(c->source)->info) {
		complain("--compare needs a recording or a flow; '%s' is a trace", o->args[0]);
		return EXIT_USAGE;
	}
	if (hs_encode_variants_new(c->source, &o->params, (uint32_t)o->jobs, &c->variants,
	                           &c->error) != HS_OK)
		return fail(&c->error);
	const struct hs_counts_options co = { .size = sizeof(co), .source = c->source };

	if (hs_counts_new(&co, &c->counts) != HS_OK)
		return no_memory();
	if (!read_blocks(&taker, c->source, &c->damage) ||
	    hs_encode_variants_add(c->variants, NULL, 0, &c->error) != HS_OK)
		return fail(&c->error);
	const int damaged = damage_exit(&c->damage);
	const int status = show(c, o->json);

	return damaged ? damaged : status;
}

/* Do all messages of the protocol that is asked for have times? */
static bool is_timed(const struct options *o)
{
	const struct hs_protocol *p =
		o->params.protocol ? hs_protocol_find(o->params.protocol) : NULL;
	struct hs_protocol_traits traits = { .timed = false };
	void *config = p ? calloc(1, p->config_size) : NULL;

	if (!config)
		return false;
	hs_protocol_defaults(p, config);
	hs_protocol_check(p, config, &traits);
	free(config);
	return traits.timed;
}

int stat_compare(const struct options *o)
{
	static struct compare c;
	struct options own = *o;

	if (!own.source.clock && is_timed(o))
		own.source.clock = &own.store.clock;
	const int status = run(&c, &own);

	hs_encode_variants_free(c.variants);
	hs_counts_free(c.counts);
	hs_source_close(c.source);
	return status;
}
