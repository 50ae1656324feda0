/* The items of a source, in batches: every command that takes blocks reads them here. */
#include "common/interrupt.h"
#include "common/tool.h"

uint32_t hart_index(const uint32_t *harts, uint32_t count, uint32_t hart)
{
	uint32_t i = 0;

	while (i < count && harts[i] != hart)
		i++;
	return i;
}

/* Some items, or none. */
static void read_some(struct block_reader *r)
{
	struct hs_error e = { 0 };

	r->n = 0;
	r->items = r->own;
	const enum hs_status s = r->own ? hs_source_next(r->source, r->own, r->room, &r->n, &e)
	                                : hs_source_view(r->source, &r->items, &r->n, &e);

	r->ended = s == HS_END;
	if (s != HS_OK && s != HS_END)
		damage_add_of(r->damage, &e, r->source);
	if (r->ended)
		verify_end(r->source);
}

bool reader_fill(struct block_reader *r)
{
	r->n = 0;
	while (!r->n && !r->ended)
		read_some(r);
	return r->n != 0;
}

bool instructions_fit(const struct hs_source *source, const struct hs_profile_result *t)
{
	const struct hs_rec_info *info = hs_source_known(source)->info;

	if (hs_source_known(source)->range || !info || !info->complete ||
	    info->instructions == UINT64_MAX || t->unmapped ||
	    info->instructions == t->instructions)
		return true;
	complain("the recording has %llu instructions, its manifest.json says %llu",
	         (unsigned long long)t->instructions, (unsigned long long)info->instructions);
	return false;
}

/* ---- all items of a source -------------------------------------------------------- */

/* A source that is read: what is shown meanwhile, and kept. */
struct reading {
	struct hs_source *source;
	const char *what;
	bool samples;
	bool (*take)(void *to, const struct hs_block *b, size_t n); /* NULL: somebody else does */
	void *to;
	struct damage *damage;
	struct progress progress;
	uint64_t done;
	uint64_t unknown; /* an address whose code is not known; 0: there was none */
};

/* Of a batch some blocks are enough: where code is missing, much of it is. */
#define SAMPLES 16u

static void sample(struct reading *r, const struct hs_block *items, size_t count)
{
	struct hs_program *program = hs_source_known(r->source)->program;
	size_t n;

	if (!r->samples || r->unknown || hs_source_known(r->source)->programs->count)
		return;
	for (size_t i = 0; i < count; i += 1 + count / SAMPLES) {
		const struct hs_block *b = &items[i];

		if (b->kind == HS_KIND_BLOCK && b->iretire && b->iaddr &&
		    !hs_img_bytes(hs_program_image(program), b->iaddr, &n)) {
			r->unknown = b->iaddr;
			return;
		}
	}
}

static void note_unknown(uint64_t unknown, struct damage *damage)
{
	struct hs_error e;

	if (!unknown)
		return;
	hs_error_set(&e, HS_E_NOCODE,
	             "the code of some blocks is not known, such as at 0x%llx: their instructions "
	             "are not counted; give the program with --elf",
	             (unsigned long long)unknown);
	damage_add(damage, &e, HS_REASON_NONE);
}

static bool look_at_items(void *to, const struct hs_block *items, size_t n)
{
	struct reading *r = to;
	uint64_t total;
	bool more;

	sample(r, items, n);
	more = !n || !r->take || r->take(r->to, items, n);
	r->done += n;
	hs_source_bytes(r->source, &total);
	progress_show(&r->progress, r->what, total ? hs_source_bytes(r->source, NULL) : r->done,
	              total);
	return more && !interrupted();
}

static void look_at_error(void *to, const struct hs_error *error)
{
	struct reading *r = to;

	damage_add_of(r->damage, error, r->source);
}

static struct reading begin(const struct block_look *look, struct hs_source *source)
{
	struct reading r = { .source = source,
		             .what = look->what,
		             .samples = look->samples,
		             .damage = look->damage };

	progress_start(&r.progress, look->quiet);
	return r;
}

/* @s: what reading returned. */
static enum hs_status end(struct reading *r, enum hs_status s)
{
	progress_end(&r->progress);
	if (s == HS_OK)
		verify_end(r->source);
	note_unknown(r->unknown, r->damage);
	return s;
}

bool read_blocks(const struct block_taker *t, struct hs_source *source, struct damage *damage)
{
	const struct block_look look = { t->what, t->quiet, t->samples, damage };
	struct reading r = begin(&look, source);
	const struct hs_taker follower = { &r, look_at_items, look_at_error };

	r.take = t->take;
	r.to = t->to;
	return end(&r, hs_source_follow(source, &follower)) == HS_OK;
}

enum hs_status count_source(const struct block_look *look, struct hs_source *source,
                            struct hs_counts *counts)
{
	struct reading r = begin(look, source);
	const struct hs_taker follower = { &r, look_at_items, look_at_error };

	return end(&r, hs_source_count(source, counts, &follower));
}
