/* Recorder for qemu-riscv64 and qemu-riscv32: which runs of code executed, in order.
 *
 * Arguments: socket=NAME (the socket of hs_recorder_run()), exact=on, data=addresses or data=values
 * (access.c), probe=on (version.h).  The hot path is on_written(), for runs that are not only added
 * up by their translated code (added.h), otherwise on_run(), for each run.  Everything rare
 * (handlers, changed code, exact faults) goes through on_special().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vcpu.h"
#include "added.h"
#include "code.h"
#include "conditional.h"
#include "marks.h"
#include "pack.h"
#include "version.h"

/* Numbers of the RISC-V system call table. */
enum {
	SYS_EXIT = 93,
	SYS_EXIT_GROUP = 94,
	SYS_RT_SIGACTION = 134,
	SYS_RT_SIGRETURN = 139,
	SYS_SHMAT = 196,
	SYS_MUNMAP = 215,
	SYS_CLONE = 220,
	SYS_EXECVE = 221,
	SYS_MMAP = 222,
	SYS_MPROTECT = 226
};

#define SIGNALS 65u
/* Bits of the signals that a faulting instruction raises: ILL, TRAP, BUS, FPE, SEGV. */
#define FAULTS (1u << 4 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 11)

#if PLUGIN_LINES
struct qemu_plugin_scoreboard *plugin_board;
#endif

static qemu_plugin_id_t plugin;
static uint64_t handlers[SIGNALS];
static uint64_t guest_base;
static bool exact;
static bool watching;      /* faults */
static bool adding;        /* what is translated now may be added up */
static bool thread_begins; /* that is why it no longer is */
static enum plugin_data data;
static unsigned xlen;
static __thread uint32_t forked;  /* number of the child that this thread just made */
static __thread unsigned current; /* vcpu of this thread's system call */

static void on_run(unsigned vcpu, void *udata);

static __attribute__((noinline)) void on_full(unsigned vcpu, void *udata)
{
	pack_flush(plugin_ring(vcpu));
	on_run(vcpu, udata);
}

static __attribute__((noinline)) void on_other(unsigned vcpu, void *udata)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);
	const uint32_t id = pack_id(udata);

	if (pack_take_wide(h, udata))
		return;
	if (h->keys.anew)
		pack_anew(h, 0);
	pack_run(h, id, pack_insns(udata), true);
	if (id < HS_REC_PACKED_RUNS)
		pack_after(h, id);
}

static void on_run(unsigned vcpu, void *udata)
{
	const enum pack_way way = pack_take(plugin_ring(vcpu), udata);

	if (__builtin_expect(way == PACK_OTHER, 0))
		on_other(vcpu, udata);
	else if (__builtin_expect(way == PACK_FULL, 0))
		on_full(vcpu, udata);
}

static void on_written(unsigned vcpu, void *udata)
{
	added_take(plugin_ring(vcpu), (uint64_t)(uintptr_t)udata);
}

static void on_far(unsigned vcpu, void *udata)
{
	added_write_apart(plugin_ring(vcpu), pack_id(udata), pack_insns(udata));
}

static void on_special(unsigned vcpu, void *udata)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);
	struct plugin_run *run = udata;
	const uint32_t changed = __atomic_exchange_n(&run->changed, 0, __ATOMIC_RELAXED);

	if (h->adding)
		added_settle(h);
	if (exact)
		plugin_exact_enter(h, run);
	if (changed != 0)
		plugin_ring_event(h, HS_KIND_CODE, run->changed_at, changed);
	if (run->handler != 0)
		plugin_ring_event(h, HS_KIND_NOTE, run->handler - 1, HS_NOTE_SIGNAL);
	if (h->adding) {
		added_write_apart(h, run->id, run->insns);
		return;
	}
	if (h->keys.anew)
		pack_anew(h, 0);
	pack_run(h, run->id, run->insns, false);
}

/* 1 + the signal whose handler starts at @addr; 0: none. */
static uint32_t handler_at(uint64_t addr)
{
	for (uint32_t i = 1; i < SIGNALS; i++)
		if (handlers[i] != 0 && handlers[i] == addr)
			return i + 1;
	return 0;
}

static void call_special(struct qemu_plugin_tb *tb, uint32_t run, uint32_t handler,
                         uint32_t changed, uint64_t changed_at)
{
	struct plugin_run *special = plugin_log_special(run);

	special->handler = handler;
	special->changed_at = changed_at;
	special->changed = changed;
	if (exact)
		plugin_exact_instrument(tb, special);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_special, QEMU_PLUGIN_CB_NO_REGS, special);
}

