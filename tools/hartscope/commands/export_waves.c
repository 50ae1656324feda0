/* Messages of a trace as a value change dump (VCD), or as FST by vcd2fst: at the time of each
 * message its name, fields and addresses, a scope for each hart. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/export_waves.h"
#include "common/led.h"
#include "common/lines.h"
#include "common/new_file.h"

typedef unsigned long long ull;

#define HARTS 64u
#define SECOND UINT64_C(1000000000) /* in nanoseconds */
#define STEPS 1000u                 /* of the file in one of them */
#define TEXT ((size_t)1 << 16)      /* bytes that are written at once */

extern char **environ;

static const struct {
	const char *name, *text;
} formats[] = {
	{ "vcd", "messages as waves: name, fields, addresses at their times (docs/rtl.md)" },
	{ "fst", "the same for GTKWave, by its vcd2fst" },
};

/* Signals of a hart; a width of 0 is text. */
static const struct {
	const char *name;
	unsigned width;
} signals[] = { { "message", 0 }, { "fields", 0 },  { "function", 0 }, { "address", 64 },
	        { "source", 64 }, { "offset", 64 }, { "number", 64 } };

#define SIGNALS (sizeof(signals) / sizeof(*signals))

struct waves {
	const char *format;
	FILE *file;
	struct lines text; /* of messages, before it is written */
	struct led_reader led;
	uint32_t harts[HARTS];
	uint32_t hart_count;
	uint64_t clock_hz, now, count;
	bool timed; /* a message had a time */
	uint64_t errors;
};

