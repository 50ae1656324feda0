/* hartscope crash: which hart crashed, where it stands, and what that was. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "commands/crash.h"

#define ECALL 0x73u
#define NULL_PAGE 4096u
#define DEEP 500u /* open calls of one function, in which the stack may be full */

/* Is a function's name, which may have parameters after it, this one? */
static bool is_named(const struct hs_stack_frame *f, const char *name)
{
	const size_t n = strlen(name);

	return f->name && strncmp(f->name, name, n) == 0 &&
	       (f->name[n] == '\0' || f->name[n] == '(' || f->name[n] == '.');
}

static bool calls(const struct crash *c, const char *name)
{
	for (size_t i = c->frame_count; i-- > 0;)
		if (is_named(&c->frames[i], name))
			return true;
	return false;
}

/* ---- the hart ------------------------------------------------------------------------------ */

static bool is_fault(uint32_t signal)
{
	return signal == SIGILL || signal == SIGTRAP || signal == SIGBUS || signal == SIGFPE ||
	       signal == SIGSEGV;
}

static const struct hs_block *last_block(const struct crash_hart *h)
{
	return h->count ? &h->past[(h->count - 1) % CRASH_PAST] : NULL;
}

/* Does the instruction at an address ask the kernel for something? */
static bool is_ecall(const struct crash *c, uint64_t pc)
{
	size_t n = 0;
	const uint8_t *at = hs_img_bytes(hs_code_view_image(c->view), pc, &n);

	return at && n >= 4 && at[0] == ECALL && !at[1] && !at[2] && !at[3];
}

/* A SIGTRAP at an ebreak. */
static bool is_breakpoint(const struct crash *c, uint64_t pc)
{
	size_t n = 0;
	const uint8_t *at = hs_img_bytes(hs_code_view_image(c->view), pc, &n);

	return c->signal == SIGTRAP && at && n >= 2 &&
	       ((at[0] == 0x02 && at[1] == 0x90) ||
	        (n >= 4 && at[0] == ECALL && !at[1] && at[2] == 0x10 && !at[3]));
}

static bool select_hart(struct crash *c, struct crash_hart *h)
{
	const struct hs_block event = { .kind = HS_KIND_HART, .arg = h->number };
	struct hs_stack_step step;

	if (hs_stacks_follow(c->stacks, &event, &step) != HS_OK ||
	    hs_code_view_select_hart(c->view, h->number) != HS_OK)
		return false;
	c->hart = h;
	c->frames = hs_stacks_frames(c->stacks, &c->frame_count);
	return true;
}

/* How sure it is that this hart crashed; what is known of the end is put into @c. */
static unsigned weigh(struct crash *c, struct crash_hart *h)
{
	const struct hs_block *b = last_block(h);

	if (!b || !select_hart(c, h))
		return 0;
	const uint64_t end = hs_block_end(b), last = end - 2u * (uint64_t)b->ilast;
	const bool asks = is_ecall(c, last) || is_ecall(c, end);

	c->fault = c->has_trap || (is_fault(c->signal) && !asks);
	c->jump = c->fault && !c->has_trap && !h->partial && b->itype != HS_ITYPE_EXCEPTION &&
	          b->itype != HS_ITYPE_NONE;
	c->exact = c->has_trap || (c->fault && !h->partial) || is_breakpoint(c, end);
	c->pc = c->has_trap ? c->trap.epc : c->exact && !c->jump ? end : last;
	if (c->exact)
		return 4;
	if (c->fault)
		return h->partial && h->signal == c->signal ? 3 : 1;
	return asks && (calls(c, "raise") || calls(c, "abort") || calls(c, "pthread_kill") ||
	                calls(c, "__pthread_kill_implementation") || calls(c, "kill"))
	               ? 3
	               : 1;
}

bool crash_choose(struct crash *c)
{
	struct crash_hart *best = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < c->hart_count; i++) {
		const unsigned weight = weigh(c, &c->harts[i]);

		if (weight > most)
			best = &c->harts[i];
		most = weight > most ? weight : most;
	}
	return best && weigh(c, best) && c->frame_count;
}

bool crash_frame_pc(const struct crash *c, size_t frame, uint64_t *pc)
{
	if (frame >= c->frame_count)
		return false;
	if (frame == 0) {
		*pc = c->pc;
		return true;
	}
	/* The frame inside of it has where it goes on: after a call, or where a trap struck. */
	const struct hs_stack_frame *inner = &c->frames[c->frame_count - frame];

	*pc = inner->resume - (inner->how == HS_FRAME_CALL ? 2 : 0);
	return inner->has_resume;
}

/* ---- in words ------------------------------------------------------------------------------ */

/* What a function that is open says about the end; the first row that fits counts. */
static const struct {
	const char *function, *text;
} meanings[] = {
	{ "__cxa_call_terminate", "a C++ exception left a function that is noexcept" },
	{ "__cxa_pure_virtual", "a pure virtual function was called" },
	{ "__cxa_deleted_virtual", "a deleted virtual function was called" },
	{ "__assert_fail", "an assertion failed" },
	{ "__assert_perror_fail", "an assertion failed" },
	{ "__assert_func", "an assertion failed" },
	{ "__stack_chk_fail", "the stack was overwritten (stack protector)" },
	{ "__chk_fail", "a buffer would have overflowed (_FORTIFY_SOURCE)" },
	{ "malloc_printerr", "the heap is damaged: memory freed twice, or overwritten" },
	{ "__libc_fatal", "the C library found an error" },
	{ "rust_panic", "a panic" },
	{ "__cxa_throw", "a C++ exception that nothing catches" },
	{ "__cxa_rethrow", "a C++ exception that nothing catches" },
	{ "std::terminate", "std::terminate()" },
	{ "abort", "abort()" },
};

