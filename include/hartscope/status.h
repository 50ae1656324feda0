/* One list of results for the whole library.  tables/status.def has the rows.
 *
 * Threads: every call here may run on several threads at once. */
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

#ifdef __cplusplus
}
#endif
#endif
