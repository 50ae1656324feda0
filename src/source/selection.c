/* Sources: only what was selected, by process, thread and mode.
 *
 * Items are looked at in groups: events and the block that they are before.  Who runs it and its
 * mode decide about the group; what follows a block, such as its trap, is given out with it. */
#include <stdlib.h>
#include <string.h>

#include "guest/guest.h"
#include "source/private.h"

#define ITEMS 4096
#define FORMATS 8   /* of contexts (NT Table 12) */
#define SCONTEXT 2u /* that of a process; 0 has only a mode */
#define MODES_KNOWN 0x3fu

/* Names or numbers of processes, or of threads. */
struct wanted {
	char **list;
	size_t count;
	bool *ran; /* of each: something did */
};

/* A hart. */
struct lane {
	struct hs_guest_at at;
	uint64_t left_out; /* blocks since the last one that was given out */
	struct hs_block contexts[FORMATS]; /* the last of each format */
	uint32_t hart;
	uint8_t mode; /* of blocks that do not say it */
	uint8_t owed; /* formats whose context was not given out; a bit for each */
	bool asked;   /* matches is of now */
	bool matches; /* process and thread are selected ones */
	bool given;   /* the last block was given out */
};

struct source_selection {
	uint8_t modes;
	struct wanted processes, threads;
	bool gave;    /* a block */
	bool checked; /* what did not run was said */
	struct lane *lanes;
	size_t lane_count, now;
	struct hs_block items[ITEMS];
	size_t at, n, end; /* up to @end is one group */
	bool keep;         /* the group is given out */
	struct hs_block before[FORMATS + 1]; /* to give out before the rest of the group */
	unsigned before_at, before_n;
	enum hs_status status; /* after the last item */
	struct hs_error error;
};

/* ---- the object ---------------------------------------------------------------- */

static void free_wanted(struct wanted *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i]);
	free(w->list);
	free(w->ran);
}

void source_selection_free(struct source_selection *c)
{
	if (!c)
		return;
	free_wanted(&c->processes);
	free_wanted(&c->threads);
	free(c->lanes);
	free(c);
}

static enum hs_status copy_wanted(struct wanted *w, const char *const *list, size_t n)
{
	w->list = calloc(n + 1, sizeof(*w->list));
	w->ran = calloc(n + 1, sizeof(*w->ran));
	if (!w->list || !w->ran)
		return HS_E_MEMORY;
	for (; w->count < n; w->count++) {
		w->list[w->count] = strdup(list[w->count]);
		if (!w->list[w->count])
			return HS_E_MEMORY;
	}
	return HS_OK;
}

enum hs_status source_selection_new(const struct hs_selection *of, struct source_selection **out)
{
	struct source_selection *c = calloc(1, sizeof(*c));

	if (!c)
		return HS_E_MEMORY;
	c->modes = of->modes;
	if (copy_wanted(&c->processes, of->processes, of->process_count) != HS_OK ||
	    copy_wanted(&c->threads, of->threads, of->thread_count) != HS_OK) {
		source_selection_free(c);
		return HS_E_MEMORY;
	}
	*out = c;
	return HS_OK;
}

enum hs_status source_selection_copy(const struct source_selection *of,
                                     struct source_selection **out)
{
	const struct hs_selection s = { .modes = of->modes,
		                        .processes = (const char *const *)of->processes.list,
		                        .process_count = of->processes.count,
		                        .threads = (const char *const *)of->threads.list,
		                        .thread_count = of->threads.count };

	return source_selection_new(&s, out);
}

void source_selection_rewind(struct source_selection *c)
{
	c->lane_count = c->now = c->at = c->n = c->end = 0;
	c->before_at = c->before_n = 0;
	c->status = HS_OK;
	c->checked = false;
}

/* ---- what is selected ---------------------------------------------------------- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* @text is a number: *n, and whether it is in decimal, as numbers of processes are. */
static bool read_number(const char *text, uint64_t *n, bool *decimal)
{
	char *end;

	*n = strtoull(text, &end, 0);
	*decimal = text[0] != '0' || !text[1];
	return *text >= '0' && *text <= '9' && !*end;
}

/* A context, or in decimal also a process number. */
static bool is_process(const char *text, const struct hs_guest_at *at,
                       const struct hs_guest_task *task)
{
	uint64_t n;
	bool decimal;

	if (read_number(text, &n, &decimal) && ((at->has_context && n == at->context) ||
	                                        (task && task->pid && n == task->pid && decimal)))
		return true;
	if (task && task->name && strcmp(text, task->name) == 0)
		return true;
	return task && task->program && (strcmp(text, task->program) == 0 ||
	                                 strcmp(text, base_of(task->program)) == 0);
}

