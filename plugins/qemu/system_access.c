/* Data accesses of a machine: memory as QEMU 10 reports it, with values; and what it does not
 * report, from registers before and after an instruction: operands of atomic operations, CSRs, and
 * whether a conditional store failed.
 *
 * Such an access is written when its instruction has retired, before the next one executes.
 */
#include <string.h>

#include "marks.h"
#include "system.h"

#include "code.h"
#include "disas.h"

/* An instruction in a callback's argument. */
#define PACK(bits, offset, what, type) \
	((void *)(uintptr_t)((uint64_t)(bits) | (uint64_t)(offset) << 32 | \
	                     (uint64_t)(what) << 48 | (uint64_t)(type) << 56))
#define BITS_OF(v) ((uint32_t)(uintptr_t)(v))
#define OFFSET_OF(v) ((uint64_t)(uintptr_t)(v) >> 32 & 0xffffu)
#define WHAT_OF(v) ((unsigned)((uint64_t)(uintptr_t)(v) >> 48 & 0xffu))
#define TYPE_OF(v) ((uint8_t)((uint64_t)(uintptr_t)(v) >> 56))

static struct accessing {
	struct sys_registers registers;
	/* An atomic operation: */
	uint64_t operand, expected, loaded;
	bool has_operand;
	/* A CSR access or a conditional store that may not have retired: */
	bool pending;
	uint8_t rd;
	uint64_t pc, end;
	struct hs_access access;
} harts[SYS_VCPUS];

static bool values;

static uint64_t low(uint64_t v, unsigned size)
{
	return size >= 3 ? v : v & ((UINT64_C(1) << (8u << size)) - 1);
}

static void write_access(unsigned vcpu, struct hs_access *a)
{
	a->data = low(a->data, a->size);
	a->operand = low(a->operand, a->size);
	if (!values) {
		a->known &= HS_ACCESS_HAS_ADDRESS;
		a->data = a->operand = 0;
	}
	if (plugin_recording())
		plugin_push_access(plugin_ring(vcpu), a);
}

/* ---- memory ------------------------------------------------------------------------ */

static uint64_t value_of(qemu_plugin_meminfo_t info)
{
	const qemu_plugin_mem_value v = qemu_plugin_mem_get_value(info);

	switch (v.type) {
	case QEMU_PLUGIN_MEM_VALUE_U8: return v.data.u8;
	case QEMU_PLUGIN_MEM_VALUE_U16: return v.data.u16;
	case QEMU_PLUGIN_MEM_VALUE_U32: return v.data.u32;
	default: return v.data.u64;
	}
}

static bool is_operation(unsigned what)
{
	return what == PLUGIN_ATOMIC || what == PLUGIN_COMPARE;
}

/* An operation has loaded and stored.  A compare and swap that failed stores what was there. */
static void set_operation(struct accessing *s, struct hs_access *a, void *udata)
{
	const bool fails = WHAT_OF(udata) == PLUGIN_COMPARE && s->has_operand &&
	                   low(s->loaded ^ s->expected, a->size) != 0;

	a->type = fails ? HS_ACCESS_CAS_FAILED : TYPE_OF(udata);
	a->data = fails ? 0 : s->loaded;
	if (fails)
		a->known = HS_ACCESS_HAS_ADDRESS;
	a->operand = s->has_operand ? s->operand : 0;
	a->known |= s->has_operand ? HS_ACCESS_HAS_OPERAND : 0;
	s->has_operand = false;
}

static void on_memory(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *udata)
{
	struct accessing *s = &harts[vcpu % SYS_VCPUS];
	struct hs_access a = { .address = address, .data = value_of(info),
		               .known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA,
		               .type = qemu_plugin_mem_is_store(info) ? HS_ACCESS_STORE
		                                                      : HS_ACCESS_LOAD,
		               .size = (uint8_t)qemu_plugin_mem_size_shift(info) };

	if (a.size > 3)
		return;
	if (is_operation(WHAT_OF(udata)) && a.type == HS_ACCESS_LOAD) {
		s->loaded = a.data; /* the store follows */
		return;
	}
	if (is_operation(WHAT_OF(udata)))
		set_operation(s, &a, udata);
	else
		a.type += TYPE_OF(udata); /* one of several */
	write_access(vcpu, &a);
}

/* ---- from registers ---------------------------------------------------------------- */

/* Did the instruction at @pc raise an exception, after which the hart is where it is now? */
static bool has_trapped(const struct sys_registers *r, uint64_t pc)
{
	return sys_read(r, sys_read(r, SYS_PRIV) == HS_PRIV_M ? SYS_MEPC : SYS_SEPC) == pc;
}

/* The instruction at @next is about to execute: what is pending retired before it, or trapped.
 * @handler: a trap may have led there. */
