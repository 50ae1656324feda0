/* How fast a protocol's encoder and decoder are, without files: the library's functions on arrays.
 *
 *   codec REC PROTOCOL [NAME=VALUE]...
 *
 * Reads hart 0 of a recording piece by piece, encodes each piece, then decodes the whole trace from
 * memory three times, once into a profile of blocks, and three times into one of paths that are
 * counted.  Between pieces it walks the same blocks without messages (walk.h).  Prints lines "NAME
 * VALUE".  One thread; times are of the processor.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hartscope/protocol.h>
#include <hartscope/recording.h>

#include "counts/counts.h"
#include "flow/memo.h"
#include "program/program.h"
#include "recording/recording.h"
#include "trace/trace.h"
#include "walk.h"

#define BATCH 65536
#define BATCH_ROOM (BATCH * 16) /* more bytes than a batch has on average */
#define REPEATS 3
#define WALK_EACH 8 /* pieces of which one is walked */
#define ROOM 512 /* what encoders ask for at least */

static struct hs_block blocks[BATCH];
static const struct hs_protocol *protocol;

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
static void encode(struct hs_encoder *e, const struct hs_block *b, size_t n, struct trace *t)
{
	while (n > 0) {
		size_t used, len;

		reserve(t, ROOM);
		const enum hs_status s =
			hs_encoder_put(e, b, n, &used, t->p + t->n, t->cap - t->n, &len);

		if (s != HS_OK && s != HS_FULL)
			fail("encode", hs_status_text(s));
		t->n += len;
		b += used;
		n -= used;
	}
}

static void print_messages(const struct hs_encoder *e)
{
	struct hs_message_count counts[64];
	const unsigned n = hs_encoder_counts(e, counts, 64);
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += counts[i].messages;
	printf("messages %" PRIu64 "\n", sum);
}

static void encode_all(struct hs_rec *rec, const void *config, struct trace *t, struct walk *walk)
{
	struct hs_rec_stream *stream;
	struct hs_error error;
	struct hs_encoder *e;
	double reading = 0, encoding = 0;
	uint64_t count = 0, piece = 0;
	size_t n;

	if (hs_rec_stream_open(rec, 0, &stream, &error) != HS_OK)
		fail("stream", error.text);
	must(hs_encoder_new(&e, protocol, config), "encoder");
	for (;;) {
		reserve(t, BATCH_ROOM);
		const double start = now();
		const enum hs_status s = hs_rec_stream_next(stream, blocks, BATCH, &n, &error);
		const double read = now();

		reading += read - start;
		if (s == HS_END)
			break;
		must(s, "reading the recording");
		encode(e, blocks, n, t);
		encoding += now() - read;
		if (piece++ % WALK_EACH == 0 && !walk_blocks(walk, blocks, n))
			fail("walk", "led elsewhere");
		count += n;
	}
	reserve(t, ROOM);
	must(hs_encoder_end(e, t->p + t->n, t->cap - t->n, &n), "encode");
	t->n += n;
	hs_rec_stream_close(stream);
	print_messages(e);
	hs_encoder_free(e);
	printf("blocks %" PRIu64 "\nbytes %zu\nread_seconds %.4f\nencode_seconds %.4f\n", count,
	       t->n, reading, encoding);
}

/* Blocks and events that come out; each has to be written for it to count. */
static uint64_t decode_once(struct hs_decoder *d, const struct trace *t)
{
	struct hs_span in = { t->p, t->n };
	struct hs_fault fault;
	uint64_t count = 0;
	size_t n;
	enum hs_status s;

	do {
		s = hs_decode(d, &in, blocks, BATCH, &n);
		count += n;
		if (s != HS_FULL && s != HS_MORE) {
			hs_decoder_diag(d, s, &fault);
			fail("decode", fault.error.text);
		}
	} while (s == HS_FULL);
	do {
		s = hs_decode_end(d, blocks, BATCH, &n);
		count += n;
	} while (s == HS_FULL);
	must(s, "decode");
	return count;
}

static void decode_all(const struct hs_image *image, const void *config,
                       const struct trace *t)
{
	double best = 1e9;
	uint64_t count = 0;

	for (int i = 0; i < REPEATS; i++) {
		struct hs_decoder *d;

		must(hs_decoder_new(&d, protocol, config, image, NULL), "decoder");
		const double start = now();

		count = decode_once(d, t);
		if (now() - start < best)
			best = now() - start;
		hs_decoder_free(d);
	}
	printf("decoded %" PRIu64 "\ndecode_seconds %.4f\n", count, best);
}

