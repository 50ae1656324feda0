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

#include <hartscope/image.h>

#include "system_hart.h"

#include "code.h"
#include "marks.h"

static struct recorded_hart harts[SYS_VCPUS];

struct recorded_hart *system_hart(unsigned vcpu)
{
	return &harts[vcpu % SYS_VCPUS];
}

static bool with_data, waits;
static qemu_plugin_u64 ended; /* of a vcpu: its last run that may jump into its own middle */
pthread_mutex_t system_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sys_registers translating;

/* Store where a run leads without a trap, as far as its last instruction says. */
static void set_ways(struct plugin_run *run, uint64_t target)
{
	run->falls = run->leads = 1;
	if (run->kind == HS_INSN_LINEAR || run->kind == HS_INSN_BRANCH)
		run->falls = run->end;
	if (run->kind == HS_INSN_BRANCH || run->kind == HS_INSN_JUMP || run->kind == HS_INSN_CALL)
		run->leads = target;
}

/* The same run in another mode. */
static struct plugin_run *find_in_mode(struct plugin_run *run, unsigned mode)
{
	struct plugin_run *other;

	if (run->mode == mode)
		return run;
	pthread_mutex_lock(&system_lock);
	other = plugin_log_special(plugin_log_in_mode(run->id, mode));
	__atomic_or_fetch(&other->flags, run->flags & ~(uint32_t)RUN_CHANGED, __ATOMIC_RELAXED);
	other->kind = run->kind;
	set_ways(other, run->leads);
	system_moves_add(other);
	pthread_mutex_unlock(&system_lock);
	return other;
}

/* @run where the hart executes it, which may be where a vector is or not. */
static struct plugin_run find_at(const struct plugin_run *run, uint64_t moved)
{
	struct plugin_run at = system_run_at(run, moved);

	if (moved != 0 && !sys_is_user(run->mode))
		at.flags = (at.flags & ~(uint32_t)RUN_VECTOR) |
		           (system_at_vector(at.start) ? RUN_VECTOR : 0u);
	return at;
}

/* Which trap return the run ends in, for sys_return(). */
static uint32_t return_bits(const struct plugin_run *run)
{
	if (run->flags & RUN_MNRET)
		return SYS_MNRET;
	return run->flags & RUN_MRET ? SYS_MRET : 0;
}

static void begin(unsigned vcpu, struct plugin_run *run, uint64_t moved)
{
	struct recorded_hart *s = system_hart(vcpu);

	if (waits)
		plugin_process_wait();
	s->began = true;
	s->first = run->start + moved;
	system_space_changed(vcpu, &s->registers);
	s->looks = true;
	__atomic_or_fetch(&run->flags, RUN_FIRST, __ATOMIC_RELAXED);
}

static void explain_way(struct recorded_hart *s, struct hs_wire_hart *h,
                        const struct plugin_run *run, unsigned mode)
{
	const enum way way = system_way_push(s, h, run, mode);

	if (way == WAY_RESET)
		system_stand_reset(s, h, run->start);
	else if (way == WAY_UNKNOWN)
		__atomic_add_fetch(&plugin_process->lost, 1, __ATOMIC_RELAXED);
}

/* How many bytes of its code changed, for the hart that executes it first. */
static uint32_t take_change(struct plugin_run *run)
{
	if (!(run->flags & RUN_CHANGED))
		return 0;
	__atomic_and_fetch(&run->flags, ~(uint32_t)RUN_CHANGED, __ATOMIC_RELAXED);
	return __atomic_exchange_n(&run->changed, 0, __ATOMIC_RELAXED);
}

static void set_change(struct plugin_run *run, uint32_t changed, uint64_t at)
{
	if (changed == 0)
		return;
	run->changed_at = at;
	run->changed = changed;
	__atomic_or_fetch(&run->flags, RUN_CHANGED, __ATOMIC_RELAXED);
}

/* A run before which something can have changed.  Returns the run to record: @run in the hart's
 * mode.  @at: it, where it executes. */
static struct plugin_run *enter_run(struct recorded_hart *s, struct hs_wire_hart *h,
                                    struct plugin_run *run, const struct plugin_run *at)
{
	const uint32_t changed = take_change(run);
	unsigned mode;

