/* perf.data: the header, and a first look at all records.
 *
 * Layout (perf.data-file-format.txt of Linux): header, attributes with ids, records,
 * features.  A file that went through a pipe has the magic and a size of 16, and then records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inputs/perf_data.h"
#include "inputs/perf_private.h"
#include "support/grow.h"

#define MAGIC "PERFILE2"
#define MAGIC_BIG "2ELIFREP"
#define MAGIC_OLD "PERFFILE"
#define HEADER 104u /* struct perf_file_header */
#define PIPE_HEADER 16u
#define PRIV_WORD 8u

/* ---- the header ------------------------------------------------------------------- */

static enum hs_status check_magic(struct hs_perf *p, const uint8_t *b, struct hs_error *error)
{
	if (b && memcmp(b, MAGIC, 8) == 0)
		return HS_OK;
	if (b && memcmp(b, MAGIC_BIG, 8) == 0)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: a big-endian perf.data; RISC-V Linux is little-endian",
		                    p->name);
	if (b && memcmp(b, MAGIC_OLD, 8) == 0)
		return hs_error_set(error, HS_E_UNSUPPORTED, "%s: a perf.data of perf before 2011",
		                    p->name);
	return hs_error_set(error, HS_E_FORMAT, "%s: not a perf.data", p->name);
}

/* Where the records are.  A recorder that was killed did not write how many there are. */
static enum hs_status place_records(struct hs_perf *p, uint64_t at, uint64_t size,
                                    struct hs_error *error)
{
	if (at > p->size || at < PIPE_HEADER)
		return hs_error_set(error, HS_E_FORMAT, "%s: records at 0x%llx: not in the file",
		                    p->name, (ull)at);
	p->begin = p->next = at;
	p->cut = size > p->size - at;
	p->end = !size || p->cut ? p->size : at + size;
	return HS_OK;
}

static enum hs_status read_header(struct hs_perf *p, struct hs_error *error)
{
	const uint8_t *b = perf_bytes(p, 0, PIPE_HEADER);
	enum hs_status status = check_magic(p, b, error);

	if (status != HS_OK)
		return status;
	const uint64_t size = perf_number(b + 8, 8);

	p->info.pipe = size == PIPE_HEADER;
	if (p->info.pipe)
		return place_records(p, PIPE_HEADER, 0, error);
	b = size >= HEADER ? perf_bytes(p, 0, HEADER) : NULL;
	if (!b)
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: a header of %llu bytes in a file of %llu", p->name,
		                    (ull)size, (ull)p->size);
	const uint64_t each = perf_number(b + 16, 8);
	const uint64_t attrs = perf_number(b + 24, 8), attrs_size = perf_number(b + 32, 8);

	status = place_records(p, perf_number(b + 40, 8), perf_number(b + 48, 8), error);
	return status == HS_OK ? perf_read_attrs(p, attrs, attrs_size, each, error) : status;
}

/* ---- what the records say --------------------------------------------------------- */

static bool is_riscv(uint32_t type)
{
	static const uint32_t types[] = {
#define HS_PERF_AUXTRACE(number) number,
#include <hartscope/tables/perf.def>
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i] == type)
			return true;
	return false;
}

/* The priv words of AUXTRACE_INFO, of either proposal. */
static enum hs_status take_info(struct hs_perf *p, const struct hs_perf_event *e)
{
	const struct hs_span *priv = &e->bytes;
	const size_t each = sizeof(struct hs_perf_cpu);
	const uint64_t first = priv->n >= PRIV_WORD ? perf_number(priv->p, PRIV_WORD) : 0;
	const size_t count = priv->n / PRIV_WORD ? (priv->n - PRIV_WORD) / each : 0;

	p->info.has_auxtrace = true;
	p->info.auxtrace_type = e->subtype;
	p->info.riscv = is_riscv(e->subtype);
	p->info.pmu_type = (uint32_t)(count ? first >> 32 : first);
	free(p->cpus);
	p->cpus = count ? calloc(count, each) : NULL;
	p->info.cpus = p->cpus;
	p->info.cpu_count = 0;
	if (count && !p->cpus)
		return HS_E_MEMORY;
	for (size_t n = 0; n < count && n < (uint32_t)first; n++) {
		const uint8_t *b = priv->p + PRIV_WORD + n * each;
		uint64_t *to = &p->cpus[n].cpu;

		for (size_t i = 0; i < each / PRIV_WORD; i++)
			to[i] = perf_number(b + i * PRIV_WORD, PRIV_WORD);
		p->info.cpu_count++;
	}
	return HS_OK;
}

static enum hs_status take_piece(struct hs_perf *p, const struct hs_perf_event *e)
{
	if (!e->length)
		return HS_OK;
	if (e->length > UINT64_MAX - e->offset)
		return HS_E_FORMAT;
	if (!support_grow(&p->pieces, &p->piece_room, p->piece_count + 1, sizeof(*p->pieces)))
		return HS_E_MEMORY;
	p->pieces[p->piece_count++] =
		(struct perf_piece){ e->cpu,    e->tid,   e->index, p->next - e->length,
		                     e->length, e->offset };
	return HS_OK;
}

static enum hs_status take_aux(struct hs_perf *p, const struct hs_perf_event *e)
{
	const struct hs_perf_sample *s = &e->sample;

