/* Several threads give what one gives (design/chunks), and slices together what the whole gives
 * (design/parts): items, errors, reasons and counts of messages of pieces of a trace, some of them
 * damaged, with random numbers of threads and slices and sizes of chunks.
 *
 *   threads PROGRAM TRACE CASES      prints what differs, and how many slices there were and how
 *                                    many began; 0: nothing differs
 *   threads REC OUT                  writes the blocks of a recording with changes of the context
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/recording.h>
#include <hartscope/source.h>

#include "flow/memo.h"
#include "recording/recording.h"
#include "trace/trace.h"
#include "source/source.h"

#define BATCH 4096u
#define TYPES 64u

static uint64_t state;

static uint32_t pick(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* What a source gave. */
struct result {
	struct hs_block *items;
	size_t count, cap;
	char *errors;
	size_t error_size, error_count;
	struct hs_message_count counts[TYPES];
	unsigned types;
	uint64_t bytes;
};

static void add_error(struct result *r, enum hs_status s, enum hs_reason why, const char *text)
{
	char line[700];
	const int n = snprintf(line, sizeof(line), "%zu %d %d %s\n", r->count, s, why, text);

	r->errors = realloc(r->errors, r->error_size + (size_t)n + 1);
	if (!r->errors)
		abort();
	memcpy(r->errors + r->error_size, line, (size_t)n + 1);
	r->error_size += (size_t)n;
	r->error_count++;
}

static void read_items(struct hs_source *source, struct result *r)
{
	enum hs_status s = HS_OK;

	while (s != HS_END) {
		struct hs_error e = { 0 };
		size_t n;

		if (r->cap - r->count < BATCH) {
			r->cap = 2 * r->cap + BATCH;
			r->items = reallocarray(r->items, r->cap, sizeof(*r->items));
			if (!r->items)
				abort();
		}
		s = hs_source_next(source, r->items + r->count, 64 + pick(BATCH - 64), &n, &e);
		r->count += n;
		if (s != HS_OK && s != HS_END)
			add_error(r, s, hs_source_known(source)->reason, e.text);
	}
}

static void add_to_result(void *result, const struct hs_block *items, size_t n)
{
	struct result *r = result;

	if (r->cap - r->count < n) {
		r->cap = 2 * r->cap + n;
		r->items = reallocarray(r->items, r->cap, sizeof(*r->items));
		if (!r->items)
			abort();
	}
	if (n)
		memcpy(r->items + r->count, items, n * sizeof(*items));
	r->count += n;
}

/* Messages of a type are counted once for each slice. */
static void add_counts(struct result *r, const struct hs_source *source)
{
	struct hs_message_count counts[TYPES];
	const unsigned n = hs_source_counts(source, counts, TYPES);

	r->types = hs_message_counts_add(r->counts, r->types, TYPES, counts, n);
}

static struct hs_source *open_trace(const struct hs_source_options *o, struct result *r)
{
	struct hs_source *source;
	struct hs_error e = { 0 };

	r->count = r->error_size = r->error_count = r->types = 0;
	r->bytes = o->trace.n;
	if (hs_source_open(o, &source, &e) == HS_OK)
		return source;
	fprintf(stderr, "threads: %s\n", e.text);
	return NULL;
}

static bool read_all(const struct hs_source_options *o, struct result *r)
{
	struct hs_source *source = open_trace(o, r);

	if (!source)
		return false;
	read_items(source, r);
	add_counts(r, source);
	r->bytes = hs_source_bytes(source, NULL);
	hs_source_close(source);
	return true;
}

/* ---- items that threads share ------------------------------------------------------ */

static void *begin_share(void *to)
{
	return to;
}

static void end_share(void *worker)
{
	(void)worker;
}

static bool add_share(void *worker, void **share, const struct hs_block *items, size_t n)
{
	(void)worker;
	if (!*share)
		*share = calloc(1, sizeof(struct result));
	if (!*share)
		abort();
	add_to_result(*share, items, n);
	return true;
}

