/* Data accesses of a program: QEMU 7.2 says where each instruction accessed memory, and how much.
 *
 * It does not say what was loaded or stored, nor has it registers.  A guest's memory is the
 * emulator's own, so that the value is what is there right after the access: what was stored, and
 * what was loaded, unless another thread has stored to that place since.  Of an atomic operation
 * the value before it is seen where QEMU makes it a load and a store, as long as there is one
 * thread; the operand where it follows from both values.  Accesses to CSRs are not seen here.
 */
#include <string.h>

#include "api.h"
#include "code.h"
#include "conditional.h"
#include "disas.h"
#include "marks.h"

static uint64_t base; /* of the guest's memory in the emulator's */
static bool values;
static __thread struct {
	uint64_t address, value;
	bool known;
} loaded; /* by an atomic operation that has not stored yet */

static uint64_t read_memory(uint64_t address, unsigned size)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)(address + base);
	uint64_t v = 0;

	for (unsigned i = 1u << size; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static struct hs_access plain_access(qemu_plugin_meminfo_t info, uint64_t address)
{
	struct hs_access a = { .address = address, .known = HS_ACCESS_HAS_ADDRESS,
		               .type = qemu_plugin_mem_is_store(info) ? HS_ACCESS_STORE
		                                                      : HS_ACCESS_LOAD,
		               .size = (uint8_t)qemu_plugin_mem_size_shift(info) };

	if (values && a.size <= 3) {
		a.data = read_memory(address, a.size);
		a.known |= HS_ACCESS_HAS_DATA;
	}
	return a;
}

/* Of a run that is not recorded, or not to its end, there may be some that are not wanted. */
static void push_access(unsigned vcpu, const struct hs_access *a)
{
	if (plugin_recording())
		plugin_push_access(plugin_ring(vcpu), a);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *udata)
{
	struct hs_access a = plain_access(info, address);

	a.type += (uint8_t)(uintptr_t)udata; /* one of several */
	if (a.size <= 3)
		push_access(vcpu, &a);
}

static void on_reserve(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *udata)
{
	const struct hs_access a = plain_access(info, address);

	(void)udata;
	conditional_reserve(&a);
	push_access(vcpu, &a);
}

/* QEMU compares before it stores: a load that the program does not see. */
static void on_conditional(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *udata)
{
	const struct hs_access a = plain_access(info, address);

	(void)udata;
	(void)vcpu;
	if (a.type == HS_ACCESS_STORE)
		conditional_access(&a);
}

static void on_compare(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *udata)
{
	const struct hs_access a = plain_access(info, address);

	(void)udata;
	if (a.size <= 3)
		conditional_compare(vcpu, &a);
}

/* The operand, where the values before and after the operation leave no choice. */
static bool find_operand(const struct hs_access *a, uint64_t after, uint64_t *operand)
{
	const uint64_t all = a->size == 3 ? UINT64_MAX : (UINT64_C(1) << (8u << a->size)) - 1;

	switch (a->type) {
	case HS_ACCESS_SWAP:
		*operand = after;
		return true;
	case HS_ACCESS_ADD:
		*operand = (after - a->data) & all;
		return true;
	case HS_ACCESS_XOR:
		*operand = after ^ a->data;
		return true;
	default:
		return false;
	}
}

static void on_atomic(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *udata)
{
	struct hs_access a = plain_access(info, address);
	const uint64_t after = a.data;

	if (a.type == HS_ACCESS_LOAD) { /* the store follows */
		loaded.address = address;
		loaded.value = a.data;
		loaded.known = values;
		return;
	}
	a.type = (uint8_t)(uintptr_t)udata;
	a.data = 0;
	a.known = HS_ACCESS_HAS_ADDRESS;
	if (loaded.known && loaded.address == address) {
		a.data = loaded.value;
		a.known |= HS_ACCESS_HAS_DATA;
		if (find_operand(&a, after, &a.operand))
			a.known |= HS_ACCESS_HAS_OPERAND;
	}
	loaded.known = false;
	push_access(vcpu, &a);
}

/* @next: the instruction after @insn, or NULL. */
static void instrument(struct qemu_plugin_insn *insn, struct qemu_plugin_insn *next)
{
	static const qemu_plugin_vcpu_mem_cb_t callbacks[] = {
		[PLUGIN_MEMORY] = on_access,           [PLUGIN_RESERVE] = on_reserve,
		[PLUGIN_CONDITIONAL] = on_conditional, [PLUGIN_ATOMIC] = on_atomic,
		[PLUGIN_COMPARE] = on_compare,         [PLUGIN_CSR] = NULL
	};

	const size_t size = qemu_plugin_insn_size(insn);
	struct plugin_access_kind kind;
	uint32_t bits = 0;

	plugin_insn_bytes(insn, &bits, size < 4 ? size : 4);
	kind = plugin_access_of(insn, bits, size);
	if (callbacks[kind.what] != NULL)
		qemu_plugin_register_vcpu_mem_cb(insn, callbacks[kind.what], QEMU_PLUGIN_CB_NO_REGS,
		                                 QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)kind.type);
	if (kind.what == PLUGIN_CONDITIONAL)
		conditional_instrument(insn, bits, next, push_access);
	if (kind.what == PLUGIN_COMPARE)
		conditional_instrument_compare(insn, bits, next, push_access);
}

void plugin_access_instrument(struct qemu_plugin_tb *tb, size_t first, enum plugin_data what,
                              uint64_t guest_base)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);

	values = what == PLUGIN_DATA_VALUES;
	base = guest_base;
	conditional_place(base, values);
	for (size_t i = first; i < n; i++)
		instrument(qemu_plugin_tb_get_insn(tb, i),
		           i + 1 < n ? qemu_plugin_tb_get_insn(tb, i + 1) : NULL);
}
