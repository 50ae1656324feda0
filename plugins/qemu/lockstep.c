/* Lock-step with the CTR model: there is a callback before each instruction of the guest.
 *
 * It shows what the instruction before did: it went where it leads, or a trap came.  That is
 * applied to the models, and what the guest read from CTR's registers is compared with what they
 * hold.
 *
 * Arguments: lockstep=FILE (the report; "-" is standard error), strict=on (no deviation of QEMU's
 * is allowed), dump=FILE (registers and entries of the first hart at the end, as the model that
 * follows the specification has them: NAME = VALUE lines that hartscope ctr --explain reads).
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep.h"

#define BUCKETS 16384u
#define UXL 32u /* of mstatus and vsstatus */
#define UXL_32 1u

FILE *lockstep_report;
bool lockstep_strict;

static const char *report_path, *dump_path;
static struct lockstep_hart *harts[SYS_VCPUS];
static struct lockstep_insn *insns[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for insns: harts translate at once */

bool lockstep_argument(const char *argument)
{
	if (strncmp(argument, "lockstep=", 9) == 0)
		report_path = argument + 9;
	else if (strncmp(argument, "dump=", 5) == 0)
		dump_path = argument + 5;
	else if (strcmp(argument, "strict=on") == 0)
		lockstep_strict = true;
	else
		return false;
	return true;
}

bool lockstep_start(void)
{
	if (report_path == NULL)
		return false;
	report_path = strdup(report_path);
	if (report_path == NULL)
		return false;
	dump_path = dump_path == NULL ? NULL : strdup(dump_path);
	lockstep_report = strcmp(report_path, "-") == 0 ? stderr : fopen(report_path, "we");
	if (lockstep_report == NULL)
		perror(report_path);
	return lockstep_report != NULL;
}

/* QEMU's CTR: every depth, all fields; cycle fields that can be written and are never counted. */
static struct hs_ctr_config qemu_config(const struct sys_registers *r)
{
	const uint64_t misa = sys_read(r, SYS_MISA);

	return (struct hs_ctr_config){
		.size = sizeof(struct hs_ctr_config), .xlen = (uint8_t)sys_xlen,
		.without = (misa >> ('U' - 'A') & 1u ? 0u : HS_CTR_NO_U) |
		           (misa >> ('S' - 'A') & 1u ? 0u : HS_CTR_NO_S) |
		           (misa >> ('H' - 'A') & 1u ? 0u : HS_CTR_NO_H),
	};
}

void lockstep_vcpu(unsigned vcpu)
{
	struct lockstep_hart *h = calloc(1, sizeof(*h));
	struct hs_ctr_config config;

	if (h == NULL || vcpu >= SYS_VCPUS)
		abort(); /* there is no way to refuse a vcpu */
	sys_registers_open(&h->registers);
	config = qemu_config(&h->registers);
	if (hs_ctr_init(&h->model[LOCKSTEP_TEXT], &config) != HS_OK) {
		fprintf(stderr, "hartscope: this machine cannot have CTR\n");
		abort();
	}
	h->model[LOCKSTEP_QEMU] = h->model[LOCKSTEP_TEXT];
	h->mode = HS_PRIV_M;
	harts[vcpu] = h;
}

/* XLEN of a mode that the instruction before has to do with. */
static uint8_t xlen_of(const struct lockstep_hart *h, unsigned mode)
{
	return h->narrow && sys_is_user(mode) ? 32 : 0;
}

/* The instruction before retired and led to @to. */
static void apply_retired(struct lockstep_hart *h, uint64_t to)
{
	const struct hs_insn *insn = h->insn;
	const bool taken = insn->kind == HS_INSN_BRANCH && to == insn->target;
	struct hs_ctr_transfer t = {
		.source = h->prev->pc, .target = to, .from = h->mode, .to = h->after,
		.xlen = xlen_of(h, h->mode), .to_xlen = xlen_of(h, h->after),
	};

	lockstep_access_ends(h, NULL);
	h->insns++;
	if (insn->kind == HS_INSN_XRET) {
		h->returns++;
		lockstep_xret(h, &t, h->prev->bits == SYS_MNRET);
		return;
	}
	t.type = (uint8_t)hs_ctr_type_of(insn, taken);
	if (t.type == HS_CTR_NO_TRANSFER)
		return;
	h->transfers++;
	lockstep_retire(h, &t);
}

static void apply_trap(struct lockstep_hart *h, const struct sys_trap *trap)
{
	const struct hs_ctr_transfer t = { .source = trap->epc,
		                           .target = trap->handler,
		                           .from = trap->from,
		                           .to = trap->to,
		                           .xlen = xlen_of(h, trap->from),
		                           .type = trap->interrupt ? HS_CTR_INTERRUPT :
		                                                     HS_CTR_EXCEPTION };

	h->traps++;
	lockstep_trap(h, &t, trap);
}

/* Does the instruction before lead to @pc in @priv without a trap? */
static bool leads_to(const struct lockstep_hart *h, uint64_t pc, unsigned priv)
{
	const unsigned kind = h->insn->kind;

	if (kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK || priv != h->after)
		return false;
	return h->any || pc == h->next || (kind == HS_INSN_BRANCH && pc == h->insn->target);
}

/* No trap explains how the hart came to @pc. */
static void report_lost(const struct lockstep_hart *h, uint64_t pc)
{
	fprintf(lockstep_report,
	        "lost at 0x%" PRIx64 " in mode %u, after 0x%" PRIx64
	        " in %u, which leads to 0x%" PRIx64 " in %u\n",
	        pc, (unsigned)sys_read(&h->registers, SYS_PRIV), h->prev->pc, h->mode, h->next,
	        h->after);
}

/* Apply what happened since the instruction before began; now the hart is at @pc. */
static void end_instruction(struct lockstep_hart *h, uint64_t pc)
{
	const struct lockstep_insn *p = h->prev;
	struct sys_place place = { p->pc,   p->pc + 1, h->next, h->any,
		                   h->mode, h->after,  h->nmie, h->narrow };
	struct sys_trap traps[SYS_TRAPS];
	unsigned n;

	if (leads_to(h, pc, (unsigned)sys_read(&h->registers, SYS_PRIV))) {
		apply_retired(h, pc);
		h->mode = h->after;
		return;
	}
	n = sys_traps(&h->registers, &place, pc, traps);
	if (n == 0 && h->insn->kind == HS_INSN_BRANCH) {
		place.next = h->insn->target;
		n = sys_traps(&h->registers, &place, pc, traps);
	}
	if (n == 0 && pc == p->pc)
		return; /* QEMU began it again */
	if (n == 0 && h->insn->kind == HS_INSN_EBREAK && pc == h->next) { /* the host was called */
		apply_retired(h, pc);
		return;
	}
	if (n == 0) {
		if (h->lost++ < LOCKSTEP_SHOWN)
			report_lost(h, pc);
		return;
	}
	if (traps[0].epc == p->pc && traps[0].from == h->mode &&
	    !(traps[0].interrupt && place.next == p->pc))
		lockstep_access_ends(h, &traps[0]);
	else
		apply_retired(h, traps[0].epc);
	for (unsigned i = 0; i < n; i++)
		apply_trap(h, &traps[i]);
	h->mode = traps[n - 1].to;
}

/* Does the user mode @mode have XLEN 32 where the hart has 64?  While V is 1, mstatus shows the
 * fields of vsstatus. */
static bool is_narrow(const struct lockstep_hart *h, unsigned mode)
{
	const bool inside = sys_virtual(mode) && !sys_virtual(h->mode);
	const uint64_t status = sys_read(&h->registers, inside ? SYS_VSSTATUS : SYS_MSTATUS);

	return sys_xlen == 64 && sys_is_user(mode) && (status >> UXL & 3u) == UXL_32;
}

/* The instruction is about to execute: store where it leads. */
static void begin_instruction(struct lockstep_hart *h, const struct lockstep_insn *i)
{
	const bool narrow = is_narrow(h, h->mode);
	const struct hs_insn *insn = narrow ? &i->narrow : &i->insn;
	const uint64_t mask = sys_xlen == 32 || narrow ? UINT32_MAX : UINT64_MAX;

	h->prev = i;
	h->insn = insn;
	h->any = false;
	h->after = h->mode;
	h->narrow = narrow;
	h->nmie = sys_nmie(&h->registers) || i->bits == SYS_MNRET ||
	          lockstep_is_csr(i->bits, SYS_CSR_MNSTATUS);
	h->next = (i->pc + 2u * insn->hwords) & mask;
	switch (insn->kind) {
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		h->next = insn->target;
		break;
	case HS_INSN_JUMP_IND:
	case HS_INSN_CALL_IND:
	case HS_INSN_SWAP:
	case HS_INSN_RETURN:
		h->next = (sys_read_x(&h->registers, insn->rs1) + (uint64_t)(int64_t)insn->offset) &
		          mask & ~UINT64_C(1);
		break;
	case HS_INSN_XRET:
		h->epc = sys_return(&h->registers, i->bits, h->mode, &h->after);
		h->narrow |= is_narrow(h, h->after);
		h->next = h->narrow && sys_is_user(h->after) ? (uint32_t)h->epc : h->epc;
		break;
	}
	lockstep_access_begins(h, i);
}

static void on_insn(unsigned vcpu, void *udata)
{
	struct lockstep_hart *h = harts[vcpu];
	const struct lockstep_insn *i = udata;

	if (h->prev != NULL)
		end_instruction(h, i->pc);
	begin_instruction(h, i);
}

static struct hs_insn decode(unsigned xlen, uint64_t pc, const uint8_t *bytes, size_t size)
{
	const struct hs_isa isa = { .xlen = (uint8_t)xlen };
	struct hs_insn insn;

	if (hs_isa_decode(&isa, pc, bytes, size, &insn) != HS_OK)
		insn = (struct hs_insn){ .hwords = (uint8_t)(size / 2) };
	return insn;
}

/* One structure for each instruction, however often QEMU translates it. */
static struct lockstep_insn *get_insn(uint64_t pc, const uint8_t *bytes, size_t size)
{
	uint32_t bits;
	struct lockstep_insn **slot = &insns[(pc >> 1) % BUCKETS], *i;

	memcpy(&bits, bytes, 4);
	for (i = *slot; i != NULL; i = i->next)
		if (i->pc == pc && i->bits == bits)
			return i;
	i = calloc(1, sizeof(*i));
	if (i == NULL)
		abort();
	i->pc = pc;
	i->bits = bits;
	i->insn = decode(sys_xlen, pc, bytes, size);
	i->narrow = decode(32, pc, bytes, size);
	i->next = *slot;
	return *slot = i;
}

void lockstep_translate(struct qemu_plugin_tb *tb)
{
	for (size_t n = qemu_plugin_tb_n_insns(tb), at = 0; at < n; at++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, at);
		const size_t size = qemu_plugin_insn_size(insn);
		uint8_t bytes[4] = { 0 };
		struct lockstep_insn *i;

		qemu_plugin_insn_data(insn, bytes, size < 4 ? size : 4);
		pthread_mutex_lock(&lock);
		i = get_insn(qemu_plugin_insn_vaddr(insn), bytes, size);
		pthread_mutex_unlock(&lock);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn, QEMU_PLUGIN_CB_R_REGS, i);
	}
}

