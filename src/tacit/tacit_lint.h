/* Lint for TACIT: what encoders do not send (docs/tacit.md). */
#ifndef HS_TACIT_TACIT_LINT_H
#define HS_TACIT_TACIT_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#include "flow/finding.h"
#include "tacit/tacit_decoder.h"

/** Kinds of findings: rows of tacit_findings.def. */
enum tacit_finding_id {
#define TACIT_FINDING(id, name, severity, clause, text) TACIT_FIND_##id,
#include "tacit/tacit_findings.def"
#undef TACIT_FINDING
	TACIT_FIND_COUNT
};

/** The kind with a number; NULL from TACIT_FIND_COUNT on. */
const struct hs_finding_kind *tacit_finding_get_kind(unsigned id);

/** Why messages are sent; ended by one without a text. */
extern const struct hs_rule tacit_rules[];

/** What is known of the stream. */
struct tacit_lint_source {
	uint64_t time;
	uint8_t state; /* enum in lint.c */
	uint8_t prv;
	bool timed;
};

/** In the caller's memory. */
struct tacit_lint {
	uint64_t messages; /**< complete ones so far */
	uint64_t dropped;  /**< findings for which the queue had no room */
	/* Private: */
	struct tacit_reader reader;
	struct tacit_lint_source *sources; /* one */
	struct tacit_decoder *decoder;     /* NULL without a program */
	size_t capacity, count;
	uint64_t offset; /* of the next byte */
	struct tacit_msg msg;
	struct hs_finding queue[HS_LINT_QUEUE];
	uint8_t found, taken; /* in the queue */
	uint16_t ending;
	bool ended;
	uint8_t text; /* there is one: 0 */
};

/** As those of N-Trace (ntrace/nt_lint.h). */
enum hs_status tacit_lint_init(struct tacit_lint *l, const struct tacit_config *config,
                               struct tacit_lint_source *source);
void tacit_lint_program(struct tacit_lint *l, struct tacit_decoder *decoder);
enum hs_status tacit_lint_next(void *lint, struct hs_span *in, struct hs_finding *out);
enum hs_status tacit_lint_end(void *lint, struct hs_finding *out);
void tacit_lint_take(void *lint, const void *from, const void *sources);
void tacit_lint_begin(void *lint, uint64_t offset);
bool tacit_lint_alike(const void *lint, const void *copy, const void *sources);

#endif
