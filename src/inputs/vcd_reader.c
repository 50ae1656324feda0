/* A value change dump: words, declarations, and the names in them. */
#include "inputs/vcd_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that are kept of a vector that does not fit: the last ones. */
#define LAST 128

/* ---- names --------------------------------------------------------------------------- */

/* The range at the end of @name, "[7:0]" or "[7]".  Returns its length; *numbers: 0, there is
 * none, 1 or 2. */
static size_t find_range(const char *name, unsigned *numbers, int32_t *left, int32_t *right)
{
	const char *open = strrchr(name, '[');
	char end = '\0';
	int l, r;

	*numbers = 0;
	if (!open)
		return 0;
	if (sscanf(open, "[%9d:%9d%c", &l, &r, &end) == 3 && end == ']') {
		*numbers = 2;
		*right = r;
	} else if (sscanf(open, "[%9d%c", &l, &end) == 2 && end == ']') {
		*numbers = 1;
		*right = l;
	} else {
		return 0;
	}
	*left = l;
	return strlen(open);
}

/* A name that is no identifier is escaped in Verilog: \name.  Simulators write it with or without
 * the backslash: Icarus Verilog with it, but not in scopes, Verilator without. */
static bool is_escape(const char *p, const char *start)
{
	return *p == '\\' && (p == start || p[-1] == '.');
}

bool vcd_set_name(struct vcd_name *name, const char *text, size_t n)
{
	unsigned numbers;
	int32_t ignored;

	if (n == 0 || n >= sizeof(name->text))
		return false;
	name->n = 0;
	for (const char *p = text; p < text + n; p++)
		if (!is_escape(p, text))
			name->text[name->n++] = *p;
	name->text[name->n] = '\0';
	const size_t range = find_range(name->text, &numbers, &name->index, &ignored);

	name->has_index = numbers == 1;
	name->stem = name->has_index ? name->n - range : name->n;
	return name->stem != 0;
}

/* Is @text the path of the variable, or its last parts? */
static bool ends_path(const struct vcd_reader *r, const char *text, size_t n)
{
	if (r->path_n < n || memcmp(r->path + r->path_n - n, text, n) != 0)
		return false;
	return r->path_n == n || r->path[r->path_n - n - 1] == '.';
}

enum vcd_fit vcd_fit(const struct vcd_reader *r, const struct vcd_name *want, int32_t *bit)
{
	const struct vcd_var *v = &r->var;
	const bool falls = v->left >= v->right;

	*bit = v->left;
	if (!v->id[0])
		return VCD_OTHER;
	if (ends_path(r, want->text, want->n)) /* also "name[3]", the name of an element */
		return v->numbers == 1 ? VCD_PART : VCD_ALL;
	if (!want->has_index || !ends_path(r, want->text, want->stem))
		return VCD_OTHER;
	if (want->index < (falls ? v->right : v->left) ||
	    want->index > (falls ? v->left : v->right))
		return VCD_OTHER;
	*bit = falls ? want->index - v->right : v->right - want->index;
	return VCD_BIT;
}

/* ---- declarations ---------------------------------------------------------------------- */

static enum vcd_event refuse(struct vcd_reader *r, const char *why)
{
	r->why = why;
	return VCD_BAD;
}

/* Append the word to the path, of at most @cap bytes, or leave it out.  @begins: it begins a name,
 * of which an escaping backslash is left out. */
static void append(struct vcd_reader *r, bool begins, size_t cap)
{
	const size_t skip = begins && r->word[0] == '\\', n = r->n - skip;

	if (r->path_n + n >= cap)
		return;
	memcpy(r->path + r->path_n, r->word + skip, n);
	r->path_n += n;
	r->path[r->path_n] = '\0';
}

static void enter_scope(struct vcd_reader *r)
{
	r->path_n = r->scopes_n;
	if (r->depth < VCD_DEPTH) {
		r->before[r->depth] = r->scopes_n;
		append(r, true, VCD_PATH - 1);
		if (r->path_n != r->scopes_n)
			r->path[r->path_n++] = '.';
		r->scopes_n = r->path_n;
	}
	r->depth++;
}

static void leave_scope(struct vcd_reader *r)
{
	if (r->depth == 0)
		return;
	r->depth--;
	if (r->depth < VCD_DEPTH)
		r->path_n = r->scopes_n = r->before[r->depth];
}

