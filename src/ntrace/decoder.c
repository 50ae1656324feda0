/* A stream of messages, split by source in one pass (NT 11.2). */
#include "ntrace/source.h"

#include "base/mem.h"

enum hs_status hs_nt_decoder_init(struct hs_nt_decoder *d, const struct hs_nt_config *config,
                                  struct hs_bb_table *table, struct hs_nt_source *sources,
                                  size_t source_count)
{
	const enum hs_status s = hs_nt_config_check(config);

	if (s != HS_OK)
		return s;
	if (source_count == 0)
		return HS_E_ARG;
	memset(d, 0, sizeof *d);
	memcpy(&d->config, config, sizeof d->config);
	if (config->inhibit_src)
		d->config.src_bits = 0;
	hs_nt_reader_init(&d->reader, d->config.src_bits);
	d->table = table;
	d->sources = sources;
	d->capacity = source_count;
	d->dialect = hs_nt_dialect(config->dialect);
	d->hart = UINT32_MAX;
	return HS_OK;
}

void hs_nt_decoder_programs(struct hs_nt_decoder *d, struct hs_bb_table *const *tables,
                            const uint64_t *contexts, size_t count)
{
	d->tables = tables;
	d->contexts = contexts;
	d->table_count = count;
}

const struct hs_nt_diag *hs_nt_decoder_diag(const struct hs_nt_decoder *d)
{
	return &d->diag;
}

const struct hs_nt_stats *hs_nt_decoder_stats(const struct hs_nt_decoder *d)
{
	return &d->stats;
}

/* Index of the source of the message at hand, made on first use; d->capacity: no room. */
static size_t source_of(struct hs_nt_decoder *d)
{
	size_t i = 0;

	while (i < d->count && d->sources[i].src != d->msg.src)
		i++;
	if (i == d->count && i < d->capacity) {
		nt_source_init(d, &d->sources[i], d->msg.src);
		d->count++;
		d->current = d->count; /* none */
	}
	return i;
}

/* Say whose items follow, when that changes. */
static void put_hart(struct hs_nt_decoder *d, const struct hs_nt_source *s, struct flow_out *out)
{
	if (d->config.src_bits == 0 || d->hart == s->src)
		return;
	memset(out->p, 0, sizeof *out->p);
	out->p->kind = HS_KIND_HART;
	out->p->arg = s->src;
	out->p++;
	d->hart = s->src;
}

static void put_gap(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	put_hart(d, s, out);
	if (flow_open(&s->walk))
		flow_close(&s->walk, s->table, HS_ITYPE_NONE, out);
	memset(out->p, 0, sizeof *out->p);
	out->p->kind = HS_KIND_GAP;
	out->p->value = d->diag.msg.offset;
	out->p->arg = d->diag.status;
	out->p++;
	s->state = NT_LOST;
	s->walk.acc = 0;
	s->walk.off = 0;
	s->timed = false;
	flow_forget(&s->walk);
	/* A synchronising message that contradicts what came before still says where we are. */
	if (d->current < d->count && s == &d->sources[d->current])
		nt_source_sync(d, s, out);
}

/* Write the gaps that are due; false when the output is full before that. */
static bool put_gaps(struct hs_nt_decoder *d, struct flow_out *out)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->sources[i].state != NT_LOSING)
			continue;
		if (out->end - out->p < NT_STEP_ROOM)
			return false;
		put_gap(d, &d->sources[i], out);
	}
	return true;
}

static void set_diag(struct hs_nt_decoder *d, const struct nt_fault *f, uint64_t pc)
{
	d->diag.status = f->status;
	d->diag.clause = f->clause;
	d->diag.why = f->why;
	d->diag.pc = pc;
	d->diag.msg = d->msg;
	d->fault = f->status;
	d->stats.errors++;
}

/* No message could be read, so that no one knows whose it was: every source loses its place.
 * A capture may begin in mid-message: what precedes the first good message is no error. */
static void bad_message(struct hs_nt_decoder *d, enum hs_status status)
{
	const struct nt_fault f = {
		status,
		status == HS_E_FRAMING ? "NT 3.1" : status == HS_E_LONG ? "NT 3" : "NT 6.1",
		hs_status_text(status)
	};
	uint64_t pc = 0;

	for (size_t i = 0; i < d->count; i++) {
		if (d->sources[i].state != NT_SYNCED)
			continue;
		d->sources[i].state = NT_LOSING;
		pc = flow_pc(&d->sources[i].walk);
	}
	d->current = d->count;
	if (d->count || status == HS_E_LONG)
		set_diag(d, &f, pc);
}

