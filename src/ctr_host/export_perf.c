/* Export as perf.data: the file that `perf record -b` writes, as Linux 6.1's perf reads it.  One
 * nanosecond is one instruction of the hart. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/capture.h>

#include "ctr_host/export_private.h"
#include "inputs/inputs.h"
#include "program/program.h"

#define KERNEL_PID UINT32_MAX

/* perf_event_attr.sample_type, and types of records (uapi/linux/perf_event.h). */
enum {
	S_IP = 1,
	S_TID = 2,
	S_TIME = 4,
	S_CALLCHAIN = 32,
	S_CPU = 128,
	S_PERIOD = 256,
	S_BRANCH_STACK = 2048
};
#define CONTEXT_KERNEL ((uint64_t)-128) /* PERF_CONTEXT_KERNEL */
#define CONTEXT_USER ((uint64_t)-512)
enum {
	B_USER = 1,
	B_KERNEL = 2,
	B_HV = 4,
	B_ANY = 8,
	B_CALL_STACK = 1 << 11,
	B_TYPE_SAVE = 1 << 16
};

/* PERF_BR_* of transfer types: how perf names them. */
static const uint8_t kinds[16] = {
	[HS_CTR_EXCEPTION] = 7, [HS_CTR_INTERRUPT] = 12, [HS_CTR_TRET] = 11,     [HS_CTR_TAKEN] = 1,
	[HS_CTR_CALL_IND] = 5,  [HS_CTR_CALL] = 4,       [HS_CTR_JUMP_IND] = 3,  [HS_CTR_JUMP] = 2,
	[HS_CTR_SWAP] = 3,      [HS_CTR_RETURN] = 6,     [HS_CTR_OTHER_IND] = 3, [HS_CTR_OTHER] = 2,
};

struct perf {
	struct hs_perf_writer *writer;
	bool ras;
	size_t described;                  /* processes whose comm and mmap records are written */
	struct hs_program_segment *kernel; /* mapped for the kernel */
	size_t kernel_count;
};

/* The body of a sample that is being made. */
struct bytes {
	uint8_t v[16 * 1024];
	size_t n;
};

static void put_number(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size && b->n < sizeof(b->v); i++)
		b->v[b->n++] = (uint8_t)(value >> 8 * i);
}

static uint64_t sample_type(bool ras)
{
	return S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | (ras ? S_CALLCHAIN : S_BRANCH_STACK);
}

/* ---- processes ---------------------------------------------------------------------- */

static enum hs_status write_comm(struct perf *p, const struct export_process *process)
{
	const struct hs_perf_event e = {
		.type = HS_PERF_COMM,
		.misc = HS_PERF_MISC_USER | HS_PERF_MISC_EXEC,
		.pid = process->pid,
		.tid = process->pid,
		.text = process->comm,
		.sample = { .pid = process->pid, .tid = process->pid },
	};

	return hs_perf_write(p->writer, &e);
}

/* @misc: of which mode the mapping is. */
static enum hs_status write_mmap2(struct perf *p, const struct hs_program_segment *g, uint32_t pid,
                                  uint16_t misc)
{
	const uint64_t start = g->start & ~EXPORT_PAGE_MASK;
	const uint64_t end = (g->start + g->size + EXPORT_PAGE_MASK) & ~EXPORT_PAGE_MASK;
	char path[PATH_MAX];
	const struct hs_perf_event e = {
		.type = HS_PERF_MMAP2,
		.misc = misc,
		.pid = pid,
		.tid = pid,
		.address = start,
		.length = end - start,
		.offset = g->offset & ~EXPORT_PAGE_MASK,
		.protection = 5,
		.flags = 2, /* PROT_READ | PROT_EXEC, MAP_PRIVATE */
		.text = path,
		.sample = { .pid = pid, .tid = pid },
	};

	/* perf takes a kernel's file by an absolute path only */
	if (g->path[0] == '/' || !realpath(g->path, path))
		snprintf(path, sizeof(path), "%s", g->path);
	return hs_perf_write(p->writer, &e);
}

