/* What the bytes of a design decode to, against the blocks of the port. */
#include <stdio.h>

#include "private.h"

typedef unsigned long long ull;

#define KEPT 4096 /* blocks that are equal and still there */

int hs_dpi_compare_blocks(void *model)
{
	struct model *m = model;

	if (!m->decoder)
		m->decoder = decoder_open(&m->set);
	return m->decoder ? HS_OK : HS_E_CONFIG;
}

/* Find the design's next block.  HS_MORE: none before more bytes come. */
static enum hs_status find_block(struct model *m)
{
	int kind, iretire, itype, got;

	while (!m->have_found) {
		got = hs_dpi_block(m->decoder, &kind, &m->found.iaddr, &iretire, &itype);
		if (got != 1)
			return got == 0 ? HS_MORE : HS_E_DIFFERS;
		m->found.iretire = (uint32_t)iretire;
		m->found.itype = (uint32_t)itype;
		m->have_found = kind == HS_KIND_BLOCK;
	}
	return HS_OK;
}

static bool is_same(const struct row *a, const struct row *b)
{
	return a->iaddr == b->iaddr && a->iretire == b->iretire && a->itype == b->itype;
}

static int print_block(char *text, size_t size, const struct row *r)
{
	return snprintf(text, size, "0x%llx, %u half-words, %s", (ull)r->iaddr, r->iretire,
	                hs_itype_name(r->itype));
}

/* The first block that differs; NULL: there is none on that side. */
static void explain(struct model *m, const struct row *want, const struct row *got)
{
	char *text = m->difference;
	const size_t size = sizeof(m->difference);
	size_t n;

	m->differs = true;
	n = (size_t)snprintf(text, size, "block %llu: the design's trace leads to ", (ull)m->equal);
	if (got)
		n += (size_t)print_block(text + n, size - n, got);
	else
		n += (size_t)snprintf(text + n, size - n, "nothing");
	n += (size_t)snprintf(text + n, size - n, ", the port had ");
	if (!want) {
		snprintf(text + n, size - n, "nothing more");
		return;
	}
	n += (size_t)print_block(text + n, size - n, want);
	snprintf(text + n, size - n, " (cycle %llu)", (ull)want->cycle);
}

static void explain_error(struct model *m, const struct row *want)
{
	m->differs = true;
	snprintf(m->difference, sizeof(m->difference),
	         "block %llu: the design's trace cannot be followed: %s (cycle %llu)",
	         (ull)m->equal, hs_dpi_decoder_error(m->decoder),
	         want ? (ull)want->cycle : (ull)m->now);
}

/* The block of the port that is next, NULL: none yet. */
static const struct row *next_step(const struct model *m)
{
	const uint64_t first = m->steps.n ? m->steps.at[0].offset : m->blocks_made;

	return m->equal < m->blocks_made ? &m->steps.at[m->equal - first].row : NULL;
}

enum hs_status blocks_compare(struct model *m, bool ended)
{
	const struct row *want;
	enum hs_status s;

	if (ended)
		hs_dpi_decode_end(m->decoder);
	for (;;) {
		want = next_step(m);
		s = find_block(m);
		if (s == HS_E_DIFFERS)
			explain_error(m, want);
		else if (s == HS_OK && want && !is_same(want, &m->found))
			explain(m, want, &m->found);
		else if (ended && (s == HS_OK) != (want != NULL))
			explain(m, want, s == HS_OK ? &m->found : NULL);
		if (m->differs)
			return HS_E_DIFFERS;
		if (s != HS_OK || !want)
			return HS_OK;
		m->have_found = false;
		m->equal++;
		if (m->equal - m->steps.at[0].offset > KEPT)
			marks_drop(&m->steps, m->equal - 1);
	}
}
