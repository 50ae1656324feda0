/* Sources: a trace of several sources, each with an encoder and parameters of its own, which are
 * decoded one after the other (design/captures). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config.h"
#include "source/private.h"
#include "trace/trace.h"

#define CAPTURE_SCAN ((size_t)1 << 16)

/* ---- the list ----------------------------------------------------------------------- */

static enum hs_status add_part(struct source_parts *p, const struct source_part *part,
                               struct hs_error *error)
{
	struct source_part *more = realloc(p->at, (p->count + 1) * sizeof(*p->at));

	if (!more)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	p->at = more;
	p->at[p->count++] = *part;
	return HS_OK;
}

/* Is there a TRACE.json next to it? */
static bool has_params(const char *path)
{
	char *json = path ? malloc(strlen(path) + sizeof(".json")) : NULL;
	bool has = false;

	if (json) {
		strcat(strcpy(json, path), ".json");
		has = access(json, R_OK) == 0;
	}
	free(json);
	return has;
}

/* The parameters of a part: its own, those next to its file, or the trace's. */
static enum hs_status take_params(const struct source_trace *t, const struct hs_source_part *given,
                                  struct hs_trace_params **params, struct hs_error *error)
{
	const struct hs_trace_params_options po = { .size = sizeof(po), .trace = given->path };

	if (given->params || !has_params(given->path))
		return hs_trace_params_copy(given->params ? given->params : t->params, params);
	return hs_trace_params_open(&po, params, error);
}

static enum hs_status add_given(struct source_trace *t, const struct hs_source_part *given,
                                struct hs_error *error)
{
	struct source_part part = { .id = given->id, .fd = -1, .hart = given->hart };
	enum hs_status s = take_params(t, given, &part.params, error);

	if (s != HS_OK)
		return s;
	if (given->path) {
		part.path = strdup(given->path);
		part.fd = part.path ? open(part.path, O_RDONLY | O_CLOEXEC) : -1;
		if (part.fd < 0)
			s = hs_error_set(error, HS_E_SYSTEM, "%s: %s", given->path,
			                 strerror(errno));
	}
	if (s == HS_OK)
		s = add_part(t->parts, &part, error);
	if (s == HS_OK)
		return s;
	if (part.fd >= 0)
		close(part.fd);
	free(part.path);
	hs_trace_params_free(part.params);
	return s;
}

/* Read all frames once, for the IDs in them. */
static enum hs_status find_ids(struct source_trace *t, uint64_t ids[2], struct hs_error *error)
{
	struct hs_capture_report report;
	uint8_t *room = malloc(CAPTURE_SCAN);
	enum hs_status s = HS_OK;
	size_t n;

	if (!room)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	while (s != HS_END && s != HS_E_SYSTEM)
		s = hs_capture_read(t->in.capture, room, CAPTURE_SCAN, &n, error);
	free(room);
	if (s == HS_E_SYSTEM)
		return s;
	hs_capture_get_report(t->in.capture, &report);
	memcpy(ids, report.ids, sizeof(report.ids));
	return HS_OK; /* each part reads the file again */
}

static enum hs_status add_found(struct source_trace *t, struct hs_error *error)
{
	uint64_t ids[2] = { 0, 0 };
	enum hs_status s = find_ids(t, ids, error);
	uint32_t hart = 0;

	for (unsigned id = 1; id <= HS_FRAME_SOURCE_MAX && s == HS_OK; id++) {
		const struct hs_source_part part = { .id = (uint8_t)id, .hart = hart };

		if (!(ids[id / 64] >> id % 64 & 1))
			continue;
		s = add_given(t, &part, error);
		hart++;
	}
	if (s == HS_OK && !t->parts->count)
		s = hs_error_set(error, HS_E_FORMAT, "%s: no source has data in CoreSight frames",
		                 t->in.name);
	return s;
}

/* ---- the current part ----------------------------------------------------------------- */

static enum hs_status begin_part(struct source_trace *t, struct hs_error *error)
{
	struct source_parts *p = t->parts;
	struct source_part *part = &p->at[p->now];
	const bool own = part->path != NULL;

