/* What the files of this room share. */
#ifndef HS_DEVICE_DEVICE_H
#define HS_DEVICE_DEVICE_H

#include <hartscope/control.h>

/* etrace.c: its user is a struct hs_dev_etrace. */
extern const struct hs_tc_codec dev_etrace_codec;

/* ---- tables.c ---- */

/* Set a field of a register's first instance, which is known from then on. */
void tc_put(struct hs_tc_regs *r, unsigned component, unsigned field, uint32_t value);

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

/* ---- trace_device.h ---- */

/**
 * The trace that comes here has packets of the encapsulation; as hs_dev_node_set_packets(), and a
 * sink sends sequences of synchronisation, @run null.idle and a null.alignment (EE
 * Synchronization), between what encoders made of their blocks: each 2^(n+6) bytes where n is its
 * trRamAsyncFreq, trPibAsyncFreq or trAtbBridgeAsyncFreq, never where that is 0.  Parallel pins
 * also begin with one, and end idle with a null.alignment.
 * @param run  hs_et_null_run() of the encoder with the largest; at most HS_DEV_NULLS.
 */
void hs_dev_node_set_nulls(struct hs_dev_node *n, uint32_t run);

/** The trace that comes here has packets in place of messages with MSEO: pins are idle at 0, and a
 * Manchester frame is what the encoder made of one block. */
void hs_dev_node_set_packets(struct hs_dev_node *n, bool packets);

/** Whole messages arrive from elsewhere, at an input of a funnel or at a sink (0).
 * @param[in,out] in  Moved past what was taken.
 * @return  All of it was. */
bool hs_dev_put(struct hs_dev_node *n, unsigned input, struct hs_span *in);

/** What waits in encoders is sent, one after the other in turn, as far as there is room. */
void hs_dev_poll(struct hs_dev *d);

/** Registers to what they say of an E-Trace encoder (ET Control); other members stay.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  trTeFormat is not 0, or hs_tc_is_supported() refuses the encoder.
 * @retval HS_E_CONFIG       trTeSrcBits is above 12, or as hs_et_config_check(). */
enum hs_status hs_dev_et_config(const struct hs_tc_regs *r, struct hs_et_config *config);

/** The same of its data trace: what trTeDataNoValue, trTeDataNoAddr and trTeDataAddrCompress say.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  trTeDataImplemented is 0, or trTeDataAddrCompress is 1: no packet has
 *                           an address as an exclusive or (ET Load and Store).
 * @retval HS_E_CONFIG       The registers have a width that no packet has. */
enum hs_status hs_dev_et_data_config(const struct hs_tc_regs *r, struct hs_et_data_config *config);

/* ---- control.h ---- */

/** Would the RAM sink take trace that comes in through funnel input @input now? */
bool hs_tc_accepts(const struct hs_tc *tc, unsigned input);

/**
 * Trace arrives at a funnel input (at the RAM sink itself when there is no funnel).  Input 0 is
 * this model's encoder; others are free.
 * @param[in,out] in  Moved past the bytes that were taken; those of a disabled input are taken and
 *                    dropped.
 * @retval true   All bytes were taken.
 * @retval false  The way is not enabled, or the RAM sink stopped because its buffer is full or the
 *                bus refused; the last message in memory may be incomplete (TCI 7).
 */
bool hs_tc_put(struct hs_tc *tc, unsigned input, struct hs_span *in);

/** Read a register.  0 for what is reserved, not there, in reset, or not 4-byte aligned. */
uint32_t hs_tc_read(struct hs_tc *tc, unsigned component, uint32_t offset);

/** Write a register; ignored for what reads 0. */
void hs_tc_write(struct hs_tc *tc, unsigned component, uint32_t offset, uint32_t value);

/** Is instruction trace being generated: trTeActive, trTeEnable, trTeInstTracing, and a mode? */
bool hs_tc_tracing(const struct hs_tc *tc);

/** A debug trigger fires with an action, which is ignored where the registers do not allow it.
 * @return  True when a trace message for HS_TC_TRACE_NOTIFY is due. */
bool hs_tc_trigger(struct hs_tc *tc, enum hs_tc_action action);

/** External trigger input 0..7 fires: it does what trTeTrigExtInControl says.
 * @return  As hs_tc_trigger(). */
bool hs_tc_trigger_in(struct hs_tc *tc, unsigned input);