static void take_path(void *profile, const struct hs_path_count *path)
{
	must(hs_profile_add_path(profile, path), "counting");
}

/* Into a profile.  @paths: of paths where they are known.  Returns the seconds that it took. */
static double profile_once(const struct hs_image *image, const void *config, const struct trace *t,
                           struct hs_profile *profile, bool paths)
{
	struct hs_span in = { t->p, t->n };
	struct hs_memo *memo;
	enum hs_status s;
	size_t n;
	struct hs_decoder *d;

	must(hs_decoder_new(&d, protocol, config, image, NULL), "decoder");
	memo = paths ? d->counted : NULL;
	if (memo) {
		hs_memo_pass_times(memo, true);
		hs_memo_count(memo, take_path, profile);
	}
	const double start = now();

	do {
		s = hs_decode(d, &in, blocks, BATCH, &n);
		must(hs_profile_add(profile, blocks, n), "counting");
	} while (s == HS_FULL);
	s = hs_decode_end(d, blocks, BATCH, &n);
	must(hs_profile_add(profile, blocks, n), "counting");
	if (memo)
		hs_memo_flush(memo);
	const double seconds = now() - start;

	must(s, "decode");
	hs_decoder_free(d);
	return seconds;
}

/* The best of some, each of which counts the same instructions.  Of blocks it is one: it takes
 * several times as long, and is compared with less care. */
static void profile_all(struct hs_program *program, const struct hs_image *image,
                        const void *config, const struct trace *t, bool paths)
{
	struct hs_profile_result result;
	double best = 1e9;

	for (int i = 0; i < (paths ? REPEATS : 1); i++) {
		struct hs_profile *profile;

		must(hs_profile_new(program, NULL, &profile), "profile");
		const double seconds = profile_once(image, config, t, profile, paths);

		best = seconds < best ? seconds : best;
		must(hs_profile_get_result(profile, &result), "counting");
		hs_profile_free(profile);
	}
	printf("%s_seconds %.4f\n%s_blocks %" PRIu64 "\n", paths ? "count" : "profile", best,
	       paths ? "count" : "profile", result.blocks);
	if (paths)
		printf("instructions %" PRIu64 "\n", result.instructions);
}

/* The protocol and its parameters; the config is freed by the caller. */
static void *configure(int argc, char **argv)
{
	struct hs_error error;
	void *config;

	protocol = argc > 2 ? hs_protocol_find(argv[2]) : NULL;
	if (!protocol) {
		fprintf(stderr, "usage: codec REC PROTOCOL [NAME=VALUE]...\n");
		exit(2);
	}
	config = calloc(1, protocol->config_size);
	if (!config)
		fail("config", "out of memory");
	hs_protocol_defaults(protocol, config);
	for (int i = 3; i < argc; i++) {
		char *equals = strchr(argv[i], '=');

		if (!equals)
			fail(argv[i], "not NAME=VALUE");
		*equals = '\0';
		if (hs_protocol_set(protocol, config, argv[i], equals + 1, &error) != HS_OK)
			fail(argv[i], error.text);
	}
	return config;
}

int main(int argc, char **argv)
{
	void *config = configure(argc, argv);
	struct hs_program *program;
	struct hs_error error;
	struct hs_rec *rec;
	struct trace t = { 0 };
	struct walk *walk;

	if (hs_rec_open(argv[1], &rec, &error) != HS_OK)
		fail(argv[1], error.text);
	must(hs_program_new(&program), "program");
	if (hs_program_add_image(program, hs_rec_image(rec), &error) != HS_OK)
		fail("code of the recording", error.text);
	walk = walk_new(hs_rec_image(rec));
	if (!walk)
		fail("walk", "out of memory");

	encode_all(rec, config, &t, walk);
	printf("walk_ns %.3f\n", 1e9 * walk_seconds(walk) / (double)walk_steps(walk));
	decode_all(hs_rec_image(rec), config, &t);
	profile_all(program, hs_rec_image(rec), config, &t, false);
	profile_all(program, hs_rec_image(rec), config, &t, true);
	walk_free(walk);
	hs_program_free(program);
	hs_rec_close(rec);
	free(config);
	free(t.p);
	return 0;
}
