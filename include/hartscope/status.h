/* What every part of the library shares: results, errors and reasons, bytes, circular buffers,
 * text of others and the version.  tables/status.def has the rows of results and reasons.
 *
 * Threads: every call here may run on several threads at once.
 */
#ifndef HARTSCOPE_STATUS_H
#define HARTSCOPE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HS_API __attribute__((visibility("default")))
#else
#define HS_API
#endif

/** Declares what only the static libraries have: codecs and models, which firmware, simulators and
 * test benches link, and which may change (docs/library.md, "Versions and ABI"). */
#define HS_STATIC

/** Result of a call.  An error is what hs_status_get_class() puts into HS_CLASS_CALLER or above. */
enum hs_status {
#define HS_STATUS(name, number, cls, text) HS_##name = (number),
#include <hartscope/tables/status.def>
#undef HS_STATUS
	HS_STATUS_COUNT /**< one more than the highest; grows with the list */
};

/** What kind of result a status is.  HS_CLASS_CALLER and above are errors. */
enum hs_status_class {
	HS_CLASS_OK = 0,          /**< done */
	HS_CLASS_MORE = 1,        /**< give more input, or more room, and call again */
	HS_CLASS_CALLER = 2,      /**< the call was wrong */
	HS_CLASS_DATA = 3,        /**< the input is damaged */
	HS_CLASS_UNSUPPORTED = 4, /**< the input is well formed; the library does not support it */
	HS_CLASS_SYSTEM = 5,      /**< the operating system refused */
	HS_CLASS_INTERNAL = 6     /**< a defect of this library */
};

/** The name without prefix, such as "E_ICNT"; "?" for a value that is no status. */
HS_API const char *hs_status_name(enum hs_status s);

/** One line for people, without a full stop; "unknown status" for no status. */
HS_API const char *hs_status_text(enum hs_status s);

/** The class; HS_CLASS_INTERNAL for a value that is no status. */
HS_API enum hs_status_class hs_status_get_class(enum hs_status s);

/* ---- span ----
 * Bytes in, bytes out: the one way that every part of the library takes input, and the one shape of
 * a function that takes output. */

/** Input bytes, or text.  The caller keeps the memory; a function that takes some of them moves
 * @p forward and lowers @n by as much. */
struct hs_span {
	const uint8_t *p;
	size_t n; /**< bytes at @p */
};

/** Where a field is in the bytes of a message or packet. */
struct hs_bits {
	uint16_t at;    /**< its first bit; the lowest one of the first byte is 0 */
	uint16_t count; /**< how many bits of it are there; 0: none */
};

/** Takes all of @n bytes.  False ends the work of the caller, which then returns HS_E_SYSTEM
 * (a closed pipe, a full disk). */
typedef bool (*hs_write_fn)(void *context, const void *bytes, size_t n);

/* ---- severity ----
 * How bad a finding of lint is, in every protocol.
 *
 * Threads: the functions here read constant tables.  They may run in several threads at once.
 */

enum hs_severity {
	HS_SEVERITY_NOTE = 0,    /**< allowed, worth knowing */
	HS_SEVERITY_WARNING = 1, /**< not as the text asks, or the capture is cut */
	HS_SEVERITY_ERROR = 2,   /**< forbidden */
	HS_SEVERITIES
};

/** "note", "warning" or "error"; "" for other numbers. */
HS_API const char *hs_severity_name(unsigned severity);

/* ---- rule ----
 * Why an encoder sends a message, and what the values of its fields say: rows of nt_rules.def and
 * et_rules.def.  The texts are for people; hs_message_explain() (protocol.h) finds the rows of a
 * message.
 */

/** A rule of a protocol's text. */
struct hs_rule {
	const char *of;      /**< how the clause of its messages begins, such as "PT 6"; "": any */
	const char *message; /**< name of the message; "": any */
	const char *field;   /**< name of the field; "": it is why the message is sent */
	uint64_t low, high;  /**< values of the field that the rule is about */
	const char *clause;
	const char *text; /**< one line without a full stop */
};

