/* Rows of the table of protocols, one file each. */
#ifndef HARTSCOPE_HOST_PROTOCOL_PRIVATE_H
#define HARTSCOPE_HOST_PROTOCOL_PRIVATE_H

#include <hartscope/protocol.h>

extern const struct hs_protocol protocol_ntrace, protocol_etrace;

#endif
