/* What the formats of CTR exports share. */
#ifndef HARTSCOPE_SINK_CTR_EXPORT_PRIVATE_H
#define HARTSCOPE_SINK_CTR_EXPORT_PRIVATE_H

#include <hartscope/ctr_export.h>

#define SINK_PERF_CYCLES 65535u /* perf has 16 bits for them */

/* A taken transfer of a sample: an address that was not recorded is 0. */
struct sink_branch {
	uint64_t from, to;
	uint32_t cycles; /* 0: not known */
	uint8_t type;    /* enum hs_ctr_type */
	bool misp;
};

struct sink_ctr_format;

struct hs_ctr_export {
	const struct sink_ctr_format *format;
	struct hs_ctr_export_options o;
	struct hs_ctr_export_report report;
	struct hs_ctr start; /* as o.ctr was */
	void *own;           /* of the format */
	char *text;          /* what was printed and not yet written */
	size_t used, size;
	bool failed;         /* the write function said no, or no memory */
	enum hs_status status;
	struct sink_branch branches[HS_CTR_ENTRIES]; /* of the sample, the youngest first */
	size_t count;
};

/* A row for each format.  begin, end and free may be NULL. */
struct sink_ctr_format {
	const char *name;
	bool ras;      /* call chains: RASEMU=1 */
	bool straight; /* code between two records ran straight through */
	enum hs_status (*begin)(struct hs_ctr_export *x);
	enum hs_status (*sample)(struct hs_ctr_export *x, const struct hs_ctr_sample *s);
	enum hs_status (*end)(struct hs_ctr_export *x);
	void (*free)(struct hs_ctr_export *x);
};

extern const struct sink_ctr_format sink_ctr_brstack, sink_ctr_callchain, sink_ctr_folded, sink_ctr_json,
	sink_ctr_bolt, sink_ctr_profgen, sink_ctr_perf_data;

/* Text; errors stay in @x->status. */
void sink_ctr_print(struct hs_ctr_export *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes as they are. */
enum hs_status sink_ctr_write(struct hs_ctr_export *x, const void *bytes, size_t n);

/* RASEMU is on in the control register of the first mode. */
bool sink_ctr_is_ras(const struct hs_ctr *c);

/* Name of the program without its folder, at most 15 characters as comm has it. */
void sink_ctr_comm(const struct hs_ctr_export *x, char comm[16]);

#endif
