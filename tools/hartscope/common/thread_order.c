/* Threads on one axis (thread_order.h).
 *
 * An instruction takes the same on every hart.  A thread begins when the clone() that made it is
 * called.  A wait for a futex that was woken goes on after the wake-up, which comes after the wait
 * began, since it says how many it woke.  Harts are followed together, the slowest first; which of
 * several waiters was woken is not known, so it is the one that waits longest. */
#include <stdlib.h>

#include "common/thread_order.h"

#define CALLS_MAX ((size_t)1 << 23)
#define HARTS_MAX 65536u
#define NEAR 4096u   /* bytes from a thread's pointer to what its first calls point to, at most */
#define TOGETHER 64u /* threads that begin at the same time, at most */
#define NONE SIZE_MAX

/* System calls of Linux, and what their arguments say. */
enum {
	EXIT = 93,
	FUTEX = 98,
	SET_ROBUST_LIST = 99,
	RT_SIGPROCMASK = 135,
	CLONE = 220,
	FUTEX_TIME64 = 422
};
enum { WAIT = 0, WAKE = 1, WAIT_BITSET = 9, WAKE_BITSET = 10, COMMAND = 127 };
enum { CLONE_VM = 0x100, CLONE_THREAD = 0x10000, CLONE_CHILD_CLEARTID = 0x200000 };

enum order_what { ORDER_BEGINS, ORDER_WAITS, ORDER_WAKES, ORDER_ENDS, ORDER_POINTS };

/* A call that says something. */
struct order_call {
	uint64_t number, at; /* of the trap; instructions of its hart before */
	uint64_t address;    /* of the futex; of a new thread that which its end wakes; 0: none */
	uint64_t own;        /* a new thread's pointer; an address that is near the caller's */
	uint64_t result;     /* number of the new thread; how many were woken */
	size_t child;        /* thread that begins */
	uint32_t hart;
	uint8_t what;
};

enum thread_state { ABSENT, RUNS, WAITING, STALLED };

struct thread {
	const struct order_call *next, *end;
	uint64_t at, now; /* a place: instructions, and where they are on the axis */
	uint64_t ends;    /* the futex that its end wakes */
	uint64_t waits;   /* WAITING: the futex; STALLED: the one that too few wait for */
	enum thread_state state;
	bool begun, ended;
};

/* ---- which calls ------------------------------------------------------------------------ */

static bool describe(struct order_call *c, uint32_t number, const struct hs_trap_values *v)
{
	const uint64_t *a = v->argument;
	const bool good = v->has_result && v->result >= 0;

	c->result = good ? (uint64_t)v->result : 0;
	c->address = a[0];
	if (number == EXIT) {
		c->what = ORDER_ENDS;
		return true;
	}
	if (number == SET_ROBUST_LIST || number == RT_SIGPROCMASK) {
		c->what = ORDER_POINTS;
		c->own = number == SET_ROBUST_LIST ? a[0] : a[1];
		return true;
	}
	if (number == CLONE) {
		c->what = ORDER_BEGINS;
		c->address = a[0] & CLONE_CHILD_CLEARTID ? a[4] : 0;
		c->own = a[3];
		return c->result && (a[0] & CLONE_VM) && (a[0] & CLONE_THREAD);
	}
	const uint64_t command = a[1] & COMMAND;

	c->what = command == WAKE || command == WAKE_BITSET ? ORDER_WAKES : ORDER_WAITS;
	return (number == FUTEX || number == FUTEX_TIME64) && good &&
	       (c->what == ORDER_WAKES ? c->result > 0 : command == WAIT || command == WAIT_BITSET);
}

void thread_order_take(void *order, const struct hs_trap_taken *trap)
{
	struct thread_order *o = order;
	struct order_call c = { .number = trap->number, .at = trap->at, .hart = trap->hart };

	if (o->failed || !trap->values.known || !trap->call.has_number ||
	    !describe(&c, trap->call.number, &trap->values))
		return;
	if (o->count == o->room) {
		const size_t room = o->room ? 2 * o->room : 64;
		struct order_call *more =
			room <= CALLS_MAX ? reallocarray(o->calls, room, sizeof(*more)) : NULL;

		o->failed = !more;
		if (!more)
			return;
		o->calls = more;
		o->room = room;
	}
	o->calls[o->count++] = c;
}

