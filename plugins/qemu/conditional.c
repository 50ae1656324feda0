/* Store-conditionals and compare-and-swaps of programs (conditional.h). */
#define _GNU_SOURCE
#include <sys/uio.h>
#include <unistd.h>

#include "conditional.h"
#include "vcpu.h"

#if PLUGIN_LINES
#include "system.h" /* registers.c */
#endif

static uint64_t base;
static bool values;
static conditional_push_fn push_access;
static __thread struct {
	uint64_t address, value; /* of the last lr; as it sign-extends it */
	bool known;
} reserved;
static __thread struct {
	struct hs_access access;
	bool matches; /* memory has what lr loaded */
} now;                /* the sc */
static __thread struct {
	struct hs_access load, store;
	uint64_t loaded, expected, operand;
	bool stored;
	bool known; /* the registers said what it compares and stores */
	bool later; /* rd at the next instruction says what it loaded */
} swap;             /* the amocas */

void conditional_place(uint64_t guest_base, bool with_values)
{
	base = guest_base;
	values = with_values;
}

static uint64_t cut(uint64_t value, unsigned size)
{
	return size == 2 ? (uint32_t)value : value;
}

/* The program may have unmapped it. */
static bool read_guest(uint64_t address, unsigned size, uint64_t *value)
{
	struct iovec local = { value, (size_t)1 << size };
	struct iovec remote = { (void *)(uintptr_t)(address + base), (size_t)1 << size };

	*value = 0;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)local.iov_len;
}

void conditional_reserve(const struct hs_access *a)
{
	uint64_t value;

	reserved.address = a->address;
	reserved.known = read_guest(a->address, a->size, &value);
	reserved.value = a->size == 2 ? (uint64_t)(int64_t)(int32_t)value : value;
}

static bool compare_memory(unsigned size)
{
	uint64_t value;

	return reserved.known && read_guest(reserved.address, size, &value) &&
	       cut(value ^ reserved.value, size) == 0;
}

static void push_result(unsigned vcpu, bool stores)
{
	reserved.known = false; /* an sc ends the reservation */
	if (!stores) {
		now.access.type = HS_ACCESS_SC_FAILED;
		now.access.known &= HS_ACCESS_HAS_ADDRESS;
		now.access.data = 0;
	}
	push_access(vcpu, &now.access);
}

/* ---- compare-and-swaps ------------------------------------------------------------- */

static void push_unknown_swap(unsigned vcpu)
{
	struct hs_access a = swap.store;

	if (!values || a.data == swap.loaded) {
		push_access(vcpu, &swap.load);
		push_access(vcpu, &swap.store);
		return;
	}
	a.type = HS_ACCESS_SWAP;
	a.operand = a.data;
	a.data = swap.loaded;
	a.known |= HS_ACCESS_HAS_OPERAND;
	push_access(vcpu, &a);
}

static void push_swap(unsigned vcpu)
{
	struct hs_access a = { .address = swap.store.address,
		               .size = swap.store.size,
		               .type = HS_ACCESS_SWAP,
		               .known = HS_ACCESS_HAS_ADDRESS };
	const bool fails = cut(swap.loaded ^ swap.expected, a.size) != 0;

	swap.stored = false;
	if (!swap.known) {
		push_unknown_swap(vcpu);
		return;
	}
	if (fails)
		a.type = HS_ACCESS_CAS_FAILED;
	if (values) {
		a.operand = cut(swap.operand, a.size);
		a.data = fails ? 0 : cut(swap.loaded, a.size);
		a.known |= HS_ACCESS_HAS_OPERAND | (fails ? 0 : HS_ACCESS_HAS_DATA);
	}
	push_access(vcpu, &a);
}

void conditional_compare(unsigned vcpu, const struct hs_access *a)
{
	if (a->type == HS_ACCESS_LOAD) {
		swap.load = *a;
		read_guest(a->address, a->size, &swap.loaded);
		return;
	}
	swap.store = *a;
	swap.stored = true;
	if (!swap.later)
		push_swap(vcpu);
}

/* ---- registers --------------------------------------------------------------------- */

#if PLUGIN_LINES

static struct sys_registers registers; /* handles, which are the same for all vcpus */
static __thread struct sys_registers of_thread;

void conditional_open(unsigned xlen)
{
	if (registers.bytes != NULL)
		return;
	sys_xlen = xlen;
	sys_registers_open(&registers);
}

static uint64_t read_x(unsigned number)
{
	if (of_thread.bytes == NULL) {
		of_thread = registers;
		of_thread.bytes = g_byte_array_new();
	}
	return sys_read_x(&of_thread, number);
}

void conditional_access(const struct hs_access *a)
{
	(void)a; /* the registers had it */
}

