/* An encoder that nobody has seen: its layout, widths, sizes and options are random and stand in a
 * text of NAME = VALUE lines.  A stream that was encoded through that text decodes with the text
 * and nothing else; so it does with the JSON that is written for it.
 *
 * The packets of a stream in which every trap has thaddr 1 are written again without it: our
 * encoder writes the same for that layout.
 */
#include "trace/trace.h"
#include "cases.h"

#include <hartscope/block.h>
#include <hartscope/etrace.h>
#include <hartscope/trace_params.h>

#include "core/access.h"
#include "property/campaign.h"
#include "property/randprog.h"
#include "trace/etrace.h"

#define BLOCKS 700
#define ACCESSES 40
#define TRACE (BLOCKS * 128)
#define TEXT 8192

static struct {
	struct program program;
	struct hs_block blocks[BLOCKS], in[BLOCKS + ACCESSES * 3];
	size_t n, in_n, seen;
	struct hs_access accesses[ACCESSES];
	size_t access_count, accesses_seen;
	bool data;    /* the description has data trace */
	bool sign;    /* addresses are narrower than the program's */
	unsigned width, ecause, version, privilege, frame, src_bits;
	bool notval;
	char text[TEXT], json[2 * TEXT];
	size_t length, json_length;
	uint8_t trace[TRACE], again[TRACE];
	size_t again_bytes;
	size_t bytes;
} *t;

static uint64_t blocks_seen, accesses_seen, without_thaddr, sign_extended, refused;
#define WRITTEN_FRAMES HS_ET_FRAME_SLOT /* frames that an encoder writes: those before it */
static uint64_t frames[WRITTEN_FRAMES];

/* ---- descriptions ------------------------------------------------------------------ */

static unsigned between(struct rng *r, unsigned least, unsigned most)
{
	return least + rng_below(r, most - least + 1);
}

static void __attribute__((format(printf, 2, 3))) say(const char *name, const char *format, ...)
{
	va_list args;

	t->length += (size_t)snprintf(t->text + t->length, TEXT - t->length, "%s = ", name);
	va_start(args, format);
	t->length += (size_t)vsnprintf(t->text + t->length, TEXT - t->length, format, args);
	va_end(args);
	t->length += (size_t)snprintf(t->text + t->length, TEXT - t->length, "\n");
	assert_true(t->length < TEXT);
}

static void say_number(const char *name, unsigned v)
{
	say(name, v % 2 ? "%u" : "0x%x", v);
}

/* Say @name in one of two cases: otherwise its default holds. */
static void say_maybe(struct rng *r, const char *name, unsigned least, unsigned most)
{
	if (rng_one_in(r, 2))
		say_number(name, between(r, least, most));
}

/* Words in any order, each once, with "unused" between them. */
static void say_list(struct rng *r, const char *name, const char *const *words, unsigned count,
                     unsigned most)
{
	char list[400] = "";
	unsigned left = (1u << count) - 1, n = 0;

	while (n < most && !rng_one_in(r, 12)) {
		const unsigned i = rng_below(r, count);
		const bool unused = rng_one_in(r, 4);

		if (!unused && !(left >> i & 1))
			continue;
		if (n++)
			strcat(list, ",");
		strcat(list, unused ? "unused" : words[i]);
		left &= unused ? left : ~(1u << i);
		if (!left && rng_one_in(r, 2))
			break;
	}
	say(name, "%s", n ? list : "none");
}

