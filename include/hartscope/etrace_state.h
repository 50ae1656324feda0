/* Private state of E-Trace's reader, data coder, encoder and decoder.  It stands here because the
 * caller owns the memory; no member may be relied upon. */
#ifndef HARTSCOPE_ETRACE_STATE_H
#define HARTSCOPE_ETRACE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/etrace.h>
#include <hartscope/memo.h>

/* What the parameters imply for packets: widths of fields, forms by format and subformat. */
struct hs_et_layout {
	uint64_t extend; /* all ones: past its end a payload's last bit repeats; 0: zeros */
	uint8_t width[HS_ETF_COUNT]; /* 0 where it depends on the packet */
	uint8_t form[4][4];          /* by format and subformat */
	uint8_t map[32];             /* bits of branch_map, by branches */
	uint8_t f0s;                 /* bits of the subformat of format 0 */
	uint8_t implied;             /* the subformat where they are 0 */
	uint8_t spare;               /* bits of the last byte that are not the payload's */
	uint8_t begin;               /* bits before srcID, or before the payload */
	uint8_t least;               /* encapsulation: bytes that are never dropped, after those
	                                that length does not count */
};

/* What a struct hs_et_config means: effective values, none of which is 0 for a default. */
struct hs_et_resolved {
	uint8_t version, dialect;
	uint8_t iaddress_width;
	uint8_t iaddress_lsb;
	uint8_t privilege_width, ecause_width;
	uint8_t context_width; /* 0: packets carry no context */
	uint8_t time_width;    /* 0: packets carry no time */
	uint8_t notval;
	uint8_t f0s_width, bpred_size, cache_size, call_counter_size, return_stack_size;
	uint8_t sijump;
	uint8_t options;
	uint8_t sync_mode, sync_max;
	uint8_t src_bits;
	uint16_t src_id;
	uint8_t tstamp_bytes;
	uint8_t strict, plain_loops, context_precise, no_compress;
	uint8_t negated, type_prefix, context_mark, full_on_tie, vector_sync; /* 0.026 */
	uint8_t fast, cycles;
	uint8_t iret_ext;
	uint8_t resync_disabled, mmacas_ext, other_width; /* 2.1 */
	uint8_t sync_resets, cache_kept, cache_returns, counter_bits, x0_inferable;
	uint8_t data_trace, doptions_width;
	uint8_t itype_width;
	uint8_t async_freq, stall;
	uint8_t anchor_bytes, anchor_packets, flow;
	struct hs_et_layout_config wire; /* every member holds */
	uint64_t mtvec, stvec, vstvec;
	uint64_t type_widths; /* wire.type_bits is that of the last packet, or of the encoder */
	uint8_t type_usual;   /* of sources that are not in type_widths */
};

/* Targets of one packet that are written down as they are put into the cache. */
#define HS_ET_FILLS 4

/* Tables of one hart whose size the parameters say.  They are in memory that the caller gives
 * apart; NULL where the size is 0. */
struct hs_et_tables {
	uint64_t *cache;   /* jump target cache: address + 1, 0 for none */
	uint64_t *returns; /* return addresses of calls; the oldest is forgotten first */
	uint8_t *states;   /* branch predictor */
	uint32_t targets;  /* entries of cache */
	uint32_t mask;     /* entries of returns, less 1 */
	uint32_t most;     /* calls that are remembered: all of them, or one less */
	uint32_t top;      /* returns[(top - 1) & mask] is the latest */
	uint32_t count;    /* how many returns holds */
	bool cached;       /* the cache may hold a target */
	uint32_t fills;    /* targets that were put into the cache, since somebody looked */
	uint64_t filled[HS_ET_FILLS]; /* the first of them */
};

/* Values are remembered for each size of access, and for CSRs. */
#define HS_ET_DATA_CLASSES 5

/* A request whose response may still come. */
struct hs_et_data_request {
	uint64_t address;
	uint8_t type, size, known;
	uint8_t open;
};

