/* Traps (traps.h): which are open, and which one a hart is in. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "core/core.h"
#include "program/block_count.h"
#include "program/ecall.h"
#include "program/select.h"
#include "counts/traps.h"
#include "support/hash.h"

#define OPEN_MAX 256u /* traps of a context that did not return; then the oldest are forgotten */
#define NONE UINT32_MAX
#define PAST 8u /* blocks whose code says which number an ecall has */
#define ECALL_FROM_U 8u /* cause */
#define NEAR 4u /* bytes between where a trap struck and where its return leads, at most */
/* System calls that do not return to where they were made. */
enum { LINUX_EXIT = 93, LINUX_EXIT_GROUP = 94, LINUX_RT_SIGRETURN = 139, LINUX_EXECVE = 221 };
#define LEAST_CALL 17u /* of Linux; lower numbers firmware has, too (SBI, legacy extensions) */

/* A trap that did not return yet. */
struct open_trap {
	struct hs_trap_taken trap; /* where each trap is given */
	uint64_t resume;           /* with knows_resume: the end of the block that it ended */
	uint32_t kind, hart;
	uint8_t from;
	bool knows_resume;
};

/* The open traps of a context, the last one last. */
struct trap_context {
	uint64_t context;
	uint64_t has_context;
	struct open_trap *open;
	uint32_t count, room;
};

/* A hart: how its last block ended, and the trap in which it is. */
struct trap_hart {
	struct hs_block last, cause;
	bool has_last, has_cause; /* not after a gap; @cause is an event that follows @last */
	uint8_t mode, context_mode;
	uint32_t context;           /* number of its context */
	uint64_t retired;           /* instructions, where each trap is given */
	uint32_t inside;            /* kind of trap; NONE */
	struct hs_block past[PAST]; /* the last blocks; @past_count of them, mod PAST */
	uint64_t past_count;
	bool signal;  /* an event after the last block: of a handler */
	bool partial; /* the same: it may not have run to its end */
	bool ended;   /* the program ended with it */
	uint32_t signal_number;
	struct hs_trap_values values; /* events after the last block: of its system call */
	uint64_t call;                /* with values.known: its number */
};

struct hs_traps {
	struct program_select select;
	struct program_counts counts;
	struct hs_guest *guest;
	struct trap_hart *harts; /* by select.index */
	size_t hart_count;
	struct support_hash contexts; /* of struct trap_context */
	struct support_hash kinds;    /* of struct hs_trap_kind */
	struct hs_trap_kind *sorted;
	uint64_t lone_returns, traps, forgotten;
	void (*each)(void *to, const struct hs_trap_taken *trap);
	void *each_to;
	uint32_t end_signal;
	bool ended;  /* the ends of harts are counted */
	bool unseen; /* a kernel is not in the flow: a system call led to after it */
};

/* ---- the object ---------------------------------------------------------------- */

static struct trap_hart *current_hart(const struct hs_traps *t)
{
	return &t->harts[t->select.index];
}

static struct trap_context *context_of(const struct hs_traps *t, const struct trap_hart *h)
{
	return support_hash_item(&t->contexts, h->context);
}

static bool same_context(const void *item, const void *key)
{
	const struct trap_context *a = item, *b = key;

	return a->context == b->context && a->has_context == b->has_context;
}

/* The hart is in the context that its events say. */
static enum hs_status enter_context(struct hs_traps *t)
{
	const struct trap_context key = { .context = t->select.at.context,
		                          .has_context = t->select.at.has_context };
	const uint32_t hash = support_hash_of(key.context, key.has_context);
	struct trap_context *known = support_hash_find(&t->contexts, hash, same_context, &key);

	if (!known) {
		known = support_hash_add(&t->contexts, hash);
		if (!known)
			return HS_E_MEMORY;
		*known = key;
	}
	current_hart(t)->context = (uint32_t)(known - (struct trap_context *)t->contexts.items);
	return HS_OK;
}

static enum hs_status select_hart(struct hs_traps *t, uint32_t hart)
{
	const enum hs_status s = program_select_hart(&t->select, hart);
	const size_t count = t->select.harts.count;

	if (s != HS_OK || count == t->hart_count)
		return s;
	struct trap_hart *more = realloc(t->harts, count * sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	t->harts = more;
	while (t->hart_count < count)
		more[t->hart_count++] = (struct trap_hart){ .inside = NONE,
			                                    .mode = HS_PRIV_UNKNOWN,
			                                    .context_mode = HS_PRIV_UNKNOWN };
	return enter_context(t);
}

enum hs_status hs_traps_new(const struct hs_traps_options *options, struct hs_traps **traps)
{
	struct hs_traps_options o;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !o.program)
		return HS_E_CONFIG;
	struct hs_traps *t = calloc(1, sizeof(*t));