/* A word of $var: type, size, code, name; also the range, if a space separates it from the name. */
static enum vcd_event read_variable(struct vcd_reader *r)
{
	struct vcd_var *v = &r->var;
	char *end;

	switch (r->words) {
	case 1:
		memset(v, 0, sizeof(*v));
		r->path_n = r->scopes_n;
		return VCD_NOTHING;
	case 2:
		v->size = (uint32_t)strtoul(r->word, &end, 10);
		return end == r->word ? refuse(r, "a variable without a size") : VCD_NOTHING;
	case 3:
		if (r->n <= VCD_ID)
			memcpy(v->id, r->word, r->n + 1);
		return VCD_NOTHING;
	default:
		append(r, r->words == 4, r->scopes_n + VCD_NAME);
		return VCD_NOTHING;
	}
}

/* A range is not part of the name.  One number after the name of a vector is: an element's. */
static enum vcd_event end_variable(struct vcd_reader *r)
{
	struct vcd_var *v = &r->var;
	unsigned numbers;
	int32_t left, right;

	if (r->words < 4)
		return VCD_NOTHING;
	r->path[r->path_n] = '\0';
	const size_t range = find_range(r->path + r->scopes_n, &numbers, &left, &right);

	if (numbers == 2 || (numbers == 1 && v->size == 1)) {
		v->numbers = numbers;
		v->left = left;
		v->right = right;
		r->path_n -= range;
		v->size = (uint32_t)(left > right ? left - right : right - left) + 1;
	} else {
		v->left = v->size ? (int32_t)((v->size - 1) & INT32_MAX) : 0;
	}
	return v->size && r->path_n != r->scopes_n ? VCD_VARIABLE : VCD_NOTHING;
}

static enum vcd_event end_section(struct vcd_reader *r)
{
	enum vcd_event event = VCD_NOTHING;

	if (strcmp(r->section, "$var") == 0)
		event = end_variable(r);
	else if (strcmp(r->section, "$upscope") == 0)
		leave_scope(r);
	else if (strcmp(r->section, "$enddefinitions") == 0)
		event = VCD_DECLARED;
	r->declared = event == VCD_DECLARED;
	r->section[0] = '\0';
	return event;
}

static enum vcd_event read_declaration(struct vcd_reader *r)
{
	if (!r->section[0]) {
		if (r->word[0] != '$' || r->n < 2)
			return refuse(r, "not a value change dump");
		snprintf(r->section, sizeof(r->section), "%.23s", r->word);
		r->words = 0;
		return VCD_NOTHING;
	}
	if (strcmp(r->word, "$end") == 0)
		return end_section(r);
	r->words++;
	if (strcmp(r->section, "$scope") == 0 && r->words == 2)
		enter_scope(r);
	return strcmp(r->section, "$var") == 0 ? read_variable(r) : VCD_NOTHING;
}

/* ---- words ----------------------------------------------------------------------------- */

static enum vcd_event end_word(struct vcd_reader *r)
{
	enum vcd_event event;

	r->word[r->n] = '\0';
	if (!r->declared)
		event = read_declaration(r);
	else
		event = vcd_body_word(&r->body, r->word, r->n);
	if (event == VCD_BAD && r->declared)
		r->why = "not a change of a value";
	r->n = 0;
	return event;
}

/* A word may have any length.  Of a longer one than fits, a vector keeps its end, others their
 * beginning. */
static void add_character(struct vcd_reader *r, char c)
{
	if (r->n == 0)
		r->word_at = r->offset;
	if (r->n == VCD_WORD) {
		if (!r->declared || (r->word[0] | 0x20) != 'b')
			return;
		memmove(r->word + 1, r->word + VCD_WORD - LAST, LAST);
		r->n = LAST + 1;
	}
	r->word[r->n++] = c;
}

enum vcd_event vcd_read(struct vcd_reader *r, struct hs_span *in)
{
	enum vcd_event event = VCD_NOTHING;

	for (; in->n && event == VCD_NOTHING; in->p++, in->n--, r->offset++) {
		const uint8_t c = *in->p;

		if (c != ' ' && (c < '\t' || c > '\r'))
			add_character(r, (char)c);
		else if (r->n)
			event = end_word(r);
	}
	return event;
}

enum vcd_event vcd_end(struct vcd_reader *r)
{
	return r->n ? end_word(r) : VCD_NOTHING;
}
