/* TACIT, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_TACIT_TACIT_H
#define HS_TACIT_TACIT_H

#include "tacit/tacit_config.h"
#include "tacit/tacit_decoder.h"
#include "tacit/tacit_encoder.h"
#include "tacit/tacit_lint.h"
#include "tacit/tacit_message.h"
#include "tacit/tacit_reader.h"

#endif
