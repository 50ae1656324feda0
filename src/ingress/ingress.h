/* The ingress port and its filters, for the other rooms: each file of this one includes what it
 * needs. */
#ifndef HS_INGRESS_INGRESS_H
#define HS_INGRESS_INGRESS_H

#include <hartscope/block.h>
#include <hartscope/ingress.h>
#include <hartscope/port.h>

#include "ingress/filter.h"
#include "ingress/port.h"

/**
 * Are two blocks the same instructions with the same end?
 *
 * Compares iaddr, iretire, ilast and itype, and priv where both know it.  Events are
 * the same when every field is; of traps, too, priv counts only where both know it.
 */
bool hs_block_same(const struct hs_block *a, const struct hs_block *b);

/* ---- qualifier.h ---- */

/**
 * Let through what is traced.  Where trace goes off, HS_KIND_STOP follows with EVCODE 4
 * (NT Table 23); where it goes on again, the next block follows without an event.
 *
 * @param in, n       Blocks and events of one hart, in order; HS_KIND_TRAP has the causes.
 * @param[out] used   Entries taken.
 * @param out, cap    Room for at least HS_QUALIFIER_ROOM entries.
 * @param[out] count  Entries written.
 * @retval HS_OK      All were taken.
 * @retval HS_FULL    Call again with in + *used and more room; part of a block may be done.
 * @retval HS_E_SPACE cap is below HS_QUALIFIER_ROOM.
 */
enum hs_status hs_qualify(struct hs_qualifier *q, const struct hs_block *in, size_t n, size_t *used,
                          struct hs_block *out, size_t cap, size_t *count);

/**
 * Start a qualifier.
 *
 * @param config  What is traced; copied.
 * @param image   The code, to find the instructions of a block where a comparator's result changes
 *                inside it; kept.  NULL: the first address of a block decides for all of it.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A number is out of its range; the size is wrong, or bytes past the struct
 *                      are not zero.
 */
enum hs_status hs_qualifier_init(struct hs_qualifier *q, const struct hs_qualifier_config *config,
                                 const struct hs_image *image);

/** Say which hart the blocks are of, for filters by hart; events (HS_KIND_HART) do the same. */
void hs_qualifier_set_hart(struct hs_qualifier *q, uint32_t hart);

/**
 * Set one thing: a row of qualifier_names.def, such as "comparator.0.value" or
 * "filter.2.privilege". A filter counts once its enable is 1.
 * @param value  A number, decimal or with 0x, a word, or a list of them with commas, as the row
 *               says.
 * @retval HS_OK
 * @retval HS_E_ARG     There is no such name.
 * @retval HS_E_FORMAT  The value is not one that the name can have.
 * @retval HS_E_CONFIG  The size of @config is wrong, or too small for what is set, or bytes past
 *                      the struct are not zero.
 */
enum hs_status hs_qualifier_set(struct hs_qualifier_config *config, const char *name,
                                const char *value);

/**
 * Could a device do what a configuration asks for?
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  It does not have a filter or comparator, or cannot filter on an input.
 * @retval HS_E_CONFIG       The size of a struct is wrong, or bytes past it are not zero.
 */
enum hs_status hs_qualifier_supported(const struct hs_qualifier_config *config,
                                      const struct hs_filter_support *support);

/** A trigger fired: from the next block on trace is on, or off, or a watchpoint is reported.  The
 * notes of a port (HS_NOTE_TRIGGER, HS_NOTE_USER in block.h) do the same at their place, and are
 * not passed on. */
void hs_qualifier_trigger(struct hs_qualifier *q, enum hs_trigger action);

/* ---- ingress.h ---- */

/**
 * Start at time 0.
 * @param config  NULL: each instruction takes a cycle.
 * @param image   The code; kept.  Where it has none, two half-words count as an instruction.
 * @retval HS_OK
 * @retval HS_E_CONFIG  config->size is not right, or unknown members are not zero.
 */
enum hs_status hs_clock_init(struct hs_clock *c, const struct hs_clock_config *config,
                             const struct hs_image *image);

/**
 * Copy blocks and events of one hart, with a HS_KIND_TIME (itype HS_CLOCK_TIME) before each block:
 * the cycle in which its last instruction retires.  After a HS_KIND_TIME in @in there are no others
 * than those of @in.
 * @param[out] used   Items taken.
 * @param cap         At least 2.
 * @param[out] count  Items written.
 * @retval HS_OK    All were taken.
 * @retval HS_FULL  Call again with in + used and more room.
 */
enum hs_status hs_clock_run(struct hs_clock *c, const struct hs_block *in, size_t n, size_t *used,
                            struct hs_block *out, size_t cap, size_t *count);

const char *hs_clock_kind_text(unsigned kind);

/* ---- port.h ---- */

/**
 * @param image  The program: where instructions end, and their opcodes.  Kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_port_config_resolve(); the image is empty.
 */
enum hs_status hs_port_driver_init(struct hs_port_driver *d, const struct hs_port_config *config,
                                   const struct hs_image *image);

/**
 * Make the next cycle.
 *
 * @param in, n       Canonical blocks and their events.  A block of itype 1 or 2 and its
 *                    HS_KIND_TRAP, if it has one, come in the same call; without one the
 *                    cause is that of the instruction (hs_block_exception_cause()).
 * @param[out] used   Entries that are done; call again with the others until all are.
 * @param[out] cycle  What the core drives.
 *
 * @retval HS_OK
 * @retval HS_END       @n is 0.
 * @retval HS_E_NOCODE  The image has no code for in[*used], or it ends inside an instruction: skip
 *                      it.
 */
enum hs_status hs_port_drive(struct hs_port_driver *d, const struct hs_block *in, size_t n,
                             size_t *used, struct hs_port_cycle *cycle);

/** The names of a port's signals, joined by commas, with a line end.
 * @return  Characters written to @out, which has HS_PORT_LINE; 0 when hs_port_config_resolve()
 *          refuses @c. */
size_t hs_port_header(const struct hs_port_config *c, char *out);

/** Their values in a cycle, in the same order. */
size_t hs_port_row(const struct hs_port_config *c, const struct hs_port_cycle *cycle, char *out);

/** Its width in bits in a port; 0: this port does not have it, or hs_port_config_resolve() refuses
 * it. */
unsigned hs_port_signal_width(const struct hs_port_config *c, unsigned number);

/** How many a cycle of a port has of it: one for each slot, access or cycle; 0: none. */
unsigned hs_port_signal_count(const struct hs_port_config *c, unsigned number);

/** Its value in a cycle; 0 when there is no such signal or slot. */
uint64_t hs_port_get(const struct hs_port_cycle *cycle, unsigned number, unsigned slot);

/**
 * The same where bits of signals are not known, as x and z of a simulation.  In a slot that was not
 * driven yet nothing retires.  After that a bit that says what ran makes the cycle HS_E_UNKNOWN:
 * whether something retired, an address, the bits of an opcode that its instruction has, a size, a
 * context; of cycles in a row in which it is not known whether something retired the first one.  A
 * trap whose cause is not known has no HS_KIND_TRAP, a mode is HS_PRIV_UNKNOWN, tval 0; sideband,
 * time, halted and reset stay as they were.
 * @param unknown  1 for each such bit, which is 0 in @cycle; NULL: all are known.
 */
enum hs_status hs_port_clock_unknown(struct hs_port *p, const struct hs_port_cycle *cycle,
                                     const struct hs_port_cycle *unknown, struct hs_blocks *out);

#endif
