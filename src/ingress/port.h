/* What the files of the ingress port share. */
#ifndef HS_PORT_PORT_H
#define HS_PORT_PORT_H

#include <hartscope/port.h>

/* For the widths in ingress.def: bits above @from, at most 64; bits of data in the unified
 * form; bits of a signal of the split one; bits that a number below @n needs. */
#define HS_PORT_ABOVE(width, from) \
	((width) <= (from) ? 0 : (width) - (from) < 64 ? (width) - (from) : 64)
#define HS_PORT_UNIFIED(c) ((c)->accesses && !(c)->split ? (c)->data_width : 0)
#define HS_PORT_SPLIT(c, bits) ((c)->accesses && (c)->split ? (bits) : 0)
#define HS_PORT_BLOCK_BITS(n) ((n) > 4 ? 3 : (n) > 2 ? 2 : (n) > 1 ? 1 : 0)

/* hs_port_signal_width() and hs_port_signal_count() for a configuration that is resolved. */
unsigned port_signal_width(const struct hs_port_config *c, unsigned number);
unsigned port_signal_count(const struct hs_port_config *c, unsigned number);

/* The signals of @in that mean something; all others are 0.  Returns the slots up to the last one
 * that has a value, at least 1. */
unsigned port_defined(const struct hs_port_config *c, const struct hs_port_cycle *in,
                      struct hs_port_cycle *out);

/* Is a cycle legal?  HS_OK, HS_FULL (the queue of fetched instructions), HS_E_FIELD, HS_E_BLOCK.
 * @slots: as port_defined() found. */
enum hs_status port_check(struct hs_port *p, const struct hs_port_cycle *c, unsigned slots);

/* The bits of @u are not known, and 0 in @c: refuse the cycle where they say what ran, else leave
 * out what they would have said.  HS_OK, HS_E_UNKNOWN. */
enum hs_status port_settle(struct hs_port *p, struct hs_port_cycle *c,
                           const struct hs_port_cycle *u);

/* hs_port.down.  A later one outdoes those before it. */
enum { PORT_WAITS = 1, PORT_SECURED = 2, PORT_HALTED = 3, PORT_RESET = 4 };

/* trcstate (RHTI Trace State). */
enum { TRCSTATE_DEBUG = 1, TRCSTATE_SECURITY = 2, TRCSTATE_WAIT = 3 };

/* Record why a cycle is refused, if nothing was recorded before; returns @status.
 * @signal is -1 when it is about no signal. */
enum hs_status port_fault(struct hs_port *p, enum hs_status status, const char *clause,
                          const char *why, int signal, unsigned slot);

/* ---- check.c: groups of the block form ---- */

/* Half-words that retired in a slot of the block form, and those of the last instruction. */
uint32_t port_hwords(const struct hs_port_config *c, const struct hs_port_slot *s);
uint32_t port_last(const struct hs_port_config *c, const struct hs_port_slot *s);

/* ---- port.c: what comes before an instruction ---- */

/* trcstate as it was before a cycle. */
uint64_t port_trcstate(const struct hs_port *p);

/* Notes that wait in hs_port.pending; bit PORT_USER0 << N: word N of user. */
enum { PORT_OFF = 1, PORT_ON = 2, PORT_NOTIFY = 4, PORT_USER0 = 8 };

/* priv of the port (ET Privilege level encoding; PT leaves the values open) to that of blocks. */
uint8_t port_privilege(const struct hs_port *p, uint64_t priv);

/* Report the notes that wait, before the instruction at @iaddr. */
void port_note(struct hs_port *p, uint64_t iaddr, struct hs_blocks *out);

/* Report what a cycle says next to the instruction, or trap, at @iaddr: notes, context, time. */
void port_begin(struct hs_port *p, const struct hs_port_cycle *c, const struct hs_port_slot *s,
                uint64_t iaddr, struct hs_blocks *out);

/* ---- insn_form.c, block_form.c: slot @i of a legal cycle ---- */

enum hs_status port_insn_slot(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                              struct hs_blocks *out);
enum hs_status port_block_slot(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                               struct hs_blocks *out);
/* Queue what was fetched in a cycle, and drop what was retracted. */
void port_fetch(struct hs_port *p, const struct hs_port_cycle *c);

/* ---- port_data.c: accesses of the block form ---- */

/* The data signals of @in that mean something; all others are 0.  @return  Is there an access? */
bool port_define_data(const struct hs_port_config *c, const struct hs_port_cycle *in,
                      struct hs_port_cycle *out);
/* Is there an access of the block in @slot? */
bool port_has_access(const struct hs_port_config *c, const struct hs_port_cycle *cycle,
                     unsigned slot);
enum hs_status port_check_data(struct hs_port *p, const struct hs_port_cycle *c);
/* Leave out accesses of which @u says that they are not known, and values. */
void port_settle_data(struct hs_port *p, struct hs_port_cycle *c, const struct hs_port_cycle *u);
/* Report the accesses of the block in @slot, whose instructions are in the open block. */
void port_put_accesses(struct hs_port *p, const struct hs_port_cycle *c, unsigned slot,
                       struct hs_blocks *out);
/* The same where nothing retires: their instruction comes later. */
void port_put_early(struct hs_port *p, const struct hs_port_cycle *c, unsigned slot,
                    struct hs_blocks *out);
void port_put_responses(struct hs_port *p, const struct hs_port_cycle *c, struct hs_blocks *out);

#endif
