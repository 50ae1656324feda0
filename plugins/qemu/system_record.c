/* Recording a whole system: runs of code as in plugin.c, and the traps and modes between them.
 *
 * For most runs only their number is written.  A trap shows when a run starts at the address of a
 * trap vector, or in another mode than the hart had; then the registers say where the trap came
 * from (traps.c).  QEMU translates code once for each mode, so that a run has a mode, and a hart's
 * mode need be read only where it can have changed.
 *
 * QEMU leaves a run after a wfi, and after an access to a device, for which it makes a block of its
 * own that plugins do not see; then it continues in the middle of the run.
 *
 * Argument: socket=NAME (the socket of hs_recorder_run()).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/isa.h>

#include "system.h"

#include "code.h"

enum system_run_flag {
	RUN_VECTOR = 1,     /* starts at the address of a trap vector */
	RUN_XRET = 2,       /* ends in a trap return; registers have its target before it retires */
	RUN_MRET = 4,       /* the same, and it is an mret */
	RUN_TVEC = 8,       /* ends with an access to a trap vector's register */
	RUN_TO_ITSELF = 16, /* its last instruction may jump into its own middle */
	RUN_MNRET = 32,     /* as RUN_MRET: an mnret */
	RUN_SPACE = 64      /* ends with an instruction that can change the address space */
};

#define VECTORS 64u

struct recorded_hart {
	struct sys_registers registers;
	const struct plugin_run *last;
	uint64_t next; /* where a trap return at the end of @last goes */
	uint8_t mode, after;
	bool ended; /* @last is RUN_TO_ITSELF, and its last instruction was executed */
};

static struct recorded_hart harts[SYS_VCPUS];

static struct recorded_hart *hart_of(unsigned vcpu)
{
	return &harts[vcpu % SYS_VCPUS];
}

static struct {
	uint64_t base;
	bool table; /* vectored: 4 bytes for each cause */
} vectors[VECTORS];
static unsigned vector_count;
static bool with_data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for log, pages, vectors, translating */
static struct sys_registers translating;

/* Is it the offset of an entry of a vectored table, which has at most 64 causes? */
static bool in_table(uint64_t offset)
{
	return offset < 4u * 64u && offset % 4 == 0;
}

static bool at_vector(uint64_t addr)
{
	for (unsigned i = 0; i < vector_count; i++)
		if (addr == vectors[i].base ||
		    (vectors[i].table && in_table(addr - vectors[i].base)))
			return true;
	return false;
}

static void mark_vector(struct plugin_run *run)
{
	if (at_vector(run->start))
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
	vector_count = i < VECTORS ? i + 1 : VECTORS;
	plugin_log_each(mark_vector);
}

/* A vector's register may have been written. */
static void read_vectors(const struct sys_registers *r)
{
	pthread_mutex_lock(&lock);
	add_vector(sys_read(r, SYS_MTVEC));
	add_vector(sys_read(r, SYS_STVEC));
	add_vector(sys_read(r, SYS_VSTVEC));
	pthread_mutex_unlock(&lock);
}

static bool is_direct(const struct plugin_run *run)
{
	return run->kind == HS_INSN_JUMP || run->kind == HS_INSN_CALL;
}

static bool is_indirect(const struct plugin_run *run)
{
	return run->kind >= HS_INSN_JUMP_IND && run->kind <= HS_INSN_TABLE_CALL;
}

/* Can the run before lead to @run, in @mode, without a trap? */
static bool leads_to(const struct recorded_hart *s, const struct plugin_run *run, unsigned mode)
{
	const struct plugin_run *last = s->last;

	if (mode != s->after)
		return false;
	if (last->kind == HS_INSN_XRET)
		return run->start == s->next;
	if (is_indirect(last))
		return true;
	if (last->kind == HS_INSN_ECALL)
		return false;
	if (is_direct(last))
		return run->start == last->target;
	return run->start == last->end ||
	       (last->kind == HS_INSN_BRANCH && run->start == last->target);
}

static void push_trap(struct hs_wire_hart *h, const struct sys_trap *t, uint32_t hwords)
{
	const unsigned itype = t->interrupt ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION;

	plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_TRAP, itype | (uint32_t)t->from << 4));
	plugin_push(h, (uint32_t)t->epc);
	plugin_push(h, (uint32_t)(t->epc >> 32));
	plugin_push(h, (uint32_t)t->value);
	plugin_push(h, (uint32_t)(t->value >> 32));
	plugin_push(h, (uint32_t)t->cause);
	plugin_push(h, hwords);
}

/* Is @addr in the middle of the run before, without a jump to there? */
static inline bool is_inside(const struct recorded_hart *s, uint64_t addr)
{
	const struct plugin_run *last = s->last;
	const bool jumped = (last->flags & RUN_TO_ITSELF) && s->ended && addr == last->target;

	return addr > last->start && addr < last->end && !jumped;
}

