/* Funnels, sinks and bridges: whole messages in, and on (TCI 4.1, 7, 8, 10). */
#include "device/device.h"

#include "core/mem.h"

/* Enable bits of tr??Control are alike (TCI 4.3). */
static bool is_enabled(const struct hs_dev_node *n)
{
	return (dev_control(n) & 3) == 3;
}

uint32_t dev_control(const struct hs_dev_node *n)
{
	struct hs_tc_place p;

	hs_tc_at(n->kind, 0, &p);
	return n->tc.settle[n->kind] ? 0 : n->tc.regs.word[p.word];
}

enum hs_status hs_dev_node_init(struct hs_dev_node *n, enum hs_tc_component kind,
                                const struct hs_tc_profile *profile,
                                const struct hs_tc_memory *memory, const struct hs_dev_ops *ops,
                                void *user)
{
	const struct hs_tc_memory none = { .sram = NULL };
	struct hs_tc_profile own = *(profile ? profile : hs_tc_profile_find("full"));

	memset(n, 0, sizeof(*n));
	own.components = (uint32_t)1 << kind;
	if (kind == HS_TC_ENCODER || kind >= HS_TC_COMPONENTS ||
	    (kind == HS_TC_PIB && !(ops && ops->sample)) ||
	    (kind == HS_TC_ATB && !(ops && ops->atb)))
		return HS_E_ARG;
	n->kind = (uint8_t)kind;
	n->ops = ops;
	n->user = user;
	return hs_tc_init(&n->tc, &own, memory ? memory : &none, 0);
}

void hs_dev_node_set_packets(struct hs_dev_node *n, bool packets)
{
	n->packets = packets;
	n->tc.fill = packets ? 0 : 0xff;
}

void hs_dev_node_set_nulls(struct hs_dev_node *n, uint32_t run)
{
	hs_dev_node_set_packets(n, true);
	n->null_run = (uint16_t)(run < HS_DEV_NULLS ? run : HS_DEV_NULLS);
	n->owed = n->null_run;
}

enum hs_status dev_connect(struct hs_dev_link *links, uint8_t *count, struct hs_dev_node *to,
                           unsigned input)
{
	if (*count == HS_DEV_LINKS || input >= (to->kind == HS_TC_FUNNEL ? 16 : 1))
		return HS_E_ARG;
	links[(*count)++] = (struct hs_dev_link){ to, input };
	return HS_OK;
}

enum hs_status hs_dev_node_connect(struct hs_dev_node *n, struct hs_dev_node *to, unsigned input)
{
	return n->kind == HS_TC_FUNNEL ? dev_connect(n->link, &n->links, to, input) : HS_E_ARG;
}

bool hs_dev_put(struct hs_dev_node *n, unsigned input, struct hs_span *in)
{
	const struct hs_dev_link link = { n, input };

	if (input < (n->kind == HS_TC_FUNNEL ? 16u : 1u))
		dev_put_links(&link, 1, in);
	return in->n == 0;
}

uint32_t hs_dev_read(struct hs_dev_node *n, uint32_t offset)
{
	return hs_tc_read(&n->tc, n->kind, offset);
}

void hs_dev_write(struct hs_dev_node *n, uint32_t offset, uint32_t value)
{
	hs_tc_write(&n->tc, n->kind, offset, value);
	if (n->kind == HS_TC_PIB)
		dev_pins_written(n);
}

/* ---- trace through ---------------------------------------------------------------- */

static bool drops_input(const struct hs_dev_node *n, unsigned input)
{
	return hs_tc_get(&n->tc.regs, HS_TC_FUNNEL, HS_TCF_FUNNEL_DIS_INPUT_MASK) >> input & 1u;
}

/* IDs 0 and 0x70 to 0x7f are reserved: nothing can be sent with one (TCI 10). */
static unsigned atb_id(const struct hs_dev_node *n)
{
	const uint32_t id = hs_tc_get(&n->tc.regs, HS_TC_ATB, HS_TCF_ATB_ID);

	return id < 0x70 ? id : 0;
}

bool dev_links_accept(const struct hs_dev_link *links, unsigned count)
{
	bool accept = count != 0;

	for (unsigned i = 0; i < count; i++)
		accept &= dev_accepts(links[i].to, links[i].input);
	return accept;
}

