/* main() of a fuzz target where libFuzzer is not used: a generated corpus, for a bounded time.
 *
 *   fuzz-NAME [FILE]...               run; each FILE is one more valid input to start from, or a
 *                                     corpus (NAME.corpus) of many
 *   fuzz-NAME --write FOLDER FILE...  write all these inputs as files, for libFuzzer and AFL++
 *   fuzz-NAME --pack FILE FILE...     write the inputs FILE... as a corpus
 *   fuzz-NAME --words FILE            write the target's words as a dictionary
 *
 * HARTSCOPE_FUZZ_SECONDS limits the CPU time of each stage (5), HARTSCOPE_SEED sets the seed (1),
 * HARTSCOPE_FUZZ_CASE runs that one mutation alone, to repeat a failure.
 */
#include <inttypes.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "edit.h"
#include "fuzz.h"

#define SIZE_LIMIT 65536
#define SEEDS_LIMIT 8192
#define OWN_SEEDS_LIMIT 32
#define CORPUS ".corpus"
#define HANG_SECONDS 20
#define STACKED_MUTATIONS 6

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed seeds[SEEDS_LIMIT];
static unsigned seed_count;
static const char *stage = "start";
static uint64_t stage_case;

/* A target without words. */
__attribute__((weak)) size_t fuzz_word(unsigned i, uint8_t *data)
{
	(void)i;
	(void)data;
	return FUZZ_NO_WORDS;
}

/* A target without changes of its own. */
__attribute__((weak)) bool fuzz_mutate(struct fuzz_edit *e)
{
	(void)e;
	return false;
}

/* ---- what is said when an input fails ------------------------------------------ */

static void on_signal(int number)
{
	char line[160];
	const int n = snprintf(line, sizeof(line), "not ok - %s in stage %s, case %" PRIu64 "\n",
	                       number == SIGALRM ? "hang" : "crash", stage, stage_case);

	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		_exit(2);
	signal(SIGABRT, SIG_DFL);
	abort();
}

/* Run one input in an allocation of its exact size, so that a sanitizer sees over-reads. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (!copy)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	if (stage_case++ % 64 == 0)
		alarm(HANG_SECONDS);
}

static void begin(const char *name)
{
	stage = name;
	stage_case = 0;
	alarm(HANG_SECONDS);
}

/* ---- valid inputs --------------------------------------------------------------- */

static void add_seed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	if (!copy || seed_count == SEEDS_LIMIT)
		abort();
	memcpy(copy, data, size);
	seeds[seed_count++] = (struct seed){ copy, size };
}

/* ---- files ---------------------------------------------------------------------- */

