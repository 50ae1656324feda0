/* Encoders, decoders, readers and lints of any protocol. */
#include <stdlib.h>

#include "flow/flow.h"
#include "trace/lint.h"
#include "trace/trace.h"

/* ---- parameters ------------------------------------------------------------------- */

void hs_protocol_defaults(const struct hs_protocol *p, void *config)
{
	p->codec->defaults(config, CODEC_EACH);
}

enum hs_status hs_protocol_check(const struct hs_protocol *p, const void *config,
                                 struct hs_protocol_traits *traits)
{
	return p->codec->check(config, CODEC_CHECK_ALL, traits);
}

enum hs_status hs_protocol_take_registers(const struct hs_protocol *p, void *config,
                                          const struct hs_tc_regs *registers)
{
	return p->codec->take_registers ? p->codec->take_registers(config, registers)
	                                : HS_E_UNSUPPORTED;
}

enum hs_status hs_protocol_put_registers(const struct hs_protocol *p, const void *config,
                                         struct hs_tc_regs *registers)
{
	return p->codec->put_registers ? p->codec->put_registers(config, registers)
	                               : HS_E_UNSUPPORTED;
}

/* ---- encoder ---------------------------------------------------------------------- */

enum hs_status hs_encoder_new(struct hs_encoder **encoder, const struct hs_protocol *p,
                              const void *config)
{
	const enum hs_status s = p->codec->encoder_new(encoder, config);

	if (s == HS_OK)
		(*encoder)->protocol = p;
	return s;
}

void hs_encoder_free(struct hs_encoder *encoder)
{
	free(encoder);
}

enum hs_status hs_encoder_put(struct hs_encoder *e, const struct hs_block *in, size_t n,
                              size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	return e->protocol->codec->encode(e, in, n, used, out, cap, len);
}

enum hs_status hs_encoder_queue(struct hs_encoder *e, const struct hs_block *b, uint8_t *out,
                                size_t cap, size_t *len)
{
	return e->protocol->codec->encode_port(e, b, out, cap, len);
}

enum hs_status hs_encoder_end(struct hs_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	return e->protocol->codec->encode_end(e, out, cap, len);
}

enum hs_status hs_encoder_set_options(struct hs_encoder *e, const void *config)
{
	const struct codec *codec = e->protocol->codec;

	return codec->set_options ? codec->set_options(e, config) : HS_E_UNSUPPORTED;
}

unsigned hs_encoder_counts(const struct hs_encoder *e, struct hs_message_count *out, unsigned cap)
{
	return e->protocol->codec->counts(&e->tally, out, cap);
}

/* ---- decoder ---------------------------------------------------------------------- */

static void close_machine(void *self)
{
	if (self)
		machine_of(self)->close(self);
}

enum hs_status hs_decoder_new(struct hs_decoder **decoder, const struct hs_protocol *p,
                              const void *config, const struct hs_image *image,
                              const struct hs_image_set *set)
{
	void *d;
	const enum hs_status s = p->codec->decoder->open(&d, p, config, image, set);

	if (s == HS_OK)
		*decoder = d;
	return s;
}

void hs_decoder_free(struct hs_decoder *decoder)
{
	close_machine(decoder);
}

enum hs_status hs_decode(struct hs_decoder *d, struct hs_span *in, struct hs_block *out, size_t cap,
                         size_t *n)
{
	struct codec_out to = { .items = out, .cap = cap };
	const enum hs_status s = machine_of(d)->next(d, in, &to);

	*n = to.n;
	return s;
}

enum hs_status hs_decode_end(struct hs_decoder *d, struct hs_block *out, size_t cap, size_t *n)
{
	struct codec_out to = { .items = out, .cap = cap };
	const enum hs_status s = machine_of(d)->end(d, &to);

	*n = to.n;
	return s;
}

void hs_decoder_diag(const struct hs_decoder *d, enum hs_status s, struct hs_fault *fault)
{
	d->self.protocol->codec->diag(d, s, fault);
}

void decoder_guide(struct hs_decoder *d, const struct hs_code_guide *guide)
{
	d->stream->guide = guide;
	if (d->care)
		*d->care = 0;
}

void decoder_show_syncs(struct hs_decoder *d)
{
	d->stream->all_syncs = true;
}

void decoder_expect(struct hs_decoder *d, uint32_t src, uint64_t blocks)
{
	stream_expect(d->stream, src, blocks);
}

bool decoder_place(const struct hs_decoder *d, uint32_t src, struct hs_code_place *place)
{
	return stream_get_place(d->stream, src, place);
}

/* ---- reader ------------------------------------------------------------------------ */

enum hs_status hs_reader_new(struct hs_reader **reader, const struct hs_protocol *p,
                             const void *config)
{
	void *r;
	const enum hs_status s = p->codec->reader->open(&r, p, config, NULL, NULL);

	if (s == HS_OK)
		*reader = r;
	return s;
}

void hs_reader_free(struct hs_reader *reader)
{
	close_machine(reader);
}

enum hs_status hs_reader_next(struct hs_reader *r, struct hs_span *in, struct hs_message *m)
{
	return machine_of(r)->next(r, in, &(struct codec_out){ .message = m });
}

enum hs_status reader_end(struct hs_reader *r, uint64_t *offset)
{
	struct hs_message m;
	const enum hs_status s = machine_of(r)->end(r, &(struct codec_out){ .message = &m });

	*offset = m.offset;
	return s;
}

/* ---- lint -------------------------------------------------------------------------- */

bool hs_lint_get_kind(const struct hs_protocol *p, unsigned index, struct hs_lint_kind *out)
{
	return p->codec->lint->get_kind(index, out);
}

enum hs_status hs_lint_new(struct hs_lint **lint, const struct hs_protocol *p, const void *config,
                           const struct hs_image *image, const struct hs_image_set *set)
{
	void *l;
	const enum hs_status s = codec_lint.open(&l, p, config, image, set);

	if (s == HS_OK)
		*lint = l;
	return s;
}

void hs_lint_free(struct hs_lint *lint)
{
	close_machine(lint);
}

enum hs_status hs_lint_next(struct hs_lint *l, struct hs_span *in, struct hs_lint_finding *out)
{
	return codec_lint.next(l, in, &(struct codec_out){ .finding = out });
}

enum hs_status hs_lint_end(struct hs_lint *l, struct hs_lint_finding *out)
{
	return codec_lint.end(l, &(struct codec_out){ .finding = out });
}
