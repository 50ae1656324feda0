/* The code snapshot of a recording as an image: the union of all code in its log.  Where code
 * changed, it has the bytes that ran first. */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "recording/private.h"
#include "support/sections.h"

struct piece {
	uint64_t start, size;
	const uint8_t *bytes;
};

/* The code in a record; false when it has none. */
static bool get_piece(const struct hs_rec_log_head *head, struct piece *p)
{
	const struct hs_rec_log_run *run = (const void *)(head + 1);
	const uint64_t *start = (const void *)(head + 1);

	if (head->type == HS_REC_LOG_RUN)
		*p = (struct piece){ run->start, run->bytes, (const uint8_t *)(run + 1) };
	else if (head->type == HS_REC_LOG_CODE || head->type == HS_REC_LOG_VERSION)
		*p = (struct piece){ *start, head->size - 8, (const uint8_t *)(start + 1) };
	else
		return false;
	return true;
}

static void copy_piece(const struct hs_section *s, size_t count, const struct piece *p)
{
	const size_t up = base_count_leading(count, i, s[i].start <= p->start);
	const size_t low = up ? up - 1 : 0;

	memcpy((uint8_t *)(uintptr_t)s[low].bytes + (p->start - s[low].start), p->bytes, p->size);
}

/* The pieces of a log in their order; how many there are. */
static size_t collect_pieces(const struct rec_log *log, struct piece *pieces)
{
	const struct hs_rec_log_head *head;
	struct piece p;
	size_t n = 0;

	for (size_t at = 0; rec_log_next(log, &at, &head);) {
		if (!get_piece(head, &p))
			continue;
		if (pieces != NULL)
			pieces[n] = p;
		n++;
	}
	return n;
}

static void copy_pieces(struct rec_image *image, size_t count, const struct piece *pieces, size_t n)
{
	uint8_t *to = image->bytes;

	for (size_t i = 0; i < count; i++) {
		image->sections[i].bytes = to;
		to += image->sections[i].size;
	}
	for (size_t i = n; i-- > 0;) /* the first one is copied last, so it stays */
		copy_piece(image->sections, count, &pieces[i]);
}

/* An image of the pieces. */
static enum hs_status build_image(struct rec_image *image, const struct rec_log *log,
                                  const struct piece *pieces, size_t n)
{
	size_t count = n;

	image->sections = calloc(n + 1, sizeof(*image->sections));
	if (image->sections == NULL)
		return HS_E_MEMORY;
	for (size_t i = 0; i < n; i++)
		image->sections[i] = (struct hs_section){ pieces[i].start, pieces[i].size, NULL };
	image->size = support_join_sections(image->sections, &count);
	image->bytes = malloc(image->size + 1);
	if (image->bytes == NULL)
		return HS_E_MEMORY;
	copy_pieces(image, count, pieces, n);
	image->image = (struct hs_image){ .sections = image->sections, .count = count,
	                                  .isa = rec_log_isa(log), .jvt = log->start.jvt };
	return HS_OK;
}

/* The first section of @image that ends after @address. */
static size_t find_section(const struct hs_image *image, uint64_t address)
{
	return base_count_leading(image->count, i,
	                          image->sections[i].start + (image->sections[i].size - 1) <
	                                  address);
}

/* What @image has of a page that is elsewhere, too. */
static size_t collect_move(const struct hs_image *image, const struct rec_move *move,
                           struct piece *pieces, size_t n)
{
	for (size_t i = find_section(image, move->page); i < image->count; i++, n++) {
		const struct hs_section *s = &image->sections[i];
		const uint64_t start = s->start > move->page ? s->start : move->page;
		const uint64_t end = s->start + s->size < move->end ? s->start + s->size
		                                                   : move->end;

		if (start >= end)
			break;
		if (pieces != NULL)
			pieces[n] = (struct piece){ start + move->by, end - start,
				                    s->bytes + (start - s->start) };
	}
	return n;
}

/* All of @image and of the pages that are elsewhere, too. */
static size_t collect_moved(const struct hs_image *image, const struct rec_moves *moves,
                            struct piece *pieces)
{
	size_t n = image->count;

	for (size_t i = 0; pieces != NULL && i < n; i++)
		pieces[i] = (struct piece){ image->sections[i].start, image->sections[i].size,
			                    image->sections[i].bytes };
	for (uint32_t i = 0; i < moves->count; i++)
		n = collect_move(image, &moves->items[i], pieces, n);
	return n;
}

/* Add to an image what is elsewhere, too. */
static enum hs_status add_moved(struct rec_image *image, const struct rec_log *log,
                                const struct rec_moves *moves)
{
	struct rec_image plain = *image;
	const size_t n = collect_moved(&plain.image, moves, NULL);
	struct piece *pieces = calloc(n + 1, sizeof(*pieces));
	enum hs_status status = HS_E_MEMORY;

	*image = (struct rec_image){ 0 };
	if (pieces != NULL) {
		collect_moved(&plain.image, moves, pieces);
		status = build_image(image, log, pieces, n);
	}
	free(pieces);
	rec_image_free(&plain);
	return status;
}

enum hs_status rec_image_build(struct rec_image *image, const struct rec_log *log,
                               const struct rec_moves *moves)
{
	const size_t n = collect_pieces(log, NULL);
	struct piece *pieces = calloc(n + 1, sizeof(*pieces));
	enum hs_status status = HS_E_MEMORY;

	if (pieces != NULL) {
		collect_pieces(log, pieces);
		status = build_image(image, log, pieces, n);
	}
	free(pieces);
	return status == HS_OK && moves->count != 0 ? add_moved(image, log, moves) : status;
}

void rec_image_free(struct rec_image *image)
{
	free(image->sections);
	free(image->bytes);
	*image = (struct rec_image){ 0 };
}
