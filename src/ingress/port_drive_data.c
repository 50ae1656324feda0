/* Accesses of blocks to the data interface (RHTI Data Trace Interface): each in the cycle in which
 * its instruction retires; those of an instruction that makes more than a cycle has before it. */
#include "ingress/drive.h"

#include "core/access.h"
#include "core/bits.h"
#include "core/mem.h"

static bool is_multi(const struct hs_access *a)
{
	return a->type == HS_ACCESS_MULTI_LOAD || a->type == HS_ACCESS_MULTI_STORE;
}

/* ---- what waits -------------------------------------------------------------------- */

static void drop_first(struct hs_port_driver *d, unsigned n)
{
	d->waiting_n = (uint16_t)(d->waiting_n - n);
	memmove(d->waiting, d->waiting + n, d->waiting_n * sizeof d->waiting[0]);
}

/* Give a response to its request, if that waits. */
static bool join_request(struct hs_port_driver *d, const struct hs_access *response)
{
	for (unsigned i = 0; i < d->waiting_n; i++) {
		struct hs_access *a = &d->waiting[i];

		if (a->phase != HS_ACCESS_REQUEST || a->id != response->id)
			continue;
		a->data = response->data;
		a->known |= response->known;
		return true;
	}
	return false;
}

/* Put a response into a group that has none; accesses, which may have their own, then wait for the
 * next cycle.  False: there is no such group. */
static bool put_response(struct making *m, const struct hs_access *a)
{
	for (unsigned i = 0; i < m->d->config.accesses; i++) {
		struct hs_port_data *g = &m->cycle->data[i];

		if (g->lresp)
			continue;
		g->lresp = a->known & HS_ACCESS_HAS_ERROR ? 3 : 2;
		g->lid = a->id;
		g->ldata = a->data;
		m->accesses = m->d->config.accesses;
		return true;
	}
	return false;
}

bool port_keep_access(struct making *m)
{
	struct hs_port_driver *d = m->d;
	struct hs_access_reader r = d->reader;
	const struct hs_access *a = &r.access;

	if (hs_access_take(&r, m->in)) {
		if (a->phase == HS_ACCESS_RESPONSE && d->config.split && !join_request(d, a) &&
		    !put_response(m, a))
			return false;
		if (d->waiting_n == HS_PORT_WAITING)
			drop_first(d, 1);
		/* A unified port says all at once. */
		if (a->phase == HS_ACCESS_WHOLE ||
		    (a->phase == HS_ACCESS_REQUEST && d->config.split))
			d->waiting[d->waiting_n++] = *a;
	}
	d->reader = r;
	return true;
}

/* ---- whose they are ---------------------------------------------------------------- */

static const uint8_t *bytes_at(const struct making *m, uint64_t iaddr, unsigned hwords)
{
	size_t n;
	const uint8_t *bytes = hs_img_bytes(m->d->image, iaddr, &n);

	return bytes && n >= 2u * hwords ? bytes : NULL;
}

/* Instructions of the block from @iaddr on that make several accesses of the type of @a. */
static unsigned count_makers(const struct making *m, uint64_t iaddr, const struct hs_access *a)
{
	const uint64_t end = hs_block_end(m->in);
	struct hs_insn insn;
	unsigned n = 0;

	for (; iaddr != end && hs_img_insn(m->d->image, iaddr, &insn) == HS_OK;
	     iaddr += 2u * insn.hwords) {
		const uint8_t *bytes = bytes_at(m, iaddr, insn.hwords);

		n += bytes && hs_access_insn_makes(bytes, insn.hwords, a);
	}
	return n;
}

