/* Code that changes while it runs: which runs say so, and when one executes whose bytes are not
 * those that were there (HS_KIND_VERSION).
 *
 * A run is contested when one of its bytes differs in another run at the same address.  A stream
 * that follows versions has a view of the code: what it executed last at each address, at first
 * what the snapshot has.  Only contested runs are compared with it, and those that agree are left
 * alone until the view changes. */
#ifndef HS_RECORDING_VERSIONS_H
#define HS_RECORDING_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/image.h>
#include <hartscope/status.h>

struct hs_rec;

struct rec_versions {
	const struct hs_rec *rec;
	uint64_t *contested; /* bit N: run N */
	uint64_t *pending;   /* the same: it has to be compared with the view */
	uint8_t *view;       /* like the bytes of the snapshot */
};

/* *versions stays NULL where no run is contested. */
enum hs_status rec_versions_new(const struct hs_rec *rec, struct rec_versions **versions);
void rec_versions_free(struct rec_versions *v); /* NULL is allowed */

/* The recording has more runs than before: the same view, of its new snapshot.  @before: the one
 * that it had. */
struct rec_image;
enum hs_status rec_versions_renew(struct rec_versions **v, const struct hs_rec *rec,
                                  const struct rec_image *before);

/* Run @number executes, moved by so much.  True: other bytes were in its place, and now it is in
 * the view. */
bool rec_versions_enter(struct rec_versions *v, uint32_t number, uint64_t by);
/* It has to be compared again, if it is contested: it has another place. */
void rec_versions_again(struct rec_versions *v, uint32_t number);

/* This code is in the view.  False: it is not of the snapshot. */
bool rec_versions_put(struct rec_versions *v, const struct hs_section *code);

static inline bool rec_versions_pending(const struct rec_versions *v, uint32_t number)
{
	return v->pending[number / 64] >> (number % 64) & 1u;
}

/* Does code at one of the run's places ever change? */
static inline bool rec_versions_contests(const struct rec_versions *v, uint32_t number)
{
	return v->contested[number / 64] >> (number % 64) & 1u;
}

#endif
