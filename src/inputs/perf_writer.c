/* perf.data: writing, as Linux 6.1's perf reads it.
 *
 * Layout: header, attribute, ids (none), records, a table of features, their contents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/capture.h>

#include "core/config.h"
#include "inputs/inputs.h"
#include "inputs/perf_private.h"
#include "support/grow.h"

#define HEADER 104u
#define ATTR 128u /* PERF_ATTR_SIZE_VER7 */
#define SECTION 16u
#define BEGIN (HEADER + ATTR + SECTION) /* of the records */
#define NAME_ROOM 64u                   /* strings of features are padded to this */

/* Bits of the header's feature map that are written (tools/perf/util/header.h). */
enum {
	F_BUILD_ID = 2,
	F_HOSTNAME,
	F_OSRELEASE,
	F_VERSION,
	F_ARCH,
	F_CMDLINE = 11,
	F_BRANCH_STACK = 15,
	F_AUXTRACE = 18
};
#define FEATURE_BITS 19u
#define S_BRANCH_STACK 2048u /* of sample_type */

/* Bytes that are being made; the first error stays. */
struct out {
	uint8_t *v;
	size_t n, room;
	enum hs_status status;
};

struct hs_perf_writer {
	struct hs_perf_writer_options o;
	FILE *records;
	uint64_t bytes;    /* of records */
	struct out record; /* the current one */
	struct out build_ids;
	struct out index; /* of AUXTRACE records: offset, size */
};

static void put_bytes(struct out *o, const void *bytes, size_t n)
{
	if (o->status == HS_OK && !support_grow(&o->v, &o->room, o->n + n, 1))
		o->status = HS_E_MEMORY;
	if (o->status != HS_OK)
		return;
	if (bytes)
		memcpy(o->v + o->n, bytes, n);
	else
		memset(o->v + o->n, 0, n);
	o->n += n;
}

static void put_number(struct out *o, uint64_t value, unsigned size)
{
	uint8_t b[8];

	for (unsigned i = 0; i < 8; i++)
		b[i] = (uint8_t)(value >> 8 * i);
	put_bytes(o, b, size);
}

/* Text with its terminator, padded to a multiple of @align. */
static void put_text(struct out *o, const char *text, size_t align)
{
	const size_t n = strlen(text) + 1;

	put_bytes(o, text, n);
	put_bytes(o, NULL, (align - n % align) % align);
}

/* ---- records ------------------------------------------------------------------------ */

static void put_trailer(struct out *o, uint64_t type, const struct hs_perf_sample *s)
{
	if (type & HS_PERF_HAS_TID) {
		put_number(o, s->pid, 4);
		put_number(o, s->tid, 4);
	}
	if (type & HS_PERF_HAS_TIME)
		put_number(o, s->time, 8);
	if (type & HS_PERF_HAS_ID)
		put_number(o, s->id, 8);
	if (type & HS_PERF_HAS_STREAM_ID)
		put_number(o, 0, 8);
	if (type & HS_PERF_HAS_CPU)
		put_number(o, s->cpu, 8);
	if (type & HS_PERF_HAS_IDENTIFIER)
		put_number(o, s->id, 8);
}

static void put_body(struct out *o, const struct perf_row *row, const struct hs_perf_event *e)
{
	for (const struct perf_field *f = row->fields; f->wire; f++)
		put_number(o, perf_get_member(e, f), f->wire);
	if (row->tail == PERF_TEXT)
		put_text(o, e->text ? e->text : "", 8);
	if (row->tail == PERF_BYTES || row->tail == PERF_POKE)
		put_bytes(o, e->bytes.p, e->bytes.n);
	if (row->tail == PERF_POKE) {
		put_bytes(o, e->poke.p, e->poke.n);
		put_bytes(o, NULL, (8 - (o->n & 7)) & 7);
	}
}

static enum hs_status write_bytes(struct hs_perf_writer *w, const void *bytes, size_t n)
{
	w->bytes += n;
	return fwrite(bytes, 1, n, w->records) == n ? HS_OK : HS_E_SYSTEM;
}

enum hs_status hs_perf_write(struct hs_perf_writer *w, const struct hs_perf_event *e)
{
	const struct perf_row *row = perf_find_row(e->type);
	struct out *o = &w->record;

