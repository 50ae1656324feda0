/* Everything that moves control between functions.  Each function that is entered (-finstrument-
 * functions) logs the stack that the program itself has: functions and where their frames are, so
 * that frames which longjmp() or an exception left are known by the stack pointer. */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

#define NOT_LOGGED __attribute__((no_instrument_function))
#define NOINLINE __attribute__((noinline))

/* ---- the log ------------------------------------------------------------------------- */

enum { DEPTH = 4096, STACKS = 4, COROUTINE_BYTES = 65536 };

static char memory[2][COROUTINE_BYTES];

struct shadow {
	unsigned depth;
	struct {
		void *function;
		char *sp;
	} frames[DEPTH];
};

static thread_local struct {
	FILE *file;
	struct shadow stacks[STACKS];
} the_log;
static volatile int threads;

NOT_LOGGED static struct shadow *current(char *sp)
{
	for (int i = 0; i < 2; i++)
		if (sp >= memory[i] && sp < memory[i] + COROUTINE_BYTES)
			return &the_log.stacks[1 + i];
	return &the_log.stacks[0];
}

extern "C" NOT_LOGGED void __cyg_profile_func_enter(void *function, void *)
{
	char *const sp = (char *)__builtin_frame_address(0);
	struct shadow *s = current(sp);

	if (!the_log.file) {
		char name[32];

		snprintf(name, sizeof name, "log.%d",
		         __atomic_fetch_add(&threads, 1, __ATOMIC_SEQ_CST));
		the_log.file = fopen(name, "w");
	}
	while (s->depth && s->frames[s->depth - 1].sp <= sp)
		s->depth--;
	s->frames[s->depth].function = function;
	s->frames[s->depth++].sp = sp;
	for (unsigned i = 0; i < s->depth; i++)
		fprintf(the_log.file, "%lx%c", (unsigned long)s->frames[i].function,
		        i + 1 < s->depth ? ' ' : '\n');
	fflush(the_log.file);
}

extern "C" NOT_LOGGED void __cyg_profile_func_exit(void *function, void *)
{
	struct shadow *s = current((char *)__builtin_frame_address(0));

	for (unsigned i = s->depth; i-- > 0;)
		if (s->frames[i].function == function) {
			s->depth = i;
			return;
		}
}

/* ---- what is done -------------------------------------------------------------------- */

static volatile int sink;
static jmp_buf env;

static void leaf() { sink++; }

static int deep(int n)
{
	leaf();
	if (n == 0)
		longjmp(env, 1);
	return deep(n - 1) + 1;
}

static int jumps(int times)
{
	volatile int r = 0;

	for (volatile int i = 0; i < times; i++) {
		if (setjmp(env) == 0)
			r += deep(4 + i);
		else
			leaf();
	}
	return r;
}

struct guard {
	guard() { sink++; }
	~guard() { leaf(); }
};

static int thrower(int n)
{
	guard g;

	if (n == 0)
		throw std::runtime_error("deep");
	return thrower(n - 1) + 1;
}

static int catcher(int n)
{
	guard g;

	try {
		return thrower(n);
	} catch (const std::logic_error &) {
		return 1;
	} catch (const std::exception &e) {
		leaf();
		return e.what()[0];
	}
}

/* Frames of one function, of which the inner ones do not catch. */
static int nested(int n)
{
	if (n == 0) {
		leaf();
		throw 7L;
	}
	try {
		return nested(n - 1) + 1;
	} catch (const long &) {
		leaf();
		if (n < 3)
			throw;
		return n;
	}
}

static int rethrows(int n)
{
	try {
		return thrower(n);
	} catch (...) {
		leaf();
		try {
			throw 1;
		} catch (int) {
			leaf();
		}
	}
	leaf();
	return n;
}

static sigjmp_buf signal_env;

static void handler(int) { leaf(); }
static void jumper(int) { siglongjmp(signal_env, 1); }
static void inner_raiser(int) { raise(SIGUSR1); leaf(); }

static int signals()
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	leaf();
	signal(SIGUSR2, inner_raiser);
	raise(SIGUSR2);
	leaf();
	signal(SIGUSR2, jumper);
	if (!sigsetjmp(signal_env, 1))
		raise(SIGUSR2);
	leaf();
	signal(SIGSEGV, jumper);
	if (!sigsetjmp(signal_env, 1))
		*(volatile int *)8 = 1;
	leaf();
	return 0;
}

static ucontext_t main_context, contexts[2];

static void yield(int from, ucontext_t *to)
{
	leaf();
	swapcontext(&contexts[from], to);
	leaf();
}

static void ping()
{
	for (int k = 0; k < 3; k++)
		yield(0, &contexts[1]);
	leaf();
}

static void pong_inner(int k) { yield(1, k & 1 ? &contexts[0] : &main_context); }

static void pong()
{
	for (int k = 0; k < 4; k++)
		pong_inner(k);
}

static void coroutines()
{
	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = memory[i];
		contexts[i].uc_stack.ss_size = COROUTINE_BYTES;
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], i ? pong : ping, 0);
	}
	for (int k = 0; k < 3; k++) {
		leaf();
		swapcontext(&main_context, &contexts[0]);
		leaf();
	}
}

/* Two that wait at one address; the order in which they go on is not that in which they waited. */
static void one(int k) { yield(0, &main_context); sink += k; leaf(); }
static void two(int k) { yield(1, &main_context); sink -= k; leaf(); }
static void ones() { for (int k = 0; k < 4; k++) one(k); leaf(); }
static void twos() { for (int k = 0; k < 4; k++) two(k); leaf(); }

static void out_of_order()
{
	static const char order[] = "010011101";

	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = memory[i];
		contexts[i].uc_stack.ss_size = COROUTINE_BYTES;
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], i ? twos : ones, 0);
	}
	for (const char *c = order; *c; c++) {
		swapcontext(&main_context, &contexts[*c - '0']);
		leaf();
	}
}

NOINLINE static int tail_last(int x)
{
	leaf();
	return x * 3;
}
static int (*volatile tail_pointer)(int) = tail_last;
NOT_LOGGED NOINLINE static int tail_middle(int x) { return tail_pointer(x + 1); }
NOT_LOGGED NOINLINE static int tail_first(int x)
{
	leaf();
	return tail_middle(x + 1);
}

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int by_number(const void *a, const void *b)
{
	leaf();
	return *(const int *)a - *(const int *)b;
}

static void sorts()
{
	int v[] = { 5, 3, 9, 1, 7 };

	qsort(v, 5, sizeof *v, by_number);
	leaf();
}

static void work(int n)
{
	sink += fib(n);
	catcher(n);
	sorts();
}

int main()
{
	sink += jumps(3);
	sink += catcher(5);
	sink += nested(5);
	sink += rethrows(3);
	signals();
	coroutines();
	out_of_order();
	sink += tail_first(4);
	sorts();
	std::thread a(work, 4), b(work, 6);
	a.join();
	b.join();
	leaf();
	printf("%d threads\n", threads);
	return 0;
}
