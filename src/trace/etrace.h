/* Pieces of E-Trace's row in the table of protocols. */
#ifndef HS_TRACE_ETRACE_H
#define HS_TRACE_ETRACE_H

#include <hartscope/etrace.h>
#include <hartscope/ingress.h>

#include "etrace/etrace.h"
#include "trace/codec.h"
#include "trace/lint.h"

/* The library's configuration with its defaults written out, and separately the parameters whose
 * values users give in another form. */
struct etrace_config {
	struct hs_et_config et;
	struct hs_et_data_config data; /* in use with et.data_trace */
	uint8_t iaddress_lsb, nocontext, notime, full_on_tie;
	uint8_t si_jump, implicit_return, implicit_except, branch_prediction, jump_target_cache,
		full_address;
	uint8_t context_mark;    /* ETRACE_MARK_AUTO: not set */
	uint8_t fast_only;       /* itrace_fast_p */
	uint8_t fast_profile;    /* ETRACE_FAST_AUTO: as fast_only says */
	uint8_t pulp_isa, boot;  /* ETRACE_OF_THE_DIALECT: as it has */
	struct {                 /* of a decoder */
		uint8_t after_damage;    /* enum etrace_after_damage */
		uint8_t other_packets;   /* packets of types that are not announced are skipped */
		uint64_t message_blocks; /* that a packet may mean; 0: HS_MESSAGE_BLOCKS */
	} leniency;
	uint8_t describe;        /* the encoder's first packet is its discovery record */
	uint16_t layout[HS_ET_LAYOUT_IOPTIONS]; /* by enum hs_et_layout_id; ETRACE_OF_DIALECT */
	/* 4 bits each: the number of an option from 1, or an ETRACE_LIST */
	uint64_t ioptions, doptions;
	uint64_t type_widths; /* the same: bits of type of a srcID, plus 1 */
	/* Parameters of the ingress port and of filters: they do not change packets. */
	struct {
		uint8_t retires, blocks, taken_branches, iretire_width, ilastsize_width,
			ctype_width, impdef_width, insn_width, privilege_reset;
		uint16_t user_width, ldata_width, sdata_width;
		uint8_t dblock_width, dsize_width, iaddr_lsbs_width, lresp_width;
		uint8_t comparators, filters, ecause_choice, context, time, excint, ecause,
			interrupt, privilege, tval, impdef;
	} hart;
};

struct etrace_encoder {
	struct hs_encoder common;
	struct hs_et_encoder et;
	uint8_t discovery_bytes; /* of the packet that is still to be sent */
	uint8_t discovery[HS_ET_PACKET_MAX];
	struct hs_et_data_coder data;
	uint64_t tables[]; /* hs_et_encoder_memory() bytes */
};

struct et_decoder {
	struct hs_decoder common;
	struct hs_et_decoder et;
	struct hs_et_config config;
	void *tables;                  /* of the sources */
	struct hs_et_data_coder *data; /* of each source, with data_trace */
};

/* How sure a decoder is before it goes on. */
enum etrace_after_damage { ETRACE_SURE, ETRACE_SOON, ETRACE_STRICT };

#define ETRACE_MARK_AUTO 2
#define ETRACE_FAST_AUTO 3
#define ETRACE_OF_THE_DIALECT 2
#define ETRACE_OF_DIALECT 0xffff

/* Words of ioptions and doptions that are no option. */
#define ETRACE_LIST_UNUSED 13  /* a bit without meaning */
#define ETRACE_LIST_NONE 14    /* as the only word: there are no bits */
#define ETRACE_LIST_DIALECT 15 /* as the only word: the dialect's */

/* comparators, filters: the number is not known. */
#define ETRACE_NOT_GIVEN 0xff

/* The configuration as the library takes it. */
struct hs_et_config protocol_et_plain(const void *config);
/* The same before a packet is read: what support packets will say may be missing. */
struct hs_et_config protocol_et_unread(const void *config);

/* etrace_config.c, etrace_registers.c: as struct codec has them. */
void protocol_et_defaults(void *config, enum codec_defaults which);
enum hs_status protocol_et_check(const void *config, enum codec_check what,
                                 struct hs_protocol_traits *traits);
enum hs_status protocol_et_take_registers(void *config, const struct hs_tc_regs *registers);
enum hs_status protocol_et_put_registers(const void *config, struct hs_tc_regs *registers);
size_t protocol_et_find_cut(const void *config, const struct hs_span *bytes, bool synchronises);
enum hs_status protocol_et_find_ring(const void *config, const struct hs_span *buffer, uint64_t wp,
                                     struct hs_ring *ring);

/* etrace_discovery.c: the same. */
enum hs_status protocol_et_take_discovery(void *config, const uint32_t *words, size_t count);
bool protocol_et_find_discovery(void *config, const struct hs_span *bytes, enum codec_known known,
                                struct hs_discovered *out);
/* Can messages of this configuration describe their encoder? */
bool protocol_et_discovers(const void *config);
/* The record that the parameters make (0.026); HS_E_CONFIG: it cannot have them. */
enum hs_status protocol_et_record(const struct etrace_config *c, struct hs_et_discovery *d);
/* Prepare the packet with it. */
enum hs_status protocol_et_describe_encoder(struct etrace_encoder *e,
                                            const struct etrace_config *c);

/* etrace_encoder.c, etrace_decoder.c, etrace_diag.c, etrace_reader.c, etrace_lint.c: the same. */
enum hs_status protocol_et_encoder_new(struct hs_encoder **encoder, const void *config);
enum hs_status protocol_et_encode(struct hs_encoder *encoder, const struct hs_block *in, size_t n,
                                  size_t *used, uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_et_encode_port(struct hs_encoder *encoder, const struct hs_block *b,
                                       uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_et_encode_end(struct hs_encoder *encoder, uint8_t *out, size_t cap,
                                      size_t *len);
enum hs_status protocol_et_set_options(struct hs_encoder *encoder, const void *config);
unsigned protocol_et_counts(const struct codec_tally *t, struct hs_message_count *out,
                            unsigned cap);
void protocol_et_diag(const struct hs_decoder *decoder, enum hs_status s, struct hs_fault *fault);
void protocol_et_where(const struct hs_reader *reader, struct hs_message *m);
extern const struct codec_machine protocol_et_decoder, protocol_et_reader;
extern const struct codec_lint_kind protocol_et_lint;

/* A decoder; @memo: it remembers messages, and takes what the parameters say to it. */
enum hs_status protocol_et_decoder_new(struct hs_decoder **decoder, const void *config,
                                       const struct hs_image *image, const struct hs_image_set *set,
                                       bool memo);
/* A coder of data trace for each source. */
enum hs_status protocol_et_coders_new(struct hs_et_data_coder **out, const void *config,
                                      size_t sources);

/* A packet, ready to be shown. */
void protocol_et_describe(const struct hs_et_config *c, const struct hs_et_packet *p,
                          struct hs_message *m);

#endif
