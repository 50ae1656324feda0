/* What the files of hartscope lint share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_LINT_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_LINT_H

#include <hartscope/protocol.h>
#include <hartscope/source.h>

/* Findings of one kind. */
struct lint_count {
	struct hs_lint_kind row;
	uint64_t count;
	bool ignored;
};

struct lint_tally {
	const struct hs_protocol *protocol;
	struct lint_count *kinds;
	unsigned kind_count;
	uint64_t max, of[HS_SEVERITIES], left_out;
	bool json, any; /* any: a finding was printed */
};

/* Count a finding, and print it while there are few of its kind. */
void lint_take(struct lint_tally *t, const struct hs_lint_finding *f);
/* Count @n more of a kind, of which enough were printed. */
void lint_take_more(struct lint_tally *t, unsigned kind, uint64_t n);
/* Print the error of a call of hs_source_read().  False: there is nothing to read after it. */
bool lint_take_error(const struct hs_error *e);

/* What a lint reads (lint_pieces.c). */
struct lint_input {
	struct hs_source *source;
	const void *config;
	const struct hs_image *image; /* NULL: none */
	const struct hs_image_set *set;
};

/* Read it to its end with @lint, which is new, on several threads (ADR-0304): what is found, and
 * its order, are those of one.  False: after a complaint, the trace cannot be read any further. */
bool lint_pieces(void *lint, const struct lint_input *in, uint32_t threads, struct lint_tally *t);

#endif
