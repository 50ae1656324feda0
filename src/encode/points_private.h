/* A set of points, and what the files of this room share.
 *
 * The points of messages, of fields that may be absent and of fields at their limits come from the
 * tables that the codec reads (include/hartscope/tables); values that the texts name, corner cases
 * and rows of the ingress port have small tables of their own (nt_values.def, et_values.def,
 * corners.c, port_points.def).
 */
#ifndef HS_POINTS_PRIVATE_H
#define HS_POINTS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/encode.h>
#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>
#include <hartscope/protocol.h>

#define POINT_NAME 80
#define POINT_CLAUSE 64
#define POINT_SETS 6u /* as many as there are */

enum point_rule {
	POINT_MESSAGE, /* there is such a message */
	POINT_PRESENT, /* it has the field, which may be absent */
	POINT_ABSENT,  /* it does not */
	POINT_MIN,     /* the field has its least value */
	POINT_WIDTH,   /* the field has its top bit set */
	POINT_MAX,     /* all of its bits are */
	POINT_VALUE,   /* some bits of it have a value, in any message */
	POINT_CAUSE,   /* a trap of this cause */
	POINT_CORNER,  /* a sequence or combination */
	POINT_ROW      /* of a row of the ingress port (port.c) */
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
	struct hs_port_config port; /* of the set of the port */
	unsigned before;            /* itype of the group before */
	struct point_stream stream;
	struct point_past *past;
	size_t past_count;
	bool failed; /* no memory */
};

struct hs_points {
	struct points sets[POINT_SETS];
	size_t n;
	struct points *trace; /* of the trace that is counted; NULL: none has begun */
	struct points *port;  /* the same of a port */
};

/* ---- points.c ----------------------------------------------------------------------- */

/* The set of a name, which may be new; NULL, with HS_E_FIELD or HS_E_MEMORY: there is no such set,
 * or no memory. */
struct points *points_find_set(struct hs_points *p, const char *name, enum hs_status *why);
/* Only the first @n sets stay. */
void points_truncate(struct hs_points *p, size_t n);

/* ---- set.c -------------------------------------------------------------------------- */

/* The name of the set of a configuration; "": its protocol has none. */
const char *points_set(const struct hs_protocol *protocol, const void *config);
/* The points of a set, none hit.  HS_E_FIELD: there is no such set.  HS_E_MEMORY. */
enum hs_status points_open(struct points *p, const char *set);
void points_close(struct points *p);
/* Another trace of the same set begins. */
void points_begin(struct points *p, const struct hs_protocol *protocol, const void *config);
/* False: no memory. */
bool points_add(struct points *p, const struct hs_message *m);
size_t points_hit(const struct points *p);
/* A row of the port (port.c). */
void points_add_cycle(struct points *p, const struct hs_port_cycle *c);

/* ---- what the files of points share ----------------------------------------------- */

/* A new point after the others; NULL: no memory, and p->failed is set. */
struct point *points_put(struct points *p, const char *group, enum point_rule rule,
                         const char *clause, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
bool points_ntrace(struct points *p, unsigned dialect);
bool points_etrace(struct points *p, unsigned version);
bool points_port(struct points *p);
/* Bits of the field of @q by the parameters; 0: it has none. */
unsigned points_ntrace_bits(const struct points *p, const struct point *q,
                            const struct hs_message *m);
unsigned points_etrace_bits(const struct points *p, const struct point *q,
                            const struct hs_message *m);
void points_etrace_widths(struct points *p);
void points_ntrace_corners(struct points *p);
void points_etrace_corners(struct points *p);
/* The value of a field of a message.  False: it does not have it. */
bool points_field(const struct hs_message *m, const char *name, uint64_t *value);

#endif
