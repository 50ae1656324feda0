/* Sources: a trace is opened again for one of its harts, as it was opened. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "source/private.h"
#include "source/source.h"
#include "trace/trace.h"

/* Memory that goes with the copy. */
struct kept {
	struct kept *next;
	uint64_t bytes[];
};

/* A copy of the options, for what they point to may go once a source is open. */
struct source_again {
	struct hs_source_options o;
	struct hs_capture_options capture;
	struct hs_name_options names;
	struct hs_trace_params **params; /* of the parts, then of the options */
	size_t param_count;
	struct kept *kept;
	bool good; /* there was memory for all */
};

/* Keep a copy of @size bytes; of none NULL. */
static void *keep(struct source_again *a, const void *bytes, size_t size)
{
	struct kept *k = bytes && size ? malloc(sizeof(*k) + size) : NULL;

	a->good &= k || !bytes || !size;
	if (!k)
		return NULL;
	k->next = a->kept;
	a->kept = k;
	return memcpy(k->bytes, bytes, size);
}

static const char *keep_text(struct source_again *a, const char *text)
{
	return keep(a, text, text ? strlen(text) + 1 : 0);
}

static const char *const *keep_texts(struct source_again *a, const char *const *v, size_t n)
{
	const char **copy = keep(a, v, n * sizeof(*v));

	for (size_t i = 0; copy && i < n; i++)
		copy[i] = keep_text(a, v[i]);
	return copy;
}

static const struct hs_trace_params *keep_params(struct source_again *a,
                                                 const struct hs_trace_params *params)
{
	struct hs_trace_params *copy = NULL;

	if (!params || !a->params)
		return NULL;
	a->good &= hs_trace_params_copy(params, &copy) == HS_OK;
	if (copy)
		a->params[a->param_count++] = copy;
	return copy;
}

/* ---- what the options point to ------------------------------------------------------------ */

static void keep_capture(struct source_again *a)
{
	struct hs_capture_options *c = &a->capture;

	if (!a->o.capture || base_take_config(c, sizeof(*c), a->o.capture) != HS_OK)
		return; /* opening says what is wrong */
	c->transport = keep_text(a, c->transport);
	c->vcd_clock = keep_text(a, c->vcd_clock);
	c->vcd_data = keep_text(a, c->vcd_data);
	c->wrap = keep_text(a, c->wrap);
	c->ram = keep(a, c->ram, sizeof(*c->ram));
	c->headers = keep(a, c->headers, sizeof(*c->headers));
	a->o.capture = c;
}

static void keep_code(struct source_again *a)
{
	struct hs_code_file *v = keep(a, a->o.code, a->o.code_count * sizeof(*v));

	for (size_t i = 0; v && i < a->o.code_count; i++)
		v[i].path = keep_text(a, v[i].path);
	a->o.code = v;
}

static void keep_guest(struct source_again *a)
{
	struct hs_guest_file *v = keep(a, a->o.guest, a->o.guest_count * sizeof(*v));

	for (size_t i = 0; v && i < a->o.guest_count; i++)
		v[i].path = keep_text(a, v[i].path);
	a->o.guest = v;
	a->o.guest_clock = keep(a, a->o.guest_clock, sizeof(*a->o.guest_clock));
}

static void keep_parts(struct source_again *a)
{
	struct hs_source_part *v = keep(a, a->o.parts, a->o.part_count * sizeof(*v));

	a->params = calloc(a->o.part_count + 1, sizeof(*a->params));
	a->good &= a->params != NULL;
	for (size_t i = 0; v && i < a->o.part_count; i++) {
		v[i].path = keep_text(a, v[i].path);
		v[i].params = keep_params(a, v[i].params);
	}
	a->o.parts = v;
	a->o.params = keep_params(a, a->o.params);
}

static void keep_selection(struct source_again *a)
{
	struct hs_selection *s = keep(a, a->o.select, sizeof(*s));

	a->o.select = s;
	if (!s)
		return;
	s->processes = keep_texts(a, s->processes, s->process_count);
	s->threads = keep_texts(a, s->threads, s->thread_count);
}

static void keep_names(struct source_again *a)
{
	struct hs_name_options *n = &a->names;

	if (!a->o.name_options || base_take_config(n, sizeof(*n), a->o.name_options) != HS_OK)
		return;
	n->debug_dirs = keep_texts(a, n->debug_dirs, n->debug_dir_count);
	n->folders = keep_texts(a, n->folders, n->folder_count);
	n->source_dirs = keep_texts(a, n->source_dirs, n->source_dir_count);
	a->o.name_options = n;
}

/* ---- the copy ----------------------------------------------------------------------------- */

void source_again_free(struct source_again *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->param_count; i++)
		hs_trace_params_free(a->params[i]);
	while (a->kept) {
		struct kept *next = a->kept->next;

		free(a->kept);
		a->kept = next;
	}
	free(a->params);
	free(a);
}

enum hs_status source_again_new(const struct hs_source_options *o, struct source_again **out)
{
	struct source_again *a = calloc(1, sizeof(*a));

	if (!a)
		return HS_E_MEMORY;
	a->good = true;
	a->o = *o;
	a->o.clock = NULL; /* of recordings */
	a->o.path = keep_text(a, o->path);
	a->o.sysroot = keep_text(a, o->sysroot);
	keep_capture(a);
	keep_code(a);
	keep_guest(a);
	keep_parts(a);
	keep_selection(a);
	keep_names(a);
	if (!a->good) {
		source_again_free(a);
		return HS_E_MEMORY;
	}
	*out = a;
	return HS_OK;
}

enum hs_status source_open_hart_again(struct hs_source *source, uint32_t hart,
                                      struct hs_source **out, struct hs_error *error)
{
	struct hs_source_options o = source->again->o;
	struct hs_source *s;

	o.one_hart = true;
	o.hart = hart;
	enum hs_status status = hs_source_open(&o, &s, error);

	if (status != HS_OK)
		return status;
	if (source->range)
		status = hs_source_take_range(s, source, error);
	if (status == HS_OK)
		*out = s;
	else
		hs_source_close(s);
	return status;
}