struct hs_et_data_coder {
	uint8_t split, no_data, no_address, load_store, data_width, address_width, lrid_width;
	uint8_t csr_width, compression, narrow_diff, csr_subtype_width, csr_diff, full_address;
	uint8_t sc_failures, atomic_response, mmacas_ext, dtype_width, full_data;
	/* bit of a class: there is a value to differ from */
	uint8_t have_address, have_data, have_operand;
	uint64_t address[HS_ET_DATA_CLASSES], data[HS_ET_DATA_CLASSES];
	uint64_t operand[HS_ET_DATA_CLASSES];
	struct hs_et_data_request request[256];
};

/** Cuts a stream into packets.  Plain data; a decoder starts it. */
struct hs_et_reader {
	uint64_t offset; /**< of the next byte */
	uint64_t start;  /**< offset of the last packet, or of the one that is not complete */
	uint64_t nulls;  /**< null packets skipped (EE Null Encapsulation); of INDEXED bytes of 0 */
	/* Private: */
	struct hs_et_resolved config;
	struct hs_et_layout layout;
	uint16_t held; /* bytes in buffer */
	uint8_t buffer[HS_ET_PACKET_MAX];
	uint8_t foreign[HS_ET_PACKET_MAX]; /* the last packet that is no instruction trace */
	uint8_t foreign_n;
	uint16_t next; /* INDEXED: index of the next packet, where known */
	bool known;
	bool hunting; /* nothing says where the next packet begins */
	bool ending;  /* nothing follows what is held */
	/* Fields that only packets of 2.1 have were cleared in this one, which was read last. */
	const struct hs_et_packet *cleared;
};

/* One instruction or trap on its way through the encoder. */
struct hs_et_item {
	uint64_t addr; /* of a trap: the instruction that did not retire */
	uint64_t tval; /* of a trap; of an instruction the address after it */
	uint64_t context;
	uint32_t ecause; /* of a trap */
	uint8_t kind;    /* enum et_item_kind */
	uint8_t itype;   /* of the instruction; of a trap 1 or 2 */
	uint8_t priv;
	uint16_t flags; /* enum et_item_flags */
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
	uint64_t address;       /* as last reported */
	uint64_t expect;        /* address after the last block, when follow */
	uint64_t aligned;       /* bytes since the last synchronisation sequence */
	uint64_t count;         /* units since the last synchronising packet */
	uint64_t interval;      /* units between them */
	uint64_t context;       /* of what follows */
	uint64_t hcontext;      /* its virtual machine */
	uint64_t context_sent;  /* as last reported */
	uint64_t time;
	uint64_t time_sent;    /* HS_ET_FAST, or with frame_ticks: time of the last packet */
	uint64_t frame_ticks;  /* what the time of a frame counts, where payloads have a longer
	                          one; else 0 */
	uint64_t context_full; /* with frame_ticks: context of the last packet with a full time */
	uint64_t correct;      /* branches predicted since the last packet, when all of them were */
	uint64_t loop;         /* the first backward jump since the last packet or branch */
	uint64_t first_return; /* the first inferred return since the last packet or branch */
	uint64_t calls_seen;   /* marks of the calls since the last packet or branch */
	uint64_t failed_at;    /* the last return that did not go where the stack says */
	uint32_t map;          /* branches not reported yet, bit 0 the oldest, 1 for not taken */
	uint32_t kept;         /* layout.kept_map: bits of the maps so far */
	uint32_t loop_depth;   /* calls at the jump of loop; with iret_ext irets */
	uint32_t return_depth; /* calls before the return that cur follows; with iret_ext irets */
	uint8_t branches;      /* how many */
	uint8_t before;        /* what the item before cur was: enum et_before */
	uint8_t segment;       /* events since the last packet or branch: enum et_segment */
	uint8_t irets;         /* returns inferred since the last packet or branch */
	bool return_reported;  /* the packet for cur carries return_depth */
	bool returned;         /* iret_ext: cur follows an inferred return */
	bool irets_full;       /* iret_ext: cur follows a return that is reported as irets has no
	                          larger number */
	bool loop_follows;     /* iret_ext: loop follows an inferred return */
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
	bool open_target;      /* no item came since a packet for a jump's target (ET Format 2
	                          updiscon) */
	bool restarts;         /* the next synchronising packet starts the trace */
	bool waits;            /* the hart does, since cur was reported */
	bool wait_syncs;       /* no packet synchronised since */
	bool wait_ntr, wait_linear; /* the end of the trace would be ended_ntr; cur led to the
	                               instruction after it */
	bool changed;               /* options did since the last synchronising packet */
	bool parted;                /* cur follows a pair that a synchronising packet parted */
	bool fills;                 /* an inferred return leads to the next item */
	bool filled;                /* one filled the cache since the last packet */
	bool emitted;               /* a packet for cur was sent */
	bool time_full;       /* with frame_ticks: a packet with a full time was sent since the
	                          trace was off */
	uint8_t priv_full;    /* its privilege, as sent */
	bool follow;          /* expect is meaningful */
	bool time_new;        /* HS_ET_FAST: the time changed since the last block */
	bool data_lost;       /* packets of data trace only */
	bool data_changed;    /* options of data trace: no support packet says so yet */
	uint16_t pending;     /* enum et_pending */
	uint8_t next_options; /* those after a change: enum hs_et_option */
	bool plain_next;      /* et_encode_plain() may look at the next block */
	struct hs_et_depths recent;     /* since the last packet or branch */
	struct hs_et_depths earlier;    /* before that, on the path of the next packet */
	struct hs_et_data_coder *data;  /* NULL: no data trace */
	struct hs_access_reader access; /* being taken from events */
	uint64_t data_after;            /* synchronising packets before the last packet of data */
	struct hs_et_counts written;
	struct hs_et_tables tables;
	uint16_t held_n; /* hs_et_encode_port(): bytes that wait for room */
	uint8_t held[HS_ET_ENCODE_ROOM];
};