bool is_wave_format(const char *name)
{
	for (size_t i = 0; name && i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return true;
	return false;
}

const char *wave_format_at(size_t index, const char **text)
{
	if (index >= sizeof(formats) / sizeof(*formats))
		return NULL;
	*text = formats[index].text;
	return formats[index].name;
}

/* ---- the file --------------------------------------------------------------------- */

/* Which signal it is in the file: two letters. */
static void put_id(struct waves *w, uint32_t hart, unsigned signal)
{
	const char id[] = { ' ', (char)('!' + hart), (char)('a' + signal), '\n' };

	lines_put(&w->text, id, sizeof(id));
}

static void put_header(struct waves *w)
{
	fprintf(w->file, "$comment messages of a trace, by hartscope $end\n"
	                 "$timescale 1 ps $end\n$scope module hartscope $end\n");
	for (uint32_t h = 0; h < w->hart_count; h++) {
		fprintf(w->file, "$scope module hart%u $end\n", w->harts[h]);
		for (unsigned i = 0; i < SIGNALS; i++)
			fprintf(w->file, "$var %s %u %c%c %s $end\n",
			        signals[i].width ? "wire" : "string",
			        signals[i].width ? signals[i].width : 1, (int)('!' + h),
			        (int)('a' + i), signals[i].name);
		fprintf(w->file, "$upscope $end\n");
	}
	fprintf(w->file, "$upscope $end\n$enddefinitions $end\n");
}

/* A value of text is one word. */
static void put_text(struct waves *w, uint32_t hart, unsigned signal, const char *text)
{
	lines_char(&w->text, 's');
	for (; *text; text++)
		lines_char(&w->text, *text > ' ' && *text < 127 ? *text : '_');
	put_id(w, hart, signal);
}

static void put_number(struct waves *w, uint32_t hart, unsigned signal, uint64_t value)
{
	char digits[65];
	size_t n = 0;
	unsigned bit = 63;

	while (bit && !(value >> bit & 1u))
		bit--;
	digits[n++] = 'b';
	for (unsigned i = bit + 1; i; i--)
		digits[n++] = (char)('0' + (value >> (i - 1) & 1u));
	lines_put(&w->text, digits, n);
	put_id(w, hart, signal);
}

static void put_unknown(struct waves *w, uint32_t hart, unsigned signal)
{
	lines_text(&w->text, "bx");
	put_id(w, hart, signal);
}

/* ---- messages --------------------------------------------------------------------- */

/* Time does not go back; messages at one time are a step after each other, so that each is seen.
 * Where no time is known each message has a nanosecond of its own. */
static void put_time(struct waves *w, const struct hs_followed *l)
{
	uint64_t t = w->timed || l->has_time ? l->time : w->count;

	w->timed |= l->has_time;
	if (l->has_time && w->clock_hz)
		t = t / w->clock_hz * SECOND + t % w->clock_hz * SECOND / w->clock_hz;
	t *= STEPS;
	w->now = w->count && t <= w->now ? w->now + 1 : t;
	lines_char(&w->text, '#');
	lines_decimal(&w->text, w->now);
	lines_char(&w->text, '\n');
}

static uint32_t hart_of(const struct waves *w, uint32_t hart)
{
	const uint32_t i = hart_index(w->harts, w->hart_count, hart);

	return i < w->hart_count ? i : 0;
}

static void put_message(struct waves *w, const struct hs_message *m, const struct hs_followed *l)
{
	const uint32_t hart = hart_of(w, l->hart);
	char text[512], name[LED_NAME] = "-";

	put_time(w, l);
	hs_message_text(m, text, sizeof(text));
	put_text(w, hart, 0, m->name);
	put_text(w, hart, 1, strlen(text) > strlen(m->name) ? text + strlen(m->name) + 1 : "-");
	if (l->has_pc)
		hs_follower_name(w->led.follower, l, l->next, name, sizeof(name));
	put_text(w, hart, 2, name);
	if (l->has_pc)
		put_number(w, hart, 3, l->next);
	else
		put_unknown(w, hart, 3);
	if (l->blocks)
		put_number(w, hart, 4, led_source(&l->last));
	else
		put_unknown(w, hart, 4);
	put_number(w, hart, 5, m->offset);
	put_number(w, hart, 6, w->count);
	w->count++;
}

static bool add_hart(struct waves *w, uint32_t hart)
{
	if (hart_index(w->harts, w->hart_count, hart) < w->hart_count)
		return true;
	if (w->hart_count == HARTS) {
		complain("the trace has more than %u harts", HARTS);
		return false;
	}
	w->harts[w->hart_count++] = hart;
	return true;
}

/* Write the text of the messages so far. */
static bool write_text(struct waves *w)
{
	const bool good = !w->text.failed &&
	                  (!w->text.n || fwrite(w->text.text, 1, w->text.n, w->file) == w->text.n);

	if (w->text.failed)
		complain("out of memory");
	w->text.n = 0;
	return good;
}

static bool follow_message(struct waves *w, const struct hs_message *m)
{
	struct hs_followed l;

	led_follow(&w->led, m->offset + m->length, &l);
	put_message(w, m, &l);
	return w->text.n < TEXT || write_text(w);
}

/* Call @take for each message.  False: it said so, or reading failed. */
static bool each_message(struct waves *w, const struct options *o,
                         bool (*take)(struct waves *w, const struct hs_message *m), int *status)
{
	struct hs_source *source = open_argument(o, status);
	struct hs_message m;
	struct hs_error e;
	enum hs_status s = HS_OK;
	bool good = source != NULL;

	w->errors = 0;
	while (good && s != HS_END) {
		m = (struct hs_message){ 0 };
		s = hs_source_message(source, &m, &e);
		if (s == HS_OK)
			good = take(w, &m);
		else if (s != HS_END && !w->errors++ && take == follow_message)
			complain("%s", e.text);
		good &= s != HS_E_SYSTEM;
	}
	if (source && !good)
		*status = EXIT_DAMAGED;
	hs_source_close(source);
	return good;
}

static bool find_hart(struct waves *w, const struct hs_message *m)
{
	return add_hart(w, m->has_source ? m->source : 0);
}

static bool write_messages(struct waves *w, struct options *o, int *status)
{
	o->source.no_code = !hs_source_names_code(&o->source); /* for widths of addresses */
	if (!each_message(w, o, find_hart, status))
		return false;
	put_header(w);
	bool good = each_message(w, o, follow_message, status);

	if (!write_text(w)) /* also what came before an error */
		good = false;
	if (w->led.errors)
		complain("%llu messages contradict the program", (ull)w->led.errors);
	if (good && w->count && !w->timed && !o->quiet)
		complain("%s has no times: each message is a nanosecond", o->args[0]);
	*status = w->errors || w->led.errors ? EXIT_DAMAGED : EXIT_GOOD;
	return good && fflush(w->file) == 0;
}

/* ---- FST -------------------------------------------------------------------------- */

/* Make @to of the dump @from.  False: after a complaint. */
static bool convert(const char *from, const char *to)
{
	char program[] = "vcd2fst", v[] = "-v", f[] = "-f";
	char *const argv[] = {
		program, v, (char *)(uintptr_t)from, f, (char *)(uintptr_t)to, NULL
	};
	posix_spawn_file_actions_t actions;
	int state = 0, failed;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	failed = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failed)
		complain(
			"FST is written by vcd2fst (%s): install the package gtkwave, or write vcd",
			strerror(failed));
	else if (waitpid(pid, &state, 0) != pid || state)
		complain("vcd2fst could not write %s", to);
	return !failed && !state;
}