static FILE *open_file(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

/* A corpus is inputs one after the other, each after its size in two bytes, less one. */
static void add_corpus(const char *path)
{
	static uint8_t buffer[SIZE_LIMIT];
	FILE *f = open_file(path, "rb");
	uint8_t head[2];

	while (fread(head, 1, sizeof(head), f) == sizeof(head)) {
		const size_t n = 1 + (head[0] | (size_t)head[1] << 8);

		if (fread(buffer, 1, n, f) != n) {
			fprintf(stderr, "%s is cut\n", path);
			exit(2);
		}
		add_seed(buffer, n);
	}
	fclose(f);
}

static void add_file(const char *path)
{
	static uint8_t buffer[SIZE_LIMIT];
	const char *end = strrchr(path, '.');

	if (end && strcmp(end, CORPUS) == 0) {
		add_corpus(path);
		return;
	}
	FILE *f = open_file(path, "rb");
	const size_t n = fread(buffer, 1, sizeof(buffer), f);

	fclose(f);
	if (n > 0)
		add_seed(buffer, n);
}

static void collect_own_seeds(void)
{
	static uint8_t buffer[SIZE_LIMIT];

	for (unsigned i = 0; i < OWN_SEEDS_LIMIT; i++) {
		const size_t n = fuzz_seed(i, buffer, sizeof(buffer));

		if (n == 0)
			break;
		add_seed(buffer, n);
	}
}

static int write_corpus(const char *path)
{
	FILE *f = open_file(path, "wb");
	bool good = true;

	for (unsigned i = 0; i < seed_count; i++) {
		const size_t n = seeds[i].size - 1;
		const uint8_t head[2] = { (uint8_t)n, (uint8_t)(n >> 8) };

		good &= fwrite(head, 1, sizeof(head), f) == sizeof(head) &&
		        fwrite(seeds[i].data, 1, seeds[i].size, f) == seeds[i].size;
	}
	if (fclose(f) == 0 && good)
		return 0;
	perror(path);
	return 2;
}

static int write_seeds(const char *folder)
{
	for (unsigned i = 0; i < seed_count; i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/seed-%u", folder, i);
		f = fopen(path, "wb");
		if (!f || fwrite(seeds[i].data, 1, seeds[i].size, f) != seeds[i].size ||
		    fclose(f)) {
			perror(path);
			return 2;
		}
	}
	return 0;
}

static int write_words(const char *path)
{
	uint8_t word[FUZZ_WORD_MAX];
	FILE *f = fopen(path, "w");
	size_t n;

	if (!f) {
		perror(path);
		return 2;
	}
	for (unsigned i = 0; (n = fuzz_word(i, word)) != FUZZ_NO_WORDS; i++) {
		if (n == 0)
			continue;
		fputc('"', f);
		for (size_t k = 0; k < n; k++)
			fprintf(f, "\\x%02x", word[k]);
		fputs("\"\n", f);
	}
	return fclose(f) ? 2 : 0;
}

/* ---- fixed inputs --------------------------------------------------------------- */

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

/* When a stage that begins now has had its CPU time. */
static clock_t stage_end(void)
{
	return clock() + (clock_t)setting("HARTSCOPE_FUZZ_SECONDS", 5) * CLOCKS_PER_SEC;
}

static void run_fill(int byte)
{
	static uint8_t data[SIZE_LIMIT];
	const clock_t end = stage_end();

	memset(data, byte, sizeof(data));
	run(data, sizeof(data));
	run(data, 4096);
	for (size_t n = 0; n < 300 && clock() < end; n++)
		run(data, n);
}

/* ---- truncations ---------------------------------------------------------------- */

/* How many truncations of an input are tried: every one of a short input, a thousand of a long
 * one. */
static size_t places(const struct seed *s)
{
	return 1 + s->size / (1 + s->size / 1000);
}

/* Truncate each input at its @i-th place, in an order that covers an input evenly at any moment.
 * False: no input has so many. */
static bool truncate_at(size_t i)
{
	const size_t stride = 1009; /* a prime above the number of places */
	bool any = false;

	for (unsigned k = 0; k < seed_count; k++) {
		const struct seed *s = &seeds[k];
		const size_t n = places(s);

		if (i >= n)
			continue;
		any = true;
		run(s->data, i * stride % n * (1 + s->size / 1000));
		if (i == 0)
			run(s->data, s->size);
	}
	return any;
}

/* Those for which there is time: all, where the target is fast. */
static void run_truncations(void)
{
	const clock_t end = stage_end();
	size_t i = 0;

	begin("truncations");
	while (truncate_at(i) && clock() < end)
		i++;
	printf("ok - truncations, at %zu places of each input\n", i);
}

/* ---- mutations ------------------------------------------------------------------ */

static void put_interesting(uint8_t *data, size_t size, uint64_t r)
{
	static const uint64_t values[] = { 0,          1,           0x7f,        0x80,
		                           0xff,       0x7fff,      0x8000,      0xffff,
		                           0x7fffffff, 0x80000000u, 0xffffffffu, INT64_MAX,
		                           UINT64_MAX };
	const uint64_t v = values[r % (sizeof(values) / sizeof(values[0]))];
	const size_t width = (size_t)1 << ((r >> 8) & 3);

	if (size >= width)
		memcpy(data + (r >> 16) % (size - width + 1), &v, width);
}

/* Copy a run of bytes from one place of the input, or of another seed, to another place. */
static void splice(uint8_t *data, size_t size, uint64_t *state)
{
	const struct seed *from = &seeds[fuzz_random(state) % seed_count];
	const size_t most = size < from->size ? size : from->size;
	const size_t n = 1 + fuzz_random(state) % most;
	const size_t a = fuzz_random(state) % (from->size - n + 1);
	const size_t b = fuzz_random(state) % (size - n + 1);

	memmove(data + b, from->data + a, n);
}

static unsigned word_count(void)
{
	uint8_t word[FUZZ_WORD_MAX];
	static unsigned n, counted;

	while (!counted && fuzz_word(n, word) != FUZZ_NO_WORDS)
		n++;
	counted = 1;
	return n;
}

/* Put a word in, or over what is there. */
static size_t put_word(uint8_t *data, size_t size, uint64_t r)
{
	uint8_t word[FUZZ_WORD_MAX];
	const size_t n = fuzz_word((unsigned)((r >> 24) % word_count()), word),
		     at = (r >> 8) % size;

	if (n == 0 || size + n > SIZE_LIMIT)
		return size;
	if (r & 1) {
		memcpy(data + at, word, size - at < n ? size - at : n);
		return size;
	}
	memmove(data + at + n, data + at, size - at);
	memcpy(data + at, word, n);
	return size + n;
}

static size_t mutate_once(uint8_t *data, size_t size, uint64_t *state)
{
	const uint64_t r = fuzz_random(state);
	const size_t at = (r >> 8) % size;

	if (r >> 60 == 0 && word_count())
		return put_word(data, size, fuzz_random(state));
	switch (r & 7) {
	case 0:
	case 1:
		data[at] ^= (uint8_t)(1u << ((r >> 3) & 7));
		return size;
	case 2:
		data[at] = (uint8_t)(r >> 56);
		return size;
	case 3:
		put_interesting(data, size, r >> 8);
		return size;
	case 4:
		splice(data, size, state);
		return size;
	case 5: /* remove one byte */
		memmove(data + at, data + at + 1, size - at - 1);
		return size > 1 ? size - 1 : size;
	case 6: /* insert one byte */
		if (size == SIZE_LIMIT)
			return size;
		memmove(data + at + 1, data + at, size - at);
		data[at] = (uint8_t)(r >> 56);
		return size + 1;
	default: /* a run of random bytes */
		for (size_t i = at; i < size && i < at + ((r >> 40) & 15); i++)
			data[i] = (uint8_t)fuzz_random(state);
		return size;
	}
}

/* A change of the target's own, or one of bytes. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
	const struct seed *other = &seeds[fuzz_random(state) % seed_count];
	struct fuzz_edit e = { data,        size,  SIZE_LIMIT, other->data,
		               other->size, *state };

	if (fuzz_random(&e.state) % 2 && fuzz_mutate(&e)) {
		*state = e.state;
		return e.size;
	}
	return size ? mutate_once(data, size, state) : 0;
}

/* Each case has a seed of its own, so one can be run alone. */
static void run_mutation(uint64_t number, uint64_t base)
{
	static uint8_t data[SIZE_LIMIT];
	uint64_t state = base * 0x100000001b3u + number;
	size_t size;

	if (number % 16 == 0) { /* nothing but noise */
		size = fuzz_random(&state) % 512;
		for (size_t i = 0; i < size; i++)
			data[i] = (uint8_t)fuzz_random(&state);
	} else {
		const struct seed *s = &seeds[fuzz_random(&state) % seed_count];

		size = s->size;
		memcpy(data, s->data, size);
		for (uint64_t n = 1 + fuzz_random(&state) % STACKED_MUTATIONS; n > 0; n--)
			size = mutate(data, size, &state);
	}
	run(data, size);
}

static void run_mutations(void)
{
	const uint64_t base = setting("HARTSCOPE_SEED", 1);
	const clock_t end = stage_end();

	begin("mutations");
	if (getenv("HARTSCOPE_FUZZ_CASE")) {
		run_mutation(setting("HARTSCOPE_FUZZ_CASE", 0), base);
		return;
	}
	do
		run_mutation(stage_case, base);
	while (clock() < end);
	printf("ok - %" PRIu64 " mutations of %u valid inputs, seed %" PRIu64 "\n", stage_case,
	       seed_count, base);
}

/* What is asked for in place of a run; -1: a run. */
static int do_files(int argc, char **argv)
{
	const char *what = argc >= 3 ? argv[1] : "";

	if (strcmp(what, "--words") == 0)
		return write_words(argv[2]);
	if (strcmp(what, "--pack") != 0)
		collect_own_seeds();
	for (int i = what[0] == '-' ? 3 : 1; i < argc; i++)
		add_file(argv[i]);
	if (strcmp(what, "--pack") == 0)
		return write_corpus(argv[2]);
	return strcmp(what, "--write") == 0 ? write_seeds(argv[2]) : -1;
}

int main(int argc, char **argv)
{
	const int done = do_files(argc, argv);

	if (done >= 0)
		return done;
	if (seed_count == 0) {
		printf("not ok - the target has no valid input to start from\n");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGABRT, on_signal);
	signal(SIGALRM, on_signal);
	signal(SIGSEGV, on_signal);

	begin("zeros");
	run_fill(0);
	begin("ones");
	run_fill(0xff);
	printf("ok - zeros and ones\n");
	run_truncations();
	run_mutations();
	for (unsigned i = 0; i < seed_count; i++)
		free(seeds[i].data);
	return 0;
}