struct flow_out;

/* A path to an address. */
struct hs_path {
	uint64_t address;            /* where it leads */
	uint64_t hist;               /* branches, the next one in bit 63, 1 for taken */
	uint64_t predicted;          /* branches after them that went as the predictor says */
	struct hs_et_tables *tables; /* of the source */
	uint8_t *states;             /* of the branch predictor; NULL: it is not in use */
	uint32_t mask;               /* its entries, less 1 */
	uint32_t depth;              /* calls that are remembered; 0: returns are not inferred */
	uint32_t report_depth;
	uint32_t depth_mask; /* of the depth, the bits that a report has */
	uint32_t irets;      /* returns inferred since the last branch or packet */
	uint8_t coarse;      /* 1: the predictor counts addresses in units of 4 bytes, not of 2 */
	struct hs_jumps jumps;
	struct hs_call_marks marks; /* of the tables' stack */
	uint8_t bits;               /* branches in hist */
	uint8_t failed;             /* 1: one more branch, which did not go as the predictor says */
	uint8_t goal;               /* enum path_goal */
	uint8_t report;        /* 1: the stack is report_depth deep at the address, or the return
	                       that leads there was at that depth */
	uint8_t counting;      /* 1: a report has irets, not a depth */
	bool foretold;         /* counting: the stack says that the reported return leads there */
	uint8_t before;        /* 1: the address is in another program: the path ends before it */
	uint8_t calls_unseen;  /* 1: calls may be missing below those that are remembered */
	uint8_t states_unseen; /* 1: the branch predictor is not that of the encoder */
	uint8_t waits;         /* enum path_wait */
	uint8_t own;      /* enum path_own: the branch at the address of a synchronising packet */
	uint8_t own_bit;  /* how the packet reports it: 1 is not taken */
	uint8_t absolute; /* 1: jalr with rs1 = x0 is inferable */
	uint8_t fills;    /* 1: inferred returns fill the jump target cache */
	uint8_t indexed;  /* 1: the address is the cache's entry cache_index */
	uint16_t cache_index;
	uint16_t cache_mask; /* entries of the cache, less 1 */
	uint8_t block_end; /* 1: jumps lead to the block whose last instruction is at the address */
	uint8_t jump;      /* block_end: kind of the jump that leads there */
	bool has_way;      /* block_end: a jump may lead first to the block that ends at @way */
	bool spare;        /* block_end: the last branches may be none, which are then taken */
	uint64_t way;
	uint64_t called; /* block_end: where the last call returns to; 0: it did */
	uint8_t unusual; /* 1: fills or block_end is */
	uint8_t ahead;   /* 1: branches may be known that come after the address (map_ahead) */
	uint8_t way_goal; /* ahead: the goal of the way */
	uint8_t passes;   /* ahead: 1: the path to the address uses as many of them as there are */
	uint8_t owed;     /* ahead: 1: the last branch is where the jump leads that comes next */
	uint8_t lenient; /* 1: a jump may lead to an instruction that did not retire: one without
	                       code, or a branch without a bit */
};

