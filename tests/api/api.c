/* Every exported function, called as its header forbids or barely allows: each pointer NULL in
 * turn, each count zero, each number at its end, each struct of another size, after an error and at
 * the end of an object, and from two threads.  The rows are made from the headers (rows.py).
 *
 * Each case is a process of its own.  It must return; where status.h lets NULL end the process, a
 * fault in the first page is the other way. */
#include "api/api.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/made.h"
#include "api_rows.h"

#define PAGE     65536u /* a member of a struct at NULL is in it */
#define RETURNED 20     /* and the status, or 19: none */
#define FAULT    80     /* at an address in the first page */
#define ROOM     64u    /* elements of an array */
#define TURNS    20     /* of each of two threads */

/* A fault is what is looked for, and a child leaves at once. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_segv=0:detect_leaks=0:allocator_may_return_null=1";
}

/* A race ends a child, with another status than any call has. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "handle_segv=0:halt_on_error=1:exitcode=66:allocator_may_return_null=1";
}

/* UBSan sees the use of a null pointer before the fault. */
void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
                                     unsigned *line, unsigned *column, char **address)
	__attribute__((weak));
__attribute__((visibility("default"))) void __ubsan_on_report(void);
void __ubsan_on_report(void)
{
	const char *kind, *text, *file;
	unsigned line, column;
	char *address;

	__ubsan_get_current_report_data(&kind, &text, &file, &line, &column, &address);
	if (!strstr(kind, "null"))
		return;
	if (getenv("HARTSCOPE_SHOW"))
		fprintf(stderr, "# %s:%u: %s\n", file, line, text);
	_exit(FAULT);
}

enum what { AS_IS, NONE, ZERO, MOST, NO_SIZE, SHORT, LONG, TOO_LONG, ENDED, FAILED, THREADS };
static const char *const words[] = { "as it is", "NULL", "0", "the most", "size 0", "a size of 4",
	                             "a larger size", "unknown members", "at the end",
	                             "after an error", "two threads" };

static struct tried {
	const struct api_row *row;
	enum what what;
	unsigned which;
} now;

/* ---- values -------------------------------------------------------------------------------- */

/* A struct of another size: @more bytes follow, the last of them @last. */
static void *of_size(void *given, size_t size, size_t more, uint8_t last)
{
	uint8_t *p = calloc(1, size + more);

	memcpy(p, given, size);
	p[size + more - 1] |= last;
	*(uint32_t *)(void *)p = (uint32_t)(size + more);
	return p;
}

static void *sized(const struct api_argument *a, enum what what, enum api_state state)
{
	void *p = a->make ? a->make(state) : calloc(1, a->size);
	const size_t size = a->size ? a->size : *(const uint32_t *)p;

	if (!a->make)
		*(uint32_t *)p = (uint32_t)a->size;
	if (what == NO_SIZE)
		*(uint32_t *)p = 0;
	if (what == SHORT)
		*(uint32_t *)p = 4;
	if (what == LONG || what == TOO_LONG)
		p = of_size(p, size, 8, what == TOO_LONG);
	return p;
}

static union api_value value(const struct api_argument *a, enum what what, enum api_state state)
{
	union api_value v = { 0 };

	if (a->kind == API_NUMBER)
		v.n = what == MOST ? a->most : 0;
	else if (a->kind == API_COUNT)
		v.n = what == ZERO ? 0 : 2;
	else if (a->kind == API_CALL)
		v.call = what == NONE ? NULL : a->call;
	else if (what == NONE)
		v.p = NULL;
	else if (a->kind == API_SIZED)
		v.p = sized(a, what, state);
	else
		v.p = a->kind == API_ROOM ? calloc(ROOM, a->size < 64 ? 64 : a->size) :
		                            a->make(state);
	return v;
}

static void make_values(const struct tried *t, union api_value v[API_ARGUMENTS])
{
	const enum api_state state = t->what == ENDED  ? API_ENDED :
	                             t->what == FAILED ? API_FAILED :
	                                                 API_FRESH;

	for (unsigned i = 0; i < t->row->count; i++)
		v[i] = value(&t->row->arguments[i], i == t->which ? t->what : AS_IS, state);
}

/* ---- a case --------------------------------------------------------------------------------- */

static void fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if ((uintptr_t)info->si_addr < PAGE)
		_exit(FAULT);
	signal(number, SIG_DFL);
}

/* Values that threads share, but for what is written to. */
static void share_values(const union api_value *given, union api_value v[API_ARGUMENTS])
{
	for (unsigned i = 0; i < now.row->count; i++) {
		const struct api_argument *a = &now.row->arguments[i];

		v[i] = a->kind == API_ROOM ? value(a, AS_IS, API_FRESH) : given[i];
	}
}

static void *turns(void *given)
{
	union api_value v[API_ARGUMENTS];

	for (unsigned i = 0; i < TURNS; i++) {
		if (given)
			share_values(given, v);
		else
			make_values(&now, v);
		now.row->call(v);
	}
	return NULL;
}