/* ---- the version of the library -----------------------------------------------------
 *
 * The version of the library: of the headers that a program was compiled with, and of the library
 * that it runs with.
 *
 * Until 1.0, a new minor version may change the interface; docs/library.md says what a version
 * promises.  meson.build takes the project's version from here.
 *
 * Threads: every call here may run on several threads at once.
 */

#define HS_VERSION_MAJOR 0
#define HS_VERSION_MINOR 2
#define HS_VERSION_PATCH 0

/** A version as one number that grows with each release: 1.2.3 is 1002003. */
#define HS_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))

/** The version of these headers; usable in #if. */
#define HS_VERSION HS_VERSION_NUMBER(HS_VERSION_MAJOR, HS_VERSION_MINOR, HS_VERSION_PATCH)

#define HS_VERSION_TEXT_(x) #x
#define HS_VERSION_TEXT(x) HS_VERSION_TEXT_(x)

/** The same as text, such as "1.2.3". */
#define HS_VERSION_STRING \
	HS_VERSION_TEXT(HS_VERSION_MAJOR) \
	"." HS_VERSION_TEXT(HS_VERSION_MINOR) "." HS_VERSION_TEXT(HS_VERSION_PATCH)

/** HS_VERSION of the library that runs. */
HS_API unsigned hs_version(void);

/** HS_VERSION_STRING of the library that runs. */
HS_API const char *hs_version_string(void);

/* ---- reasons ------------------------------------------------------------------------
 *
 * Why a decoder could not follow a stream: one list for all protocols.
 *
 * A decoder's diagnosis (struct hs_nt_diag, struct hs_et_diag) has a reason; its status, clause and
 * text are those of the reason's row in status.def.  Choose by the number, print the text.
 *
 * These calls may run on any number of threads at once.
 */

/** Rows of status.def.  Numbers never change; those of new rows are new. */
enum hs_reason {
#define HS_REASON(number, id, name, status, nt, et, tacit, text) HS_REASON_##id = (number),
#include <hartscope/tables/status.def>
#undef HS_REASON
};

/** Blocks that a decoder takes from one message unless its caller says otherwise: a loop of a
 * second or so.  A damaged count may mean 2^32 of them in five bytes. */
#define HS_MESSAGE_BLOCKS (UINT64_C(1) << 28)

/** Name such as "icnt-in-instruction", which never changes; "?" for a number without a row. */
HS_API const char *hs_reason_name(enum hs_reason reason);

/** One line for people, without a full stop; "unknown reason" for a number without a row. */
HS_STATIC const char *hs_reason_text(enum hs_reason reason);

/* ---- circular buffers ---------------------------------------------------------------
 *
 * Circular buffers: where the bytes of a trace begin and end, and how that is known.
 *
 * Threads: no function here keeps or shares anything.
 */

/** What shows a wrap point, as bits. */
enum hs_ring_evidence {
	HS_RING_FRAMING = 1, /**< messages do not continue there */
	HS_RING_STOP = 2,    /**< the trace ended there, and goes on without a beginning */
	HS_RING_TIME = 4,    /**< times go back there */
	HS_RING_INDEX = 8,   /**< the indexes of packets go back there */
	HS_RING_PROGRAM = 16 /**< messages contradict the program there */
};

/** A write pointer that is not known. */
#define HS_RING_UNKNOWN UINT64_MAX

/** What was found in a circular buffer: the oldest whole message and the end of the newest. */
struct hs_ring {
	uint64_t begin; /**< read from here to the end of the buffer, then from 0 to @end; where
	                     begin is below end, from begin to end */
	uint64_t end;
	bool found;   /**< false: read it in the order of its addresses; begin is 0, end the size */
	bool certain; /**< found by what only the order of messages can show; else only
	                   something that damaged bytes would show, too */
	uint8_t evidence; /**< bits of enum hs_ring_evidence */
	uint32_t places;  /**< how many look like one; with several it may not be found */
};

