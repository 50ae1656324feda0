/* N-Trace as a row of the table of protocols. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "ntrace/ntrace.h"
#include "trace/ntrace.h"

#define P(name, field, max, words, help) \
	{ \
		name, help, words, max, false, offsetof(struct hs_nt_config, field), \
			sizeof(((struct hs_nt_config *)0)->field), 0 \
	}

/* The library's configuration, and what a decoder is given on top. */
struct ntrace_config {
	struct hs_nt_config nt;
	uint64_t message_blocks; /* 0: HS_MESSAGE_BLOCKS */
};

static const struct hs_param params[] = {
	P("trTeInstMode", inst_mode, 7, "btm=3 htm=6", "branch or history trace messages"),
	P("trTeSrcBits", src_bits, 12, NULL, "bits of SRC in each message; 0: no SRC"),
	P("trTeSrcID", src_id, 4095, NULL, "SRC of the encoder"),
	P("trTeInhibitSrc", inhibit_src, 1, NULL, "1: no SRC although trTeSrcBits is set"),
	P("trTeInstSyncMode", sync_mode, 8, "off=0 messages=1 cycles=2 halfwords=3 bytes=8",
	  "what is counted for periodic synchronisation"),
	P("trTeInstSyncMax", sync_max, 15, NULL, "synchronise each 2^(n+4) of them"),
	P("trTeInstEnSequentialJump", sequential_jump, 1, NULL,
	  "1: targets of lui/auipc and jalr pairs are not sent"),
	P("trTeInstImplicitReturnMode", implicit_return, 3, "off=0 counting=1 partial=2 full=3",
	  "targets of returns that match their call are not sent"),
	P("trTeInstEnRepeatedHistory", repeated_history, 1, NULL,
	  "1: equal full HIST fields are counted"),
	P("trTeInstEnAllJumps", all_jumps, 1, NULL,
	  "1: direct jumps are reported like taken branches"),
	P("trTeInstExtendAddrMSB", extend_addr, 1, NULL,
	  "1: equal top bits of addresses are not sent"),
	P("addressBits", address_bits, 63, NULL,
	  "bits of an address field, whose top bit stands for those above it, 2 to 63 (38 for "
	  "Sv39, 47 for Sv48, 56 for Sv57); 0: as trTeInstExtendAddrMSB says"),
	P("trTeContext", context, 1, NULL, "1: Ownership messages"),
	P("trTsEnable", timestamps, 1, NULL, "1: TSTAMP in each message"),
	P("trTeInstStallEna", stall, 1, NULL,
	  "1: a full queue stalls the hart (encoders in a model)"),
	P("repeatBranch", repeat_branch, 1, NULL,
	  "1: equal branch messages are counted by RepeatBranch"),
	P("callStack", call_stack, 32, NULL, "return addresses that the encoder keeps; 0: 32"),
	P("returnBits", return_bits, 63, NULL,
	  "low bits of an address that mode partial compares; 0: 16"),
	P("reportedCalls", reported_calls, 1, NULL,
	  "1: a return is inferred only when a message before reported its call"),
	P("hrepeatBits", hrepeat_bits, 18, NULL, "bits of HREPEAT and B-CNT, 1 to 18; 0: 18"),
	P("itypeBits", itype_bits, 4, NULL, "width of itype at the ingress port, 3 or 4; 0: 4"),
	P("xlen", xlen, 64, NULL, "32 or 64; 0: 64 (encoder, for trTeInstExtendAddrMSB)"),
	P("dialect", dialect, 3, "rc7=0 1.0=1 reference=2 sifive=3", "which N-Trace it is"),
	P("icntBits", icnt_bits, 22, NULL, "bits of the I-CNT counter, 4 to 22; 0: 22"),
	P("histBits", hist_bits, 31, NULL, "branches that HIST holds, 1 to 31; 0: 31"),
	P("icntFull", icnt_full, 1, "resource=0 sync=1", "how a full I-CNT counter is reported"),
	P("btypePlain", btype_plain, 1, NULL, "1: traps have B-TYPE 1 instead of 2 and 3"),
	P("histAlways", hist_always, 1, NULL, "1: IndirectBranchHist also where HIST is empty"),
	P("startSync", start_sync, 15, NULL, "SYNC of the first message; 0: 5"),
	P("stopEvcode", stop_evcode, 15, NULL, "EVCODE of the last message"),
	P("periodicEvents", periodic_events, 1, NULL,
	  "1: periodic synchronisation is reported as an event, too"),
	{ "messageBlocks", "decode: blocks that a message may mean; more are damage; 0: 2^28", NULL,
	  HS_MESSAGE_BLOCKS, false, offsetof(struct ntrace_config, message_blocks), 8, 0 },
};

