/* Any bytes are a configuration and a trace, over any program: reader, decoder and encoders end,
 * say the same however the bytes are cut, and keep their own rules.
 *
 * Input: version and dialect, piece size, code length in half-words, options, sizes of tables,
 * flags, widths; code; trace.  With the two top bits of the code's length the framing is in no
 * dialect.  With bit 7 of the flags the whole struct hs_et_config stands before
 * the code.
 */
#include <hartscope/etrace.h>

#include "edit.h"
#include "etrace/et_config.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"
#include "etrace/etrace_data.h"
#include "fuzz.h"
#include "stream.h"

#define SOURCES 4
#define CAPACITY 32 /* small: the table starts afresh often */
#define BLOCKS (HS_ET_DECODE_ROOM + 1)
#define BLOCKS_LIMIT 100000 /* a count of branches may stand for far more */
#define HEAD 7
#define CODE 0x1000

/* ---- the configuration ------------------------------------------------------------ */

/* A framing that is in no dialect; data trace where it has types. */
static void set_layout(struct hs_et_config *c, const uint8_t *head)
{
	struct hs_et_layout_config *w = &c->layout;

	w->given = 1u << HS_ET_LAYOUT_FRAME | 1u << HS_ET_LAYOUT_LENGTH_BITS |
	           1u << HS_ET_LAYOUT_TYPE_BITS | 1u << HS_ET_LAYOUT_TYPE_INST |
	           1u << HS_ET_LAYOUT_TYPE_DATA | 1u << HS_ET_LAYOUT_PADDING |
	           1u << HS_ET_LAYOUT_THADDR;
	w->frame = head[1] % HS_ET_FRAMES;
	w->length_bits = w->frame == HS_ET_FRAME_ENCAP || w->frame >= HS_ET_FRAME_INDEXED
	                         ? 5 : (uint8_t)(5 + head[4] % 3);
	w->type_bits = w->frame == HS_ET_FRAME_BARE || w->frame == HS_ET_FRAME_INDEXED ||
	                       w->frame >= HS_ET_FRAME_SLOT
	                       ? 0 : head[1] >> 4 & 1;
	if (w->frame == HS_ET_FRAME_INDEXED)
		c->anchor_bytes = head[1] % 32;
	if (w->frame == HS_ET_FRAME_SLOT)
		c->tstamp_bytes = head[4] % 9;
	if (w->frame == HS_ET_FRAME_SLOT_HEAD)
		c->tstamp_bytes = head[4] & 8;
	if (w->frame == HS_ET_FRAME_MESSAGE) {
		c->src_bits = head[1] % 13;
		c->tstamp_bytes = head[4] % 9;
	}
	w->type_data = w->type_bits;
	if (c->version != HS_ET_0_026 && c->version != HS_ET_FAST) {
		w->given |= 1u << HS_ET_LAYOUT_LONG_SIGN | 1u << HS_ET_LAYOUT_BLOCK_END;
		w->long_sign = head[5] >> 6 & 1;
		w->block_end = head[5] >> 5 & 1;
	}
	if (w->frame == HS_ET_FRAME_SLOT_HEAD) {
		w->given |= 1u << HS_ET_LAYOUT_ADDRESS_LAST | 1u << HS_ET_LAYOUT_MAP_AHEAD;
		w->address_last = w->map_ahead = 1;
		w->long_sign = w->block_end = 0;
	}
	w->padding = head[5] % HS_ET_PADDINGS;
	w->thaddr = head[5] >> 7;
}

/* What a standard support packet can say (2.1). */
static void fit_standard(struct hs_et_config *c)
{
	c->bpred_size %= 8;
	c->cache_size %= 8;
	c->return_stack_size %= 8;
	c->time_width = (uint8_t)(16 * (1 + c->iaddress_width / 32));
	c->other_width = c->notval ? 3 : 0;
}

/* The first byte: a version and a dialect; 2.1 in place of 2.0 where its top bit is 1. */
static struct hs_et_config configure(const uint8_t *head)
{
	struct hs_et_config c = { .size = sizeof c,
		                  .version = head[0] % HS_ET_2_1,
		                  .sync_mode = HS_ET_SYNC_PACKETS };