	if (!t)
		return HS_E_MEMORY;
	t->guest = o.guest;
	t->each = o.each;
	t->each_to = o.each_to;
	t->end_signal = o.end_signal;
	t->contexts.item_size = sizeof(struct trap_context);
	t->kinds.item_size = sizeof(struct hs_trap_kind);
	program_select_start(&t->select, o.program, o.programs);
	if (select_hart(t, 0) != HS_OK) {
		hs_traps_free(t);
		return HS_E_MEMORY;
	}
	*traps = t;
	return HS_OK;
}

void hs_traps_free(struct hs_traps *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->contexts.count; i++)
		free(((struct trap_context *)support_hash_item(&t->contexts, i))->open);
	support_hash_free(&t->contexts);
	support_hash_free(&t->kinds);
	program_select_end(&t->select);
	program_counts_free(&t->counts);
	free(t->harts);
	free(t->sorted);
	free(t);
}

/* ---- open traps ---------------------------------------------------------------- */

static bool is_user(unsigned mode)
{
	return mode == HS_PRIV_U || mode == HS_PRIV_VU;
}

/* Is another hart in this context? */
static bool is_elsewhere(const struct hs_traps *t, const struct trap_hart *h, uint32_t hart)
{
	return hart < t->hart_count && &t->harts[hart] != h && t->harts[hart].context == h->context;
}

/* In which trap a hart is: the last open one of its context that is not another hart's. */
static void find_inside(const struct hs_traps *t, struct trap_hart *h)
{
	const struct trap_context *c = context_of(t, h);
	const uint32_t own = (uint32_t)(h - t->harts);

	h->inside = NONE;
	for (uint32_t i = c->count; i-- > 0 && h->inside == NONE && !is_user(h->mode);)
		if (c->open[i].hart == own || !is_elsewhere(t, h, c->open[i].hart)) {
			c->open[i].hart = own;
			h->inside = c->open[i].kind;
		}
}

static void give_trap(const struct hs_traps *t, const struct hs_trap_taken *trap)
{
	if (t->each)
		t->each(t->each_to, trap);
}

/* A trap returned on the current hart. */
static void end_trap(const struct hs_traps *t, const struct trap_hart *h,
                     struct hs_trap_taken *trap)
{
	if (trap->hart == t->select.hart) {
		trap->returned = true;
		trap->length = h->retired - trap->at;
		trap->duration = trap->has_time ? t->select.at.moment - trap->time : 0;
	}
	give_trap(t, trap);
}

static enum hs_status push_trap(struct hs_traps *t, struct trap_hart *h, struct open_trap trap)
{
	struct trap_context *c = context_of(t, h);

	if (c->count == OPEN_MAX) { /* a return of the oldest is not known any more */
		give_trap(t, &c->open[0].trap);
		t->forgotten++;
		c->count--;
		memmove(c->open, c->open + 1, c->count * sizeof(*c->open));
	}
	if (c->count == c->room) {
		const uint32_t room = c->room ? 2 * c->room : 4;
		struct open_trap *more = realloc(c->open, room * sizeof(*more));

		if (!more)
			return HS_E_MEMORY;
		c->open = more;
		c->room = room;
	}
	trap.hart = (uint32_t)(h - t->harts);
	c->open[c->count++] = trap;
	h->inside = trap.kind;
	return HS_OK;
}

static bool is_near(uint64_t a, uint64_t b)
{
	return a - b + NEAR <= 2 * (uint64_t)NEAR;
}

/* The open trap from which a return leads to @addr in @mode: the last one that struck there, else
 * the last one of the hart in this mode.  The count of them: there is none. */
static uint32_t find_open(const struct trap_context *c, uint32_t hart, uint64_t addr, uint8_t mode)
{
	for (uint32_t i = c->count; i-- > 0;)
		if (c->open[i].from == mode && c->open[i].knows_resume &&
		    is_near(c->open[i].resume, addr))
			return i;
	for (uint32_t i = c->count; i-- > 0;)
		if (c->open[i].from == mode && c->open[i].hart == hart)
			return i;
	return c->count;
}

