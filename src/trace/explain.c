/* The rules that a message was sent by. */
#include <string.h>

#include <hartscope/status.h>

#include "trace/codec.h"

static bool is_of(const struct hs_rule *r, const struct hs_message *m)
{
	return strncmp(m->clause, r->of, strlen(r->of)) == 0 &&
	       (!*r->message || strcmp(m->name, r->message) == 0);
}

/* The first rule of a field's value; NULL: there is none.  @field NULL: of the message. */
static const struct hs_rule *find_rule(const struct hs_protocol *p, const struct hs_message *m,
                                       const struct hs_message_field *field)
{
	const char *name = field ? field->name : "";
	const uint64_t value = field ? field->value : 0;

	for (const struct hs_rule *r = p->codec->rules; r->text; r++)
		if (strcmp(r->field, name) == 0 && is_of(r, m) && value >= r->low &&
		    value <= r->high)
			return r;
	return NULL;
}

unsigned hs_message_explain(const struct hs_protocol *p, const struct hs_message *m,
                            struct hs_explanation *out)
{
	const struct hs_rule *r = m->clause ? find_rule(p, m, NULL) : NULL;
	unsigned n = 0;

	if (r)
		out[n++] = (struct hs_explanation){ NULL, r };
	for (unsigned i = 0; m->clause && i < m->count; i++) {
		r = find_rule(p, m, &m->field[i]);
		if (r)
			out[n++] = (struct hs_explanation){ &m->field[i], r };
	}
	return n;
}