	if (c.version == HS_ET_2_0 && head[0] >> 7)
		c.version = HS_ET_2_1;
	c.dialect = (head[0] & 127) / HS_ET_2_1 % HS_ET_DIALECT_COUNT;
	c.options = c.version == HS_ET_FAST ? 0 : head[3] & 63;
	c.fast = c.version == HS_ET_FAST ? head[3] % 4 : 0;
	c.cycles = c.version == HS_ET_FAST ? head[3] / 4 % 4 : 0;
	c.bpred_size = head[4] % (HS_ET_BPRED_MAX + 1);
	c.cache_size = head[4] / 16 % (HS_ET_CACHE_MAX + 1);
	if (head[3] & 64)
		c.call_counter_size = head[5] % (HS_ET_RETURN_MAX + 1);
	else
		c.return_stack_size = head[5] % (HS_ET_RETURN_MAX + 1);
	c.data_trace = c.version == HS_ET_2_0 && head[4] >> 7;
	c.sijump = head[5] >> 3 & 1;
	c.f0s_width = (head[5] >> 4) % 3;
	c.context = !(head[6] & 1);
	c.time = !(head[6] >> 1 & 1);
	c.notval = head[6] >> 2 & 1;
	c.iaddress_width = head[6] & 8 ? 32 : 64;
	c.no_compress = head[6] >> 4 & 1;
	c.sync_max = head[6] & 32 ? 0 : 8;
	if (c.dialect == HS_ET_DIALECT_STANDARD && head[6] & 64)
		c.src_bits = head[1] % 13;
	if (head[2] >> 6 == 3)
		set_layout(&c, head);
	if (c.version == HS_ET_2_1)
		fit_standard(&c);
	return c;
}

/* ---- reader ----------------------------------------------------------------------- */

static bool is_read_only(const struct hs_et_config *c)
{
	struct hs_et_layout_config w;
	const uint32_t given = c->layout.given;

	if (hs_et_layout_of(c->dialect, c->version, &w) != HS_OK)
		return false;
	return (given >> HS_ET_LAYOUT_FRAME & 1 ? c->layout.frame : w.frame) >= HS_ET_FRAME_SLOT ||
	       c->dialect == HS_ET_DIALECT_CVA6 ||
	       (given >> HS_ET_LAYOUT_LONG_SIGN & 1 ? c->layout.long_sign : w.long_sign) ||
	       (given >> HS_ET_LAYOUT_BLOCK_END & 1 ? c->layout.block_end : w.block_end);
}

/* What was read can be written, and is then read as the same. */
static void write_again(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	uint8_t bytes[HS_ET_PACKET_MAX];
	struct hs_et_packet again = { 0 };
	struct hs_et_reader r;
	const size_t n = hs_et_write(c, p, bytes);
	struct hs_span in = { bytes, n };

	if (is_read_only(c))
		return;
	fuzz_must(n > 0 && n <= HS_ET_PACKET_MAX);
	hs_et_reader_init(&r, c);
	fuzz_must(hs_et_read(&r, &in, &again) == HS_OK && in.n == 0);
	fuzz_must(again.form == p->form && again.present == p->present && again.src == p->src);
	fuzz_must(memcmp(again.field, p->field, sizeof p->field) == 0);
}

/* @ours: our encoder wrote it, so that all of it is good. */
static void read_all(const struct hs_et_config *c, const uint8_t *p, size_t n, bool ours)
{
	struct hs_span in = { p, n };
	struct hs_et_packet packet = { 0 };
	struct hs_et_config now = *c;
	struct hs_et_reader r;
	enum hs_status s;

	fuzz_must(hs_et_reader_init(&r, c) == HS_OK);
	const unsigned given = hs_et_reader_options(&r);
	for (;;) {
		s = hs_et_read(&r, &in, &packet);
		if (s == HS_MORE)
			break;
		fuzz_must(s == HS_OK || (s == HS_E_FIELD && !ours));
		if (s != HS_OK || packet.form == HS_ET_FORM_OTHER)
			continue;
		now.options = hs_et_reader_options(&r) & 63;
		/* of 2.1 packets may say that others are laid out in another way */
		if (c->version != HS_ET_2_1 || hs_et_reader_options(&r) == given)
			write_again(&now, &packet);
		if (packet.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&r, &packet);
	}
	fuzz_must(in.n == 0 && (!ours || hs_et_reader_end(&r) == HS_OK));
}

