/* A program to look at with hartscope: it writes a long text with a small grammar, counts its words
 * and its pairs of neighbouring words in a hash table, sorts them two ways through a comparator,
 * and prints the first ones.
 *
 *   sort [SENTENCES]
 *
 * It is deterministic, takes some 75 million instructions, and has what makes control flow worth
 * tracing: recursion, calls through pointers, branches that data decides, and a tight loop.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCES 12000
#define SLOTS 4096 /* a power of two, well above the number of words and pairs */

/* ---- pseudo-random numbers ---------------------------------------------------- */

static uint32_t seed = 2463534242u;

/* Marsaglia's xorshift: the same numbers on every machine. */
static uint32_t rnd(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % below;
}

/* ---- text that grows ---------------------------------------------------------- */

struct text {
	char *s;
	size_t len, cap;
};

static void text_add(struct text *t, const char *s, size_t n)
{
	if (t->len + n + 1 > t->cap) {
		t->cap = 2 * (t->len + n + 1);
		t->s = realloc(t->s, t->cap);
		if (!t->s)
			abort();
	}
	memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = '\0';
}

static void text_word(struct text *t, const char *word)
{
	if (t->len > 0)
		text_add(t, " ", 1);
	text_add(t, word, strlen(word));
}

/* ---- a grammar ---------------------------------------------------------------- */

enum symbol { SENTENCE, SUBJECT, PHRASE, NOUN, VERB, ADJECTIVE, SYMBOLS };

#define WORDS(...) (const char *const[]){ __VA_ARGS__, NULL }

static const char *const *const nouns =
	WORDS("hart", "core", "trace", "branch", "message", "block", "loop", "stack", "cache",
              "bus", "clock", "probe", "buffer", "packet", "bit", "counter", "timer", "table");
static const char *const *const verbs =
	WORDS("follows", "takes", "skips", "retires", "reports", "fills", "calls", "returns",
              "counts", "encodes", "drops", "joins");
static const char *const *const adjectives =
	WORDS("short", "long", "taken", "direct", "silent", "late", "early", "wide", "narrow",
              "old", "warm", "odd");

static const char *pick(const char *const *words)
{
	uint32_t n = 0;

	while (words[n])
		n++;
	return words[rnd(n)];
}

static void expand(struct text *t, enum symbol s);

static void expand_sentence(struct text *t)
{
	expand(t, SUBJECT);
	expand(t, VERB);
	expand(t, SUBJECT);
	if (rnd(3) == 0) {
		text_word(t, "and");
		expand(t, SENTENCE);
	}
}

static void expand_subject(struct text *t)
{
	text_word(t, rnd(2) ? "the" : "a");
	expand(t, PHRASE);
}

static void expand_phrase(struct text *t)
{
	if (rnd(3) == 0) {
		expand(t, ADJECTIVE);
		expand(t, PHRASE);
	} else {
		expand(t, NOUN);
	}
}

static void expand_noun(struct text *t)
{
	text_word(t, pick(nouns));
}

static void expand_verb(struct text *t)
{
	text_word(t, pick(verbs));
}

static void expand_adjective(struct text *t)
{
	text_word(t, pick(adjectives));
}

static void (*const rules[SYMBOLS])(struct text *) = {
	[SENTENCE] = expand_sentence, [SUBJECT] = expand_subject, [PHRASE] = expand_phrase,
	[NOUN] = expand_noun, [VERB] = expand_verb, [ADJECTIVE] = expand_adjective,
};

static void expand(struct text *t, enum symbol s)
{
	rules[s](t);
}

/* ---- counting words ----------------------------------------------------------- */

struct word {
	const char *s;
	size_t len;
	unsigned count;
};

struct words {
	struct word slot[SLOTS];
	unsigned used;
};

/* FNV-1a. */
static uint32_t hash(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619u;
	return h;
}

static void words_count(struct words *w, const char *s, size_t len)
{
	uint32_t i = hash(s, len) % SLOTS;

	while (w->slot[i].s && (w->slot[i].len != len || memcmp(w->slot[i].s, s, len) != 0))
		i = (i + 1) % SLOTS;
	if (!w->slot[i].s) {
		w->slot[i] = (struct word){ s, len, 0 };
		w->used++;
	}
	w->slot[i].count++;
}

/* Count each word, and each word with the one before it. */
static void words_of(struct words *w, const struct text *t)
{
	size_t start = 0, before = 0;

	for (size_t i = 0; i <= t->len; i++) {
		if (i < t->len && t->s[i] != ' ')
			continue;
		words_count(w, t->s + start, i - start);
		if (start > 0)
			words_count(w, t->s + before, i - before);
		before = start;
		start = i + 1;
	}
}

/* ---- sorting ------------------------------------------------------------------ */

typedef int comparator(const struct word *a, const struct word *b);

static int by_text(const struct word *a, const struct word *b)
{
	const size_t n = a->len < b->len ? a->len : b->len;
	const int order = memcmp(a->s, b->s, n);

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int by_count(const struct word *a, const struct word *b)
{
	return a->count != b->count ? (a->count < b->count) - (a->count > b->count) : by_text(a, b);
}

/* Quicksort; the middle element is the pivot. */
static void sort(struct word *w, long low, long high, comparator *compare)
{
	const struct word pivot = w[low + (high - low) / 2];
	long i = low, j = high;

	while (i <= j) {
		while (compare(&w[i], &pivot) < 0)
			i++;
		while (compare(&w[j], &pivot) > 0)
			j--;
		if (i > j)
			break;
		const struct word held = w[i];
		w[i++] = w[j];
		w[j--] = held;
	}
	if (low < j)
		sort(w, low, j, compare);
	if (i < high)
		sort(w, i, high, compare);
}

/* ---- the whole ---------------------------------------------------------------- */

static struct word *list_of(const struct words *w)
{
	struct word *list = calloc(w->used, sizeof(*list));
	unsigned n = 0;

	if (!list)
		abort();
	for (unsigned i = 0; i < SLOTS; i++)
		if (w->slot[i].s)
			list[n++] = w->slot[i];
	return list;
}

static void print(const struct word *list, unsigned n, const char *title)
{
	printf("%s", title);
	for (unsigned i = 0; i < n; i++)
		printf("%s %u %.*s", i ? "," : "", list[i].count, (int)list[i].len, list[i].s);
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct words words;
	const int sentences = argc > 1 ? atoi(argv[1]) : SENTENCES;
	struct text text = { 0 };

	for (int i = 0; i < sentences; i++)
		expand(&text, SENTENCE);
	words_of(&words, &text);

	struct word *list = list_of(&words);

	printf("%zu characters, %u different words and pairs\n", text.len, words.used);
	sort(list, 0, (long)words.used - 1, by_text);
	print(list, 6, "first in the alphabet:");
	sort(list, 0, (long)words.used - 1, by_count);
	print(list, 6, "most often:           ");
	free(list);
	free(text.s);
	return 0;
}