/* What a decoder that has to be sure trusts of a source (etrace/careful.c). */
struct hs_et_trust {
	uint64_t withheld; /* offset of the first packet of which nothing was written, + 1; 0:
	                      none */
	uint64_t unmet;    /* offset of the last packet that was skipped before a synchronising one
	                   came, + 1; 0: none */
	uint8_t doubt;     /* enum et_doubt: its state */
	uint8_t trial;     /* options: so many synchronising packets have to agree first; 0: none,
	                   they are believed */
	uint32_t rival;    /* options: those before, until two synchronising packets agree */
	bool met;          /* a synchronising packet came */
	bool leapt;        /* the last one was met by a jump whose target nothing else reports */
	bool agreed;       /* a support packet had the options that the parameters name */
};

/* One source (srcID). */
struct hs_et_source {
	struct hs_track track;
	struct hs_path path;
	uint64_t address; /* as last reported */
	uint64_t context;
	uint8_t phase; /* of the current packet: enum et_phase */
	uint8_t priv;
	bool restarts;    /* the next synchronising packet starts the trace (ET Decoder
	                    start_of_trace) */
	bool changed;     /* options did since the last synchronising packet */
	bool unfit;       /* its tables have no room: nothing can be followed */
	uint32_t options; /* as last reported: the word of options (etrace/et_standard.h) */
	bool inferred;    /* the address was met, but the packet may mean the next time that it is
	                      met (ET Format 2 updiscon) */
	bool contexted;
	uint8_t landed; /* 0.026: what the last packet named: enum et_landed */
	uint8_t own;    /* TRACK_UNSEEN: which way the last branch went */
	bool disabled;  /* 0.026: the last packet says that the encoder is, and nothing of why */
	struct hs_et_trust trust;
	uint8_t mode; /* the last privilege as packets have it */
	/* layout.arrivals: */
	bool late;           /* the next map begins with branches from before */
	bool clears;         /* maps do not keep bits */
	uint32_t kept, seen; /* bits of the maps so far; which of them are known */
	struct hs_et_tables tables;
};

/* A stream, split by srcID in one pass. */
struct hs_et_decoder {
	struct hs_et_resolved config;
	struct hs_et_reader reader;
	struct hs_et_source *sources;
	unsigned char *memory; /* of the tables of the first source; the next is further by */
	size_t stride;         /* so many bytes */
	struct hs_stream stream;
	uint64_t sign;              /* top bit of addresses, where they are sign-extended; else 0 */
	uint64_t most;              /* the highest address */
	struct hs_et_packet packet; /* the current packet */
	struct hs_memo *memo;       /* NULL: nothing is remembered */
	/* Follow packets that the memo knows; @in NULL: the call ends.  NULL: there is no memo,
	 * and it is not linked. */
	void (*recall)(struct hs_et_decoder *d, struct hs_span *in, struct flow_out *out);
	uint8_t length_mask; /* with a memo: bits of a packet's first byte that say how many
	                        follow */
	struct hs_memo_pending pending;
	struct hs_et_data_coder *data; /* of each source; NULL: data trace is skipped */
	struct hs_access access;       /* of the current packet */
	bool has_access;
	uint8_t care;      /* enum hs_et_care */
	uint32_t given;    /* options of the parameters, as a word */
	uint32_t refused;  /* options that a trace starts with and the parameters cannot have, with
	                      those of the same packet */
	uint32_t proposed; /* HS_ET_CARE_OPTIONS: options that were reported once, + 1; 0: none */
	struct hs_et_diag diag;
	struct hs_et_stats stats;
};

#endif