#define BTM "trTeInstMode=btm "
#define HTM "trTeInstMode=htm "
#define ALL \
	"trTeInstImplicitReturnMode=full trTeInstEnSequentialJump=1 trTeInstExtendAddrMSB=1 " \
	"repeatBranch=1"
#define VARIANTS(m, M) \
	{ m, M }, { m ", implicit return, counting", M "trTeInstImplicitReturnMode=counting" }, \
		{ m ", implicit return, partial", M "trTeInstImplicitReturnMode=partial" }, \
		{ m ", implicit return, full", M "trTeInstImplicitReturnMode=full" }, \
		{ m ", sequential jumps", M "trTeInstEnSequentialJump=1" }, \
		{ m ", extended addresses", M "trTeInstExtendAddrMSB=1" }, \
	{ \
		m ", repeated branches", M "repeatBranch=1" \
	}

static const struct hs_variant variants[] = {
	VARIANTS("BTM", BTM),
	{ "BTM, all", BTM ALL },
	VARIANTS("HTM", HTM),
	{ "HTM, repeated history", HTM "trTeInstEnRepeatedHistory=1" },
	{ "HTM, all", HTM ALL " trTeInstEnRepeatedHistory=1" },
};

static void config_init(void *config)
{
	memset(config, 0, sizeof(struct ntrace_config));
	((struct hs_nt_config *)config)->size = sizeof(struct hs_nt_config);
}

static enum hs_status config_check(const void *config)
{
	return hs_nt_config_check(config);
}

static enum hs_status config_sources(void *config, uint32_t sources)
{
	struct hs_nt_config *c = config;
	unsigned bits = 0;

	while (bits < 12 && sources > 1u << bits)
		bits++;
	if (sources > 1u << bits || (c->src_bits && c->src_bits < bits) ||
	    (sources > 1 && c->inhibit_src))
		return HS_E_CONFIG;
	if (!c->src_bits)
		c->src_bits = (uint8_t)bits;
	return HS_OK;
}

static enum hs_status config_registers(void *config, const struct hs_tc_regs *registers)
{
	return hs_tc_nt_config(registers, config);
}

static enum hs_status config_to_registers(const void *config, struct hs_tc_regs *registers)
{
	return hs_tc_set_nt_config(registers, config);
}

/* A lost byte costs the messages up to the next synchronisation: some thousand. */
static void config_sync(void *config)
{
	struct hs_nt_config *c = config;
	const struct hs_nt_dialect *dialect = hs_nt_dialect_get(c->dialect);

	if (c->sync_mode != HS_NT_SYNC_OFF || !dialect || !dialect->sync_max)
		return;
	c->sync_mode = HS_NT_SYNC_MESSAGES;
	c->sync_max = dialect->sync_max;
}

static void config_hart(void *config, uint32_t hart)
{
	((struct hs_nt_config *)config)->src_id = (uint16_t)hart;
}

static bool config_is_timed(const void *config)
{
	return ((const struct hs_nt_config *)config)->timestamps;
}

static bool config_ecall_traps(const void *config)
{
	return hs_nt_dialect_get(((const struct hs_nt_config *)config)->dialect)->ecall_traps;
}

static bool config_only_ecalls(const void *config)
{
	return hs_nt_dialect_get(((const struct hs_nt_config *)config)->dialect)->btype_zero;
}

/* ---- encoder ------------------------------------------------------------------ */

static size_t encoder_size(const void *config)
{
	(void)config;
	return sizeof(struct hs_nt_encoder);
}

static enum hs_status encoder_init(void *encoder, const void *config)
{
	const enum hs_status s = hs_nt_encoder_init(encoder, config);

	if (s == HS_OK)
		hs_nt_encoder_use_runs(encoder);
	return s;
}

static enum hs_status encode(void *encoder, const struct hs_block *in, size_t n, size_t *used,
                             uint8_t *out, size_t cap, size_t *len)
{
	return hs_nt_encode(encoder, in, n, used, out, cap, len);
}

