/* What a file is that was given as a trace, by its first bytes. */
#ifndef HARTSCOPE_FILE_KIND_H
#define HARTSCOPE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A kind of file that is no trace (file_kinds.def). */
struct hs_file_kind {
	const char *what; /**< such as "an ELF file" */
	const char *hint; /**< what to do with it, in words */
	bool certain;     /**< its first bytes are a mark; false: a trace could look like this */
	bool blank;       /**< one byte, 0 or 0xff, as far as was looked: certain if that is all */
};

/** As many first bytes of a file are enough for hs_file_kind_of(). */
#define HS_FILE_KIND_BYTES 512

/** What the first bytes of a file say that it is, at most HS_FILE_KIND_BYTES of them.
 * @return NULL: nothing that is known. */
HS_API const struct hs_file_kind *hs_file_kind_of(const struct hs_span *first);

#ifdef __cplusplus
}
#endif
#endif