static const struct {
	uint32_t number;
	const char *name, *fault; /* what an instruction does that gets it */
} signals[] = {
	{ SIGHUP, "SIGHUP", NULL },
	{ SIGINT, "SIGINT", NULL },
	{ SIGQUIT, "SIGQUIT", NULL },
	{ SIGILL, "SIGILL", "an instruction that is not one" },
	{ SIGTRAP, "SIGTRAP", "an ebreak" },
	{ SIGABRT, "SIGABRT", NULL },
	{ SIGBUS, "SIGBUS", "an access to memory that is not there" },
	{ SIGFPE, "SIGFPE", NULL },
	{ SIGKILL, "SIGKILL", NULL },
	{ SIGUSR1, "SIGUSR1", NULL },
	{ SIGSEGV, "SIGSEGV", "an access to memory that is not allowed" },
	{ SIGUSR2, "SIGUSR2", NULL },
	{ SIGPIPE, "SIGPIPE", NULL },
	{ SIGALRM, "SIGALRM", NULL },
	{ SIGTERM, "SIGTERM", NULL },
	{ SIGXCPU, "SIGXCPU", NULL },
	{ SIGXFSZ, "SIGXFSZ", NULL },
	{ SIGSYS, "SIGSYS", NULL },
};

/* How often the innermost function of many is open. */
static size_t recursion(const struct crash *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->frame_count; i++)
		n += c->frames[i].start == c->frames[c->frame_count - 1].start;
	return n;
}

/* The exception that a function of the C++ library throws in its own name. */
static void exception_name(const struct crash *c, char *text, size_t size)
{
	static const char throws[] = "std::__throw_";
	const size_t n = sizeof(throws) - 1;

	*text = '\0';
	for (size_t i = c->frame_count; i-- > 0;) {
		const char *name = c->frames[i].name;

		if (name && strncmp(name, throws, n) == 0) {
			const size_t length = strcspn(name + n, "(");
			const bool formats =
				length > 4 && !strncmp(name + n + length - 4, "_fmt", 4);

			snprintf(text, size, " (std::%.*s)", (int)length - (formats ? 4 : 0),
			         name + n);
			return;
		}
		if (name && strncmp(name, "operator new", 12) == 0)
			snprintf(text, size, " (std::bad_alloc)");
		if (is_named(&c->frames[i], "__cxa_bad_cast"))
			snprintf(text, size, " (std::bad_cast)");
	}
}

static const char *meaning(const struct crash *c, const char *fault)
{
	if (c->fault)
		return fault;
	if (c->signal == SIGPIPE && !calls(c, "raise") && !calls(c, "kill"))
		return "it wrote to a pipe or socket that nobody reads";
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (calls(c, meanings[i].function))
			return meanings[i].text;
	return c->exact || calls(c, "raise") || calls(c, "kill") ? "the program sent it to itself"
	                                                         : "it was sent";
}

static void trap_reason(const struct hs_trap_taken *t, char *text, size_t size)
{
	const char *name = t->has_cause ? hs_trap_cause_name(false, t->cause) : NULL;

	if (!t->has_cause)
		snprintf(text, size, "an exception that did not return");
	else if (name)
		snprintf(text, size, "%s, value 0x%llx", name, (unsigned long long)t->value);
	else
		snprintf(text, size, "exception %u, value 0x%llx", t->cause,
		         (unsigned long long)t->value);
}

void crash_reason(const struct crash *c, char *text, size_t size)
{
	const char *name = NULL, *fault = NULL;

	if (c->has_trap) {
		trap_reason(&c->trap, text, size);
		return;
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signals[i].number == c->signal) {
			name = signals[i].name;
			fault = signals[i].fault;
		}
	const char *what = c->jump ? "a jump to where there is no code" : meaning(c, fault);
	char thrown[120] = "";

	if (what && strstr(what, "C++ exception"))
		exception_name(c, thrown, sizeof(thrown));
	int n = snprintf(text, size, "signal %u%s%s%s%s%s%s", c->signal, name ? " (" : "",
	                 name ? name : "", name ? ")" : "", what ? ": " : "", what ? what : "",
	                 thrown);

	if (c->fault && c->has_address)
		n += snprintf(text + n, size - (size_t)n,
		              c->address < NULL_PAGE ? ", address 0x%llx (a null pointer)"
		                                     : ", address 0x%llx",
		              (unsigned long long)c->address);
	if (c->signal == SIGSEGV && c->fault && recursion(c) > DEEP)
		snprintf(text + n, size - (size_t)n, "; the stack may be full: %zu calls of %.200s",
		         recursion(c),
		         c->frames[c->frame_count - 1].name ? c->frames[c->frame_count - 1].name
		                                            : "one function");
}
