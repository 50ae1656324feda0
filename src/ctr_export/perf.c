/* Export as perf.data: the file that `perf record -b` writes, as Linux 6.1's perf reads it.
 *
 * Layout (tools/perf/Documentation/perf.data-file-format.txt): header, attribute, ids, records,
 * a table of features, their contents.  All little-endian.  The records are collected in a
 * temporary file, as the header says how many bytes they are.  One nanosecond is one instruction
 * of the hart. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctr_export/private.h"

#define HEADER 104u
#define ATTR 128u    /* PERF_ATTR_SIZE_VER7 */
#define KERNEL_PID UINT32_MAX
#define NAME_ROOM 64 /* strings of features are padded to this */

/* perf_event_attr.sample_type, and types of records (uapi/linux/perf_event.h). */
enum { S_IP = 1, S_TID = 2, S_TIME = 4, S_CALLCHAIN = 32, S_CPU = 128, S_PERIOD = 256,
       S_BRANCH_STACK = 2048 };
enum { A_MMAP = 1 << 8, A_COMM = 1 << 9, A_SAMPLE_ID_ALL = 1 << 18, A_MMAP2 = 1 << 23,
       A_COMM_EXEC = 1 << 24 }; /* flags of the attribute */
enum { R_COMM = 3, R_SAMPLE = 9, R_MMAP2 = 10 };
enum { MISC_KERNEL = 1, MISC_USER = 2, MISC_EXEC = 1 << 13 };
#define CONTEXT_KERNEL ((uint64_t)-128) /* PERF_CONTEXT_KERNEL */
#define CONTEXT_USER ((uint64_t)-512)
enum { B_USER = 1, B_KERNEL = 2, B_HV = 4, B_ANY = 8, B_CALL_STACK = 1 << 11,
       B_TYPE_SAVE = 1 << 16 };

/* Bits of the header's feature map that are written (tools/perf/util/header.h). */
enum { F_HOSTNAME = 3, F_OSRELEASE, F_VERSION, F_ARCH, F_CMDLINE = 11, F_BRANCH_STACK = 15 };

/* PERF_BR_* of transfer types: how perf names them. */
static const uint8_t kinds[16] = {
	[HS_CTR_EXCEPTION] = 7, [HS_CTR_INTERRUPT] = 12, [HS_CTR_TRET] = 11, [HS_CTR_TAKEN] = 1,
	[HS_CTR_CALL_IND] = 5, [HS_CTR_CALL] = 4, [HS_CTR_JUMP_IND] = 3, [HS_CTR_JUMP] = 2,
	[HS_CTR_SWAP] = 3, [HS_CTR_RETURN] = 6, [HS_CTR_OTHER_IND] = 3, [HS_CTR_OTHER] = 2,
};

struct perf {
	FILE *records;
	uint64_t bytes;
	bool ras;
	size_t described; /* processes whose comm and mmap records are written */
	struct hs_program_segment *kernel; /* mapped for the kernel */
	size_t kernel_count;
};

/* A record that is being made. */
struct bytes {
	uint8_t v[16 * 1024];
	size_t n;
};

static void put_number(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size && b->n < sizeof(b->v); i++)
		b->v[b->n++] = (uint8_t)(value >> 8 * i);
}

/* Text with its terminator, padded to a multiple of @align. */
static void put_text(struct bytes *b, const char *text, size_t align)
{
	const size_t length = strlen(text) + 1, end = b->n + (length + align - 1) / align * align;

	for (size_t i = 0; i < length; i++)
		put_number(b, (uint8_t)text[i], 1);
	while (b->n < end && b->n < sizeof(b->v))
		put_number(b, 0, 1);
}

static void begin_record(struct bytes *b, unsigned type, unsigned misc)
{
	b->n = 0;
	put_number(b, type, 4);
	put_number(b, misc, 2);
	put_number(b, 0, 2); /* the size, by write_record() */
}

static enum hs_status write_record(struct perf *p, struct bytes *b)
{
	b->v[6] = (uint8_t)b->n;
	b->v[7] = (uint8_t)(b->n >> 8);
	p->bytes += b->n;
	return fwrite(b->v, 1, b->n, p->records) == b->n ? HS_OK : HS_E_SYSTEM;
}

