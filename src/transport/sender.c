/* Message bytes to samples (NT 3.3, 3.4). */
#include "transport/pins.h"
#include "transport/transport.h"

#include "core/mem.h"
#include "transport/pin_config.h"

enum { OUTSIDE, INSIDE, LAST_BYTE };

enum hs_status hs_pin_sender_init(struct hs_pin_sender *s, const struct hs_pin_config *config)
{
	struct hs_pin_config c;
	const enum hs_status status = hs_pin_config_resolve(config, &c);

	if (status != HS_OK)
		return status;
	memset(s, 0, sizeof *s);
	s->config = c;
	s->width = c.width > 8 ? 8 : c.width;
	s->per = (uint8_t)(8 / s->width);
	return HS_OK;
}

/* Output of one call. */
struct room {
	uint8_t *out;
	size_t cap, len;
};

/* One beat; false when it needs a byte of room and there is none. */
static bool put_beat(struct hs_pin_sender *s, unsigned beat, struct room *x)
{
	if (s->config.format == HS_PIN_PACKED) {
		if (s->fill + s->width == 8u && x->len == x->cap)
			return false;
		s->acc |= (uint8_t)(beat << s->fill);
		s->fill = (uint8_t)(s->fill + s->width);
		beat = s->acc;
	} else if (x->len == x->cap) {
		return false;
	}
	s->beats++;
	if (s->config.format == HS_PIN_PACKED && s->fill < 8)
		return true;
	x->out[x->len++] = (uint8_t)beat;
	s->acc = s->fill = 0;
	return true;
}

static bool put_byte(struct hs_pin_sender *s, struct room *x)
{
	for (; s->left; s->left--) {
		if (!put_beat(s, s->byte & pin_ones(s->width), x))
			return false;
		s->byte = (uint8_t)(s->byte >> s->width);
	}
	return true;
}

/* A byte of the encapsulation: nulls lie between packets. */
static void take_packet_byte(struct hs_pin_sender *s, uint8_t byte)
{
	const struct hs_pin_config *c = &s->config;

	if (s->within == INSIDE) {
		s->within = --s->rest ? INSIDE : LAST_BYTE;
	} else if (byte & 31) {
		s->rest = (uint8_t)((byte & 31) + c->src_bytes);
		s->rest += byte & 0x80 ? c->tstamp_bytes : 0;
		s->within = INSIDE;
	}
}

static void take_byte(struct hs_pin_sender *s, uint8_t byte)
{
	s->byte = byte;
	s->left = s->per;
	if (s->config.headers) {
		take_packet_byte(s, byte);
		return;
	}
	if (s->within == OUTSIDE && byte == 0xff)
		return;
	s->within = PIN_MSEO(byte) == PIN_MSEO_END ? LAST_BYTE : INSIDE;
}

enum hs_status hs_pin_send(struct hs_pin_sender *s, struct hs_span *in, uint8_t *out, size_t cap,
                           size_t *len)
{
	struct room x = { out, cap, 0 };
	enum hs_status status = HS_OK;

	while (status == HS_OK) {
		if (!put_byte(s, &x)) {
			status = HS_FULL;
		} else if (s->within == LAST_BYTE) {
			s->within = OUTSIDE;
			break;
		} else if (in->n == 0) {
			status = HS_MORE;
		} else {
			take_byte(s, *in->p++);
			in->n--;
		}
	}
	*len = x.len;
	return status;
}

/* Whole bytes of null.idle, the last one null.alignment (EE Synchronization). */
static enum hs_status send_nulls(struct hs_pin_sender *s, uint64_t *beats, struct room *x)
{
	while (put_byte(s, x)) {
		if (!*beats)
			return HS_OK;
		s->byte = *beats <= s->per ? 0x80 : 0;
		s->left = s->per;
		*beats -= *beats < s->per ? *beats : s->per;
	}
	return HS_FULL;
}

enum hs_status hs_pin_idle(struct hs_pin_sender *s, uint64_t *beats, uint8_t *out, size_t cap,
                           size_t *len)
{
	struct room x = { out, cap, 0 };

	*len = 0;
	if (s->within != OUTSIDE || (s->left && !s->config.headers))
		return HS_E_ARG;
	if (s->config.headers) {
		const enum hs_status status = send_nulls(s, beats, &x);

		*len = x.len;
		return status;
	}
	while (*beats && put_beat(s, pin_ones(s->width), &x))
		--*beats;
	*len = x.len;
	return *beats ? HS_FULL : HS_OK;
}

enum hs_status hs_pin_sender_end(struct hs_pin_sender *s, uint8_t *out, size_t cap, size_t *len)
{
	struct room x = { out, cap, 0 };
	bool done = true;

	while (done && (s->fill || (s->config.width == 16 && s->beats % 2)))
		done = put_beat(s, s->config.headers ? 0 : pin_ones(s->width), &x);
	*len = x.len;
	return done ? HS_OK : HS_FULL;
}
