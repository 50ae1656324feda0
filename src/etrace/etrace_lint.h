/* Lint for E-Trace: everything in a stream that the specification forbids.
 *
 * A decoder tolerates what it can; lint does not.  It is for people who validate an encoder.
 * Frames, packets and their order need no program; with one, lint also drives a decoder and reports
 * what the packets say that the program contradicts.
 *
 * Clauses are cited as in etrace.h.  Nothing here allocates, blocks, or keeps a pointer into the
 * input.
 *
 * Threads: one lint belongs to one thread at a time; two of them share only what their decoders
 * share.
 */
#ifndef HS_ETRACE_LINT_ETRACE_LINT_H
#define HS_ETRACE_LINT_ETRACE_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/etrace.h>
#include <hartscope/status.h>

#include "flow/finding.h"

/* What lint knows of one source (srcID).  "when X": known only if the member X is true. */
struct hs_et_lint_source {
	uint64_t tstamp;  /* of the encapsulation, when stamped */
	uint64_t time;    /* of the last packet with one, when timed */
	uint64_t context; /* as reported last, when contexted */
	uint64_t address; /* 0.026: as reported last, in units */
	uint64_t packets; /* since the last synchronisation packet */
	uint64_t offset;  /* of the last packet */
	uint64_t support; /* the fields of the last support packet, when supported */
	uint16_t src;
	uint8_t state;   /* enum et_lint_state */
	uint8_t priv;    /* as reported last, when contexted */
	uint8_t flow;    /* of the last header, when seen */
	uint32_t options; /* those in force */
	uint8_t expected; /* what the next packet must be: enum et_lint_expected */
	bool stamped, timed, contexted, supported, seen;
	bool disabled;      /* ienable of the last support packet is 0 */
	bool paused;        /* 0.026: the last packet says disabled, but not why */
	uint64_t paused_at; /* its offset */
	bool addressed;     /* the last packet reports an address */
	bool updiscon;      /* the last packet has updiscon */
};

/** Kinds of findings: rows of et_findings.def. */
enum hs_et_finding_id {
#define HS_ET_FINDING(id, number, ...) HS_ET_FIND_##id = (number),
#include "etrace/et_findings.def"
#undef HS_ET_FINDING
	HS_ET_FIND_COUNT
};

/** The kind with a number; NULL from HS_ET_FIND_COUNT on. */
const struct hs_finding_kind *hs_et_finding_get_kind(unsigned id);

/* What lint knows of one source, srcID: in the caller's memory. */
struct hs_et_lint_source;

/** Lint of a stream, in the caller's memory. */
struct hs_et_lint {
	uint64_t offset;  /**< of the next byte */
	uint64_t packets; /**< complete ones so far, null packets not counted */
	uint64_t dropped; /**< findings for which the queue had no room */
	/* Private: */
	struct hs_et_reader reader;
	struct hs_et_lint_source *sources;
	struct hs_et_decoder *decoder; /* NULL without a program */
	size_t capacity, count;
	struct hs_et_packet packet;   /* the current packet */
	uint16_t place[HS_ETF_COUNT]; /* bit of the payload where each of its fields begins */
	uint16_t payload;             /* bits of the frame before the payload */
	uint16_t end;                 /* bits to the end of the last field */
	struct hs_finding queue[HS_LINT_QUEUE];
	uint8_t found, taken; /* findings in queue, and of them those that were taken from it */
	uint32_t options; /* in force until a source's first support packet */
	uint8_t null;    /* the header of the null packet right before */
	bool nulls;      /* there is such a packet */
	bool damaged;    /* part of the stream could not be read */
	bool ended;
	uint16_t ending; /* at the end of the stream: how many sources were checked */
	uint16_t held;   /* bytes in buffer */
	uint8_t buffer[HS_ET_PACKET_MAX];
};

/**
 * Start.
 * @param config   What the encoder was configured with.  src_id 0: any srcID.
 * @param sources  Memory for as many sources as the stream may have, at least 1; kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG       See hs_et_config_check().
 * @retval HS_E_UNSUPPORTED  HS_ET_FAST: no text defines its packets.
 * @retval HS_E_ARG          source_count is 0.
 */
enum hs_status hs_et_lint_init(struct hs_et_lint *l, const struct hs_et_config *config,
                               struct hs_et_lint_source *sources, size_t source_count);

/**
 * Also look for what the program contradicts (the kinds that begin with "flow-").
 * @param decoder  Just initialised with the same configuration, and not used otherwise; kept.
 */
void hs_et_lint_program(struct hs_et_lint *l, struct hs_et_decoder *decoder);

/**
 * The next finding.  It does not depend on how the stream is cut into @in.
 * @param lint         struct hs_et_lint.  It is a void pointer here and below for a table of lints.
 * @param[in,out] in   Moved past the bytes taken.
 * @param[out]    out  Written when the result is HS_OK.
 * @retval HS_OK    *out is a finding.  Call again: one packet may have several.
 * @retval HS_MORE  @in is used up.
 */
enum hs_status hs_et_lint_next(void *lint, struct hs_span *in, struct hs_finding *out);

/**
 * The stream is over: findings that its end causes.
 * @retval HS_OK   *out is a finding; call again.
 * @retval HS_END  There are no more.
 */
enum hs_status hs_et_lint_end(void *lint, struct hs_finding *out);

/**
 * For lints that each read a part of a stream: take over the state of another one of the same
 * configuration, except its decoder.
 * @param from     That lint, or a copy; its findings were all given.  Its counts are taken, too.
 * @param sources  Its sources, from->count of them: not more than @lint has room for.
 */
void hs_et_lint_take(void *lint, const void *from, const void *sources);

/** The next byte is at @offset and begins a packet; earlier bytes are not known.  Until a source
 * synchronises, its packets are not judged by earlier ones.  The decoder stays as it is. */
void hs_et_lint_begin(void *lint, uint64_t offset);

/**
 * Will both find the same in the same further bytes, findings of a decoder aside?  "No" is always
 * a safe answer.
 * @param other    A copy of a lint that took the same last bytes; its pointers are not used.
 * @param sources  Its sources.
 */
bool hs_et_lint_alike(const void *lint, const void *other, const void *sources);

#endif
