/* JSON by grammar: the text is parsed, one node of the tree is changed, and the tree is written. */
#include <jansson.h>

#include "edit.h"

/* A value in an object or an array of the tree. */
struct place {
	json_t *parent;
	const char *name; /* in an object */
	size_t index;     /* in an array */
};

struct search {
	struct fuzz_edit *e;
	size_t seen;
	struct place found;
};

static void find_place(struct search *s, json_t *node);

/* One place out of all, each as likely as any other. */
static void meet(struct search *s, struct place at, json_t *value)
{
	if (fuzz_pick(s->e, ++s->seen) == 0)
		s->found = at;
	find_place(s, value);
}

static void find_place(struct search *s, json_t *node)
{
	const char *name;
	json_t *value;
	size_t i;

	json_object_foreach(node, name, value)
		meet(s, (struct place){ node, name, 0 }, value);
	json_array_foreach(node, i, value)
		meet(s, (struct place){ node, NULL, i }, value);
}

static json_t *value_at(struct place at)
{
	return at.name ? json_object_get(at.parent, at.name) : json_array_get(at.parent, at.index);
}

static json_t *nested(struct fuzz_edit *e)
{
	json_t *value = json_null();

	for (size_t n = 1 + fuzz_pick(e, 200); n > 0; n--) {
		json_t *outer = fuzz_pick(e, 2) ? json_array() : json_object();

		if (json_is_array(outer))
			json_array_append_new(outer, value);
		else
			json_object_set_new(outer, "a", value);
		value = outer;
	}
	return value;
}

static json_t *long_string(struct fuzz_edit *e)
{
	const size_t n = 1 + fuzz_pick(e, 5000);
	char *text = malloc(n);

	if (!text)
		abort();
	memset(text, 'x', n);
	json_t *value = json_stringn(text, n);

	free(text);
	return value;
}

static json_t *any_string(struct fuzz_edit *e)
{
	static const char *const texts[] = { "",     "\x1b[2J", "../../x", "/dev/zero", "\xc3\xa9",
		                             "0x10", "-1",      "%s%n",    "true", "a\nb" };
	const size_t i = fuzz_pick(e, sizeof(texts) / sizeof(*texts) + 1);

	return i < sizeof(texts) / sizeof(*texts) ? json_string(texts[i]) : long_string(e);
}

static json_t *any_value(struct fuzz_edit *e)
{
	static const double reals[] = { 0.5, -0.0, 1e308, 1e-308, 9007199254740993.0 };

	switch (fuzz_pick(e, 10)) {
	case 0:
		return json_null();
	case 1:
		return json_boolean(fuzz_pick(e, 2));
	case 2:
		return json_real(reals[fuzz_pick(e, sizeof(reals) / sizeof(*reals))]);
	case 3:
		return json_array();
	case 4:
		return json_object();
	case 5:
		return nested(e);
	case 6:
	case 7:
		return any_string(e);
	default:
		return json_integer((json_int_t)fuzz_limit(e, 1 + (unsigned)fuzz_pick(e, 64)));
	}
}

static void set_value(struct place at, json_t *value)
{
	if (at.name)
		json_object_set_new(at.parent, at.name, value);
	else
		json_array_set_new(at.parent, at.index, value);
}

static void remove_value(struct place at)
{
	if (at.name)
		json_object_del(at.parent, at.name);
	else
		json_array_remove(at.parent, at.index);
}

/* A second time: under another name of the document, or next to itself. */
static void again(struct fuzz_edit *e, struct place at, struct place other)
{
	json_t *value = json_deep_copy(value_at(at));

	if (other.name && json_is_object(other.parent))
		json_object_set_new(at.name ? at.parent : other.parent, other.name, value);
	else if (!at.name)
		json_array_insert_new(at.parent, at.index, value);
	else
		set_value(at, json_pack("[o]", value));
	(void)e;
}

static bool change_node(struct fuzz_edit *e, json_t *root)
{
	struct search s = { .e = e }, t = { .e = e };

	find_place(&s, root);
	find_place(&t, root);
	if (s.seen == 0)
		return false;
	json_t *old = value_at(s.found);

	switch (fuzz_pick(e, 8)) {
	case 0:
		remove_value(s.found);
		break;
	case 1:
		again(e, s.found, t.found);
		break;
	case 2: /* the value of another place */
		set_value(s.found, json_deep_copy(value_at(t.found)));
		break;
	case 3:
		if (json_is_integer(old)) {
			json_integer_set(old,
			                 json_integer_value(old) + (json_int_t)fuzz_pick(e, 5) - 2);
			break;
		}
		/* fall through */
	default:
		set_value(s.found, any_value(e));
	}
	return true;
}

bool fuzz_mutate_json(struct fuzz_edit *e)
{
	json_t *root = json_loadb((const char *)e->data, e->size, JSON_ALLOW_NUL, NULL);
	bool done = false;

	if (!root)
		return false;
	if (change_node(e, root)) {
		char *text = json_dumps(root, JSON_COMPACT);

		done = text && fuzz_replace(e, 0, e->size, text, strlen(text));
		free(text);
	}
	json_decref(root);
	return done;
}
