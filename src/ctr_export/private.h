/* What the formats of CTR exports share. */
#ifndef HS_CTR_EXPORT_PRIVATE_H
#define HS_CTR_EXPORT_PRIVATE_H

#include <hartscope/ctr_export.h>

#define SINK_PERF_CYCLES 65535u /* perf has 16 bits for them */

/* A taken transfer of a sample: an address that was not recorded is 0. */
struct export_branch {
	uint64_t from, to;
	uint32_t cycles; /* 0: not known */
	uint8_t type;    /* enum hs_ctr_type */
	bool misp;
};

struct export_format;

struct hs_ctr_export {
	const struct export_format *format;
	struct hs_ctr_export_options o;
	struct hs_ctr_export_report report;
	struct hs_ctr start; /* as o.ctr was */
	void *own;           /* of the format */
	char *text;          /* what was printed and not yet written */
	size_t used, size;
	bool failed;         /* the write function said no, or no memory */
	enum hs_status status;
	struct export_branch branches[HS_CTR_ENTRIES]; /* of the sample, the youngest first */
	size_t count;
};

/* A row for each format.  begin, end and free may be NULL. */
struct export_format {
	const char *name;
	bool ras;      /* call chains: RASEMU=1 */
	bool straight; /* code between two records ran straight through */
	enum hs_status (*begin)(struct hs_ctr_export *x);
	enum hs_status (*sample)(struct hs_ctr_export *x, const struct hs_ctr_sample *s);
	enum hs_status (*end)(struct hs_ctr_export *x);
	void (*free)(struct hs_ctr_export *x);
};

extern const struct export_format export_brstack, export_callchain, export_folded, export_json,
	export_bolt, export_profgen, export_perf_data;

/* Text; errors stay in @x->status. */
void export_print(struct hs_ctr_export *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes as they are. */
enum hs_status export_write(struct hs_ctr_export *x, const void *bytes, size_t n);

/* RASEMU is on in the control register of the first mode. */
bool export_is_ras(const struct hs_ctr *c);

/* Name of the program without its folder, at most 15 characters as comm has it. */
void export_comm(const struct hs_ctr_export *x, char comm[16]);

#endif