	if (s->last == NULL || (s->last->flags & RUN_TVEC))
		system_read_vectors(s);
	mode = (unsigned)sys_read(&s->registers, SYS_PRIV) & 7u;
	if (s->last != NULL)
		explain_way(s, h, at, mode);
	if (s->looks || sys_virtual(s->mode) != sys_virtual(mode))
		system_context_look(s, h, mode);
	s->looks = false;
	s->mode = s->after = (uint8_t)mode;
	if (changed != 0)
		plugin_ring_event(h, HS_KIND_CODE, run->changed_at + (at->start - run->start),
		                  changed);
	if (run->flags & RUN_XRET)
		s->next = sys_return(&s->registers, return_bits(run), s->mode, &s->after);
	return find_in_mode(run, mode);
}

/* So many bytes after where it was translated the hart executes @run. */
static inline uint64_t locate_run(unsigned vcpu, const struct plugin_run *run)
{
	struct recorded_hart *s = system_hart(vcpu);

	if (s->last != NULL && (s->last->flags & RUN_SPACE)) {
		system_space_changed(vcpu, &s->registers);
		s->looks = true;
	}
	return run->mode == HS_PRIV_M ? 0 : system_space_moved(vcpu, &s->registers, run);
}

/* What the words before said, and a stream that begins with the next run needs. */
static void system_anew(struct recorded_hart *s)
{
	pack_anew(s->ring, system_context_known(s));
	system_context_repeat(s, s->ring);
	memset(s->space->moves, 0, sizeof(s->space->moves));
}

static void record_run(unsigned vcpu, struct hs_wire_hart *h, struct plugin_run *run,
                       uint64_t moved)
{
	struct recorded_hart *s = system_hart(vcpu);
	const struct plugin_run at = find_at(run, moved);

	if (!s->began)
		begin(vcpu, run, moved);
	if (s->last == NULL || s->looks || system_way_inside(s, at.start) ||
	    ((at.flags & ~(uint32_t)RUN_MOVED) |
	     (s->last->flags & (RUN_XRET | RUN_TVEC)) | (run->mode ^ s->mode)) != 0)
		run = enter_run(s, h, run, &at);
	if (h->keys.anew)
		system_anew(s);
	system_move(s, run, moved);
	pack_run(s->ring, run->id, run->insns, false);
	system_hart_follow(s, run, moved);
}

/* Where the hart executed the run before in this address space; NULL: nowhere. */
static inline const struct system_place *find_place(const struct recorded_hart *s,
                                                    const struct plugin_run *run)
{
	static const struct system_place in_place;
	const struct system_place *p = &s->space->places[run->id % PLACES];

	if (run->mode == HS_PRIV_M)
		return &in_place;
	return p->run == run->id && p->space == ((run->mode & 3u) == HS_PRIV_U
	                                                 ? s->space->of_user
	                                                 : s->space->of_supervisor) ? p : NULL;
}

/* A run where the hart executed it before, and to which the run before leads without a trap: no
 * register needs be read.  NULL: it is another one. */
static inline const struct system_place *find_plain(const struct recorded_hart *s,
                                                    const struct plugin_run *run)
{
	const struct plugin_run *last = s->last;
	const struct system_place *p;
	uint64_t start;

	if (last == NULL || s->looks || (last->flags & RUN_SLOW) ||
	    ((run->flags & ~(uint32_t)RUN_MOVED) | (run->mode ^ s->mode)) != 0)
		return NULL;
	p = find_place(s, run);
	if (p == NULL)
		return NULL;
	start = run->start + p->moved;
	if (p->moved != 0 && !sys_is_user(run->mode) && system_at_vector(start))
		return NULL;
	if (start == s->falls || start == s->leads ||
	    (system_is_indirect(last) && !system_way_inside(s, start)))
		return p;
	return NULL;
}

/* Does @run, to which the run before leads, follow it without a look as long as nothing changes
 * that pack_doubt() is called for?  Where a jump through a register leads shows in the address
 * only. */
static bool is_certain(const struct recorded_hart *s, const struct plugin_run *run, uint64_t moved)
{
	const bool direct = run->start == s->falls || run->start == s->leads;

	if ((run->flags | moved | s->moved) != 0 || system_way_within(s, run->start))
		return false;
	return direct || run->mode == HS_PRIV_M || (run->mode == HS_PRIV_S && !s->space->guests);
}

