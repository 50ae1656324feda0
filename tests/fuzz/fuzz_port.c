/* Any signals, in any port, for any number of cycles, and any text: the port ends, what it refuses
 * it names, and what it gives keeps the rules of blocks.  Input: flags, then cycles of random
 * signals; or with flag 1 piece size and text. */
#include <hartscope/port.h>

#include "ingress/ingress.h"
#include "fuzz.h"
#include "ingress/import.h"
#include "stream.h"
#include "widest_port.h"

#define BLOCKS (HS_PORT_ROOM + 40)

/* A cursor over the input: zeros after its end. */
struct input {
	const uint8_t *p, *end;
};

static uint64_t take_value(struct input *in, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes && in->p < in->end; i++)
		v |= (uint64_t)*in->p++ << 8 * i;
	return v;
}

/* A value of a signal: near its width more often than far above it. */
static uint64_t value(struct input *in, unsigned width)
{
	const uint64_t how = take_value(in, 1), v = take_value(in, width > 8 ? 4 : 1);

	if (how == 255)
		return v << 32 | v;
	return width < 64 ? v & ((UINT64_C(1) << width) - 1) : v & ~UINT64_C(1);
}

static void random_config(struct input *in, struct hs_port_config *c, unsigned flags)
{
	*c = widest_port(flags & 2 ? HS_PORT_BLOCK : HS_PORT_INSN);
	c->isa.xlen = flags & 4 ? 32 : 64;
	c->iaddress_width = c->isa.xlen;
	c->slots = (uint8_t)(1 + take_value(in, 1) % HS_PORT_SLOTS);
	c->retract_width = flags & 8 ? 6 : 0;
	c->retract_last = flags >> 4 & 1;
	c->sideband = flags >> 5 & 1;
	c->no_stall = flags >> 6 & 1;
	c->interrupt_iaddr = flags >> 7 & 1;
	c->retires = 1 + flags % 2;
	c->itype_width = 3 + flags % 2;
	c->compressed = flags >> 4 & 1;
	c->user_width = 256;
	if (c->form == HS_PORT_BLOCK)
		c->accesses = take_value(in, 1) % (HS_PORT_SLOTS + 1);
	c->split = flags >> 3 & 1;
	c->iaddr_lsbs_width = flags >> 4 & 1 ? 11 : 0;
}

/* Signals that make most cycles illegal when they are at random come now and then. */
static bool rare(const char *name)
{
	static const char *const names[] = { "iexception", "halted", "reset",    "retract",
		                             "action",     "itype",  "trcstate", "dretire" };
	bool found = false;

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		found |= strcmp(name, names[i]) == 0;
	return found;
}

static uint64_t opcode(uint64_t v)
{
	return (v & 3) == 3 ? v : v & 0xffff; /* bits above a short one are 0 */
}

static void cycle_of(struct input *in, const struct hs_port_config *c, struct hs_port_cycle *cycle)
{
	memset(cycle, 0, sizeof(*cycle));
	for (unsigned i = 0; hs_port_get_signal(i); i++)
		for (unsigned slot = 0; slot < c->slots; slot++)
			if ((take_value(in, 1) & (rare(hs_port_get_signal(i)->name) ? 15 : 1)) == 1)
				hs_port_set(cycle, i, slot, value(in, hs_port_signal_width(c, i)));
	for (unsigned slot = 0; slot < c->slots; slot++)
		cycle->slot[slot].instr = opcode(cycle->slot[slot].instr);
}

static void signals(struct input in, unsigned flags)
{
	const struct hs_section section = { 0, (size_t)(in.end - in.p), in.p };
	const struct hs_image image = { .sections = &section,
		                        .count = in.end > in.p,
		                        .isa = { .xlen = flags & 4 ? 32 : 64 } };
	struct outcome o = OUTCOME_START;
	struct hs_block at[BLOCKS];
	struct hs_port_config c;
	struct hs_port p;

	random_config(&in, &c, flags);
	fuzz_must(hs_port_init(&p, &c, &image) == HS_OK);
	while (in.p < in.end) {
		struct hs_port_cycle cycle;
		struct hs_blocks out = { at, take_value(&in, 1) % 8 ? BLOCKS
		                         : HS_PORT_ROOM - 1, 0 };
		enum hs_status s;

		memset(at, 0, sizeof(at));
		cycle_of(&in, &c, &cycle);
		s = hs_port_clock(&p, &cycle, &out);
		fuzz_must(out.n <= out.cap);
		fuzz_must((s == HS_E_BLOCK || s == HS_E_FIELD) == (p.fault.why != NULL));
		fuzz_must(s == HS_OK || s == HS_FULL || s == HS_E_LOST || p.fault.clause);
		fuzz_must(s != HS_FULL || (out.n == 0 && p.stall));
		outcome_legal(&o, at, out.n);
	}
	struct hs_blocks out = { at, BLOCKS, 0 };

	memset(at, 0, sizeof(at));
	fuzz_must(hs_port_flush(&p, &out) == HS_OK);
	outcome_legal(&o, at, out.n);
}

static enum hs_status feed(void *t, struct hs_span *in, struct hs_blocks *out)
{
	return hs_port_text_feed(t, in, out);
}

static enum hs_status end(void *t, struct hs_blocks *out)
{
	return hs_port_text_flush(t, out);
}

static struct outcome import(const uint8_t *p, size_t n, size_t piece)
{
	struct hs_block at[BLOCKS];
	struct hs_port_text t;
	struct stream s = { &t, feed, end, { at, BLOCKS, 0 }, .limit = UINT64_MAX };

	fuzz_must(hs_port_text_init(&t, NULL, 64) == HS_OK);
	return stream_run(&s, p, n, piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	if (data[0] & 1) {
		const struct outcome whole = import(data + 2, size - 2, size),
				     pieces = import(data + 2, size - 2, 1 + data[1] % 31);

		fuzz_must(whole.hash == pieces.hash && whole.blocks == pieces.blocks);
	} else {
		signals((struct input){ data + 2, data + size }, data[1]);
	}
	return 0;
}

static size_t seed_signals(unsigned i, uint8_t *data, size_t size)
{
	const size_t n = size < 1500 ? size : 1500;

	for (size_t k = 0; k < n; k++)
		data[k] = (uint8_t)((k * 2654435761u + i * 40503u) >> 13);
	data[0] = 0;
	data[1] = (uint8_t)(i * 37);
	return n;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char *const texts[] = {
		"iretire_0,iexception_0,cause_0,priv_0,iaddr_0,instr_0,iretire_1,iaddr_1,instr_1,priv_1,note\n"
		"1,0,0,3,100,13,1,104,863,3,x\n1,1,2,3,114,13,0,0,0,0,\n",
		"itype_0,priv,iaddr_0,iretire_0,ilastsize_0,itype_1,iaddr_1,iretire_1,ilastsize_1\n"
		"4,3,100,3,1,5,106,1,0\n8,3,200,7,0,0,0,0,0\n",
		"valid=1 exception=0 interrupt=0 cause=00 tval=00000000 priv=7 compressed=1 addr=1c0081be instr=f8010113\n"
		"valid=1 exception=1 interrupt=1 cause=1a tval=00000000 priv=7 compressed=0 addr=1c0081c0 instr=30047773\n",
	};

	if (i < 3 && size > 2 + strlen(texts[i])) {
		data[0] = 1;
		data[1] = (uint8_t)(7 * i);
		memcpy(data + 2, texts[i], strlen(texts[i]));
		return 2 + strlen(texts[i]);
	}
	return i < 11 && size > 200 ? seed_signals(i, data, size) : 0;
}
