/* Trace protocols in one table: parameters by name, encoder, decoder, messages.
 *
 * For the tool and other programs whose users name the protocol.  A program for one protocol only
 * uses that protocol's header (ntrace.h, etrace.h).
 *
 * Calls with different configurations, encoders, decoders and readers may run on several threads
 * at once; the tables never change.
 */
#ifndef HARTSCOPE_PROTOCOL_H
#define HARTSCOPE_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/control.h>
#include <hartscope/image.h>
#include <hartscope/ingress.h>
#include <hartscope/memo.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter of a protocol, as --set NAME=VALUE gives it. */
struct hs_param {
	const char *name;  /**< the specification's where it has one */
	const char *help;  /**< one line of text */
	const char *words; /**< names of values, such as "btm=3 htm=6"; NULL: only numbers */
	uint64_t max;      /**< largest value; the protocol's own check may refuse more */
	bool running;      /**< it may change while an encoder traces (encoder_options) */
	/* Private: where the value is in the configuration. */
	uint16_t offset;
	uint16_t width;
	uint16_t list; /* the value is a list of words, of so many bits each; 0: it is one */
};

#define HS_MESSAGE_FIELDS 32

/** A field of a message, ready to be shown. */
struct hs_message_field {
	const char *name;
	const char *clause;
	uint64_t value;
	bool address; /**< to be shown in hexadecimal */
	struct hs_bits bits; /**< where it is in hs_message.bytes; 0 bits: it is not there, or not
	                          known */
};

/** A message, ready to be shown. */
struct hs_message {
	uint64_t offset; /**< of its first byte */
	uint32_t length; /**< bytes */
	uint32_t code;   /**< N-Trace: TCODE; E-Trace: enum hs_et_form */
	uint32_t source; /**< SRC, srcID */
	bool has_source;
	const char *name, *clause;
	unsigned count;
	struct hs_message_field field[HS_MESSAGE_FIELDS];
	/** Where the fields are not known, what the message holds after its header: bits in their
	 * order, the first in bit 0 of the first byte; of a long message its beginning.  Lives
	 * until the next message is read; NULL: none. */
	const uint8_t *payload;
	uint32_t payload_bits;
	/** Its @length bytes, the framing included; live as long.  NULL: it is longer than what is
	 * kept, or is damaged. */
	const uint8_t *bytes;
};

/** What a message says of its encoder. */
struct hs_discovered {
	uint64_t offset;   /**< of the message */
	uint32_t words[8]; /**< of its discovery record */
	uint32_t count;
};

/** Messages of one type. */
struct hs_message_count {
	const char *name;
	uint64_t messages, bytes;
	uint32_t number; /**< of the type: those of a protocol are listed in its order */
};

/** Name and fields of a message in one line, such as "ResourceFull RCODE=0 RDATA=4194303". */
HS_API void hs_message_text(const struct hs_message *m, char *text, size_t size);

/** The clause of a field of @m with the name of its text, such as "NT 8.1".
 * @param clause  As struct hs_message_field has it. */
HS_API void hs_message_clause(const struct hs_message *m, const char *clause, char *text,
                              size_t size);

/** A field of two messages. */
struct hs_field_pair {
	const struct hs_message_field *a, *b; /**< NULL: the message has no such field */
	bool same;                            /**< both have it, with the same value */
};

#define HS_FIELD_PAIRS (2 * HS_MESSAGE_FIELDS) /**< of two messages, at most */

/** The fields of two messages by their names: those of @a in their order, then what only @b has.
 * The source is no field: hs_message_compare_source().
 * @param[out] out  Room for HS_FIELD_PAIRS; they point into @a and @b.
 * @return          How many. */
HS_API unsigned hs_message_compare(const struct hs_message *a, const struct hs_message *b,
                                   struct hs_field_pair *out);

/** The sources of two messages as a pair of fields with the name "source".
 * @param[out] room  Fields that *out points to.
 * @return           false: neither has a source, and nothing is written. */
HS_API bool hs_message_compare_source(const struct hs_message *a, const struct hs_message *b,
                                      struct hs_message_field room[2], struct hs_field_pair *out);

/** Two messages that are not the same: the first difference in one line, with its clause.
 * @param names  What the line calls the sides of @a and @b, such as "A" and "B". */
HS_API void hs_message_difference(const struct hs_message *a, const struct hs_message *b,
                                  const char *const names[2], char *text, size_t size);

/** A rule that a message was sent by. */
struct hs_explanation {
	const struct hs_message_field *field; /**< whose value it is about; NULL: why the message */
	const struct hs_rule *rule;
};

