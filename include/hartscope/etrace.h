/* RISC-V E-Trace, all of it: parameters (et_config.h), packets (et_packet.h), encoder
 * (et_encoder.h), decoder (et_decoder.h), data trace (et_data.h).
 *
 * Which calls may run on several threads at once is said in each.
 */
#ifndef HARTSCOPE_ETRACE_H
#define HARTSCOPE_ETRACE_H

#include <hartscope/et_config.h>
#include <hartscope/et_data.h>
#include <hartscope/et_decoder.h>
#include <hartscope/et_encoder.h>
#include <hartscope/et_packet.h>
#include <hartscope/et_reader.h>

#endif
