/* What the files of the ingress port share. */
#ifndef HS_PORT_RULES_H
#define HS_PORT_RULES_H

#include <hartscope/port.h>

/* hs_port_signal_width() for a configuration that is resolved. */
unsigned port_signal_width(const struct hs_port_config *c, unsigned number);

/* The signals of @in that mean something; all others are 0. */
void port_defined(const struct hs_port_config *c, const struct hs_port_cycle *in,
                      struct hs_port_cycle *out);

/* Is a cycle legal?  HS_OK, HS_FULL (the queue of fetched instructions), HS_E_FIELD, HS_E_BLOCK. */
enum hs_status port_check(struct hs_port *p, const struct hs_port_cycle *c);

/* Keep the first reason; @status comes back. */
enum hs_status port_fault(struct hs_port *p, enum hs_status status, const char *clause,
                              const char *why, int signal, unsigned slot);

/* Half-words that retired in a slot of the block form, and those of the last instruction. */
uint32_t port_hwords(const struct hs_port_config *c, const struct hs_port_slot *s);
uint32_t port_last(const struct hs_port_config *c, const struct hs_port_slot *s);

#endif
