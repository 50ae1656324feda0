/* Trace systems from files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/system.h"

#define LINE_ROOM (HS_TC_LINE_MAX + 3)

const char *system_name(const struct system_component *c, char *text, size_t size)
{
	snprintf(text, size, "%s at 0x%llx", hs_tc_component_name(c->kind),
	         (unsigned long long)c->base);
	return text;
}

bool system_is_etrace(const struct system_component *encoder)
{
	return hs_tc_known(&encoder->dump.regs, HS_TC_ENCODER, HS_TCF_TE_FORMAT) &&
	       hs_tc_get(&encoder->dump.regs, HS_TC_ENCODER, HS_TCF_TE_FORMAT) == 0;
}

/* ---- lines -------------------------------------------------------------------------- */

struct file {
	struct hs_trace_system *s;
	struct system_component *now; /* of the section */
	uint32_t line;
	struct hs_error *error;
};

static enum hs_status refuse(const struct file *f, const char *why)
{
	return hs_error_set(f->error, HS_E_FORMAT, "%s:%u: %s", f->s->path, f->line, why);
}

/* The component of a section, which may come several times, as in a list of writes. */
static enum hs_status start_section(struct file *f, unsigned kind, uint64_t base)
{
	struct hs_trace_system *s = f->s;

	for (unsigned i = 0; i < s->count; i++)
		if (s->at[i]->kind == kind && s->at[i]->base == base) {
			f->now = s->at[i];
			return HS_OK;
		}
	if (s->count == SYSTEM_COMPONENTS)
		return refuse(f, "too many components");
	f->now = calloc(1, sizeof(*f->now));
	if (!f->now)
		return hs_error_set(f->error, HS_E_MEMORY, "out of memory");
	*f->now = (struct system_component){ .kind = (uint8_t)kind, .base = base, .line = f->line };
	f->now->dump.component = (uint8_t)kind;
	f->now->dump.base[kind] = base;
	s->at[s->count++] = f->now;
	return HS_OK;
}

/* "NAME = NUMBER", where a comment may follow. */
static bool read_assignment(const char *line, char name[32], uint64_t *value)
{
	char *end;
	int n = 0;

	if (sscanf(line, " %31[a-zA-Z0-9] = %n", name, &n) != 1 || !n || line[n] < '0' ||
	    line[n] > '9')
		return false;
	errno = 0;
	*value = strtoull(line + n, &end, 0);
	end += strspn(end, " \t\r\n");
	return !errno && (!*end || *end == '#');
}

static enum hs_status add_output(struct file *f, uint64_t to, uint64_t input)
{
	struct system_component *c = f->now;

	if (c->kind != HS_TC_ENCODER && c->kind != HS_TC_FUNNEL)
		return refuse(f, "only encoders and funnels send trace on");
	if (c->outs == HS_DEV_LINKS || input > 15)
		return refuse(f, "a component has at most 2 outputs, a funnel 16 inputs");
	c->out[c->outs].to = to;
	c->out[c->outs++].input = (unsigned)input;
	return HS_OK;
}

/* What is no register: to, toInputN, hart.  HS_E_UNSUPPORTED: it is none of them either. */
static enum hs_status read_connection(struct file *f, const char *line)
{
	uint64_t value;
	char name[32];

	if (!read_assignment(line, name, &value))
		return HS_E_UNSUPPORTED;
	if (strcmp(name, "to") == 0)
		return add_output(f, value, 0);
	if (strncmp(name, "toInput", 7) == 0 && name[7] >= '0' && name[7] <= '9')
		return add_output(f, value, strtoul(name + 7, NULL, 10));
	if (strcmp(name, "hart") != 0)
		return HS_E_UNSUPPORTED;
	if (f->now->kind != HS_TC_ENCODER)
		return refuse(f, "only encoders have a hart");
	f->now->hart = value;
	f->now->hart_given = true;
	return HS_OK;
}

/* Has a line named a register of another component? */
static bool has_others(const struct system_component *c)
{
	const uint32_t *known = c->dump.regs.known;
	struct hs_tc_place p;
	bool any = false;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u)
		any |= p.component != c->kind && (known[p.word / 32] >> p.word % 32 & 1u);
	return any;
}

static enum hs_status read_register(struct file *f, const char *line, size_t length)
{
	struct hs_span in = { (const uint8_t *)line, length };
	const enum hs_status s = hs_tc_dump_line(&f->now->dump, &in);

	if (s == HS_E_UNSUPPORTED || has_others(f->now))
		return refuse(f, "this component has no such register");
	return s == HS_OK || s == HS_MORE
	               ? HS_OK
	               : refuse(f, "not a section, a register, 'to', 'toInputN' or 'hart'");
}

static enum hs_status read_line(struct file *f, const char *line, size_t length)
{
	struct hs_tc_dump section = { .component = HS_TC_COMPONENTS };
	struct hs_span in = { (const uint8_t *)line, length };
	const char *text = line + strspn(line, " \t");

	if (*text == '[') {
		if (hs_tc_dump_line(&section, &in) != HS_OK)
			return refuse(f, "not a section such as [ram 0x10003000]");
		return start_section(f, section.component, section.base[section.component]);
	}
	if (!f->now && *text && *text != '#' && *text != '\n') {
		const enum hs_status s = start_section(f, HS_TC_ENCODER, 0);

		if (s != HS_OK)
			return s;
	}
	if (!f->now)
		return HS_OK;
	const enum hs_status s = read_connection(f, line);

	return s == HS_E_UNSUPPORTED ? read_register(f, line, length) : s;
}

