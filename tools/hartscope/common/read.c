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
	const struct hs_rec_info *info = hs_source_info(source);
	struct hs_range_found found;

	if (hs_source_get_range(source, &found) || !info || !info->complete ||
	    info->instructions == UINT64_MAX || t->unmapped ||
	    info->instructions == t->instructions)
		return true;
	complain("the recording has %llu instructions, its manifest.json says %llu",
	         (unsigned long long)t->instructions, (unsigned long long)info->instructions);
	return false;
}

/* Of a batch some blocks are enough: where code is missing, much of it is. */
#define SAMPLES 16u

static void sample(const struct block_taker *t, struct hs_source *source,
                   const struct block_reader *r, uint64_t *unknown)
{
	struct hs_program *program = hs_source_program(source);
	size_t n;

	if (!t->samples || *unknown || hs_source_programs(source)->count)
		return;
	for (size_t i = 0; i < r->n; i += 1 + r->n / SAMPLES) {
		const struct hs_block *b = &r->items[i];

		if (b->kind == HS_KIND_BLOCK && b->iretire && b->iaddr &&
		    !hs_img_bytes(hs_program_image(program), b->iaddr, &n)) {
			*unknown = b->iaddr;
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

bool read_shared(const struct block_taker *t, const struct hs_source_work *work,
                 const struct hs_error *error, struct hs_source *source, struct damage *damage)
{
	struct block_reader r = { .source = source, .damage = damage };
	struct progress progress;
	uint64_t done = 0, total, unknown = 0;
	bool more = true;

	if (work)
		hs_source_share(source, work);
	progress_start(&progress, t->quiet);
	while (more && !interrupted() && !r.ended) {
		read_some(&r);
		sample(t, source, &r, &unknown);
		more = !r.n || t->take(t->to, r.items, r.n);
		more = more && (!error || error->status == HS_OK);
		done += r.n;
		hs_source_bytes(source, &total);
		progress_show(&progress, t->what, total ? hs_source_bytes(source, NULL) : done,
		              total);
	}
	progress_end(&progress);
	note_unknown(unknown, damage);
	return more && !interrupted();
}

bool read_blocks(const struct block_taker *t, struct hs_source *source, struct damage *damage)
{
	return read_shared(t, NULL, NULL, source, damage);
}