static void say_types(struct rng *r)
{
	const bool message = t->frame == HS_ET_FRAME_MESSAGE;
	const unsigned least = t->frame == HS_ET_FRAME_HEADER || t->frame == HS_ET_FRAME_JOINED;
	const unsigned length = least ? between(r, 5, 8) : 5;
	const bool none = t->frame == HS_ET_FRAME_BARE || t->frame == HS_ET_FRAME_INDEXED;
	const unsigned bits = none ? 0
	                      : message ? rng_below(r, 3)
	                      : least ? rng_below(r, 9 - length) : rng_below(r, 9);
	const unsigned inst = rng_below(r, 1u << bits), control = rng_below(r, 1u << bits);

	if (least || rng_one_in(r, 2))
		say_number("layout.length_bits", length);
	say_number("layout.type_bits", bits);
	say_number("layout.type_inst", inst);
	say_number("layout.type_control", control);
	t->data = bits && (message || t->frame <= HS_ET_FRAME_HEADER) && t->version != 2 &&
	          rng_one_in(r, 2);
	say_number("layout.type_data", t->data ? (inst + 1) % (1u << bits) : 0);
	if (t->version == 2 && (!bits || inst == control))
		say("type-prefix", "1");
}

static void say_layout(struct rng *r)
{
	static const char *const names[] = { "encapsulation", "header", "joined", "none",
		                             "indexed", "message" };
	static const char *const paddings[] = { "sign", "zero", "any", "address", "bytes" };
	static const char *const options[] = { "si-jump", "implicit-return", "implicit-except",
		                               "branch-prediction", "jump-target-cache",
		                               "full-address" };

	t->frame = rng_below(r, WRITTEN_FRAMES);
	say("layout.frame", "%s", names[t->frame]);
	say_types(r);
	say_maybe(r, "layout.mode_bits", 0, 8);
	say_maybe(r, "layout.chunk_bytes", 1, 31);
	if (rng_one_in(r, 2))
		say("layout.padding", "%s", paddings[rng_below(r, 5)]);
	if (rng_one_in(r, 2))
		say_list(r, "layout.ioptions", options, 6, HS_ET_IOPTIONS_MAX);
	if (t->frame == HS_ET_FRAME_INDEXED) {
		say_maybe(r, "anchor-bytes", 0, 31);
		say_maybe(r, "anchor-packets", 0, 255);
	}
	if (t->frame != HS_ET_FRAME_ENCAP && t->frame != HS_ET_FRAME_MESSAGE)
		return;
	say_maybe(r, "layout.stamp_first", 0, 1);
	t->src_bits = rng_one_in(r, 2) ? 0 : between(r, 1, 12);
	say_number("trTeSrcBits", t->src_bits);
	say_number("trTeSrcID", rng_below(r, 1u << t->src_bits));
	say_maybe(r, "trTsWidth", 0, 8);
	if (t->frame == HS_ET_FRAME_MESSAGE)
		return;
	say_maybe(r, "async-freq", 0, 7);
	say_maybe(r, "flow", 0, 3);
}

static void say_data(struct rng *r)
{
	static const char *const options[] = { "no-data", "no-addr", "full-address" };

	if (!t->data)
		return;
	say("data-trace", "1");
	say("daddress_width_p", "%u", between(r, 33, 64));
	say_maybe(r, "data-full-address", 0, 1);
	if (rng_one_in(r, 3))
		say_list(r, "layout.doptions", options, 3, HS_ET_DOPTIONS_MAX);
	else
		say_maybe(r, "doptions-width", 0, 16);
}

static void say_widths(struct rng *r)
{
	say("iaddress_width_p", "%u", t->width);
	t->privilege = between(r, 1, 4);
	say_number("privilege_width_p", t->privilege);
	t->ecause = between(r, 1, rng_one_in(r, 4) ? 64 : 16);
	say_number("ecause_width_p", t->ecause);
	say("iaddress_lsb_p", "%u", t->program.wide ? between(r, 0, 2) : rng_below(r, 2));
	say_maybe(r, "nocontext_p", 0, 1);
	say_maybe(r, "context_width_p", 1, 64);
	say_maybe(r, "notime_p", 0, 1);
	say_maybe(r, "time_width_p", 1, 64);
	say_maybe(r, "no-compress", 0, 1);
	say_maybe(r, "trTeInstSyncMode", 0, 3);
	say_maybe(r, "resync-max", 0, 5);
}

