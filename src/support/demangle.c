/* Names as people wrote them, by libiberty (design/names).
 *
 * A short symbol may stand for a name of any length, since it may refer to its own parts again and
 * again.  The demangler gives its output in pieces; where they are too many, it is left. */
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "support/demangle.h"

#define SYMBOL_MAX 4096u /* bytes; a demangler's depth is limited by it */
#define NAME_MAX_ 16384u /* bytes of what it stands for */

struct output {
	jmp_buf full;
	size_t n;
	char text[NAME_MAX_];
};

static void take_piece(const char *text, size_t n, void *to)
{
	struct output *o = to;

	if (n >= sizeof(o->text) - o->n)
		longjmp(o->full, 1);
	memcpy(o->text + o->n, text, n);
	o->n += n;
}

/* Symbols of Rust first: those of before 2018 look like C++. */
static bool demangle(const char *symbol, struct output *o)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(o->full))
		return false;
	if (rust_demangle_callback(symbol, options, take_piece, o))
		return true;
	o->n = 0;
	return cplus_demangle_v3_callback(symbol, options | DMGL_NO_RECURSE_LIMIT, take_piece, o);
}

char *support_demangle(const char *symbol)
{
	const size_t n = symbol[0] == '_' ? strcspn(symbol, "@") : 0;
	char *name = NULL;

	if (n < 3 || n > SYMBOL_MAX || (symbol[1] != 'Z' && symbol[1] != 'R'))
		return NULL;
	struct output *o = malloc(sizeof(*o));
	char *plain = strndup(symbol, n);

	if (o && plain) {
		o->n = 0;
		if (demangle(plain, o) && o->n) {
			o->text[o->n] = '\0';
			name = malloc(o->n + strlen(symbol + n) + 1);
		}
		if (name) {
			memcpy(name, o->text, o->n);
			strcpy(name + o->n, symbol + n);
		}
	}
	free(plain);
	free(o);
	return name;
}