static enum hs_status write_process(struct perf *p, const struct export_process *process)
{
	enum hs_status s = write_comm(p, process);
	struct hs_program_segment g;

	for (size_t i = 0; s == HS_OK && hs_program_get_segment(process->program, i, &g); i++)
		s = write_mmap2(p, &g, process->pid, HS_PERF_MISC_USER);
	return s;
}

/* ---- the kernel ------------------------------------------------------------------------ */

/* Modes whose code is the same in every process. */
static bool is_kernel(unsigned priv)
{
	return priv == HS_PRIV_S || priv == HS_PRIV_VS || priv == HS_PRIV_M;
}

static bool is_in(const struct hs_program_segment *g, uint64_t addr)
{
	return addr >= g->start && addr - g->start < g->size;
}

static bool is_mapped(const struct perf *p, uint64_t addr)
{
	for (size_t i = 0; i < p->kernel_count; i++)
		if (is_in(&p->kernel[i], addr))
			return true;
	return false;
}

/* perf takes a mapping of the kernel for one from the beginning of the file.  Add to @all what its
 * segments have from there on that are moved as the one in it. */
static void join_segments(struct hs_program *program, struct hs_program_segment *all)
{
	struct hs_program_segment g;

	all->start -= all->offset;
	all->size += all->offset;
	for (size_t i = 0; hs_program_get_segment(program, i, &g); i++)
		if (strcmp(g.path, all->path) == 0 && g.start - g.offset == all->start &&
		    g.start + g.size > all->start + all->size)
			all->size = g.start + g.size - all->start;
	all->offset = 0;
}

/* Map the file that has the code at @addr, unless it is, or it has no room before its code.
 * HS_OK: p->kernel says whether it is mapped. */
static enum hs_status map_kernel(struct perf *p, struct hs_program *program, uint64_t addr)
{
	struct hs_program_segment *more, g;
	size_t i = 0;

	if (is_mapped(p, addr))
		return HS_OK;
	while (hs_program_get_segment(program, i, &g) && !is_in(&g, addr))
		i++;
	if (!hs_program_get_segment(program, i, &g) || g.offset > g.start)
		return HS_OK;
	more = realloc(p->kernel, (p->kernel_count + 1) * sizeof(struct hs_program_segment));
	if (!more)
		return HS_E_MEMORY;
	join_segments(program, &g);
	p->kernel = more;
	more[p->kernel_count++] = g;
	return write_mmap2(p, &g, KERNEL_PID, HS_PERF_MISC_KERNEL);
}

static enum hs_status begin_perf(struct hs_ctr_export *x)
{
	struct perf *p = calloc(1, sizeof(*p));

	x->own = p;
	if (!p)
		return HS_E_MEMORY;
	p->ras = export_is_ras(&x->start);
	/* instructions in software's sense, sampled by period */
	const struct hs_perf_writer_options o = {
		.size = sizeof(o),
		.xlen = x->start.config.xlen,
		.release = "replay of a trace",
		.command = "ctr",
		/* PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS */
		.attr = { .type = 0,
		          .config = 1,
		          .period = x->period,
		          .sample_type = sample_type(p->ras),
		          .flags = HS_PERF_ATTR_MMAP | HS_PERF_ATTR_COMM |
		                   HS_PERF_ATTR_SAMPLE_ID_ALL | HS_PERF_ATTR_MMAP2 |
		                   HS_PERF_ATTR_COMM_EXEC,
		          .branch_sample_type =
		                  p->ras ? 0 : B_USER | B_KERNEL | B_HV | B_ANY | B_TYPE_SAVE },
	};

	return hs_perf_writer_new(&o, &p->writer);
}

/* ---- samples ----------------------------------------------------------------------------- */