static enum hs_status encode_port(void *encoder, const struct hs_block *b, uint8_t *out, size_t cap,
                                  size_t *len)
{
	return hs_nt_encode_port(encoder, b, out, cap, len);
}

static enum hs_status encode_end(void *encoder, uint8_t *out, size_t cap, size_t *len)
{
	return hs_nt_encode_end(encoder, out, cap, len);
}

static unsigned counts(unsigned dialect, const uint64_t *messages, const uint64_t *bytes,
                       struct hs_message_count *out, unsigned cap)
{
	unsigned n = 0;

	for (unsigned t = 0; t < 64 && n < cap; t++)
		if (messages[t])
			out[n++] =
				(struct hs_message_count){ hs_nt_dialect_msg_name(dialect, t),
				                           messages[t], bytes ? bytes[t] : 0, t };
	return n;
}

static unsigned encoder_counts(const void *encoder, struct hs_message_count *out, unsigned cap)
{
	return counts(HS_NT_DIALECT_V1_0, hs_nt_encoder_stats(encoder)->messages, NULL, out, cap);
}

/* ---- decoder ------------------------------------------------------------------ */

static void decoder_free(void *decoder)
{
	if (decoder)
		protocol_memory_free(&((struct protocol_nt_decoder *)decoder)->memory);
	free(decoder);
}

static enum hs_status decoder_new(void **decoder, const void *config, const struct hs_image *image,
                                  const struct hs_image_set *set)
{
	const struct hs_nt_config *c = config;
	const size_t sources = (size_t)1 << (c->src_bits <= 12 ? c->src_bits : 12);
	struct protocol_nt_decoder *d = calloc(1, sizeof(*d));
	enum hs_status s = HS_E_MEMORY;

	if (!d)
		return s;
	d->dialect = c->dialect;
	s = protocol_memory_new(&d->memory, image, set, sources, sizeof(struct hs_nt_source));
	if (s == HS_OK)
		s = hs_nt_decoder_init(&d->nt, c, &d->memory.table, d->memory.sources, sources);
	if (s == HS_OK)
		s = protocol_memo_new(&d->memory);
	if (s == HS_OK)
		hs_nt_decoder_set_memo(&d->nt, &d->memory.memo);
	if (s == HS_OK)
		hs_nt_decoder_set_limit(&d->nt,
		                        ((const struct ntrace_config *)config)->message_blocks);
	if (s == HS_OK && d->memory.table_count)
		hs_nt_decoder_programs(&d->nt, d->memory.tables, set->contexts, set->count);
	if (s == HS_OK)
		*decoder = d;
	else
		decoder_free(d);
	return s;
}

static struct hs_memo *decoder_memo(void *decoder)
{
	struct protocol_nt_decoder *d = decoder;
	const struct hs_nt_config *c = &d->nt.config;

	return c->src_bits || d->memory.table_count ? NULL : &d->memory.memo;
}

static void decoder_guide(void *decoder, const struct hs_code_guide *guide)
{
	hs_nt_decoder_set_guide(&((struct protocol_nt_decoder *)decoder)->nt, guide);
}

static void decoder_lose(void *decoder)
{
	hs_nt_decoder_lose(&((struct protocol_nt_decoder *)decoder)->nt);
}

static size_t decoder_state(const void *decoder)
{
	const struct protocol_nt_decoder *d = decoder;

	return sizeof(d->nt) + d->nt.stream.count * sizeof(struct hs_nt_source);
}

static void decoder_save(const void *decoder, void *state)
{
	const struct protocol_nt_decoder *d = decoder;

	memcpy(state, &d->nt, sizeof(d->nt));
	memcpy((uint8_t *)state + sizeof(d->nt), d->nt.sources,
	       d->nt.stream.count * sizeof(struct hs_nt_source));
}

static void decoder_restore(void *decoder, const void *state)
{
	struct protocol_nt_decoder *d = decoder;

	memcpy(&d->nt, state, sizeof(d->nt));
	memcpy(d->nt.sources, (const uint8_t *)state + sizeof(d->nt),
	       d->nt.stream.count * sizeof(struct hs_nt_source));
}

static void decoder_expect(void *decoder, uint32_t src, uint64_t blocks)
{
	hs_nt_decoder_expect(&((struct protocol_nt_decoder *)decoder)->nt, src, blocks);
}

static bool decoder_place(const void *decoder, uint32_t src, struct hs_code_place *place)
{
	return hs_nt_decoder_place(&((const struct protocol_nt_decoder *)decoder)->nt, src, place);
}