static void return_from_trap(struct hs_traps *t, struct trap_hart *h, const struct hs_block *to)
{
	struct trap_context *c = context_of(t, h);
	const uint32_t i = find_open(c, (uint32_t)(h - t->harts), to->iaddr, h->mode);

	if (i == c->count) {
		t->lone_returns++;
	} else {
		((struct hs_trap_kind *)support_hash_item(&t->kinds, c->open[i].kind))->returned++;
		end_trap(t, h, &c->open[i].trap);
		c->count--;
		memmove(c->open + i, c->open + i + 1, (c->count - i) * sizeof(*c->open));
	}
	find_inside(t, h);
}

/* ---- kinds --------------------------------------------------------------------- */

static bool same_kind(const void *item, const void *key)
{
	const struct hs_trap_kind *a = item, *b = key;

	return a->call.system_call == b->call.system_call && a->call.signal == b->call.signal &&
	       a->call.has_number == b->call.has_number && a->call.number == b->call.number &&
	       a->call.signal_number == b->call.signal_number && a->target == b->target &&
	       a->cause == b->cause && a->interrupt == b->interrupt &&
	       a->has_cause == b->has_cause && a->from == b->from && a->to == b->to;
}

static void name_handler(struct hs_traps *t, struct hs_trap_kind *k)
{
	const struct hs_guest_at at = { .context = t->select.at.context,
		                        .priv = k->to,
		                        .has_context = t->select.at.has_context };
	struct hs_guest_place place;

	hs_guest_name(t->guest, t->select.program, &at, k->target, &place);
	k->handler = place.label;
	k->file = place.file;
	k->own_file = place.own;
}

/* The address where a trap struck: an ecall or ebreak may have retired (design/nt-dialects). */
static uint64_t epc_of(const struct hs_traps *t, struct hs_block last)
{
	if (last.itype == HS_ITYPE_EXCEPTION)
		hs_block_drop_ecall(program_select_image(&t->select), &last);
	return hs_block_end(&last);
}

static void name_call(struct hs_trap_call *call, uint64_t number)
{
	static const struct {
		const char *name, *arguments;
	} calls[] = {
#define LINUX_CALL(number, name, arguments) [number] = { #name, arguments },
#include "counts/linux_calls.def"
#undef LINUX_CALL
	};

	call->has_number = number <= UINT32_MAX;
	call->number = call->has_number ? (uint32_t)number : 0;
	if (number < sizeof(calls) / sizeof(*calls)) {
		call->name = calls[number].name;
		call->arguments = calls[number].arguments;
	}
}

/* The number of a system call, by its event, or by the code of the last blocks. */
static void find_number(const struct trap_hart *h, const struct hs_image *image,
                        struct hs_trap_call *call)
{
	const uint64_t first = h->past_count < PAST ? 0 : h->past_count - PAST;
	struct program_a7 a7 = { .is = PROGRAM_A7_UNKNOWN };

	if (h->values.known) {
		name_call(call, h->call);
		return;
	}
	for (uint64_t i = first; i < h->past_count; i++) {
		struct hs_block b = h->past[i % PAST];

		if (i + 1 == h->past_count)
			hs_block_drop_ecall(image, &b);
		program_follow_a7_block(&a7, image, &b);
	}
	if (a7.is == PROGRAM_A7_KNOWN)
		name_call(call, a7.value);
}

/* Does a flow without modes go on after an ecall, so that its kernel is not in it? */
static bool passes_call(struct hs_traps *t, const struct hs_trap_call *call, uint64_t epc,
                        const struct hs_block *to)
{
	const bool linux_call = call->has_number && call->name && call->number >= LEAST_CALL;

	t->unseen |= linux_call && to->iaddr == epc + 4;
	return t->unseen && linux_call;
}

/* What a kernel did that is not in the flow: a trap of user mode that leads to user mode, to
 * somewhere else if it is a signal.  The code of an exception without a cause is to be known. */
