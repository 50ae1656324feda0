/* Files of other tools, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_INPUTS_INPUTS_H
#define HS_INPUTS_INPUTS_H

#include <hartscope/capture.h>

#include "inputs/capture.h"
#include "inputs/perf_data.h"
#include "inputs/perf_writer.h"

/* ---- capture.h ---- */

/** The pin of a serial transport, also of a dump.
 * @retval HS_OK
 * @retval HS_E_ARG  No such name. */
enum hs_status hs_transport_serial(const char *name, struct hs_serial_config *config);

#endif