static bool decoder_same(const void *decoder, const void *state, uint32_t src)
{
	const struct hs_nt_decoder *d = &((const struct protocol_nt_decoder *)decoder)->nt,
				   *was = state;
	const struct hs_nt_source *then = (const void *)((const uint8_t *)state + sizeof(*d));

	for (size_t i = 0; i < was->stream.count; i++)
		if (then[i].track.src == src)
			return hs_nt_source_same(d, &d->sources[i], &then[i]);
	return false;
}

static void decoder_begin(void *decoder, uint64_t offset)
{
	((struct protocol_nt_decoder *)decoder)->nt.reader.offset = offset;
}

/* A source without what a message of before has in fields that it does not have. */
static struct hs_nt_source without_absent(const struct hs_nt_source *s)
{
	static const uint8_t fields[] = { HS_NTF_BTYPE, HS_NTF_ICNT, HS_NTF_UADDR, HS_NTF_HIST };
	struct hs_nt_source out = *s;

	out.last_present = s->last_tcode ? s->last_present : 0;
	for (unsigned i = 0; i < sizeof(fields); i++)
		if (!(out.last_present >> fields[i] & 1u))
			out.last[i] = 0;
	return out;
}

static bool alike(const struct protocol_nt_decoder *a, const struct hs_nt_source *x,
                  const struct protocol_nt_decoder *b, const struct hs_nt_source *y)
{
	const struct hs_nt_source one = without_absent(x);
	struct hs_nt_source other = without_absent(y);

	other.track.table = x->track.table;
	return x->track.src == y->track.src && protocol_same_time(&x->track, &y->track) &&
	       protocol_memory_same(&a->memory, x->track.table, &b->memory, y->track.table) &&
	       hs_nt_source_same(&a->nt, &one, &other);
}

/* Inside a message both hold the same bytes of it: those before the current one. */
static bool same_reader(const struct hs_nt_reader *a, const struct hs_nt_reader *b)
{
	return a->held == b->held && a->offset == b->offset && !a->skipping && !b->skipping;
}

static bool decoder_alike(const void *decoder, const void *other, const void *state)
{
	const struct protocol_nt_decoder *d = decoder;
	const struct hs_nt_decoder *a = &d->nt, *b = state;
	const struct hs_nt_source *then = (const void *)((const uint8_t *)state + sizeof(*b));
	bool same =
		protocol_same_stream(&a->stream, &b->stream) && same_reader(&a->reader, &b->reader);

	for (size_t i = 0; i < a->stream.count && same; i++)
		same = alike(d, &a->sources[i], other, &then[i]);
	return same;
}

static void add_counts(struct hs_nt_stats *to, const struct hs_nt_stats *from,
                       const struct hs_nt_stats *end)
{
	protocol_follow_counts(to->messages, from->messages, end->messages,
	                       sizeof(to->messages) / sizeof(*to->messages));
	protocol_follow_counts(to->bytes, from->bytes, end->bytes,
	                       sizeof(to->bytes) / sizeof(*to->bytes));
	protocol_follow_counts(&to->errors, &from->errors, &end->errors, 1);
	protocol_follow_counts(&to->skipped, &from->skipped, &end->skipped, 1);
}

static void decoder_continue(void *decoder, const void *other, const void *join, const void *end)
{
	struct protocol_nt_decoder *d = decoder;
	const struct hs_nt_decoder *from = join, *to = end;
	const struct hs_nt_source *sources = (const void *)((const uint8_t *)end + sizeof(*to));

	add_counts(&d->nt.stats, &from->stats, &to->stats);
	d->nt.reader = to->reader;
	d->nt.msg = to->msg;
	d->nt.diag = to->diag;
	protocol_stream_take(&d->nt.stream, &to->stream);
	for (size_t i = 0; i < to->stream.count; i++) {
		struct hs_nt_source *s = &d->nt.sources[i];

		*s = sources[i];
		protocol_memory_take(&d->memory, &d->nt.stream,
		                     &((const struct protocol_nt_decoder *)other)->memory,
		                     &s->track);
		s->evidence.jumps.mark = 0; /* an entry of the other table */
	}
}

static enum hs_status decode(void *decoder, struct hs_span *in, struct hs_block *out, size_t cap,
                             size_t *count)
{
	return hs_nt_decoder_next(&((struct protocol_nt_decoder *)decoder)->nt, in, out, cap,
	                          count);
}