static struct hs_trap_call find_call(struct hs_traps *t, const struct trap_hart *h, unsigned itype,
                                     uint8_t from, const struct hs_block *to)
{
	const struct hs_image *image = program_select_image(&t->select);
	struct hs_trap_call call = { .signal = h->signal,
		                     .signal_number = h->signal_number,
		                     .ended = h->ended };

	const bool user = is_user(from) && is_user(h->mode);

	if (!h->has_last || !hs_itype_is_trap(h->last.itype) ||
	    (!user && (from != HS_PRIV_UNKNOWN || h->mode != HS_PRIV_UNKNOWN)))
		return call;
	const uint64_t epc = epc_of(t, h->last);
	const bool fault = itype == HS_ITYPE_EXCEPTION, caused = h->has_cause;
	size_t code;

	if (fault && (h->values.known ||
	              (caused ? h->cause.arg == ECALL_FROM_U : program_ecall_at(image, epc)))) {
		struct hs_trap_call known = call;

		find_number(h, image, &known);
		known.system_call = user || passes_call(t, &known, epc, to);
		known.signal |= !h->values.known && known.has_number && to->iaddr != epc &&
		                to->iaddr != epc + 4 && known.number != LINUX_EXECVE &&
		                known.number != LINUX_RT_SIGRETURN;
		return known.system_call ? known : call;
	}
	call.signal |= (user || t->unseen) && !call.ended && to->iaddr != epc &&
	               (!fault || caused || hs_img_bytes(image, epc, &code));
	return call;
}

/* Count a trap that leads to the block @to. */
static struct hs_trap_kind *count_trap(struct hs_traps *t, const struct trap_hart *h,
                                       const struct hs_block *to, unsigned itype, uint8_t from)
{
	struct hs_trap_kind key = { .interrupt = itype == HS_ITYPE_INTERRUPT,
		                    .from = from,
		                    .to = h->mode,
		                    .target = to->iaddr,
		                    .has_cause = h->has_cause,
		                    .cause = h->has_cause ? h->cause.arg : 0,
		                    .call = find_call(t, h, itype, from, to) };

	if (key.call.system_call && !key.call.signal)
		key.target = 0; /* where it went on is no handler */
	const uint32_t hash = support_hash_of(key.target + key.call.number,
	                                      key.cause + 256u * key.from + 2048u * key.interrupt);
	struct hs_trap_kind *known = support_hash_find(&t->kinds, hash, same_kind, &key);

	if (!known) {
		known = support_hash_add(&t->kinds, hash);
		if (!known)
			return NULL;
		if (!key.call.ended && (key.target != 0 || !key.call.system_call))
			name_handler(t, &key);
		*known = key;
	}
	known->count++;
	return known;
}

/* ---- each trap ----------------------------------------------------------------- */

/* What is known of a trap of this kind now that it leads to its handler. */
static struct hs_trap_taken describe_trap(struct hs_traps *t, const struct trap_hart *h,
                                          const struct hs_trap_kind *k, bool lone)
{
	const struct hs_trap_values none = { .known = false };
	struct hs_trap_taken trap = {
		.number = t->traps++,
		.at = h->retired,
		.value = h->has_cause ? h->cause.value : 0,
		.target = k->target,
		.time = t->select.at.moment,
		.has_time = t->select.at.has_moment,
		.handler = k->handler,
		.hart = t->select.hart,
		.cause = k->cause,
		.from = k->from,
		.to = k->to,
		.interrupt = k->interrupt,
		.has_cause = k->has_cause,
		.has_epc = !lone && h->has_last,
		.call = k->call,
		.values = k->call.system_call ? h->values : none,
	};
	const struct hs_guest_at at = { .context = t->select.at.context,
		                        .priv = k->from,
		                        .has_context = t->select.at.has_context };
	struct hs_guest_place place;

	if (!t->each || !trap.has_epc)
		return trap;
	trap.epc = epc_of(t, h->last);
	if (k->has_cause && !k->interrupt && k->cause == ECALL_FROM_U && is_user(k->from))
		find_number(h, program_select_image(&t->select), &trap.call);
	hs_guest_name(t->guest, t->select.program, &at, trap.epc, &place);
	trap.function = place.label;
	trap.offset = place.offset;
	return trap;
}

/* A trap from which the flow does not go on. */
static enum hs_status end_in_trap(struct hs_traps *t, const struct trap_hart *h)
{
	const struct hs_block nowhere = { .iaddr = 0 };
	const struct hs_trap_kind *k = count_trap(t, h, &nowhere, HS_ITYPE_EXCEPTION, h->mode);

	if (!k)
		return HS_E_MEMORY;
	const struct hs_trap_taken trap = describe_trap(t, h, k, false);

	give_trap(t, &trap);
	return HS_OK;
}

/* The last block is a system call that does not return; or the instruction after it faulted, and
 * ended the program: where that block may not have run to its end, another one did, which is not
 * known. */