/** External trigger outputs that fired since the last call, bit n for output n. */
unsigned hs_tc_triggers_out(struct hs_tc *tc);

/** Timestamp that messages of the encoder get: its own, or the funnel's in mode Shared. */
uint64_t hs_tc_time(const struct hs_tc *tc);

/**
 * Access a pair of registers whose names end in Low and High as one of 64 bits.
 * @retval HS_OK
 * @retval HS_E_ARG  No such pair begins at @offset, or it is not 8-byte aligned.
 */
enum hs_status hs_tc_read64(struct hs_tc *tc, unsigned component, uint32_t offset, uint64_t *value);

enum hs_status hs_tc_write64(struct hs_tc *tc, unsigned component, uint32_t offset, uint64_t value);

/**
 * Find a register, or a field, by the specification's name.
 *
 * @param component    Where trTs registers are looked for: HS_TC_ENCODER or HS_TC_FUNNEL.
 * @param[out] field   The field, HS_TCF_COUNT when the name is a register's.  A field of a register
 *                     with instances belongs to instance 0.
 * @retval true
 * @retval false  No such name; the outputs are as they were.
 */
bool hs_tc_find(const char *name, size_t length, unsigned component, struct hs_tc_place *place,
                unsigned *field);

/**
 * Power up: every component is in reset.
 *
 * @param undef  Fields that the text leaves undefined at power-up (Undef) start with these bits,
 *               made legal: drivers that rely on a reset are found with another value than 0.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The profile breaks its rules, or a limit is not within the table; its size
 *                      is wrong, or bytes past the struct are not zero.
 * @retval HS_E_SPACE   The profile has SRAM and memory->sram_size is below it, or SMEM without ops.
 */
enum hs_status hs_tc_init(struct hs_tc *tc, const struct hs_tc_profile *profile,
                          const struct hs_tc_memory *memory, uint32_t undef);

/** Are a component's registers those of this text?  True also where tr??Impl was not read. */
bool hs_tc_is_supported(const struct hs_tc_regs *r, unsigned component);

/**
 * The profiles that come with the library, by number, NULL after the last:
 * "full": what this library's N-Trace encoder can do, with all filters and comparators, a funnel,
 * SRAM of 4 KiB and SMEM, a pin interface and an ATB bridge;
 * "etrace": the same with its E-Trace encoder;
 * "minimal": what TCI 11.1 and NT Table 7 ask for at least, HTM, SRAM of 4 KiB, no funnel;
 * "minimal-smem": the same with 64 KiB at a fixed address of system memory.
 */
const struct hs_tc_profile *hs_tc_profile_at(unsigned index);

/**
 * Registers to filters: trTeInstFilters, trTeDataFilters, trTeFilter, trTeComp (TCI 6.3).  What was
 * not read changes nothing.  Filters of trTeInstFilters or trTeDataFilters of which none is enabled
 * let nothing through.
 * @param[in,out] config  Initialised by the caller (size set).
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  A filter of instructions asks for dtype, dsize or daddr; nothing was
 *                           changed.
 * @retval HS_E_CONFIG       The config's size is not right (qualifier.h).
 */
enum hs_status hs_tc_filters(const struct hs_tc_regs *r, struct hs_qualifier_config *config);

/**
 * Registers to the parameters of a stream (NT Table 7).  For a register that was not read the
 * parameter keeps its value, so that other sources can give it.
 *
 * @param[in,out] config  Initialised by the caller (size set).
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  hs_tc_is_supported() refuses the encoder; trTeFormat is not 1,
 *                           trTeProtocolMajor is not 1, or trTeInstMode is neither 0, 3 nor 6;
 *                           nothing was changed.
 * @retval HS_E_CONFIG       trTeSrcBits is above 12, or the config's size is not right
 *                           (nt_config.h); nothing was changed.
 */
enum hs_status hs_tc_nt_config(const struct hs_tc_regs *r, struct hs_nt_config *config);

/**
 * Parameters of a stream to registers (NT Table 7), which become known.
 * @retval HS_OK
 * @retval HS_E_UNSUPPORTED  trTeInstSyncMode cannot say what is counted; nothing was changed.
 * @retval HS_E_CONFIG       As hs_nt_config_check(); nothing was changed.
 */
enum hs_status hs_tc_set_nt_config(struct hs_tc_regs *r, const struct hs_nt_config *config);

#endif
