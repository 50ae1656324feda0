/* Reading packed streams: of nearly every run there is one bit, which of two successors it is
 * (HS_REC_WORD_OUTCOMES, ADR-0136). */
#include <stdlib.h>
#include <string.h>

#include "recording/order.h"
#include "recording/unpack.h"

#define WORDS (1u << 14)
#define NONE UINT32_MAX

/* No run has successors. */
static void forget(struct rec_unpack *u)
{
	memset(u->successors, 0xff, (u->limit + 1u) * sizeof(*u->successors));
	u->last = NONE;
}

enum hs_status rec_unpack_open(struct rec_unpack *u, uint32_t runs)
{
	const uint32_t limit = runs < HS_REC_PACKED_RUNS ? runs : HS_REC_PACKED_RUNS;

	*u = (struct rec_unpack){ .limit = limit, .last = NONE };
	u->successors = malloc((limit + 1u) * sizeof(*u->successors));
	u->words = malloc(WORDS * sizeof(*u->words));
	if (u->successors == NULL || u->words == NULL)
		return HS_E_MEMORY;
	forget(u);
	return HS_OK;
}

void rec_unpack_close(struct rec_unpack *u)
{
	free(u->successors);
	free(u->words);
	*u = (struct rec_unpack){ 0 };
}

/* The run @next was not foreseen. */
static void learn(struct rec_unpack *u, uint32_t next)
{
	if (u->last < u->limit && next < u->limit) {
		uint32_t *const s = u->successors[u->last];

		if (s[0] != next && s[1] != next) {
			s[1] = s[0];
			s[0] = next;
		}
	}
	u->last = next;
}

/* Returns how many runs it wrote. */
static size_t take_outcomes(struct rec_unpack *u, uint32_t *out, size_t cap)
{
	const uint32_t n = u->left < cap ? u->left : (uint32_t)cap;
	uint32_t last = u->last < u->limit ? u->last : u->limit, bits = u->bits, i;

	for (i = 0; i < n; i++, bits <<= 1) {
		const uint32_t next = u->successors[last][bits >> 31];

		if (next == NONE) {
			u->wrong = true;
			break;
		}
		out[i] = last = next;
	}
	u->last = last;
	u->bits = bits;
	u->left -= i;
	return i;
}

static void set_outcomes(struct rec_unpack *u, uint32_t word)
{
	const uint32_t outcomes = word & ~HS_REC_WORD_OUTCOMES;

	if (outcomes == 0) {
		u->wrong = true;
		return;
	}
	u->left = 31u - (uint32_t)__builtin_clz(outcomes);
	u->bits = u->left == 0 ? 0 : outcomes << (32u - u->left);
}

uint32_t rec_words_after(uint32_t escape)
{
	switch ((escape & ~HS_REC_WORD_ESCAPE) >> 16) {
	case HS_REC_ESCAPE_EVENT:
		return 4;
	case HS_REC_ESCAPE_TRAP:
		return HS_REC_TRAP_WORDS;
	case HS_REC_ESCAPE_ACCESS:
		return hs_rec_access_words(escape);
	case HS_REC_ESCAPE_STAND:
		return HS_REC_STAND_WORDS;
	case HS_REC_ESCAPE_ANEW:
		return HS_REC_ANEW_WORDS;
	case HS_REC_ESCAPE_MOVED:
		return 1;
	default:
		return 0;
	}
}

/* A word of the file as one of a plain stream.  False: it is none. */
static bool take_word(struct rec_unpack *u, uint32_t word, uint32_t *out)
{
	*out = word;
	if (u->payload > 0) {
		u->payload--;
	} else if (word >= HS_REC_WORD_ESCAPE) {
		u->payload = rec_words_after(word);
		if ((word & ~HS_REC_WORD_ESCAPE) >> 16 == HS_REC_ESCAPE_ANEW)
			forget(u);
	} else if (word >= HS_REC_WORD_OUTCOMES) {
		set_outcomes(u, word);
		return false;
	} else {
		learn(u, word);
	}
	return true;
}

static size_t unpack(struct rec_unpack *u, uint32_t *out, size_t cap)
{
	size_t n = 0;

	while (n < cap && !u->wrong) {
		if (u->left > 0)
			n += take_outcomes(u, out + n, cap - n);
		else if (u->at < u->count)
			n += take_word(u, u->words[u->at++], out + n);
		else
			break;
	}
	return n;
}

enum hs_status rec_unpack_read(struct rec_unpack *u, struct rec_in *in, uint32_t *out, size_t cap,
                               size_t *n)
{
	for (;;) {
		enum hs_status status;
		size_t bytes;

		*n = unpack(u, out, cap);
		if (*n > 0)
			return HS_OK;
		if (u->wrong)
			return HS_E_FORMAT;
		status = rec_in_read(in, u->words, sizeof(*u->words) * WORDS, &bytes);
		u->at = 0;
		u->count = bytes / sizeof(*u->words);
		if (status != HS_OK)
			return status;
		if (in->feed == NULL)
			rec_order_words(u->words, u->count);
		if (bytes % sizeof(*u->words) != 0) /* frames hold whole words: cut inside one */
			return HS_E_CUT;
	}
}