static enum hs_status end_hart(struct hs_traps *t, struct trap_hart *h)
{
	if (h->values.known && h->has_last && h->last.itype == HS_ITYPE_EXCEPTION &&
	    (h->call == LINUX_EXIT || h->call == LINUX_EXIT_GROUP))
		return end_in_trap(t, h);
	if (!t->end_signal ||
	    (h->last.itype != HS_ITYPE_EXCEPTION && h->last.itype != HS_ITYPE_NONE) ||
	    !h->has_last || h->has_cause || h->partial || !is_user(h->mode) ||
	    program_ecall_at(program_select_image(&t->select), epc_of(t, h->last)))
		return HS_OK;
	h->signal = h->ended = true;
	h->signal_number = t->end_signal;
	return end_in_trap(t, h);
}

/* The flow ends: with a system call, or with the signal that ended the program. */
static enum hs_status end_harts(struct hs_traps *t)
{
	enum hs_status s = HS_OK;

	if (t->ended)
		return HS_OK;
	t->ended = true;
	for (uint32_t i = 0; i < t->hart_count && s == HS_OK; i++) {
		s = select_hart(t, *(uint32_t *)support_hash_item(&t->select.harts, i));
		if (s == HS_OK)
			s = end_hart(t, &t->harts[i]);
	}
	return s;
}

/* Traps that did not return until now are given; a later return of theirs is not seen. */
static void give_open(struct hs_traps *t)
{
	for (uint32_t i = 0; t->each && i < t->contexts.count; i++) {
		const struct trap_context *c = support_hash_item(&t->contexts, i);

		for (uint32_t k = 0; k < c->count; k++)
			give_trap(t, &c->open[k].trap);
	}
	t->each = NULL;
}

/* ---- blocks and events --------------------------------------------------------- */

static unsigned trap_of(const struct trap_hart *h)
{
	if (h->has_cause && h->cause.itype != HS_ITYPE_NONE)
		return h->cause.itype; /* it has no block */
	return h->has_last && hs_itype_is_trap(h->last.itype) ? h->last.itype : HS_ITYPE_NONE;
}

/* A block begins: the end of the last one led here. */
static enum hs_status follow_transfer(struct hs_traps *t, struct trap_hart *h,
                                      const struct hs_block *b)
{
	const unsigned itype = trap_of(h);
	const uint8_t from = h->mode;
	const bool lone = h->has_cause && h->cause.itype != HS_ITYPE_NONE;

	h->mode = (uint8_t)(b->priv == HS_PRIV_UNKNOWN ? h->context_mode : b->priv);
	if (itype != HS_ITYPE_NONE) {
		const struct hs_trap_kind *k = count_trap(t, h, b, itype, from);
		const struct hs_trap_kind *first = t->kinds.items;

		if (!k)
			return HS_E_MEMORY;
		const struct hs_trap_taken trap = describe_trap(t, h, k, lone);

		if (is_user(h->mode) || k->call.system_call || k->call.signal)
			give_trap(t, &trap);
		else
			return push_trap(t, h,
			                 (struct open_trap){ .trap = trap,
			                                     .kind = (uint32_t)(k - first),
			                                     .from = from,
			                                     .knows_resume = !lone && h->has_last,
			                                     .resume = hs_block_end(&h->last) });
	} else if (h->has_last && h->last.itype == HS_ITYPE_XRET) {
		return_from_trap(t, h, b);
	} else if (is_user(h->mode) != is_user(from)) {
		find_inside(t, h);
	}
	return HS_OK;
}

static void retire(const struct hs_traps *t, struct trap_hart *h, uint64_t instructions)
{
	h->retired += instructions;
	if (h->inside != NONE)
		((struct hs_trap_kind *)support_hash_item(&t->kinds, h->inside))->instructions +=
			instructions;
}

static void remember(struct trap_hart *h, const struct hs_block *b)
{
	h->past[h->past_count++ % PAST] = *b;
}

static enum hs_status add_block(struct hs_traps *t, const struct hs_block *b)
{
	struct trap_hart *h = current_hart(t);
	enum hs_status s = follow_transfer(t, h, b);
	uint32_t n = 0;

	h->last = *b;
	h->has_last = true;
	h->has_cause = h->signal = h->partial = h->values.known = false;
	h->signal_number = 0;
	remember(h, b);
	if (s != HS_OK || !b->iretire || (h->inside == NONE && !t->each))
		return s;
	s = program_count_block(&t->counts, &t->select, b, &n);
	retire(t, h, n);
	return s;
}