#define HS_EXPLANATIONS (1 + HS_MESSAGE_FIELDS) /**< of a message, at most */

struct hs_protocol;

/** The rules that say why a message was sent, and what the values of its fields mean: that of the
 * message, then those of fields that have one, in their order.
 * @param[out] out  Room for HS_EXPLANATIONS; they point into @m.
 * @return          How many; 0 for a message that no text defines. */
HS_API unsigned hs_message_explain(const struct hs_protocol *protocol, const struct hs_message *m,
                                   struct hs_explanation *out);

/** A kind of what lint finds. */
struct hs_lint_kind {
	const char *name;   /**< such as "ended-while-off" */
	const char *texts;  /**< which texts have the rule, such as "1.0" or "all" */
	const char *clause; /**< what forbids it */
	const char *text;   /**< one line */
	enum hs_severity severity;
};

/** What lint found, ready to be shown. */
struct hs_lint_finding {
	unsigned kind;     /**< for lint_kind */
	uint64_t offset;   /**< of the message, or of the byte */
	uint64_t pc;       /**< where the program stood; 0: the kind needs none */
	const char *field; /**< at fault; NULL: none */
	unsigned bit;      /**< of the payload, where has_bit */
	bool has_bit, has_message;
	struct hs_message message; /**< as far as it could be read */
};

/** Parameters whose trace is worth comparing with others (stat --compare). */
struct hs_variant {
	const char *name;     /**< such as "HTM, implicit return" */
	const char *settings; /**< NAME=VALUE words, separated by spaces; they win over others */
};

/** One protocol: names, and what its parameters are.  A configuration is memory of config_size
 * bytes, aligned as malloc() does. */
struct hs_protocol {
	const char *name; /**< as in --protocol */
	const char *text; /**< one line of text */
	const char *ending; /**< of names of its traces, such as ".nt" */
	const struct hs_param *params;
	unsigned param_count;
	const char *const *ignored; /**< names that files of NAME = VALUE lines may have in addition
	                                 to parameters, NULL at the end; NULL: none */
	/** Names of parameters on which defaults of others depend, NULL at the end; NULL: none. */
	const char *const *leading;
	/** Names of parameters that decide where the fields of messages are, NULL at the end; NULL:
	 * none. */
	const char *const *shaping;

	const struct hs_variant *variants; /**< the first one is without options */
	unsigned variant_count;

	size_t config_size;
	size_t encode_room;        /**< bytes of output that hs_encoder_put() needs at least */
	const struct codec *codec; /**< private: what it does */
};

/** The protocol of a name, or NULL. */
HS_API const struct hs_protocol *hs_protocol_find(const char *name);

/** The protocols by number, NULL after the last. */
HS_API const struct hs_protocol *hs_protocol_at(unsigned index);

struct hs_et_config;

struct hs_et_data_config;

/** The value of parameter number @index; 0 from param_count on. */
HS_API uint64_t hs_protocol_get(const struct hs_protocol *p, const void *config, unsigned index);

/** Write a value as the parameter's word for it, or as digits: hexadecimal after 0x for parameters
 * of 64 bits, which are addresses, otherwise decimal. */
HS_API void hs_protocol_value_text(const struct hs_param *param, uint64_t value, char *text,
                                   size_t size);

/** Set every parameter to its default. */
HS_API void hs_protocol_defaults(const struct hs_protocol *p, void *config);

/** Bits of the fields of what traps and contexts say; 0: there is none, or any value fits. */
struct hs_protocol_fields {
	uint8_t cause_bits, value_bits, context_bits;
	uint8_t modes; /**< bit N: messages can say that a hart is in mode N (HS_PRIV_*) */
};

/** What the parameters of a trace say of its messages and its harts. */
struct hs_protocol_traits {
	struct hs_protocol_fields fields;
	bool timed;        /**< messages, or when they synchronise, depend on time (HS_KIND_TIME) */
	bool ecall_traps;  /**< ecall and ebreak trap without retiring; else blocks say it
	                        (design/nt-dialects) */
	bool only_ecalls;  /**< no exceptions are reported but those of ecall and ebreak */
	bool framed;       /**< the bytes show where messages end, without reading them */
	bool unaligned;    /**< and nothing that pins could align */
	bool has_headers;  /**< packets have headers, which pins align: else MSEO ends messages */
	bool aligned;      /**< these headers have whole bytes: */
	uint8_t src_bytes; /**< of srcID, */
	uint8_t tstamp_bytes; /**< and of the timestamp */
	uint32_t null_run; /**< after so many null bytes a packet begins (EE Synchronization); 0: no
	                        bytes align the framing */
	bool discovers;    /**< messages can describe their encoder */
	bool pulp;         /**< its harts have PULP's instructions */
	/** Code that runs before the program and is in none of its files; NULL: none. */
	const struct hs_image *boot;
	bool has_filters; /**< the parameters describe the encoder's filters: */
	struct hs_filter_support filters;
};

