/* Exports as text: branch stacks and call chains as perf script prints them. */

#include <hartscope/status.h>

#include "ctr_host/export_private.h"
#include "program/program.h"

/* ---- perf script -F ip,brstack --show-mmap-events ------------------------------------- */

static enum hs_status print_mmaps(struct hs_ctr_export *x)
{
	struct hs_program_segment g;

	for (size_t i = 0; hs_program_get_segment(x->program, i, &g); i++) {
		const uint64_t start = g.start & ~EXPORT_PAGE_MASK;
		const uint64_t end = (g.start + g.size + EXPORT_PAGE_MASK) & ~EXPORT_PAGE_MASK;

		export_print(x, "PERF_RECORD_MMAP2 1/1: [0x%llx(0x%llx) @ 0x%llx ", (ull)start,
		             (ull)(end - start), (ull)(g.offset & ~EXPORT_PAGE_MASK));
		export_print(x, "00:00 0 0]: r-xp %s\n", g.path);
	}
	return x->out.status;
}

/* 'M': mispredicted, 'P': predicted, '-': not known. */
static char prediction(const struct export_branch *b, const struct hs_ctr *c)
{
	if (!export_has_misp(c))
		return '-';
	return b->misp ? 'M' : 'P';
}

/* From, to, prediction, transaction, abort, cycles. */
static enum hs_status brstack(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	if (!x->count)
		return HS_OK;
	export_print(x, "%16llx ", (ull)s->pc);
	for (size_t i = 0; i < x->count; i++) {
		const struct export_branch *b = &x->branches[i];
		const bool cut = b->cycles > EXPORT_CYCLES_MAX;

		x->report.cut += cut;
		export_print(x, " 0x%llx/0x%llx/%c/-/-/%u ", (ull)b->from, (ull)b->to,
		             prediction(b, s->ctr), cut ? EXPORT_CYCLES_MAX : b->cycles);
	}
	x->report.branches += x->count;
	export_print(x, "\n");
	return x->out.status;
}

const struct export_format export_brstack = {
	.name = "brstack",
	.one = true,
	.begin = print_mmaps,
	.sample = brstack,
};

/* ---- call chains ------------------------------------------------------------------------- */

static void print_frame(struct hs_ctr_export *x, const struct hs_ctr_sample *s, uint64_t addr)
{
	const struct hs_guest_place place = export_place(x, s, addr);
	char file[4096];

	hs_text_escape(file, sizeof(file), place.file ? place.file : "[unknown]");
	if (!place.label) {
		export_print(x, "\t%16llx [unknown] (%s)\n", (ull)addr, file);
		return;
	}
	export_print(x, "\t%16llx ", (ull)addr);
	support_out_as(&x->out, hs_text_escape, place.label);
	export_print(x, "+0x%llx (%s)\n", (ull)place.offset, file);
}

/* The records are the calls that have not returned, so their sources are the callers. */
static enum hs_status callchain(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	const struct export_process *p = export_process(x, s);

	if (!p)
		return HS_E_MEMORY;
	export_print(x, "%s %u [%03u] %llu.%09llu: %llu instructions:\n", p->comm, p->pid, s->hart,
	             (ull)(s->instructions / 1000000000u), (ull)(s->instructions % 1000000000u),
	             (ull)x->period);
	print_frame(x, s, s->pc);
	for (size_t i = 0; i < x->count; i++)
		print_frame(x, s, x->branches[i].from);
	x->report.branches += x->count;
	export_print(x, "\n");
	return x->out.status;
}

const struct export_format export_callchain = {
	.name = "callchain",
	.ras = true,
	.sample = callchain,
};
