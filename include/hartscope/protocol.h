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
#include <hartscope/error.h>
#include <hartscope/image.h>
#include <hartscope/memo.h>
#include <hartscope/qualifier.h>
#include <hartscope/reason.h>
#include <hartscope/ring.h>
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

#define HS_MESSAGE_FIELDS 20

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
	uint32_t words[8]; /**< as config_discovery takes them */
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

/**
 * One protocol.  Functions whose results are not listed have those of the functions of the
 * same name in the protocol's header.  A configuration or encoder is memory of the size given here;
 * a decoder or reader is allocated by its _new function and freed by its _free function.
 */
struct hs_protocol {
	const char *name; /**< as in --protocol */
	const char *text; /**< one line of text */
	const struct hs_param *params;
	unsigned param_count;
	const char *const *ignored; /**< names that files of NAME = VALUE lines may have in addition
	                                 to parameters, NULL at the end; NULL: none */

	const struct hs_variant *variants; /**< the first one is without options */
	unsigned variant_count;

	size_t config_size;
	/** Bytes of an encoder, which depend on its parameters; aligned as malloc() does. */
	size_t (*encoder_size)(const void *config);
	size_t encode_room; /**< bytes of output that a call of encode needs at least */
	unsigned source_limit; /**< harts in one stream, at most */
	/** A configuration with every parameter at its default. */
	void (*config_init)(void *config);
	/** Reset all parameters to the defaults that belong to the current values of those in
	 * @leading.  NULL when there are none. */
	void (*config_follow)(void *config);
	/** Names of parameters on which defaults of others depend, NULL at the end; NULL: none. */
	const char *const *leading;
	/** Names of parameters that decide where the fields of messages are, NULL at the end; NULL:
	 * none. */
	const char *const *shaping;
	enum hs_status (*config_check)(const void *config);
	/** Make room for @sources harts, unless a parameter already does.
	 * @retval HS_OK
	 * @retval HS_E_CONFIG  More harts than the protocol or its parameters allow. */
	enum hs_status (*config_sources)(void *config, uint32_t sources);
	/** Take parameters from trace control registers; those that were not read change nothing.
	 * @retval HS_OK
	 * @retval HS_E_UNSUPPORTED  They are of an encoder of another protocol or version.
	 * @retval HS_E_CONFIG  They contradict each other. */
	enum hs_status (*config_registers)(void *config, const struct hs_tc_regs *registers);
	/** Give the registers of an encoder its parameters.  NULL: the protocol has none.
	 * @retval HS_OK
	 * @retval HS_E_UNSUPPORTED  A parameter that the register for it cannot have.
	 * @retval HS_E_CONFIG  As config_check. */
	enum hs_status (*config_to_registers)(const void *config, struct hs_tc_regs *registers);
	/** Take parameters from @count words of the encoder's discovery registers or record; NULL:
	 * the protocol has none.
	 * @retval HS_OK
	 * @retval HS_E_CONFIG  Another number of words than the version has, or contradictions.
	 * @retval HS_E_UNSUPPORTED  The words ask for what the codec has not. */
	enum hs_status (*config_discovery)(void *config, const uint32_t *words, size_t count);
	/** Can messages of this configuration describe their encoder?  NULL: none can. */
	bool (*config_discovers)(const void *config);
	/** Find the first of these among the whole messages of @bytes.  False: there is none. */
	bool (*find_discovery)(const void *config, const struct hs_span *bytes,
	                       struct hs_discovered *out);
	/** Periodic synchronisation as it suits files, for parameters that say nothing about it;
	 * may be NULL. */
	void (*config_sync)(void *config);
	/** The width of addresses that suits the harts of a program, for parameters that say
	 * nothing about it; may be NULL. */
	void (*config_width)(void *config, const struct hs_isa *isa);
	/** Code that runs before the program and is in none of its files; may be NULL, and may
	 * return NULL. */
	const struct hs_image *(*config_boot)(const void *config);
	/** Add the non-standard instructions of the protocol's harts; NULL: none. */
	void (*config_isa)(const void *config, struct hs_isa *isa);
	/** Could the encoder that the parameters describe filter like this?  NULL: any could.
	 * @retval HS_OK  It could, or the parameters do not describe its filters.
	 * @retval HS_E_UNSUPPORTED  They need more than it has. */
	enum hs_status (*config_filters)(const void *config,
	                                 const struct hs_qualifier_config *filters);
	/** Messages end by MSEO, as captures take it: NULL.  Else write the run of null bytes after
	 * which a packet begins (EE Synchronization), 0: no bytes align the framing. */
	void (*config_null_run)(const void *config, uint32_t *null_run);
	/** The seam of a circular buffer: @wp is the write pointer, HS_RING_UNKNOWN: it is found
	 * (ring->found).
	 * @retval HS_OK
	 * @retval HS_E_CONFIG  As config_check.
	 * Not called, and NULL, where messages end by MSEO. */
	enum hs_status (*find_ring)(const void *config, const struct hs_span *buffer, uint64_t wp,
	                            struct hs_ring *ring);
	/** What pins must know of the headers of packets: whole bytes of srcID and timestamp.
	 * False: the framing has none that can be aligned.  NULL: messages end by MSEO. */
	bool (*config_headers)(const void *config, uint8_t *src_bytes, uint8_t *tstamp_bytes);
	/** Do its messages, or when it synchronises, depend on time (HS_KIND_TIME)? */
	bool (*config_is_timed)(const void *config);
	/** Do ecall and ebreak trap without retiring?  NULL: blocks say it (ADR-0066). */
	bool (*config_ecall_traps)(const void *config);
	/** Does it report no exceptions but those of ecall and ebreak?  NULL: it reports all. */
	bool (*config_only_ecalls)(const void *config);
	/** Make the configuration that of hart number @hart. */
	void (*config_hart)(void *config, uint32_t hart);

