/* Points of coverage: what the messages of a trace protocol, and rows of the ingress port, can be,
 * and how often each of them came.
 *
 * A set of points is that of a protocol and version ("ntrace", "etrace", "etrace-0.026",
 * "etrace-fast", "ntrace-sifive"), or of the ingress port ("port").  It does not depend on
 * parameters, so that counts of runs with different ones add up.  Points come from the tables that
 * the codecs read: each message, each field that may be absent, each field at its limits, values
 * with a name, and corner cases of a few messages (design/rtl).
 *
 * Threads: an object belongs to one thread at a time; two of them share nothing.
 */
#ifndef HARTSCOPE_POINTS_H
#define HARTSCOPE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/port.h>
#include <hartscope/protocol.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Counts of any number of sets. */
struct hs_points;

/** A set that has counts.  The name lives as long as the program. */
struct hs_points_set {
	const char *name;
	uint64_t traces;   /**< streams of messages, or runs of a port */
	uint64_t messages; /**< of these traces; of the port: cycles */
	size_t count;      /**< of its points */
	size_t hit;        /**< those of them that came at least once */
};

/** A point.  Strings live until hs_points_free(). */
struct hs_point {
	const char *group;  /**< such as "message" or "corner" */
	const char *name;   /**< such as "message.Ownership": unique in its set */
	const char *clause; /**< such as "NT 7.1" */
	const char *text;   /**< of corner cases, a sentence; else NULL */
	uint64_t hits;
	bool begins_group; /**< it is the first of its group, whose points need not be in a row */
};

/** @retval HS_OK  *out is new, without a set; free it with hs_points_free().
 *  @retval HS_E_MEMORY  Out of memory. */
HS_STATIC enum hs_status hs_points_new(struct hs_points **out);
HS_STATIC void hs_points_free(struct hs_points *p); /**< NULL is allowed */

/**
 * A trace begins: the messages that follow have these parameters, and no past.
 * @retval HS_OK        Its set is there, if only with points that were not hit.
 * @retval HS_E_FIELD   There are no points of this protocol.
 * @retval HS_E_MEMORY  Out of memory.
 */
HS_STATIC enum hs_status hs_points_begin(struct hs_points *p, const struct hs_protocol *protocol,
                                         const void *config);
/**
 * The next message of that trace, as hs_protocol's readers and hs_source_message() give it.
 * @retval HS_OK
 * @retval HS_E_ARG     No trace has begun.
 * @retval HS_E_MEMORY  Out of memory: it is not counted.
 */
HS_STATIC enum hs_status hs_points_add(struct hs_points *p, const struct hs_message *m);

/**
 * A run of a port begins; the set is "port".
 * @param config  Resolved, as struct hs_port has it; copied.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Out of memory.
 */
HS_STATIC enum hs_status hs_points_begin_port(struct hs_points *p,
                                              const struct hs_port_config *config);
/**
 * The next row that hs_port_clock() accepted.
 * @retval HS_OK
 * @retval HS_E_ARG  No run has begun.
 */
HS_STATIC enum hs_status hs_points_add_cycle(struct hs_points *p, const struct hs_port_cycle *c);

/** How many sets there are, in the order in which they came. */
HS_STATIC size_t hs_points_sets(const struct hs_points *p);
/** @return  false: there is no set @set; *out is unchanged. */
HS_STATIC bool hs_points_get_set(const struct hs_points *p, size_t set, struct hs_points_set *out);
/** @return  false: set @set has no point @i; *out is unchanged. */
HS_STATIC bool hs_points_get(const struct hs_points *p, size_t set, size_t i, struct hs_point *out);

/**
 * Add the counts of a file: what hs_points_write() wrote, or `hartscope stat --coverage --json`
 * printed.  Sets that were not there come after the others.
 *
 * @retval HS_OK
 * @retval HS_E_FORMAT  It is no file of counts: nothing was added.
 * @retval HS_E_FIELD   It has a set or a point that this version does not have, or a count that is
 *                      no number: nothing was added.
 * @retval HS_E_SYSTEM  It cannot be read, or is no regular file: nothing of it was taken, and
 *                      errno says why (ENOENT: there is none).
 * @retval HS_E_MEMORY  Out of memory: nothing was added.
 */
HS_STATIC enum hs_status hs_points_read(struct hs_points *p, const char *path, struct hs_error *e);
/**
 * Write them as JSON, which hs_points_read() and `stat --coverage` read.  A file that is there is
 * replaced when the new one is whole (design/whole-files).
 *
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be written: what was there is unchanged.
 * @retval HS_E_MEMORY  Out of memory, likewise.
 */
HS_STATIC enum hs_status hs_points_write(const struct hs_points *p, const char *path,
                                         struct hs_error *e);

/**
 * Write them in the interchange form of UCIS 1.0, for the coverage tools of others.
 * @param time  When it is written, in seconds since 1970.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  @write returned false.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_points_write_ucis(const struct hs_points *p, int64_t time,
                                              hs_write_fn write, void *context);

/* ---- executions that reach points ---------------------------------------------------- */

/** A corner of a protocol: an execution whose trace reaches a point. */
struct hs_corner {
	const char *name;     /**< among those of its protocol */
	const char *protocol; /**< "ntrace" or "etrace" */
	const char *settings; /**< parameters of the trace: NAME=VALUE, separated by spaces */
	const char *script;   /**< what is executed, in words (src/encode/corner_script.c) */
	const char *point;    /**< its name in the set of the protocol */
};

/** The corners by number, 0 and on. @return NULL past the last. */
HS_STATIC const struct hs_corner *hs_corner_at(size_t index);

/**
 * Write a recording of a corner: a small program, and what it executes.
 * @param seed  Changes addresses, sizes of instructions and distances.
 * @param path  Of the recording; one that is there is replaced when the new one is whole.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The script has no execution with this seed.
 * @retval HS_E_SYSTEM  It cannot be written.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_corner_record(const struct hs_corner *corner, uint64_t seed,
                                          const char *path, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