/* ---- decoder ---------------------------------------------------------------------- */

static enum hs_status feed(void *d, struct hs_span *in, struct hs_blocks *out)
{
	return hs_et_decoder_next(d, in, out->at, out->cap, &out->n);
}

static enum hs_status end(void *d, struct hs_blocks *out)
{
	return hs_et_decoder_end(d, out->at, out->cap, &out->n);
}

/* Data trace, as decode() has it. */
static enum hs_status open_coders(struct hs_et_data_coder *c, const struct hs_et_config *config)
{
	const struct hs_et_data_config data = { .size = sizeof data,
		                                .split = config->f0s_width & 1 };
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < SOURCES && s == HS_OK; i++)
		s = hs_et_data_init(&c[i], &data);
	return s;
}

static struct outcome decode(const struct hs_et_config *config, const struct hs_image *image,
                             const uint8_t *trace, size_t n, size_t piece)
{
	static struct hs_et_source sources[SOURCES];
	static struct hs_et_data_coder coders[SOURCES];
	const struct hs_et_data_config data = { .size = sizeof data,
		                                .split = config->f0s_width & 1 };
	struct hs_bb_table table;
	struct hs_et_decoder d;
	struct hs_block blocks[BLOCKS];
	struct stream s = { &d, feed, end, { blocks, BLOCKS, 0 }, BLOCKS_LIMIT, .decoder = true };
	void *memory = malloc(hs_bb_memory(CAPACITY));
	/* support packets of 2.1 may name larger tables, with room or without */
	const size_t more_room = config->version == HS_ET_2_1 ? 2048 : 0;
	const size_t room = SOURCES * (hs_et_source_memory(config) + more_room);
	void *tables = malloc(room);

	fuzz_must(memory && hs_bb_init(&table, image, memory, CAPACITY) == HS_OK);
	fuzz_must(hs_et_decoder_init(&d, config, &table, sources, SOURCES, tables, room) ==
	          HS_OK);
	for (size_t i = 0; i < SOURCES; i++)
		fuzz_must(hs_et_data_init(&coders[i], &data) == HS_OK);
	const struct hs_decoder_options more = {
		.size = sizeof more, .data = coders, .data_count = SOURCES
	};

	(void)hs_et_decoder_set(&d, &more); /* not where the framing has no types */
	const struct outcome o = stream_run(&s, trace, n, piece);

	free(memory);
	free(tables);
	return o;
}

/* ---- encoder ---------------------------------------------------------------------- */

/* Blocks to bytes; those that the encoder refuses are left out. */
static size_t encode(const struct hs_et_config *config, const struct hs_block *b, size_t n,
                     uint8_t *out, size_t cap)
{
	static struct hs_et_encoder e;
	size_t total = 0, len = 0, used = 0;

	static struct hs_et_data_coder coders[SOURCES];
	const size_t room = hs_et_encoder_memory(config);
	void *tables = malloc(room);

	const enum hs_status init = hs_et_encoder_init(&e, config, tables, room);

	fuzz_must(init == (is_read_only(config) ? HS_E_UNSUPPORTED : HS_OK));
	if (init != HS_OK) {
		free(tables);
		return 0;
	}
	if (config->data_trace && open_coders(coders, config) == HS_OK)
		hs_et_encoder_set_data(&e, coders);
	for (size_t at = 0; at < n && cap - total >= 2 * HS_ET_ENCODE_ROOM; total += len) {
		const enum hs_status s = hs_et_encode(&e, b + at, n - at, &used, out + total,
		                                      HS_ET_ENCODE_ROOM, &len);

		fuzz_must(s == HS_OK || s == HS_FULL || s == HS_E_BLOCK);
		fuzz_must(len <= HS_ET_ENCODE_ROOM && used <= n - at &&
		          (used || len || s == HS_E_BLOCK));
		at += used + (s == HS_E_BLOCK);
	}
	fuzz_must(hs_et_encode_end(&e, out + total, HS_ET_ENCODE_ROOM, &len) == HS_OK);
	free(tables);
	return total + len;
}