/* Write the traps that led from the run before to @run; false when the registers have none. */
static bool push_traps(const struct recorded_hart *s, struct hs_wire_hart *h,
                       const struct plugin_run *run)
{
	const struct plugin_run *last = s->last;
	struct sys_place place = { last->start, last->end, last->end, is_indirect(last),
		                   s->mode, s->after, false, false };
	struct sys_trap traps[SYS_TRAPS];
	uint32_t hwords = HS_REC_TRAP_ALL;
	unsigned n;

	if (is_direct(last))
		place.next = last->target;
	else if (last->kind == HS_INSN_XRET)
		place.next = s->next;
	n = sys_traps(&s->registers, &place, run->start, traps);
	if (n == 0 && last->kind == HS_INSN_BRANCH) {
		place.next = last->target;
		n = sys_traps(&s->registers, &place, run->start, traps);
	}
	if (n > 0 && traps[0].from == s->mode &&
	    (is_inside(s, traps[0].epc) || (!traps[0].interrupt && traps[0].epc == last->start)))
		hwords = (uint32_t)((traps[0].epc - last->start) / 2);
	for (unsigned i = 0; i < n; i++, hwords = HS_REC_TRAP_ALL)
		push_trap(h, &traps[i], hwords);
	return n > 0;
}

/* Was there no trap if @last can lead to @run?  Straight code and jumps through registers do not
 * lead to a trap vector on purpose: that was a trap, of an instruction before the vector or of
 * the jump. */
static bool is_plain(const struct plugin_run *last, const struct plugin_run *run)
{
	return !(run->flags & RUN_VECTOR) || is_direct(last) || last->kind == HS_INSN_BRANCH ||
	       last->kind == HS_INSN_XRET;
}

/* Write how the hart came from the run before to @run, where the runs themselves do not show it. */
static void push_way(const struct recorded_hart *s, struct hs_wire_hart *h,
                     const struct plugin_run *run, unsigned mode)
{
	const bool leads = leads_to(s, run, mode);

	if (mode == s->mode && is_inside(s, run->start))
		plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_CUT, (run->start - s->last->start) / 2));
	else if (!(leads && is_plain(s->last, run)) && !push_traps(s, h, run) && !leads)
		__atomic_add_fetch(&plugin_process->lost, 1, __ATOMIC_RELAXED);
}

struct plugin_run *system_record_elsewhere(struct plugin_run *run, uint64_t start, unsigned mode)
{
	const uint64_t moved = start - run->start;
	struct plugin_run *other;

	if (moved == 0 && run->mode == mode)
		return run;
	pthread_mutex_lock(&lock);
	other = plugin_log_special(plugin_log_elsewhere(run->id, start, mode));
	other->flags = run->flags & ~(uint32_t)RUN_VECTOR;
	other->target = run->target + moved;
	other->kind = run->kind;
	mark_vector(other);
	pthread_mutex_unlock(&lock);
	return other;
}

/* Which trap return the run ends in, for sys_return(). */
static uint32_t return_bits(const struct plugin_run *run)
{
	if (run->flags & RUN_MNRET)
		return SYS_MNRET;
	return run->flags & RUN_MRET ? SYS_MRET : 0;
}

/* A run before which something can have changed.  Returns the run to record: @run in the hart's
 * mode. */
static const struct plugin_run *enter_run(unsigned vcpu, struct hs_wire_hart *h,
                                          struct plugin_run *run)
{
	struct recorded_hart *s = hart_of(vcpu);
	const uint32_t changed = __atomic_exchange_n(&run->changed, 0, __ATOMIC_RELAXED);
	const struct plugin_run *now;
	unsigned mode;

	if (s->last == NULL || (s->last->flags & RUN_TVEC))
		read_vectors(&s->registers);
	mode = (unsigned)sys_read(&s->registers, SYS_PRIV) & 7u;
	if (s->last != NULL)
		push_way(s, h, run, mode);
	s->mode = s->after = (uint8_t)mode;
	now = system_record_elsewhere(run, run->start, mode);
	if (changed != 0)
		plugin_ring_event(h, HS_KIND_CODE, run->changed_at, changed);
	if (now->flags & RUN_XRET)
		s->next = sys_return(&s->registers, return_bits(now), s->mode, &s->after);
	return now;
}

/* The run at the address at which the hart executes it. */
static inline struct plugin_run *locate_run(unsigned vcpu, struct hs_wire_hart *h,
                                            struct plugin_run *run)
{
	const struct recorded_hart *s = hart_of(vcpu);
	struct plugin_run *at;

	if (s->last != NULL && (s->last->flags & RUN_SPACE))
		system_space_changed(vcpu, &s->registers, h);
	if (run->mode == HS_PRIV_M)
		return run;
	at = system_space_run(vcpu, &s->registers, run, s->last);
	if (at != run && run->changed != 0) {
		at->changed_at = run->changed_at + (at->start - run->start);
		at->changed = __atomic_exchange_n(&run->changed, 0, __ATOMIC_RELAXED);
	}
	return at;
}

