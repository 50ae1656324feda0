/* Set-up commands in lines of NAME = VALUE. */
#include "ingress/filter.h"

#include "core/config.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* @t without blanks at both ends. */
static struct base_text trim(struct base_text t)
{
	while (t.p < t.end && is_blank(*t.p))
		t.p++;
	while (t.end > t.p && is_blank(t.end[-1]))
		t.end--;
	return t;
}

/* The next line, without its end. */
static struct base_text take_line(struct hs_span *in)
{
	struct base_text line = base_text_of((const char *)in->p, 0);

	for (; in->n && *in->p != '\n'; in->p++, in->n--)
		line.end++;
	if (in->n) {
		in->p++;
		in->n--;
	}
	return line;
}

/* A line without its comment; false when it is too long, or no text. */
static bool cut_comment(struct base_text *line)
{
	size_t n = 0;

	for (; line->p + n < line->end && line->p[n] != '#' && line->p[n] != ';'; n++)
		if (n == HS_QUALIFIER_LINE || line->p[n] == 0)
			return false;
	line->end = line->p + n;
	return true;
}

static enum hs_status read_line(struct hs_qualifier_config *c, struct base_text line)
{
	if (!cut_comment(&line))
		return HS_E_FORMAT;
	struct base_text name = line;

	base_text_skip_to(&line, '=');
	if (line.p < line.end) {
		name.end = line.p++;
		return filter_set(c, trim(name), trim(line));
	}
	name = trim(name);
	return base_text_at_end(&name) || *name.p == '[' ? HS_OK : HS_E_FORMAT;
}

enum hs_status hs_qualifier_read(struct hs_qualifier_config *config, struct hs_span *in,
                                 unsigned *line)
{
	struct hs_qualifier_config own;
	enum hs_status s = HS_OK;

	*line = 0;
	if (base_take_config(&own, sizeof own, config) != HS_OK)
		return HS_E_CONFIG;
	for (; in->n && s == HS_OK; ++*line)
		s = read_line(&own, take_line(in));
	const enum hs_status given = base_give_whole_config(config, &own);

	return s == HS_OK ? given : s;
}
