/* hartscope diff: where two runs part. */
#include <stdlib.h>
#include <string.h>

#include "commands/diff.h"

/* One hart of a run, block by block. */
struct walk {
	struct hs_source *source;
	bool own; /* it is not that of the whole run */
	struct hs_program *program;
	struct hs_guest_at at; /* where it is, for names */
	struct damage damage;
	struct block_reader reader;
	size_t next;
	struct hs_block before; /* the last block that both had */
	bool began;
};

/* What both have. */
struct common {
	struct hs_profile *profile; /* instructions */
	struct hs_stacks *stacks;
};

/* ---- reading ------------------------------------------------------------------------ */

/* @hart: NULL: the run has only one. */
static bool open_walk(struct walk *w, const struct diff_side *s, const uint32_t *hart,
                      const struct options *o)
{
	struct hs_error e = { 0 };
	enum hs_status status;

	if (hart) {
		status = open_source_hart(o, s->path, *hart, &w->source, &e);
		w->own = status == HS_OK;
	} else {
		w->source = s->source;
		status = hs_source_rewind(s->source, &e);
	}
	if (status == HS_OK && hart && o->ranged)
		status = hs_source_take_range(w->source, s->source, &e);
	if (status != HS_OK) {
		fail(&e);
		return false;
	}
	w->damage.silent = true; /* they were shown when it was counted */
	w->reader = (struct block_reader){ .source = w->source, .damage = &w->damage };
	w->program = hs_source_program(w->source);
	return true;
}

static void follow(struct walk *w, const struct hs_block *b)
{
	const struct hs_program_set *set = hs_source_programs(w->source);

	if (b->kind == HS_KIND_TIME) {
		w->at.moment = b->value;
		w->at.has_moment = true;
	}
	if (b->kind != HS_KIND_CONTEXT || b->arg != 2)
		return;
	w->at.context = b->value;
	w->at.has_context = true;
	for (size_t i = 0; set && i < set->count; i++)
		if (set->contexts[i] == b->value)
			w->program = set->programs[i];
}

/* The next block; events before it are passed.  NULL: there are no more. */
static const struct hs_block *peek(struct walk *w, struct common *c)
{
	struct hs_stack_step step;

	while (w->source) {
		if (w->next == w->reader.n) {
			w->next = 0;
			if (!reader_fill(&w->reader))
				return NULL;
		}
		const struct hs_block *b = &w->reader.items[w->next];

		if (b->kind == HS_KIND_BLOCK)
			return b;
		follow(w, b);
		if (c && (hs_stacks_follow(c->stacks, b, &step) != HS_OK ||
		          hs_profile_add(c->profile, b, 1) != HS_OK))
			return NULL;
		w->next++;
	}
	return NULL;
}

/* ---- places ------------------------------------------------------------------------- */

struct place {
	uint64_t addr;
	struct hs_guest_place name;
	struct hs_place source;
};

static void find_place(const struct walk *w, uint64_t addr, uint8_t priv, struct place *p)
{
	struct hs_guest_at at = w->at;

	*p = (struct place){ .addr = addr };
	at.priv = priv;
	hs_guest_name(hs_source_guest(w->source), w->program, &at, addr, &p->name);
	hs_program_find_place(w->program, addr, &p->source);
}

/* Is it the same code: at one address, or at one place of a function? */
static bool same_start(const struct walk w[2], const struct hs_block *a, const struct hs_block *b)
{
	struct place x, y;

	if (a->iaddr == b->iaddr)
		return true;
	find_place(&w[0], a->iaddr, a->priv, &x);
	find_place(&w[1], b->iaddr, b->priv, &y);
	return x.name.label && y.name.label && strcmp(x.name.label, y.name.label) == 0 &&
	       x.name.offset == y.name.offset;
}

static bool same_block(const struct walk w[2], const struct hs_block *a, const struct hs_block *b)
{
	return a->iretire == b->iretire && a->itype == b->itype && same_start(w, a, b);
}

