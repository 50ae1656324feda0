/* What the files of this room share. */
#ifndef HS_ETRACE_RING_RING_H
#define HS_ETRACE_RING_RING_H

#include "etrace/payload.h"

#define ET_RING_NONE UINT64_MAX
/* Places, any of which may begin a packet, and the longest packet after them. */
#define ET_RING_WINDOW (2u * HS_ET_PACKET_MAX)
#define ET_RING_SOURCES 16u
#define ET_RING_PLACES 8u
#define ET_RING_VOTES 64u /* all of enum hs_et_option */

/* Packets with something that most have, or none. */
struct et_ring_count {
	uint64_t packets, flows[4];
	uint64_t longer;  /* than they would have to be */
	uint64_t foreign; /* of no instruction trace */
};

/* Places are distances from an origin, at which a packet begins; so none is near the wrap point. */
struct et_ring {
	struct hs_et_reader reader;
	struct hs_span buffer;
	uint64_t origin;
	unsigned longest;                     /* bytes of the longest packet */
	uint8_t options;                      /* of the parameters */
	struct et_ring_count common;          /* of all packets: one that is unlike them is none */
	struct et_ring_count count;           /* of this walk */
	uint8_t joined[2 * HS_ET_PACKET_MAX]; /* bytes at the end of the buffer and its begin */
};

/* A place that looks like the wrap point: after the packet at @low has begun, and before @high,
 * where another ends, which follows it though it cannot.  Either may be the newest one, which is
 * cut, or what was never written as a packet. */
struct et_ring_place {
	uint64_t low, high;
	uint64_t bad, bad_end; /* the first thing that is no packet, and the end of the last */
	uint8_t evidence;      /* enum hs_ring_evidence */
	uint8_t orders;        /* how many pairs of packets cannot follow each other, by one kind */
	bool joined;           /* of several, between which one pair is: some may be damage */
};

/* What is known of a source up to a packet. */
struct et_ring_source {
	bool used, stopped;
	bool timed[2];
	uint16_t src;
	uint64_t time[2], timed_at[2]; /* timestamp, and the field time */
	uint64_t at;                   /* its last packet */
};

/* From the begin of a packet to the end of another. */
struct et_ring_leap {
	uint64_t low, high;
};

/* A walk around the buffer. */
struct et_ring_walk {
	struct et_ring *g;
	uint64_t at, before; /* before: the last packet that was one */
	struct et_ring_source sources[ET_RING_SOURCES];
	struct et_ring_place places[ET_RING_PLACES];
	unsigned count;
	bool known; /* the index of the packet before */
	/* The first and the last pair of packets between which a time or index goes far forward. */
	struct et_ring_leap leaps[2];
	bool leaping;
	uint32_t votes[ET_RING_VOTES]; /* support packets by their options */
	uint16_t index;
};

enum et_ring_step { ET_RING_END, ET_RING_NULL, ET_RING_PACKET, ET_RING_BAD };

/* Where @d is in a buffer of @n bytes, around which it goes a few times at most: rv32 has no
 * instruction for a 64-bit division. */
static inline uint64_t et_ring_wrap(uint64_t d, uint64_t n)
{
	while (d >= n)
		d -= n;
	return d;
}

/* packets.c: bytes of the packet at @d; 0: there is none.  form HS_ET_FORMS: a null packet. */
unsigned et_ring_packet(struct et_ring *g, uint64_t d, struct hs_et_packet *p);
/* Count what the packet at p->offset has. */
void et_ring_count(struct et_ring *g, const struct hs_et_packet *p);
/* The bytes at @d, at least HS_ET_PACKET_MAX. */
const uint8_t *et_ring_bytes(struct et_ring *g, uint64_t d);
/* Where a packet would end, wherever its bytes come from. */
uint64_t et_ring_claim(struct et_ring *g, uint64_t d);
/* A place at or after @from, where a packet begins whichever byte of the first ones does, or
 * ET_RING_NONE.  It is certain where one of them does. */
uint64_t et_ring_agree(struct et_ring *g, uint64_t from);
/* The next packet of a walk. */
enum et_ring_step et_ring_next(struct et_ring_walk *w, struct hs_et_packet *p);

/* evidence.c: walk around the buffer, and keep the places that look like a wrap point. */
void et_ring_go_round(struct et_ring_walk *w, struct et_ring *g);
/* Is a part of what is from @low to @high in the place? */
bool et_ring_overlaps(const struct et_ring_place *p, uint64_t low, uint64_t high);

#endif
