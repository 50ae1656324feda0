/* Points of coverage of a trace protocol: what its messages, fields and sequences can be, and how
 * often a trace had each of them (stat --coverage).
 *
 * The points of messages, of fields that may be absent and of fields at their limits come from the
 * tables that the codec reads (include/hartscope/tables); values that the texts name and corner
 * cases have small tables of their own (nt_values.def, et_values.def, points_corners.c).
 */
#ifndef TOOL_POINTS_H
#define TOOL_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>
#include <hartscope/protocol.h>

#define POINT_NAME 80
#define POINT_CLAUSE 64

enum point_rule {
	POINT_MESSAGE, /* there is such a message */
	POINT_PRESENT, /* it has the field, which may be absent */
	POINT_ABSENT,  /* it does not */
	POINT_MIN,     /* the field has its least value */
	POINT_WIDTH,   /* the field has its top bit set */
	POINT_MAX,     /* all of its bits are */
	POINT_VALUE,   /* some bits of it have a value, in any message */
	POINT_CAUSE,   /* a trap of this cause */
	POINT_CORNER   /* a sequence or combination */
};

/* What came before a message, of its source. */
struct point_past {
	uint32_t source;
	uint32_t count;         /* messages before it */
	uint32_t before;        /* code of the one before the last */
	struct hs_message last; /* where count is not 0 */
};

/* What came before it in the whole stream. */
struct point_stream {
	uint64_t end;    /* of the message before */
	uint32_t source; /* of the message before */
	bool any;
};

struct point {
	char name[POINT_NAME];
	char clause[POINT_CLAUSE];
	const char *group, *text; /* text: of corners; else NULL */
	enum point_rule rule;
	uint8_t id;          /* of the field, by its protocol */
	uint8_t shift, bits; /* POINT_VALUE; POINT_CAUSE: bits is 1 for interrupts */
	uint32_t code;       /* of the message */
	const char *message; /* its name, where several have this code */
	const char *field;
	uint64_t value;
	bool (*corner)(const struct point_stream *stream, const struct point_past *past,
	               const struct hs_message *m);
	uint64_t hits;
};

/* The points of one protocol and version. */
struct points {
	const char *set; /* such as "ntrace" */
	struct point *list;
	size_t n, room;
	uint64_t traces, messages;
	/* Of the trace that is counted: */
	struct hs_et_config etrace;
	uint8_t widths[HS_ETF_COUNT]; /* of its fields, where no other field says them */
	uint8_t icnt_bits, hist_bits, repeat_bits, xlen;
	struct point_stream stream;
	struct point_past *past;
	size_t past_count;
	bool failed; /* no memory */
};

/* The set of a configuration, with its points, none hit.  False: no memory. */
bool points_open(struct points *p, const struct hs_protocol *protocol, const void *config);
/* The name of that set. */
const char *points_set(const struct hs_protocol *protocol, const void *config);
/* The points of a set by its name, for counts without a trace.  False: no memory, or there is no
 * such set. */
bool points_open_set(struct points *p, const char *set);
void points_close(struct points *p);
/* Another trace of the same set begins. */
void points_begin(struct points *p, const struct hs_protocol *protocol, const void *config);
void points_add(struct points *p, const struct hs_message *m);
size_t points_hit(const struct points *p);

/* ---- what the files of points share ----------------------------------------------- */

/* A new point after the others; NULL: no memory, and p->failed is set. */
struct point *points_put(struct points *p, const char *group, enum point_rule rule,
                         const char *clause, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
bool nt_points(struct points *p, unsigned dialect);
bool et_points(struct points *p, unsigned version);
/* Bits of the field of @q by the parameters; 0: it has none. */
unsigned nt_point_bits(const struct points *p, const struct point *q, const struct hs_message *m);
unsigned et_point_bits(const struct points *p, const struct point *q, const struct hs_message *m);
void et_point_widths(struct points *p);
void nt_point_corners(struct points *p);
void et_point_corners(struct points *p);
/* The value of a field of a message.  False: it does not have it. */
bool point_field(const struct hs_message *m, const char *name, uint64_t *value);

#endif
