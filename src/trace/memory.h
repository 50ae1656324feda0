/* What the codecs of both protocols share: the memory of decoders, and messages to be shown. */
#ifndef HS_TRACE_MEMORY_H
#define HS_TRACE_MEMORY_H

#include "trace/codec.h"

/* Memory for @sources of @size bytes each, and for the basic blocks of the programs.
 * HS_OK, HS_E_MEMORY, or as hs_bb_init(); call protocol_memory_free() after an error, too. */
enum hs_status protocol_memory_new(struct codec_memory *m, const struct hs_image *image,
                                   const struct hs_image_set *set, size_t sources, size_t size);
/* Those of contexts, for a decoder. */
void protocol_memory_programs(const struct codec_memory *m, const struct hs_image_set *set,
                              struct hs_decoder_options *o);
/* Memory for messages that are remembered: m->memo.  HS_OK, HS_E_MEMORY. */
enum hs_status protocol_memo_new(struct codec_memory *m);
void protocol_memory_free(struct codec_memory *m);

/* Is table @x of @a of the same program as table @y of @b? */
bool protocol_memory_same(const struct codec_memory *a, const struct hs_bb_table *x,
                          const struct codec_memory *b, const struct hs_bb_table *y);
/* Make a track, a copy of one of a decoder whose memory is @from, one of @stream, whose memory is
 * @m: it stands at the same place of the same program. */
void protocol_memory_take(struct codec_memory *m, struct hs_stream *stream,
                          const struct codec_memory *from, struct hs_track *t);
/* Where @from is between two messages, and whose blocks come next. */
void protocol_stream_take(struct hs_stream *to, const struct hs_stream *from);
/* Do two sources have the same time, apart from what their stands say? */
bool protocol_same_time(const struct hs_track *a, const struct hs_track *b);
/* Do two streams, each between two messages, have as many sources and the same current hart? */
bool protocol_same_stream(const struct hs_stream *a, const struct hs_stream *b);
/* Each of @n counts of @to: less that of @then, and that of @before more. */
void protocol_follow_counts(uint64_t *to, const uint64_t *then, const uint64_t *before, size_t n);

/* Not more than HS_MESSAGE_FIELDS. */
void protocol_add_field(struct hs_message *m, const char *name, const char *clause, uint64_t value,
                        bool address);
/* " NAME=0xVALUE" for each field. */
void protocol_message_text(const struct hs_message *m, char *text, size_t size);

#endif
