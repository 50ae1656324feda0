/* A decoder of the bytes of a design. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define OUT 256

struct decoder {
	struct settings set;
	struct hs_decoder *decoder;
	struct bytes in; /* given and not decoded */
	struct hs_block at[OUT];
	size_t n, next;
	bool ended;
	struct hs_fault fault;
};

static bool start(struct decoder *d, const struct settings *s)
{
	struct hs_error e;

	if (!s->params || !s->program) {
		hs_error_set(&e, HS_E_CONFIG, "a decoder needs a protocol and a program: elf=PATH");
		dpi_fail(&e);
		return false;
	}
	if (hs_decoder_new(&d->decoder, hs_trace_params_protocol(s->params),
	                   hs_trace_params_config(s->params), settings_image(s), NULL) == HS_OK)
		return true;
	hs_error_set(&e, HS_E_CONFIG, "the decoder refuses these parameters");
	dpi_fail(&e);
	return false;
}

void *hs_dpi_decoder_open(const char *protocol, const char *parameters)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (d && settings_read(&d->set, protocol, parameters) && start(d, &d->set))
		return d;
	hs_dpi_decoder_close(d);
	return NULL;
}

void *decoder_open(const struct settings *s)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (d && start(d, s))
		return d;
	hs_dpi_decoder_close(d);
	return NULL;
}

void hs_dpi_decoder_close(void *decoder)
{
	struct decoder *d = decoder;

	if (!d)
		return;
	hs_decoder_free(d->decoder);
	settings_free(&d->set);
	free(d->in.at);
	free(d);
}

int hs_dpi_decode(void *decoder, const uint32_t *bits, int bytes)
{
	return bytes_put_bits(&((struct decoder *)decoder)->in, bits, bytes) ? HS_OK : HS_E_MEMORY;
}

void hs_dpi_decode_end(void *decoder)
{
	((struct decoder *)decoder)->ended = true;
}

static enum hs_status decode_more(struct decoder *d)
{
	struct hs_span in = bytes_from(&d->in, d->in.base);
	const uint8_t *from = in.p;
	enum hs_status s;

	d->n = d->next = 0;
	s = hs_decode(d->decoder, &in, d->at, OUT, &d->n);
	bytes_drop(&d->in, d->in.base + (uint64_t)(in.p - from));
	if (s == HS_MORE && d->ended && d->n == 0)
		s = hs_decode_end(d->decoder, d->at, OUT, &d->n);
	return s;
}

int hs_dpi_block(void *decoder, int *kind, uint64_t *iaddr, int *iretire, int *itype)
{
	struct decoder *d = decoder;

	if (d->next == d->n) {
		const enum hs_status s = decode_more(d);

		if (hs_status_get_class(s) != HS_CLASS_OK &&
		    hs_status_get_class(s) != HS_CLASS_MORE) {
			hs_decoder_diag(d->decoder, s, &d->fault);
			return -1;
		}
	}
	if (d->next == d->n)
		return 0;
	const struct hs_block *b = &d->at[d->next++];

	*kind = b->kind;
	*iaddr = b->iaddr;
	*iretire = (int)b->iretire;
	*itype = b->itype;
	return 1;
}

const char *hs_dpi_decoder_error(void *decoder)
{
	return ((struct decoder *)decoder)->fault.error.text;
}