	enum hs_status (*encoder_init)(void *encoder, const void *config);
	enum hs_status (*encode)(void *encoder, const struct hs_block *in, size_t n, size_t *used,
	                         uint8_t *out, size_t cap, size_t *len);
	enum hs_status (*encode_end)(void *encoder, uint8_t *out, size_t cap, size_t *len);
	/** Encode one block or event into a queue with room for @cap bytes, as hs_nt_encode_port()
	 * and hs_et_encode_port() do. */
	enum hs_status (*encode_port)(void *encoder, const struct hs_block *b, uint8_t *out,
	                              size_t cap, size_t *len);
	/** From the next block on, parameters that are running have the values that they have in
	 * @config; the others hold.  NULL: the protocol has none.
	 * @retval HS_OK
	 * @retval HS_E_CONFIG       The encoder cannot have them together.
	 * @retval HS_E_UNSUPPORTED  No packet could say so. */
	enum hs_status (*encoder_options)(void *encoder, const void *config);
	/** @return  Types written to @out, at most @cap. */
	unsigned (*encoder_counts)(const void *encoder, struct hs_message_count *out, unsigned cap);

	/** @image is the program before the first context, @set those of contexts; both are kept.
	 * @retval HS_OK
	 * @retval HS_E_CONFIG  The configuration or an image breaks a rule of its header.
	 * @retval HS_E_MEMORY */
	enum hs_status (*decoder_new)(void **decoder, const void *config,
	                              const struct hs_image *image, const struct hs_image_set *set);
	/** Code changes: before the first bytes.  @guide is kept, and has the tables. */
	void (*decoder_guide)(void *decoder, const struct hs_code_guide *guide);
	/** What a decoder knows but the programs, to try something and go back: how many bytes it
	 * is, which grows with the sources that were met; a copy of it; and to put it back. */
	size_t (*decoder_state)(const void *decoder);
	void (*decoder_save)(const void *decoder, void *state);
	void (*decoder_restore)(void *decoder, const void *state);
	/** How many blocks are to come, as hs_nt_decoder_place() says where a decoder stands, and
	 * whether the decoder stands where a state was saved. */
	void (*decoder_expect)(void *decoder, uint32_t src, uint64_t blocks);
	bool (*decoder_place)(const void *decoder, uint32_t src, struct hs_code_place *place);
	bool (*decoder_same)(const void *decoder, const void *state, uint32_t src);
	/** The first byte of the stream is at @offset.  Before the first bytes. */
	void (*decoder_begin)(void *decoder, uint64_t offset);
	/** Where the last message of @bytes begins that synchronises, as far as the bytes say,
	 * which begin with a message; bytes->n: none is seen.  A hint: nothing is checked. */
	size_t (*find_sync)(const void *config, const struct hs_span *bytes);
	/** Does @decoder stand where @other stood in @state, so that the same bytes lead both the
	 * same way?  Both took the same last bytes, were made for the same configuration, image and
	 * programs, and have no guide.  No is always safe to say. */
	bool (*decoder_alike)(const void *decoder, const void *other, const void *state);
	/** @decoder stands where @other stood in @join, as decoder_alike says: put it where @other
	 * stood later, in @end, and count what @other decoded in between.  What both remember of
	 * the program stays theirs, so that @other may be decoding something else. */
	void (*decoder_continue)(void *decoder, const void *other, const void *join,
	                         const void *end);
	/** What the decoder remembers of messages; NULL: its parameters do not let it. */
	struct hs_memo *(*decoder_memo)(void *decoder);
	void (*decoder_free)(void *decoder);
	enum hs_status (*decode)(void *decoder, struct hs_span *in, struct hs_block *out,
	                         size_t cap, size_t *count);
	/** Part of the input is missing here, and the next byte begins a message. */
	void (*decoder_lose)(void *decoder);
	enum hs_status (*decode_end)(void *decoder, struct hs_block *out, size_t cap,
	                             size_t *count);
	/** Describe the last error in one line: offset, fields, clause.
	 * @return  Its reason. */
	enum hs_reason (*decoder_diag)(const void *decoder, enum hs_status s,
	                               struct hs_error *error);
	/** Where the program stood at the last error. */
	uint64_t (*decoder_pc)(const void *decoder);
	unsigned (*decoder_counts)(const void *decoder, struct hs_message_count *out, unsigned cap);

