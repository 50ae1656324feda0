/* What packets of all forms need: where a source stands, and the events that it writes. */
#ifndef HS_ETRACE_PLACE_H
#define HS_ETRACE_PLACE_H

#include "etrace/source.h"

static inline uint64_t et_field(const struct hs_et_decoder *d, enum hs_et_field f)
{
	return d->packet.field[f];
}

/* An address of the program, from the iaddress_width bits that packets have of it. */
static inline uint64_t et_extend(const struct hs_et_decoder *d, uint64_t addr)
{
	return (((addr & et_ones(d->config.iaddress_width)) ^ d->sign) - d->sign) & d->most;
}

/* A full address of the packet, as bytes. */
static inline uint64_t et_full_address(const struct hs_et_decoder *d, enum hs_et_field f)
{
	return et_extend(d, et_times_lsb(&d->config, et_field(d, f)));
}

/* The source loses synchronisation: record why. */
enum hs_status et_fail(struct hs_et_decoder *d, struct hs_et_source *s, enum hs_reason reason);

/* The same for a path that could not be followed. */
enum hs_status et_path_fail(struct hs_et_decoder *d, struct hs_et_source *s, enum path_stop why);

/* The source is in the privilege of the current packet. */
void et_follow_priv(const struct hs_et_decoder *d, struct hs_et_source *s);

/* privilege, time and context of a format 3 packet. */
void et_apply_context(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* The program that the current packet names; that of the source if it names none. */
struct hs_bb_table *et_program_of(struct hs_et_decoder *d, const struct hs_et_source *s);

/* Options change what the walk infers. */
void et_apply_options(const struct hs_et_decoder *d, struct hs_et_source *s);

/* Forget what is void after a synchronising packet: everything, or with resync_disabled what does
 * not go on (ET Decoder, design/et-standard). */
void et_forget(const struct hs_et_decoder *d, struct hs_et_source *s);

/* Keep the target of a jump in the cache (ET Jump target cache mode). */
void et_remember_target(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr);

/* Synchronise: stand after the instruction at @addr, which the packet names.  False: no code
 * there. */
bool et_try_sync(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr);

/* With hs_stream.all_syncs: an event of a source that was synchronised at @addr. */
void et_put_synced(const struct hs_et_decoder *d, const struct hs_et_source *s,
                   struct flow_out *out, uint64_t addr);

/* Synchronise where the flow goes on; no code is a fault. */
enum hs_status et_sync_at(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                          uint64_t addr);

/* Synchronise where the walk stands already: after the instruction at @addr. */
void et_sync_here(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr);

/* map_ahead: the same on the way there, or where the walk stands: branches that are known stay. */
void et_sync_on_way(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr);

/* Follow the source's path. */
enum hs_status et_walk(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                       enum path_stop *why);

/* Follow the path to the next time that it meets the reported address (ET Format 2 updiscon). */
enum hs_status et_walk_again(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* Does a packet of format 0, 1 or 2 have an address? */
bool et_has_address(const struct hs_et_decoder *d);

/* That address; false: the jump target cache does not have it. */
bool et_reported_address(const struct hs_et_decoder *d, const struct hs_et_source *s,
                         uint64_t *addr);

/* Is the packet for the trap only, with the address where it struck (ET Format 3 thaddr)? */
bool et_gives_trap_only(const struct hs_et_decoder *d);

/* The address of the handler, by a trap packet; false: it is not known. */
bool et_handler_of(const struct hs_et_decoder *d, uint64_t *addr);

/* Start at @addr, by the first packet after the trace was off or lost.  False: no code there. */
bool et_start(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out, uint64_t addr);

/* Follow the current packet, by its form. */
enum hs_status et_follow_start(struct hs_et_decoder *d, struct hs_et_source *s,
                               struct flow_out *out);
enum hs_status et_follow_trap(struct hs_et_decoder *d, struct hs_et_source *s,
                              struct flow_out *out);
enum hs_status et_follow_support(struct hs_et_decoder *d, struct hs_et_source *s,
                                 struct flow_out *out);
enum hs_status et_follow_flow(struct hs_et_decoder *d, struct hs_et_source *s,
                              struct flow_out *out);

/* 0.026: a context packet, which may say what the packet before it named. */
enum hs_status et_draft_context(struct hs_et_decoder *d, struct hs_et_source *s,
                                struct flow_out *out);

/* The same of an encoder whose addresses are those of arrivals (arrive.c).  Of a trap: the flow to
 * the instruction that did not retire. */
enum hs_status et_arrive_start(struct hs_et_decoder *d, struct hs_et_source *s,
                               struct flow_out *out);
enum hs_status et_arrive_flow(struct hs_et_decoder *d, struct hs_et_source *s,
                              struct flow_out *out);
enum hs_status et_arrive_trap(struct hs_et_decoder *d, struct hs_et_source *s,
                              struct flow_out *out);
/* The current packet says where the flow is, which was not followed there. */
void et_arrive_pass(struct hs_et_decoder *d, struct hs_et_source *s);

#endif