/* The size of a table: small, or any; each of many sources has one. */
static void say_size(struct rng *r, const char *name, unsigned often)
{
	const bool any = rng_one_in(r, 4) && t->src_bits <= 8;

	say_number(name, between(r, 1, any ? HS_ET_RETURN_MAX : often));
}

static void say_tables(struct rng *r)
{
	const unsigned returns = rng_below(r, 4); /* none, stack, counter, both */

	if (returns & 1)
		say_size(r, "return_stack_size_p", 5);
	if (returns & 2)
		say_size(r, "call_counter_size_p", 5);
	if (returns)
		say("implicit-return", "true");
	if (returns)
		say_maybe(r, "iret_ext", 0, 1);
	if (rng_one_in(r, 2)) {
		say_size(r, "bpred_size_p", 8);
		say("branch-prediction", "true");
	}
	if (rng_one_in(r, 2)) {
		say_size(r, "cache_size_p", 6);
		say("jump-target-cache", "true");
	}
	say_maybe(r, "f0s_width_p", 0, 2);
}

static void say_options(struct rng *r)
{
	static const char *const csrs[] = { "mtvec", "stvec", "vstvec" };

	if (rng_one_in(r, 3))
		say("full-address", "true");
	if (rng_one_in(r, 3)) {
		say("sijump_p", "1");
		say("si-jump", "true");
	}
	if (!rng_one_in(r, 4))
		return;
	say("implicit-except", "true");
	for (unsigned i = 0; i < 3; i++)
		say(csrs[i], "0x%llx", (unsigned long long)t->program.at[rng_below(
			r, (uint32_t)t->program.count)] & ~3ull);
}

static void describe(struct rng *r)
{
	static const char *const versions[] = { "2.0", "1.1", "0.026" };

	t->length = 0;
	t->src_bits = 0;
	t->version = rng_below(r, 3);
	t->notval = t->version == 2 && rng_one_in(r, 2);
	say("version", "%s", versions[t->version]);
	say_layout(r);
	say_widths(r);
	if (t->version == 2) {
		say("context-mark", "on");
		say_number("notval_p", t->notval);
		say_maybe(r, "negated", 0, 1);
		say_maybe(r, "full-on-tie", 0, 1);
	} else {
		say_tables(r);
		say_options(r);
		say_data(r);
	}
}

/* Parameters that know the text and nothing else; NULL: they contradict each other. */
static struct hs_trace_params *read_text(const char *text, size_t n)
{
	struct hs_span in = { (const uint8_t *)text, n };
	struct hs_trace_params *p;
	struct hs_error e;

	assert_int_equal(hs_trace_params_new("etrace", &p, NULL), HS_OK);
	if (hs_trace_params_read(p, &in, "description", &e) != HS_OK)
		fail_msg("%s\n%s", e.text, text);
	if (hs_trace_params_check(p, NULL) == HS_OK)
		return p;
	hs_trace_params_free(p);
	return NULL;
}

static bool add_json(void *context, const void *bytes, size_t n)
{
	(void)context;
	assert_true(t->json_length + n <= sizeof t->json);
	memcpy(t->json + t->json_length, bytes, n);
	t->json_length += n;
	return true;
}

/* ---- programs ---------------------------------------------------------------------- */

static uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static unsigned bits_of(uint64_t v)
{
	unsigned n = 0;

	for (; v; v >>= 1)
		n++;
	return n;
}

/* Is the whole of a block code?  Only there a decoder knows the bits above those of an address. */
static bool in_code(const struct hs_block *b)
{
	return b->iaddr - t->program.base < t->program.size &&
	       hs_block_end(b) - t->program.base <= t->program.size;
}

/* The least width of addresses that the walk allows. */
static unsigned least_width(void)
{
	const unsigned xlen = t->program.image.isa.xlen;
	const bool high = t->program.base >> (xlen - 1) & 1;
	unsigned plain = 8, extended = 9;

	for (size_t i = 0; i < t->n; i++) {
		const struct hs_block *b = &t->blocks[i];
		const uint64_t end = hs_block_end(b);

		if (b->kind != HS_KIND_BLOCK)
			continue;
		const unsigned n = bits_of(b->iaddr | end), m = bits_of(~b->iaddr & ones(xlen)) + 1;

		plain = n > plain ? n : plain;
		extended = m > extended ? m : extended;
		if (!in_code(b) || !high)
			extended = 65;
	}
	t->sign = extended < plain && extended < xlen;
	return t->sign ? extended : plain;
}

