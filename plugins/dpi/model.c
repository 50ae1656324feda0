/* An encoder after a port, cycle by cycle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

typedef unsigned long long ull;

/* ---- open and close ---- */

static enum hs_status refuse(const char *why)
{
	struct hs_error e;

	hs_error_set(&e, HS_E_CONFIG, "%s", why);
	return dpi_fail(&e);
}

static enum hs_status start_encoder(struct model *m)
{
	const void *config = hs_trace_params_config(m->set.params);

	m->protocol = hs_trace_params_protocol(m->set.params);
	const enum hs_status s = hs_encoder_new(&m->encoder, m->protocol, config);

	if (m->protocol->encode_room > ROOM || (s != HS_OK && s != HS_E_MEMORY))
		return refuse("the encoder refuses these parameters");
	if (s != HS_OK || hs_reader_new(&m->reader, m->protocol, config) != HS_OK)
		return refuse("out of memory");
	return HS_OK;
}

static enum hs_status start(struct model *m)
{
	if (hs_port_init(&m->port, &m->set.port, settings_image(&m->set)) != HS_OK)
		return refuse("the port refuses these parameters");
	if (hs_queue_init(&m->queue, &m->set.queue) != HS_OK)
		return refuse("the queue refuses these parameters");
	m->blocks = (struct hs_blocks){ m->at, BLOCKS, 0 };
	return m->set.params ? start_encoder(m) : HS_OK;
}

void *hs_dpi_open(const char *protocol, const char *parameters)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m) {
		refuse("out of memory");
		return NULL;
	}
	if (settings_read(&m->set, protocol, parameters) && start(m) == HS_OK)
		return m;
	hs_dpi_close(m);
	return NULL;
}

static void unlink_follower(struct model *m)
{
	struct model *leader = m->leader, **at = &leader->followers;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	if (leader->closed)
		hs_dpi_close(leader);
}

void hs_dpi_close(void *model)
{
	struct model *m = model;

	if (!m)
		return;
	m->closed = true;
	if (m->followers)
		return; /* the last one of them closes it */
	if (m->leader)
		unlink_follower(m);
	hs_reader_free(m->reader);
	hs_encoder_free(m->encoder);
	coverage_free(m);
	hs_dpi_decoder_close(m->decoder);
	free(m->steps.at);
	free(m->want.at);
	free(m->marks.at);
	free(m->got.at);
	free(m->got_marks.at);
	settings_free(&m->set);
	free(m);
}

/* ---- signals ---- */

void hs_dpi_group(void *model, int slot, int iretire, int itype, int ilastsize, uint64_t iaddr)
{
	struct model *m = model;

	if (slot < 0 || slot >= HS_PORT_SLOTS)
		return;
	struct hs_port_slot *s = &m->cycle.slot[slot];

	s->iretire = (unsigned)iretire;
	s->itype = (unsigned)itype;
	s->ilastsize = (unsigned)ilastsize;
	s->iaddr = iaddr;
}

void hs_dpi_shared(void *model, int cause, uint64_t tval, int priv, uint64_t context)
{
	struct hs_port_slot *s = &((struct model *)model)->cycle.slot[0];

	s->cause = (unsigned)cause;
	s->tval = tval;
	s->priv = (unsigned)priv;
	s->context = context;
}

int hs_dpi_set(void *model, const char *signal, int slot, uint64_t value)
{
	struct model *m = model;

	for (unsigned i = 0; i < HS_PORT_SIGNALS; i++)
		if (strcmp(hs_port_get_signal(i)->name, signal) == 0) {
			hs_port_set(&m->cycle, i, (unsigned)slot, value);
			return HS_OK;
		}
	return HS_E_ARG;
}

/* ---- blocks to messages ---- */

/* Is the block of the group in slot @i one that the design loses?  Its first group says so. */
static void note_room(struct model *m, const struct hs_port_slot *s, unsigned i)
{
	if (!s->iretire && !s->itype && !s->iexception)
		return;
	if (!m->in_block)
		m->losing = m->no_room >> i & 1;
	m->in_block = !s->itype && !s->iexception;
}

/* Remember which groups of @port's row end a block: it is reported when the next instruction has
 * retired. */
static void note_ends(struct model *m, const struct model *port)
{
	if (port->cycle.trcstate) /* what retires is not to be seen */
		return;
	for (unsigned i = 0; i < port->port.config.slots; i++) {
		const struct hs_port_slot *s = &port->cycle.slot[i];

		note_room(m, s, i);
		if (!s->itype && !s->iexception)
			continue;
		m->first += m->pending == ENDED;
		m->pending -= m->pending == ENDED;
		m->ended[(m->first + m->pending++) % ENDED] =
			(struct row){ .cycle = m->now, .slot = i, .lost = m->losing };
	}
}