bool dev_accepts(const struct hs_dev_node *n, unsigned input)
{
	if (!is_enabled(n))
		return false;
	switch (n->kind) {
	case HS_TC_FUNNEL: return drops_input(n, input) || dev_links_accept(n->link, n->links);
	case HS_TC_PIB:    return dev_pins_accept(n);
	case HS_TC_ATB:    return atb_id(n) != 0;
	default:           return true;
	}
}

static bool waits(const struct hs_dev_node *n)
{
	switch (n->kind) {
	case HS_TC_FUNNEL: return is_enabled(n) && dev_links_wait(n->link, n->links);
	case HS_TC_PIB:    return dev_pins_take_input(n);
	default:           return dev_accepts(n, 0);
	}
}

bool dev_links_wait(const struct hs_dev_link *links, unsigned count)
{
	bool wait = count != 0;

	for (unsigned i = 0; i < count; i++)
		wait &= waits(links[i].to);
	return wait;
}

/* Every output takes the same bytes; the one with the least room decides how many. */
void dev_put_links(const struct hs_dev_link *links, unsigned count, struct hs_span *in)
{
	size_t n = in->n;

	for (unsigned i = 0; i < count; i++) {
		const size_t room = dev_room(links[i].to, links[i].input, in);

		n = room < n ? room : n;
	}
	for (unsigned i = 0; i < count && n; i++) {
		struct hs_span part = { in->p, n };

		dev_put(links[i].to, links[i].input, &part);
	}
	in->p += count ? n : 0;
	in->n -= count ? n : 0;
}

/* How much of @in would be taken: whole messages. */
size_t dev_room(const struct hs_dev_node *n, unsigned input, const struct hs_span *in)
{
	size_t room = in->n;

	if (!is_enabled(n))
		return 0;
	if (n->kind == HS_TC_PIB)
		return dev_pins_room(n, in);
	if (n->kind == HS_TC_ATB)
		return atb_id(n) ? room : 0;
	if (n->kind != HS_TC_FUNNEL || drops_input(n, input))
		return room;
	for (unsigned i = 0; i < n->links; i++) {
		const size_t one = dev_room(n->link[i].to, n->link[i].input, in);

		room = one < room ? one : room;
	}
	return n->links ? room : 0;
}

/* Distance of sequences: each 2^(n+6) bytes; 0: none. */
static unsigned async_freq(const struct hs_dev_node *n)
{
	static const uint16_t fields[HS_TC_COMPONENTS] = {
		[HS_TC_RAM] = HS_TCF_RAM_ASYNC_FREQ,
		[HS_TC_PIB] = HS_TCF_PIB_ASYNC_FREQ,
		[HS_TC_ATB] = HS_TCF_ATB_ASYNC_FREQ,
	};

	return n->null_run ? hs_tc_get(&n->tc.regs, n->kind, fields[n->kind]) : 0;
}

static void put_sink(struct hs_dev_node *n, struct hs_span *in)
{
	switch (n->kind) {
	case HS_TC_PIB:
		dev_pins_put(n, in);
		break;
	case HS_TC_ATB:
		n->ops->atb(n->user, atb_id(n), in->p, in->n);
		break;
	default:
		hs_tc_put(&n->tc, 0, in);
		break;
	}
}

/* EE Synchronization, after bytes of whole packets; where pins have no room, after later ones. */
static void put_sequence(struct hs_dev_node *n, size_t bytes)
{
	uint8_t nulls[HS_DEV_NULLS + 1] = { 0 };
	struct hs_span in = { nulls, n->null_run + (size_t)1 };
	const unsigned freq = async_freq(n);

	n->unaligned += (uint32_t)bytes;
	if (!freq || n->unaligned < (uint32_t)1 << (freq + 6) || !is_enabled(n) ||
	    (n->kind == HS_TC_PIB && dev_pins_room(n, &in) < in.n))
		return;
	nulls[n->null_run] = 0x80;
	put_sink(n, &in);
	n->unaligned = 0;
}

/* @in is not more than dev_room() said. */
void dev_put(struct hs_dev_node *n, unsigned input, struct hs_span *in)
{
	const size_t bytes = in->n;

	if (n->kind == HS_TC_FUNNEL) {
		if (!drops_input(n, input))
			dev_put_links(n->link, n->links, in);
		return;
	}
	put_sink(n, in);
	put_sequence(n, bytes);
}
