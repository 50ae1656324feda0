/* Why a decoder could not follow a stream: one list for all protocols.
 *
 * A decoder's diagnosis (struct hs_nt_diag, struct hs_et_diag) has a reason; its status, clause and
 * text are those of the reason's row in reasons.def.  Choose by the number, print the text.
 *
 * These calls may run on any number of threads at once.
 */
#ifndef HARTSCOPE_REASON_H
#define HARTSCOPE_REASON_H

#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of reasons.def.  Numbers never change; those of new rows are new. */
enum hs_reason {
#define HS_REASON(number, id, name, status, nt, et, tacit, text) HS_REASON_##id = (number),
#include <hartscope/tables/reasons.def>
#undef HS_REASON
};

/** Blocks that a decoder takes from one message unless its caller says otherwise: a loop of a
 * second or so.  A damaged count may mean 2^32 of them in five bytes. */
#define HS_MESSAGE_BLOCKS (UINT64_C(1) << 28)

/** Name such as "icnt-in-instruction", which never changes; "?" for a number without a row. */
HS_API const char *hs_reason_name(enum hs_reason reason);

/** One line for people, without a full stop; "unknown reason" for a number without a row. */
HS_STATIC const char *hs_reason_text(enum hs_reason reason);

#ifdef __cplusplus
}
#endif
#endif
