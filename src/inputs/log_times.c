/* Spike without commits shows an instruction that runs again and again once, and then a count. */
#include "inputs/log_private.h"

void log_repeat(struct hs_exec_log *l)
{
	struct log_repeat *r = &l->repeat;

	for (unsigned i = 0; i < 64 && r->left; i++, r->left--)
		log_retire(l, r->hart, &r->insn);
	if (r->left || !r->have_trap)
		return;
	r->hart->trap = r->trap;
	r->hart->have_trap = true;
}

/* The executions that have no line come before the trap that waits. */
static void repeat(struct hs_exec_log *l, struct log_hart *h, uint64_t times)
{
	log_retire_pending(l, h);
	l->repeat = (struct log_repeat){ .hart = h,
		                         .insn = h->repeating.insn,
		                         .trap = h->trap,
		                         .have_trap = h->have_trap,
		                         .left = times };
	h->have_trap = false;
}

/* The number whose hexadecimal digits are the decimal ones of @n. */
static uint64_t as_hex(uint64_t n)
{
	uint64_t v = 0, place = 1;

	for (; n; n /= 10, place *= 16)
		v += n % 10 * place;
	return v;
}

/* A count is decimal; after one that cannot be, as of old versions, hexadecimal.  False: the ones
 * before were taken otherwise. */
static bool read_times(struct hs_exec_log *l, const struct log_fields *f, uint64_t *times)
{
	const bool hex = log_has(f, F_TIMES_HEX);

	*times = hex ? f->v[F_TIMES_HEX] : l->times_hex ? as_hex(f->v[F_TIMES]) : f->v[F_TIMES];
	l->times_decimal |= !hex && !l->times_hex && *times > 9;
	l->times_hex |= hex;
	return !hex || !l->times_decimal;
}

enum hs_status log_take_times(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                              struct hs_error *e)
{
	const struct log_again *a = &h->repeating;
	uint64_t times;

	if (!read_times(l, f, &times))
		return log_refuse_field(l, "a count in decimal, as the ones before", e);
	if (h->has_commits)
		return HS_OK; /* each has a line */
	if (!a->have || times < a->seen)
		return log_refuse_field(l, "a count of an instruction that was shown before", e);
	if (times - a->seen > LOG_TIMES_MAX || (times > a->seen && a->traps > 1))
		return log_refuse_field(l, "a count below 2^32, and one trap before it", e);
	if (times > a->seen)
		repeat(l, h, times - a->seen);
	h->repeating.have = false;
	return HS_OK;
}
