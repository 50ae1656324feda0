/* What the system says about an access that it refuses: the recorder finds the instruction by it
 * (recorder/fault.c), where one ends the program.
 *
 * Translated code accesses a program's memory as the emulator's own, so that the emulator has a
 * handler for these signals.  Ours is before it, and costs nothing until then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "plugin.h"

static const int numbers[] = { SIGSEGV, SIGBUS };
static struct sigaction emulators[2];
static const uint64_t *guest_base;
static __thread uint32_t own_vcpu; /* 1 + that of this thread; 0: it made no system call yet */

void plugin_fault_thread(unsigned vcpu)
{
	own_vcpu = vcpu + 1;
}

/* Where translated code is, the register that has the address of the emulator's struct for its
 * vcpu, which begins with x0 to x31.  NULL: not known on this machine. */
static const void *vcpu_of(const ucontext_t *at, void **pc, uint32_t *how)
{
#if defined(__x86_64__)
	*pc = (void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
	*how = at->uc_mcontext.gregs[REG_ERR] & 2 ? HS_WIRE_FAULT_STORE : HS_WIRE_FAULT_LOAD;
	return (const void *)(uintptr_t)at->uc_mcontext.gregs[REG_RBP];
#elif defined(__aarch64__)
	*pc = (void *)(uintptr_t)at->uc_mcontext.pc;
	return (const void *)(uintptr_t)at->uc_mcontext.regs[19];
#else
	return NULL;
#endif
}

/* The program's registers, by an address that may be none.  False: they are not known. */
static bool read_registers(struct hs_wire_fault *f, const void *vcpu, unsigned xlen)
{
	uint8_t bytes[32 * 8] = { 0 };
	const size_t size = 32 * (xlen / 8);
	const struct iovec local = { bytes, size }, remote = { (void *)(uintptr_t)vcpu, size };

	if (vcpu == NULL || process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)size)
		return false;
	for (unsigned i = 0; i < 32; i++) {
		f->registers[i] = 0;
		memcpy(&f->registers[i], bytes + i * (xlen / 8), xlen / 8);
	}
	return f->registers[0] == 0;
}

static unsigned register_bits;

static void note(int number, const siginfo_t *info, const ucontext_t *at)
{
	struct hs_wire_fault *f = &plugin_process->fault;
	void *pc = NULL;
	uint32_t how = 0;
	Dl_info library;
	const void *vcpu = vcpu_of(at, &pc, &how);

	f->signal = 0;
	f->address = (uint64_t)(uintptr_t)info->si_addr - *guest_base;
	if (info->si_code <= 0)
		how = HS_WIRE_FAULT_SENT;
	else if (info->si_code != SI_KERNEL) /* which has no address */
		how |= HS_WIRE_FAULT_ADDRESS;
	if (dladdr(pc, &library) == 0)
		how |= HS_WIRE_FAULT_CODE;
	if (read_registers(f, vcpu, register_bits))
		how |= HS_WIRE_FAULT_REGISTERS;
	f->how = how;
	f->vcpu = own_vcpu;
	f->signal = (uint32_t)number;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	const struct sigaction *next = &emulators[number == SIGBUS];

	note(number, info, context);
	if (next->sa_flags & SA_SIGINFO)
		next->sa_sigaction(number, info, context);
	else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN)
		next->sa_handler(number);
	else
		sigaction(number, next, NULL); /* it strikes again */
}

void plugin_fault_watch(const uint64_t *base, unsigned xlen)
{
	guest_base = base;
	register_bits = xlen;
	for (unsigned i = 0; i < 2; i++) {
		struct sigaction ours;

		if (sigaction(numbers[i], NULL, &emulators[i]) != 0)
			continue;
		ours = emulators[i];
		ours.sa_flags |= SA_SIGINFO;
		ours.sa_sigaction = on_fault;
		sigaction(numbers[i], &ours, NULL);
	}
}