static uint64_t sample_type(const struct perf *p)
{
	return S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | (p->ras ? S_CALLCHAIN : S_BRANCH_STACK);
}

/* With sample_id_all, records that are no samples end in tid, time, cpu. */
static void put_id(struct bytes *b, uint32_t pid)
{
	put_number(b, pid, 4);
	put_number(b, pid, 4);
	put_number(b, 0, 8);
	put_number(b, 0, 8);
}

/* ---- processes ---------------------------------------------------------------------- */

static enum hs_status write_comm(struct perf *p, const struct export_process *process)
{
	struct bytes b;

	begin_record(&b, R_COMM, MISC_USER | MISC_EXEC);
	put_number(&b, process->pid, 4);
	put_number(&b, process->pid, 4);
	put_text(&b, process->comm, 8);
	put_id(&b, process->pid);
	return write_record(p, &b);
}

/* @misc: of which mode the mapping is. */
static enum hs_status write_mmap2(struct perf *p, const struct hs_program_segment *g,
                                  uint32_t pid, unsigned misc)
{
	const uint64_t start = g->start & ~EXPORT_PAGE_MASK;
	const uint64_t end = (g->start + g->size + EXPORT_PAGE_MASK) & ~EXPORT_PAGE_MASK;
	char path[PATH_MAX];
	struct bytes b;

	/* perf takes a kernel's file by an absolute path only */
	if (g->path[0] == '/' || !realpath(g->path, path))
		snprintf(path, sizeof(path), "%s", g->path);
	begin_record(&b, R_MMAP2, misc);
	put_number(&b, pid, 4);
	put_number(&b, pid, 4);
	put_number(&b, start, 8);
	put_number(&b, end - start, 8);
	put_number(&b, g->offset & ~EXPORT_PAGE_MASK, 8);
	put_number(&b, 0, 8); /* major, minor */
	put_number(&b, 0, 8); /* inode */
	put_number(&b, 0, 8); /* its generation */
	put_number(&b, 5, 4); /* PROT_READ | PROT_EXEC */
	put_number(&b, 2, 4); /* MAP_PRIVATE */
	put_text(&b, path, 8);
	put_id(&b, pid);
	return write_record(p, &b);
}

static enum hs_status write_process(struct perf *p, const struct export_process *process)
{
	enum hs_status s = write_comm(p, process);
	struct hs_program_segment g;

	for (size_t i = 0; s == HS_OK && hs_program_get_segment(process->program, i, &g); i++)
		s = write_mmap2(p, &g, process->pid, MISC_USER);
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
	return write_mmap2(p, &g, KERNEL_PID, MISC_KERNEL);
}

static enum hs_status begin_perf(struct hs_ctr_export *x)
{
	struct perf *p = calloc(1, sizeof(*p));

	x->own = p;
	if (!p)
		return HS_E_MEMORY;
	p->ras = export_is_ras(&x->start);
	p->records = tmpfile();
	return p->records ? HS_OK : HS_E_SYSTEM;
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
	put_number(b, (known && r->misp) | (uint64_t)(known && !r->misp) << 1 | cycles << 4 |
	       (uint64_t)kinds[r->type] << 20, 8);
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

	begin_record(&b, R_SAMPLE, kernel ? MISC_KERNEL : MISC_USER);
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
	return write_record(p, &b);
}

/* ---- the file ------------------------------------------------------------------------ */

static void put_section(struct bytes *b, uint64_t offset, uint64_t size)
{
	put_number(b, offset, 8);
	put_number(b, size, 8);
}

/* struct perf_event_attr: instructions in software's sense, sampled by period. */
static void put_attr(struct bytes *b, const struct hs_ctr_export *x)
{
	const struct perf *p = x->own;
	const size_t end = b->n + ATTR;

	put_number(b, 0, 4);    /* PERF_TYPE_HARDWARE */
	put_number(b, ATTR, 4);
	put_number(b, 1, 8);    /* PERF_COUNT_HW_INSTRUCTIONS */
	put_number(b, x->period, 8);
	put_number(b, sample_type(p), 8);
	put_number(b, 0, 8);    /* read_format */
	put_number(b, A_MMAP | A_COMM | A_SAMPLE_ID_ALL | A_MMAP2 | A_COMM_EXEC, 8);
	put_number(b, 0, 4);    /* wakeup_events */
	put_number(b, 0, 4);    /* bp_type */
	put_number(b, 0, 8);
	put_number(b, 0, 8);
	put_number(b, p->ras ? 0 : B_USER | B_KERNEL | B_HV | B_ANY | B_TYPE_SAVE, 8);
	while (b->n < end)
		put_number(b, 0, 1);
}