/* ---- errors -------------------------------------------------------------------------
 *
 * What went wrong, in words, for the rooms that have an operating system.
 *
 * Threads: every call here may run on several threads at once, on different errors.
 */

/** Filled by functions that fail; unchanged where they succeed. */
struct hs_error {
	enum hs_status status;
	char text[512]; /**< one line: what failed, where, what to do */
};

/** Fill @e, which may be NULL, from a printf format (NULL: no text); the text is cut at its size.
 * Returns @s. */
HS_API enum hs_status hs_error_set(struct hs_error *e, enum hs_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- text ---------------------------------------------------------------------------
 *
 * Text of others, for terminals.
 *
 * Threads: every call here may run on several threads at once.
 */

/**
 * Copy @text so that it is one line and does nothing but be read.
 *
 * Printable ASCII and UTF-8 stay as they are.  Control characters (those of C1, U+0080 to U+009F,
 * too), bytes that are not UTF-8, line separators and what changes the direction of text become
 * \xNN for each byte.  Names from programs, recordings and traces can hold all of them; hs_error
 * texts have been through this.
 *
 * @param out  Room for @size bytes, at least 1; terminated.  Text that does not fit is cut after a
 *             whole character.
 * @return     Bytes written, without the terminator.
 */
HS_API size_t hs_text_escape(char *out, size_t size, const char *text);

/**
 * How far a word is from a name, to find the name that was meant.
 *
 * @return  0 where they are equal, 1 where @wanted is a part of @name; else one more than the
 *          letters to insert, to remove or to change, or neighbours to swap.  Capitals count as
 *          small letters.  Of longer names 64 bytes are compared.
 */
HS_API unsigned hs_text_distance(const char *wanted, const char *name);

/**
 * Read all of @text as a number: digits, also with a point and with e and an exponent (1e6, 2.5e3),
 * or with k, M or G after them for @unit, its square and its cube; or hexadecimal after 0x.
 *
 * @param unit   1000 for counts, 1024 for bytes.
 * @param value  Unchanged on an error.
 * @retval HS_OK     *value is the number.
 * @retval HS_E_ARG  It is none, or not a whole one, or above 2^64 - 1.
 */
HS_API enum hs_status hs_text_number(const char *text, unsigned unit, uint64_t *value);

/* ---- json ----
 * JSON strings from text of any encoding.
 *
 * Threads: every call here may run on several threads at once.
 */

/**
 * Write @text as a JSON string with its quotes.
 *
 * UTF-8 stays as it is; a byte that is not UTF-8 becomes \u0080 to \u00ff, so that the
 * result is always valid; what acts on a terminal becomes \uNNNN.  Text that does not fit
 * is cut after a whole character.
 *
 * @param out  Room for @size bytes, at least 3; terminated.
 * @return     Bytes written, without the terminator.
 */
HS_API size_t hs_json_string(char *out, size_t size, const char *text);

#define HS_JSON_NUMBER 24 /**< bytes that hs_json_u64() writes, at most */

/**
 * Write a count, a time or a size: a number, in all its digits.  Readers that keep numbers as
 * floating point round it above 2^53 (design/output); addresses and values of 64 bits are strings.
 * @return  Bytes written, without the terminator.
 */
HS_API size_t hs_json_u64(char out[HS_JSON_NUMBER], uint64_t value);

/* ---- what every call of the shared library does with what it is given ----
 *
 * - A pointer may be NULL where the description of the call says NULL.  A struct hs_error that a
 *   call fills may always be: nobody asks why; and so may what is only handed to a function of the
 *   caller (context, to, of).
 * - A struct of options or of a configuration, which begins with its size, that is NULL, that has
 *   no room for its size, or that has unknown bytes that are not zero: HS_E_CONFIG.
 * - Another pointer that is NULL: the call returns an error, has no need of it, or ends the process
 *   by a fault there.  It writes and reads nowhere else. */

#ifdef __cplusplus
}
#endif
#endif
