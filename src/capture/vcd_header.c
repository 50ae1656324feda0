/* Declarations of a value change dump: finds the signals that were asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/vcd_private.h"

/* ---- names ---------------------------------------------------------------------- */

/* Cut "[7]" or "[7:0]" off a name.  Returns how many numbers it had: 0, 1 or 2. */
static unsigned cut_range(char *name, uint32_t *left, uint32_t *right)
{
	char *open = strrchr(name, '[');
	char end = '\0';
	unsigned l, r;

	if (!open)
		return 0;
	if (sscanf(open, "[%9u:%9u%c", &l, &r, &end) == 3 && end == ']') {
		*left = l;
		*right = r;
		*open = '\0';
		return 2;
	}
	if (sscanf(open, "[%9u%c", &l, &end) == 2 && end == ']') {
		*left = *right = l;
		*open = '\0';
		return 1;
	}
	return 0;
}

static bool set_name(struct vcd_name *name, const char *text, size_t n)
{
	uint32_t ignored;

	if (n == 0 || n >= sizeof(name->text))
		return false;
	memcpy(name->text, text, n);
	name->text[n] = '\0';
	name->has_index = cut_range(name->text, &name->index, &ignored) == 1;
	return name->text[0] != '\0';
}

enum hs_status vcd_header_init(struct vcd_header *h, const struct hs_vcd_options *o,
                               struct hs_error *error)
{
	const char *clock = o->clock ? o->clock : "trc_clk";
	const unsigned w = o->width;

	if (w > HS_VCD_PINS || (w & (w - 1)))
		return hs_error_set(error, HS_E_ARG, "a port has 1, 2, 4, 8 or 16 pins, not %u", w);
	h->width = w;
	h->no_clock = o->step != 0;
	if (!set_name(&h->clock_name, clock, strlen(clock)))
		return hs_error_set(error, HS_E_ARG,
		                    "the name of the clock signal is empty or too long");
	for (const char *p = o->data ? o->data : "trc_data"; ; p++) {
		const size_t n = strcspn(p, ",");

		if (h->name_count == HS_VCD_PINS || !set_name(&h->names[h->name_count++], p, n))
			return hs_error_set(error, HS_E_ARG,
			                    "data signals: a name is empty or too long, "
			                    "or there are more than %d",
			                    HS_VCD_PINS);
		p += n;
		if (!*p)
			return HS_OK;
	}
}

/* Is @want the variable's path, or the end of it after a dot? */
static bool names_variable(const struct vcd_header *h, const char *want)
{
	char full[VCD_PATH + VCD_NAME];
	const size_t n = (size_t)snprintf(full, sizeof(full), "%s%s", h->path.text, h->var.name);
	const size_t w = strlen(want);

	return n >= w && strcmp(full + n - w, want) == 0 && (n == w || full[n - w - 1] == '.');
}

/* ---- variables -------------------------------------------------------------------- */

static void set_bit(struct vcd_bit *b, const char *id, uint32_t bit)
{
	if (b->found)
		return;
	b->found = true;
	b->bit = bit;
	memcpy(b->id, id, sizeof(b->id));
}

/* The whole variable is the data of the port; its bit with the lowest number is pin 0. */
static void use_all_bits(struct vcd_header *h, uint32_t size, uint32_t left, uint32_t right)
{
	for (uint32_t pin = 0; pin < size && pin < HS_VCD_PINS; pin++)
		set_bit(&h->pins[pin], h->var.id, left >= right ? pin : size - 1 - pin);
	h->wide |= size > HS_VCD_PINS;
}

/* One bit of the variable is pin @pin. */
static void use_one_bit(struct vcd_header *h, unsigned pin, const struct vcd_name *want,
                        unsigned numbers, uint32_t left, uint32_t right)
{
	const uint32_t low = left < right ? left : right, high = left < right ? right : left;

	if (!want->has_index)
		set_bit(&h->pins[pin], h->var.id, 0);
	else if (numbers && want->index >= low && want->index <= high)
		set_bit(&h->pins[pin], h->var.id,
		        left >= right ? want->index - right : right - want->index);
}

