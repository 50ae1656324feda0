/* Words to people: errors, damage, progress. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hartscope/status.h>

#include "common/limits.h"
#include "common/new_file.h"
#include "common/tool.h"

/* Bytes that a pipe may hold (65536 where nobody asks).  More of them leave the caches before they
 * are read. */
#define PIPE_ROOM (1 << 18)

static void print_line(const char *before, const char *text)
{
	char line[8192], whole[sizeof(line) + 32];

	hs_text_escape(line, sizeof(line), text);
	snprintf(whole, sizeof(whole), "%s%s\n", before, line);
	if (!terminal_keep(whole))
		fputs(whole, stderr);
}

/* What the lines of @text have of others does nothing on a terminal. */
static void print_escaped(const char *before, char *text)
{
	for (char *end; text; text = end, before = "") {
		end = strchr(text, '\n');
		if (end)
			*end++ = '\0';
		print_line(before, text);
	}
}

static atomic_bool complained;

void complain(const char *format, ...)
{
	char text[4096];
	va_list ap;

	fflush(stdout);
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	complained = true;
	print_escaped("hartscope: ", text);
	limits_explain(text);
}

void guess_try(struct guess *g, const char *name)
{
	const unsigned far = hs_text_distance(g->wanted, name);

	if (g->best && far >= g->distance)
		return;
	g->best = name;
	g->distance = far;
}

/* One letter in three may be wrong. */
const char *guess_text(struct guess *g)
{
	g->text[0] = '\0';
	if (g->best && g->distance <= 1 + (strlen(g->wanted) + 1) / 3)
		snprintf(g->text, sizeof(g->text), " (did you mean '%.90s'?)", g->best);
	return g->text;
}

/* Not damage: what was to be read may be good. */
static atomic_bool unread;

static atomic_bool unwritten;

void note_unwritten(void)
{
	unwritten = true;
}

bool output_is_unwritten(void)
{
	return unwritten;
}

static atomic_bool incomplete;
static char incomplete_why[512];

bool has_complained(void)
{
	return complained;
}

void note_incomplete(const char *why)
{
	if (!incomplete)
		hs_text_escape(incomplete_why, sizeof(incomplete_why), why);
	incomplete = true;
}

void explain_incomplete(void)
{
	if (!complained)
		complain("%s", incomplete_why);
}

bool input_is_incomplete(void)
{
	return incomplete || unread;
}

bool input_was_unread(void)
{
	return unread;
}

bool is_unread(enum hs_status s)
{
	return s == HS_E_SYSTEM || s == HS_E_MEMORY;
}

void note_unread(const struct hs_error *e)
{
	unread = true;
	fail(e);
}

void note_out_of_memory(void)
{
	note_unread(&(struct hs_error){ .status = HS_E_MEMORY });
}

int exit_of(enum hs_status s)
{
	switch (s) {
	case HS_OK:
	case HS_END:
		return EXIT_GOOD;
	case HS_E_DIFFERS:
	case HS_E_NOTHING:
		return EXIT_FINDINGS;
	case HS_E_ARG:
	case HS_E_CONFIG:
	case HS_E_SYSTEM:
	case HS_E_MEMORY:
	case HS_E_UNSUPPORTED:
		return EXIT_USAGE;
	default:
		return EXIT_DAMAGED;
	}
}

int fail(const struct hs_error *e)
{
	/* Without memory not all say why. */
	const enum hs_status s = e->status == HS_OK ? HS_E_INTERNAL : e->status;

	complain("%s", e->text[0] ? e->text : hs_status_text(s));
	return exit_of(s);
}

bool nothing_to_show(const struct damage *d, bool json)
{
	return d->empty && !json;
}

