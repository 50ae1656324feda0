/* What the files of the DPI library share. */
#ifndef HARTSCOPE_DPI_PRIVATE_H
#define HARTSCOPE_DPI_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include <hartscope/port.h>
#include <hartscope/program.h>
#include <hartscope/protocol.h>
#include <hartscope/status.h>
#include <hartscope/trace_params.h>
#include <hartscope/transport.h>

#include "hartscope_dpi.h"

#define BLOCKS (4 * HS_PORT_ROOM) /* of the port that the encoder has not taken yet */
#define ENDED 128                 /* groups that ended a block, of which the block is to come */
#define ROOM 4096                 /* for what one block or event makes */
#define TEXT 2048
#define BITS_BYTES 32 /* that a call takes as bits */

/* What the parameters of hs_dpi_open() say. */
struct settings {
	struct hs_trace_params *params; /* NULL without protocol */
	struct hs_program *program;
	struct hs_port_config port;
	struct hs_queue_config queue;
};

/* A row of the port: what a message goes back to. */
struct row {
	uint64_t cycle, iaddr;
	uint32_t slot, iretire, itype;
	bool lost; /* hs_dpi_no_room() */
};

/* Bytes in the order of a stream: those from @base on are kept. */
struct bytes {
	uint8_t *at;
	size_t n, cap;
	uint64_t base;
};

/* Where in the stream the messages of a row begin. */
struct mark {
	uint64_t offset;
	struct row row;
};

struct marks {
	struct mark *at;
	size_t n, cap;
};

struct model {
	struct settings set;
	const struct hs_protocol *protocol; /* NULL: only the port */
	struct hs_encoder *encoder;
	struct hs_port port;
	struct hs_port_cycle cycle; /* signals of the row that is being given */

	/* hs_dpi_follow() */
	struct model *leader; /* whose port this model uses; NULL: its own */
	struct model
		*followers; /* those that use this one's, and the next one of the same leader */
	struct model *next;
	enum hs_status result; /* of the leader's last row */
	bool closed;           /* by its owner, but not by its followers */
	bool flushed;          /* the port */

	struct hs_block at[BLOCKS];
	struct hs_blocks blocks;
	size_t taken; /* of blocks, by the encoder */
	struct hs_queue queue;
	uint64_t now;
	/* hs_dpi_no_room() */
	uint32_t no_room; /* slots of the next row */
	bool in_block;    /* the last group did not end its block */
	bool losing;      /* the block that the last group belongs to */

	struct row ended[ENDED]; /* groups that ended a block */
	uint32_t first, pending; /* of ended */
	struct row row;          /* of the block that the encoder has now */
	struct bytes want;       /* what the encoder made */
	struct marks marks;      /* where in want */
	char fault[TEXT];
	struct coverage *coverage; /* hs_dpi_cover(); NULL: none is kept */

	/* hs_dpi_message() */
	struct hs_reader *reader;
	struct hs_message message;
	uint64_t read; /* bytes of want */
	char text[TEXT];

	/* hs_dpi_compare_blocks(): NULL: bytes are compared */
	void *decoder;
	struct marks steps;   /* blocks of the port that are not compared yet; their numbers */
	uint64_t blocks_made; /* blocks that the encoder was given */
	struct row found;     /* the design's next block, if have_found */
	bool have_found;

	/* hs_dpi_compare() */
	struct bytes got;
	struct marks got_marks;
	uint64_t equal; /* bytes */
	bool differs;
	char difference[TEXT];
};

/* ---- settings.c ---- */

/* hs_dpi_error() */
enum hs_status dpi_fail(const struct hs_error *e);

/* Read the parameters.  False: hs_dpi_error() has the reason, and nothing is kept. */
bool settings_read(struct settings *s, const char *protocol, const char *parameters);
void settings_free(struct settings *s);
const struct hs_image *settings_image(const struct settings *s);

/* ---- decoder.c ---- */

/* A decoder for settings that outlive it; hs_dpi_decoder_close() it.  NULL: hs_dpi_error() says
 * why. */
void *decoder_open(const struct settings *s);

/* ---- blocks.c ---- */

/* Compare what the design's bytes lead to with the blocks of the port, as far as both are known.
 * @ended: no more comes. */
enum hs_status blocks_compare(struct model *m, bool ended);

/* ---- coverage.c ---- */

/* Count what the row that @port's model is taking reaches; what the messages so far do. */
void coverage_row(struct model *m, const struct model *port);
enum hs_status coverage_messages(struct model *m); /* HS_OK, HS_E_MEMORY */
void coverage_free(struct model *m);

/* ---- stream.c ---- */

/* Append; false: no memory. */
bool bytes_put(struct bytes *b, const uint8_t *from, size_t n);
/* Append bytes as hs_dpi_compare() takes them. */
bool bytes_put_bits(struct bytes *b, const uint32_t *bits, int n);
/* The bytes from @offset on, which are kept. */
struct hs_span bytes_from(const struct bytes *b, uint64_t offset);
/* Forget what is before @offset. */
void bytes_drop(struct bytes *b, uint64_t offset);
bool marks_put(struct marks *m, uint64_t offset, const struct row *row);
/* The last one that is not after @offset; NULL: there is none. */
const struct mark *marks_find(const struct marks *m, uint64_t offset);
/* Forget all before that one. */
void marks_drop(struct marks *m, uint64_t offset);

#endif
