/* Faults as accesses to the board: see trap.h. */
#include "board/trap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "board/model.h"

enum { RANGES = 8, PAGE = 4096, WRITE = 2, TRAP_FLAG = 0x100 };

static struct range { uint8_t *p; size_t bytes; uint64_t address; } ranges[RANGES];
static unsigned range_count;

/* The access that is under way. */
static struct { struct range *range; uint8_t *word; bool stores; } now;

static uint64_t address_of(const uint8_t *word)
{
	return now.range->address + (uint64_t)(word - now.range->p);
}

static void protect(int rights)
{
	uint8_t *page = now.word - (uintptr_t)now.word % PAGE;

	if (mprotect(page, PAGE, rights) != 0)
		abort();
}

static struct range *range_of(const uint8_t *p)
{
	for (unsigned i = 0; i < range_count; i++)
		if (p >= ranges[i].p && p < ranges[i].p + ranges[i].bytes)
			return &ranges[i];
	return NULL;
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint32_t value = 0;

	(void)signal_number;
	now.word = info->si_addr;
	now.range = range_of(now.word);
	now.stores = regs[REG_ERR] & WRITE;
	if (!now.range || (uintptr_t)now.word % 4) {
		signal(SIGSEGV, SIG_DFL); /* a fault of the program */
		return;
	}
	if (!now.stores && !board_read(address_of(now.word), &value))
		abort();
	protect(PROT_READ | PROT_WRITE);
	if (!now.stores)
		memcpy(now.word, &value, sizeof(value));
	regs[REG_EFL] |= TRAP_FLAG;
}

static void on_step(int signal_number, siginfo_t *info, void *context)
{
	uint32_t value;

	(void)signal_number;
	(void)info;
	memcpy(&value, now.word, sizeof(value));
	if (now.stores && !board_write(address_of(now.word), value))
		abort();
	protect(PROT_NONE);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

void trap_pages(void *p, size_t bytes, uint64_t address)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	struct sigaction step = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	if (range_count == RANGES || sigaction(SIGSEGV, &fault, NULL) != 0 ||
	    sigaction(SIGTRAP, &step, NULL) != 0 || mprotect(p, bytes, PROT_NONE) != 0)
		abort();
	ranges[range_count++] = (struct range){ p, bytes, address };
}
