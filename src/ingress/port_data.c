/* The data interface of the block form (RHTI Data Trace Interface): groups to accesses.
 *
 * An access stands before the block of its instruction (design/data-trace).  Those of an
 * instruction that makes several may come before it retires: they are put when they are made, after
 * the block before it. */
#include "ingress/port.h"

#include "core/access.h"
#include "core/bits.h"
#include "core/mem.h"

enum { RESPONSE_RESERVED = 1, RESPONSE_OKAY = 2 }; /* lresp */

/* ---- what a group says ------------------------------------------------------------- */

/* Signals of a response are valid by lresp, all others (RHTI groups M, U and O) by dretire. */
static void define_access(const struct hs_port_data *in, struct hs_port_data *out)
{
	memset(out, 0, sizeof *out);
	if (in->dretire)
		*out = *in;
	out->lresp = in->lresp;
	out->lid = in->lresp ? in->lid : 0;
	out->ldata = in->lresp == RESPONSE_OKAY ? in->ldata : 0;
}

bool port_define_data(const struct hs_port_config *c, const struct hs_port_cycle *in,
                      struct hs_port_cycle *out)
{
	bool any = false;

	for (unsigned i = 0; i < c->accesses; i++) {
		define_access(&in->data[i], &out->data[i]);
		any |= in->data[i].dretire != 0;
	}
	return any;
}

bool port_has_access(const struct hs_port_config *c, const struct hs_port_cycle *cycle,
                     unsigned slot)
{
	for (unsigned i = 0; i < c->accesses; i++)
		if (cycle->data[i].dretire && cycle->data[i].dblock == slot)
			return true;
	return false;
}

static bool is_multi(uint64_t dtype)
{
	return dtype == HS_ACCESS_MULTI_LOAD || dtype == HS_ACCESS_MULTI_STORE;
}

/* A value of 2^size bytes. */
static uint64_t cut_value(uint64_t v, unsigned size)
{
	static const uint64_t all[4] = { UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX };

	return v & all[size & 3u];
}

/* Bits of data from @from on, 1 to 64. */
ET_INLINE uint64_t data_from(const struct hs_port_data *d, unsigned from)
{
	return from < 64 ? d->data >> from | d->data_high << (64 - from) : d->data_high;
}

/* data has the operand in its lower half and what was loaded in its upper one (RHTI dtype). */
static bool has_halves(unsigned type)
{
	return hs_access_is_csr(type) || (hs_access_is_atomic(type) && type != HS_ACCESS_SC_FAILED);
}

static void take_unified(const struct hs_port_config *c, const struct hs_port_data *d,
                         struct hs_access *a)
{
	if (a->type == HS_ACCESS_SC_FAILED)
		return;
	a->known |= HS_ACCESS_HAS_DATA;
	a->data = cut_value(d->data, a->size);
	if (!has_halves(a->type))
		return;
	a->known |= HS_ACCESS_HAS_OPERAND;
	a->operand = a->data;
	a->data = cut_value(data_from(d, c->data_width / 2u), a->size);
}

/* The request; a CSR access has its response in the same cycle. */
static void take_split(const struct hs_port_data *d, struct hs_access *a)
{
	const bool csr = hs_access_is_csr(a->type);

	if (has_halves(a->type)) {
		a->operand = cut_value(d->sdata, a->size);
		a->known |= HS_ACCESS_HAS_OPERAND;
	}
	if (hs_access_is_store(a->type) || (csr && d->lresp == RESPONSE_OKAY)) {
		a->data = cut_value(csr ? d->ldata : d->sdata, a->size);
		a->known |= HS_ACCESS_HAS_DATA;
	}
	if (hs_access_is_store(a->type) || csr || a->type == HS_ACCESS_SC_FAILED)
		return;
	a->phase = HS_ACCESS_REQUEST;
	a->id = (uint16_t)d->lrid;
}