	hs_capture_close(t->in.capture);
	t->in.capture = NULL;
	t->params = part->params;
	t->protocol = hs_trace_params_protocol(t->params);
	t->config = hs_trace_params_config(t->params);
	p->named = false;
	const enum hs_status s = source_open_capture(t, &p->capture, own ? part->fd : t->in.fd,
	                                             own ? NULL : &p->memory, part->id, error);

	if (s != HS_OK || hs_capture_rewind(t->in.capture, NULL) == HS_OK)
		return s;
	return hs_error_set(error, HS_E_SYSTEM,
	                    "%s: several sources are read one after the other: give a file, not a "
	                    "pipe",
	                    t->in.name);
}

enum hs_status source_first_part(struct source_trace *t, struct hs_error *error)
{
	t->parts->now = 0;
	return begin_part(t, error);
}

enum hs_status source_next_part(struct source_trace *t, struct hs_error *error)
{
	if (t->parts->now + 1 >= t->parts->count)
		return HS_END;
	t->parts->now++;
	const enum hs_status s = begin_part(t, error);

	return s == HS_OK ? source_discover(t, error) : s;
}

enum hs_status source_parts_open(struct source_trace *t, const struct hs_source_options *o,
                                 struct hs_error *error)
{
	const bool framed = hs_transport_frames(t->transport);
	const struct hs_source_part *parts = o->parts;
	size_t count = o->part_count;
	struct hs_trace_info info;
	enum hs_status s = HS_OK;

	if (!count) { /* those of TRACE.json */
		hs_trace_params_get_info(t->params, &info);
		parts = info.sources;
		count = info.source_count;
	}
	if (!framed && !count)
		return HS_OK;
	t->parts = calloc(1, sizeof(*t->parts));
	if (!t->parts)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	t->parts->memory = o->trace;
	t->parts->capture = (struct hs_capture_options){ .size = sizeof(t->parts->capture) };
	if (o->capture)
		base_take_config(&t->parts->capture, sizeof(t->parts->capture), o->capture);
	if (!framed) {
		const struct source_part first = { .fd = t->in.fd, .hart = o->first_hart };

		s = add_part(t->parts, &first, error);
		if (s == HS_OK)
			s = hs_trace_params_copy(t->params, &t->parts->at[0].params);
	}
	for (size_t i = 0; i < count && s == HS_OK; i++)
		s = add_given(t, &parts[i], error);
	if (framed && !count && s == HS_OK)
		s = add_found(t, error);
	t->own_params = t->params;
	return s == HS_OK ? source_first_part(t, error) : s;
}

void source_parts_close(struct source_trace *t)
{
	struct source_parts *p = t->parts;

	if (!p)
		return;
	for (size_t i = 0; i < p->count; i++) {
		if (p->at[i].path)
			close(p->at[i].fd);
		free(p->at[i].path);
		hs_trace_params_free(p->at[i].params);
	}
	free(p->at);
	free(p);
	t->parts = NULL;
}

/* ---- names ---------------------------------------------------------------------------- */

size_t source_name_part(struct source_trace *t, struct hs_block *out, size_t n)
{
	struct source_parts *p = t->parts;
	size_t kept = 0;

	if (!n)
		return 0;
	if (!p->named && out[1].kind != HS_KIND_HART)
		out[kept++] = (struct hs_block){ .kind = HS_KIND_HART, .arg = p->at[p->now].hart };
	p->named = true;
	memmove(out + kept, out + 1, n * sizeof(*out));
	return n + kept;
}

void source_name_part_error(const struct source_trace *t, struct hs_error *error)
{
	const struct source_part *part = &t->parts->at[t->parts->now];
	const struct hs_error own = *error;

	if (part->id)
		hs_error_set(error, own.status, "source 0x%x: %s", part->id, own.text);
	else if (part->path)
		hs_error_set(error, own.status, "%s: %s", part->path, own.text);
}
