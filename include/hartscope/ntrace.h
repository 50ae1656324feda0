/* RISC-V N-Trace, all of it: parameters and dialects (nt_config.h), messages (nt_message.h),
 * encoder (nt_encoder.h), decoder (nt_decoder.h).
 *
 * Which calls may run on several threads at once is said in each.
 */
#ifndef HARTSCOPE_NTRACE_H
#define HARTSCOPE_NTRACE_H

#include <hartscope/nt_config.h>
#include <hartscope/nt_decoder.h>
#include <hartscope/nt_encoder.h>
#include <hartscope/nt_message.h>
#include <hartscope/nt_reader.h>

#endif