static int by_hart(const void *a, const void *b)
{
	const struct order_call *x = a, *y = b;

	if (x->hart != y->hart)
		return x->hart < y->hart ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* By the numbers that the kernel gave threads, which grow. */
static int by_thread(const void *a, const void *b)
{
	const struct order_call *x = *(struct order_call *const *)a;
	const struct order_call *y = *(struct order_call *const *)b;

	return (x->result > y->result) - (x->result < y->result);
}

/* ---- which thread a clone() made ---------------------------------------------------------- */

/* What the first call of a thread points to, its list of locks or the end of its stack, is near
 * where its pointer leads. */
static bool is_near(const struct thread *t, const struct order_call *begins)
{
	return t->next < t->end && t->next->what == ORDER_POINTS &&
	       t->next->own - begins->own + NEAR <= 2 * NEAR;
}

/* Harts have numbers in the order of their begin, too: but threads that begin at the same time may
 * change places. */
static void match(struct thread *threads, size_t harts, struct order_call **begins, size_t n)
{
	size_t first = 0;

	for (size_t h = 1; h < harts && first < n; h++) {
		size_t i = first;

		while (i < n && i - first < TOGETHER &&
		       (begins[i]->child != NONE || !is_near(&threads[h], begins[i])))
			i++;
		i = i < n && i - first < TOGETHER ? i : first;
		begins[i]->child = h;
		threads[h].ends = begins[i]->address;
		while (first < n && begins[first]->child != NONE)
			first++;
	}
}

/* Find the child of each call that made one.  False: no memory. */
static bool find_children(struct thread_order *o, struct thread *threads, size_t harts)
{
	struct order_call **begins = calloc(o->count + 1, sizeof(struct order_call *));
	size_t n = 0;
	bool grows = true;

	for (size_t i = 0; begins && i < o->count; i++) {
		struct order_call *c = &o->calls[i];

		c->child = NONE;
		if (c->what != ORDER_BEGINS)
			continue;
		grows &= !n || begins[n - 1]->hart != c->hart || begins[n - 1]->result < c->result;
		begins[n++] = c;
	}
	if (grows && n) { /* else numbers began anew, and only those of one thread have an order */
		qsort(begins, n, sizeof(struct order_call *), by_thread);
		match(threads, harts, begins, n);
	} else if (n && begins[0]->hart == begins[n - 1]->hart) {
		match(threads, harts, begins, n);
	}
	free(begins);
	return begins != NULL;
}

/* ---- following ---------------------------------------------------------------------------- */

struct following {
	struct thread_order *order;
	struct thread *threads;
	size_t count;
};

/* From instruction @at on, a thread is at @now of the axis. */
static void place(const struct following *f, struct thread *t, uint64_t at, uint64_t now)
{
	struct thread_order *o = f->order;

	if (t->begun && t->now + (at - t->at) == now) {
		t->at = at;
		t->now = now;
		return;
	}
	if (o->place_count == o->place_room) {
		const size_t room = o->place_room ? 2 * o->place_room : 64;
		struct hs_export_place *more = reallocarray(o->places, room, sizeof(*more));

		o->failed |= !more;
		if (!more)
			return;
		o->places = more;
		o->place_room = room;
	}
	o->places[o->place_count++] = (struct hs_export_place){ .hart = (uint32_t)(t - f->threads),
		                                                .retired = at,
		                                                .at = now };
	o->hart_count += !t->begun;
	t->begun = true;
	t->at = at;
	t->now = now;
}

static uint64_t next_now(const struct thread *t)
{
	return t->now + (t->next->at - t->at);
}

/* The thread in @state that came least far, of those at a futex; NULL: there is none. */
static struct thread *slowest(const struct following *f, enum thread_state state, uint64_t address)
{
	struct thread *best = NULL;

	for (size_t i = 0; i < f->count; i++) {
		struct thread *t = &f->threads[i];

		if (t->state != state || (address && t->waits != address) ||
		    (state == RUNS && t->next == t->end))
			continue;
		if (!best || next_now(t) < next_now(best))
			best = t;
	}
	return best;
}

/* A thread goes on after its call, at @now or where it was. */
static void go_on(const struct following *f, struct thread *t, uint64_t now)
{
	const uint64_t own = next_now(t);

	place(f, t, t->next->at, now > own ? now : own);
	t->state = RUNS;
	t->next++;
}

static size_t waiting(const struct following *f, uint64_t address)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->threads[i].state == WAITING && f->threads[i].waits == address;
	return n;
}

