/* Files of a recording as records: what recording_format.h says of words and of the log. */
#include "edit.h"
#include "recording/unpack.h"

static uint32_t word_at(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* ---- words of a stream ------------------------------------------------------------------ */

static size_t cut_words(const void *config, const uint8_t *p, size_t n, struct fuzz_record *out,
                        size_t cap)
{
	size_t count = 0, at = 0;

	(void)config;
	while (count < cap && n - at >= 4) {
		const uint32_t w = word_at(p + at);
		const size_t all = 4 * (1 + (w < HS_REC_WORD_ESCAPE ? 0 : hs_rec_words_after(w)));
		const size_t here = all < n - at ? all : n - at;

		out[count++] = (struct fuzz_record){ at, here, 0 };
		at += here;
	}
	return count;
}

/* A run, or an escape of any kind and its argument. */
static uint32_t any_word(struct fuzz_edit *e)
{
	if (fuzz_pick(e, 2))
		return (uint32_t)fuzz_limit(e, 1 + (unsigned)fuzz_pick(e, 32));
	return HS_REC_WORD(fuzz_pick(e, HS_REC_ESCAPE_ANEW + 2), fuzz_limit(e, 16) & 0xffff);
}

/* One word of @n bytes to a limit, or a little more or less. */
static void change_word(struct fuzz_edit *e, uint8_t *p, size_t n)
{
	uint32_t w;

	if (n < sizeof(w))
		return;
	p += sizeof(w) * fuzz_pick(e, n / sizeof(w));
	w = fuzz_pick(e, 2) ? any_word(e) : word_at(p) + (uint32_t)fuzz_pick(e, 5) - 2;
	memcpy(p, &w, sizeof(w));
}

static size_t change_words(const void *config, struct fuzz_edit *e, const uint8_t *p,
                           const struct fuzz_record *record, uint8_t *out)
{
	(void)config;
	memcpy(out, p, record->n);
	change_word(e, out, record->n);
	return record->n;
}

/* ---- records of the log ----------------------------------------------------------------- */

static size_t cut_log(const void *config, const uint8_t *p, size_t n, struct fuzz_record *out,
                      size_t cap)
{
	struct hs_rec_log_head head;
	size_t count = 0, at = 0;

	(void)config;
	while (count < cap && n - at >= sizeof(head)) {
		memcpy(&head, p + at, sizeof(head));

		const size_t all = sizeof(head) + ((size_t)head.size + 7) / 8 * 8;
		const size_t here = all < n - at ? all : n - at;

		out[count++] = (struct fuzz_record){ at, here, 0 };
		at += here;
	}
	return count;
}

static size_t change_log(const void *config, struct fuzz_edit *e, const uint8_t *p,
                         const struct fuzz_record *record, uint8_t *out)
{
	struct hs_rec_log_head head;

	(void)config;
	memcpy(out, p, record->n);
	memcpy(&head, out, sizeof(head));
	switch (fuzz_pick(e, 6)) {
	case 0:
		head.type = (uint32_t)fuzz_pick(e, HS_REC_LOG_MOVED + 2);
		break;
	case 1: /* a size that lies */
		head.size = fuzz_pick(e, 2) ? (uint32_t)fuzz_limit(e, 20)
		                            : head.size + (uint32_t)fuzz_pick(e, 33) - 16;
		break;
	default:
		change_word(e, out + sizeof(head), record->n - sizeof(head));
	}
	memcpy(out, &head, sizeof(head));
	return record->n;
}

/* ---- the three files -------------------------------------------------------------------- */

/* File @i of an input: each has its length in two bytes, after one byte for all. */
static bool find_file(const uint8_t *data, size_t size, unsigned i, size_t *at, size_t *n)
{
	for (*at = 1;; *at += 2 + *n) {
		if (size < *at + 2)
			return false;
		*n = data[*at] | (size_t)data[*at + 1] << 8;
		if (*n > size - *at - 2)
			return false;
		if (i-- == 0)
			return true;
	}
}

bool fuzz_mutate_files(struct fuzz_edit *e)
{
	static const struct fuzz_format log = { NULL, cut_log, change_log },
					words = { NULL, cut_words, change_words };
	static uint8_t file[UINT16_MAX];
	const unsigned i = (unsigned)fuzz_pick(e, 3);
	size_t at, n, other, other_n;

	if (!find_file(e->data, e->size, i, &at, &n))
		return false;
	if (!find_file(e->other, e->other_size, i, &other, &other_n))
		return false;

	struct fuzz_edit one = { file, n, sizeof(file), e->other + other + 2, other_n, e->state };

	memcpy(file, e->data + at + 2, n);
	const bool done = i == 0 ? fuzz_mutate_json(&one)
	                         : fuzz_mutate_records(&one, i == 1 ? &log : &words, 0, 0);

	e->state = one.state;
	if (!done || !fuzz_replace(e, at + 2, n, file, one.size))
		return false;
	e->data[at] = (uint8_t)one.size;
	e->data[at + 1] = (uint8_t)(one.size >> 8);
	return true;
}
