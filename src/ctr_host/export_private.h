/* State of an export, and the table of formats. */
#ifndef HS_CTR_EXPORT_PRIVATE_H
#define HS_CTR_EXPORT_PRIVATE_H

#include <hartscope/program.h>

#include "ctr_host/ctr_host.h"
#include "support/out.h"

#define EXPORT_CYCLES_MAX 65535u /* perf has 16 bits for them */
#define EXPORT_PAGE_MASK UINT64_C(0xfff)

typedef unsigned long long ull; /* for printf */

/* A taken transfer of a sample. */
struct export_branch {
	uint64_t from, to;
	uint32_t cycles; /* 0: not known */
	uint8_t type;    /* enum hs_ctr_type */
	bool misp;
	bool no_from, no_to; /* the address was not recorded and is 0 */
};

/* A process: a context, or what ran before the first one. */
struct export_process {
	struct hs_program *program;
	uint64_t context; /* with @has_context */
	bool has_context;
	uint32_t pid;
	char comm[16];
};

struct export_format;

struct hs_ctr_export {
	const struct export_format *format;
	struct hs_program *program;
	const char *program_path;
	struct hs_guest *guest; /* or NULL */
	uint64_t period;
	struct hs_ctr_export_report report;
	struct hs_ctr start;
	void *own; /* state of the format */
	struct support_out out;
	struct export_process **processes; /* in the order of their first samples */
	size_t process_count;
	const struct export_process *current;          /* of the last sample */
	struct export_branch branches[HS_CTR_ENTRIES]; /* of the sample, the youngest first */
	size_t count;
};

/* A row for each format.  begin, end and free may be NULL. */
struct export_format {
	const char *name;
	bool ras;      /* its samples are call chains, of RASEMU=1 */
	bool straight; /* needs straight code between two records */
	bool one;      /* of one program: samples of others are left out */
	enum hs_status (*begin)(struct hs_ctr_export *x);
	enum hs_status (*sample)(struct hs_ctr_export *x, const struct hs_ctr_sample *s);
	enum hs_status (*end)(struct hs_ctr_export *x);
	void (*free)(struct hs_ctr_export *x);
};

extern const struct export_format export_brstack, export_callchain, export_folded, export_json,
	export_bolt, export_profgen, export_perf_data;

/* Print text; an error stays in @x->out.status. */
void export_print(struct hs_ctr_export *x, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The function and the file at an address of a sample; label and file NULL: not known. */
struct hs_guest_place export_place(const struct hs_ctr_export *x, const struct hs_ctr_sample *s,
                                   uint64_t addr);

/* Write bytes. */
enum hs_status export_write(struct hs_ctr_export *x, const void *bytes, size_t n);

/* Is RASEMU on in mctl? */
bool export_is_ras(const struct hs_ctr *c);

/* Does the hart have ctrtarget.MISP? */
bool export_has_misp(const struct hs_ctr *c);

/* processes.c */

/* The file that a program is; NULL: it has no ELF file with code. */
const char *export_file(const struct hs_ctr_export *x, struct hs_program *program);

/* The process of a sample; NULL: no memory. */
const struct export_process *export_process(struct hs_ctr_export *x, const struct hs_ctr_sample *s);
void export_free_processes(struct hs_ctr_export *x);

#endif