/* Wake as many as the call says, if as many wait by @now. */
static void wake(const struct following *f, struct thread *t, uint64_t now)
{
	const uint64_t address = t->next->address;
	uint64_t n = t->next->result;

	if (waiting(f, address) < n) {
		t->state = STALLED;
		t->waits = address;
		return;
	}
	go_on(f, t, now);
	for (; n; n--)
		go_on(f, slowest(f, WAITING, address), now);
}

/* A thread begins to wait: maybe the last one that a wake-up needs.  The end of a thread that came
 * first lets it go on. */
static void begin_wait(const struct following *f, struct thread *t)
{
	const uint64_t now = next_now(t);

	t->state = WAITING;
	t->waits = t->next->address;
	f->order->waits++;
	for (size_t i = 0; i < f->count; i++)
		if (f->threads[i].ended && f->threads[i].ends == t->waits) {
			go_on(f, t, now);
			return;
		}
	struct thread *waker = slowest(f, STALLED, t->waits);

	if (waker)
		wake(f, waker, now);
}

static void end_thread(const struct following *f, struct thread *t)
{
	const uint64_t now = next_now(t);

	t->ended = true;
	go_on(f, t, now);
	for (size_t n = t->ends ? waiting(f, t->ends) : 0; n; n--)
		go_on(f, slowest(f, WAITING, t->ends), now);
}

static void begin_thread(const struct following *f, struct thread *t)
{
	const struct order_call *c = t->next;
	const uint64_t now = next_now(t);

	go_on(f, t, now);
	if (c->child == NONE)
		return;
	struct thread *child = &f->threads[c->child];

	for (size_t i = 0; i < f->count; i++) /* its futex is another one from here on */
		if (f->threads[i].ended && f->threads[i].ends == c->address)
			f->threads[i].ends = 0;
	child->state = RUNS;
	place(f, child, 0, now);
}

static void follow(const struct following *f)
{
	for (struct thread *t; !f->order->failed;) {
		t = slowest(f, RUNS, 0);
		if (!t) { /* all wait: what this one waits for is not among what is known */
			t = slowest(f, STALLED, 0);
			t = t ? t : slowest(f, WAITING, 0);
			if (!t)
				return;
			f->order->unsure++;
			go_on(f, t, 0);
		} else if (t->next->what == ORDER_BEGINS) {
			begin_thread(f, t);
		} else if (t->next->what == ORDER_WAITS) {
			begin_wait(f, t);
		} else if (t->next->what == ORDER_WAKES) {
			wake(f, t, next_now(t));
		} else if (t->next->what == ORDER_ENDS) {
			end_thread(f, t);
		} else {
			go_on(f, t, 0);
		}
	}
}

/* ---- the result --------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct hs_export_place *x = a, *y = b;

	if (x->hart != y->hart)
		return x->hart < y->hart ? -1 : 1;
	if (x->retired != y->retired)
		return x->retired < y->retired ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

bool thread_order_solve(struct thread_order *o)
{
	if (o->failed || !o->count)
		return false;
	qsort(o->calls, o->count, sizeof(*o->calls), by_hart);
	const size_t harts = (size_t)o->calls[o->count - 1].hart + 1;
	struct thread *threads = harts < HARTS_MAX ? calloc(harts, sizeof(*threads)) : NULL;
	const struct following f = { o, threads, harts };

	for (size_t i = 0; threads && i < o->count; i++) {
		struct thread *t = &threads[o->calls[i].hart];

		t->next = t->next ? t->next : &o->calls[i];
		t->end = &o->calls[i] + 1;
	}
	if (threads && find_children(o, threads, harts)) {
		threads[0].state = RUNS;
		place(&f, &threads[0], 0, 0);
		follow(&f);
	}
	free(threads);
	if (o->place_count)
		qsort(o->places, o->place_count, sizeof(*o->places), by_place);
	return !o->failed && o->hart_count > 1;
}

void thread_order_free(struct thread_order *o)
{
	free(o->calls);
	free(o->places);
}
