/* Signals that end a command that must first remove something. */
#ifndef TOOL_INTERRUPT_H
#define TOOL_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are only noted; the second one ends the process.  Calls
 * that wait are interrupted. */
void interrupt_watch(void);
bool interrupted(void);
/* End by the signal that was noted, where there was one. */
void interrupt_end(void);

/* Block these signals until interrupt_release(); *before is the mask to restore. */
void interrupt_hold(sigset_t *before);
void interrupt_release(const sigset_t *before);

#endif