/* Go through what both have.  False: out of memory. */
static bool walk_common(struct walk w[2], struct common *c, const struct hs_block *now[2])
{
	struct hs_stack_step step;

	for (;;) {
		now[0] = peek(&w[0], c);
		now[1] = peek(&w[1], NULL);
		if (!now[0] || !now[1] || !same_block(w, now[0], now[1]))
			return true;
		if (hs_stacks_follow(c->stacks, now[0], &step) != HS_OK ||
		    hs_profile_add(c->profile, now[0], 1) != HS_OK)
			return false;
		for (unsigned i = 0; i < 2; i++) {
			w[i].before = *now[i];
			w[i].began = true;
			w[i].next++;
		}
	}
}

/* ---- what is shown ------------------------------------------------------------------- */

static void show_place(struct report *r, const char *key, const char *label, const struct place *p)
{
	char text[1600], name[40];
	const char *line = p->source.file ? strrchr(p->source.file, '/') : NULL;

	line = line ? line + 1 : p->source.file;
	if (!r->json) {
		snprintf(text, sizeof(text), "%llx %.1000s+0x%llx%s%.300s",
		         (unsigned long long)p->addr, p->name.label ? p->name.label : "(no symbol)",
		         (unsigned long long)p->name.offset, line ? "  " : "", line ? line : "");
		if (line)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ":%d",
			         p->source.line);
		report_text(r, NULL, label, text);
		return;
	}
	report_hex(r, key, "", p->addr);
	snprintf(name, sizeof(name), "%s_function", key);
	report_text(r, name, "", p->name.label ? p->name.label : "(no symbol)");
	snprintf(name, sizeof(name), "%s_offset", key);
	report_hex(r, name, "", p->name.offset);
	if (!p->source.file)
		return;
	snprintf(name, sizeof(name), "%s_source", key);
	report_text(r, name, "", p->source.file);
	snprintf(name, sizeof(name), "%s_line", key);
	report_u64(r, name, "", (uint64_t)p->source.line);
}

/* How a run goes on: how the last common block ended in it, and where it is then. */
static void show_side(struct report *r, struct walk *w, unsigned side, const struct hs_block *now,
                      bool inside)
{
	static const char *const ends[] = { "end_a", "end_b" }, *const nexts[] = { "next_a",
		                                                                   "next_b" };
	static const char *const labels[] = { "A", "B" }, *const then[] = { "A then", "B then" };
	struct place p;

	if (!now) {
		report_text(r, ends[side], labels[side], "its flow ends");
		return;
	}
	if (inside) {
		report_text(r, ends[side], labels[side], hs_itype_name(now->itype));
		w->next++;
		now = peek(w, NULL);
	} else {
		report_text(r, ends[side], labels[side],
		            w->began ? hs_itype_name(w->before.itype) : "its flow begins");
	}
	if (!now)
		return;
	find_place(w, now->iaddr, now->priv, &p);
	show_place(r, nexts[side], then[side], &p);
}

static void show_stack(struct report *r, struct common *c)
{
	size_t count;
	const struct hs_stack_frame *v = hs_stacks_frames(c->stacks, &count);

	report_list(r, "stack", "call stack there, innermost first");
	for (size_t i = count; i-- > 0;) {
		report_row(r);
		report_hex(r, "start", "", v[i].start);
		report_text(r, "name", "", v[i].name ? v[i].name : "(no symbol)");
		report_row_end(r);
	}
	report_list_end(r);
}

/* Where the instruction is that both have last.  *inside: it is in the blocks that differ. */
static bool last_common(const struct walk w[2], const struct hs_block *const now[2], bool *inside,
                        uint64_t *at, uint8_t *priv)
{
	*inside = now[0] && now[1] && same_start(w, now[0], now[1]);
	if (*inside) {
		const struct hs_block *b = now[now[0]->iretire > now[1]->iretire];

		*priv = b->priv;
		*at = b->iretire ? hs_block_end(b) - 2u * b->ilast : b->iaddr;
		*at = b == now[1] ? now[0]->iaddr + (*at - now[1]->iaddr) : *at;
		return true;
	}
	*priv = w[0].before.priv;
	*at = hs_block_end(&w[0].before) - 2u * w[0].before.ilast;
	return w[0].began;
}