static enum hs_status no_room_for_source(struct hs_nt_decoder *d)
{
	const struct nt_fault f = { HS_E_SPACE, "NT 11.2", "more sources than memory was given for" };

	d->current = d->count;
	set_diag(d, &f, 0);
	return HS_OK;
}

/* Read one message; HS_OK: it is at hand, or a fault is set. */
static enum hs_status next_message(struct hs_nt_decoder *d, struct hs_span *in)
{
	const enum hs_status s = hs_nt_read(&d->reader, in, &d->msg);

	if (s == HS_MORE)
		return s;
	if (s != HS_OK) {
		bad_message(d, s);
		return HS_OK;
	}
	d->stats.messages[d->msg.tcode]++;
	d->stats.bytes[d->msg.tcode] += d->msg.length;
	d->current = source_of(d);
	return d->current == d->capacity ? no_room_for_source(d) : HS_OK;
}

static enum hs_status work(struct hs_nt_decoder *d, struct flow_out *out)
{
	struct hs_nt_source *s = &d->sources[d->current];
	struct nt_fault f = { HS_OK, "", "" };

	if (out->end - out->p < NT_STEP_ROOM)
		return HS_FULL;
	put_hart(d, s, out);
	const enum hs_status status = nt_source_run(d, s, out, &f);
	if (status == HS_FULL)
		return status;
	if (status != HS_OK)
		set_diag(d, &f, flow_pc(&s->walk));
	else
		d->current = d->count;
	return HS_OK;
}

/* One source, in BTM, between two messages? */
static bool plain_btm(const struct hs_nt_decoder *d)
{
	const struct hs_nt_source *s = d->sources;

	return d->count == 1 && d->config.src_bits == 0 && d->reader.held == 0 &&
	       !d->reader.skipping && s->state == NT_SYNCED && s->mode == HS_NT_BTM &&
	       s->icnt_full == 0 && s->icnt_used == 0;
}

enum hs_status hs_nt_decoder_next(struct hs_nt_decoder *d, struct hs_span *in,
                                  struct hs_block *out, size_t cap, size_t *n)
{
	struct flow_out sheet = { out, out + cap };
	enum hs_status s = HS_OK;

	*n = 0;
	if (cap < HS_NT_DECODE_ROOM)
		return HS_E_SPACE;
	while (s == HS_OK) {
		if (d->fault != HS_OK) {
			s = HS_FULL;
			if (put_gaps(d, &sheet)) {
				s = d->fault;
				d->fault = HS_OK;
				d->current = d->count;
			}
		} else if (d->current < d->count) {
			s = work(d, &sheet);
		} else if (plain_btm(d) && nt_source_direct(d, d->sources, in, &sheet)) {
			d->current = 0;
		} else {
			s = next_message(d, in);
		}
	}
	*n = (size_t)(sheet.p - out);
	return s;
}

enum hs_status hs_nt_decoder_end(struct hs_nt_decoder *d, struct hs_block *out, size_t cap,
                                 size_t *n)
{
	struct flow_out sheet = { out, out + cap };
	const bool cut = hs_nt_reader_end(&d->reader) != HS_OK;

	*n = 0;
	if (cap < HS_NT_DECODE_ROOM)
		return HS_E_SPACE;
	for (size_t i = 0; i < d->count; i++) {
		struct hs_nt_source *s = &d->sources[i];

		if (s->state != NT_SYNCED)
			continue;
		if (sheet.end - sheet.p < NT_STEP_ROOM)
			break;
		if (flow_open(&s->walk)) {
			put_hart(d, s, &sheet);
			flow_close(&s->walk, s->table, HS_ITYPE_NONE, &sheet);
		}
		s->state = NT_OFF;
	}
	*n = (size_t)(sheet.p - out);
	if (cut) {
		const struct nt_fault f = { HS_E_TRUNCATED, "NT 3.1", hs_status_text(HS_E_TRUNCATED) };

		d->msg.offset = d->reader.start;
		set_diag(d, &f, 0);
		d->fault = HS_OK;
		d->reader.held = 0;
		d->reader.skipping = false;
		return HS_E_TRUNCATED;
	}
	for (size_t i = 0; i < d->count; i++)
		if (d->sources[i].state == NT_SYNCED)
			return HS_FULL;
	return HS_OK;
}
