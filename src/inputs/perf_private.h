/* What the files of perf.data share.  All numbers in the file are little-endian. */
#ifndef HS_PERF_DATA_PRIVATE_H
#define HS_PERF_DATA_PRIVATE_H

#include <hartscope/capture.h>

#include "inputs/perf_data.h"
#include "support/grow.h"

typedef unsigned long long ull; /* for printf */

#define PERF_RECORD_MAX 65536u /* sizes of records have 16 bits */
#define PERF_WINDOW (1u << 20)

/* Bits of perf_event_attr's flags. */
#define PERF_SAMPLE_ID_ALL (UINT64_C(1) << 18)

/* What of an attribute (struct perf_event_attr) says how records end. */
struct perf_attr {
	uint64_t sample_type, flags;
};

/* An event's id, and its attribute. */
struct perf_id {
	uint64_t id;
	size_t attr;
};

/* An AUXTRACE record: bytes of a buffer. */
struct perf_piece {
	uint32_t cpu, tid, index;
	uint64_t at, size; /* in the file */
	uint64_t offset;   /* in the buffer */
};

/* An AUX record: the kernel's word about bytes of a buffer. */
struct perf_aux {
	uint32_t cpu, tid; /* HS_PERF_NONE: not known */
	uint64_t offset, size, flags, time, at;
};

/* Bytes of a lane that follow each other, in the file and in the buffer. */
struct perf_extent {
	uint64_t at, size, offset;
	uint64_t before; /* bytes of the lane */
	const char *gap; /* why bytes before it are missing; NULL: none are */
	bool inside;     /* it may begin inside a message */
	uint8_t id;      /* of frames: the source that is named where it begins */
};

/* Up to which byte of its buffer a lane was stored by then. */
struct perf_moment {
	uint64_t time, offset;
};

struct perf_frames;

struct perf_lane {
	struct hs_perf_lane info;
	struct perf_frames *frames; /* NULL: its bytes are those of the file */
	struct perf_extent *extents;
	size_t count, room;
	struct perf_moment *moments;
	size_t moment_count;
	const char *end_gap; /* bytes after the last one are missing */
	const char *torn;    /* bytes before the first one may be, in a memory that wraps */
	size_t next;         /* extent that is read next */
	uint64_t used;       /* bytes of it that were given */
	bool reported;       /* its gap */
};

struct hs_perf {
	char *name;
	int fd; /* -1: in memory */
	struct hs_span memory;
	uint64_t size;       /* of the file */
	uint64_t begin, end; /* of its records */
	uint64_t next;       /* record that is read next */
	bool cut;            /* the header promises more than the file has */
	bool damage_told;
	enum perf_form form;
	struct hs_perf_info info;
	struct hs_perf_cpu *cpus;
	struct {
		struct perf_attr *attrs;
		size_t attr_count, attr_room;
		struct perf_id *ids;
		size_t id_count, id_room;
		bool ids_sorted;
	} events;
	struct perf_piece *pieces;
	size_t piece_count, piece_room;
	struct perf_aux *aux;
	size_t aux_count, aux_room;
	struct perf_lane *lanes;
	size_t lane_count;
	uint8_t *window;
	uint64_t window_at;
	size_t window_n;
	uint8_t text[PERF_RECORD_MAX + 1]; /* of the current record, terminated */
};

/* input.c: @n bytes (at most PERF_RECORD_MAX) at @at, valid until the next call; NULL: the file
 * does not have them, or cannot be read. */
const uint8_t *perf_bytes(struct hs_perf *p, uint64_t at, size_t n);
/* Bytes as they are. HS_OK: *n may be less, at the end. */
enum hs_status perf_read_at(struct hs_perf *p, uint64_t at, uint8_t *out, size_t want, size_t *n,
                            struct hs_error *error);

static inline uint64_t perf_number(const uint8_t *b, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)b[i] << 8 * i;
	return v;
}

/* attrs.c */
/* Of the header's sections: @attrs at an offset with @size bytes, entries of @each bytes. */
enum hs_status perf_read_attrs(struct hs_perf *p, uint64_t at, uint64_t size, uint64_t each,
                               struct hs_error *error);
/* A HEADER_ATTR record: an attribute and its ids.  HS_OK, HS_E_FORMAT or HS_E_MEMORY. */
enum hs_status perf_add_attr_record(struct hs_perf *p, const struct hs_span *body);
/* The attribute that says how a record with this last word ends; NULL: there is none. */
const struct perf_attr *perf_attr_of(struct hs_perf *p, uint64_t last);

/* What follows the numbers of a record (perf.def). */
enum perf_tail { PERF_NONE, PERF_TEXT, PERF_POKE, PERF_BYTES };

/* A number of struct hs_perf_event: where it is, how many bytes it has there and in the file;
 * member 0: nowhere. */
struct perf_field {
	uint16_t offset;
	uint8_t member, wire;
};

struct perf_row {
	uint32_t number;
	const char *name;
	const struct perf_field *fields; /* wire 0 ends them */
	enum perf_tail tail;
};

/* records.c: the row of a type, or NULL. */
const struct perf_row *perf_find_row(uint32_t type);
uint64_t perf_get_member(const struct hs_perf_event *e, const struct perf_field *f);
/* The record at p->next.  HS_OK, HS_END, HS_E_FORMAT or HS_E_TRUNCATED. */
enum hs_status perf_read_record(struct hs_perf *p, struct hs_perf_event *e, struct hs_error *error);

/* lanes.c: make lanes of the pieces. HS_OK, HS_E_SYSTEM or HS_E_MEMORY. */
enum hs_status perf_make_lanes(struct hs_perf *p, struct hs_error *error);
void perf_free_lanes(struct hs_perf *p);
/* False: there is no memory. */
bool perf_add_extent(struct perf_lane *l, const struct perf_extent *e);

/* repeats.c: leave out what AUX records, in their order, repeat.  False: there is no memory. */
bool perf_drop_repeats(struct hs_perf *p, struct perf_lane *l, const struct perf_aux *aux,
                       size_t n);

/* frames.c: where buffers are of CoreSight frames, a lane for each source in each of them.  HS_OK,
 * HS_E_SYSTEM or HS_E_MEMORY. */
enum hs_status perf_split_frames(struct hs_perf *p);
/* Of a lane with frames, as hs_perf_read(); HS_E_LOST: *gap. */
enum hs_status perf_read_frames(struct hs_perf *p, struct perf_lane *l, uint8_t *out, size_t cap,
                                size_t *n, struct hs_perf_gap *gap);
void perf_rewind_frames(struct perf_lane *l);
/* The offset of the frame with byte @bytes of the source. */
uint64_t perf_frames_offset(struct hs_perf *p, const struct perf_lane *l, uint64_t bytes);

#endif