/**
 * Check a configuration.
 * @param[out] traits  What it says, also where it is not good; NULL: not wanted.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_nt_config_check(), hs_et_config_check().
 */
HS_API enum hs_status hs_protocol_check(const struct hs_protocol *p, const void *config,
                                        struct hs_protocol_traits *traits);

/** Take parameters from trace control registers; those that were not read change nothing.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  They are of an encoder of another protocol or version.
 * @retval HS_E_CONFIG       They contradict each other. */
HS_API enum hs_status hs_protocol_take_registers(const struct hs_protocol *p, void *config,
                                                 const struct hs_tc_regs *registers);

/** Give the registers of an encoder its parameters.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  A parameter that the register for it cannot have.
 * @retval HS_E_CONFIG       As hs_protocol_check(). */
HS_API enum hs_status hs_protocol_put_registers(const struct hs_protocol *p, const void *config,
                                                struct hs_tc_regs *registers);

/* ---- encoder ---------------------------------------------------------------------- */

/** An encoder, of one hart. */
struct hs_encoder;

/** @retval HS_OK
 * @retval HS_E_CONFIG  As hs_protocol_check().
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_encoder_new(struct hs_encoder **encoder, const struct hs_protocol *p,
                                     const void *config);
HS_API void hs_encoder_free(struct hs_encoder *encoder); /**< NULL is allowed */

/**
 * Encode blocks and events.
 * @param[out] used  Of @n, those that were taken.
 * @param[out] len   Bytes of @out, also with an error.
 * @retval HS_OK       All were taken.
 * @retval HS_FULL     @out is full: call again with those that are left.
 * @retval HS_E_SPACE  @cap is below encode_room of the protocol.
 * @retval HS_E_BLOCK  in[*used] breaks a rule of blocks (block.h), or is longer than the encoder's
 *                     counter.
 */
HS_API enum hs_status hs_encoder_put(struct hs_encoder *encoder, const struct hs_block *in,
                                     size_t n, size_t *used, uint8_t *out, size_t cap, size_t *len);
/** Encode one block or event into a queue with room for @cap bytes, as hs_nt_encode_port() and
 * hs_et_encode_port() do.
 * @retval HS_E_LOST  It had no room, and is lost.  Others: as hs_encoder_put(). */
HS_API enum hs_status hs_encoder_queue(struct hs_encoder *encoder, const struct hs_block *b,
                                       uint8_t *out, size_t cap, size_t *len);
/** The last message.
 * @retval HS_E_SPACE  @cap is below encode_room. */
HS_API enum hs_status hs_encoder_end(struct hs_encoder *encoder, uint8_t *out, size_t cap,
                                     size_t *len);

/* ---- decoder ---------------------------------------------------------------------- */

/** A decoder, of a stream. */
struct hs_decoder;

/** @param image  The program before the first context.  @param set  Of contexts, or NULL.  Kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The configuration or an image breaks a rule of its header.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_decoder_new(struct hs_decoder **decoder, const struct hs_protocol *p,
                                     const void *config, const struct hs_image *image,
                                     const struct hs_image_set *set);
HS_API void hs_decoder_free(struct hs_decoder *decoder); /**< NULL is allowed */

/** Decode: results are those of hs_nt_decoder_next() and hs_et_decoder_next(). */
HS_API enum hs_status hs_decode(struct hs_decoder *decoder, struct hs_span *in,
                                struct hs_block *out, size_t cap, size_t *n);
/** The stream is over: as hs_nt_decoder_end() and hs_et_decoder_end(). */
HS_API enum hs_status hs_decode_end(struct hs_decoder *decoder, struct hs_block *out, size_t cap,
                                    size_t *n);
/** What a decoder found wrong. */
struct hs_fault {
	enum hs_reason reason;
	uint64_t pc;           /**< where the program stood */
	struct hs_error error; /**< in one line: offset, fields, clause */
};

/** Describe the last error, which was @s. */
HS_API void hs_decoder_diag(const struct hs_decoder *decoder, enum hs_status s,
                            struct hs_fault *fault);

/* ---- messages --------------------------------------------------------------------- */

/** A reader of messages, of a stream. */
struct hs_reader;