static enum hs_status read_lines(FILE *in, struct file *f)
{
	enum hs_status s = HS_OK;
	char line[LINE_ROOM];

	while (s == HS_OK && fgets(line, sizeof(line), in)) {
		f->line++;
		s = read_line(f, line, strcspn(line, "\n"));
	}
	if (s == HS_OK && ferror(in))
		s = hs_error_set(f->error, HS_E_SYSTEM, "%s: %s", f->s->path, strerror(errno));
	return s;
}

/* ---- connections ---------------------------------------------------------------------- */

bool system_is_sink(const struct system_component *c)
{
	return c->kind != HS_TC_ENCODER && c->kind != HS_TC_FUNNEL;
}

/* The only component that @is says yes to; -1: there is none, or several. */
static int find_only(const struct hs_trace_system *s, bool (*is)(const struct system_component *c))
{
	int found = -1;

	for (unsigned i = 0; i < s->count; i++)
		if (is(s->at[i])) {
			if (found >= 0)
				return -1;
			found = (int)i;
		}
	return found;
}

static bool is_funnel(const struct system_component *c)
{
	return c->kind == HS_TC_FUNNEL;
}

static int find_base(const struct hs_trace_system *s, uint64_t base)
{
	int found = -1;

	for (unsigned i = 0; i < s->count; i++)
		if (s->at[i]->base == base && s->at[i]->kind != HS_TC_ENCODER)
			found = found < 0 ? (int)i : -2;
	return found;
}

/* A component that names none: the only funnel, else the only sink. */
static enum hs_status connect_default(struct file *f, struct system_component *c, unsigned *input)
{
	const int funnel = c->kind == HS_TC_ENCODER ? find_only(f->s, is_funnel) : -1;
	const int to = funnel >= 0 ? funnel : find_only(f->s, system_is_sink);

	if (to < 0)
		return refuse(f, "where its trace goes is missing: to = BASE");
	c->out[0].to = (uint64_t)to;
	c->out[0].input = funnel >= 0 ? (*input)++ : 0;
	c->outs = 1;
	return HS_OK;
}

/* Bases to numbers of components. */
static enum hs_status connect_all(struct file *f)
{
	unsigned input = 0;

	for (unsigned i = 0; i < f->s->count; i++) {
		struct system_component *c = f->s->at[i];
		enum hs_status s = HS_OK;

		f->line = c->line;
		for (unsigned n = 0; n < c->outs; n++) {
			const int to = find_base(f->s, c->out[n].to);

			if (to < 0)
				return refuse(f, "its trace goes to a base that no funnel or sink "
				                 "has, or several");
			c->out[n].to = (uint64_t)to;
		}
		if (!c->outs && !system_is_sink(c))
			s = connect_default(f, c, &input);
		if (s != HS_OK)
			return s;
	}
	return HS_OK;
}

/* Do funnels lead from @c to itself? */
static bool leads_back(const struct hs_trace_system *s, const struct system_component *c,
                       unsigned depth)
{
	bool back = depth > s->count;

	for (unsigned n = 0; n < c->outs && !back; n++)
		back = leads_back(s, s->at[c->out[n].to], depth + 1);
	return back;
}

/* Each input has one source, and a sink one input. */
static enum hs_status check_inputs(struct file *f)
{
	uint32_t used[SYSTEM_COMPONENTS] = { 0 };

	for (unsigned i = 0; i < f->s->count; i++) {
		const struct system_component *c = f->s->at[i];

		f->line = c->line;
		for (unsigned n = 0; n < c->outs; n++) {
			const unsigned to = (unsigned)c->out[n].to, input = c->out[n].input;

			if (!is_funnel(f->s->at[to]) && input)
				return refuse(f, "a sink has input 0 only");
			if (used[to] >> input & 1)
				return refuse(f, "another output leads to the same input: a "
				                 "funnel joins them");
			used[to] |= (uint32_t)1 << input;
		}
		if (leads_back(f->s, c, 0))
			return refuse(f, "its trace comes back to it");
	}
	return HS_OK;
}

static enum hs_status read_file(FILE *in, struct file *f)
{
	enum hs_status status = read_lines(in, f);

	if (status == HS_OK && f->s->count == 0)
		status = refuse(f, "no component");
	if (status == HS_OK)
		status = connect_all(f);
	return status == HS_OK ? check_inputs(f) : status;
}

/* Sinks first, then funnels, encoders last (TCI 11.2). */
static void put_in_order(struct hs_trace_system *s)
{
	static const uint8_t kinds[] = { HS_TC_RAM, HS_TC_PIB, HS_TC_ATB, HS_TC_FUNNEL,
		                         HS_TC_ENCODER };
	unsigned n = 0;

	for (unsigned k = 0; k < sizeof(kinds); k++)
		for (unsigned i = 0; i < s->count; i++)
			if (s->at[i]->kind == kinds[k])
				s->order[n++] = (uint8_t)i;
}

enum hs_status hs_trace_system_new(const char *path, struct hs_trace_system **system,
                                   struct hs_error *error)
{
	struct hs_trace_system *s = calloc(1, sizeof(*s));
	struct file f = { .s = s, .error = error };
	FILE *in = s ? fopen(path, "re") : NULL;
	enum hs_status status;

	if (!s)
		return encode_no_memory(error);
	s->path = path;
	status = in ? read_file(in, &f)
	            : hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (in)
		fclose(in);
	if (status != HS_OK) {
		hs_trace_system_free(s);
		return status;
	}
	put_in_order(s);
	*system = s;
	return HS_OK;
}