static struct hs_access access_of(const struct hs_port_config *c, const struct hs_port_data *d)
{
	struct hs_access a = { .address = d->daddr,
		               .type = (uint8_t)d->dtype,
		               .size = (uint8_t)d->dsize,
		               .known = HS_ACCESS_HAS_ADDRESS };

	if (c->split)
		take_split(d, &a);
	else
		take_unified(c, d, &a);
	return a;
}

/* ---- what it may say --------------------------------------------------------------- */

#define TITLE "RHTI Data Trace Interface"
#define BAD(clause, why, signal) port_fault(p, HS_E_BLOCK, clause, why, HS_PORT_SIGNAL_##signal, i)

/* Half-words from the start of the group to the instruction that iaddr_lsbs names. */
static uint32_t distance(const struct hs_port_config *c, const struct hs_port_slot *s,
                         const struct hs_port_data *d)
{
	return (uint32_t)(d->iaddr_lsbs - (s->iaddr >> 1)) & ((1u << c->iaddr_lsbs_width) - 1u);
}

/* Is its instruction where the access says?  That of several accesses may come after the group. */
static enum hs_status check_place(struct hs_port *p, const struct hs_port_cycle *c, unsigned i)
{
	const struct hs_port_config *g = &p->config;
	const struct hs_port_data *d = &c->data[i];

	if (d->dblock >= g->slots)
		return BAD(TITLE, "there is no such block", dblock);
	const struct hs_port_slot *s = &c->slot[d->dblock];

	if (!s->iretire && !is_multi(d->dtype))
		return BAD("RHTI Data Trace Interface requirements",
		           "no instruction retires with the access", dretire);
	if (g->iaddr_lsbs_width && distance(g, s, d) >= port_hwords(g, s) + is_multi(d->dtype))
		return BAD(TITLE, "no instruction of the block has these address bits", iaddr_lsbs);
	return HS_OK;
}

/* Are the data signals wide enough for the access? */
static bool fits_data(const struct hs_port_config *c, const struct hs_port_data *d)
{
	const unsigned room =
		!c->split && has_halves((unsigned)d->dtype) ? c->data_width / 2u : c->data_width;

	return d->dtype == HS_ACCESS_SC_FAILED || 8u << d->dsize <= room;
}

static enum hs_status check_access(struct hs_port *p, const struct hs_port_cycle *c, unsigned i)
{
	const struct hs_port_data *d = &c->data[i];

	if (c->halted || c->reset || c->trcstate)
		return BAD("PT Table 3.4", "an access while it is halted or in reset", dretire);
	if (d->dsize > 3)
		return BAD(TITLE, "more than 8 bytes", dsize);
	const struct hs_access a = access_of(&p->config, d);

	if (!fits_data(&p->config, d))
		return BAD("RHTI Data access type (dtype) encoding", "wider than data", dsize);
	if (hs_access_check(&a) != HS_OK)
		return BAD("RHTI Data access type (dtype) encoding",
		           "no CSR has this number or size", daddr);
	if (a.phase && p->request[a.id].open)
		return BAD("RHTI Data access type (dtype) encoding",
		           "two requests in progress have this ID", lrid);
	return check_place(p, c, i);
}

/* Is it a CSR access?  Its response comes in the same group. */
static bool is_csr_access(const struct hs_port_data *d)
{
	return d->dretire && hs_access_is_csr((unsigned)d->dtype);
}

/* Is there a request for the response: of before, or of this cycle? */
static bool is_requested(const struct hs_port *p, const struct hs_port_cycle *c, unsigned i)
{
	const struct hs_port_data *of = &c->data[i];

	if (is_csr_access(of))
		return true;
	for (unsigned n = 0; n < p->config.accesses; n++)
		if (c->data[n].dretire && access_of(&p->config, &c->data[n]).phase &&
		    c->data[n].lrid == of->lid)
			return true;
	return p->request[of->lid & 0xff].open;
}

