/* N-Trace, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_NTRACE_NTRACE_H
#define HS_NTRACE_NTRACE_H

#include <hartscope/ntrace.h>

#include "ntrace/nt_decoder.h"
#include "ntrace/nt_encoder.h"
#include "ntrace/nt_lint.h"
#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"

#endif
