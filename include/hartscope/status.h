/* One list of results for the whole library.  See status.def for the rows. */
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

/** Result of a call.  Everything below HS_E_ARG is not an error. */
enum hs_status {
#define HS_STATUS(name, cls, text) HS_##name,
#include <hartscope/tables/status.def>
#undef HS_STATUS
	HS_STATUS_COUNT
};

/** What kind of result a status is. */
enum hs_status_class {
	HS_CLASS_OK,          /**< done */
	HS_CLASS_MORE,        /**< give more input, or more room, and call again */
	HS_CLASS_CALLER,      /**< the call was wrong */
	HS_CLASS_DATA,        /**< the input is damaged */
	HS_CLASS_UNSUPPORTED, /**< the input is fine, we cannot do it */
	HS_CLASS_SYSTEM,      /**< the operating system refused */
	HS_CLASS_INTERNAL     /**< a defect of this library */
};

/** The name without prefix, such as "E_ICNT"; "?" for a value that is no status. */
HS_API const char *hs_status_name(enum hs_status s);

/** One line for people, without a full stop; "unknown status" for no status. */
HS_API const char *hs_status_text(enum hs_status s);

/** The class; HS_CLASS_INTERNAL for a value that is no status. */
HS_API enum hs_status_class hs_status_class(enum hs_status s);

#ifdef __cplusplus
}
#endif
#endif