/** @retval HS_OK
 * @retval HS_E_CONFIG  As hs_protocol_check().
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_reader_new(struct hs_reader **reader, const struct hs_protocol *p,
                                    const void *config);
HS_API void hs_reader_free(struct hs_reader *reader); /**< NULL is allowed */

/** The next message.
 * @retval HS_OK    *m is one; call again.
 * @retval HS_MORE  @in is used up.
 * Others: the message is damaged, and @m has its offset: HS_E_FRAMING, HS_E_LONG, HS_E_FIELD. */
HS_API enum hs_status hs_reader_next(struct hs_reader *reader, struct hs_span *in,
                                     struct hs_message *m);

/* ---- lint -------------------------------------------------------------------------- */

/** A check of a stream against the rules of its protocol. */
struct hs_lint;

/** Kind number @index of what lint finds.  False: there are no more. */
HS_API bool hs_lint_get_kind(const struct hs_protocol *p, unsigned index, struct hs_lint_kind *out);

/** @param image  As hs_decoder_new() takes it; NULL: only the stream counts.  @param set  Or NULL.
 * @retval HS_OK
 * @retval HS_E_CONFIG       The configuration or an image breaks a rule of its header.
 * @retval HS_E_UNSUPPORTED  No text defines the packets of this configuration.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_lint_new(struct hs_lint **lint, const struct hs_protocol *p,
                                  const void *config, const struct hs_image *image,
                                  const struct hs_image_set *set);
HS_API void hs_lint_free(struct hs_lint *lint); /**< NULL is allowed */

/** The next finding.
 * @retval HS_OK    *out is one; call again.
 * @retval HS_MORE  @in is used up. */
HS_API enum hs_status hs_lint_next(struct hs_lint *lint, struct hs_span *in,
                                   struct hs_lint_finding *out);
/** After the last byte.
 * @retval HS_OK   *out is a finding; call again.
 * @retval HS_END  There are no more. */
HS_API enum hs_status hs_lint_end(struct hs_lint *lint, struct hs_lint_finding *out);

/** Bytes and messages that were read. */
HS_API void hs_lint_counts(const struct hs_lint *lint, uint64_t *bytes, uint64_t *messages);

/* ---- which version of the code ran ------------------------------------------------
 *
 * A capture from hardware does not say when code changed.  Given images of the code in the order of
 * time (struct hs_code_file.moment), a source takes at each place that differs between them, a
 * site, the version that the trace fits.  A site goes from one version to a later one, on each hart
 * for itself.  Where a trace fits more than one version, and they lead different ways, the flow in
 * dispute is left out, with a gap in its place (HS_REASON_VERSIONS).  design/code-versions.
 */

struct hs_code_search;

/** As hs_code_search_change.version: no image has the code, but the first one lists it
 * (design/code-versions). */
#define HS_CODE_PATCHED UINT32_MAX

/** A source took a later version of a site. */
struct hs_code_search_change {
	uint32_t source;
	uint32_t version; /**< image that first has it, 0 is the first one; HS_CODE_PATCHED */
	/** As it is from then on; its bytes live as long as the search. */
	struct hs_section code;
	uint64_t offset; /**< bytes of trace that were decoded by then, or nearly */
	uint64_t blocks; /**< how many blocks the source had retired */
};

/** A site of which the trace did not always say which version ran. */
struct hs_code_search_doubt {
	struct hs_section code; /**< in the first image; its bytes live as long as the search */
	uint64_t disputes;      /**< how often more than one version fitted */
};

/** What was found so far. */
struct hs_code_search_report {
	uint64_t sites;    /**< places that differ between images */
	uint64_t plain;    /**< of them, where all versions lead the same way: not decided */
	uint64_t changes;  /**< sources that took a later version of a site */
	uint64_t disputes; /**< places in the trace where more than one version fits */
	uint64_t unsolved; /**< where no version does */
	uint64_t tries;    /**< pieces of trace that were decoded to compare versions */
};
HS_API void hs_code_search_get_report(const struct hs_code_search *e,
                                      struct hs_code_search_report *out);

/** Change number @i, in the order of the trace.  One of more than 64 KiB has several numbers, one
 * for each part.  False: there are no more. */
HS_API bool hs_code_search_get_change(const struct hs_code_search *e, uint64_t i,
                                      struct hs_code_search_change *out);

/** Number @i of the sites in doubt, in the order of addresses.  False: there are no more. */
HS_API bool hs_code_search_get_doubt(const struct hs_code_search *e, uint64_t i,
                                     struct hs_code_search_doubt *out);

#ifdef __cplusplus
}
#endif
#endif
