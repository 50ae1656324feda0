/* How fast the N-Trace encoder and decoder are, without files: the library's functions on arrays.
 *
 *   codec REC {btm|htm}
 *
 * Reads hart 0 of a recording piece by piece, encodes each piece, then decodes the whole trace from
 * memory three times.  Prints lines "NAME VALUE".  One thread; times are of the processor.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hartscope/ntrace.h>
#include <hartscope/profile.h>
#include <hartscope/recording.h>

#define BATCH 65536
#define BATCH_ROOM (BATCH * 16) /* more bytes than a batch has on average */
#define REPEATS 3
#define TABLE (1u << 20)

static struct hs_block blocks[BATCH];

struct trace {
	uint8_t *p;
	size_t n, cap;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "codec: %s: %s\n", what, why);
	exit(1);
}

static void must(enum hs_status s, const char *what)
{
	if (s != HS_OK)
		fail(what, hs_status_text(s));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Have room for @n more bytes, in pages that were touched. */
static void reserve(struct trace *t, size_t n)
{
	if (t->cap - t->n >= n)
		return;
	t->cap = 2 * (t->n + n);
	t->p = realloc(t->p, t->cap);
	if (!t->p)
		fail("trace", "out of memory");
	memset(t->p + t->n, 0, t->cap - t->n);
}

/* Encode a batch.  Room for all of it is made outside the time that is measured. */
static void encode(struct hs_nt_encoder *e, const struct hs_block *b, size_t n, struct trace *t)
{
	while (n > 0) {
		size_t used, len;

		reserve(t, HS_NT_ENCODE_ROOM);
		const enum hs_status s = hs_nt_encode(e, b, n, &used, t->p + t->n, t->cap - t->n, &len);

		if (s != HS_OK && s != HS_FULL)
			fail("encode", hs_status_text(s));
		t->n += len;
		b += used;
		n -= used;
	}
}

static void encode_all(struct hs_rec *rec, const struct hs_nt_config *config, struct trace *t,
                       struct hs_profile *profile)
{
	struct hs_rec_stream *stream;
	struct hs_error error;
	struct hs_nt_encoder e;
	double reading = 0, encoding = 0;
	uint64_t count = 0;
	size_t n;

	if (hs_rec_stream_open(rec, 0, &stream, &error) != HS_OK)
		fail("stream", error.text);
	must(hs_nt_encoder_init(&e, config), "encoder");
	for (;;) {
		reserve(t, BATCH_ROOM);
		const double start = now();
		const enum hs_status s = hs_rec_stream_next(stream, blocks, BATCH, &n, &error);
		const double read = now();

		reading += read - start;
		if (s == HS_END)
			break;
		must(s, "reading the recording");
		encode(&e, blocks, n, t);
		encoding += now() - read;
		must(hs_profile_add(profile, blocks, n), "counting");
		count += n;
	}
	reserve(t, HS_NT_ENCODE_ROOM);
	must(hs_nt_encode_end(&e, t->p + t->n, t->cap - t->n, &n), "encode");
	t->n += n;
	hs_rec_stream_close(stream);
	printf("blocks %" PRIu64 "\nbytes %zu\nread_seconds %.4f\nencode_seconds %.4f\n", count, t->n,
	       reading, encoding);
}

/* Blocks and events that come out; each has to be written for it to count. */
static uint64_t decode_once(struct hs_nt_decoder *d, const struct trace *t)
{
	struct hs_span in = { t->p, t->n };
	uint64_t count = 0;
	enum hs_status s;
	size_t n;

	do {
		s = hs_nt_decoder_next(d, &in, blocks, BATCH, &n);
		count += n;
		if (s != HS_FULL && s != HS_MORE)
			fail("decode", hs_nt_decoder_diag(d)->why);
	} while (s == HS_FULL);
	do {
		s = hs_nt_decoder_end(d, blocks, BATCH, &n);
		count += n;
	} while (s == HS_FULL);
	must(s, "decode");
	return count;
}

static void decode_all(const struct hs_image *image, const struct hs_nt_config *config,
                       const struct trace *t)
{
	void *memory = malloc(hs_bb_memory(TABLE));
	double best = 1e9;
	uint64_t count = 0;

	if (!memory)
		fail("table", "out of memory");
	for (int i = 0; i < REPEATS; i++) {
		struct hs_bb_table table;
		struct hs_nt_source source;
		struct hs_nt_decoder d;
		const double start = now();

		must(hs_bb_init(&table, image, memory, TABLE), "table");
		must(hs_nt_decoder_init(&d, config, &table, &source, 1), "decoder");
		count = decode_once(&d, t);
		if (now() - start < best)
			best = now() - start;
	}
	free(memory);
	printf("decoded %" PRIu64 "\ndecode_seconds %.4f\n", count, best);
}

static void print_instructions(struct hs_profile *profile)
{
	const struct hs_profile_function *functions;
	struct hs_profile_totals totals;
	size_t n;

	must(hs_profile_result(profile, &totals, &functions, &n), "counting");
	printf("instructions %" PRIu64 "\n", totals.instructions);
}

int main(int argc, char **argv)
{
	struct hs_nt_config config = { .size = sizeof(config) };
	struct hs_profile *profile;
	struct hs_program *program;
	struct hs_error error;
	struct hs_rec *rec;
	struct trace t = { 0 };

	if (argc != 3 || (strcmp(argv[2], "btm") != 0 && strcmp(argv[2], "htm") != 0)) {
		fprintf(stderr, "usage: codec REC {btm|htm}\n");
		return 2;
	}
	config.inst_mode = strcmp(argv[2], "btm") == 0 ? HS_NT_BTM : HS_NT_HTM;
	if (hs_rec_open(argv[1], &rec, &error) != HS_OK)
		fail(argv[1], error.text);
	must(hs_program_new(&program), "program");
	if (hs_program_add_image(program, hs_rec_image(rec), &error) != HS_OK)
		fail("code of the recording", error.text);
	must(hs_profile_new(program, NULL, &profile), "profile");

	encode_all(rec, &config, &t, profile);
	print_instructions(profile);
	decode_all(hs_rec_image(rec), &config, &t);
	hs_profile_free(profile);
	hs_program_free(program);
	hs_rec_close(rec);
	free(t.p);
	return 0;
}
