/* A dump of CTR after reading, shared by what explains registers and entries. */
#ifndef HS_CTR_EXPLAIN_PRIVATE_H
#define HS_CTR_EXPLAIN_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/ctr.h>
#include <hartscope/ctr_explain.h>

#define SINK_BIT(n) (UINT64_C(1) << (n))

/* Registers by what they hold; halves are for RV32. */
enum explain_reg { SCONTROL, SCONTROL_H, VSCONTROL, VSCONTROL_H, MCONTROL, MCONTROL_H, STATUS, DEPTH };

struct explain_csr {
	uint8_t version, reg;
	uint16_t number;
	const char *name;
};

#define SINK_CSRS 13u
extern const struct explain_csr explain_csrs[SINK_CSRS];

enum { SINK_SOURCE, SINK_TARGET, SINK_DATA };

struct explain_dump {
	struct hs_ctr_explain_options o;
	int version;
	unsigned xlen;
	bool have[SINK_CSRS];
	uint64_t value[SINK_CSRS];
	uint64_t entry[HS_CTR_ENTRIES][3];
	uint8_t entry_have[HS_CTR_ENTRIES]; /* bit: SINK_SOURCE, ... */
	unsigned depth;                     /* 0: not known */
	uint64_t control;                   /* of the register that says most, and 0 without one */
	bool have_control;
};

/* ctr_dump.c */
enum hs_status explain_dump_read(struct explain_dump *d, const char *text, size_t n, struct hs_error *error);

/* ctr_explain_entries.c */
void explain_entries(struct explain_dump *d);

void explain_say(const struct explain_dump *d, enum hs_ctr_remark_kind kind, const char *subject, uint64_t value,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

static inline bool explain_is_draft(const struct explain_dump *d)
{
	return d->version == HS_CTR_0_1_4;
}

#endif
