/* What a capture is: protocol, transport and parameters that fit it, found by trying
 * (design/identify).
 *
 * With the program, where addresses lead and what contradicts the flow decide.  Without one only
 * the form of messages counts, and most parameters cannot be found.
 *
 * Threads: calls share nothing.
 */
#ifndef HARTSCOPE_IDENTIFY_H
#define HARTSCOPE_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/source.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to look at.  Of a file of more than 16 MiB, so much of its beginning, middle and end. */
struct hs_identify_options {
	uint32_t size;    /**< sizeof(struct hs_identify_options) */
	uint8_t xlen;     /**< as in struct hs_source_options */
	const char *path; /**< the capture: a file */
	/** The capture in memory, if p is not NULL; kept by the caller. */
	struct hs_span bytes;
	const struct hs_code_file *code; /**< the program; none: only the form counts */
	size_t code_count;
	const char *protocol; /**< only this protocol; NULL: all */
	const char *vcd_clock, *vcd_data; /**< of a value change dump: as in struct
	                                       hs_capture_options; kept by the caller */
};

/** How sure a result is. */
enum hs_identify_verdict {
	HS_IDENTIFY_NONE,   /**< nothing fits */
	HS_IDENTIFY_FORM,   /**< messages have the form of a protocol.  With a program: it is
	                         another one, or parameters were not found */
	HS_IDENTIFY_LIKELY, /**< the program fits in part, or several things fit */
	HS_IDENTIFY_CLEAR   /**< one thing fits, and it explains nearly everything */
};

#define HS_IDENTIFY_TEXT 512

/** In place of a protocol: CoreSight frames have a source of which no protocol reads anything. */
#define HS_IDENTIFY_UNKNOWN "unknown"

/** Something that a capture may be. */
struct hs_identified {
	const char *protocol;  /**< name of a struct hs_protocol, or HS_IDENTIFY_UNKNOWN */
	const char *transport; /**< a name of hs_transport_names() */
	uint8_t source_id;     /**< of CoreSight frames: the source whose trace it is; else 0 */
	bool ring;             /**< the file is a circular buffer that wrapped */
	bool described;        /**< the trace says so itself, by the standard support packet that it
	                            begins with (E-Trace 2.1): settings has what that says */
	bool program_differs;  /**< HS_IDENTIFY_FORM: nearly every segment contradicts the program
	                            at once, and no parameter that is left could be the reason */
	bool has_offset;       /**< the program fits when it is moved by @offset bytes */
	int64_t offset;
	char settings[HS_IDENTIFY_TEXT]; /**< NAME=VALUE words, as for --set: what differs from the
	                                      defaults */
	/** Names of parameters (members of struct hs_nt_config, hs_et_config) for which another
	 * value explains as much, and gives another flow. */
	char unsure[HS_IDENTIFY_TEXT];
	uint64_t bytes;     /**< of trace that were looked at */
	uint64_t explained; /**< of these, in messages that make sense */
	uint64_t head;      /**< of these, before the first that does: noise, or an older trace */
	/** Of 10,000 bytes of the file's beginning, middle and end those that make sense, where
	 * only so much was looked at: @shares is 3, else 0. */
	uint32_t share[3], shares;
	uint64_t messages;
	uint64_t segments; /**< messages that synchronise; 0 without a program */
	/** How often the program contradicts: at most once in a segment. */
	uint64_t contradicted;
	uint64_t halfwords; /**< that retired, as decoded; 0 without a program */
};

/** What was found. */
struct hs_identity;

/**
 * Find what a capture is.
 * @retval HS_OK        Also where nothing fits.
 * @retval HS_E_CONFIG  @options has unknown bytes that are not zero; no such protocol.
 * @retval HS_E_FORMAT  The file is empty or of a kind that is no trace (capture.h).
 * @retval HS_E_SYSTEM  A file cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_identify(const struct hs_identify_options *options,
                                  struct hs_identity **identity, struct hs_error *error);
HS_API void hs_identity_free(struct hs_identity *identity); /**< NULL is allowed */

/** @param[out] frames  Bits of the sources of a file that is whole CoreSight frames with
 *                      synchronisations, where no more than HS_IDENTIFY_FORM was found in it and
 *                      no frames were read: bit 1 and on of the first word, then of the second; 0:
 *                      it is none.  NULL: not wanted. */
HS_API enum hs_identify_verdict hs_identity_verdict(const struct hs_identity *identity,
                                                    uint64_t frames[2]);

/** What fits: of CoreSight frames one result for each source, those that are not known last; else
 * one.  NULL past the last. */
HS_API const struct hs_identified *hs_identity_get(const struct hs_identity *identity,
                                                   size_t index);

#ifdef __cplusplus
}
#endif
#endif