static void take_share(void *to, void *worker, const void *share)
{
	const struct result *s = share;

	(void)worker;
	add_to_result(to, s->items, s->count);
}

static void clear_share(void *share)
{
	((struct result *)share)->count = 0;
}

static void free_share(void *share)
{
	free(((struct result *)share)->items);
	free(share);
}

static size_t shared; /* items, in all cases */

/* All items to @take, and errors to @r.  Returns how many items. */
static size_t view_all(struct hs_source *source, struct result *r,
                       void (*take)(void *to, const struct hs_block *items, size_t n), void *to)
{
	enum hs_status s = HS_OK;
	size_t given = 0;

	while (s != HS_END) {
		const struct hs_block *items;
		struct hs_error e = { 0 };
		size_t n;

		s = hs_source_view(source, &items, &n, &e);
		take(to, items, n);
		given += n;
		if (s != HS_OK && s != HS_END)
			add_error(r, s, hs_source_known(source)->reason, e.text);
	}
	return given;
}

/* As read_all(), with items that threads keep until it is their turn. */
static bool share_all(const struct hs_source_options *o, struct result *r)
{
	const struct hs_source_work work = { r,	         begin_share, end_share, add_share,
		                             take_share, clear_share, free_share };
	struct hs_source *source = open_trace(o, r);

	if (!source || !source_share(source, &work))
		return false;
	const size_t given = view_all(source, r, add_to_result, r);
	shared += r->count - given;
	add_counts(r, source);
	r->bytes = hs_source_bytes(source, NULL);
	hs_source_close(source);
	return true;
}

/* ---- runs that are counted -------------------------------------------------------- */

static bool passes; /* times divide nothing, and one is like the other */

/* Blocks in any order, each with how many items before it divide runs, and those items. */
struct sum {
	uint64_t blocks, hash, era;
};

static void add_block(struct sum *s, const struct hs_block *b, uint64_t times)
{
	uint64_t words[2], mixed = s->era;

	memcpy(words, b, sizeof(words));
	if (passes && b->kind == HS_KIND_TIME)
		words[0] = 0;
	for (unsigned i = 0; i < 2; i++) {
		mixed = (mixed ^ words[i]) * 0x9e3779b97f4a7c15u;
		mixed ^= mixed >> 29;
	}
	s->hash += mixed * times;
	s->blocks += b->kind == HS_KIND_BLOCK ? times : 0;
}

static void add_run(void *sum, const struct hs_path_count *run)
{
	for (size_t i = 0; i < run->n; i++)
		add_block(sum, &run->blocks[i], run->times);
}

/* Notes say how the items came about. */
static void add_to_sum(void *sum, const struct hs_block *b, size_t n)
{
	struct sum *s = sum;

	for (size_t i = 0; i < n; i++) {
		s->era += hs_memo_divides(&b[i]) && !(passes && b[i].kind == HS_KIND_TIME);
		if (b[i].kind != HS_KIND_NOTE)
			add_block(s, &b[i], 1);
	}
}

/* As read_all() with counted runs, but for where errors are. */
static bool count_all(const struct hs_source_options *o, struct result *r, struct sum *sum)
{
	struct hs_source *source = open_trace(o, r);

	*sum = (struct sum){ 0 };
	if (source && passes)
		source_pass_times(source);
	if (!source || !source_count_paths(source, add_run, sum))
		return false;
	view_all(source, r, add_to_sum, sum);
	add_counts(r, source);
	r->bytes = hs_source_bytes(source, NULL);
	hs_source_close(source);
	return true;
}

