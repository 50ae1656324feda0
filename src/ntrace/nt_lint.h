/* Lint for N-Trace: everything in a stream that the specification forbids.
 *
 * A decoder tolerates what it can; lint does not.  It is for people who validate an encoder.
 * Bytes, messages and their order need no program; with one, lint also drives a decoder and
 * reports what the messages say that the program contradicts.
 *
 * "NT x.y" is a clause of RISC-V N-Trace 1.0.0-rc7, "NT 1.0 x.y" of the ratified text.  Nothing
 * here allocates, blocks, or keeps a pointer into the input.
 *
 * Threads: one struct hs_nt_lint, its decoder included, belongs to one thread at a time; two share
 * nothing.  hs_nt_finding_get_kind() may run on any number at once.
 */
#ifndef HS_NTRACE_NT_LINT_H
#define HS_NTRACE_NT_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/ntrace.h>
#include <hartscope/status.h>

#include "flow/finding.h"
#include "ntrace/nt_message.h"

/* One source (SRC). */
struct hs_nt_lint_source {
	uint64_t time;     /* as reported last */
	uint64_t icnt;     /* of ResourceFull, since the last message with I-CNT */
	uint64_t branches; /* of ResourceFull, since then */
	uint64_t count;    /* units since the last synchronisation */
	uint64_t hist;     /* of the ResourceFull right before; 0: there is none */
	uint64_t hist_times;
	uint64_t uaddr;  /* of the last branch message */
	uint64_t offset; /* of the last message */
	uint16_t src;
	uint8_t state;   /* enum in lint.h */
	uint8_t mode;    /* enum hs_nt_mode once it is known */
	uint8_t btypes;  /* bit n: B-TYPE n was seen */
	uint8_t branch;  /* TCODE of the last branch message; 0: none */
	uint8_t before;  /* TCODE of the message right before */
	uint8_t evcode;  /* of the last ProgTraceCorrelation */
	uint8_t overdue; /* branch messages since synchronisation was due twice */
	uint8_t formats; /* bit n: Ownership with FORMAT n since synchronisation */
	uint8_t itype;   /* of the last block, with a program */
	bool at_sync;    /* only Ownership came since the synchronising message */
	bool hcontext;   /* hcontext is implemented */
	bool timed;      /* time is meaningful */
};

/** Kinds of findings: rows of nt_findings.def. */
enum hs_nt_finding_id {
#define HS_NT_FINDING(id, name, severity, dialects, clause, text) HS_NT_FIND_##id,
#include "ntrace/nt_findings.def"
#undef HS_NT_FINDING
	HS_NT_FIND_COUNT
};

/** The kind with a number; NULL from HS_NT_FIND_COUNT on. */
const struct hs_finding_kind *hs_nt_finding_get_kind(unsigned id);

/* One source, SRC (struct hs_nt_lint_source): in the caller's memory. */
struct hs_nt_lint_source;

/** Lint of a stream; in the caller's memory. */
struct hs_nt_lint {
	uint64_t messages; /**< complete ones so far */
	uint64_t dropped;  /**< findings for which the queue had no room */
	/* Private: */
	struct hs_nt_config config;
	const struct hs_nt_dialect *dialect;
	struct hs_nt_lint_source *sources;
	struct hs_nt_decoder *decoder; /* NULL without a program */
	size_t capacity, count;
	uint64_t offset;      /* of the next byte */
	uint64_t start;       /* of the message being collected */
	struct hs_nt_msg msg; /* the current message */
	struct hs_finding queue[HS_LINT_QUEUE];
	uint8_t found, taken; /* findings in queue, and of them those that were taken from it */
	uint8_t place; /* in the order of MSEO: enum in lint.c */
	uint8_t mseo;  /* of the byte before */
	uint8_t held;
	uint16_t ending; /* sources that were looked at after the end */
	bool ended;
	uint8_t buffer[HS_NT_MSG_MAX];
};

/**
 * @param config   Parameters of the encoder.  inst_mode 0: BTM or HTM, by the first message
 *                 that belongs to one; src_id 0: any SRC; icnt_bits, hist_bits 0: the
 *                 widest.  The dialect chooses the rules.
 * @param sources  Memory for as many sources as the stream may have, at least 1; kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_nt_config_check().
 * @retval HS_E_ARG     source_count is 0.
 */
enum hs_status hs_nt_lint_init(struct hs_nt_lint *l, const struct hs_nt_config *config,
                               struct hs_nt_lint_source *sources, size_t source_count);

/**
 * Also look for what the program contradicts (the kinds that begin with "flow-").
 * @param decoder  Just initialised with the same configuration, and not used otherwise; kept.
 *                 Its work on one message can be long: HREPEAT may stand for 2^18 histories.
 */
void hs_nt_lint_program(struct hs_nt_lint *l, struct hs_nt_decoder *decoder);

/**
 * The next finding.  How a stream is cut never changes what is found.
 * @param lint         struct hs_nt_lint, as in all of these: they are rows of a table, too.
 * @param[in,out] in   Moved past the bytes taken.
 * @param[out]    out  Written when the result is HS_OK.
 * @retval HS_OK    *out is a finding.  Call again: one message may have several.
 * @retval HS_MORE  @in is used up.
 */
enum hs_status hs_nt_lint_next(void *lint, struct hs_span *in, struct hs_finding *out);

/**
 * The stream is over: findings that only its end shows.
 * @retval HS_OK   *out is a finding; call again.
 * @retval HS_END  There are no more.
 */
enum hs_status hs_nt_lint_end(void *lint, struct hs_finding *out);

/**
 * Several lints that each read a part of a stream: stand where another one of the same
 * configuration stood, without its decoder.
 * @param from     That one, or a copy of it; its findings were all given.  @lint counts its
 *                 messages.
 * @param sources  Its sources, from->count of them: not more than @lint has room for.
 */
void hs_nt_lint_take(void *lint, const void *from, const void *sources);

/** The next byte is at @offset and begins a message; those before it are not known.  What sources
 * do says nothing until they synchronise.  The decoder stays as it is. */
void hs_nt_lint_begin(void *lint, uint64_t offset);

/**
 * Will the same bytes have the same findings, as far as it is not the decoder that decides?  No is
 * always safe to say.
 * @param other    Took the same last bytes as @lint; a copy of one, whose pointers are not used.
 * @param sources  Its sources.
 */
bool hs_nt_lint_alike(const void *lint, const void *other, const void *sources);

#endif