/* Any bytes are blocks, too. */
static void encode_bytes(const struct hs_et_config *c, const uint8_t *p, size_t n)
{
	static struct hs_block blocks[256];
	static uint8_t out[65536];
	const size_t most = n / sizeof(*blocks), count = most < 256 ? most : 256;

	memcpy(blocks, p, count * sizeof(*blocks));
	for (size_t i = 0; i < count; i++) {
		struct hs_block *b = &blocks[i];

		if (b->kind & 8)
			b->kind = HS_KIND_BLOCK;
		if (b->kind != HS_KIND_BLOCK || b->iaddr & 1)
			continue;
		b->iaddr &= c->iaddress_width < 64 ? ((uint64_t)1 << c->iaddress_width) - 1
		                                   : UINT64_MAX;
	}
	read_all(c, out, encode(c, blocks, count, out, sizeof(out)), true);
}

/* The parts of an input. */
struct parts {
	struct hs_et_config config;
	size_t code, code_bytes, trace;
};

/* False: it is none. */
static bool take_parts(const uint8_t *data, size_t size, struct parts *p)
{
	if (size < HEAD)
		return false;
	p->config = configure(data);
	p->code = HEAD;
	if (data[6] & 0x80 && size >= HEAD + sizeof(p->config)) {
		memcpy(&p->config, data + HEAD, sizeof(p->config));
		p->config.size = sizeof(p->config);
		p->code += sizeof(p->config);
	}
	p->code_bytes = 2u * (data[2] + 1u);
	p->trace = p->code + p->code_bytes;
	return size >= p->trace && hs_et_config_check(&p->config) == HS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parts p;

	if (!take_parts(data, size, &p))
		return 0;

	const struct hs_section section = { CODE, p.code_bytes, data + p.code };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	const uint8_t *trace = data + p.trace;
	const size_t n = size - p.trace;

	read_all(&p.config, trace, n, false);
	const struct outcome whole = decode(&p.config, &image, trace, n, n + 1);
	const struct outcome pieces = decode(&p.config, &image, trace, n, 1 + data[1] % 7);
	if (whole.blocks < BLOCKS_LIMIT)
		fuzz_must(whole.hash == pieces.hash && whole.blocks == pieces.blocks);
	encode_bytes(&p.config, trace, n);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	struct parts p, other = { .trace = SIZE_MAX };

	if (!take_parts(e->data, e->size, &p))
		return false;
	take_parts(e->other, e->other_size, &other);

	const struct fuzz_format packets = fuzz_et_packets(&p.config);

	return fuzz_mutate_records(e, &packets, p.trace, other.trace);
}

/* ---- valid inputs, and words --------------------------------------------------------- */

/* c.nop, beq a0,a1,+8, c.nop, c.j -2, c.nop, c.jr ra, ecall (ISA manual). */
static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x04, 0xb5, 0x00, 0x01, 0x00, 0xfd, 0xbf,
	                        0x01, 0x00, 0x82, 0x80, 0x73, 0x00, 0x00, 0x00 };

#define BLOCK(a, n, l, t) \
	{ \
		.iaddr = (a), .iretire = (n), .ilast = (l), .itype = (t), .priv = HS_PRIV_U \
	}