/* struct perf_branch_entry: mispredicted 0, predicted 1, cycles 19:4, kind 23:20. */
static void put_branch(struct hs_ctr_export *x, struct bytes *b, const struct export_branch *r)
{
	const bool cut = r->cycles > EXPORT_CYCLES_MAX;
	const uint64_t cycles = cut ? EXPORT_CYCLES_MAX : r->cycles;
	const bool known = export_has_misp(&x->start);

	x->report.cut += cut;
	put_number(b, r->from, 8);
	put_number(b, r->to, 8);
	put_number(b,
	           (known && r->misp) | (uint64_t)(known && !r->misp) << 1 | cycles << 4 |
	                   (uint64_t)kinds[r->type] << 20,
	           8);
}

/* The sample's address and the callers, each run of a mode after its marker. */
static void put_chain(const struct hs_ctr_export *x, struct bytes *b, uint64_t pc, bool kernel)
{
	const size_t count = b->n;
	uint64_t n = 0, mode = 0;

	put_number(b, 0, 8);
	for (size_t i = 0; i <= x->count; i++) {
		const uint64_t at = i ? x->branches[i - 1].from : pc;
		const bool same = kernel && (i == 0 || is_mapped(x->own, at));
		const uint64_t marker = same ? CONTEXT_KERNEL : CONTEXT_USER;

		if (marker != mode) {
			put_number(b, marker, 8);
			n++;
		}
		put_number(b, at, 8);
		n++;
		mode = marker;
	}
	for (unsigned i = 0; i < 8; i++)
		b->v[count + i] = (uint8_t)(n >> 8 * i);
}

static enum hs_status describe(struct hs_ctr_export *x, const struct hs_ctr_sample *s,
                               const struct export_process *process)
{
	struct perf *p = x->own;
	enum hs_status status = HS_OK;

	if (p->described < x->process_count) {
		p->described = x->process_count;
		status = write_process(p, process);
	}
	if (status == HS_OK && is_kernel(s->priv))
		status = map_kernel(p, s->program, s->pc);
	return status;
}

static enum hs_status write_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	const struct export_process *process = export_process(x, s);
	const enum hs_status status = process ? describe(x, s, process) : HS_E_MEMORY;
	struct perf *p = x->own;
	struct bytes b;

	if (status != HS_OK)
		return status;
	const bool kernel = is_kernel(s->priv) && is_mapped(p, s->pc);

	b.n = 0;
	put_number(&b, s->pc, 8);
	put_number(&b, process->pid, 4);
	put_number(&b, process->pid, 4);
	put_number(&b, s->instructions, 8);
	put_number(&b, s->hart, 8);
	put_number(&b, x->period, 8);
	if (p->ras) {
		put_chain(x, &b, s->pc, kernel);
	} else {
		put_number(&b, x->count, 8);
		for (size_t i = 0; i < x->count; i++)
			put_branch(x, &b, &x->branches[i]);
	}
	x->report.branches += x->count;
	const struct hs_perf_event e = {
		.type = HS_PERF_SAMPLE,
		.misc = kernel ? HS_PERF_MISC_KERNEL : HS_PERF_MISC_USER,
		.bytes = { b.v, b.n },
	};

	return hs_perf_write(p->writer, &e);
}

/* ---- the file ------------------------------------------------------------------------ */

static bool write_file(void *x, const void *bytes, size_t n)
{
	return export_write(x, bytes, n) == HS_OK;
}

static enum hs_status end_perf(struct hs_ctr_export *x)
{
	const struct perf *p = x->own;
	const enum hs_status status = hs_perf_writer_end(p->writer, write_file, x);

	return x->out.status != HS_OK ? x->out.status : status;
}

static void free_perf(struct hs_ctr_export *x)
{
	struct perf *p = x->own;

	if (!p)
		return;
	hs_perf_writer_free(p->writer);
	free(p->kernel);
	free(p);
}

const struct export_format export_perf_data = {
	.name = "perf-data",
	.begin = begin_perf,
	.sample = write_sample,
	.end = end_perf,
	.free = free_perf,
};