void damage_add(struct damage *d, const struct hs_error *e, enum hs_reason reason)
{
	if (is_unread(e->status))
		unread = true;
	if (e->status == HS_E_NOTHING) {
		d->nothing++;
		complain("%s", e->text);
		return;
	}
	const uint64_t i = d->count++;

	d->by_reason[(unsigned)reason < REASONS ? reason : HS_REASON_NONE]++;
	if (i >= DAMAGE_SHOWN)
		return;
	if (!d->silent)
		complain("%s", e->text);
	d->first[i].error = *e;
	d->first[i].reason = reason;
}

void damage_add_of(struct damage *d, const struct hs_error *e, const struct hs_source *source)
{
	const enum hs_reason reason = hs_source_known(source)->reason;
	const struct hs_range_found *range = hs_source_known(source)->range;

	if (e->status == HS_E_FORMAT && reason == HS_REASON_NONE) {
		if (d->count >= DAMAGE_SHOWN && !d->silent && !d->hinted) {
			complain("%s", e->text);
			d->late++;
		}
		d->hinted = true;
	}
	damage_add(d, e, reason);
	if (reason == HS_REASON_NO_CODE)
		hint_add_address(&d->addresses, source);
	if (e->status == HS_E_NOTHING)
		d->empty = !range || !range->wanted;
}

void damage_report(struct report *r, const struct damage *d)
{
	if (!r->json)
		return;
	report_list(r, "first_errors", "");
	for (unsigned i = 0; i < d->count && i < DAMAGE_SHOWN; i++) {
		report_row(r);
		report_text(r, "error", "", hs_status_name(d->first[i].error.status));
		if (d->first[i].reason != HS_REASON_NONE)
			report_text(r, "reason", "", hs_reason_name(d->first[i].reason));
		report_text(r, "text", "", d->first[i].error.text);
		report_row_end(r);
	}
	report_list_end(r);
}

int damage_exit(const struct damage *d)
{
	if (d->count > DAMAGE_SHOWN + d->late)
		complain("%llu more errors like these",
		         (unsigned long long)(d->count - DAMAGE_SHOWN - d->late));
	damage_hint(d);
	if (d->count)
		return EXIT_DAMAGED;
	return d->nothing ? EXIT_FINDINGS : EXIT_GOOD;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(struct progress *p, bool quiet)
{
	*p = (struct progress){ .start = now(), .on = !quiet && isatty(STDERR_FILENO) };
}

void progress_show(struct progress *p, const char *what, uint64_t done, uint64_t total)
{
	if (!p->on)
		return;
	const double t = now();

	if (t - p->start < 2 || t - p->shown < 0.2)
		return;
	p->shown = t;
	p->visible = true;
	if (total && done) {
		const double part = (double)done / (double)total;
		const unsigned left = (unsigned)((t - p->start) * (1 - part) / part + 0.5);

		fprintf(stderr, "\r\033[K%s: %.0f %%, %u:%02u left", what, 100.0 * part, left / 60,
		        left % 60);
	} else if (!total)
		fprintf(stderr, "\r\033[K%s: %.1f million", what, (double)done * 1e-6);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->visible)
		fputs("\r\033[K", stderr);
	p->visible = false;
}

bool write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		const ssize_t did = write(fd, at, n);

		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0) {
			if (errno != EPIPE) {
				const int error = errno;
				const char *name = new_file_name(fd);

				complain("%s: %s", name ? name : "cannot write", strerror(error));
				note_unwritten();
			}
			return false;
		}
		at += did;
		n -= (size_t)did;
	}
	return true;
}

void widen_pipe(int fd)
{
#ifdef F_SETPIPE_SZ
	const int room = fcntl(fd, F_GETPIPE_SZ);

	if (room > 0 && room < PIPE_ROOM)
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_ROOM);
#else
	(void)fd;
#endif
}

char *with_ending(const char *path, const char *old, const char *ending)
{
	size_t n = strlen(path);
	char *text;

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n > strlen(old) && strncmp(path + n - strlen(old), old, strlen(old)) == 0)
		n -= strlen(old);
	text = malloc(n + strlen(ending) + 1);
	if (text) {
		memcpy(text, path, n);
		strcpy(text + n, ending);
	}
	return text;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