enum hs_status port_check_data(struct hs_port *p, const struct hs_port_cycle *c)
{
	const unsigned n = p->config.accesses;
	enum hs_status s = HS_OK;
	bool hole = false;

	if (n < HS_PORT_SLOTS && c->data[n].dretire)
		return port_fault(p, HS_E_BLOCK, TITLE, "more accesses than the port has",
		                  HS_PORT_SIGNAL_dretire, n);
	for (unsigned i = 0; i < n && s == HS_OK; i++) {
		const struct hs_port_data *d = &c->data[i];

		if (d->dretire && hole)
			return BAD(TITLE, "a lower numbered group is free", dretire);
		hole |= !d->dretire;
		if (d->dretire)
			s = check_access(p, c, i);
		if (d->lresp == RESPONSE_RESERVED)
			return BAD(TITLE, "a reserved response", lresp);
		if (s == HS_OK && d->lresp && !is_requested(p, c, i))
			return BAD(TITLE, "a response without a request", lid);
	}
	return s;
}

void port_settle_data(struct hs_port *p, struct hs_port_cycle *c, const struct hs_port_cycle *u)
{
	bool known = true;

	for (unsigned i = 0; i < p->config.accesses; i++) {
		const struct hs_port_data *x = &u->data[i];

		known &= !(x->dretire | x->dtype | x->daddr | x->dsize | x->dblock | x->lrid);
		if (!known)
			c->data[i].dretire = 0;
		if (x->data | x->data_high | x->sdata | x->ldata)
			p->no_data |= (uint8_t)(1u << i);
		if (x->lresp | x->lid)
			c->data[i].lresp = 0;
	}
}

/* ---- accesses ---------------------------------------------------------------------- */

/* Report the access of group @i. */
static void put_access(const struct hs_port *p, unsigned i, struct hs_access *a,
                       struct hs_blocks *out)
{
	const uint8_t values = HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND;

	if (p->no_data >> i & 1u) {
		a->known &= (uint8_t)~values;
		a->data = a->operand = 0;
	}
	out->n += hs_access_put(a, out->at + out->n);
}

void port_put_accesses(struct hs_port *p, const struct hs_port_cycle *c, unsigned slot,
                       struct hs_blocks *out)
{
	for (unsigned i = 0; i < p->config.accesses; i++) {
		if (!c->data[i].dretire || c->data[i].dblock != slot)
			continue;
		struct hs_access a = access_of(&p->config, &c->data[i]);

		if (a.phase)
			p->request[a.id] = (struct hs_port_request){ a.type, a.size, 1 };
		put_access(p, i, &a, out);
	}
}

void port_put_early(struct hs_port *p, const struct hs_port_cycle *c, unsigned slot,
                    struct hs_blocks *out)
{
	const uint64_t at = c->slot[slot].iaddr;

	/* The block before it has ended. */
	if (p->builder.have && (p->builder.ended || hs_block_end(&p->builder.open) != at))
		hs_builder_cut(&p->builder, at, out);
	port_put_accesses(p, c, slot, out);
	p->early = at;
	p->is_early = true;
}

void port_put_responses(struct hs_port *p, const struct hs_port_cycle *c, struct hs_blocks *out)
{
	for (unsigned i = 0; i < p->config.accesses; i++) {
		const struct hs_port_data *d = &c->data[i];
		struct hs_port_request *r = &p->request[d->lid & 0xff];
		struct hs_access a = { .id = (uint16_t)d->lid,
			               .type = r->type,
			               .size = r->size,
			               .phase = HS_ACCESS_RESPONSE,
			               .known = HS_ACCESS_HAS_ERROR };

		if (!d->lresp || is_csr_access(d))
			continue;
		if (d->lresp == RESPONSE_OKAY) {
			a.known = HS_ACCESS_HAS_DATA;
			a.data = cut_value(d->ldata, a.size);
		}
		r->open = 0;
		put_access(p, i, &a, out);
	}
}