/* What comes next did not follow the last block. */
static void lose_flow(struct trap_hart *h)
{
	h->has_last = h->has_cause = h->signal = h->values.known = false;
	h->inside = NONE;
	h->past_count = 0;
}

/* What the recorder saw of a system call. */
static void take_note(struct trap_hart *h, const struct hs_block *b)
{
	if (b->arg == HS_NOTE_SIGNAL) {
		h->signal = true;
		h->signal_number = (uint32_t)b->value;
	} else if (b->arg == HS_NOTE_CALL) {
		h->values = (struct hs_trap_values){ .known = true };
		h->call = b->value;
	} else if (b->arg == HS_NOTE_REGISTER && b->itype < 6) {
		h->values.argument[b->itype] = b->value;
	} else if (b->arg == HS_NOTE_RESULT) {
		h->values.has_result = h->values.known;
		h->values.result = (int64_t)b->value;
	} else if (b->arg == HS_NOTE_PARTIAL) {
		h->partial = true;
	} else if (b->arg == HS_NOTE_LEFT_OUT) {
		lose_flow(h);
	}
}

static enum hs_status add_event(struct hs_traps *t, const struct hs_block *b)
{
	struct trap_hart *h = current_hart(t);

	if (b->kind == HS_KIND_HART)
		return select_hart(t, b->arg);
	if (b->kind == HS_KIND_TRAP) {
		h->cause = *b;
		h->has_cause = true;
	}
	if (b->kind == HS_KIND_NOTE)
		take_note(h, b);
	if (b->kind == HS_KIND_GAP || (b->kind == HS_KIND_STOP && !hs_event_waits(b)))
		lose_flow(h);
	enum hs_status s = program_select_event(&t->select, b);

	if (s != HS_OK || b->kind != HS_KIND_CONTEXT)
		return s;
	h->context_mode = b->priv;
	s = enter_context(t);
	if (s == HS_OK)
		find_inside(t, h);
	return s;
}

enum hs_status hs_traps_add(struct hs_traps *t, const struct hs_block *blocks, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = blocks[i].kind == HS_KIND_BLOCK ? add_block(t, &blocks[i])
		                                    : add_event(t, &blocks[i]);
	return s;
}

/* ---- blocks that were scanned -------------------------------------------------- */

/* The blocks of a stretch after the first one: no trap leads to them, and none returns there. */
static enum hs_status add_rest(struct hs_traps *t, const struct hs_call_scanner *k,
                               const struct scan_stretch *v, const uint32_t *words)
{
	struct trap_hart *h = current_hart(t);
	enum hs_status s = HS_OK;

	if (t->select.view || t->select.program != k->program) {
		for (uint32_t i = 1; i < v->n && s == HS_OK; i++)
			s = hs_traps_add(t, support_numbers_block(&k->numbers, words[i]), 1);
		return s;
	}
	for (uint32_t i = v->n > PAST ? v->n - PAST : 1; i < v->n; i++)
		remember(h, support_numbers_block(&k->numbers, words[i]));
	h->last = *support_numbers_block(&k->numbers, words[v->n - 1]);
	retire(t, h, v->instructions);
	return HS_OK;
}

enum hs_status hs_traps_add_scan(struct hs_traps *t, const struct hs_call_scanner *k,
                                 const struct hs_call_scan *scan)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < scan->stretch_count && s == HS_OK; i++) {
		const struct scan_stretch *v = &scan->stretches[i];

		s = hs_traps_add(t, scan_first(k, scan, v), 1);
		if (s == HS_OK && v->n > 1)
			s = add_rest(t, k, v, scan->words + v->first);
	}
	return s;
}

/* ---- the result ---------------------------------------------------------------- */

static int longest_first(const void *a, const void *b)
{
	const struct hs_trap_kind *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->target > y->target) - (x->target < y->target);
}

enum hs_status hs_traps_get_result(struct hs_traps *t, struct hs_traps_result *result)
{
	if (end_harts(t) != HS_OK)
		return HS_E_MEMORY;
	const size_t n = t->kinds.count;

	give_open(t);
	free(t->sorted);
	t->sorted = calloc(n + 1, sizeof(*t->sorted));
	if (!t->sorted)
		return HS_E_MEMORY;
	if (n)
		memcpy(t->sorted, t->kinds.items, n * sizeof(*t->sorted));
	qsort(t->sorted, n, sizeof(*t->sorted), longest_first);
	*result = (struct hs_traps_result){ t->sorted, n, t->lone_returns, t->forgotten };
	return HS_OK;
}