/* Before: @udata: the instruction. */
static void on_before(unsigned vcpu, void *udata)
{
	const uint32_t bits = (uint32_t)(uintptr_t)udata;
	const unsigned size = bits >> 12 & 3u;

	(void)vcpu;
	now.access = (struct hs_access){ .address = read_x(bits >> 15 & 31u),
		                         .type = HS_ACCESS_STORE,
		                         .size = (uint8_t)size,
		                         .known = HS_ACCESS_HAS_ADDRESS };
	now.matches = now.access.address == reserved.address && compare_memory(size);
	if (!values)
		return;
	now.access.data = cut(read_x(bits >> 20 & 31u), size);
	now.access.known |= HS_ACCESS_HAS_DATA;
}

/* The same where nothing comes after it in the block. */
static void on_last(unsigned vcpu, void *udata)
{
	on_before(vcpu, udata);
	push_result(vcpu, now.matches);
}

/* @udata: the number of rd. */
static void on_after(unsigned vcpu, void *udata)
{
	const unsigned rd = (unsigned)(uintptr_t)udata;

	push_result(vcpu, rd == 0 ? now.matches : read_x(rd) == 0);
}

static uint64_t read_operand(uint32_t bits, unsigned number)
{
	read_x(0); /* this thread has its registers */
	return sys_read_pair(&of_thread, number, plugin_compares_pairs(bits, sys_xlen));
}

/* @udata: the instruction. */
static void on_swap(unsigned vcpu, void *udata)
{
	const uint32_t bits = (uint32_t)(uintptr_t)udata;

	(void)vcpu;
	swap.expected = read_operand(bits, bits >> 7 & 31u);
	swap.operand = read_operand(bits, bits >> 20 & 31u);
	swap.known = true;
	swap.stored = false;
	swap.later = (bits >> 7 & 31u) != 0;
}

/* The same where nothing comes after it in the block. */
static void on_last_swap(unsigned vcpu, void *udata)
{
	on_swap(vcpu, udata);
	swap.later = false;
}

/* @udata: the instruction before. */
static void on_swapped(unsigned vcpu, void *udata)
{
	const uint32_t bits = (uint32_t)(uintptr_t)udata;

	if (!swap.stored)
		return;
	swap.loaded = read_operand(bits, bits >> 7 & 31u);
	push_swap(vcpu);
}

void conditional_instrument_compare(struct qemu_plugin_insn *insn, uint32_t bits,
                                    struct qemu_plugin_insn *next, conditional_push_fn push)
{
	void *udata = (void *)(uintptr_t)bits;

	push_access = push;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, next == NULL ? on_last_swap : on_swap,
	                                       QEMU_PLUGIN_CB_R_REGS, udata);
	if (next != NULL)
		qemu_plugin_register_vcpu_insn_exec_cb(next, on_swapped, QEMU_PLUGIN_CB_R_REGS,
		                                       udata);
}

#else

void conditional_instrument_compare(struct qemu_plugin_insn *insn, uint32_t bits,
                                    struct qemu_plugin_insn *next, conditional_push_fn push)
{
	(void)insn;
	(void)bits;
	(void)next;
	push_access = push;
}

static __thread bool accessed;
static __thread bool last;
static __thread unsigned running;

void conditional_open(unsigned xlen)
{
	(void)xlen;
}

/* With the value that memory has now. */
void conditional_access(const struct hs_access *a)
{
	accessed = true;
	now.access = *a;
	if (last)
		push_result(running, now.matches);
}

/* @udata: the instruction.  Where the address is another one, QEMU does not say which. */
static void on_before(unsigned vcpu, void *udata)
{
	const unsigned size = (uint32_t)(uintptr_t)udata >> 12 & 3u;

	now.access = (struct hs_access){ .type = HS_ACCESS_STORE, .size = (uint8_t)size };
	now.matches = compare_memory(size);
	accessed = last = false;
	running = vcpu;
}

static void on_last(unsigned vcpu, void *udata)
{
	on_before(vcpu, udata);
	last = true;
}

static void on_after(unsigned vcpu, void *udata)
{
	(void)udata;
	push_result(vcpu, accessed && now.matches);
}

#endif

void conditional_instrument(struct qemu_plugin_insn *insn, uint32_t bits,
                            struct qemu_plugin_insn *next, conditional_push_fn push)
{
	push_access = push;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, next == NULL ? on_last : on_before,
	                                       QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)bits);
	if (next != NULL)
		qemu_plugin_register_vcpu_insn_exec_cb(next, on_after, QEMU_PLUGIN_CB_R_REGS,
		                                       (void *)(uintptr_t)(bits >> 7 & 31u));
}