static uint32_t bits_of(const struct qemu_plugin_insn *insn)
{
	const size_t size = qemu_plugin_insn_size(insn);
	uint32_t bits = 0;

	plugin_insn_bytes(insn, &bits, size < 4 ? size : 4);
	return bits;
}

static enum plugin_mark mark_of(const struct qemu_plugin_insn *insn)
{
	return plugin_mark_of(qemu_plugin_insn_vaddr(insn), 64, bits_of(insn),
	                      qemu_plugin_insn_size(insn));
}

/* An instruction that may be the next mark, in translated code. */
struct marked {
	void *run;       /* before the recording begins: the code from there on */
	uint32_t hwords; /* until it ends: of the run before it */
	uint64_t pc;
};
static __thread const struct marked *at_ecall; /* the last ecall */

/* What has to change when QEMU has dropped all translations.  It ignores a reset where one is
 * waited for: so all that is wanted by then is done at once. */
enum { ANEW = 1, ANEW_EXACT = 2, ANEW_WRITTEN = 4 };
static unsigned wanted;

static void register_all(void);

/* No hart executes anything now. */
static void change_harts(bool end_sums, bool end_all)
{
	for (unsigned i = 0; (end_sums || end_all) && i < PLUGIN_VCPUS; i++) {
		if (plugin_rings[i] == NULL)
			continue;
		added_end(plugin_rings[i]);
		if (end_all)
			__atomic_store_n(&plugin_rings[i]->ended, 1, __ATOMIC_RELEASE);
	}
}

/* Translations were dropped; new ones are as the state is now. */
static void begin_anew(void)
{
	const unsigned now = __atomic_exchange_n(&wanted, 0, __ATOMIC_ACQ_REL);

	exact |= (now & ANEW_EXACT) != 0;
	adding &= (now & (ANEW_EXACT | ANEW_WRITTEN)) == 0;
	change_harts(!adding, plugin_marks_state == MARKS_AFTER);
	register_all();
}

PLUGIN_CALLBACK(on_reset, begin_anew)

/* Have QEMU drop all translations.  @change: ANEW, with ANEW_EXACT where the program can survive
 * faults from here on, so that runs get probes, or with ANEW_WRITTEN, where each run is written. */
static void translate_anew(unsigned change)
{
	__atomic_or_fetch(&wanted, change, __ATOMIC_ACQ_REL);
	qemu_plugin_reset(plugin, on_reset PLUGIN_NO_DATA);
}

/* The first run of a recording. */
static void begin(struct hs_wire_hart *h, uint32_t id, uint32_t insns)
{
	if (h->adding)
		added_write_apart(h, id, insns);
	else
		pack_run(h, id, insns, false);
}

static void on_mark(unsigned vcpu, void *udata)
{
	const struct marked *m = udata;
	struct hs_wire_hart *h = plugin_ring(vcpu);

	if (h->adding)
		added_settle(h);
	if (plugin_mark_hit(MARKS_BEFORE))
		begin(h, pack_id(m->run), pack_insns(m->run));
	else if (m->run == NULL && plugin_mark_hit(MARKS_ON))
		plugin_ring_end(h, m->hwords, m->pc);
	else
		return;
	translate_anew(ANEW);
}

static void on_ecall(unsigned vcpu, void *udata)
{
	(void)vcpu;
	at_ecall = udata;
}

static void watch(struct qemu_plugin_insn *insn, enum plugin_mark mark, const struct marked *m)
{
	struct marked *copy = plugin_memory(malloc(sizeof(*m)));

	*copy = *m;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, mark == MARK_ECALL ? on_ecall : on_mark,
	                                       QEMU_PLUGIN_CB_NO_REGS, copy);
}

/* Look for the mark that ends the recording. */
static void watch_end(struct qemu_plugin_tb *tb)
{
	const size_t n = plugin_marks_next() ? qemu_plugin_tb_n_insns(tb) : 0;

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const uint64_t pc = qemu_plugin_insn_vaddr(insn);
		const enum plugin_mark mark = mark_of(insn);
		const struct marked m = { .run = NULL,
			                  .pc = pc,
			                  .hwords = (uint32_t)(pc - qemu_plugin_tb_vaddr(tb)) / 2 };

		if (mark != MARK_NONE)
			watch(insn, mark, &m);
	}
}