unsigned port_count_accesses(const struct making *m, uint64_t iaddr, unsigned hwords,
                             unsigned first)
{
	const struct hs_access *a = &m->d->waiting[first];
	unsigned run = 1;

	if (first >= m->d->waiting_n)
		return 0;
	const uint8_t *bytes = bytes_at(m, iaddr, hwords);

	if (!bytes || !hs_access_insn_makes(bytes, hwords, a))
		return 0;
	if (!is_multi(a))
		return 1;
	while (first + run < m->d->waiting_n && a[run].type == a->type)
		run++;
	const unsigned known = hs_access_insn_count(bytes, hwords);
	const unsigned after = known ? 0 : count_makers(m, iaddr + 2u * hwords, a);
	const unsigned n = known ? known : run > after ? run - after : 1;

	return n < run ? n : run;
}

/* ---- groups ------------------------------------------------------------------------ */

ET_INLINE void put_unified(const struct hs_port_config *c, const struct hs_access *a,
                           struct hs_port_data *g)
{
	const unsigned half = c->data_width / 2u;
	const bool halves = (a->known & HS_ACCESS_HAS_OPERAND) != 0;

	if (!(a->known & (HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND)))
		return;
	g->data = halves ? a->operand : a->data;
	if (halves && half < 64)
		g->data |= a->data << half;
	if (halves)
		g->data_high = half == 64 ? a->data : half ? a->data >> (64 - half) : 0;
}

/* An access that is known as a whole has its response in the same cycle. */
static void put_split(struct hs_port_driver *d, const struct hs_access *a, struct hs_port_data *g)
{
	const bool stores = hs_access_is_store(a->type), csr = hs_access_is_csr(a->type);

	g->sdata = stores ? a->data : a->operand;
	if (stores || a->type == HS_ACCESS_SC_FAILED)
		return;
	g->lrid = a->phase ? a->id : d->lrid++ & ((1u << d->config.lrid_width) - 1u);
	if (!(a->known & (HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_ERROR)) && !csr)
		return;
	g->lresp = a->known & HS_ACCESS_HAS_ERROR ? 3 : 2;
	g->lid = g->lrid;
	g->ldata = a->data;
}

static void put_access(struct making *m, const struct hs_access *a, uint64_t iaddr)
{
	const struct hs_port_config *c = &m->d->config;
	struct hs_port_data *g = &m->cycle->data[m->accesses++];

	g->dretire = 1;
	g->dtype = a->type;
	g->daddr = a->address;
	g->dsize = a->size;
	g->dblock = m->slot;
	g->iaddr_lsbs = iaddr >> 1 & ((1u << c->iaddr_lsbs_width) - 1u);
	if (c->split)
		put_split(m->d, a, g);
	else
		put_unified(c, a, g);
}

void port_drive_accesses(struct making *m, uint64_t iaddr, uint64_t end)
{
	struct hs_insn insn;
	unsigned at = 0;

	for (; iaddr != end && hs_img_insn(m->d->image, iaddr, &insn) == HS_OK;
	     iaddr += 2u * insn.hwords)
		for (unsigned n = port_count_accesses(m, iaddr, insn.hwords, at); n; n--)
			put_access(m, &m->d->waiting[at++], iaddr);
	if (at)
		drop_first(m->d, at);
}

/* How many of @n go before the instruction. */
static unsigned count_early(const struct making *m, unsigned n, bool traps)
{
	const unsigned most = m->d->config.accesses, room = most - m->accesses;
	const unsigned early = traps ? n : n > most ? n - most : m->d->early && n ? 1 : 0;

	return early < room ? early : room;
}

bool port_drive_early(struct making *m, uint64_t iaddr, bool traps)
{
	struct hs_insn insn;

	if (!m->d->waiting_n || hs_img_insn(m->d->image, iaddr, &insn) != HS_OK)
		return false;
	const bool multi = is_multi(m->d->waiting);
	const unsigned all = multi || !traps ? port_count_accesses(m, iaddr, insn.hwords, 0) : 0;
	const unsigned n = multi ? count_early(m, all, traps) : 0;

	for (unsigned i = 0; i < n; i++)
		put_access(m, &m->d->waiting[i], iaddr);
	if (n)
		m->cycle->slot[m->slot].iaddr = iaddr;
	drop_first(m->d, n);
	m->full = n || all > m->d->config.accesses - m->accesses;
	return m->full;
}