static void put_string(struct bytes *b, const char *text)
{
	const size_t room = (strlen(text) + NAME_ROOM) / NAME_ROOM * NAME_ROOM;

	put_number(b, room, 4);
	put_text(b, text, NAME_ROOM);
}

/* The contents of feature @bit. */
static void put_feature(struct bytes *b, unsigned bit, unsigned xlen)
{
	switch (bit) {
	case F_HOSTNAME: put_string(b, "hartscope"); break;
	case F_OSRELEASE: put_string(b, "replay of a trace"); break;
	case F_VERSION: put_string(b, "hartscope"); break;
	case F_ARCH: put_string(b, xlen == 32 ? "riscv32" : "riscv64"); break;
	case F_CMDLINE:
		put_number(b, 2, 4);
		put_string(b, "hartscope");
		put_string(b, "ctr");
		break;
	default: break; /* F_BRANCH_STACK has none */
	}
}

static const uint8_t features[] = { F_HOSTNAME, F_OSRELEASE, F_VERSION, F_ARCH, F_CMDLINE,
                                    F_BRANCH_STACK };
#define FEATURES sizeof(features)

static void put_header(struct bytes *b, const struct hs_ctr_export *x)
{
	const struct perf *p = x->own;
	uint64_t map = 0;

	for (size_t i = 0; i < FEATURES; i++)
		map |= features[i] == F_BRANCH_STACK && p->ras ? 0 : UINT64_C(1) << features[i];
	for (const char *magic = "PERFILE2"; *magic; magic++)
		put_number(b, (uint8_t)*magic, 1);
	put_number(b, HEADER, 8);
	put_number(b, ATTR + 16, 8);
	put_section(b, HEADER, ATTR + 16);
	put_section(b, HEADER + ATTR + 16, p->bytes);
	put_section(b, 0, 0); /* event types: not used any more */
	put_number(b, map, 8);
	put_number(b, 0, 8);
	put_number(b, 0, 8);
	put_number(b, 0, 8);
	put_attr(b, x);
	put_section(b, HEADER + ATTR + 16, 0); /* no ids: there is one event */
}

static enum hs_status copy_records(struct hs_ctr_export *x, struct bytes *b)
{
	struct perf *p = x->own;
	enum hs_status s = HS_OK;

	if (fflush(p->records) != 0 || fseek(p->records, 0, SEEK_SET) != 0)
		return HS_E_SYSTEM;
	do {
		b->n = fread(b->v, 1, sizeof(b->v), p->records);
		if (b->n)
			s = export_write(x, b->v, b->n);
	} while (s == HS_OK && b->n);
	return ferror(p->records) ? HS_E_SYSTEM : s;
}

static enum hs_status put_features(struct hs_ctr_export *x, struct bytes *b)
{
	const struct perf *p = x->own;
	const size_t count = FEATURES - p->ras; /* the last one is of branch stacks */
	uint64_t at = HEADER + ATTR + 16 + p->bytes + count * 16;
	struct bytes contents = { .n = 0 };

	b->n = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t before = contents.n;

		put_feature(&contents, features[i], x->start.config.xlen);
		put_section(b, at, contents.n - before);
		at += contents.n - before;
	}
	if (export_write(x, b->v, b->n) != HS_OK)
		return x->status;
	return export_write(x, contents.v, contents.n);
}

static enum hs_status end_perf(struct hs_ctr_export *x)
{
	struct bytes b = { .n = 0 };
	enum hs_status s;

	put_header(&b, x);
	s = export_write(x, b.v, b.n);
	if (s == HS_OK)
		s = copy_records(x, &b);
	return s == HS_OK ? put_features(x, &b) : s;
}

static void free_perf(struct hs_ctr_export *x)
{
	struct perf *p = x->own;

	if (!p)
		return;
	if (p->records)
		fclose(p->records);
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