static uint8_t privileges(void)
{
	const unsigned few = 1u << HS_PRIV_U | 1u << HS_PRIV_S;

	return (uint8_t)(t->privilege == 1   ? few
	                 : t->privilege == 2 ? few | 1u << HS_PRIV_M
	                                     : few | 1u << HS_PRIV_M | 1u << HS_PRIV_VU |
	                                               1u << HS_PRIV_VS);
}

static void walk(struct rng *r)
{
	const bool tidy = rng_one_in(r, 2);
	const struct walk_odds odds = {
		.trap_one_in = rng_one_in(r, 3) ? 0 : 1 + rng_below(r, 60),
		.tidy_returns = tidy,
		.plain_stack = tidy,
		.no_custom = true,
		.modes = 1u << HS_PRIV_U | 1u << HS_PRIV_S,
	};

	do {
		t->n = walk_random(&t->program, r, 1 + rng_below(r, rng_one_in(r, 8) ? 600 : 100),
		                   &odds, t->blocks, BLOCKS);
	} while (!t->n || least_width() > 64);
	const unsigned least = least_width(), xlen = t->program.image.isa.xlen;

	t->width = rng_one_in(r, 2) || least > xlen ? least : between(r, least, xlen);
	if (t->sign) /* the table of jump targets is not where these addresses are without sign */
		t->width += bits_of(t->program.image.jvt) == t->width;
	sign_extended += t->sign && t->width < xlen;
}

/* Where the privilege has the bits, modes of hypervisors take the place of others. */
static void change_modes(void)
{
	if (!(privileges() >> HS_PRIV_VS & 1))
		return;
	for (size_t i = 0; i < t->n; i++) {
		struct hs_block *b = &t->blocks[i];

		if (b->kind != HS_KIND_TRAP && b->priv == HS_PRIV_S)
			b->priv = HS_PRIV_VS;
	}
}

/* The blocks, with stores before some of them. */
static void add_accesses(struct rng *r)
{
	t->access_count = t->in_n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const bool here = t->data && t->access_count < ACCESSES && rng_one_in(r, 4) &&
		                  t->blocks[i].kind == HS_KIND_BLOCK && t->blocks[i].iretire;

		if (here) {
			struct hs_access *a = &t->accesses[t->access_count++];

			*a = (struct hs_access){ .type = HS_ACCESS_STORE, .size = rng_below(r, 4),
				.address = rng_next(r) >> between(r, 32, 60), .data = rng_next(r),
				.known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA };
			a->data &= ones(8u << a->size);
			t->in_n += hs_access_put(a, &t->in[t->in_n]);
		}
		t->in[t->in_n++] = t->blocks[i];
	}
}

/* ---- there ------------------------------------------------------------------------- */

static void encode(struct hs_trace_params *p)
{
	const struct hs_protocol *protocol = hs_trace_params_protocol(p);
	const void *config = hs_trace_params_config(p);
	struct hs_encoder *encoder;
	size_t used, len, at = 0;
	enum hs_status s;

	assert_int_equal(hs_encoder_new(&encoder, protocol, config), HS_OK);
	t->bytes = 0;
	do {
		s = hs_encoder_put(encoder, t->in + at, t->in_n - at, &used, t->trace + t->bytes,
		                     TRACE - t->bytes, &len);
		at += used;
		t->bytes += len;
	} while (s == HS_OK && at < t->in_n);
	assert_int_equal(s, HS_OK);
	assert_int_equal(hs_encoder_end(encoder, t->trace + t->bytes, TRACE - t->bytes, &len),
	                 HS_OK);
	t->bytes += len;
	hs_encoder_free(encoder);
}