/* Is what several threads count what @one has? */
static const char *count_differs_as(const struct hs_source_options *o, const struct result *one)
{
	static struct result counted;
	struct sum sum, want = { 0 };
	const char *what;

	if (!count_all(o, &counted, &sum))
		return "counted runs: not counted";
	add_to_sum(&want, one->items, one->count);
	what = sum.blocks != want.blocks || sum.hash != want.hash ? "counted blocks"
	       : counted.error_count != one->error_count          ? "errors of counting"
	       : counted.bytes != one->bytes                      ? "bytes of counting"
	                                                          : NULL;
	for (unsigned i = 0; i < one->types && !what; i++)
		if (one->types != counted.types ||
		    one->counts[i].messages != counted.counts[i].messages ||
		    one->counts[i].bytes != counted.counts[i].bytes)
			what = "messages of counting";
	free(counted.errors);
	counted = (struct result){ 0 };
	return what;
}

static const char *count_differs(const struct hs_source_options *o, const struct result *one)
{
	passes = false;
	const char *what = count_differs_as(o, one);

	passes = true;
	return what ? what : count_differs_as(o, one);
}

static unsigned slices, begun; /* in all cases, but for the first of each */

/* The slices of a trace, each from where the one before says. */
static bool read_slices(const struct hs_source_options *o, struct result *r, uint32_t count)
{
	struct hs_source_slice slice = { .next = 1 };
	struct hs_source *source = open_trace(o, r);

	if (!source)
		return false;
	slices += count - 1;
	for (uint64_t end = 0; slice.next; end = slice.end) {
		struct hs_error e = { 0 };

		if (hs_source_begin_slice(source, slice.next, count, &e) != HS_OK)
			fprintf(stderr, "threads: slice %u: %s\n", slice.next, e.text);
		read_items(source, r);
		slice = *hs_source_known(source)->slice;
		if (slice.empty || slice.begin != end) {
			fprintf(stderr, "threads: slice %u of %u does not follow\n", slice.number,
			        count);
			return false;
		}
		begun += slice.number > 1;
		add_counts(r, source);
	}
	hs_source_close(source);
	return true;
}

static const char *difference(const struct result *a, const struct result *b)
{
	if (a->count != b->count || memcmp(a->items, b->items, a->count * sizeof(*a->items)) != 0)
		return "items";
	if (a->error_size != b->error_size ||
	    (a->error_size && memcmp(a->errors, b->errors, a->error_size) != 0))
		return "errors";
	if (a->bytes != b->bytes)
		return "bytes";
	for (unsigned i = 0; i < a->types; i++)
		if (a->types != b->types || strcmp(a->counts[i].name, b->counts[i].name) != 0 ||
		    a->counts[i].messages != b->counts[i].messages ||
		    a->counts[i].bytes != b->counts[i].bytes)
			return "counts";
	return NULL;
}

static uint8_t *read_file(const char *path, size_t *n)
{
	const size_t most = (size_t)64 << 20;
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = malloc(most);

	if (!f || !bytes)
		abort();
	*n = fread(bytes, 1, most, f);
	fclose(f);
	return bytes;
}

/* A byte in or next to a message that synchronises, at which chunks are cut. */
static size_t pick_seam(const struct hs_trace_params *params, const uint8_t *trace, size_t n)
{
	const struct hs_span bytes = { trace, 1 + pick((uint32_t)n) };
	const size_t at = hs_trace_params_protocol(params)->codec->find_cut(
		hs_trace_params_config(params), &bytes, true);
	const size_t near = at + pick(12);

	return near < 2 ? 0 : near - 2 < n ? near - 2 : n - 1;
}

/* A piece of the trace from its start, damaged in some cases, in others at seams. */
static struct hs_span random_piece(const struct hs_trace_params *params, const uint8_t *trace,
                                   size_t size, uint8_t *to)
{
	const size_t most = size < 400000 ? size : 400000, n = 1 + pick((uint32_t)most);
	const unsigned kind = pick(3);

	memcpy(to, trace, n);
	for (unsigned damage = kind ? pick(20) : 0; damage; damage--) {
		const size_t at = kind == 1 ? pick((uint32_t)n) : pick_seam(params, trace, n);

		to[at] ^= (uint8_t)(1u << pick(8));
	}
	return (struct hs_span){ to, n };
}

