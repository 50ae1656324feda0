/* Flows for debuggers: a server of GDB's remote protocol whose target is a flow.
 *
 * The target runs forwards and backwards over the instructions that a flow has.  Of its registers
 * pc is known, and zero; all others are unavailable, and the server says so.  Memory is the code,
 * and what the program's files have in segments that cannot be written; nothing can be changed.
 * A thread of the target is a hart.  Each is at a place of its own.
 *
 * Monitor commands give the frames of the current thread, and places by number or by name
 * (docs/gdb.md, scripts/gdb/hartscope.py).
 *
 * Threads: a server belongs to one thread at a time, together with its source.
 */
#ifndef HARTSCOPE_GDB_SERVER_H
#define HARTSCOPE_GDB_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/source.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_gdb_server;

/** What to serve. */
struct hs_gdb_server_options {
	uint32_t size;            /**< sizeof(struct hs_gdb_server_options) */
	bool one_hart;            /**< the source was opened for one hart */
	struct hs_source *source; /**< at its start, opened with places and names; kept, and read by
	                               the server only */
	const char *index; /**< path of what is served: NAME.idx next to it is its index, if it
	                        fits (docs/trace-index.md); NULL: none */
	hs_write_fn write;           /**< takes what is sent to the debugger; false: it is gone */
	/** Asked while the target runs: does the debugger want it to stop (a byte 0x03 came)?
	 * NULL: never. */
	bool (*interrupted)(void *context);
	void *context; /**< of all */
	/** An error of @source (the one above, or its source of a hart), whose reason is
	 * hs_source_known(): damage, or what contradicts the program.  Blocks are missing
	 * there, and execution continues after it.  NULL: nobody wants to know. */
	void (*damaged)(void *context, const struct hs_error *error, struct hs_source *source);
};

/**
 * Start.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No source or no program; members that this library lacks.
 * @retval HS_E_NOCODE  The flow has no instruction whose code is known.
 * @retval HS_E_MEMORY
 * Other results as hs_source_get_harts().
 */
HS_API enum hs_status hs_gdb_server_new(const struct hs_gdb_server_options *options,
                                        struct hs_gdb_server **server, struct hs_error *error);
HS_API void hs_gdb_server_free(struct hs_gdb_server *server); /**< NULL is allowed */

/**
 * Take bytes of the debugger, cut anywhere, and answer them.  Memory does not grow with them: a
 * packet has at most 16,384 bytes, and a longer one is refused.
 * @retval HS_OK
 * @retval HS_END       The debugger detached or killed the target.
 * @retval HS_E_SYSTEM  write() failed.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_gdb_server_take(struct hs_gdb_server *server, const uint8_t *bytes,
                                         size_t n);

#ifdef __cplusplus
}
#endif
#endif