static enum added_kind decide(uint32_t run, uint64_t start, const uint8_t *bytes, uint32_t size)
{
	const struct added_code code = { start, bytes, size, plugin_log_retires(run), xlen };

	return added_decide(run, &code);
}

/* Log the code of @tb from an instruction on.  @at: what of it changed since it ran last.  @kind:
 * how it is recorded, if it may be added up. */
static uint32_t log_code(struct qemu_plugin_tb *tb, size_t first, uint32_t *changed, uint64_t *at,
                         enum added_kind *kind)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first);
	const uint64_t start = qemu_plugin_insn_vaddr(insn);
	const size_t before = start - qemu_plugin_tb_vaddr(tb);
	uint8_t code[PLUGIN_RUN_BYTES];
	const uint32_t bytes = plugin_copy_code(tb, code) - (uint32_t)before;
	uint32_t run;

	*changed = plugin_pages_compare(start, code + before, bytes, at);
	plugin_maps_note(start, qemu_plugin_insn_haddr(insn));
	if (*changed != 0)
		plugin_log_record(HS_REC_LOG_CHANGED, at, sizeof(*at), &(uint64_t){ *changed },
		                  sizeof(uint64_t));
	run = plugin_log_run(start, (uint32_t)(qemu_plugin_tb_n_insns(tb) - first), code + before,
	                     bytes);
	*kind = adding ? decide(run, start, code + before, bytes) : ADDED_FAR;
	return run;
}

static void *argument_of(uint32_t run)
{
	return pack_argument(run, plugin_log_retires(run));
}

static void call_by_kind(struct qemu_plugin_tb *tb, uint32_t run, enum added_kind kind)
{
	void *written = (void *)(uintptr_t)hs_wire_written(run);

	if (kind == ADDED_SUMMED)
		plugin_inline_add(tb, hs_wire_number(run));
	else if (kind == ADDED_WRITTEN)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_written, QEMU_PLUGIN_CB_NO_REGS,
		                                     written);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_far, QEMU_PLUGIN_CB_NO_REGS,
		                                     argument_of(run));
}

/* Look for the mark that begins the recording. */
static void watch_begin(struct qemu_plugin_tb *tb)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const enum plugin_mark mark = mark_of(insn);
		struct marked m = { .run = NULL };
		uint32_t changed;
		uint64_t at;
		enum added_kind kind;

		if (mark == MARK_NONE)
			continue;
		m.run = argument_of(log_code(tb, i, &changed, &at, &kind));
		if (data != PLUGIN_DATA_NONE)
			plugin_access_instrument(tb, i, data, guest_base);
		watch(insn, mark, &m);
	}
}

static void translate(struct qemu_plugin_tb *tb)
{
	const uint64_t start = qemu_plugin_tb_vaddr(tb);
	const void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	const uint32_t handler = handler_at(start);
	uint32_t run, changed;
	uint64_t at;
	enum added_kind kind;

	if (host != NULL)
		guest_base = (uint64_t)(uintptr_t)host - start;
	if (!watching) /* the emulator has its handlers by now */
		plugin_fault_watch(&guest_base, xlen);
	watching = true;
	plugin_marks_place(guest_base);
	if (plugin_marks_state == MARKS_BEFORE)
		watch_begin(tb);
	if (!plugin_recording())
		return;
	run = log_code(tb, 0, &changed, &at, &kind);
	if (data != PLUGIN_DATA_NONE)
		plugin_access_instrument(tb, 0, data, guest_base);
	if (exact || handler != 0 || changed != 0)
		call_special(tb, run, handler, changed, at);
	else if (adding)
		call_by_kind(tb, run, kind);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_run, QEMU_PLUGIN_CB_NO_REGS,
		                                     argument_of(run));
	watch_end(tb);
}

/* Read guest memory; false when none is mapped there. */
static bool read_guest(uint64_t addr, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)(uintptr_t)(addr + guest_base), n };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n;
}

#define GUEST_MAP_TYPE 0x0fu
#define GUEST_MAP_PRIVATE 0x02u
#define GUEST_CLONE_VM 0x100u
#define GUEST_CLONE_VFORK 0x4000u

/* Is a second thread about to begin?  Where all runs add to one sum (version 1), that ends then.
 * QEMU (linux-user) drops all translations before it runs, unless it did before, for memory that is
 * shared: so that is where adding ends too.  With CLONE_VFORK it makes a process. */
