/* Errors of a line, in words. */
#include "inputs/log_private.h"

/* The word at @p, for a message. */
static int word_at(const struct hs_exec_log *l, const char *p)
{
	int n = 0;

	while (p + n < l->line.end && n < 24 && p[n] > ' ' && p[n] < 127)
		n++;
	return n;
}

/* The line from @p on, for a message. */
static int text_at(const struct hs_exec_log *l, const char *p)
{
	int n = 0;

	while (p + n < l->line.end && n < 60 && (p[n] == '\t' || (p[n] >= ' ' && p[n] < 127)))
		n++;
	return n;
}

enum hs_status log_refuse(const struct hs_exec_log *l, const struct log_refusal *why,
                          enum hs_status s, struct hs_error *e)
{
	const unsigned long long line = l->stats.lines;
	const unsigned long long column = (unsigned long long)(why->at - l->line.p) + 1;
	const char quoted[] = { '"', why->literal, '"', 0 };
	const char *expected = why->expected ? why->expected : quoted;
	const int n = word_at(l, why->at);

	if (why->unknown)
		return hs_error_set(e, s,
		                    "line %llu, column %llu: \"%.*s\" begins like a line of "
		                    "%s, and is in no form that is known (--skip-unknown takes "
		                    "it as the program's own)",
		                    line, column, text_at(l, why->at), why->at,
		                    hs_log_get_format(l->format)->name);
	if (why->is_x)
		return hs_error_set(e, s, "line %llu: %s is x or z", line, expected);
	if (why->at >= l->line.end)
		return hs_error_set(e, s, "line %llu ends at column %llu: expected %s", line,
		                    column, expected);
	return hs_error_set(e, s, "line %llu, column %llu: expected %s, not \"%.*s\"", line, column,
	                    expected, n, why->at);
}

/* An error in a field that was read: its place is not kept. */
enum hs_status log_refuse_field(const struct hs_exec_log *l, const char *expected,
                                struct hs_error *e)
{
	return hs_error_set(e, HS_E_FORMAT, "%s %llu: expected %s", log_item(l),
	                    (unsigned long long)l->stats.lines, expected);
}
