/* A stream of packets, split by source in one pass. */
#include "etrace/source.h"

#include "base/mem.h"

enum hs_status hs_et_decoder_init(struct hs_et_decoder *d, const struct hs_et_config *config,
                                  struct hs_bb_table *table, struct hs_et_source *sources,
                                  size_t source_count)
{
	const enum hs_status s = hs_et_config_check(config);

	if (s != HS_OK)
		return s;
	if (source_count == 0)
		return HS_E_ARG;
	memset(d, 0, sizeof *d);
	memcpy(&d->config, config, sizeof d->config);
	hs_et_reader_init(&d->reader, config);
	d->table = table;
	d->sources = sources;
	d->capacity = source_count;
	d->hart = UINT32_MAX;
	return HS_OK;
}

void hs_et_decoder_programs(struct hs_et_decoder *d, struct hs_bb_table *const *tables,
                            const uint64_t *contexts, size_t count)
{
	d->tables = tables;
	d->contexts = contexts;
	d->table_count = count;
}

const struct hs_et_diag *hs_et_decoder_diag(const struct hs_et_decoder *d)
{
	return &d->diag;
}

const struct hs_et_stats *hs_et_decoder_stats(const struct hs_et_decoder *d)
{
	return &d->stats;
}

/* Index of the source of the packet at hand, made on first use; d->capacity: no room. */
static size_t source_of(struct hs_et_decoder *d)
{
	size_t i = 0;

	while (i < d->count && d->sources[i].src != d->packet.src)
		i++;
	if (i == d->count && i < d->capacity) {
		et_source_init(d, &d->sources[i], d->packet.src);
		d->count++;
		d->current = d->count; /* none */
	}
	return i;
}

/* Say whose items follow, when that changes. */
static void put_hart(struct hs_et_decoder *d, const struct hs_et_source *s, struct flow_out *out)
{
	if (d->config.src_bits == 0 || d->hart == s->src)
		return;
	memset(out->p, 0, sizeof *out->p);
	out->p->kind = HS_KIND_HART;
	out->p->arg = s->src;
	out->p++;
	d->hart = s->src;
}

static void put_gap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	put_hart(d, s, out);
	et_draft_lose(d, s);
	if (flow_open(&s->walk))
		flow_close(&s->walk, s->table, HS_ITYPE_NONE, out);
	memset(out->p, 0, sizeof *out->p);
	out->p->kind = HS_KIND_GAP;
	out->p->value = d->diag.packet.offset;
	out->p->arg = d->diag.status;
	out->p++;
	s->state = ET_LOST;
	s->phase = ET_FRESH;
	s->inferred = false;
	s->timed = false;
	s->walk.acc = 0;
	s->walk.off = 0;
	if (d->current < d->count && s == &d->sources[d->current])
		et_source_sync(d, s, out);
}

/* Write the gaps that are due; false when the output is full before that. */
static bool put_gaps(struct hs_et_decoder *d, struct flow_out *out)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->sources[i].state != ET_LOSING)
			continue;
		if (out->end - out->p < ET_STEP_ROOM)
			return false;
		put_gap(d, &d->sources[i], out);
	}
	return true;
}

static void set_diag(struct hs_et_decoder *d, const struct et_fault *f, uint64_t pc)
{
	d->diag.status = f->status;
	d->diag.clause = f->clause;
	d->diag.why = f->why;
	d->diag.pc = pc;
	d->diag.packet = d->packet;
	d->fault = f->status;
	d->stats.errors++;
}

/* A packet that could not be read; where srcID was not read either every source loses its place. */
static void bad_packet(struct hs_et_decoder *d, enum hs_status status)
{
	const struct et_fault f = { status, et_bad_clause(&d->config, &d->packet), hs_status_text(status) };
	uint64_t pc = 0;

	for (size_t i = 0; i < d->count; i++) {
		if (d->sources[i].state != ET_SYNCED && d->sources[i].state != ET_TRAPPED)
			continue;
		d->sources[i].state = ET_LOSING;
		pc = flow_pc(&d->sources[i].walk);
	}
	d->current = d->count;
	set_diag(d, &f, pc);
}

static enum hs_status no_room_for_source(struct hs_et_decoder *d)
{
	const struct et_fault f = { HS_E_SPACE, "EE srcID", "more sources than memory was given for" };

	d->current = d->count;
	set_diag(d, &f, 0);
	return HS_OK;
}

/* Read one packet; HS_OK: it is at hand, or a fault is set, or it was skipped. */
static enum hs_status next_packet(struct hs_et_decoder *d, const uint8_t **in, size_t *in_n)
{
	const enum hs_status s = hs_et_read(&d->reader, in, in_n, &d->packet);

	if (s == HS_MORE)
		return s;
	if (s != HS_OK) {
		bad_packet(d, s);
		return HS_OK;
	}
	d->stats.packets[d->packet.form]++;
	d->stats.bytes[d->packet.form] += d->packet.length;
	if (d->packet.form == HS_ET_OTHER)
		return HS_OK;
	d->current = source_of(d);
	return d->current == d->capacity ? no_room_for_source(d) : HS_OK;
}

static enum hs_status work(struct hs_et_decoder *d, struct flow_out *out)
{
	struct hs_et_source *s = &d->sources[d->current];
	struct et_fault f = { HS_OK, "", "" };

	if (out->end - out->p < ET_STEP_ROOM)
		return HS_FULL;
	put_hart(d, s, out);
	const enum hs_status status = et_source_run(d, s, out, &f);
	if (status == HS_FULL)
		return status;
	if (status != HS_OK)
		set_diag(d, &f, flow_pc(&s->walk));
	else
		d->current = d->count;
	return HS_OK;
}

enum hs_status hs_et_decoder_next(struct hs_et_decoder *d, const uint8_t **in, size_t *in_n,
                                  struct hs_block *out, size_t cap, size_t *n)
{
	struct flow_out sheet = { out, out + cap };
	enum hs_status s = HS_OK;

	*n = 0;
	if (cap < HS_ET_DECODE_ROOM)
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
		} else {
			s = next_packet(d, in, in_n);
		}
	}
	*n = (size_t)(sheet.p - out);
	return s;
}

enum hs_status hs_et_decoder_end(struct hs_et_decoder *d, struct hs_block *out, size_t cap, size_t *n)
{
	struct flow_out sheet = { out, out + cap };
	const bool cut = hs_et_reader_end(&d->reader) != HS_OK;
	bool left = false;

	*n = 0;
	if (cap < HS_ET_DECODE_ROOM)
		return HS_E_SPACE;
	for (size_t i = 0; i < d->count; i++) {
		struct hs_et_source *s = &d->sources[i];

		if (s->state != ET_SYNCED)
			continue;
		left = sheet.end - sheet.p < ET_STEP_ROOM;
		if (left)
			break;
		put_hart(d, s, &sheet);
		et_source_close(d, s, &sheet);
	}
	*n = (size_t)(sheet.p - out);
	if (left)
		return HS_FULL;
	if (cut) {
		const struct et_fault f = { HS_E_TRUNCATED, "EE Header", hs_status_text(HS_E_TRUNCATED) };

		d->packet.offset = d->reader.start;
		d->packet.form = HS_ET_OTHER;
		set_diag(d, &f, 0);
		d->fault = HS_OK;
		d->reader.held = 0;
		return HS_E_TRUNCATED;
	}
	return HS_OK;
}