/* The row that led to a block. */
static void use_row(struct model *m, const struct hs_block *b)
{
	if (b->kind != HS_KIND_BLOCK)
		return;
	m->row = (struct row){ .cycle = m->now, .lost = m->losing };
	if (b->itype != HS_ITYPE_NONE && m->pending) {
		m->row = m->ended[m->first++ % ENDED];
		m->pending--;
	}
	m->row.iaddr = b->iaddr;
	m->row.iretire = b->iretire;
	m->row.itype = b->itype;
}

static bool keep(struct model *m, const uint8_t *out, size_t len)
{
	hs_queue_put(&m->queue, len);
	return len == 0 || (marks_put(&m->marks, m->want.base + m->want.n, &m->row) &&
	                    bytes_put(&m->want, out, len));
}

/* A message that is larger than the queue goes through when it is empty. */
static size_t room(const struct model *m, const struct hs_block *b)
{
	if (m->row.lost && b->kind == HS_KIND_BLOCK)
		return 0;
	const size_t n = hs_queue_room(&m->queue);

	return n < ROOM && hs_queue_wait(&m->queue, SIZE_MAX) != 0 ? n : ROOM;
}

/* Encode what the port has made, until the encoder stalls. */
static enum hs_status encode(struct model *m)
{
	enum hs_status worst = HS_OK;
	uint8_t out[ROOM];
	size_t len;

	for (; m->taken < m->blocks.n; m->taken++) {
		const struct hs_block *b = &m->at[m->taken];
		struct row before = m->row;
		enum hs_status s = HS_OK;

		use_row(m, b);
		len = 0;
		if (m->encoder)
			s = hs_encoder_queue(m->encoder, b, out, room(m, b), &len);
		if (s == HS_E_LOST && m->row.lost)
			s = HS_OK; /* as the design */
		if (!keep(m, out, len))
			return HS_E_MEMORY;
		if (s == HS_FULL) {
			m->pending += b->kind == HS_KIND_BLOCK && b->itype && m->first;
			m->first -= b->kind == HS_KIND_BLOCK && b->itype && m->first;
			m->row = before;
			return s;
		}
		if (m->decoder && b->kind == HS_KIND_BLOCK &&
		    !marks_put(&m->steps, m->blocks_made++, &m->row))
			return HS_E_MEMORY;
		if (s != HS_OK)
			worst = s;
	}
	m->blocks.n = m->taken = 0;
	return worst;
}

/* ---- cycles ---- */

static void note_fault(struct model *m)
{
	const struct hs_port_fault *f = &m->port.fault;

	snprintf(m->fault, sizeof(m->fault), "%s: %s%s%s (cycle %llu, slot %u)", f->clause,
	         f->signal ? f->signal : "", f->signal ? ": " : "", f->why, (ull)m->now, f->slot);
}

/* A legal row that nothing leads to: the port reports a gap. */
static enum hs_status find_break(struct model *m, size_t from)
{
	for (size_t i = from; i < m->blocks.n; i++)
		if (m->at[i].kind == HS_KIND_GAP && m->at[i].arg == HS_E_BLOCK) {
			snprintf(m->fault, sizeof(m->fault),
			         "NT 2: iaddr: after itype 0 or 4 a block begins where the one "
			         "before ended, and this one does not (cycle %llu)",
			         (ull)m->now);
			return HS_E_BLOCK;
		}
	return HS_OK;
}

/* What @m makes of the row of @port, its own or its leader's, whose result is @s. */
static void note_row(struct model *m, const struct model *port, enum hs_status s)
{
	note_ends(m, port);
	m->no_room = 0;
	if (port->cycle.halted || port->cycle.reset || port->cycle.trcstate)
		m->in_block = false;
	if (s == HS_E_FIELD || s == HS_E_BLOCK || s == HS_E_UNKNOWN)
		m->first = m->pending = 0;
	else if (s == HS_OK && m->coverage)
		coverage_row(m, port);
}

/* Give a follower what the leader's port made from block @from on. */
static void lead(const struct model *m, struct model *f, size_t from)
{
	const size_t n = m->blocks.n - from;

	memcpy(f->at, m->at + from, n * sizeof(*f->at));
	f->blocks.n = n;
	f->result = encode(f); /* all of them: without a queue nothing stalls */
	if (f->coverage && coverage_messages(f) != HS_OK)
		f->result = HS_E_MEMORY;
}

static enum hs_status take_row(struct model *m)
{
	const size_t from = m->blocks.n;
	enum hs_status s = hs_port_clock(&m->port, &m->cycle, &m->blocks);

