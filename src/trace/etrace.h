/* Pieces of E-Trace's row in the table of protocols. */
#ifndef HS_PROTOCOL_ETRACE_H
#define HS_PROTOCOL_ETRACE_H

#include <hartscope/etrace.h>
#include <hartscope/qualifier.h>

#include "etrace/etrace.h"
#include "trace/protocol_private.h"

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
	uint8_t after_damage;    /* enum etrace_after_damage */
	uint8_t other_packets;   /* packets of types that are not announced are skipped */
	uint64_t message_blocks; /* that a packet may mean; 0: HS_MESSAGE_BLOCKS */
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
		uint8_t dblock_width, dsize_width, dtype_width, iaddr_lsbs_width, lresp_width;
		uint8_t comparators, filters, ecause_choice, context, time, excint, ecause,
			interrupt, privilege, tval, impdef;
	} hart;
};

struct etrace_encoder {
	struct hs_et_encoder et;
	uint8_t version;         /* for the names of its packets */
	uint8_t discovery_bytes; /* of the packet that is still to be sent */
	uint8_t discovery[HS_ET_PACKET_MAX];
	struct hs_et_data_coder data;
	uint64_t tables[]; /* hs_et_encoder_memory() bytes */
};

struct protocol_et_decoder {
	struct hs_et_decoder et;
	struct hs_et_config config;
	struct protocol_memory memory;
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

/* etrace_config.c and etrace_codec.c: the functions of struct hs_protocol
 * (hartscope/protocol.h). */
void protocol_et_config_init(void *config);
enum hs_status protocol_et_config_filters(const void *config,
                                          const struct hs_qualifier_config *filters);
void protocol_et_config_follow(void *config);
void protocol_et_config_sync(void *config);
void protocol_et_config_width(void *config, const struct hs_isa *isa);
void protocol_et_config_isa(const void *config, struct hs_isa *isa);
enum hs_status protocol_et_config_check(const void *config);
enum hs_status protocol_et_config_sources(void *config, uint32_t sources);
enum hs_status protocol_et_config_to_registers(const void *config, struct hs_tc_regs *registers);
enum hs_status protocol_et_config_registers(void *config, const struct hs_tc_regs *registers);
void protocol_et_config_null_run(const void *config, uint32_t *null_run);
enum hs_status protocol_et_find_ring(const void *config, const struct hs_span *buffer, uint64_t wp,
                                     struct hs_ring *ring);
bool protocol_et_config_headers(const void *config, uint8_t *src_bytes, uint8_t *tstamp_bytes);
void protocol_et_decoder_lose(void *decoder);
bool protocol_et_config_is_timed(const void *config);
void protocol_et_config_hart(void *config, uint32_t hart);
const struct hs_image *protocol_et_config_boot(const void *config);

/* etrace_discovery.c: the same. */
enum hs_status protocol_et_config_discovery(void *config, const uint32_t *words, size_t count);
bool protocol_et_config_discovers(const void *config);
bool protocol_et_find_discovery(const void *config, const struct hs_span *bytes,
                                struct hs_discovered *out);
/* The record that the parameters make (0.026); HS_E_CONFIG: it cannot have them. */
enum hs_status protocol_et_record(const struct etrace_config *c, struct hs_et_discovery *d);
/* Prepare the packet with it. */
enum hs_status protocol_et_describe_encoder(struct etrace_encoder *e,
                                            const struct etrace_config *c);

size_t protocol_et_encoder_size(const void *config);
enum hs_status protocol_et_encoder_init(void *encoder, const void *config);
enum hs_status protocol_et_encode(void *encoder, const struct hs_block *in, size_t n, size_t *used,
                                  uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_et_encode_end(void *encoder, uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_et_encode_port(void *encoder, const struct hs_block *b, uint8_t *out,
                                       size_t cap, size_t *len);
enum hs_status protocol_et_encoder_options(void *encoder, const void *config);
unsigned protocol_et_encoder_counts(const void *encoder, struct hs_message_count *out,
                                    unsigned cap);
void protocol_et_decoder_guide(void *decoder, const struct hs_code_guide *guide);
size_t protocol_et_decoder_state(const void *decoder);
void protocol_et_decoder_save(const void *decoder, void *state);
void protocol_et_decoder_restore(void *decoder, const void *state);
void protocol_et_decoder_expect(void *decoder, uint32_t src, uint64_t blocks);
bool protocol_et_decoder_place(const void *decoder, uint32_t src, struct hs_code_place *place);
bool protocol_et_decoder_same(const void *decoder, const void *state, uint32_t src);
void protocol_et_decoder_begin(void *decoder, uint64_t offset);
size_t protocol_et_find_sync(const void *config, const struct hs_span *bytes);
bool protocol_et_decoder_alike(const void *decoder, const void *other, const void *state);
void protocol_et_decoder_continue(void *decoder, const void *other, const void *join,
                                  const void *end);
struct hs_memo *protocol_et_decoder_memo(void *decoder);
/* Its codec, for d->config and in d->memory.  HS_OK, HS_E_MEMORY, or as hs_et_decoder_init(). */
enum hs_status protocol_et_start(struct protocol_et_decoder *d, size_t sources);
void protocol_et_decoder_free(void *decoder);
enum hs_status protocol_et_decoder_new(void **decoder, const void *config,
                                       const struct hs_image *image,
                                       const struct hs_image_set *set);
enum hs_status protocol_et_decode(void *decoder, struct hs_span *in, struct hs_block *out,
                                  size_t cap, size_t *count);
enum hs_status protocol_et_decode_end(void *decoder, struct hs_block *out, size_t cap,
                                      size_t *count);
enum hs_reason protocol_et_decoder_diag(const void *decoder, enum hs_status s,
                                        struct hs_error *error);
uint64_t protocol_et_decoder_pc(const void *decoder);
unsigned protocol_et_decoder_counts(const void *decoder, struct hs_message_count *out,
                                    unsigned cap);
enum hs_status protocol_et_reader_new(void **reader, const void *config);
void protocol_et_reader_free(void *reader);
enum hs_status protocol_et_read_packet(void *reader, struct hs_span *in, struct hs_message *m);
void protocol_et_find_fields(const void *reader, struct hs_message *m);
enum hs_status protocol_et_read_end(const void *reader, uint64_t *offset);
size_t protocol_et_find_end(const void *config, const struct hs_span *bytes);
void protocol_et_reader_begin(void *reader, const void *other);
bool protocol_et_reader_same(const void *reader, const void *other);

/* etrace_lint.c: the same. */
bool protocol_et_lint_kind(unsigned index, struct hs_lint_kind *out);
enum hs_status protocol_et_lint_new(void **lint, const void *config, const struct hs_image *image,
                                    const struct hs_image_set *set);

/* A packet, ready to be shown. */
void protocol_et_describe(const struct hs_et_config *c, const struct hs_et_packet *p,
                          struct hs_message *m);

#endif
