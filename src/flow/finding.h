/* What a lint of any protocol finds. */
#ifndef HS_FLOW_FINDING_H
#define HS_FLOW_FINDING_H

#include <stdbool.h>
#include <stdint.h>

/** A kind of finding: a row of a protocol's table. */
struct hs_finding_kind {
	const char *name;   /**< such as "hist-without-stop-bit" */
	const char *clause; /**< such as "NT 8.3" */
	const char *text;   /**< one line for people */
	uint8_t severity;   /**< enum hs_severity */
	uint8_t texts;      /**< bit n: looked for in enum hs_nt_dialect_id, hs_et_version n */
};

/** Findings that one message can have at most; more are counted as dropped. */
#define HS_LINT_QUEUE 24

/** hs_finding.bit: the finding is of the message as a whole, or of its frame. */
#define HS_LINT_NO_BIT 0xffffu

/** Something that is wrong. */
struct hs_finding {
	uint64_t offset;  /**< of the first byte of the message, or of the byte at fault */
	uint64_t value;   /**< of @field, or what the kind speaks of */
	uint64_t pc;      /**< kinds that need a program: where the walk stood */
	uint16_t id;      /**< of the kind */
	uint16_t bit;     /**< of an E-Trace payload, where it is wrong; HS_LINT_NO_BIT */
	uint8_t field;    /**< the one at fault; the number of fields: none */
	bool has_message; /**< it is of the lint's current message, as far as that could be read */
};

#endif