/* Write the stream again without thaddr, and say so in the text.  @return false: a trap has another
 * value than 1. */
static bool drop_thaddr(const struct hs_et_config *with)
{
	struct hs_et_config without = *with;
	struct hs_span in = { t->trace, t->bytes };
	struct hs_et_reader reader;
	struct hs_et_packet packet;
	size_t n = 0;

	without.layout.given |= 1u << HS_ET_LAYOUT_THADDR;
	without.layout.thaddr = 0;
	assert_int_equal(hs_et_config_check(&without), HS_OK);
	assert_int_equal(hs_et_reader_init(&reader, with), HS_OK);
	while (hs_et_read(&reader, &in, &packet) == HS_OK) {
		if (packet.form == HS_ET_FORM_OTHER ||
		    (packet.form == HS_ET_FORM_TRAP && !packet.field[HS_ETF_THADDR]))
			return false;
		n += hs_et_write(&without, &packet, t->again + n);
		assert_true(n + HS_ET_PACKET_MAX < TRACE);
	}
	t->again_bytes = n;
	say("layout.thaddr", "0");
	without_thaddr++;
	return true;
}

/* ---- and back ---------------------------------------------------------------------- */

static void show(const char *what, const struct hs_block *want, const struct hs_block *got)
{
	static const struct hs_block none = { .kind = HS_KIND_NOTE };

	if (!want)
		want = &none;
	fail_msg("%s at %zu: want %s %llx+%u itype %u priv %u, got %s %llx+%u itype %u priv %u\n%s",
	         what, t->seen, hs_kind_name(want->kind), (unsigned long long)want->iaddr,
	         want->iretire, want->itype, want->priv, hs_kind_name(got->kind),
	         (unsigned long long)got->iaddr, got->iretire, got->itype, got->priv, t->text);
}

/* A trap before the handler of another one began: its place is in no packet (design/et-encoder). */
static bool in_a_trap(void)
{
	return t->seen && t->seen < t->n && t->blocks[t->seen].kind == HS_KIND_BLOCK &&
	       !t->blocks[t->seen].iretire && t->blocks[t->seen - 1].kind == HS_KIND_TRAP;
}

static void take_block(const struct hs_block *got)
{
	const struct hs_block *want = t->seen < t->n ? &t->blocks[t->seen] : NULL;

	if (!want || want->kind != HS_KIND_BLOCK || !hs_block_equal(want, got))
		show("block", want, got);
	t->seen++;
	blocks_seen++;
}

static void take_trap(const struct hs_block *got)
{
	t->seen += in_a_trap();
	const struct hs_block *want = t->seen < t->n ? &t->blocks[t->seen] : NULL;
	const uint64_t mask = t->notval ? 0 : ones(t->width);

	if (!want || want->kind != HS_KIND_TRAP || got->arg != (want->arg & ones(t->ecause)) ||
	    (got->value & mask) != (want->value & mask))
		show("trap", want, got);
	t->seen++;
}

static void take_access(const struct hs_access *got)
{
	const struct hs_access *want = &t->accesses[t->accesses_seen];

	assert_true(t->accesses_seen++ < t->access_count);
	assert_int_equal(got->type, want->type);
	assert_int_equal(got->size, want->size);
	assert_int_equal(got->known, want->known);
	assert_true(got->address == want->address && got->data == want->data);
	accesses_seen++;
}

static void take_items(const struct hs_block *out, size_t n, struct hs_access_reader *reader)
{
	for (size_t i = 0; i < n; i++) {
		if (hs_access_take(reader, &out[i])) {
			take_access(&reader->access);
			continue;
		}
		switch (out[i].kind) {
		case HS_KIND_BLOCK: take_block(&out[i]); break;
		case HS_KIND_TRAP: take_trap(&out[i]); break;
		case HS_KIND_GAP: show("gap", NULL, &out[i]); break;
		default: break;
		}
	}
}