	if (!row)
		return HS_E_ARG;
	o->n = 0;
	put_number(o, e->type, 4);
	put_number(o, e->misc, 2);
	put_number(o, 0, 2);
	put_body(o, row, e);
	if (e->type < HS_PERF_USER && e->type != HS_PERF_SAMPLE &&
	    (w->o.attr.flags & HS_PERF_ATTR_SAMPLE_ID_ALL))
		put_trailer(o, w->o.attr.sample_type, &e->sample);
	if (o->status != HS_OK)
		return o->status;
	if (o->n > UINT16_MAX)
		return HS_E_ARG;
	o->v[6] = (uint8_t)o->n;
	o->v[7] = (uint8_t)(o->n >> 8);
	return write_bytes(w, o->v, o->n);
}

enum hs_status hs_perf_write_aux(struct hs_perf_writer *w, const struct hs_perf_event *event,
                                 const struct hs_span *bytes)
{
	static const uint8_t padding[8];
	const size_t pad = (8 - bytes->n % 8) % 8;
	struct hs_perf_event e = *event;

	e.type = HS_PERF_AUXTRACE;
	e.length = bytes->n + pad;
	put_number(&w->index, BEGIN + w->bytes, 8);
	enum hs_status status = hs_perf_write(w, &e);

	put_number(&w->index, w->record.n, 8);
	if (status == HS_OK)
		status = write_bytes(w, bytes->p, bytes->n);
	if (status == HS_OK)
		status = write_bytes(w, padding, pad);
	return status == HS_OK ? w->index.status : status;
}

enum hs_status hs_perf_write_build_id(struct hs_perf_writer *w, const struct hs_perf_build_id *id)
{
	const size_t text = (strlen(id->path) + NAME_ROOM) / NAME_ROOM * NAME_ROOM;
	struct out *o = &w->build_ids;

	if (id->size > sizeof(id->id) || text > UINT16_MAX - 64)
		return HS_E_ARG;
	put_number(o, 0, 4);
	put_number(o, (id->kernel ? HS_PERF_MISC_KERNEL : HS_PERF_MISC_USER) | 1u << 15, 2);
	put_number(o, 8 + 4 + 24 + text, 2);
	put_number(o, id->pid, 4);
	put_bytes(o, id->id, id->size);
	put_bytes(o, NULL, 20 - id->size);
	put_number(o, id->size, 4); /* misc has the bit that says so */
	put_text(o, id->path, NAME_ROOM);
	return o->status;
}

/* ---- before and after the records ------------------------------------------------------ */

static void put_section(struct out *o, uint64_t offset, uint64_t size)
{
	put_number(o, offset, 8);
	put_number(o, size, 8);
}

static void put_attr(struct out *o, const struct hs_perf_attr *a)
{
	const size_t end = o->n + ATTR;

	put_number(o, a->type, 4);
	put_number(o, ATTR, 4);
	put_number(o, a->config, 8);
	put_number(o, a->period, 8);
	put_number(o, a->sample_type, 8);
	put_number(o, 0, 8); /* read_format */
	put_number(o, a->flags, 8);
	put_number(o, 0, 4); /* wakeup_events */
	put_number(o, 0, 4); /* bp_type */
	put_number(o, 0, 8);
	put_number(o, 0, 8);
	put_number(o, a->branch_sample_type, 8);
	if (o->status == HS_OK)
		put_bytes(o, NULL, end - o->n);
}

static void put_string(struct out *o, const char *text)
{
	put_number(o, (strlen(text) + NAME_ROOM) / NAME_ROOM * NAME_ROOM, 4);
	put_text(o, text, NAME_ROOM);
}

static bool has_feature(const struct hs_perf_writer *w, unsigned bit)
{
	switch (bit) {
	case F_BUILD_ID:
		return w->build_ids.n;
	case F_AUXTRACE:
		return w->index.n;
	case F_BRANCH_STACK:
		return w->o.attr.sample_type & S_BRANCH_STACK;
	case F_OSRELEASE:
		return w->o.release;
	case F_CMDLINE:
		return w->o.command;
	case F_HOSTNAME:
	case F_VERSION:
	case F_ARCH:
		return true;
	default:
		return false;
	}
}

