/* What the files of this room share. */
#ifndef HS_DEVICE_DEVICE_H
#define HS_DEVICE_DEVICE_H

#include <hartscope/trace_device.h>

/* etrace.c: its user is a struct hs_dev_etrace. */
extern const struct hs_tc_codec dev_etrace_codec;

/* ---- node.c ---- */

/* tr??Control; 0 while the component is not active. */
uint32_t dev_control(const struct hs_dev_node *n);
enum hs_status dev_connect(struct hs_dev_link *links, uint8_t *count, struct hs_dev_node *to,
                           unsigned input);
bool dev_accepts(const struct hs_dev_node *n, unsigned input);
bool dev_links_accept(const struct hs_dev_link *links, unsigned count);
/* Is all of the way enabled, so that what has no room now will have some? */
bool dev_links_wait(const struct hs_dev_link *links, unsigned count);
size_t dev_room(const struct hs_dev_node *n, unsigned input, const struct hs_span *in);
void dev_put(struct hs_dev_node *n, unsigned input, struct hs_span *in);
/* Give @in to all outputs, as much as all of them take; in moves past it. */
void dev_put_links(const struct hs_dev_link *links, unsigned count, struct hs_span *in);

/* ---- pins.c ---- */

/* Registers were written. */
void dev_pins_written(struct hs_dev_node *n);
/* Is there room for messages, after some are gone (TCI 4.1, hysteresis)? */
bool dev_pins_accept(const struct hs_dev_node *n);
/* Are they in use for trace? */
bool dev_pins_take_input(const struct hs_dev_node *n);
/* Bytes of whole messages of @in for which there is room. */
size_t dev_pins_room(const struct hs_dev_node *n, const struct hs_span *in);
void dev_pins_put(struct hs_dev_node *n, struct hs_span *in);
/* One sample leaves. */
void dev_pins_shift(struct hs_dev_node *n);
/* Clocks of a sample. */
uint64_t dev_pins_clocks(const struct hs_dev_node *n);

#endif
