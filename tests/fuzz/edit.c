/* Changes of bytes and of records. */
#include "edit.h"
#include "fuzz.h"

#define RECORDS 4096

uint64_t fuzz_limit(struct fuzz_edit *e, unsigned bits)
{
	const uint64_t most = bits == 0 ? 0 : UINT64_MAX >> (64 - (bits < 64 ? bits : 64));
	const uint64_t values[] = { 0, 1, most, most - 1, most / 2, most / 2 + 1, most + 1 };
	const size_t i = fuzz_pick(e, sizeof(values) / sizeof(*values) + 1);

	return i < sizeof(values) / sizeof(*values) ? values[i] : fuzz_random(&e->state) & most;
}

bool fuzz_replace(struct fuzz_edit *e, size_t at, size_t old, const void *bytes, size_t n)
{
	fuzz_must(at <= e->size && old <= e->size - at);
	if (e->size - old + n > e->room)
		return false;
	memmove(e->data + at + n, e->data + at + old, e->size - at - old);
	if (n > 0)
		memcpy(e->data + at, bytes, n);
	e->size = e->size - old + n;
	return true;
}

/* ---- records --------------------------------------------------------------------------- */

/* Some records next to each other. */
struct run {
	size_t at, n;
};

static struct run pick_run(struct fuzz_edit *e, const struct fuzz_record *r, size_t count)
{
	const size_t first = fuzz_pick(e, count),
		     most = fuzz_pick(e, 4) ? 1 : 1 + fuzz_pick(e, 16),
		     last = first + (most < count - first ? most : count - first) - 1;

	return (struct run){ r[first].at, r[last].at + r[last].n - r[first].at };
}

static size_t cut(const struct fuzz_format *f, const uint8_t *p, size_t n, size_t head,
                  struct fuzz_record *out)
{
	const size_t count = n > head ? f->cut(f->config, p + head, n - head, out, RECORDS) : 0;

	for (size_t i = 0; i < count; i++) {
		out[i].at += head;
		fuzz_must(out[i].n > 0 && out[i].at + out[i].n <= n);
	}
	return count;
}

/* Take a run out, and put it in elsewhere. */
static bool move(struct fuzz_edit *e, struct run from, size_t to)
{
	static uint8_t bytes[FUZZ_RECORD_MAX];

	if (from.n > sizeof(bytes))
		return false;
	memcpy(bytes, e->data + from.at, from.n);
	fuzz_replace(e, from.at, from.n, NULL, 0);
	if (to > from.at)
		to = to >= from.at + from.n ? to - from.n : from.at;
	return fuzz_replace(e, to, 0, bytes, from.n);
}

static bool repeat(struct fuzz_edit *e, const uint8_t *from, struct run run, size_t to)
{
	static uint8_t bytes[FUZZ_RECORD_MAX];

	if (run.n > sizeof(bytes))
		return false;
	memcpy(bytes, from + run.at, run.n);
	return fuzz_replace(e, to, 0, bytes, run.n);
}

static bool change(struct fuzz_edit *e, const struct fuzz_format *f, const struct fuzz_record *r)
{
	static uint8_t bytes[FUZZ_RECORD_MAX];
	const size_t n = f->change(f->config, e, e->data + r->at, r, bytes);

	return n > 0 && fuzz_replace(e, r->at, r->n, bytes, n);
}

bool fuzz_mutate_records(struct fuzz_edit *e, const struct fuzz_format *format, size_t head,
                         size_t other_head)
{
	static struct fuzz_record records[RECORDS], others[RECORDS];
	const size_t count = cut(format, e->data, e->size, head, records);

	if (count == 0)
		return false;
	const size_t to = records[fuzz_pick(e, count)].at;

	switch (fuzz_pick(e, 8)) {
	case 0: {
		const struct run run = pick_run(e, records, count);

		return fuzz_replace(e, run.at, run.n, NULL, 0);
	}
	case 1:
		return repeat(e, e->data, pick_run(e, records, count), to);
	case 2:
		return move(e, pick_run(e, records, count), to);
	case 3: {
		const size_t n = cut(format, e->other, e->other_size, other_head, others);

		return n > 0 && repeat(e, e->other, pick_run(e, others, n), to);
	}
	default:
		return change(e, format, &records[fuzz_pick(e, count)]);
	}
}

/* ---- records of one size ---------------------------------------------------------------- */

static size_t cut_steps(const void *config, const uint8_t *p, size_t n, struct fuzz_record *out,
                        size_t cap)
{
	const size_t bytes = *(const size_t *)config;
	size_t count = 0;

	(void)p;
	for (; count < cap && (count + 1) * bytes <= n; count++)
		out[count] = (struct fuzz_record){ count * bytes, bytes, 0 };
	return count;
}

static size_t change_step(const void *config, struct fuzz_edit *e, const uint8_t *p,
                          const struct fuzz_record *record, uint8_t *out)
{
	(void)config;
	memcpy(out, p, record->n);
	for (size_t n = 1 + fuzz_pick(e, 4); n > 0; n--)
		out[fuzz_pick(e, record->n)] = (uint8_t)fuzz_limit(e, 8);
	return record->n;
}

bool fuzz_mutate_steps(struct fuzz_edit *e, size_t head, size_t bytes)
{
	const struct fuzz_format steps = { &bytes, cut_steps, change_step };

	if (e->size >= head && fuzz_pick(e, 16) == 0) {
		e->data[fuzz_pick(e, head)] = (uint8_t)fuzz_limit(e, 8);
		return true;
	}
	return fuzz_mutate_records(e, &steps, head, head);
}

size_t fuzz_seed_steps(unsigned i, size_t n, uint8_t *data, size_t size)
{
	uint64_t state = i;

	if (i >= 32 || size < n)
		return 0;
	for (size_t at = 0; at < n; at++)
		data[at] = (uint8_t)(fuzz_random(&state) >> 24);
	return n;
}