static void dump_model(const struct lockstep_hart *h, FILE *f)
{
	static const char entry[] = "ctrsource[%u] = 0x%" PRIx64 ", ctrtarget[%u] = 0x%" PRIx64
		", ctrdata[%u] = 0x%" PRIx64 "\n";
	const struct hs_ctr *c = &h->model[LOCKSTEP_TEXT];
	const struct hs_ctr_env env = { .priv = HS_PRIV_M,
		                        .mstateen0 = UINT64_MAX,
		                        .hstateen0 = UINT64_MAX };
	static const char *const names[] = { "mctrctl", "vsctrctl", "sctrstatus", "sctrdepth" };

	fprintf(f, "xlen = %u\n", sys_xlen);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint64_t value = 0;

		hs_ctr_read(c, &env, hs_ctr_csr_number(HS_CTR_1_0, names[i]), &value);
		fprintf(f, "%s = 0x%" PRIx64 "\n", names[i], value);
	}
	for (unsigned i = 0; i < hs_ctr_depth(c); i++) {
		const struct hs_ctr_entry e = hs_ctr_get_entry(c, i);

		fprintf(f, entry, i, e.source, i, e.target, i, e.data);
	}
}

static void report_hart(unsigned vcpu, const struct lockstep_hart *h)
{
	fprintf(lockstep_report,
	        "hart %u: %" PRIu64 " instructions, %" PRIu64 " transfers, %" PRIu64
	        " traps, %" PRIu64 " trap returns, %" PRIu64 " lost\n",
	        vcpu, h->insns, h->transfers, h->traps, h->returns, h->lost);
	for (unsigned i = 0; i < LOCKSTEP_DEVIATIONS; i++)
		if (h->by_rule[i] > 0)
			fprintf(lockstep_report, "hart %u: %" PRIu64 " differences allowed by %s\n",
			        vcpu, h->by_rule[i], lockstep_rule(i));
	fprintf(lockstep_report,
	        "hart %u: checked %" PRIu64 " reads and %" PRIu64 " answers, %" PRIu64
	        " differences allowed, %" PRIu64 " failures\n",
	        vcpu, h->reads, h->answers, h->differences, h->failures + h->lost);
}

void lockstep_end(void)
{
	FILE *f = dump_path == NULL ? NULL : fopen(dump_path, "we");

	for (unsigned i = 0; i < SYS_VCPUS; i++) {
		if (harts[i] == NULL)
			continue;
		report_hart(i, harts[i]);
		if (f != NULL && i == 0)
			dump_model(harts[i], f);
	}
	if (f != NULL)
		fclose(f);
	fflush(lockstep_report);
}
