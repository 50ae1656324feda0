/* Signals of the ingress port by number: names, widths, values; and a cycle as a row of text. */
#include "ingress/ingress.h"
#include "ingress/port.h"

#include "core/mem.h"

#define INSN_ONLY (1u << HS_PORT_INSN)
#define BLOCK_ONLY (1u << HS_PORT_BLOCK)

#define ROW(in, member, parameter, numbers, of, what, ...) \
	{ .name = #member, \
	  .width = (parameter), \
	  .clause = (of), \
	  .text = (what), \
	  .offset = offsetof(struct in, member), \
	  .base = (numbers), \
	  __VA_ARGS__ },

static const struct hs_port_signal signals[HS_PORT_SIGNALS] = {
#define HS_PORT_SLOT(name, insn, block, width, base, clause, text) \
	ROW(hs_port_slot, name, width, base, clause, text, .once = 0)
#define HS_PORT_SHARED(name, insn, block, width, base, clause, text) \
	ROW(hs_port_slot, name, width, base, clause, text, .once = BLOCK_ONLY)
#define HS_PORT_CYCLE(name, insn, block, width, base, clause, text) \
	ROW(hs_port_cycle, name, width, base, clause, text, .once = INSN_ONLY | BLOCK_ONLY, \
	    .in_cycle = true)
#define HS_PORT_DATA(name, insn, block, width, base, clause, text) \
	ROW(hs_port_data, name, width, base, clause, text, .in_data = true)
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
};

const struct hs_port_signal *hs_port_get_signal(unsigned number)
{
	return number < HS_PORT_SIGNALS ? &signals[number] : NULL;
}

unsigned port_signal_width(const struct hs_port_config *c, unsigned number)
{
	const bool insn_form = c->form == HS_PORT_INSN;

	switch (number) {
#define HS_PORT_SLOT(name, insn, block, ...) \
	case HS_PORT_SIGNAL_##name: \
		return insn_form ? (insn) : (block);
#define HS_PORT_SHARED(name, insn, block, ...) \
	case HS_PORT_SIGNAL_##name: \
		return insn_form ? (insn) : (block);
#define HS_PORT_CYCLE(name, insn, block, ...) \
	case HS_PORT_SIGNAL_##name: \
		return insn_form ? (insn) : (block);
#define HS_PORT_DATA(name, insn, block, ...) \
	case HS_PORT_SIGNAL_##name: \
		return insn_form ? (insn) : (block);
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
	default:
		return 0;
	}
}

unsigned port_signal_count(const struct hs_port_config *c, unsigned number)
{
	if (!port_signal_width(c, number))
		return 0;
	if (signals[number].in_data)
		return c->accesses;
	return signals[number].once >> c->form & 1u ? 1 : c->slots;
}

unsigned hs_port_signal_count(const struct hs_port_config *c, unsigned number)
{
	struct hs_port_config own;

	return hs_port_config_resolve(c, &own) == HS_OK ? port_signal_count(&own, number) : 0;
}

unsigned hs_port_signal_width(const struct hs_port_config *c, unsigned number)
{
	struct hs_port_config own;

	return hs_port_config_resolve(c, &own) == HS_OK ? port_signal_width(&own, number) : 0;
}

uint64_t hs_port_get(const struct hs_port_cycle *cycle, unsigned number, unsigned slot)
{
	const char *base = (const char *)cycle;
	uint64_t v;

	if (number >= HS_PORT_SIGNALS || slot >= HS_PORT_SLOTS)
		return 0;
	if (signals[number].in_data)
		base = (const char *)&cycle->data[slot];
	else if (!signals[number].in_cycle)
		base = (const char *)&cycle->slot[slot];
	memcpy(&v, base + signals[number].offset, sizeof v);
	return v;
}

void hs_port_set(struct hs_port_cycle *cycle, unsigned number, unsigned slot, uint64_t value)
{
	char *base = (char *)cycle;

	if (number >= HS_PORT_SIGNALS || slot >= HS_PORT_SLOTS)
		return;
	if (signals[number].in_data)
		base = (char *)&cycle->data[slot];
	else if (!signals[number].in_cycle)
		base = (char *)&cycle->slot[slot];
	memcpy(base + signals[number].offset, &value, sizeof value);
}

/* ---- rows ------------------------------------------------------------------------ */

static size_t put_text(char *out, size_t at, const char *text)
{
	while (*text && at < HS_PORT_LINE)
		out[at++] = *text++;
	return at;
}

/* No division: rv32 has none of 64 bits. */
static size_t put_decimal(char *out, size_t at, uint64_t v)
{
	uint64_t power = 1;

	while (power <= UINT64_MAX / 10 && power * 10 <= v)
		power *= 10;
	for (bool more = true; more && at < HS_PORT_LINE;) {
		char digit = '0';
		uint64_t next = 0;

		for (; v >= power; v -= power)
			digit++;
		out[at++] = digit;
		more = power > 1;
		for (uint64_t p = 1; p < power; p *= 10)
			next = p;
		power = next;
	}
	return at;
}

static size_t put_hex(char *out, size_t at, uint64_t v)
{
	unsigned shift = 60;

	while (shift && v >> shift == 0)
		shift -= 4;
	for (int s = (int)shift; s >= 0 && at < HS_PORT_LINE; s -= 4)
		out[at++] = "0123456789abcdef"[v >> s & 15u];
	return at;
}

/* One column: its name without a cycle, else its value. */
static size_t put_column(const struct hs_port_config *c, const struct hs_port_cycle *cycle,
                         unsigned number, unsigned slot, char *out, size_t at)
{
	const struct hs_port_signal *s = &signals[number];
	const bool once = s->once >> c->form & 1u;
	const char suffix[] = { '_', (char)('0' + slot), 0 };

	if (at)
		at = put_text(out, at, ",");
	if (!cycle)
		return put_text(out, put_text(out, at, s->name), once ? "" : suffix);
	const uint64_t v = hs_port_get(cycle, number, slot);

	return s->base == 16 ? put_hex(out, at, v) : put_decimal(out, at, v);
}

static size_t put_line(const struct hs_port_config *config, const struct hs_port_cycle *cycle,
                       char *out)
{
	struct hs_port_config own;
	size_t at = 0;

	if (hs_port_config_resolve(config, &own) != HS_OK)
		return 0;
	const struct hs_port_config *c = &own;

	for (unsigned slot = 0; slot < HS_PORT_SLOTS; slot++)
		for (unsigned i = 0; i < HS_PORT_SIGNALS; i++)
			if (slot < port_signal_count(c, i))
				at = put_column(c, cycle, i, slot, out, at);
	return put_text(out, at, "\n");
}

size_t hs_port_header(const struct hs_port_config *c, char *out)
{
	return put_line(c, NULL, out);
}

size_t hs_port_row(const struct hs_port_config *c, const struct hs_port_cycle *cycle, char *out)
{
	return put_line(c, cycle, out);
}
