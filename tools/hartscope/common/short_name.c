/* C++ and Rust names as a terminal shows them: without template arguments, parameters and what the
 * function returns. */
#include <ctype.h>
#include <string.h>

#include "common/tool.h"

/* A short name that is being written. */
struct cut {
	char *to;
	size_t n, room;
	size_t word; /* where the last word begins: what the function returns is before it */
	bool symbol; /* it has an operator, whose words belong together */
};

static void put_text(struct cut *c, const char *text, size_t n)
{
	for (size_t i = 0; i < n && c->n + 1 < c->room; i++)
		c->to[c->n++] = text[i];
}

/* The length of "operator" and its sign at @at; 0: there is none. */
static size_t operator_at(const char *name, const char *at)
{
	static const char word[] = "operator";
	const size_t n = sizeof(word) - 1;

	if (strncmp(at, word, n) != 0 ||
	    (at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) ||
	    isalnum((unsigned char)at[n]) || at[n] == '_')
		return 0;
	if (strncmp(at + n, "()", 2) == 0 || strncmp(at + n, "[]", 2) == 0)
		return n + 2;
	return n + strspn(at + n, "+-*/%^&|~!=<>,");
}

/* The end of what is in brackets at @at, whose last character that is; NULL: it has none. */
static const char *skip_brackets(const char *at)
{
	unsigned depth = 0;

	for (; *at; at++) {
		depth += *at == '<';
		if (*at == '>' && at[-1] != '-' && --depth == 0)
			return at;
	}
	return NULL;
}

void short_name(char *to, size_t size, const char *name)
{
	static const char nameless[] = "(anonymous namespace)";
	struct cut c = { .to = to, .room = size };
	const char *at = name;

	while (*at && (*at != '(' || strncmp(at, nameless, sizeof(nameless) - 1) == 0)) {
		const size_t sign = operator_at(name, at);
		const char *end = *at == '<' && !sign && at > name ? skip_brackets(at) : NULL;

		if (sign || *at == '(') {
			const size_t n = sign ? sign : sizeof(nameless) - 1;

			put_text(&c, at, n);
			c.symbol |= sign != 0;
			at += n;
		} else if (end) {
			put_text(&c, "<...>", 5);
			at = end + 1;
		} else {
			put_text(&c, at, 1);
			if (*at == ' ' && !c.symbol)
				c.word = c.n;
			at++;
		}
	}
	c.to[c.n] = '\0';
	if (*at == '(' && c.word && c.word < c.n)
		memmove(to, to + c.word, c.n - c.word + 1);
}