static enum hs_status decode_end(void *decoder, struct hs_block *out, size_t cap, size_t *count)
{
	return hs_nt_decoder_end(&((struct protocol_nt_decoder *)decoder)->nt, out, cap, count);
}

static bool is_hexadecimal(enum hs_nt_field f)
{
	return f == HS_NTF_FADDR || f == HS_NTF_UADDR || f == HS_NTF_HIST || f == HS_NTF_DQDATA ||
	       f == HS_NTF_CKDATA || f == HS_NTF_CKDATA1;
}

void protocol_nt_describe(const struct hs_nt_msg *nt, unsigned dialect, struct hs_message *m,
                          bool with_source)
{
	enum hs_nt_field fields[HS_NTF_COUNT];
	const unsigned n = hs_nt_dialect_msg_fields(dialect, nt->tcode, fields);

	*m = (struct hs_message){ .offset = nt->offset,
		                  .length = nt->length,
		                  .code = nt->tcode,
		                  .source = nt->src,
		                  .has_source = with_source,
		                  .name = hs_nt_dialect_msg_name(dialect, nt->tcode),
		                  .clause = hs_nt_dialect_msg_clause(dialect, nt->tcode) };
	for (unsigned i = 0; i < n; i++) {
		const enum hs_nt_field f = fields[i];

		if (hs_nt_has(nt, f))
			protocol_add_field(m, hs_nt_field_name(f), hs_nt_field_clause(f),
			                   nt->field[f], is_hexadecimal(f));
	}
}

static enum hs_reason decoder_diag(const void *decoder, enum hs_status s, struct hs_error *error)
{
	const struct protocol_nt_decoder *d = decoder;
	const struct hs_nt_diag *g = hs_nt_decoder_diag(&d->nt);
	struct hs_message m;
	char fields[256];

	protocol_nt_describe(&g->msg, d->dialect, &m, false);
	protocol_message_text(&m, fields, sizeof(fields));
	hs_error_set(error, s, "offset 0x%llx: %s (%s)%s%s%s, pc 0x%llx",
	             (unsigned long long)g->msg.offset, g->text ? g->text : hs_status_text(s),
	             g->clause ? g->clause : hs_status_name(s), g->msg.known ? ": " : "",
	             g->msg.known ? m.name : "", fields, (unsigned long long)g->pc);
	return g->reason;
}

static uint64_t decoder_pc(const void *decoder)
{
	return hs_nt_decoder_diag(&((const struct protocol_nt_decoder *)decoder)->nt)->pc;
}

static unsigned decoder_counts(const void *decoder, struct hs_message_count *out, unsigned cap)
{
	const struct protocol_nt_decoder *d = decoder;
	const struct hs_nt_stats *t = hs_nt_decoder_stats(&d->nt);

	return counts(d->dialect, t->messages, t->bytes, out, cap);
}

/* ---- reader ------------------------------------------------------------------- */

struct reader {
	struct hs_nt_reader nt;
	unsigned dialect;
	struct hs_nt_msg last;
	uint8_t payload[HS_NT_PAYLOAD_MAX]; /* of the last message without known fields */
};

static enum hs_status reader_new(void **reader, const void *config)
{
	const struct hs_nt_config *c = config;
	struct reader *r = calloc(1, sizeof(*r));

	if (!r)
		return HS_E_MEMORY;
	r->dialect = c->dialect;
	hs_nt_reader_init(&r->nt, c->inhibit_src ? 0 : c->src_bits);
	hs_nt_reader_set_dialect(&r->nt, c->dialect);
	*reader = r;
	return HS_OK;
}

static enum hs_status read_message(void *reader, struct hs_span *in, struct hs_message *m)
{
	struct reader *r = reader;

	r->last = (struct hs_nt_msg){ 0 };
	const enum hs_status s = hs_nt_read(&r->nt, in, &r->last);

	if (s == HS_MORE)
		return s;
	protocol_nt_describe(&r->last, r->dialect, m, r->nt.src_bits != 0);
	if (s == HS_OK && !r->last.known) {
		m->payload_bits = hs_nt_reader_payload(&r->nt, r->payload);
		m->payload = r->payload;
	}
	return s;
}

