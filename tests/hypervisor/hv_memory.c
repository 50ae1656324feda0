/* The guest's memory: the second stage of translation, and what an SBI call may reach. */
#include "hv.h"

#define LEAF_U 0xdf /* D A U X W R V */
#define TABLE 1
#define MEGA (__riscv_xlen == 64 ? 0x200000ul : 0x400000ul)
#define UART 0x10000000ul
#define ENTRIES (4096 / sizeof(reg))

void *memcpy(void *restrict to, const void *restrict from, size_t n);

static reg root[16384 / sizeof(reg)] __attribute__((aligned(16384)));
static reg middle[ENTRIES] __attribute__((aligned(4096)));

#if __riscv_xlen == 64
static reg devices[ENTRIES] __attribute__((aligned(4096)));
#endif

static reg entry(uintptr_t to, reg flags)
{
	return (reg)to >> 12 << 10 | flags;
}

/* Pages of 4 KiB on RV32, where those of the next size cover the guest's "firmware" too. */
#if __riscv_xlen == 64
static void map_pages(void)
{
	root[GUEST_START >> 30] = entry((uintptr_t)middle, TABLE);
	for (uintptr_t at = 0; at < GUEST_SIZE; at += MEGA)
		middle[(GUEST_START + at) >> 21 & (ENTRIES - 1)] = entry(GUEST_AT + at, LEAF_U);
	if (GUEST_LOADED) {
		root[0] = entry((uintptr_t)devices, TABLE);
		devices[UART >> 21] = entry(UART, LEAF_U);
	}
	put_csr(HGATP, BIT(63) | (uintptr_t)root >> 12); /* Sv39x4 */
}
#else
static void map_pages(void)
{
	root[GUEST_START >> 22] = entry((uintptr_t)middle, TABLE);
	for (uintptr_t at = GUEST_START; at % MEGA; at += 4096)
		middle[at >> 12 & (ENTRIES - 1)] = entry(at - GUEST_START + GUEST_AT, LEAF_U);
	for (uintptr_t at = GUEST_START / MEGA * MEGA + MEGA; at < GUEST_START + GUEST_SIZE;
	     at += MEGA)
		root[at >> 22] = entry(at - GUEST_START + GUEST_AT, LEAF_U);
	put_csr(HGATP, BIT(31) | (uintptr_t)root >> 12); /* Sv32x4 */
}
#endif

void map_guest(void)
{
	map_pages();
	__asm__ volatile(".word 0x62000073"); /* hfence.gvma */
}

/* Where a range of the guest's memory is; NULL if it is not all there. */
void *guest_memory(uint64_t address, uint64_t length)
{
	if (address < GUEST_START || address >= GUEST_START + GUEST_SIZE ||
	    length > GUEST_START + GUEST_SIZE - address)
		return NULL;
	return (void *)(uintptr_t)(address - GUEST_START + GUEST_AT);
}

static enum hs_pmu_memory check_memory(void *ctx, uint64_t address, uint64_t length,
                                       unsigned access)
{
	(void)ctx, (void)access;
	return guest_memory(address, length) ? HS_PMU_MEMORY_OK : HS_PMU_MEMORY_INACCESSIBLE;
}

static bool read_memory(void *ctx, uint64_t address, void *to, size_t n)
{
	(void)ctx;
	memcpy(to, guest_memory(address, n), n);
	return true;
}

static bool write_memory(void *ctx, uint64_t address, const void *from, size_t n)
{
	(void)ctx;
	memcpy(guest_memory(address, n), from, n);
	return true;
}

const struct hs_pmu_soft_memory guest_soft_memory = {
	.size = sizeof(guest_soft_memory),
	.check = check_memory, .read = read_memory, .write = write_memory,
};