static const struct hs_block flow[] = {
	BLOCK(CODE, 3, 2, HS_ITYPE_TAKEN), BLOCK(CODE + 10, 2, 1, HS_ITYPE_RETURN),
	BLOCK(CODE, 3, 2, HS_ITYPE_TAKEN), BLOCK(CODE + 10, 2, 1, HS_ITYPE_RETURN),
	BLOCK(CODE, 3, 2, HS_ITYPE_NOT_TAKEN), BLOCK(CODE + 6, 2, 1, HS_ITYPE_JUMP_INF),
	BLOCK(CODE + 6, 2, 1, HS_ITYPE_JUMP_INF), BLOCK(CODE + 6, 1, 1, HS_ITYPE_INTERRUPT),
	{ .kind = HS_KIND_TRAP, .arg = 7 }, { .kind = HS_KIND_TIME, .value = 1000 },
	/* a load, an atomic operation and a CSR access, of 1, 4 and 8 bytes */
	{ .kind = HS_KIND_DATA, .value = 0x2001, .itype = HS_ACCESS_LOAD, .arg = 3u << 16 },
	{ .kind = HS_KIND_VALUE, .value = 0x80 },
	{ .kind = HS_KIND_DATA, .value = 0x2004, .itype = HS_ACCESS_ADD, .ilast = 2,
	  .arg = 7u << 16 },
	{ .kind = HS_KIND_VALUE, .value = 5 }, { .kind = HS_KIND_VALUE, .value = 1, .itype = 1 },
	{ .kind = HS_KIND_DATA, .value = 0x300, .itype = HS_ACCESS_CSR_RS, .ilast = 3,
	  .arg = 7u << 16 },
	{ .kind = HS_KIND_VALUE, .value = 5 }, { .kind = HS_KIND_VALUE, .value = 1, .itype = 1 },
	BLOCK(CODE, 3, 2, HS_ITYPE_NOT_TAKEN),
};

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	/* version and dialect, options, tables, returns and f0s, flags */
	static const uint8_t heads[][5] = {
		{ 0, 0, 0, 0, 0 },
		{ 1, 0, 0, 0, 7 },
		{ 2, 0, 0, 0, 3 },
		{ 4, 32, 0, 0, 3 },
		{ 6, 32, 0, 0, 7 },
		{ 10, 0, 0, 0, 7 },
		{ 12, 0, 0, 0, 3 },
		{ 0, 2, 0, 3, 3 },
		{ 0, 66, 0, 3, 3 },
		{ 0, 31, 0x44, 0x1b, 3 },
		{ 12, 31, 0x44, 0x1b, 3 },
		{ 0, 8, 4, 0, 64 },
		{ 5, 16, 0x30, 0, 16 },
		/* fast profiles: targets, sources, cycles of packets, of retirements alone */
		{ 3, 1, 0, 0, 3 },
		{ 7, 2, 0, 0, 2 },
		{ 15, 6, 0, 0, 3 },
		{ 3, 10, 0, 0, 64 },
		{ 19, 8, 0, 0, 3 },
		/* data trace: unified, split */
		{ 0, 0, 0x80, 0, 2 },
		{ 0, 0, 0x80, 0, 3 },
		/* 2.1 */
		{ 128, 0, 0, 0, 3 },
		{ 128, 31, 0x44, 0x1b, 3 },
	};
	struct hs_et_config c;

	if (i >= sizeof(heads) / sizeof(*heads) || size < 4096)
		return 0;
	memcpy(data, (uint8_t[]){ heads[i][0], 3, sizeof(code) / 2 - 1 }, 3);
	memcpy(data + 3, heads[i] + 1, 4);
	memcpy(data + HEAD, code, sizeof(code));
	c = configure(data);
	fuzz_must(hs_et_config_check(&c) == HS_OK);
	return HEAD + sizeof(code) +
	       encode(&c, flow, sizeof(flow) / sizeof(*flow), data + HEAD + sizeof(code), 2048);
}

/* Each packet of the tables, with fields of nothing but zeros, of 1, and of ones, in each
 * framing. */
size_t fuzz_word(unsigned i, uint8_t *data)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX };
	struct hs_et_packet p = { .form = (uint8_t)(i % HS_ET_FORMS) };
	struct hs_et_config c;
	const unsigned value = i / HS_ET_FORMS % 3,
		       dialect = i / HS_ET_FORMS / 3 % HS_ET_DIALECT_COUNT;
	const unsigned version = i / HS_ET_FORMS / 3 / HS_ET_DIALECT_COUNT;
	uint8_t fields[HS_ETF_COUNT];

	if (version >= HS_ET_VERSIONS)
		return FUZZ_NO_WORDS;
	c = (struct hs_et_config){ .size = sizeof c, .version = version };
	c.dialect = (uint8_t)dialect;
	const unsigned n = hs_et_form_fields(version, p.form, fields);
	for (unsigned k = 0; k < n; k++)
		p.field[fields[k]] = values[value];
	fuzz_et_set_form(&p, p.form);
	p.field[HS_ETF_CONTROL_CODE] = 0x34; /* te_support, PT 6 */
	return n ? hs_et_write(&c, &p, data) : 0;
}