/* On the same values where the header allows it, else on values of each thread. */
static int on_two_threads(union api_value *v)
{
	pthread_t other;

	if (pthread_create(&other, NULL, turns, now.row->shared ? v : NULL))
		_exit(99);
	turns(now.row->shared ? v : NULL);
	pthread_join(other, NULL);
	return -1;
}

static void child(void)
{
	const struct sigaction on_fault = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO };
	union api_value v[API_ARGUMENTS];

	alarm(60);
	if (chdir(made_folder()))
		_exit(99);
	make_values(&now, v);
	sigaction(SIGSEGV, &on_fault, NULL);
	const int s = now.what == THREADS ? on_two_threads(v) : now.row->call(v);

	_exit(RETURNED + s);
}

static int run(struct tried t)
{
	int status;

	now = t;
	fflush(stdout);
	const pid_t pid = fork();

	if (pid == 0)
		child();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* ---- what is right -------------------------------------------------------------------------- */

/* What is done otherwise, and why.  Each must still be so. */
static struct exception {
	const char *function, *argument;
	enum what what;
	const char *why;
	bool seen;
} exceptions[] = {
	{ "hs_transport_pins", "config", NO_SIZE, "it is filled, its size included", false },
	{ "hs_transport_pins", "config", TOO_LONG, "the same", false },
	{ "hs_error_set", "format", NONE, "it returns the status that it was given", false },
	{ "hs_code_view_new", "program", NONE, "later calls look at it", false },
	{ "hs_code_changes_beside", "trace", NONE, "no trace has no files next to it", false },
	{ "hs_trace_params_verify", "trace", NONE, "nothing is known of it to compare", false },
};

static struct exception *find_exception(const struct tried *t, const char *argument)
{
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++)
		if (strcmp(exceptions[i].function, t->row->name) == 0 &&
		    exceptions[i].what == t->what &&
		    strcmp(exceptions[i].argument, argument) == 0)
			return &exceptions[i];
	return NULL;
}

static unsigned exceptions_without_need(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++)
		if (!exceptions[i].seen) {
			printf("# %s(%s), %s: no exception is needed\n", exceptions[i].function,
			       exceptions[i].argument, words[exceptions[i].what]);
			n++;
		}
	return n;
}

static unsigned cases, wrong, ended;

static const char *word_of(int result, char text[64])
{
	if (result == FAULT)
		return "a fault at NULL";
	if (result < 0 || result > RETURNED + HS_STATUS_COUNT)
		snprintf(text, 64, "signal or exit %d", result);
	else
		snprintf(text, 64, "%s", result < RETURNED ? "it returned" :
		                                             hs_status_name(result - RETURNED));
	return text;
}

static bool is_right(const struct tried *t, const struct api_argument *a, int result)
{
	const bool returned = result >= RETURNED - 1 && result < RETURNED + HS_STATUS_COUNT;
	const bool has_status = result >= RETURNED;

	if (t->what == NONE && !a->says_null)
		return result == FAULT || (returned && result != RETURNED + HS_OK);
	if (t->what == NO_SIZE || t->what == TOO_LONG)
		return returned && (!has_status || result == RETURNED + HS_E_CONFIG);
	return returned;
}

static void try(const struct api_row *row, enum what what, unsigned which)
{
	const struct tried t = { row, what, which };
	const struct api_argument *a = &row->arguments[which < API_ARGUMENTS ? which : 0];
	const char *name = which < API_ARGUMENTS ? a->name : "";
	const int result = run(t);
	bool right = is_right(&t, a, result);
	struct exception *e = right ? NULL : find_exception(&t, name);
	char text[64];

	if (e)
		right = e->seen = true;
	cases++;
	ended += result == FAULT;
	wrong += !right;
	if (getenv("HARTSCOPE_SHOW") || !right)
		printf("# %s %s(%s): %s: %s\n", right ? "ok" : "WRONG", row->name, name,
		       words[what], word_of(result, text));
}

static void try_argument(const struct api_row *row, unsigned i)
{
	const enum api_kind kind = row->arguments[i].kind;

	if (kind == API_NUMBER)
		try(row, MOST, i);
	else if (kind == API_COUNT)
		try(row, ZERO, i);
	else
		try(row, NONE, i);
	for (unsigned w = NO_SIZE; kind == API_SIZED && w <= TOO_LONG; w++)
		try(row, w, i);
}

int main(int argc, char **argv)
{
	made_begin();
	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		if (argc > 1 && strcmp(argv[1], rows[r].name) != 0)
			continue;
		try(&rows[r], AS_IS, API_ARGUMENTS);
		try(&rows[r], ENDED, API_ARGUMENTS);
		try(&rows[r], FAILED, API_ARGUMENTS);
		try(&rows[r], THREADS, API_ARGUMENTS);
		for (unsigned i = 0; i < rows[r].count; i++)
			try_argument(&rows[r], i);
	}
	made_end();
	wrong += argc > 1 ? 0 : exceptions_without_need();
	printf("# %u cases of %zu functions, %u of them ended at NULL\n", cases,
	       sizeof(rows) / sizeof(*rows), ended);
	printf("%s 1 - calls do what the headers say\n1..1\n", wrong ? "not ok" : "ok");
	return wrong > 0;
}
