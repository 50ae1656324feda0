/* Runs of code, ready for the conversion to blocks: whatever needs an instruction to be decoded is
 * done here, once for each run. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/image.h>

#include "recording/private.h"

/* Which addresses can follow the run, by its last instruction.  @sequential: the target of a jump
 * through a register that the instruction before it has set, or NULL. */
static void set_successors(struct rec_run *r, const struct hs_insn *last, uint64_t end,
                           const uint64_t *sequential)
{
	switch (last->kind) {
	case HS_INSN_LINEAR:
		rec_run_set_next(r, end);
		break;
	case HS_INSN_BRANCH:
		rec_run_set_branch(r, end, last->target);
		break;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		rec_run_set_next(r, last->target);
		break;
	default:
		if (sequential != NULL)
			rec_run_set_next(r, *sequential);
		else
			rec_run_set_any(r);
	}
}

/* The last instruction does not retire: the run ends before it. */
static void drop_last(struct rec_run *r, const struct hs_insn *before, uint8_t hwords)
{
	r->block.iretire -= hwords;
	r->block.ilast = before->hwords;
}

/* A last instruction of which the run has only a part is one that QEMU does not know: it raises an
 * exception, as a breakpoint does. */
enum hs_status rec_run_build(struct rec_run *r, const struct hs_rec_log_run *run, uint64_t start,
                             const struct hs_isa *isa)
{
	const uint8_t *code = (const uint8_t *)(run + 1);
	struct hs_insn insn = { 0 }, before = { 0 };
	uint64_t target;
	bool sequential;

	for (uint32_t at = 0; at < run->bytes; at += 2u * insn.hwords) {
		before = insn;
		if (at > 0 && before.kind != HS_INSN_LINEAR)
			return HS_E_FORMAT; /* instructions after a jump: not a run */
		if (hs_isa_decode(isa, start + at, code + at, run->bytes - at, &insn) != HS_OK)
			insn = (struct hs_insn){ .kind = HS_INSN_EBREAK,
			                         .hwords = (uint8_t)((run->bytes - at) / 2) };
	}
	const bool calls_host = hs_rec_run_calls_host(code, run->bytes);

	if (calls_host)
		insn.kind = HS_INSN_LINEAR;
	sequential = before.hwords != 0 && hs_isa_sequential(&before, &insn, isa->xlen, &target);
	r->block = (struct hs_block){ .iaddr = start, .iretire = run->bytes / 2,
	                              .ilast = insn.hwords, .sijump = sequential,
	                              .itype = (uint8_t)hs_isa_itype4(insn.kind, false),
	                              .priv = HS_REC_RUN_PRIV(run->insns) };
	set_successors(r, &insn, start + run->bytes, sequential ? &target : NULL);
	if (calls_host)
		rec_run_set_host_call(r, start + run->bytes);
	if (insn.kind == HS_INSN_EBREAK)
		drop_last(r, &before, insn.hwords);
	return HS_OK;
}

enum hs_status rec_runs_build(struct rec_runs *runs, const struct rec_log *log)
{
	/* Two cache lines hold three runs unless the first is aligned. */
	runs->runs = aligned_alloc(64, (log->run_count + 2u) / 2u * 64u);
	runs->count = 0;
	return runs->runs == NULL ? HS_E_MEMORY : rec_runs_add(runs, log);
}

enum hs_status rec_runs_add(struct rec_runs *runs, const struct rec_log *log)
{
	const struct hs_isa isa = rec_log_isa(log);

	for (; runs->count < log->run_count; runs->count++) {
		const struct hs_rec_log_head *head = rec_log_record(log, runs->count);
		struct rec_run *r = &runs->runs[runs->count];
		struct hs_block_checker check = { 0 };
		uint32_t words[4];

		if (head->type == HS_REC_LOG_RUN) {
			const struct hs_rec_log_run *run = (const void *)(head + 1);

			if (rec_run_build(r, run, run->start, &isa) != HS_OK)
				return HS_E_FORMAT;
			continue;
		}
		memcpy(words, head + 1, sizeof(words));
		*r = (struct rec_run){ 0 };
		rec_run_set_any(r);
		hs_rec_block_unpack(words, &r->block);
		if (r->block.kind != HS_KIND_BLOCK || hs_block_check(&check, &r->block) != HS_OK)
			return HS_E_FORMAT;
	}
	return HS_OK;
}
