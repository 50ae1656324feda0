/* Where the trap vectors of a recorded machine are: a run that starts there may follow a trap. */
#include "system_hart.h"

#define VECTORS 64u

static struct {
	uint64_t base;
	bool table; /* vectored: 4 bytes for each cause */
} vectors[VECTORS];
static unsigned vector_count;
static uint32_t vector_changes;

/* Is it the offset of an entry of a vectored table, which has at most 64 causes? */
static bool in_table(uint64_t offset)
{
	return offset < 4u * 64u && offset % 4 == 0;
}

bool system_at_vector(uint64_t addr)
{
	const unsigned n = __atomic_load_n(&vector_count, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < n; i++)
		if (addr == vectors[i].base ||
		    (vectors[i].table && in_table(addr - vectors[i].base)))
			return true;
	return false;
}

void system_mark_vector(struct plugin_run *run)
{
	if (system_at_vector(run->start))
		__atomic_or_fetch(&run->flags, RUN_VECTOR, __ATOMIC_RELAXED);
}

/* Add a vector, unless it is known, and mark the runs that start there. */
static void add_vector(uint64_t tvec)
{
	const uint64_t base = tvec & ~UINT64_C(3);
	const bool table = tvec & 1u;
	unsigned i = 0;

	while (i < vector_count && (vectors[i].base != base || vectors[i].table != table))
		i++;
	if (i < vector_count)
		return;
	vectors[i % VECTORS].base = base;
	vectors[i % VECTORS].table = table;
	__atomic_store_n(&vector_count, i < VECTORS ? i + 1 : VECTORS, __ATOMIC_RELEASE);
	plugin_log_each(system_mark_vector);
	vector_changes++;
}

/* A vector's register may have been written. */
void system_read_vectors(struct recorded_hart *s)
{
	const struct sys_registers *r = &s->registers;

	pthread_mutex_lock(&system_lock);
	add_vector(sys_read(r, SYS_MTVEC));
	add_vector(sys_read(r, SYS_STVEC));
	add_vector(sys_read(r, SYS_VSTVEC));
	if (s->vectors != vector_changes)
		pack_doubt(s->ring);
	s->vectors = vector_changes;
	pthread_mutex_unlock(&system_lock);
}
