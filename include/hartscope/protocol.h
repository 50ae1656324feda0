/* Trace protocols behind one table: parameters by name, encoder, decoder, messages.
 *
 * The tool and other programs that take the protocol's name from a person use this.
 * Who knows the protocol when the program is written uses its own header (ntrace.h).
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
#include <hartscope/qualifier.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter of a protocol, as --set NAME=VALUE gives it. */
struct hs_param {
	const char *name;  /**< the specification's where it has one */
	const char *help;  /**< one line */
	const char *words; /**< names of values, such as "btm=3 htm=6"; NULL: numbers alone */
	uint64_t max;      /**< largest value; the protocol's own check may refuse more */
	uint16_t offset;   /**< private */
	uint16_t width;    /**< private */
};

#define HS_MESSAGE_FIELDS 20

/** A field of a message, for people. */
struct hs_message_field {
	const char *name;
	const char *clause;
	uint64_t value;
	bool address; /**< better shown in hexadecimal */
};

/** A message, for people. */
struct hs_message {
	uint64_t offset; /**< of its first byte */
	uint32_t length; /**< bytes */
	uint32_t code;   /**< TCODE or the like */
	uint32_t source; /**< SRC */
	bool has_source;
	const char *name, *clause;
	unsigned count;
	struct hs_message_field field[HS_MESSAGE_FIELDS];
};

/** How many messages of one type there were. */
struct hs_message_count {
	const char *name;
	uint64_t messages, bytes;
};

/** Parameters whose trace is worth comparing with others (stat --compare). */
struct hs_variant {
	const char *name;     /**< for people, such as "HTM, implicit return" */
	const char *settings; /**< NAME=VALUE words, a space between; they win over what people set */
};

/**
 * One protocol.  Functions whose results are not listed have those of the functions of the
 * same name in the protocol's header.  A config, encoder, decoder or reader is memory of
 * the size given here, or comes from new and goes to free.
 */
struct hs_protocol {
	const char *name; /**< as in --protocol */
	const char *text; /**< one line for people */
	const struct hs_param *params;
	unsigned param_count;
	const char *const *ignored; /**< names that files of NAME = VALUE lines may have beside parameters,
	                                 NULL at the end; NULL: none */

	const struct hs_variant *variants; /**< the first is the one without options */
	unsigned variant_count;

	size_t config_size, encoder_size;
	size_t encode_room; /**< bytes of output that a call of encode needs at least */
	unsigned source_limit; /**< most harts in one stream */
	/** A config with every parameter at its default. */
	void (*config_init)(void *config);
	/** What other parameters are by default when these are as they are now; NULL: nothing depends.
	 * Called after the parameters in @leading were set and before all others are. */
	void (*config_follow)(void *config);
	const char *const *leading; /**< names, NULL at the end */
	enum hs_status (*config_check)(const void *config);
	/** Make room for @sources harts, unless a parameter already does; HS_E_CONFIG if it cannot. */
	enum hs_status (*config_sources)(void *config, uint32_t sources);
	/** Take parameters from trace control registers; those that were not read change nothing.
	 * @retval HS_OK
	 * @retval HS_E_UNSUPPORTED  They are of an encoder of another protocol or version.
	 * @retval HS_E_CONFIG  As hs_tc_nt_config(). */
	enum hs_status (*config_registers)(void *config, const struct hs_tc_regs *registers);
	/** Periodic synchronisation as it suits files, where nobody said anything of it; may be NULL. */
	void (*config_sync)(void *config);
	/** Code that runs before the program and is in none of its files; NULL, or it may return NULL. */
	const struct hs_image *(*config_boot)(const void *config);
	/** Instructions beyond the standard ones that its harts have; NULL: none. */
	void (*config_isa)(const void *config, struct hs_isa *isa);
	/** Could the encoder that the parameters describe filter like this?  NULL: any could.
	 * @retval HS_OK  It could, or nobody described its filters.
	 * @retval HS_E_UNSUPPORTED  As hs_qualifier_supported(). */
	enum hs_status (*config_filters)(const void *config, const struct hs_qualifier_config *filters);
	/** The config of one hart of several. */
	void (*config_hart)(void *config, uint32_t hart);

	enum hs_status (*encoder_init)(void *encoder, const void *config);
	enum hs_status (*encode)(void *encoder, const struct hs_block *in, size_t n, size_t *used,
	                         uint8_t *out, size_t cap, size_t *len);
	enum hs_status (*encode_end)(void *encoder, uint8_t *out, size_t cap, size_t *len);
	/** @return how many types were written to @out (at most @cap). */
	unsigned (*encoder_counts)(const void *encoder, struct hs_message_count *out, unsigned cap);

	/** @image is the program before the first context, @set those of contexts; both are kept.
	 * @retval HS_OK @retval HS_E_CONFIG @retval HS_E_MEMORY */
	enum hs_status (*decoder_new)(void **decoder, const void *config,
	                              const struct hs_image *image, const struct hs_image_set *set);
	void (*decoder_free)(void *decoder);
	/** Takes from *@bytes and moves it, and *@n, past what it took. */
	enum hs_status (*decode)(void *decoder, const uint8_t **bytes, size_t *n,
	                         struct hs_block *out, size_t cap, size_t *count);
	enum hs_status (*decode_end)(void *decoder, struct hs_block *out, size_t cap, size_t *count);
	/** One line on the last error: offset, fields, clause. */
	void (*decoder_diag)(const void *decoder, enum hs_status s, struct hs_error *error);
	unsigned (*decoder_counts)(const void *decoder, struct hs_message_count *out, unsigned cap);

	/** @retval HS_OK @retval HS_E_MEMORY */
	enum hs_status (*reader_new)(void **reader, const void *config);
	void (*reader_free)(void *reader);
	/** With a data error @m tells the offset. */
	enum hs_status (*read)(void *reader, const uint8_t **bytes, size_t *n, struct hs_message *m);
	/** HS_E_TRUNCATED when the stream ends inside a message; @offset is where that begins. */
	enum hs_status (*read_end)(const void *reader, uint64_t *offset);
};

/** The protocol of a name, or NULL. */
HS_API const struct hs_protocol *hs_protocol_find(const char *name);

/** The protocols by number, NULL after the last. */
HS_API const struct hs_protocol *hs_protocol_at(unsigned index);

/**
 * Set one parameter.  Values are decimal, 0x hexadecimal, or a word of the parameter.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such name, or not a value of it; @error says which there are.
 */
HS_API enum hs_status hs_protocol_set(const struct hs_protocol *p, void *config, const char *name,
                                      const char *value, struct hs_error *error);

/** The value of parameter @index in a config. */
HS_API uint64_t hs_protocol_get(const struct hs_protocol *p, const void *config, unsigned index);

/** The word for a value of a parameter into @text, or its digits: hexadecimal behind 0x where values have
 * 64 bits, which are addresses, else decimal. */
HS_API void hs_protocol_value_text(const struct hs_param *param, uint64_t value, char *text,
                                   size_t size);

#ifdef __cplusplus
}
#endif
#endif
