/* A dump of CTR after reading, shared by the files that explain registers and entries. */
#ifndef HS_CTR_EXPLAIN_PRIVATE_H
#define HS_CTR_EXPLAIN_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/ctr.h>

typedef unsigned long long ull; /* for printf */

/* Registers by what they hold; _H is the upper half on RV32. */
enum explain_reg {
	SCONTROL,
	SCONTROL_H,
	VSCONTROL,
	VSCONTROL_H,
	MCONTROL,
	MCONTROL_H,
	STATUS,
	DEPTH
};

struct explain_csr {
	uint8_t version, reg;
	const char *name;
};

#define EXPLAIN_CSRS 13u
extern const struct explain_csr explain_csrs[EXPLAIN_CSRS];

enum { EXPLAIN_SOURCE, EXPLAIN_TARGET, EXPLAIN_DATA, EXPLAIN_PARTS };

struct explain_dump {
	hs_ctr_remark_fn report;
	void *context;
	enum hs_ctr_version version; /* HS_CTR_ANY: not known yet */
	unsigned xlen;               /* 0: not known yet */
	bool have[EXPLAIN_CSRS];
	uint64_t value[EXPLAIN_CSRS];
	uint64_t entry[HS_CTR_ENTRIES][EXPLAIN_PARTS];
	uint8_t entry_have[HS_CTR_ENTRIES]; /* bit: EXPLAIN_SOURCE, ... */
	unsigned depth;                     /* 0: not known */
	uint64_t control;                   /* the most privileged control register of the dump */
	bool have_control;
};

/* A list of words that grows; what exceeds it is dropped. */
struct explain_words {
	char text[768];
	size_t n;
};

/* dump.c */
enum hs_status explain_dump_read(struct explain_dump *d, struct hs_span *text,
                                 struct hs_error *error);

/* remark.c */
void explain_remark(const struct explain_dump *d, enum hs_ctr_remark_kind kind, const char *subject,
                    uint64_t value, const char *format, ...) __attribute__((format(printf, 5, 6)));
void explain_add(struct explain_words *w, const char *between, const char *text);

/* fields.c: registers.def by name.  Of a version: 0 where it has no such field. */
uint64_t explain_control_bits(enum hs_ctr_version version, const char *name);
uint64_t explain_status_bits(enum hs_ctr_version version, const char *name);
uint64_t explain_control_defined(enum hs_ctr_version version);
void explain_control_names(enum hs_ctr_version version, uint64_t bits, struct explain_words *w);
unsigned explain_depth_of(enum hs_ctr_version version, uint64_t code); /* 0: reserved */

/* control.c, status.c, entries.c */
void explain_controls(struct explain_dump *d);
void explain_depth_register(struct explain_dump *d);
void explain_statuses(struct explain_dump *d);
void explain_entries(struct explain_dump *d);

static inline bool explain_is_draft(const struct explain_dump *d)
{
	return d->version == HS_CTR_0_1_4;
}

#endif
