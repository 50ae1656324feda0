/* Recording what a program or machine executes under QEMU (hartscope record).
 *
 * Threads: one hs_recorder_run() at a time may forward signals; without that, any number of them
 * may run at once, each on its own thread.  The calling thread waits until the program has ended.
 */
#ifndef HARTSCOPE_RECORDER_H
#define HARTSCOPE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to record a program. */
struct hs_recorder_options {
	const char *output;      /**< directory of the recording */
	const char *qemu;        /**< emulator; NULL: qemu-riscv64 or qemu-riscv32 by the ELF */
	const char *plugin;      /**< path of the recorder plugin; NULL: beside the tool, or installed */
	const char *sysroot;     /**< QEMU's -L; NULL: /usr/riscv64-linux-gnu if the program needs it */
	bool exact_faults;       /**< know the instruction of every fault from the first block on */
	bool quiet;              /**< no progress */
	char *const *argv;       /**< program and arguments, NULL at the end; or qemu-system-riscv64
	                              or -riscv32 (any path) and its arguments: a whole machine.
	                              Then only @output, @plugin and @quiet matter */
};

/** How a recorded program ended. */
struct hs_recorder_result {
	int exit_status;       /**< 0..255, or 128 + signal, as a shell reports it */
	uint64_t instructions; /**< retired by all harts, children not counted */
	uint64_t bytes;        /**< on disk */
	uint32_t harts;
	double seconds;
};

/**
 * Run a program under QEMU and record what it executes (hartscope record).
 * Output and exit status are the program's own.
 * @retval HS_OK            The recording is complete, whatever the program's exit status.
 * @retval HS_E_CUT         The program or QEMU was killed, or the disk is full: what was
 *                          recorded can be read.
 * @retval HS_E_UNSUPPORTED Not a RISC-V program.
 * @retval HS_E_SYSTEM      Program, QEMU or plugin not found, or no directory can be made.
 */
HS_API enum hs_status hs_recorder_run(const struct hs_recorder_options *options,
                                      struct hs_recorder_result *result, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
