/* hs_check(): the items of both sources, and what is counted of those that are equal. */
#include "counts/check.h"
#include "source/source.h"

enum hs_status compare_no_memory(struct check *c)
{
	return hs_error_set(&c->error, HS_E_MEMORY, "out of memory");
}

/* The subject and the reference may be read on two threads. */
static void report(struct check *c, const struct hs_source *source, const struct hs_error *e)
{
	if (!c->options.error)
		return;
	pthread_mutex_lock(&c->reporting);
	c->options.error(c->options.to, source, e);
	pthread_mutex_unlock(&c->reporting);
}

void compare_read(struct check *c, struct check_reader *r)
{
	struct hs_error e = { 0 };
	const enum hs_status s = hs_source_view(r->source, &r->items, &r->n, &e);

	r->ended = s == HS_END;
	if (s != HS_OK && s != HS_END && !r->silent)
		report(c, r->source, &e);
}

bool compare_read_subject(struct check *c,
                          bool (*take)(void *to, const struct hs_block *b, size_t n), void *to)
{
	const struct hs_check_options *o = &c->options;
	struct check_reader r = { .source = c->subject };
	uint64_t items = 0;
	bool more = true;

	while (more && !r.ended) {
		compare_read(c, &r);
		more = !r.n || take(to, r.items, r.n);
		items += r.n;
		if (o->step && !o->step(o->to, c->subject, items))
			return false;
	}
	return more;
}

/* ---- the reference ---------------------------------------------------------------------- */

static enum hs_status open_hart(struct check *c, struct check_hart *h)
{
	/* each error of a trace is in the items of each hart */
	h->reader = (struct check_reader){ .silent = c->two_traces && h != c->harts };
	return hs_source_open_hart(c->reference, h->number, &h->reader.source, &c->error);
}

enum hs_status compare_count(struct check *c, struct check_hart *h)
{
	const struct hs_block hart = { .kind = HS_KIND_HART, .arg = h->number };
	enum hs_status s = HS_OK;

	if (h->counted == h->at)
		return HS_OK;
	if (c->count > 1)
		s = hs_profile_add(c->profile, &hart, 1);
	if (s == HS_OK)
		s = hs_profile_add(c->profile, h->reader.items + h->counted, h->at - h->counted);
	h->counted = h->at;
	return s == HS_OK ? s : compare_no_memory(c);
}

bool compare_is_compared(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TRAP || b->kind == HS_KIND_GAP;
}

/* The next batch of a hart.  False: there are no more. */
static bool fill(struct check *c, struct check_reader *r)
{
	r->n = 0;
	while (!r->n && !r->ended)
		compare_read(c, r);
	return r->n != 0;
}

void compare_pass(struct check_context *context, const struct hs_block *b)
{
	if (source_is_process(b))
		*context = (struct check_context){ b->value, true };
}

const struct hs_image *compare_image(struct hs_source *source, const struct check_context *context)
{
	const struct hs_image *image =
		context->known ? source_image_of(source, context->value) : NULL;

	return image ? image : hs_program_image(hs_source_program(source));
}

enum hs_status compare_peek(struct check *c, struct check_hart *h, const struct hs_block **item)
{
	enum hs_status s = h->reader.source ? HS_OK : open_hart(c, h);

	*item = NULL;
	while (s == HS_OK) {
		while (h->at < h->reader.n && !compare_is_compared(&h->reader.items[h->at]))
			compare_pass(&h->context[CHECK_REFERENCE], &h->reader.items[h->at++]);
		if (h->at < h->reader.n) {
			*item = &h->reader.items[h->at];
			return HS_OK;
		}
		s = compare_count(c, h);
		h->at = h->counted = 0;
		if (s == HS_OK && !fill(c, &h->reader))
			return HS_OK;
	}
	return s;
}