static void find_run(unsigned vcpu, struct plugin_run *run)
{
	struct recorded_hart *s = system_hart(vcpu);
	const struct system_place *p;
	bool certain;

	system_hart_catch_up(s);
	p = find_plain(s, run);
	if (p == NULL) {
		record_run(vcpu, s->ring, run, locate_run(vcpu, run));
		return;
	}
	if (s->ring->keys.anew)
		system_anew(s);
	system_move(s, run, p->moved);
	certain = is_certain(s, run, p->moved);
	s->relies |= certain && run->mode == HS_PRIV_S;
	pack_run(s->ring, run->id, run->insns, certain);
	system_hart_follow(s, run, p->moved);
}

/* More has to be done than to write a bit: its code changed, for example. */
static __attribute__((noinline)) void on_changed(unsigned vcpu, void *udata)
{
	find_run(vcpu, plugin_log_at(pack_id(udata)));
}

static void on_run(unsigned vcpu, void *udata);

static __attribute__((noinline)) void on_full(unsigned vcpu, void *udata)
{
	pack_flush(plugin_ring(vcpu));
	on_run(vcpu, udata);
}

static void on_run(unsigned vcpu, void *udata)
{
	const enum pack_way way = pack_take(plugin_ring(vcpu), udata);

	if (__builtin_expect(way == PACK_OTHER, 0))
		on_changed(vcpu, udata);
	else if (__builtin_expect(way == PACK_FULL, 0))
		on_full(vcpu, udata);
}

static void on_run_with_data(unsigned vcpu, void *udata)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);
	struct plugin_run *run = plugin_log_at(pack_id(udata));
	const uint64_t moved = locate_run(vcpu, run);
	const struct plugin_run at = find_at(run, moved);

	system_access_settle(vcpu, at.start, at.flags & RUN_VECTOR);
	record_run(vcpu, h, run, moved);
}

uint64_t system_record_run_start(unsigned vcpu)
{
	const struct recorded_hart *s = system_hart(vcpu);

	return s->last == NULL ? 0 : system_last(s).start;
}

static bool writes_vector(uint32_t insn)
{
	const unsigned csr = insn >> 20;

	return (insn & 0x7fu) == 0x73u && (insn >> 12 & 7u) != 0 &&
	       (csr == 0x305 || csr == 0x105 || csr == 0x205);
}

/* The last instruction of @tb may jump into its middle: note whether it is executed. */
static void watch_end(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *last)
{
	struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);

	if (first == last)
		return;
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(first, QEMU_PLUGIN_INLINE_STORE_U64,
	                                                    ended, 0);
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(last, QEMU_PLUGIN_INLINE_STORE_U64,
	                                                    ended, 1);
}

bool system_record_jumped(const struct recorded_hart *s, uint64_t addr)
{
	if (!system_is_indirect(s->last) &&
	    (!(s->last->flags & RUN_TO_ITSELF) || addr - s->moved != s->last->leads))
		return false;
	return qemu_plugin_u64_get(ended, (unsigned)(s - harts)) != 0;
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
	set_ways(run, insn.target);
	if (insn.kind == HS_INSN_XRET)
		run->flags |= RUN_XRET | (bits == SYS_MRET ? RUN_MRET : 0u) |
		              (bits == SYS_MNRET ? RUN_MNRET : 0u);
	if (writes_vector(bits))
		run->flags |= RUN_TVEC;
	if (system_space_insn(bits) || system_context_insn(bits))
		run->flags |= RUN_SPACE;
	if (insn.kind != HS_INSN_LINEAR && insn.target > run->start && insn.target < run->end)
		run->flags |= RUN_TO_ITSELF;
	if ((run->flags & RUN_TO_ITSELF) || system_is_indirect(run))
		watch_end(tb, last);
}

/* Has @code, of a mode with XLEN 32, a c.jal?  With XLEN 64 that is c.addiw. */
static bool has_narrow_call(const uint8_t *code, uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += (code[at] & 3u) == 3 ? 4 : 2)
		if ((code[at] & 3u) == 1 && code[at + 1] >> 5 == 1)
			return true;
	return false;
}

/* A recording has one XLEN: user code of the other one is not recorded right where an instruction
 * is a call in it only (design/rec-machines). */
static void check_narrow(unsigned mode, const uint8_t *code, uint32_t bytes)
{
	static bool said;

	if (sys_xlen != 64 || !sys_is_user(mode) ||
	    (sys_read(&translating, SYS_MSTATUS) >> 32 & 3u) != 1 || !has_narrow_call(code, bytes))
		return;
	if (!said)
		fprintf(stderr, "hartscope: user code with XLEN 32 has c.jal, which is recorded as "
		        "c.addiw: the recording is not complete\n");
	said = true;
	__atomic_add_fetch(&plugin_process->lost, 1, __ATOMIC_RELAXED);
}

