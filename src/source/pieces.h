/* A trace in pieces: what is made of each by threads, and joined in order (pieces.c). */
#ifndef HS_SOURCE_PIECES_H
#define HS_SOURCE_PIECES_H

#include <hartscope/source.h>

#include "source/source.h"
#include "trace/trace.h"

/* Bytes of a trace, which begin with a message. */
struct source_piece {
	uint8_t *bytes;
	size_t n;
	uint64_t offset;
	bool last;          /* nothing can be read after it */
	enum hs_status end; /* what reading said after its bytes */
	struct hs_error error;
};

/* What is made of pieces.  Each is a struct of @size bytes that begins with a struct source_piece,
 * and zero at first. */
struct source_pieces_work {
	size_t size;
	size_t bytes; /* of a piece, at most */
	/* False: no memory.  May be NULL. */
	bool (*init)(void *to, void *piece);
	/* How many bytes belong to the piece: the next one begins after them, at a message.  In
	 * order, by the caller's thread, which may prepare the piece. */
	size_t (*cut)(void *to, void *piece);
	/* By any thread, which is below the number of threads. */
	void (*make)(void *to, void *piece, uint32_t thread);
	/* In order, by the caller's thread.  False: no more are wanted. */
	bool (*take)(void *to, void *piece);
	void (*free)(void *to, void *piece);
};

/* All that hs_source_read() gives.  HS_OK, also where @take wanted no more; HS_E_MEMORY. */
enum hs_status source_pieces_run(struct hs_source *source, uint32_t threads,
                                 const struct source_pieces_work *work, void *to);

#endif
