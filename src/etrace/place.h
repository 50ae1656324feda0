/* What the packets of a source have in common: where it is, and the events that it writes. */
#ifndef HS_ETRACE_PLACE_H
#define HS_ETRACE_PLACE_H

#include "etrace/source.h"

static inline uint64_t et_field(const struct hs_et_decoder *d, enum hs_et_field f)
{
	return d->packet.field[f];
}

/* A full address of the packet, as bytes. */
static inline uint64_t et_full_address(const struct hs_et_decoder *d, enum hs_et_field f)
{
	return et_times_lsb(&d->config, et_field(d, f)) & et_ones(d->config.iaddress_width);
}

/* The source loses its place: what is wrong. */
enum hs_status et_fail(struct hs_et_source *s, struct flow_fault *f, enum hs_status status, const char *clause,
                       const char *why);
enum hs_status et_path_fail(struct hs_et_source *s, struct flow_fault *f, enum path_stop why);

void et_set_priv(struct hs_et_source *s, uint8_t priv);

/* privilege, time and context of a format 3 packet. */
void et_take_context(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out);

/* The program that the packet at hand names; that of the source if it names none. */
struct hs_bb_table *et_program_of(const struct hs_et_decoder *d, const struct hs_et_source *s);

/* Options change what the walk infers. */
void et_apply_options(const struct hs_et_decoder *d, struct hs_et_source *s);

/* Nothing that came before a synchronising packet tells of what follows it. */
void et_forget(struct hs_et_source *s);

/* The target of a jump goes into the cache (ET Jump target cache mode). */
void et_remember_target(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr);

/* Stand behind the instruction that a synchronising packet names.  @landed: the walk does. */
enum hs_status et_stand_at(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr, bool landed,
                           struct flow_fault *f);

/* Follow the path that the source's path describes. */
enum hs_status et_walk(struct hs_et_source *s, struct flow_out *out, enum path_stop *why, struct flow_fault *f);

/* The path to the second time that an address is met (ET Format 2 updiscon). */
enum hs_status et_again(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out, struct flow_fault *f);

/* Where the handler begins that a trap packet tells of. */
bool et_handler_of(const struct hs_et_decoder *d, uint64_t *addr);

/* The first packet after the trace was off or lost. */
enum hs_status et_start(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out, uint64_t addr,
                        struct flow_fault *f);

/* The packet at hand, by its form. */
enum hs_status et_take_start(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out, struct flow_fault *f);
enum hs_status et_take_trap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out, struct flow_fault *f);
enum hs_status et_take_support(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                               struct flow_fault *f);
enum hs_status et_take_flow(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out, struct flow_fault *f);

/* 0.026: a context packet, which may say what the packet before it named. */
enum hs_status et_draft_context(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                                struct flow_fault *f);

#endif