static bool show_parting(struct report *r, struct walk w[2], struct common *c, uint32_t hart,
                         const struct hs_block *now[2])
{
	struct hs_profile_result t;
	struct hs_stack_step step;
	struct place p;
	uint64_t at;
	uint8_t priv;
	bool inside;

	if (hs_profile_get_result(c->profile, &t) != HS_OK)
		return false;
	if (!r->json)
		fputs("\nwhere they part\n", r->f);
	report_row(r);
	r->row = r->json;
	report_u64(r, "hart", "hart", hart);
	report_u64(r, "blocks", "blocks before", t.blocks);
	report_u64(r, "instructions", "instructions before", t.instructions);
	if (last_common(w, (const struct hs_block *const *)now, &inside, &at, &priv)) {
		find_place(&w[0], at, priv, &p);
		show_place(r, "last", "last in both", &p);
	}
	if (inside && hs_stacks_follow(c->stacks, now[0], &step) != HS_OK)
		return false;
	show_side(r, &w[0], 0, now[0], inside);
	show_side(r, &w[1], 1, now[1], inside);
	if (w[0].began || inside)
		show_stack(r, c);
	r->row = r->json;
	if (r->json)
		report_row_end(r);
	return true;
}

/* ---- harts ---------------------------------------------------------------------------- */

static bool new_common(struct common *c, struct hs_source *source)
{
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = hs_source_program(source),
		                              .programs = hs_source_programs(source),
		                              .guest = hs_source_guest(source) };

	return hs_profile_new(so.program, so.programs, &c->profile) == HS_OK &&
	       hs_stacks_new(&so, &c->stacks) == HS_OK;
}

/* @hart: its number in each run, NULL: it does not have it.  @only: both have one hart. */
static bool compare_hart(struct report *r, struct diff_side side[2], const uint32_t *const hart[2],
                         bool only, const struct options *o, uint64_t *count)
{
	struct walk w[2] = { { .source = NULL } };
	struct common c = { NULL, NULL };
	const struct hs_block *now[2];
	bool good = new_common(&c, side[0].source);

	for (unsigned i = 0; i < 2 && good; i++)
		good = !hart[i] || open_walk(&w[i], &side[i], only ? NULL : hart[i], o);
	good = good && walk_common(w, &c, now);
	if (good && (now[0] || now[1])) {
		++*count;
		good = show_parting(r, w, &c, hart[0] ? *hart[0] : *hart[1], now);
	}
	hs_stacks_free(c.stacks);
	hs_profile_free(c.profile);
	for (unsigned i = 0; i < 2; i++)
		if (w[i].own)
			hs_source_close(w[i].source);
	return good;
}

bool diff_parting(struct report *r, struct diff_side side[2], const struct options *o,
                  uint64_t *count)
{
	const struct harts *a = &side[0].harts, *b = &side[1].harts;
	bool good = true;

	if (r->json)
		report_list(r, "parting", NULL);
	if (a->count == 1 && b->count == 1) { /* its number means nothing */
		const uint32_t *const only[] = { a->numbers, b->numbers };

		good = compare_hart(r, side, only, true, o, count);
	} else {
		for (uint32_t i = 0; i < a->count && good; i++) {
			const uint32_t k = hart_index(b->numbers, b->count, a->numbers[i]);
			const uint32_t *const both[] = { &a->numbers[i],
				                         k < b->count ? &b->numbers[k] : NULL };

			good = compare_hart(r, side, both, false, o, count);
		}
		for (uint32_t i = 0; i < b->count && good; i++) {
			const uint32_t *const one[] = { NULL, &b->numbers[i] };

			if (hart_index(a->numbers, a->count, b->numbers[i]) == a->count)
				good = compare_hart(r, side, one, false, o, count);
		}
	}
	if (r->json)
		report_list_end(r);
	return good;
}
