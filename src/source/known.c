/* Sources: what is known of one. */
#include "source/private.h"
#include "source/source.h"

static const struct source_trace *trace_of(const struct hs_source *s)
{
	return s->kind == SOURCE_TRACE ? &s->trace : NULL;
}

struct hs_program *hs_source_program(struct hs_source *s)
{
	return source_code_of(s)->set.first;
}

const struct hs_rec_process *hs_source_processes(const struct hs_source *s, size_t *count)
{
	*count = source_code_of(s)->file_count;
	return source_code_of(s)->files;
}

const struct hs_program_set *hs_source_programs(const struct hs_source *s)
{
	return &source_code_of(s)->set;
}

struct hs_guest *hs_source_guest(struct hs_source *s)
{
	return source_code_of(s)->guest;
}

const struct hs_rec_info *hs_source_info(const struct hs_source *s)
{
	return trace_of(s) ? NULL : hs_rec_get_info(s->recording.rec);
}

const struct hs_image *hs_source_image(const struct hs_source *s)
{
	return trace_of(s) ? NULL : hs_rec_image(s->recording.rec);
}

enum hs_status hs_source_code(const struct hs_source *s, uint32_t number, struct hs_section *code)
{
	const struct source_trace *t = trace_of(s);

	return t ? source_changed_code((void *)(uintptr_t)t, number, code)
	         : hs_rec_code(s->recording.rec, number, code);
}

const struct hs_protocol *hs_source_protocol(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->protocol : NULL;
}

const struct hs_trace_params *hs_source_params(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->params : NULL;
}

enum hs_reason hs_source_reason(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->diag.reason : HS_REASON_NONE;
}

/* The part that is being read; NULL: there are none. */
static const struct hs_source_part *part_of(const struct source_trace *t,
                                            struct hs_source_part *part)
{
	if (!t->parts)
		return NULL;
	const struct source_part *p = &t->parts->at[t->parts->now];

	*part = (struct hs_source_part){ .id = p->id, .path = p->path, .hart = p->hart };
	return part;
}

/* Where its bytes come from: a capture, or a buffer of a perf.data. */
static void set_input_facts(const struct source_trace *t, struct source_known *k)
{
	if (t->in.capture) {
		hs_capture_get_report(t->in.capture, &k->capture);
		k->facts.capture = &k->capture;
	}
	if (t->in.perf && hs_perf_get_lane(t->in.perf->file, t->in.perf->lane, &k->lane))
		k->facts.lane = &k->lane;
}

static void set_trace_facts(const struct source_trace *t, struct source_known *k)
{
	struct hs_source_facts *f = &k->facts;

	set_input_facts(t, k);
	f->protocol = t->protocol;
	f->params = t->params;
	f->part = part_of(t, &k->part);
	f->search = t->code.search;
	f->note = t->diag.note.status != HS_OK ? t->diag.note.text : NULL;
	f->reason = t->diag.reason;
	f->fault_address = t->diag.reason != HS_REASON_NONE ? t->diag.fault : 0;
}

const struct hs_source_facts *hs_source_known(const struct hs_source *source)
{
	struct hs_source *s = (void *)(uintptr_t)source; /* what it knows is put together here */
	struct source_known *k = &s->known;
	const struct source_code *c = source_code_of(s);

	k->facts = (struct hs_source_facts){ .program = c->set.first,
		                             .programs = &c->set,
		                             .program_path = c->program_path,
		                             .guest = c->guest,
		                             .info = hs_source_info(s) };
	hs_source_get_images(s, &k->facts.images);
	if (trace_of(s))
		set_trace_facts(trace_of(s), k);
	if (hs_source_get_range(s, &k->range))
		k->facts.range = &k->range;
	if (hs_source_get_slice(s, &k->slice))
		k->facts.slice = &k->slice;
	return &k->facts;
}

unsigned hs_source_counts(const struct hs_source *s, struct hs_message_count *out, unsigned cap)
{
	const struct source_trace *t = trace_of(s);

	if (!t || !source_decodes(t))
		return 0;
	unsigned n = source_decode_counts(t, out, cap);

	if (t->slice)
		n = source_slice_counts(t->slice, out, n);
	return source_add_counts(t, out, n, cap);
}

uint64_t hs_source_decoded(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->in.bytes - t->in.left.n : 0;
}

uint64_t hs_source_bytes(const struct hs_source *s, uint64_t *total)
{
	const struct source_trace *t = trace_of(s);
	const bool counted = s->kind == SOURCE_RECORDING && !s->recording.timed;
	const bool all = counted && !s->one_hart;

	if (total)
		*total = t ? t->in.total : all ? hs_rec_get_info(s->recording.rec)->bytes : 0;
	return t ? t->in.bytes : counted ? s->recording.bytes : 0;
}
