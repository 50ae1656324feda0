/* A trace that several threads decode (design/chunks).
 *
 * The bytes are cut into chunks.  A chunk is decoded from its first byte by a decoder that knows
 * nothing of the ones before; what it gives is of use from a byte on at which it stands where the
 * decoder of the chunk before stands, too.  The caller's thread looks for such a byte, in the order
 * of the chunks, by decoding on into the next one. */
#ifndef HS_SOURCE_PARALLEL_H
#define HS_SOURCE_PARALLEL_H

#include "source/private.h"
#include "source/source.h"

#define CHUNK_JOINS 12u
#define CHUNK_ERRORS 64u /* a chunk with more is left to the caller's thread */

/* A byte of a chunk at which its decoder may stand where another one stands. */
struct chunk_join {
	size_t in;   /* bytes of the chunk before it */
	size_t item; /* items that were written before it */
	size_t error;
	size_t path; /* those that were counted before it */
	void *state;
};

/* A decoder, and its state before it has read anything. */
struct chunk_decoder {
	struct hs_decoder *decoder;
	void *fresh;
	struct chunk_counter
		*counter; /* of the paths that it finds; NULL: it writes their blocks */
	void *worker;                  /* that takes a share of the work; NULL: there is none */
};

/* A path that was counted in a chunk, before its item @item. */
struct chunk_path {
	struct counted_path *path;
	uint64_t times;
	size_t item;
};

/* Items after the last place where a chunk may be joined (source_share()). */
struct chunk_share {
	void *share; /* NULL: there was none yet */
	size_t items;
	bool begun; /* one of them is no gap */
};

/* An error of the decoder. */
struct chunk_error {
	size_t item; /* items that were written before it, and shares */
	unsigned share;
	enum hs_status status;
	struct hs_fault fault;
};

enum chunk_state { CHUNK_NONE, CHUNK_CUT, CHUNK_RUNNING, CHUNK_DONE };

struct chunk {
	enum chunk_state state;
	uint8_t *bytes;
	size_t n;
	uint64_t offset; /* of the first byte in the trace */
	bool last;
	enum hs_status end; /* what reading more bytes said, of the last one */
	struct hs_error end_error;
	struct chunk_decoder by; /* of a thread */
	struct hs_block *items;
	size_t count, cap;
	struct chunk_error *errors;
	size_t error_count;
	struct {
		struct chunk_path *paths;
		size_t path_count, path_cap;
	} counted;
	struct {
		struct chunk_share shares[CHUNK_ERRORS + 1];
		unsigned share_count;
		size_t shared;   /* items in all shares */
		bool shares_now; /* items go to shares, and to the last one of them: @shares_open */
		bool shares_open;
	} apart;
	struct chunk_join joins[CHUNK_JOINS];
	unsigned join_count;
	void *after;    /* where its decoder stood after the last byte */
	unsigned syncs; /* synchronisations in which joins are looked for */
	bool early;     /* and only in the first part of the chunk, where that has one */
	bool failed; /* no memory, or too many items: nothing in it is of use */
};

/* A decoder for chunks of a source, which has read nothing.  False: no memory. */
bool source_chunk_decoder(const struct hs_source *s, struct chunk_decoder *d);
/* Keep the state of a decoder that has read nothing. */
bool source_chunk_keep_fresh(struct chunk_decoder *d);
/* Give it what it needs to count paths, or for a share of the work.  False: no memory. */
bool source_chunk_equip(const struct source_trace *t, struct chunk_decoder *d);
void source_chunk_free_decoder(const struct source_trace *t, struct chunk_decoder *d);
/* count.c: paths that are counted (design/counting). */
/* Let a decoder for chunks count paths, as hs_memo_pass_times() says.  False: no memory. */
bool source_chunk_count(struct chunk_decoder *d, bool pass_times);
/* From now on its paths are those of a chunk; NULL: of none. */
void source_chunk_count_for(struct chunk_decoder *d, struct chunk *c);
/* The chunk has all that was counted so far. */
void source_chunk_count_flush(const struct chunk_decoder *d);
void source_chunk_free_counter(struct chunk_counter *counter); /* NULL is allowed */
/* Sums of paths of all chunks, on the caller's thread. */
struct counted_sums {
	struct counted_path **paths;
	size_t count, cap;
};
/* Add a path; without memory it is given at once. */
void source_sums_add(struct counted_sums *s, const struct chunk_path *path,
                     const struct source_trace *t);
/* Give what was added to the caller. */
void source_sums_give(struct counted_sums *s, const struct source_trace *t);
/* Decode a chunk, which has its bytes and its decoder, at its start. */
void source_chunk_run(const struct source_trace *t, struct chunk *c);
/* Free what a chunk gave, but not its decoder. */
void source_chunk_clear(const struct source_trace *t, struct chunk *c);
void source_chunk_free(const struct source_trace *t, struct chunk *c);

#endif
