/* Private state of the E-Trace encoder.  It stands here because the caller owns the memory; no
 * member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_ET_ENCODER_H
#define HARTSCOPE_PRIVATE_ET_ENCODER_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/et_config.h>
#include <hartscope/et_data.h>
#include <hartscope/et_packet.h>
#include <hartscope/private/et_layout.h>
#include <hartscope/private/et_resolved.h>
#include <hartscope/private/et_tables.h>

/* One instruction or trap on its way through the encoder. */
struct hs_et_item {
	uint64_t addr;    /* of a trap: the instruction that did not retire */
	uint64_t tval;    /* of a trap; of an instruction the address after it */
	uint64_t context;
	uint32_t ecause;  /* of a trap */
	uint8_t kind;     /* enum et_item_kind */
	uint8_t itype;    /* of the instruction; of a trap 1 or 2 */
	uint8_t priv;
	uint8_t flags;    /* enum et_item_flags */
};

/* At which depths of the call stack returns were inferred. */
struct hs_et_depths {
	uint32_t low, high; /* high 0: none was */
};

/* Packets of formats 1 and 2 whose flags only repeat the sign of the address. */
struct hs_et_short {
	uint64_t prefix; /* what is before the payload, but for the first byte */
	uint8_t prefix_bits;
	uint8_t after; /* bits after the address */
	uint8_t apart; /* bytes that length does not count */
	uint8_t least; /* bytes that are never dropped */
	bool usable;   /* the parameters have such packets, of 16 bytes at most */
};

struct hs_et_encoder {
	struct hs_et_resolved config;
	struct hs_et_layout layout;
	struct hs_et_short brief;
	struct hs_et_item cur;  /* encoded when the next one is known (ET Algorithm: three
	                           stages) */
	struct hs_et_item trap; /* the one before cur, when before says so */
	uint64_t address;      /* as last reported */
	uint64_t expect;       /* address after the last block, when follow */
	uint64_t aligned;      /* bytes since the last synchronisation sequence */
	uint64_t count;        /* units since the last synchronising packet */
	uint64_t interval;     /* units between them */
	uint64_t context;      /* of what follows */
	uint64_t hcontext;     /* its virtual machine */
	uint64_t context_sent; /* as last reported */
	uint64_t time;
	uint64_t time_sent;    /* HS_ET_FAST: time of the last packet */
	uint64_t correct;      /* branches predicted since the last packet, when all of them were */
	uint64_t loop;         /* the first backward jump since the last packet or branch */
	uint64_t first_return; /* the first inferred return since the last packet or branch */
	uint64_t calls_seen;   /* marks of the calls since the last packet or branch */
	uint64_t failed_at;    /* the last return that did not go where the stack says */
	uint32_t map;          /* branches not reported yet, bit 0 the oldest, 1 for not taken */
	uint32_t loop_depth;   /* calls at the jump of loop; with iret_ext irets */
	uint32_t return_depth; /* calls before the return that cur follows; with iret_ext irets */
	uint8_t branches;      /* how many */
	uint8_t before;        /* what the item before cur was: enum et_before */
	uint8_t segment;       /* events since the last packet or branch: enum et_segment */
	uint8_t irets;         /* returns inferred since the last packet or branch */
	bool return_reported;  /* the packet for cur carries return_depth */
	bool first_open;       /* no packet was sent since first_return */
	bool failed_reported;  /* a packet for failed_at was sent */
	uint16_t index;        /* HS_ET_FRAME_INDEXED: of the next packet */
	uint8_t anchored;      /* packets since the last anchor */
	uint8_t priv;          /* of the item before cur */
	bool loop_returned;    /* a return was inferred before the jump of loop */
	bool loop_called;      /* there was a call before it */
	bool armed;            /* the next item begins with a synchronising packet, because one is
	                          due */
	bool wrong;            /* one of the branches was mispredicted */
	bool failed;           /* the last branch was mispredicted, after 31 or more that were
	                          not */
	bool open_target;      /* no item came since a packet for a jump's target (ET Format 2
	                          updiscon) */
	bool emitted;          /* a packet for cur was sent */
	bool force;            /* the next item begins with a synchronising packet */
	bool notify;           /* the next item is to be reported (ET Format 2 notify) */
	bool report;           /* the context or the time of the next item is to be reported (ET
	                          Context type 1) */
	bool support;          /* a support packet was sent since the encoder was enabled */
	bool follow;           /* expect is meaningful */
	bool time_new;         /* HS_ET_FAST: the time changed since the last block */
	bool lost;             /* packets were lost since the last one sent */
	bool data_lost;        /* packets of data trace only */
	bool data_changed;     /* options of data trace: no support packet says so yet */
	uint8_t change;        /* of the options: enum et_change */
	uint8_t next_options;  /* those after the change: enum hs_et_option */
	uint8_t deferred;      /* a synchronising packet that an item before cur should have had:
	                          enum et_deferred */
	bool plain_next;           /* et_encode_plain() may look at the next block */
	bool vector;           /* cur is a handler's second instruction, and vector_sync asks for
	                          a packet */
	struct hs_et_depths recent;  /* since the last packet or branch */
	struct hs_et_depths earlier; /* before that, on the path of the next packet */
	struct hs_et_data_coder *data; /* NULL: no data trace */
	struct hs_access_reader access; /* being taken from events */
	uint64_t data_after;    /* synchronising packets before the last packet of data */
	struct hs_et_counts written;
	struct hs_et_tables tables;
	uint16_t held_n;       /* hs_et_encode_port(): bytes that wait for room */
	uint8_t held[HS_ET_ENCODE_ROOM];
};

#endif
