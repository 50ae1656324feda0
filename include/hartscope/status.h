/* One list of results for the whole library.  tables/status.def has the rows.
 *
 * Threads: every call here may run on several threads at once. */
#ifndef HARTSCOPE_STATUS_H
#define HARTSCOPE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HS_API __attribute__((visibility("default")))
#else
#define HS_API
#endif

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

#ifdef __cplusplus
}
#endif
#endif
