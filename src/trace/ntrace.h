/* Pieces of N-Trace's row in the table of protocols. */
#ifndef HS_PROTOCOL_NTRACE_H
#define HS_PROTOCOL_NTRACE_H

#include <hartscope/ntrace.h>

#include "trace/protocol_private.h"

struct protocol_nt_decoder {
	struct hs_nt_decoder nt;
	unsigned dialect;
	struct protocol_memory memory;
};

/* A message, ready to be shown. */
void protocol_nt_describe(const struct hs_nt_msg *nt, unsigned dialect, struct hs_message *m,
                          bool with_source);

/* ntrace_lint.c: functions of struct hs_protocol (hartscope/protocol.h). */
bool protocol_nt_lint_kind(unsigned index, struct hs_lint_kind *out);
enum hs_status protocol_nt_lint_new(void **lint, const void *config, const struct hs_image *image,
                                    const struct hs_image_set *set);

#endif
