/* Does a store-conditional or a compare-and-swap of a program store?
 *
 * QEMU says that it loads and stores whenever its address is the reserved one, and compares after
 * that.  From version 2 on the registers say address and value before it, and rd at the next
 * instruction whether it stored.  In version 1, and where rd is x0 or no next instruction is in the
 * block, it is what QEMU does: it stores where memory has what lr loaded, which is compared before
 * the instruction; another thread may store after that.
 *
 * A compare-and-swap loads and stores always, for QEMU.  From version 2 on the registers say what
 * it compares and stores, and rd at the next instruction what it has loaded; where there is none,
 * memory before the store does, while the program has one thread.  In version 1 it is a swap where
 * the values before and after differ, else a load and a store. */
#ifndef PLUGIN_CONDITIONAL_H
#define PLUGIN_CONDITIONAL_H

#include "access.h"
#include "api.h"

typedef void (*conditional_push_fn)(unsigned vcpu, const struct hs_access *a);

/* Called from the callback of a vcpu that begins. */
void conditional_open(unsigned xlen);
/* @base: of the guest's memory in the emulator's.  @values: accesses have them. */
void conditional_place(uint64_t base, bool values);
/* An lr has loaded. */
void conditional_reserve(const struct hs_access *a);
/* An sc accesses @a, as QEMU says it. */
void conditional_access(const struct hs_access *a);
/* Put the probes before and after an sc.  @next: the instruction after it, NULL: none.  @push
 * writes its access: a store, or that it failed. */
void conditional_instrument(struct qemu_plugin_insn *insn, uint32_t bits,
                            struct qemu_plugin_insn *next, conditional_push_fn push);

/* An amocas accesses @a, as QEMU says it: a load, then a store. */
void conditional_compare(unsigned vcpu, const struct hs_access *a);
/* Put the probes before and after an amocas, as conditional_instrument(). */
void conditional_instrument_compare(struct qemu_plugin_insn *insn, uint32_t bits,
                                    struct qemu_plugin_insn *next, conditional_push_fn push);

#endif