void system_access_settle(unsigned vcpu, uint64_t next, bool handler)
{
	struct accessing *s = &harts[vcpu % SYS_VCPUS];
	struct hs_access a = s->access;

	if (!s->pending)
		return;
	s->pending = false;
	if ((next != s->end || handler) && has_trapped(&s->registers, s->pc))
		return;
	if (a.type == HS_ACCESS_STORE && sys_read_x(&s->registers, s->rd) != 0) {
		a.type = HS_ACCESS_SC_FAILED;
		a.known = HS_ACCESS_HAS_ADDRESS;
		a.data = 0;
	} else if (hs_access_is_csr(a.type) && !(a.known & HS_ACCESS_HAS_DATA) && s->rd != 0) {
		a.data = sys_read_x(&s->registers, s->rd);
		a.known |= HS_ACCESS_HAS_DATA;
	}
	write_access(vcpu, &a);
}

static struct hs_access csr_access(const struct sys_registers *r, uint32_t bits, uint8_t type)
{
	const unsigned rs1 = bits >> 15 & 31u;
	struct hs_access a = { .address = bits >> 20, .type = type, .size = sys_xlen == 32 ? 2 : 3,
		               .known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_OPERAND };

	a.operand = bits >> 14 & 1u ? rs1 : sys_read_x(r, rs1);
	if (sys_read_csr(r, bits >> 20, &a.data))
		a.known |= HS_ACCESS_HAS_DATA;
	return a;
}

static struct hs_access conditional_store(const struct sys_registers *r, uint32_t bits)
{
	return (struct hs_access){ .address = sys_read_x(r, bits >> 15 & 31u),
		                   .data = sys_read_x(r, bits >> 20 & 31u),
		                   .type = HS_ACCESS_STORE, .size = bits >> 12 & 3u,
		                   .known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA };
}

static void on_before(unsigned vcpu, void *udata)
{
	struct accessing *s = &harts[vcpu % SYS_VCPUS];
	const uint32_t bits = BITS_OF(udata);
	const uint64_t pc = system_record_run_start(vcpu) + OFFSET_OF(udata);

	if (!plugin_recording())
		return;
	system_access_settle(vcpu, pc, false);
	if (is_operation(WHAT_OF(udata))) {
		const bool pairs = plugin_compares_pairs(bits, sys_xlen);

		s->operand = sys_read_pair(&s->registers, bits >> 20 & 31u, pairs);
		s->expected = sys_read_pair(&s->registers, bits >> 7 & 31u, pairs);
		s->has_operand = true;
		return;
	}
	s->pending = true;
	s->pc = pc;
	s->end = pc + 4;
	s->rd = bits >> 7 & 31u;
	s->access = WHAT_OF(udata) == PLUGIN_CSR
	                    ? csr_access(&s->registers, bits, TYPE_OF(udata))
	                    : conditional_store(&s->registers, bits);
}

static void on_after(unsigned vcpu, void *udata)
{
	system_access_settle(vcpu, system_record_run_start(vcpu) + OFFSET_OF(udata), false);
}

/* ---- translation ------------------------------------------------------------------- */

/* @next: the instruction after @insn, or NULL. */
static void instrument(struct qemu_plugin_insn *insn, struct qemu_plugin_insn *next, uint64_t start)
{
	const size_t size = qemu_plugin_insn_size(insn);
	const uint64_t offset = qemu_plugin_insn_vaddr(insn) - start;
	uint32_t bits = 0;

	plugin_insn_bytes(insn, &bits, size < 4 ? size : 4);
	const struct plugin_access_kind kind = plugin_access_of(insn, bits, size);
	void *udata = PACK(bits, offset, kind.what, kind.type);

	if (kind.what == PLUGIN_MEMORY || kind.what == PLUGIN_RESERVE || is_operation(kind.what))
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_PLUGIN_CB_NO_REGS,
		                                 QEMU_PLUGIN_MEM_RW, udata);
	if (kind.what >= PLUGIN_CONDITIONAL)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_before, QEMU_PLUGIN_CB_R_REGS,
		                                       udata);
	if (next && (kind.what == PLUGIN_CONDITIONAL || kind.what == PLUGIN_CSR))
		qemu_plugin_register_vcpu_insn_exec_cb(next, on_after, QEMU_PLUGIN_CB_R_REGS,
		                                       PACK(0, offset + size, 0, 0));
}

void system_access_instrument(struct qemu_plugin_tb *tb, size_t first)
{
	const uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, first));
	const size_t n = qemu_plugin_tb_n_insns(tb);

	for (size_t i = first; i < n; i++)
		instrument(qemu_plugin_tb_get_insn(tb, i),
		           i + 1 < n ? qemu_plugin_tb_get_insn(tb, i + 1) : NULL, start);
}

void system_access_vcpu(unsigned vcpu)
{
	sys_registers_open(&harts[vcpu % SYS_VCPUS].registers);
}

void system_access_start(bool with_values)
{
	values = with_values;
}
