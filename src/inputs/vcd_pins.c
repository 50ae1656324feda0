/* Declarations of a value change dump to the signals of a port. */
#include <string.h>

#include "inputs/vcd_pins.h"

enum hs_status vcd_pins_init(struct vcd_pins *h, const struct hs_vcd_options *o,
                             struct hs_error *error)
{
	const char *clock = o->clock ? o->clock : "trc_clk";
	const unsigned w = o->width;

	if (w > HS_VCD_PINS || (w & (w - 1)))
		return hs_error_set(error, HS_E_ARG, "a port has 1, 2, 4, 8 or 16 pins, not %u", w);
	h->width = w;
	h->no_clock = o->step != 0;
	if (!vcd_set_name(&h->clock_name, clock, strlen(clock)))
		return hs_error_set(error, HS_E_ARG,
		                    "the name of the clock signal is empty or too long");
	for (const char *p = o->data ? o->data : "trc_data";; p++) {
		const size_t n = strcspn(p, ",");

		if (h->name_count == HS_VCD_PINS || !vcd_set_name(&h->names[h->name_count++], p, n))
			return hs_error_set(error, HS_E_ARG,
			                    "data signals: a name is empty or too long, "
			                    "or there are more than %d",
			                    HS_VCD_PINS);
		p += n;
		if (!*p)
			return HS_OK;
	}
}

static void set_bit(struct vcd_bit *b, const char *id, uint32_t bit)
{
	if (b->found)
		return;
	b->found = true;
	b->bit = bit;
	memcpy(b->id, id, sizeof(b->id));
}

/* The whole variable is the data of the port; its bit with the lowest number is pin 0. */
static void use_all_bits(struct vcd_pins *h, const struct vcd_var *v)
{
	for (uint32_t pin = 0; pin < v->size && pin < HS_VCD_PINS; pin++)
		set_bit(&h->pins[pin], v->id, v->left >= v->right ? pin : v->size - 1 - pin);
	h->wide |= v->size > HS_VCD_PINS;
}

/* Is the variable one of the data signals, or a part of one? */
static void match_data(struct vcd_pins *h, unsigned i, const struct vcd_reader *r)
{
	const struct vcd_var *v = &r->var;
	int32_t bit;
	const enum vcd_fit fit = vcd_fit(r, &h->names[i], &bit);

	if (fit == VCD_BIT)
		set_bit(&h->pins[i], v->id, (uint32_t)bit);
	else if (fit != VCD_OTHER && h->name_count > 1)
		set_bit(&h->pins[i], v->id, 0);
	else if (fit == VCD_ALL)
		use_all_bits(h, v);
	else if (fit == VCD_PART && bit >= 0 && bit < HS_VCD_PINS)
		set_bit(&h->pins[bit], v->id, 0);
}

void vcd_pins_match(struct vcd_pins *h, const struct vcd_reader *r)
{
	int32_t bit;
	const enum vcd_fit fit = vcd_fit(r, &h->clock_name, &bit);

	if (fit != VCD_OTHER)
		set_bit(&h->clock, r->var.id, fit == VCD_BIT ? (uint32_t)bit : 0);
	for (unsigned i = 0; i < h->name_count; i++)
		match_data(h, i, r);
}

enum hs_status vcd_pins_finish(struct vcd_pins *h, struct hs_error *error)
{
	unsigned n = 0;

	while (n < HS_VCD_PINS && h->pins[n].found)
		n++;
	if (!h->clock.found && !h->no_clock)
		return hs_error_set(error, HS_E_CONFIG, "no signal is called %s",
		                    h->clock_name.text);
	if (n == 0 || n < h->name_count)
		return hs_error_set(error, HS_E_CONFIG, "no signal is called %s", h->names[n].text);
	if (h->width > n)
		return hs_error_set(error, HS_E_CONFIG, "%s has %u pins, not %u", h->names[0].text,
		                    n, h->width);
	const unsigned count = h->width ? h->width : n;

	if ((h->wide && !h->width) || (count & (count - 1)))
		return hs_error_set(
			error, HS_E_CONFIG,
			"%s has %s%u pins; a port has 1, 2, 4, 8 or 16: say how many to read",
			h->names[0].text, h->wide ? "more than " : "", n);
	h->count = count;
	return HS_OK;
}