/* The run of @tb from an instruction on. */
static struct plugin_run *log_run(struct qemu_plugin_tb *tb, size_t first)
{
	const uint64_t start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, first));
	const uint32_t n = (uint32_t)(qemu_plugin_tb_n_insns(tb) - first);
	uint8_t all[PLUGIN_RUN_BYTES], *code = all + (start - qemu_plugin_tb_vaddr(tb));
	const uint32_t bytes = plugin_copy_code(tb, all) - (uint32_t)(code - all);
	struct plugin_run *run;
	uint32_t changed, mode;
	uint64_t at;

	pthread_mutex_lock(&system_lock);
	mode = (uint32_t)sys_read(&translating, SYS_PRIV) & 7u;
	check_narrow(mode, code, bytes);
	changed = plugin_pages_compare(start, code, bytes, &at);
	if (changed != 0)
		plugin_log_record(HS_REC_LOG_CHANGED, &at, sizeof(at), &(uint64_t){ changed },
		                  sizeof(uint64_t));
	run = plugin_log_special(plugin_log_run(start, n | mode << 24, code, bytes));
	set_change(run, changed, at);
	classify(run, tb);
	system_mark_vector(run);
	system_moves_add(run);
	pthread_mutex_unlock(&system_lock);
	return run;
}

struct plugin_run *system_record_rest(struct qemu_plugin_tb *tb, size_t first)
{
	struct plugin_run *run = log_run(tb, first);

	if (with_data)
		system_access_instrument(tb, first);
	return run;
}

void system_record_begin(unsigned vcpu, struct plugin_run *run, uint64_t moved)
{
	record_run(vcpu, plugin_ring(vcpu), run, moved);
}

void system_record_end(unsigned vcpu, uint64_t offset)
{
	struct recorded_hart *s = system_hart(vcpu);
	const uint64_t pc = system_last(s).start + offset;

	if (with_data)
		system_access_settle(vcpu, pc, false);
	plugin_ring_end(plugin_ring(vcpu), (uint32_t)(offset / 2), pc);
	system_hart_follow(s, NULL, 0);
}

/* What is called when @run executes. */
static qemu_plugin_vcpu_udata_cb_t callback_of(const struct plugin_run *run)
{
	if (with_data)
		return on_run_with_data;
	return run->flags & RUN_CHANGED ? on_changed : on_run;
}

void system_record_translate(struct qemu_plugin_tb *tb)
{
	struct plugin_run *run;

	if (!plugin_recording()) {
		if (waits)
			plugin_process_wait();
		system_marks_translate(tb);
		return;
	}
	run = log_run(tb, 0);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, callback_of(run), QEMU_PLUGIN_CB_R_REGS,
	                                     pack_argument(run->id, run->insns));
	system_marks_watch(tb);
	if (with_data)
		system_access_instrument(tb, 0);
}

/* QEMU 10.0 says of several harts in one thread (-icount, thread=single) the wrong one. */
static void check_thread(void)
{
	static pthread_t before;
	static bool any;

	if (any && pthread_equal(before, pthread_self())) {
		fprintf(stderr, "hartscope: a machine of several harts is recorded with a thread "
		        "for each only: without -icount and thread=single\n");
		exit(1);
	}
	before = pthread_self();
	any = true;
}

void system_record_vcpu(unsigned vcpu)
{
	struct recorded_hart *s = system_hart(vcpu);

	pthread_mutex_lock(&system_lock);
	check_thread();
	pthread_mutex_unlock(&system_lock);
	sys_registers_open(&s->registers);
	s->mode = s->after = HS_PRIV_M;
	if (with_data)
		system_access_vcpu(vcpu);
	pthread_mutex_lock(&system_lock);
	if (translating.bytes == NULL)
		sys_registers_open(&translating);
	pthread_mutex_unlock(&system_lock);
	system_context_check(&s->registers);
	system_space_vcpu(vcpu);
	plugin_ring_open(vcpu, vcpu);
	pack_open(vcpu, vcpu);
	s->ring = plugin_ring(vcpu);
	system_hart_follow(s, NULL, 0);
}

bool system_record_start(const char *socket_name, const char *data, bool wait)
{
	ended.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	waits = wait;
	with_data = data != NULL;
	system_access_start(with_data && strcmp(data, "values") == 0);
	return plugin_log_open(socket_name, sys_xlen);
}