/* Is the variable one of the data signals, or a part of one? */
static void match_data(struct vcd_header *h, unsigned i, unsigned numbers, uint32_t left,
                       uint32_t right)
{
	const struct vcd_name *want = &h->names[i];
	const struct vcd_var *v = &h->var;
	const uint32_t last = left > right ? left - right : right - left;
	const uint32_t size = numbers == 2 ? last + 1 : v->size;

	if (!names_variable(h, want->text))
		return;
	if (h->name_count > 1 || want->has_index)
		use_one_bit(h, i, want, numbers, left, right);
	else if (numbers == 1 && size == 1 && left < HS_VCD_PINS)
		set_bit(&h->pins[left], v->id, 0);
	else if (numbers != 1)
		use_all_bits(h, size, left, right);
}

static void end_var(struct vcd_header *h)
{
	uint32_t left = 0, right = 0;
	struct vcd_var *v = &h->var;

	if (v->tokens < 4 || v->n == 0)
		return;
	const unsigned numbers = cut_range(v->name, &left, &right);

	if (!v->id[0])
		return; /* too long to be distinguished from others */
	if (names_variable(h, h->clock_name.text) &&
	    (!h->clock_name.has_index || (numbers == 1 && left == h->clock_name.index)))
		set_bit(&h->clock, v->id, 0);
	for (unsigned i = 0; i < h->name_count; i++)
		match_data(h, i, numbers, left, right);
}

/* A word of $var: type, size, code, name, and the range if a space precedes it. */
static void var_token(struct vcd_header *h, const char *token, size_t n)
{
	struct vcd_var *v = &h->var;

	v->tokens++;
	if (v->tokens == 2) {
		v->size = (uint32_t)strtoul(token, NULL, 10);
	} else if (v->tokens == 3 && n <= VCD_ID) {
		memcpy(v->id, token, n);
	} else if (v->tokens > 3) {
		if (v->n == 0 && token[0] == '\\') { /* an escaped name */
			token++;
			n--;
		}
		if (v->n + n < sizeof(v->name)) {
			memcpy(v->name + v->n, token, n);
			v->n += n;
			v->name[v->n] = '\0';
		}
	}
}

/* ---- sections ---------------------------------------------------------------------- */

static void enter_scope(struct vcd_path *p, const char *name, size_t n)
{
	if (p->depth < VCD_DEPTH) {
		p->before[p->depth] = p->n;
		if (p->n + n + 1 < sizeof(p->text)) {
			memcpy(p->text + p->n, name, n);
			p->n += n;
			p->text[p->n++] = '.';
			p->text[p->n] = '\0';
		}
	}
	p->depth++;
}

static void leave_scope(struct vcd_path *p)
{
	if (p->depth == 0)
		return;
	p->depth--;
	if (p->depth < VCD_DEPTH) {
		p->n = p->before[p->depth];
		p->text[p->n] = '\0';
	}
}

/* The end of $enddefinitions: were all signals declared? */
static enum hs_status finish(struct vcd_header *h, struct hs_error *error)
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
	h->count = h->width ? h->width : n;
	if ((h->wide && !h->width) || (h->count & (h->count - 1)))
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s has %s%u pins; a port has 1, 2, 4, 8 or 16: say how many to read",
		                    h->names[0].text, h->wide ? "more than " : "", n);
	h->done = true;
	return HS_OK;
}

static bool in_section(const struct vcd_header *h, const char *keyword)
{
	return strcmp(h->section, keyword) == 0;
}

static enum hs_status end_section(struct vcd_header *h, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	if (in_section(h, "$var"))
		end_var(h);
	else if (in_section(h, "$upscope"))
		leave_scope(&h->path);
	else if (in_section(h, "$enddefinitions"))
		s = finish(h, error);
	h->section[0] = '\0';
	return s;
}

enum hs_status vcd_header_token(struct vcd_header *h, const char *token, size_t n,
                                struct hs_error *error)
{
	if (!h->section[0]) {
		if (token[0] != '$' || n < 2)
			return hs_error_set(error, HS_E_FORMAT, "not a value change dump");
		snprintf(h->section, sizeof(h->section), "%.*s", (int)(n < 23 ? n : 23), token);
		h->section_tokens = 0;
		memset(&h->var, 0, sizeof(h->var));
		return HS_OK;
	}
	if (strcmp(token, "$end") == 0)
		return end_section(h, error);
	h->section_tokens++;
	if (in_section(h, "$var"))
		var_token(h, token, n);
	else if (in_section(h, "$scope") && h->section_tokens == 2)
		enter_scope(&h->path, token, n);
	return HS_OK;
}