/* The contents of a feature. */
static void put_feature(struct out *o, const struct hs_perf_writer *w, unsigned bit)
{
	switch (bit) {
	case F_BUILD_ID:
		put_bytes(o, w->build_ids.v, w->build_ids.n);
		break;
	case F_HOSTNAME:
		put_string(o, "hartscope");
		break;
	case F_OSRELEASE:
		put_string(o, w->o.release);
		break;
	case F_VERSION:
		put_string(o, "hartscope");
		break;
	case F_ARCH:
		put_string(o, w->o.xlen == 32 ? "riscv32" : "riscv64");
		break;
	case F_CMDLINE:
		put_number(o, 2, 4);
		put_string(o, "hartscope");
		put_string(o, w->o.command);
		break;
	case F_AUXTRACE:
		put_number(o, w->index.n / SECTION, 8);
		put_bytes(o, w->index.v, w->index.n);
		break;
	default:
		break; /* F_BRANCH_STACK has none */
	}
}

static uint64_t feature_map(const struct hs_perf_writer *w)
{
	uint64_t map = 0;

	for (unsigned i = 0; i < FEATURE_BITS; i++)
		map |= (uint64_t)has_feature(w, i) << i;
	return map;
}

static void put_header(struct out *o, const struct hs_perf_writer *w)
{
	put_bytes(o, "PERFILE2", 8);
	put_number(o, HEADER, 8);
	put_number(o, ATTR + SECTION, 8);
	put_section(o, HEADER, ATTR + SECTION);
	put_section(o, BEGIN, w->bytes);
	put_section(o, 0, 0); /* event types: not used any more */
	put_number(o, feature_map(w), 8);
	put_bytes(o, NULL, 3 * 8);
	put_attr(o, &w->o.attr);
	put_section(o, BEGIN, 0); /* no ids: there is one event */
}

/* The table of features, and what they hold. */
static void put_features(struct out *o, const struct hs_perf_writer *w)
{
	struct out contents = { .n = 0 };
	uint64_t at = BEGIN + w->bytes;

	for (unsigned i = 0; i < FEATURE_BITS; i++)
		at += has_feature(w, i) ? SECTION : 0;
	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		const size_t before = contents.n;

		if (!has_feature(w, i))
			continue;
		put_feature(&contents, w, i);
		put_section(o, at + before, contents.n - before);
	}
	put_bytes(o, contents.v, contents.n);
	if (contents.status != HS_OK)
		o->status = contents.status;
	free(contents.v);
}

static enum hs_status copy_records(struct hs_perf_writer *w, hs_write_fn write, void *context)
{
	uint8_t b[16384];
	size_t n;

	if (fflush(w->records) != 0 || fseek(w->records, 0, SEEK_SET) != 0)
		return HS_E_SYSTEM;
	do {
		n = fread(b, 1, sizeof(b), w->records);
		if (n && !write(context, b, n))
			return HS_E_SYSTEM;
	} while (n);
	return ferror(w->records) ? HS_E_SYSTEM : HS_OK;
}

static enum hs_status write_out(struct out *o, hs_write_fn write, void *context)
{
	const enum hs_status status = o->status;

	if (status == HS_OK && o->n && !write(context, o->v, o->n))
		return HS_E_SYSTEM;
	o->n = 0;
	return status;
}

enum hs_status hs_perf_writer_end(struct hs_perf_writer *w, hs_write_fn write, void *context)
{
	struct out o = { .n = 0 };
	enum hs_status status;

	put_header(&o, w);
	status = write_out(&o, write, context);
	if (status == HS_OK)
		status = copy_records(w, write, context);
	if (status == HS_OK) {
		put_features(&o, w);
		status = write_out(&o, write, context);
	}
	free(o.v);
	return status;
}

/* ---- making ------------------------------------------------------------------------------ */

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

enum hs_status hs_perf_writer_new(const struct hs_perf_writer_options *options,
                                  struct hs_perf_writer **writer)
{
	struct hs_perf_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return HS_E_MEMORY;
	if (base_take_config(&w->o, sizeof(w->o), options) != HS_OK) {
		free(w);
		return HS_E_CONFIG;
	}
	w->o.release = copy_text(w->o.release);
	w->o.command = copy_text(w->o.command);
	w->records = tmpfile();
	if (w->records) {
		*writer = w;
		return HS_OK;
	}
	hs_perf_writer_free(w);
	return HS_E_SYSTEM;
}

void hs_perf_writer_free(struct hs_perf_writer *w)
{
	if (!w)
		return;
	if (w->records)
		fclose(w->records);
	free((char *)(uintptr_t)w->o.release);
	free((char *)(uintptr_t)w->o.command);
	free(w->record.v);
	free(w->build_ids.v);
	free(w->index.v);
	free(w);
}