static void record_run(unsigned vcpu, struct hs_wire_hart *h, struct plugin_run *at)
{
	struct recorded_hart *s = hart_of(vcpu);
	const struct plugin_run *run = at;

	if (s->last == NULL || is_inside(s, run->start) ||
	    (run->flags | (s->last->flags & (RUN_XRET | RUN_TVEC)) | run->changed |
	     (run->mode ^ s->mode)) != 0)
		run = enter_run(vcpu, h, at);
	s->last = run;
	s->ended = false;
	plugin_push(h, run->id);
}

static void on_run(unsigned vcpu, void *udata)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);

	record_run(vcpu, h, locate_run(vcpu, h, udata));
}

static void on_run_with_data(unsigned vcpu, void *udata)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);
	struct plugin_run *run = locate_run(vcpu, h, udata);

	system_access_settle(vcpu, run->start, run->flags & RUN_VECTOR);
	record_run(vcpu, h, run);
}

uint64_t system_record_run_start(unsigned vcpu)
{
	const struct plugin_run *last = hart_of(vcpu)->last;

	return last == NULL ? 0 : last->start;
}

static void on_end(unsigned vcpu, void *udata)
{
	(void)udata;
	hart_of(vcpu)->ended = true;
}

static bool writes_vector(uint32_t insn)
{
	const unsigned csr = insn >> 20;

	return (insn & 0x7fu) == 0x73u && (insn >> 12 & 7u) != 0 &&
	       (csr == 0x305 || csr == 0x105 || csr == 0x205);
}

/* Store what the run's last instruction does. */
static void classify(struct plugin_run *run, struct qemu_plugin_tb *tb)
{
	const struct hs_isa isa = { .xlen = (uint8_t)sys_xlen };
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
	const size_t size = qemu_plugin_insn_size(last);
	struct hs_insn insn = { 0 };
	uint8_t bytes[8] = { 0 };
	uint32_t bits;

	plugin_insn_bytes(last, bytes, size < sizeof(bytes) ? size : sizeof(bytes));
	memcpy(&bits, bytes, 4);
	hs_isa_decode(&isa, qemu_plugin_insn_vaddr(last), bytes, size, &insn);
	run->kind = insn.kind;
	run->target = insn.target;
	if (insn.kind == HS_INSN_XRET)
		run->flags |= RUN_XRET | (bits == SYS_MRET ? RUN_MRET : 0u) |
		              (bits == SYS_MNRET ? RUN_MNRET : 0u);
	if (writes_vector(bits))
		run->flags |= RUN_TVEC;
	if (system_space_insn(bits))
		run->flags |= RUN_SPACE;
	if (insn.kind == HS_INSN_LINEAR || insn.target <= run->start || insn.target >= run->end)
		return;
	run->flags |= RUN_TO_ITSELF;
	qemu_plugin_register_vcpu_insn_exec_cb(last, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

void system_record_translate(struct qemu_plugin_tb *tb)
{
	const uint64_t start = qemu_plugin_tb_vaddr(tb);
	const uint32_t n = (uint32_t)qemu_plugin_tb_n_insns(tb);
	uint8_t code[PLUGIN_RUN_BYTES];
	const uint32_t bytes = plugin_copy_code(tb, code);
	struct plugin_run *run;
	uint32_t changed, mode;
	uint64_t at;

	pthread_mutex_lock(&lock);
	mode = (uint32_t)sys_read(&translating, SYS_PRIV) & 7u;
	changed = plugin_pages_compare(start, code, bytes, &at);
	if (changed != 0)
		plugin_log_record(HS_REC_LOG_CHANGED, &at, sizeof(at), &(uint64_t){ changed },
		                  sizeof(uint64_t));
	run = plugin_log_special(plugin_log_run(start, n | mode << 24, code, bytes));
	run->changed_at = at;
	run->changed = changed;
	classify(run, tb);
	mark_vector(run);
	pthread_mutex_unlock(&lock);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, with_data ? on_run_with_data : on_run,
	                                     QEMU_PLUGIN_CB_R_REGS, run);
	if (with_data)
		system_access_instrument(tb);
}

void system_record_vcpu(unsigned vcpu)
{
	struct recorded_hart *s = hart_of(vcpu);

	sys_registers_open(&s->registers);
	s->mode = s->after = HS_PRIV_M;
	if (with_data)
		system_access_vcpu(vcpu);
	pthread_mutex_lock(&lock);
	if (translating.bytes == NULL)
		sys_registers_open(&translating);
	pthread_mutex_unlock(&lock);
	system_space_vcpu(vcpu);
	plugin_ring_open(vcpu, vcpu);
}

bool system_record_start(const char *socket_name, const char *data)
{
	with_data = data != NULL;
	system_access_start(with_data && strcmp(data, "values") == 0);
	return plugin_log_open(socket_name, sys_xlen);
}
