/* Message bytes to samples (NT 3.3, 3.4). */
#include "transport/pins.h"

#include "base/mem.h"

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

static void take_byte(struct hs_pin_sender *s, uint8_t byte)
{
	s->byte = byte;
	s->left = s->per;
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

enum hs_status hs_pin_idle(struct hs_pin_sender *s, uint64_t *beats, uint8_t *out, size_t cap,
                           size_t *len)
{
	struct room x = { out, cap, 0 };

	*len = 0;
	if (s->within != OUTSIDE || s->left)
		return HS_E_ARG;
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
		done = put_beat(s, pin_ones(s->width), &x);
	*len = x.len;
	return done ? HS_OK : HS_FULL;
}