/* A thread by name or number; a hart where who runs is not known. */
static bool is_thread(const char *text, const struct hs_guest_at *at,
                      const struct hs_guest_task *task)
{
	uint64_t n;
	bool decimal;

	if (task && task->name && strcmp(text, task->name) == 0)
		return true;
	if (!read_number(text, &n, &decimal))
		return false;
	return task || at->has_context ? task && task->tid && n == task->tid : n == at->hart;
}

/* Does one of a list run?  Each that does is noted. */
static bool any_runs(struct wanted *w, const struct hs_guest_at *at,
                     const struct hs_guest_task *task,
                     bool (*is)(const char *text, const struct hs_guest_at *at,
                                const struct hs_guest_task *task))
{
	bool any = !w->count;

	for (size_t i = 0; i < w->count; i++)
		if (is(w->list[i], at, task)) {
			w->ran[i] = true;
			any = true;
		}
	return any;
}

static bool matches(struct source_selection *c, struct hs_guest *guest,
                    const struct hs_guest_at *at)
{
	const struct hs_guest_task *process = NULL, *thread = NULL;

	if (c->processes.count && guest && at->has_context)
		process = hs_guest_find_task(guest, at);
	if (c->threads.count && guest)
		thread = hs_guest_find_thread(guest, at);
	const bool one = any_runs(&c->processes, at, process, is_process);

	return any_runs(&c->threads, at, thread, is_thread) && one;
}

static bool has_mode(const struct source_selection *c, unsigned mode)
{
	return !c->modes || (c->modes & MODES_KNOWN) >> mode & 1u;
}

static enum hs_status select_lane(struct source_selection *c, uint32_t hart)
{
	for (c->now = 0; c->now < c->lane_count; c->now++)
		if (c->lanes[c->now].hart == hart)
			return HS_OK;
	struct lane *more = realloc(c->lanes, (c->lane_count + 1) * sizeof(*more));

	if (!more) {
		c->now = 0;
		return HS_E_MEMORY;
	}
	c->lanes = more;
	more[c->lane_count++] = (struct lane){ .hart = hart,
		                               .mode = HS_PRIV_UNKNOWN,
		                               .at = { .hart = hart, .has_hart = true } };
	return HS_OK;
}

/* ---- groups -------------------------------------------------------------------- */

static bool is_block(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TARGET;
}

/* Follow an event of the group. */
static void follow_event(const struct source_selection *c, struct lane *l, const struct hs_block *b)
{
	if (b->kind == HS_KIND_TIME) {
		l->at.moment = b->value;
		l->at.has_moment = true;
		l->asked &= !c->threads.count;
	}
	if (b->kind != HS_KIND_CONTEXT)
		return;
	l->contexts[b->arg % FORMATS] = *b;
	l->owed |= (uint8_t)(1u << b->arg % FORMATS);
	l->mode = b->priv;
	if (b->arg != SCONTEXT)
		return;
	l->at.context = b->value;
	l->at.has_context = true;
	l->asked = false;
}

/* What is given out before this group: what was left out, and the context. */
static void owe(struct source_selection *c, struct lane *l)
{
	c->before_at = c->before_n = 0;
	if (l->left_out)
		c->before[c->before_n++] = (struct hs_block){
			.value = l->left_out, .arg = HS_NOTE_LEFT_OUT, .kind = HS_KIND_NOTE,
			.priv = HS_PRIV_UNKNOWN };
	for (unsigned i = 0; i < FORMATS; i++)
		if (l->owed >> i & 1u)
			c->before[c->before_n++] = l->contexts[i];
	l->left_out = 0;
	l->owed = 0;
}

/* Decide about the group of @block, which may be NULL: then as about the one before. */
static void decide(struct source_selection *c, struct lane *l, struct hs_guest *guest,
                   const struct hs_block *block)
{
	c->keep = l->given;
	if (!block)
		return;
	if (!l->asked)
		l->matches = matches(c, guest, &l->at);
	l->asked = true;
	c->keep = l->matches && has_mode(c, block->priv == HS_PRIV_UNKNOWN ? l->mode : block->priv);
	if (c->keep)
		owe(c, l);
	else
		l->left_out += block->kind == HS_KIND_BLOCK;
}

/* Find the next group.  False: more items are needed first. */
static bool find_group(struct source_selection *c, struct hs_guest *guest)
{
	struct lane *l = &c->lanes[c->now];
	size_t i = c->at;

	while (i < c->n && !is_block(&c->items[i]) && c->items[i].kind != HS_KIND_HART)
		i++;
	if (i == c->n && c->status == HS_OK && ITEMS - (c->n - c->at) >= SOURCE_SPARE)
		return false;
	for (size_t k = c->at; k < i; k++)
		follow_event(c, l, &c->items[k]);
	decide(c, l, guest, i < c->n && is_block(&c->items[i]) ? &c->items[i] : NULL);
	c->end = i < c->n ? i + 1 : i;
	return true;
}