/* As protocol_nt_describe() lists them. */
static void find_fields(const void *reader, struct hs_message *m)
{
	const struct reader *r = reader;
	enum hs_nt_field fields[HS_NTF_COUNT];
	const unsigned n = hs_nt_dialect_msg_fields(r->dialect, r->last.tcode, fields);
	struct hs_bits v[HS_NTF_COUNT];
	unsigned k = 0;

	hs_nt_reader_where(&r->nt, &r->last, m->bytes, v);
	for (unsigned i = 0; i < n && k < m->count; i++)
		if (hs_nt_has(&r->last, fields[i]))
			m->field[k++].bits = v[fields[i]];
}

static size_t find_sync(const void *config, const struct hs_span *bytes)
{
	(void)config;
	return hs_nt_find_sync(bytes);
}

/* The byte after one whose MSEO is 11 begins a message, whatever was before (NT 3.1). */
static size_t find_end(const void *config, const struct hs_span *bytes)
{
	size_t n = bytes->n;

	(void)config;
	while (n && (bytes->p[n - 1] & 3u) != 3u)
		n--;
	return n;
}

/* No message says anything of the encoder that the reader needs. */
static void reader_begin(void *reader, const void *other)
{
	struct hs_nt_reader *r = &((struct reader *)reader)->nt;

	(void)other;
	r->offset = r->start = r->idle = 0;
	r->held = r->kept = 0;
	r->skipping = 0;
}

static bool reader_same(const void *reader, const void *other)
{
	return hs_nt_reader_end(&((const struct reader *)reader)->nt) == HS_OK &&
	       hs_nt_reader_end(&((const struct reader *)other)->nt) == HS_OK;
}

static enum hs_status read_end(const void *reader, uint64_t *offset)
{
	const struct hs_nt_reader *r = &((const struct reader *)reader)->nt;

	*offset = r->start;
	return hs_nt_reader_end(r);
}

const struct hs_protocol protocol_ntrace = {
	.name = "ntrace",
	.text = "RISC-V N-Trace 1.0 (Nexus messages)",
	.params = params,
	.param_count = sizeof(params) / sizeof(*params),
	.variants = variants,
	.variant_count = sizeof(variants) / sizeof(*variants),
	.config_size = sizeof(struct ntrace_config),
	.encoder_size = encoder_size,
	.encode_room = HS_NT_ENCODE_ROOM,
	.source_limit = 1u << 12,
	.config_init = config_init,
	.config_check = config_check,
	.config_sources = config_sources,
	.config_registers = config_registers,
	.config_to_registers = config_to_registers,
	.config_sync = config_sync,
	.config_ecall_traps = config_ecall_traps,
	.config_only_ecalls = config_only_ecalls,
	.config_hart = config_hart,
	.config_is_timed = config_is_timed,
	.encoder_init = encoder_init,
	.encode = encode,
	.encode_end = encode_end,
	.encode_port = encode_port,
	.encoder_counts = encoder_counts,
	.decoder_new = decoder_new,
	.decoder_guide = decoder_guide,
	.decoder_state = decoder_state,
	.decoder_save = decoder_save,
	.decoder_restore = decoder_restore,
	.decoder_expect = decoder_expect,
	.decoder_place = decoder_place,
	.decoder_same = decoder_same,
	.decoder_begin = decoder_begin,
	.find_sync = find_sync,
	.decoder_alike = decoder_alike,
	.decoder_continue = decoder_continue,
	.decoder_memo = decoder_memo,
	.decoder_free = decoder_free,
	.decode = decode,
	.decoder_lose = decoder_lose,
	.decode_end = decode_end,
	.decoder_diag = decoder_diag,
	.decoder_pc = decoder_pc,
	.decoder_counts = decoder_counts,
	.reader_new = reader_new,
	.reader_free = free,
	.read = read_message,
	.where = find_fields,
	.read_end = read_end,
	.find_end = find_end,
	.reader_begin = reader_begin,
	.reader_same = reader_same,
	.lint_kind = protocol_nt_lint_kind,
	.lint_new = protocol_nt_lint_new,
	.lint_free = protocol_lint_free,
	.lint_next = protocol_lint_next,
	.lint_end = protocol_lint_end,
	.lint_counts = protocol_lint_counts,
	.lint_state = protocol_lint_state,
	.lint_save = protocol_lint_save,
	.lint_begin = protocol_lint_begin,
	.lint_alike = protocol_lint_alike,
	.lint_continue = protocol_lint_continue,
	.rule = hs_nt_rule,
};