static void decode(struct hs_trace_params *p, struct rng *r)
{
	const struct hs_protocol *protocol = hs_trace_params_protocol(p);
	struct hs_image image = t->program.image;
	struct hs_access_reader reader = { 0 };
	struct hs_block out[256];
	struct hs_fault e = { 0 };
	struct hs_decoder *decoder;
	enum hs_status s;
	size_t n;

	t->seen = t->accesses_seen = 0;
	assert_int_equal(hs_decoder_new(&decoder, protocol, hs_trace_params_config(p), &image,
	                                NULL),
	                 HS_OK);
	for (size_t at = 0; at < t->bytes;) {
		const size_t piece = 1 + rng_below(r, 400), left = t->bytes - at;
		struct hs_span in = { t->trace + at, piece < left ? piece : left };

		at += in.n;
		do {
			s = hs_decode(decoder, &in, out, 256, &n);
			if (s != HS_MORE && s != HS_FULL && s != HS_OK) {
				hs_decoder_diag(decoder, s, &e);
				fail_msg("%s\n%s", e.error.text, t->text);
			}
			take_items(out, n, &reader);
		} while (s != HS_MORE);
	}
	do {
		s = hs_decode_end(decoder, out, 256, &n);
		take_items(out, n, &reader);
	} while (s == HS_FULL);
	assert_int_equal(s, HS_OK);
	t->seen += in_a_trap();
	if (t->seen != t->n || t->accesses_seen != t->access_count)
		fail_msg("%zu of %zu blocks, %zu of %zu accesses\n%s", t->seen, t->n,
		         t->accesses_seen, t->access_count, t->text);
	hs_decoder_free(decoder);
}

/* ---- cases ------------------------------------------------------------------------- */

static struct hs_trace_params *random_description(struct rng *r)
{
	struct hs_trace_params *p;

	for (;; refused++) {
		describe(r);
		p = read_text(t->text, t->length);
		if (p)
			return p;
	}
}

/* The text that the decoder gets: the description, or the JSON that is written for it. */
static struct hs_trace_params *read_again(const struct hs_trace_params *p, struct rng *r)
{
	if (rng_one_in(r, 2))
		return read_text(t->text, t->length);
	t->json_length = 0;
	assert_int_equal(hs_trace_params_write(p, add_json, NULL), HS_OK);
	return read_text(t->json, t->json_length);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	(rng_one_in(&r, 4) ? program_make_wide : program_make)(&t->program, &r);
	walk(&r);
	struct hs_trace_params *p = random_description(&r);

	change_modes();
	add_accesses(&r);
	encode(p);
	if (t->version != 2 && !t->data && rng_one_in(&r, 3)) {
		const struct hs_et_config config = protocol_et_plain(hs_trace_params_config(p));

		/* null packets and anchors are not written again */
		const bool dropped =
			drop_thaddr(&config) && !config.async_freq && !config.anchor_packets;

		hs_trace_params_free(p);
		p = read_text(t->text, t->length);
		assert_non_null(p);
		encode(p);
		assert_true(!dropped || (t->bytes == t->again_bytes &&
		                         memcmp(t->trace, t->again, t->bytes) == 0));
	}
	struct hs_trace_params *q = read_again(p, &r);

	assert_non_null(q);
	decode(q, &r);
	frames[t->frame]++;
	hs_trace_params_free(p);
	hs_trace_params_free(q);
}

CAMPAIGN(layouts)
{
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	campaign_run(4000, one_case);
	printf("# %llu blocks and %llu accesses, all exact; %llu with signed addresses, %llu without "
	       "thaddr; %llu descriptions refused\n",
	       (unsigned long long)blocks_seen, (unsigned long long)accesses_seen,
	       (unsigned long long)sign_extended, (unsigned long long)without_thaddr,
	       (unsigned long long)refused);
	printf("# streams by frame:");
	for (unsigned i = 0; i < WRITTEN_FRAMES; i++)
		printf(" %llu", (unsigned long long)frames[i]);
	printf("\n");
	free(t);
}