static void watch_threads(struct hs_wire_hart *h, int64_t num, uint64_t a1, uint64_t a4)
{
	if (PLUGIN_LINES || !adding)
		return;
	if (num == SYS_CLONE && (a1 & GUEST_CLONE_VM) && !(a1 & GUEST_CLONE_VFORK)) {
		thread_begins = true, adding = false;
		added_end(h);
	} else if (num == SYS_SHMAT ||
	           (num == SYS_MMAP && (a4 & GUEST_MAP_TYPE) != GUEST_MAP_PRIVATE)) {
		translate_anew(ANEW_WRITTEN);
	}
}

static void on_sigaction(uint64_t signal, uint64_t action)
{
	uint64_t handler = 0;

	if (signal == 0 || signal >= SIGNALS || action == 0 ||
	    !read_guest(action, &handler, xlen / 8) || handler <= 1 /* default, ignore */)
		return;
	if (adding && handler_at(handler) == 0 && added_starts(handler))
		translate_anew(ANEW); /* a handler's run is not added up */
	handlers[signal] = handler;
	if (!exact && signal < 32 && (FAULTS >> signal & 1u))
		translate_anew(ANEW_EXACT);
}

/* How the program ended, unless its recording has ended before. */
static void set_end(enum hs_wire_end end)
{
	if (plugin_process->end != HS_WIRE_MARK)
		plugin_process->end = end;
}

static void on_execve(struct hs_wire_hart *h, uint64_t path)
{
	char *to = plugin_process->exec_path;
	size_t n = 0;

	while (n + 1 < sizeof(plugin_process->exec_path) && read_guest(path + n, to + n, 1) &&
	       to[n] != 0)
		n++;
	to[n] = 0;
	if (plugin_recording())
		plugin_ring_event(h, HS_KIND_NOTE, 0, HS_NOTE_EXEC);
	set_end(HS_WIRE_EXEC);
}

/* The recorder has to know the run to which a handler returns. */
static void resume(struct hs_wire_hart *h)
{
	plugin_ring_settle(h);
	plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_RESUME, 0));
	pack_stop(h);
	h->keys.numbered = 1;
	if (h->adding)
		added_apart(h);
}

/* What a program asks of its kernel. */
static void note_call(struct hs_wire_hart *h, int64_t num, const uint64_t a[8])
{
	if (!plugin_recording())
		return;
	plugin_ring_event(h, HS_KIND_NOTE, (uint64_t)num, HS_NOTE_CALL);
	for (uint8_t i = 0; i < 6; i++) {
		const struct hs_block argument = {
			.value = a[i], .arg = HS_NOTE_REGISTER, .itype = i, .kind = HS_KIND_NOTE
		};

		plugin_ring_block(h, &argument);
	}
}

static void note_result(struct hs_wire_hart *h, int64_t num, int64_t ret)
{
	if (plugin_recording() && num != SYS_RT_SIGRETURN)
		plugin_ring_event(h, HS_KIND_NOTE, (uint64_t)ret, HS_NOTE_RESULT);
}

static void begin_syscall(unsigned vcpu, int64_t num, const uint64_t a[8])
{
	struct hs_wire_hart *h = plugin_ring(vcpu);

	current = vcpu;
	plugin_fault_thread(vcpu);
	h->in_syscall = 1;
	if (h->adding)
		added_settle(h);
	watch_threads(h, num, a[0], a[3]);
	if (at_ecall != NULL && (uint64_t)num == plugin_mark_value())
		on_mark(vcpu, (void *)(uintptr_t)at_ecall);
	at_ecall = NULL;
	note_call(h, num, a);
	switch (num) {
	case SYS_EXIT:
		if (vcpu != 0)
			break; /* only this thread ends */
		/* fall through */
	case SYS_EXIT_GROUP:
		set_end(HS_WIRE_EXIT);
		plugin_process->end_code = (int32_t)(a[0] & 0xff);
		break;
	case SYS_RT_SIGACTION:
		on_sigaction(a[0], a[1]);
		break;
	case SYS_RT_SIGRETURN:
		if (plugin_recording())
			resume(h);
		break;
	case SYS_EXECVE:
		on_execve(h, a[0]);
		break;
	}
}

static void end_syscall(unsigned vcpu, int64_t num, int64_t ret)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);

	h->in_syscall = 0;
	note_result(h, num, ret);
	switch (num) {
	case SYS_MUNMAP:
	case SYS_MMAP:
	case SYS_MPROTECT:
		plugin_maps_stale();
		break;
	case SYS_EXECVE:
		set_end(HS_WIRE_RUNS); /* it failed: this program continues */
		break;
	case SYS_CLONE:
		if (forked != 0 && ret > 0 && plugin_recording())
			plugin_ring_event(h, HS_KIND_NOTE, forked, HS_NOTE_FORK);
		plugin_process->unforked += forked != 0 && ret < 0;
		forked = 0;
		if (ret < 0 && thread_begins)
			translate_anew(ANEW_WRITTEN);
		break;
	}
}

