/* What a just-in-time compiler does to code that it wrote (jit.c): a place has other mappings in
 * turn, code is written through a second mapping or while it may not be executed, one
 * instruction of a function is patched in place, a function finds its caller changed when it
 * returns, and several threads execute what one of them writes.
 *
 *   rewrite [ROUNDS [machine]]
 *
 * "machine" has the second mapping, which QEMU's user mode does not see: what was translated stays.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define THREADS 3
#define CODE (PROT_READ | PROT_EXEC)
#define DATA (PROT_READ | PROT_WRITE)

typedef long function(long);

static uint16_t *out;
static long wanted, had;

static void put2(uint16_t insn)
{
	*out++ = insn;
}

static void put4(uint32_t insn)
{
	put2((uint16_t)insn);
	put2((uint16_t)(insn >> 16));
}

/* Add @n in one of three ways. */
static void write_function(void *to, unsigned n, unsigned shape)
{
	out = to;
	if (shape % 3 == 1) {
		put4(0x00000793u | n << 20); /* li a5, n */
		put2(0x0505);                /* c.addi a0, 1 */
		put2(0x17fd);                /* c.addi a5, -1 */
		put4(0xfe079ee3u);           /* bnez a5, to the addition */
	} else {
		if (shape % 3 == 2) {
			put2(0xa019);                 /* c.j past the next one */
			put4(0x00050513u | 999 << 20);
		}
		put4(0x00050513u | n << 20); /* addi a0, a0, n */
	}
	put2(0x8082); /* ret */
}

static void flush(void *code)
{
	__builtin___clear_cache(code, (char *)code + PAGE);
}

static void call(void *code, unsigned n)
{
	had = ((function *)code)(had);
	wanted += n;
}

static void *map(void *at, int protection, int flags, int file)
{
	void *p = mmap(at, PAGE, protection, (file < 0 ? MAP_ANONYMOUS : 0) | flags, file, 0);

	if (p == MAP_FAILED)
		exit(2);
	return p;
}

/* New pages at one address, then at others. */
static void other_mappings(void *place, unsigned i)
{
	for (unsigned k = 0; k < 3; k++) {
		char *at = (char *)place + (k == 2 ? i % 5 * PAGE : 0);

		map(at, DATA | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, -1);
		write_function(at, 1 + (i + k) % 7, i + k);
		flush(at);
		call(at, 1 + (i + k) % 7);
		munmap(at, PAGE);
	}
}

/* Write, forbid, execute, allow, write. */
static void write_or_execute(void *at, unsigned i)
{
	map(at, DATA, MAP_PRIVATE | MAP_FIXED, -1);
	for (unsigned k = 0; k < 3; k++) {
		write_function(at, 1 + (i + k) % 5, i * k);
		mprotect(at, PAGE, CODE);
		flush(at);
		call(at, 1 + (i + k) % 5);
		mprotect(at, PAGE, DATA);
	}
}

/* Two mappings of a page: write one, execute the other. */
static void second_mapping(void *at, unsigned i)
{
	const int file = memfd_create("code", 0);

	if (file < 0 || ftruncate(file, PAGE) < 0)
		exit(2);
	void *to = map(NULL, DATA, MAP_SHARED, file);

	map(at, CODE, MAP_SHARED | MAP_FIXED, file);
	for (unsigned k = 0; k < 3; k++) {
		write_function(to, 1 + (i + k) % 6, i + 2 * k);
		flush(at);
		call(at, 1 + (i + k) % 6);
	}
	munmap(to, PAGE);
	close(file);
}

/* One instruction is a nop or a jump over an addition, as Linux has its static keys. */
static void patched(void *at, unsigned i)
{
	map(at, DATA | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, -1);
	for (unsigned k = 0; k < 6; k++) {
		const int jumps = (i + k) % 3 == 0;

		out = at;
		if (k == 0) {
			put4(0x00000013u);
			put4(0x00050513u | 3 << 20);
			put2(0x8082);
			out = at;
		}
		put4(jumps ? 0x0080006fu : 0x00000013u);
		flush(at);
		call(at, jumps ? 0 : 3);
	}
}

static uint16_t *after_call;
static unsigned added;

/* Called by code whose next instruction it changes. */
static long change_caller(long sum)
{
	out = after_call;
	put4(0x00050513u | added << 20);
	flush((void *)((uintptr_t)after_call & ~(uintptr_t)(PAGE - 1)));
	return sum;
}

static void changed_caller(void *at, unsigned i)
{
	map(at, DATA | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, -1);
	out = at;
	put4(0x00000797u | 0);      /* auipc a5, 0 */
	put4(0x0207b783u);          /* ld a5, 32(a5) */
	put2(0x1141);               /* c.addi sp, -16 */
	put2(0xe406);               /* c.sdsp ra, 8(sp) */
	put2(0x9782);               /* c.jalr a5 */
	after_call = out;
	put4(0x00050513u);
	put2(0x60a2);               /* c.ldsp ra, 8(sp) */
	put2(0x0141);               /* c.addi sp, 16 */
	put2(0x8082);
	put2(0x0001);
	*(uint64_t *)((char *)at + 32) = (uintptr_t)change_caller;
	for (unsigned k = 0; k < 3; k++) {
		added = 1 + (i + k) % 9;
		flush(at);
		call(at, added);
	}
}

static pthread_barrier_t barrier;
static void *shared_code;
static long thread_sums[THREADS];

static void *execute(void *which)
{
	const uintptr_t t = (uintptr_t)which;

	for (;;) {
		pthread_barrier_wait(&barrier);
		if (shared_code == NULL)
			return NULL;
		for (uintptr_t k = 0; k <= t; k++)
			thread_sums[t] = ((function *)shared_code)(thread_sums[t]);
		pthread_barrier_wait(&barrier);
	}
}

static void with_threads(void *at, unsigned rounds)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (uintptr_t t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, execute, (void *)t);
	map(at, DATA | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, -1);
	for (unsigned i = 0; i < rounds; i++) {
		write_function(at, 1 + i % 7, i);
		flush(at);
		shared_code = at;
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		wanted += (1 + i % 7) * THREADS * (THREADS + 1) / 2;
	}
	shared_code = NULL;
	pthread_barrier_wait(&barrier);
	for (unsigned t = 0; t < THREADS; t++) {
		pthread_join(threads[t], NULL);
		had += thread_sums[t];
	}
}

int main(int argc, char **argv)
{
	const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 50;
	void *place = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < rounds; i++) {
		other_mappings(place, i);
		write_or_execute(place, i);
		if (argc > 2)
			second_mapping(place, i);
		patched(place, i);
		changed_caller(place, i);
	}
	with_threads(place, rounds);
	printf("sum %ld, wanted %ld\n", had, wanted);
	return had != wanted;
}
