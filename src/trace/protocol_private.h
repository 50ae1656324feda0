/* Rows of the table of protocols, and what they share. */
#ifndef HS_PROTOCOL_PRIVATE_H
#define HS_PROTOCOL_PRIVATE_H

#include <hartscope/memo.h>
#include <hartscope/private/flow.h>
#include <hartscope/protocol.h>

#include "flow/flow.h"

extern const struct hs_protocol protocol_ntrace, protocol_etrace;

/* The memory that a decoder of any protocol needs. */
struct protocol_memory {
	struct hs_bb_table table;    /* of the program before the first context */
	struct hs_bb_table **tables; /* of the programs of contexts */
	size_t table_count;
	struct program *programs;
	void *blocks, *sources;
	struct hs_memo memo;
	void *runs; /* of the memo */
};

/* Memory for @sources of @size bytes each, and for the basic blocks of the programs.
 * HS_OK, HS_E_MEMORY, or as hs_bb_init(); call protocol_memory_free() after an error, too. */
enum hs_status protocol_memory_new(struct protocol_memory *m, const struct hs_image *image,
                                   const struct hs_image_set *set, size_t sources, size_t size);
/* Memory for messages that are remembered: m->memo.  HS_OK, HS_E_MEMORY. */
enum hs_status protocol_memo_new(struct protocol_memory *m);
void protocol_memory_free(struct protocol_memory *m);

/* Is table @x of @a of the same program as table @y of @b? */
bool protocol_memory_same(const struct protocol_memory *a, const struct hs_bb_table *x,
                          const struct protocol_memory *b, const struct hs_bb_table *y);
/* Make a track, a copy of one of a decoder whose memory is @from, one of @stream, whose memory is
 * @m: it stands at the same place of the same program. */
void protocol_memory_take(struct protocol_memory *m, struct hs_stream *stream,
                          const struct protocol_memory *from, struct hs_track *t);
/* Where @from is between two messages, and whose blocks come next. */
void protocol_stream_take(struct hs_stream *to, const struct hs_stream *from);
/* Do two sources have the same time, apart from what their stands say? */
bool protocol_same_time(const struct hs_track *a, const struct hs_track *b);
/* Do two streams, each between two messages, have as many sources and the same current hart? */
bool protocol_same_stream(const struct hs_stream *a, const struct hs_stream *b);
/* Each of @n counts of @to: less that of @then, and that of @before more. */
void protocol_follow_counts(uint64_t *to, const uint64_t *then, const uint64_t *before, size_t n);

/* The lint of any protocol (lint.c): the first member of what lint_new allocates. */
struct protocol_lint {
	const struct protocol_lint_kind *kind;
	void *own;                      /* struct hs_nt_lint, struct hs_et_lint */
	void *decoder;                  /* of the protocol; NULL without a program */
	struct protocol_memory *memory; /* of the decoder */
	void *fresh;                    /* its state before the first byte, allocated */
	const size_t *count;            /* sources that were met */
	const uint64_t *offset;
	uint64_t *messages;
	void *sources; /* allocated */
};

/* What is known of the lints of a protocol. */
struct protocol_lint_kind {
	const struct hs_protocol *protocol;
	size_t size, own, source, decoded; /* bytes of it, of what is its own, of sources */
	/* Take the configuration and name its parts; @return  bits of SRC. */
	unsigned (*configure)(void *lint, const void *config);
	enum hs_status (*init)(void *lint, size_t sources);
	/* The decoder, in the memory that is made. */
	enum hs_status (*add_program)(void *lint, const struct hs_image_set *set, size_t sources);
	void (*free_program)(void *lint); /* or NULL */
	/* The field with a number, NULL: none; and the current message. */
	const char *(*field)(unsigned field);
	void (*describe)(const void *lint, struct hs_message *out);
	enum hs_status (*next)(void *own, struct hs_span *in, struct hs_finding *out);
	enum hs_status (*end)(void *own, struct hs_finding *out);
	void (*take)(void *own, const void *from, const void *sources);
	void (*begin)(void *own, uint64_t offset);
	bool (*alike)(const void *own, const void *other, const void *sources);
};

enum hs_status protocol_lint_new(void **lint, const struct protocol_lint_kind *k,
                                 const void *config, const struct hs_image *image,
                                 const struct hs_image_set *set);
/* Functions of struct hs_protocol. */
void protocol_lint_free(void *lint);
enum hs_status protocol_lint_next(void *lint, struct hs_span *in, struct hs_lint_finding *out);
enum hs_status protocol_lint_end(void *lint, struct hs_lint_finding *out);
void protocol_lint_counts(const void *lint, uint64_t *bytes, uint64_t *messages);
size_t protocol_lint_state(const void *lint);
void protocol_lint_save(const void *lint, void *state);
void protocol_lint_begin(void *lint, const void *state, uint64_t offset);
bool protocol_lint_alike(const void *lint, const void *other, const void *state);
void protocol_lint_continue(void *lint, const void *other, const void *join, const void *end);

/* Not more than HS_MESSAGE_FIELDS. */
void protocol_add_field(struct hs_message *m, const char *name, const char *clause, uint64_t value,
                        bool address);
/* " NAME=0xVALUE" for each field. */
void protocol_message_text(const struct hs_message *m, char *text, size_t size);

#endif
