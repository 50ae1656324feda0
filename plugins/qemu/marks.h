/* Marks: where a recording begins and ends (hs_recorder_options.from and .to).
 *
 * Without marks everything is recorded.  Before the first mark and after the last one translations
 * have no probes but those that look for it, so that the emulator runs at its own speed; when a
 * mark is hit the plugin has QEMU drop all translations, which it does before any other one is
 * executed by the hart that hit it.
 *
 * Arguments of the plugin: from=KIND:VALUE:COUNT and to=..., KIND a (address), l (as the program's
 * file has it), i (instruction) or e (a7 of an ecall), numbers in hexadecimal; code=VALUE:OFFSET,
 * where the program's lowest code is, as its file has it, and program=PATH, which file that is. */
#ifndef PLUGIN_MARKS_H
#define PLUGIN_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plugin_marks_state { MARKS_BEFORE, MARKS_ON, MARKS_AFTER };
extern enum plugin_marks_state plugin_marks_state;

static inline bool plugin_recording(void)
{
	return __atomic_load_n(&plugin_marks_state, __ATOMIC_RELAXED) == MARKS_ON;
}

/* False: it is no argument of marks, or not well-formed. */
bool plugin_marks_argument(const char *argument);
/* Is there a mark with an address as the program's file has it?  Then where the segment with the
 * program's lowest code was loaded is looked for once; @base: of the guest's memory in the
 * emulator's.  (qemu_plugin_start_code() would say it, but QEMU 10.0 does not export it.) */
void plugin_marks_place(uint64_t base);

bool plugin_marks_next(void); /* is there one? */
/* Is there a next mark, and may it be this instruction?  Addresses are compared in their low
 * @bits. */
enum plugin_mark { MARK_NONE, MARK_ADDRESS, MARK_INSN, MARK_ECALL };
enum plugin_mark plugin_mark_of(uint64_t address, unsigned bits, uint32_t insn, size_t size);
/* The value of the next mark: an address, or an ecall's a7. */
uint64_t plugin_mark_value(void);
/* The next mark was reached.  True: as often as it has to be, and the state is the next one. */
bool plugin_mark_hit(enum plugin_marks_state now);

#endif