/* The number of the child that is being made.  Not in shared memory: there the parent may have
 * begun its next fork when the child comes to read it. */
static uint32_t forking;

/* QEMU lets one thread at a time fork.  A failed fork uses up a number. */
static void on_fork_prepare(void)
{
	plugin_wire_lock();
	added_lock();
	forking = ++plugin_process->forks;
}

static void on_fork_parent(void)
{
	added_unlock();
	plugin_wire_unlock();
	forked = forking;
}

static void open_hart(unsigned vcpu)
{
	const uint32_t hart = plugin_process_next_hart();

	plugin_ring_open(vcpu, hart);
	pack_open(vcpu, hart);
	if (adding)
		added_open(plugin_ring(vcpu));
}

/* The child of a fork, in which only the forking thread continues: it has a recording of its
 * own, whose log begins with the parent's. */
static void on_fork_child(void)
{
	const uint64_t parent = plugin_process_token();

	added_unlock();
	plugin_wire_unlock();
	plugin_rings_forget();
	plugin_process_open(forking, parent, plugin_log_bytes());
	open_hart(current);
}

static void close_hart(unsigned vcpu)
{
	if (plugin_ring(vcpu) != NULL)
		added_end(plugin_ring(vcpu));
	plugin_ring_close(vcpu);
	added_close(vcpu);
	pack_close(vcpu);
}

static void begin_hart(unsigned vcpu)
{
	if (vcpu >= PLUGIN_VCPUS) {
		fprintf(stderr, "hartscope: more than %u threads at a time cannot be recorded\n",
		        PLUGIN_VCPUS);
		_exit(126);
	}
	adding &= PLUGIN_LINES || plugin_rings[0] == NULL;
	if (data != PLUGIN_DATA_NONE)
		conditional_open(xlen);
	close_hart(vcpu);
	open_hart(vcpu);
}

PLUGIN_VCPU_CALLBACK(on_vcpu_start, begin_hart)
PLUGIN_VCPU_CALLBACK(on_vcpu_end, close_hart)
PLUGIN_TB_CALLBACK(on_translate, translate)
PLUGIN_SYSCALL_CALLBACK(on_syscall, begin_syscall)
PLUGIN_SYSCALL_RET_CALLBACK(on_syscall_return, end_syscall)

static void register_all(void)
{
	qemu_plugin_register_vcpu_init_cb(plugin, on_vcpu_start PLUGIN_NO_DATA);
	qemu_plugin_register_vcpu_exit_cb(plugin, on_vcpu_end PLUGIN_NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_translate PLUGIN_NO_DATA);
	qemu_plugin_register_vcpu_syscall_cb(plugin, on_syscall PLUGIN_NO_DATA);
	qemu_plugin_register_vcpu_syscall_ret_cb(plugin, on_syscall_return PLUGIN_NO_DATA);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *socket_name = NULL;

	plugin_probe(info, argc, argv);
	if (info->system_emulation)
		return -1;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "socket=", 7) == 0)
			socket_name = argv[i] + 7;
		else if (strcmp(argv[i], "exact=on") == 0)
			exact = true;
		else if (strncmp(argv[i], "data=", 5) == 0)
			data = argv[i][5] == 'v' ? PLUGIN_DATA_VALUES : PLUGIN_DATA_ADDRESSES;
		else
			plugin_marks_argument(argv[i]);
	}
	adding = !exact && data == PLUGIN_DATA_NONE;
	xlen = strcmp(info->target_name, "riscv32") == 0 ? 32 : 64;
	if (adding) /* threads too, where they are added up */
		pack_wide = HS_REC_LOG_WIDE | (PLUGIN_LINES ? HS_REC_LOG_WIDE_ALL : 0u);
	plugin_board_open();
	dlopen("libgcc_s.so.1", RTLD_NOW); /* glibc loads it when a thread ends, and aborts where
	                                    * the program has left it no descriptor */
	if (socket_name == NULL || !plugin_log_open(socket_name, xlen) ||
	    pthread_atfork(on_fork_prepare, on_fork_parent, on_fork_child) != 0)
		return -1;
	plugin = id;
	register_all();
	return 0;
}