/* Some hundred blocks or some ten thousand, in a context or in another one. */
static enum hs_status copy_piece(struct hs_rec_stream *from, struct hs_rec_writer *to)
{
	const struct hs_block in = { .value = 1 + pick(3), .arg = 2, .priv = HS_PRIV_U,
		                     .kind = HS_KIND_CONTEXT };
	enum hs_status s = hs_rec_write(to, &in, 1, NULL);
	struct hs_block b[256];
	size_t n;

	for (unsigned left = 1 + pick(pick(2) ? 4 : 200); left && s == HS_OK; left--) {
		s = hs_rec_stream_next(from, b, 256, &n, NULL);
		if (s == HS_OK)
			s = hs_rec_write(to, b, n, NULL);
	}
	return s;
}

static int copy_with_contexts(const char *path, const char *out)
{
	struct hs_rec *rec;
	struct hs_rec_stream *from;
	struct hs_rec_writer_options o = { .size = sizeof(o), .xlen = 64 };
	struct hs_rec_writer *to;

	if (hs_rec_open(path, &rec, NULL) != HS_OK)
		return 2;
	o.image = hs_rec_image(rec);
	if (hs_rec_stream_open(rec, 0, &from, NULL) != HS_OK ||
	    hs_rec_create(out, &o, &to, NULL) != HS_OK)
		return 2;
	enum hs_status s = HS_OK;

	while (s == HS_OK)
		s = copy_piece(from, to);
	if (hs_rec_finish(to, true, "exit 0", NULL) != HS_OK)
		s = HS_E_SYSTEM;
	hs_rec_stream_close(from);
	hs_rec_close(rec);
	return s == HS_END ? 0 : 2;
}

int main(int argc, char **argv)
{
	static struct result one, several;
	size_t size;

	if (argc == 3)
		return copy_with_contexts(argv[1], argv[2]);
	if (argc != 4)
		return 2;
	uint8_t *trace = read_file(argv[2], &size), *piece = malloc(size);
	const struct hs_code_file program = { .kind = HS_CODE_ELF, .path = argv[1] };
	struct hs_trace_params_options po = { .size = sizeof(po), .trace = argv[2] };
	struct hs_trace_params *params;
	int differ = 0;

	if (!piece || hs_trace_params_open(&po, &params, NULL) != HS_OK)
		return 2;
	for (int i = 0; i < atoi(argv[3]) && !differ; i++) {
		state = (uint64_t)i;
		struct hs_source_options o = { .size = sizeof(o), .path = "trace", .code = &program,
			                       .code_count = 1, .params = params,
			                       .trace = random_piece(params, trace, size, piece) };

		if (!read_all(&o, &one))
			return 2;
		o.threads = 2 + pick(7);
		o.thread_bytes = 8192 + pick(40000);
		if (!read_all(&o, &several))
			return 2;
		const char *what = difference(&one, &several);

		if (!what)
			what = count_differs(&o, &one);
		if (!what && !share_all(&o, &several))
			return 2;
		if (!what)
			what = difference(&one, &several);
		const uint32_t count = 1 + pick(9);

		differ = what != NULL;
		if (what)
			printf("case %d: %s differ: %zu bytes, %u threads, chunks of %u\n", i, what,
			       o.trace.n, o.threads, o.thread_bytes);
		if (differ)
			break;
		if (!read_slices(&o, &several, count))
			return 2;
		what = difference(&one, &several);
		differ = what != NULL;
		if (what)
			printf("case %d: %s differ: %zu bytes, %u slices, chunks of %u\n", i, what,
			       o.trace.n, count, o.thread_bytes);
	}
	printf("%u slices after the first, %u begun; %zu items were in shares\n", slices, begun,
	       shared);
	hs_trace_params_free(params);
	free(trace);
	free(piece);
	free(one.items);
	free(several.items);
	free(one.errors);
	free(several.errors);
	return differ;
}
