/* Encoders and their turns. */
#include "device/device.h"

#include "core/mem.h"

static bool sink_accepts(void *user)
{
	const struct hs_dev_encoder *e = user;

	return dev_links_accept(e->link, e->links);
}

static bool sink_put(void *user, struct hs_span *in)
{
	const struct hs_dev_encoder *e = user;

	dev_put_links(e->link, e->links, in);
	return in->n == 0;
}

static bool sink_waits(void *user)
{
	const struct hs_dev_encoder *e = user;

	return dev_links_wait(e->link, e->links);
}

enum hs_status hs_dev_encoder_init(struct hs_dev_encoder *e, const struct hs_tc_profile *profile,
                                   const struct hs_et_config *etrace, const struct hs_image *image,
                                   bool halted)
{
	static const struct hs_tc_sink sink = { sink_accepts, sink_put, sink_waits };
	const struct hs_tc_memory none = { .sram = NULL };
	struct hs_tc_profile own =
		*(profile ? profile : hs_tc_profile_find(etrace ? "etrace" : "full"));

	own.components = 1u << HS_TC_ENCODER;
	memset(e, 0, sizeof(*e));
	const enum hs_status s = hs_tc_device_init(&e->device, &own, &none, halted);

	e->device.image = image;
	e->device.sink = &sink;
	e->device.sink_user = e;
	if (!etrace)
		return s;
	e->etrace.config = *etrace;
	e->device.codec = &dev_etrace_codec;
	e->device.codec_user = &e->etrace;
	return s;
}

enum hs_status hs_dev_encoder_connect(struct hs_dev_encoder *e, struct hs_dev_node *to,
                                      unsigned input)
{
	return dev_connect(e->link, &e->links, to, input);
}

enum hs_status hs_dev_add(struct hs_dev *d, struct hs_dev_encoder *e)
{
	if (d->encoders == HS_DEV_ENCODERS)
		return HS_E_SPACE;
	d->encoder[d->encoders++] = e;
	return HS_OK;
}

/* Reading a register sends what waits. */
void hs_dev_poll(struct hs_dev *d)
{
	for (unsigned i = 0; i < d->encoders; i++)
		hs_tc_device_read(&d->encoder[(d->next + i) % d->encoders]->device, HS_TC_ENCODER,
		                  4);
	d->next = (uint8_t)(d->encoders ? (d->next + 1u) % d->encoders : 0);
}

enum hs_status hs_dev_run(struct hs_dev *d, struct hs_dev_encoder *e, const struct hs_block *in,
                          size_t n, size_t *used)
{
	enum hs_status s = HS_OK;
	size_t one = 1;

	for (*used = 0; *used < n && s == HS_OK && one; *used += one) {
		hs_dev_poll(d);
		s = hs_tc_device_run(&e->device, in + *used, 1, &one);
	}
	return s;
}

void hs_dev_clock(struct hs_dev *d, struct hs_dev_node *pins, uint64_t clocks)
{
	const uint64_t each = dev_pins_clocks(pins);

	if (!each)
		return;
	for (pins->clocks += clocks; pins->clocks >= each; pins->clocks -= each) {
		dev_pins_shift(pins);
		if (d)
			hs_dev_poll(d);
	}
}