	/** @retval HS_OK @retval HS_E_MEMORY */
	enum hs_status (*reader_new)(void **reader, const void *config);
	void (*reader_free)(void *reader);
	/** After a data error @m has the offset of the damaged message. */
	enum hs_status (*read)(void *reader, struct hs_span *in, struct hs_message *m);
	/** Find the fields of @m, which read() returned last with HS_OK, in m->bytes. */
	void (*where)(const void *reader, struct hs_message *m);
	/** @retval HS_OK
	 * @retval HS_E_TRUNCATED  The stream ends inside a message, which begins at *@offset. */
	enum hs_status (*read_end)(const void *reader, uint64_t *offset);

	/** Kind number @index of what lint finds.  False: there are no more. */
	bool (*lint_kind)(unsigned index, struct hs_lint_kind *out);
	/** @image and @set are as decoder_new takes them; @image NULL: look at the stream only.
	 * @retval HS_OK
	 * @retval HS_E_CONFIG  The configuration or an image breaks a rule of its header.
	 * @retval HS_E_UNSUPPORTED  No text defines the packets of this configuration.
	 * @retval HS_E_MEMORY */
	enum hs_status (*lint_new)(void **lint, const void *config, const struct hs_image *image,
	                           const struct hs_image_set *set);
	void (*lint_free)(void *lint);
	/** The next finding.
	 * @retval HS_OK    *out is one; call again.
	 * @retval HS_MORE  @in is used up. */
	enum hs_status (*lint_next)(void *lint, struct hs_span *in, struct hs_lint_finding *out);
	/** After the last byte.
	 * @retval HS_OK   *out is a finding; call again.
	 * @retval HS_END  There are no more. */
	enum hs_status (*lint_end)(void *lint, struct hs_lint_finding *out);
	void (*lint_counts)(const void *lint, uint64_t *bytes, uint64_t *messages);

	/** A rule by its index; NULL: there are no more. */
	const struct hs_rule *(*rule)(unsigned index);

	/** Up to where @bytes, which begin with a message, hold whole messages, as far as their
	 * framing says; 0: no message ends in them.  SIZE_MAX, whatever @bytes are: messages of
	 * this configuration can only be separated by reading them, or mean something else
	 * after others. */
	size_t (*find_end)(const void *config, const struct hs_span *bytes);
	/** The next byte is the first of a message, at offset 0.  Of messages before it the reader
	 * knows what @other knows: what they said of the encoder; NULL: nothing. */
	void (*reader_begin)(void *reader, const void *other);
	/** Are both between messages, and know the same of the encoder? */
	bool (*reader_same)(const void *reader, const void *other);

	/** Several lints that each read a part of a stream.  Where one stands, when all its
	 * findings were given: how many bytes that is, and a copy of it, aligned as malloc()
	 * does. */
	size_t (*lint_state)(const void *lint);
	void (*lint_save)(const void *lint, void *state);
	/** The next byte is at @offset and begins a message; bytes before it are not known.  Of
	 * what does not end at a synchronisation it knows what another one knew in @state.  All
	 * were made for the same configuration, image and programs. */
	void (*lint_begin)(void *lint, const void *state, uint64_t offset);
	/** Does @lint stand where @other stood in @state, so that the same bytes have the same
	 * findings?  Both took the same last bytes.  No is always safe to say. */
	bool (*lint_alike)(const void *lint, const void *other, const void *state);
	/** @lint stands where @other stood in @join, as lint_alike says: put it where @other stood
	 * later, in @end; it counts the messages in between.  @other may be reading another
	 * part. */
	void (*lint_continue)(void *lint, const void *other, const void *join, const void *end);
};

/** The protocol of a name, or NULL. */
HS_API const struct hs_protocol *hs_protocol_find(const char *name);

/** The protocols by number, NULL after the last. */
HS_API const struct hs_protocol *hs_protocol_at(unsigned index);

struct hs_et_config;

struct hs_et_data_config;

/** The value of parameter number @index, below param_count. */
HS_API uint64_t hs_protocol_get(const struct hs_protocol *p, const void *config, unsigned index);

/** Write a value as the parameter's word for it, or as digits: hexadecimal after 0x for parameters
 * of 64 bits, which are addresses, otherwise decimal. */
HS_API void hs_protocol_value_text(const struct hs_param *param, uint64_t value, char *text,
                                   size_t size);

#ifdef __cplusplus
}
#endif
#endif
