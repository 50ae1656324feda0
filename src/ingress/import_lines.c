/* Lines from pieces of text.  A line of any length costs HS_LINE_MAX bytes. */
#include "ingress/lines.h"

static void start_line(struct hs_lines *l)
{
	l->done = false;
	l->cut = false;
	l->n = 0;
	l->offset = l->next;
}

static void complete_line(struct hs_lines *l)
{
	if (!l->cut && l->n > 0 && l->text[l->n - 1] == '\r')
		l->n--;
	l->number++;
	l->done = true;
}

/* Take bytes up to and with the end of a line; true when the line in l->text is complete.  The end
 * is "\n"; a "\r" before it does not belong to the line. */
static bool take_bytes(struct hs_lines *l, struct hs_span *in)
{
	if (l->done)
		start_line(l);
	while (in->n) {
		const char c = (char)*in->p++;

		in->n--;
		l->next++;
		if (c == '\n') {
			complete_line(l);
			return true;
		}
		if (l->n < HS_LINE_MAX)
			l->text[l->n++] = c;
		else
			l->cut = true;
	}
	return false;
}

/* The text is over: true when a last line without an end is in l->text. */
static bool take_rest(struct hs_lines *l)
{
	if (l->done || l->n == 0)
		return false;
	complete_line(l);
	return true;
}

static enum hs_status check_room(const struct import_importer *i, const struct hs_blocks *out)
{
	if (out->cap < i->room || out->n > out->cap)
		return HS_E_SPACE;
	return out->cap - out->n < i->room ? HS_FULL : HS_OK;
}

enum hs_status import_feed(const struct import_importer *i, struct hs_span *in,
                           struct hs_blocks *out)
{
	enum hs_status s = HS_OK;

	if (check_room(i, out) == HS_E_SPACE)
		return HS_E_SPACE;
	while (s == HS_OK && in->n) {
		s = check_room(i, out);
		if (s == HS_OK && take_bytes(i->lines, in))
			s = i->take_line(i->state, out);
	}
	return s == HS_OK ? HS_MORE : s;
}

enum hs_status import_flush(const struct import_importer *i, struct hs_blocks *out)
{
	const enum hs_status s = check_room(i, out);

	return s == HS_OK && take_rest(i->lines) ? i->take_line(i->state, out) : s;
}

struct base_text import_text(const struct hs_lines *l)
{
	struct base_text t = base_text_of(l->text, l->n);

	base_text_skip_mark(&t);
	return t;
}