	if (e->length > UINT64_MAX - e->offset)
		return HS_E_FORMAT;
	if (!support_grow(&p->aux, &p->aux_room, p->aux_count + 1, sizeof(*p->aux)))
		return HS_E_MEMORY;
	p->aux[p->aux_count++] = (struct perf_aux){
		s->has & HS_PERF_HAS_CPU ? s->cpu : HS_PERF_NONE,
		s->has & HS_PERF_HAS_TID ? s->tid : HS_PERF_NONE,
		e->offset,
		e->length,
		e->flags,
		s->time,
		e->at,
	};
	return HS_OK;
}

static enum hs_status take_record(struct hs_perf *p, const struct hs_perf_event *e)
{
	p->info.records++;
	switch (e->type) {
	case HS_PERF_HEADER_ATTR:
		return perf_add_attr_record(p, &e->bytes);
	case HS_PERF_AUXTRACE_INFO:
		return take_info(p, e);
	case HS_PERF_AUXTRACE:
		return take_piece(p, e);
	case HS_PERF_AUX:
		return take_aux(p, e);
	case HS_PERF_LOST:
		p->info.lost += e->count;
		return HS_OK;
	case HS_PERF_COMPRESSED:
	case HS_PERF_COMPRESSED2:
		return HS_E_UNSUPPORTED;
	default:
		return HS_OK;
	}
}

/* Read all records once.  Damage ends them. */
static enum hs_status scan(struct hs_perf *p, struct hs_error *error)
{
	struct hs_perf_event e = { 0 };
	enum hs_status status, taken = HS_OK;

	do {
		status = perf_read_record(p, &e, &p->info.damage);
		if (status == HS_OK)
			taken = take_record(p, &e);
	} while (status == HS_OK && taken == HS_OK);
	if (taken == HS_E_MEMORY)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", p->name);
	if (taken == HS_E_UNSUPPORTED)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: offset 0x%llx: compressed records; record without -z",
		                    p->name, (ull)e.at);
	if (taken != HS_OK)
		hs_error_set(&p->info.damage, HS_E_FORMAT,
		             "%s: offset 0x%llx: a record whose sizes contradict each other",
		             p->name, (ull)e.at);
	p->end = status == HS_OK ? e.at : p->next;
	hs_perf_rewind(p);
	return perf_make_lanes(p, error);
}

/* ---- opening ------------------------------------------------------------------------ */

static enum hs_status open_input(struct hs_perf *p, const char *path, struct hs_error *error)
{
	struct stat st;

	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &st) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return hs_error_set(error, HS_E_SYSTEM,
		                    "%s: a perf.data must be a file, or standard input", path);
	p->size = (uint64_t)st.st_size;
	p->window = malloc(PERF_WINDOW);
	return p->window ? HS_OK : hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
}

enum hs_status hs_perf_open_form(const char *name, const struct hs_span *bytes, enum perf_form form,
                                 struct hs_perf **perf, struct hs_error *error)
{
	struct hs_perf *p = calloc(1, sizeof(*p));
	enum hs_status status = HS_OK;

	if (p)
		p->name = strdup(name);
	if (!p || !p->name) {
		free(p);
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", name);
	}
	p->fd = -1;
	p->form = form;
	if (bytes && bytes->p)
		p->size = (p->memory = *bytes).n;
	else
		status = open_input(p, name, error);
	if (status == HS_OK)
		status = read_header(p, error);
	if (status == HS_OK)
		status = scan(p, error);
	if (status == HS_OK)
		*perf = p;
	else
		hs_perf_close(p);
	return status;
}

enum hs_status hs_perf_open(const char *path, struct hs_perf **perf, struct hs_error *error)
{
	return hs_perf_open_form(path, NULL, PERF_FORM_FOUND, perf, error);
}

enum hs_status hs_perf_open_memory(const struct hs_span *bytes, const char *name,
                                   struct hs_perf **perf, struct hs_error *error)
{
	return hs_perf_open_form(name, bytes, PERF_FORM_FOUND, perf, error);
}

void hs_perf_close(struct hs_perf *p)
{
	if (!p)
		return;
	perf_free_lanes(p);
	if (p->fd >= 0)
		close(p->fd);
	free(p->window);
	free(p->cpus);
	free(p->events.attrs);
	free(p->events.ids);
	free(p->pieces);
	free(p->aux);
	free(p->name);
	free(p);
}

/* ---- asking ------------------------------------------------------------------------- */

const struct hs_perf_info *hs_perf_get_info(const struct hs_perf *p)
{
	return &p->info;
}

enum hs_status hs_perf_next(struct hs_perf *p, struct hs_perf_event *event, struct hs_error *error)
{
	if (p->next < p->end && perf_read_record(p, event, &p->info.damage) == HS_OK)
		return HS_OK;
	p->end = p->next; /* attributes that came later say how long a record has to be */
	if (p->damage_told || p->info.damage.status == HS_OK)
		return HS_END;
	p->damage_told = true;
	if (error)
		*error = p->info.damage;
	return p->info.damage.status;
}

void hs_perf_rewind(struct hs_perf *p)
{
	p->next = p->begin;
	p->damage_told = false;
}
