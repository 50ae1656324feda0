/* Registers of a vcpu by name.  QEMU gives each a handle when the vcpu starts. */
#include <string.h>

#include "system.h"

unsigned sys_xlen = 64;

static const char *const x_names[32] = {
	"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
	"a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const names[SYS_REGS] = {
#define HS_SYSTEM_REG(id, name) name,
#include "system_registers.def"
#undef HS_SYSTEM_REG
};

static void match_name(struct qemu_plugin_register **handles, const char *const *wanted, unsigned n,
                       const qemu_plugin_reg_descriptor *d)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(wanted[i], d->name) == 0)
			handles[i] = d->handle;
}

/* By number.  QEMU gives the registers of its feature of CSRs handles in the order of their
 * numbers, from 11.1 on twice as far apart, with a bit at the bottom for those that are read only:
 * two that are known by name show where they begin, and how far apart they are. */
static struct qemu_plugin_register *csrs[4096];

/* One of them: its size depends on the version. */
static const qemu_plugin_reg_descriptor *descriptor(qemu_array *all, unsigned i)
{
	return (const void *)(all->data + (size_t)i * g_array_get_element_size(all));
}

static const qemu_plugin_reg_descriptor *find_name(qemu_array *all, const char *name)
{
	for (unsigned i = 0; i < all->len; i++)
		if (strcmp(descriptor(all, i)->name, name) == 0)
			return descriptor(all, i);
	return NULL;
}

static uintptr_t handle_of(const qemu_plugin_reg_descriptor *d)
{
	return (uintptr_t)d->handle;
}

static void find_csrs(qemu_array *all)
{
	const qemu_plugin_reg_descriptor *mstatus = find_name(all, "mstatus");
	const qemu_plugin_reg_descriptor *mcause = find_name(all, "mcause");
	unsigned shift = 0;

	if (mstatus == NULL || mcause == NULL)
		return;
	while (shift < 2 && (handle_of(mcause) >> shift) - (handle_of(mstatus) >> shift) != 0x42)
		shift++;
	for (unsigned i = 0; i < all->len && shift < 2; i++) {
		const qemu_plugin_reg_descriptor *d = descriptor(all, i);
		const uintptr_t number =
			(handle_of(d) >> shift) - (handle_of(mstatus) >> shift) + 0x300;

		if (number < 4096 && strcmp(d->feature, mstatus->feature) == 0)
			csrs[number] = d->handle;
	}
}

void sys_registers_open(struct sys_registers *r)
{
	qemu_array *all = qemu_plugin_get_registers();

	memset(r, 0, sizeof(*r));
	r->bytes = g_byte_array_new();
	for (unsigned i = 0; i < all->len; i++) {
		match_name(r->x, x_names, 32, descriptor(all, i));
		match_name(r->named, names, SYS_REGS, descriptor(all, i));
	}
	find_csrs(all);
}

static uint64_t read_handle(const struct sys_registers *r, struct qemu_plugin_register *handle)
{
	uint64_t value = 0;

	if (handle == NULL)
		return 0;
	g_byte_array_set_size(r->bytes, 0);
	qemu_plugin_read_register(handle, r->bytes);
	memcpy(&value, r->bytes->data, r->bytes->len < 8 ? r->bytes->len : 8);
	return sys_xlen == 32 ? (uint32_t)value : value;
}

uint64_t sys_read(const struct sys_registers *r, enum sys_reg which)
{
	return read_handle(r, r->named[which]);
}

bool sys_has(const struct sys_registers *r, enum sys_reg which)
{
	return r->named[which] != NULL;
}

uint64_t sys_read_x(const struct sys_registers *r, unsigned number)
{
	return number == 0 ? 0 : read_handle(r, r->x[number & 31u]);
}

uint64_t sys_read_pair(const struct sys_registers *r, unsigned number, bool pair)
{
	const uint64_t low = sys_read_x(r, number);

	return pair && number != 0 ? low | sys_read_x(r, number + 1) << 32 : low;
}

bool sys_read_csr(const struct sys_registers *r, unsigned number, uint64_t *value)
{
	struct qemu_plugin_register *handle = csrs[number & 0xfffu];

	*value = handle == NULL ? 0 : read_handle(r, handle);
	return handle != NULL;
}