/* Write to a file that goes away, and make FST of it. */
static bool write_fst(struct waves *w, struct options *o, const struct new_file *file, int *status)
{
	char *dump = NULL;

	if (!file->temporary || asprintf(&dump, "%s.vcd", file->temporary) < 0) {
		complain("fst is a file: -o says which");
		*status = EXIT_USAGE;
		return false;
	}
	w->file = fopen(dump, "w");
	if (!w->file)
		complain("%s: %s", dump, strerror(errno));
	bool good = w->file && write_messages(w, o, status);

	if (w->file)
		good &= fclose(w->file) == 0;
	good = good && convert(dump, file->temporary);
	unlink(dump);
	free(dump);
	return good;
}

static bool write_vcd(struct waves *w, struct options *o, const struct new_file *file, int *status)
{
	w->file = fdopen(dup(file->fd), "w");
	bool good = w->file && write_messages(w, o, status);

	if (w->file)
		good &= fclose(w->file) == 0;
	if (!good && !has_complained())
		complain("%s: %s", file->path, strerror(errno));
	return good;
}

/* ---- the command ------------------------------------------------------------------ */

static int write_to(struct waves *w, struct options *o, struct new_file *file)
{
	int status = EXIT_DAMAGED;
	const bool good =
		(strcmp(w->format, "fst") == 0 ? write_fst : write_vcd)(w, o, file, &status);

	if (!good)
		return status == EXIT_GOOD ? EXIT_DAMAGED : status;
	if (!new_file_commit(file))
		return EXIT_DAMAGED;
	if (!o->quiet && o->output && strcmp(o->output, "-") != 0)
		fprintf(stderr, "hartscope: %s: %llu messages\n", o->output, (ull)w->count);
	return status;
}

int export_waves(struct options *o, const char *format, uint64_t clock_hz)
{
	static struct waves w;
	struct new_file file;
	int status = EXIT_USAGE;

	if (refuse_recording(o->args[0], "encode it first, messages have waves"))
		return status;
	if (o->range.given || o->source.one_hart || o->source.select) {
		complain("--format %s has all messages: not with --from, --hart or other choices",
		         format);
		return status;
	}
	w.format = format;
	w.clock_hz = clock_hz;
	if (!led_open(&w.led, o, o->args[0], 0, &status))
		return status;
	if (new_file_open(&file, o->output ? o->output : "-")) {
		status = write_to(&w, o, &file);
		new_file_discard(&file);
	}
	led_close(&w.led);
	lines_free(&w.text);
	return status;
}
