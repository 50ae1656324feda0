/* How bad a finding of lint is, in every protocol.
 *
 * Threads: the functions here read constant tables.  They may run in several threads at once.
 */
#ifndef HARTSCOPE_SEVERITY_H
#define HARTSCOPE_SEVERITY_H

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hs_severity {
	HS_SEVERITY_NOTE = 0,    /**< allowed, worth knowing */
	HS_SEVERITY_WARNING = 1, /**< not as the text asks, or the capture is cut */
	HS_SEVERITY_ERROR = 2,   /**< forbidden */
	HS_SEVERITIES
};

/** "note", "warning" or "error"; "" for other numbers. */
HS_API const char *hs_severity_name(unsigned severity);

/** The severity of a name, an enum hs_severity; -1: there is none. */
HS_API int hs_severity_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