	note_row(m, m, s);
	for (struct model *f = m->followers; f; f = f->next) {
		f->now = m->now;
		note_row(f, m, s);
	}
	if (s == HS_E_FIELD || s == HS_E_BLOCK || s == HS_E_UNKNOWN)
		note_fault(m);
	else if (s == HS_OK)
		s = find_break(m, from);
	for (struct model *f = m->followers; f; f = f->next) {
		lead(m, f, from);
		f->result = s != HS_OK ? s : f->result;
	}
	return s;
}

int hs_dpi_clock(void *model, uint64_t cycle)
{
	struct model *m = model;
	enum hs_status s, fault = HS_OK;

	m->fault[0] = 0;
	if (cycle > m->now)
		hs_queue_advance(&m->queue, cycle - m->now);
	m->now = cycle;
	s = encode(m);
	if (s != HS_FULL) {
		fault = take_row(m);
		s = encode(m);
		s = s == HS_FULL ? HS_OK : s; /* of the next row */
	}
	memset(&m->cycle, 0, sizeof(m->cycle));
	if (m->coverage && coverage_messages(m) != HS_OK)
		s = HS_E_MEMORY;
	return fault != HS_OK ? fault : s;
}

int hs_dpi_no_room(void *model, int slots)
{
	struct model *m = model;

	if (m->leader)
		return HS_E_CONFIG;
	m->no_room = (uint32_t)slots;
	return HS_OK;
}

/* ---- one port for several models ---- */

int hs_dpi_follow(void *model, void *leader)
{
	struct model *m = model, *of = leader;

	if (m->leader || m->followers || of->leader || m->set.queue.bytes || m->set.program ||
	    of->set.program ||
	    memcmp(&m->port.config, &of->port.config, sizeof(m->port.config)) != 0)
		return HS_E_CONFIG;
	m->leader = of;
	m->next = of->followers;
	of->followers = m;
	return HS_OK;
}

int hs_dpi_followed(void *model)
{
	const struct model *m = model;

	return m->leader ? (int)m->result : -1;
}

const char *hs_dpi_fault(void *model)
{
	const struct model *m = model;

	return m->leader ? m->leader->fault : m->fault;
}

/* The port's last block, for the model and its followers. */
static enum hs_status end_port(struct model *m)
{
	enum hs_status s;

	if (m->flushed)
		return HS_OK;
	m->flushed = true;
	s = encode(m);
	if (s == HS_OK)
		s = hs_port_flush(&m->port, &m->blocks);
	for (struct model *f = m->followers; s == HS_OK && f; f = f->next)
		lead(m, f, 0);
	return s == HS_OK ? encode(m) : s;
}

int hs_dpi_end(void *model)
{
	struct model *m = model;
	uint8_t out[ROOM];
	size_t len = 0;
	enum hs_status s;

	m->set.queue.bytes = 0; /* nothing waits any more */
	hs_queue_init(&m->queue, &m->set.queue);
	s = end_port(m->leader ? m->leader : m);
	if (s == HS_OK && m->encoder)
		s = hs_encoder_end(m->encoder, out, sizeof(out), &len);
	if (s == HS_OK && !keep(m, out, len))
		s = HS_E_MEMORY;
	if (m->coverage && coverage_messages(m) != HS_OK)
		s = HS_E_MEMORY;
	return s;
}

/* ---- messages ---- */

int hs_dpi_message(void *model)
{
	struct model *m = model;
	const uint64_t end = m->want.base + m->want.n;

	if (m->read - m->want.base > 65536) {
		bytes_drop(&m->want, m->read);
		marks_drop(&m->marks, m->read);
	}
	if (!m->encoder || m->read == end)
		return 0;
	struct hs_span in = bytes_from(&m->want, m->read);
	const uint8_t *from = in.p;

	if (hs_reader_next(m->reader, &in, &m->message) != HS_OK)
		return 0;
	m->message.length = (uint32_t)(in.p - from);
	m->message.offset = m->read;
	m->read += m->message.length;
	return (int)m->message.length;
}

int hs_dpi_message_byte(void *model, int index)
{
	const struct model *m = model;

	if (index < 0 || (unsigned)index >= m->message.length)
		return -1;
	return bytes_from(&m->want, m->message.offset).p[index];
}

uint64_t hs_dpi_message_cycle(void *model)
{
	const struct model *m = model;
	const struct mark *mark = marks_find(&m->marks, m->message.offset);

	return mark ? mark->row.cycle : 0;
}

const char *hs_dpi_message_text(void *model)
{
	struct model *m = model;

	m->text[0] = 0;
	if (m->message.name)
		hs_message_text(&m->message, m->text, sizeof(m->text));
	return m->text;
}