/* Is an event given out whatever is selected?  Does it follow its block? */
static bool is_general(const struct hs_block *b)
{
	return b->kind == HS_KIND_HART || b->kind == HS_KIND_VERSION || b->kind == HS_KIND_GAP;
}

static bool follows_block(const struct hs_block *b)
{
	return (b->kind == HS_KIND_TRAP && b->itype == HS_ITYPE_NONE) || b->kind == HS_KIND_STOP ||
	       b->kind == HS_KIND_UNSEEN ||
	       (b->kind == HS_KIND_NOTE && b->arg == HS_NOTE_PARTIAL);
}

/* An event of the group, and whose it is. */
static bool is_given(const struct source_selection *c, const struct lane *l,
                     const struct hs_block *b)
{
	if (b->kind == HS_KIND_CONTEXT)
		return false;
	return is_general(b) || (follows_block(b) ? l->given : c->keep);
}

/* Take the next item of the group; *n: 1 when it is in *out. */
static enum hs_status take_item(struct source_selection *c, struct hs_block *out, size_t *n)
{
	struct lane *l = &c->lanes[c->now];
	const struct hs_block *b = &c->items[c->at];

	*n = 1;
	if (c->keep && c->before_at < c->before_n && !is_general(b) && !follows_block(b)) {
		*out = c->before[c->before_at++];
		return HS_OK;
	}
	*out = *b;
	*n = is_given(c, l, b);
	if (b->kind == HS_KIND_VERSION)
		out->itype = !c->keep;
	c->at++;
	if (is_block(b)) {
		l->given = c->keep;
		c->gave |= c->keep;
	}
	return b->kind == HS_KIND_HART ? select_lane(c, b->arg) : HS_OK;
}

/* ---- reading ------------------------------------------------------------------- */

/* Read more items after those that are left. */
static void refill(struct hs_source *s)
{
	struct source_selection *c = s->selection;
	size_t n;

	memmove(c->items, c->items + c->at, (c->n - c->at) * sizeof(*c->items));
	c->n -= c->at;
	c->at = c->end = 0;
	c->status = source_read_items(s, c->items + c->n, ITEMS - c->n, &n, &c->error);
	c->n += n;
}

/* Give out the groups that there are.  HS_MORE: there are no more. */
static enum hs_status give_groups(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n)
{
	struct source_selection *c = s->selection;
	enum hs_status status = HS_OK;

	while (*n < cap && status == HS_OK) {
		size_t given;

		if (c->at == c->end && (c->at == c->n || !find_group(c, hs_source_guest(s))))
			return HS_MORE;
		status = take_item(c, &out[*n], &given);
		*n += given;
	}
	return status;
}

static enum hs_status say_which(const struct wanted *w, const char *what, struct hs_error *error)
{
	for (size_t i = 0; i < w->count; i++)
		if (!w->ran[i])
			return hs_error_set(error, HS_E_NOTHING,
			                    "nothing ran in %s '%.900s'; 'hartscope report --by "
			                    "%s' lists what ran",
			                    what, w->list[i], what);
	return HS_OK;
}

/* The end: what was asked for and did not run is an error, once.  One hart, or a part of a trace,
 * may have nothing of it. */
static enum hs_status end(struct hs_source *s, struct hs_error *error)
{
	struct source_selection *c = s->selection;
	enum hs_status status = HS_OK;

	if (c->checked || s->one_hart || (s->kind == SOURCE_TRACE && s->trace.slice))
		return HS_END;
	c->checked = true;
	status = say_which(&c->processes, "process", error);
	if (status == HS_OK)
		status = say_which(&c->threads, "thread", error);
	if (status == HS_OK && !c->gave)
		status = hs_error_set(error, HS_E_NOTHING, "nothing that was selected ran%s",
		                      c->modes ? " in these modes" : "");
	return status == HS_OK ? HS_END : status;
}

enum hs_status source_next_selected(struct hs_source *s, struct hs_block *out, size_t cap,
                                    size_t *n, struct hs_error *error)
{
	struct source_selection *c = s->selection;

	*n = 0;
	if (!c->lane_count && select_lane(c, s->one_hart ? s->hart : 0) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	enum hs_status status = give_groups(s, out, cap, n);

	if (status == HS_MORE && c->status == HS_OK && !*n) {
		refill(s);
		status = give_groups(s, out, cap, n);
	}
	if (status != HS_MORE)
		return status == HS_OK ? status
		                       : hs_error_set(error, status, "out of memory");
	if (c->at < c->n || c->status == HS_OK)
		return HS_OK;
	status = c->status;
	if (status != HS_END) {
		c->status = HS_OK;
		if (error)
			*error = c->error;
	}
	if (status == HS_END)
		return *n ? HS_OK : end(s, error);
	return status;
}

enum hs_status source_next_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	return s->selection ? source_next_selected(s, out, cap, n, error)
	                    : source_read_items(s, out, cap, n, error);
}
