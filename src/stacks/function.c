/* Functions by address, and what their names say of the stack. */
#include <string.h>

#include "stacks/private.h"

/* glibc's and musl's names; those of Boost.Context; Linux. */
static const struct {
	const char *name;
	enum stacks_role role;
} roles[] = {
	{ "swapcontext", ROLE_SWITCH },
	{ "__swapcontext", ROLE_SWITCH },
	{ "setcontext", ROLE_SWITCH },
	{ "__setcontext", ROLE_SWITCH },
	{ "jump_fcontext", ROLE_SWITCH },
	{ "ontop_fcontext", ROLE_SWITCH },
	{ "__switch_to", ROLE_SWITCH },
	{ "setjmp", ROLE_MARK },
	{ "_setjmp", ROLE_MARK },
	{ "sigsetjmp", ROLE_MARK },
	{ "__sigsetjmp", ROLE_MARK },
	{ "getcontext", ROLE_MARK },
	{ "__getcontext", ROLE_MARK },
	{ "__start_context", ROLE_START },
	{ "make_fcontext_trampoline", ROLE_START },
};

static enum stacks_role role_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof(roles) / sizeof(*roles); i++)
		if (strcmp(roles[i].name, name) == 0)
			return roles[i].role;
	return ROLE_NONE;
}

/* What a compiler put elsewhere ("f.cold") is part of its function. */
static void join_part(struct hs_program *p, struct hs_program_function *f)
{
	const char *cold = strstr(f->symbol, ".cold");
	char name[256];
	uint64_t addr;
	struct hs_program_function whole;

	if (!cold || (size_t)(cold - f->symbol) >= sizeof(name))
		return;
	memcpy(name, f->symbol, (size_t)(cold - f->symbol));
	name[cold - f->symbol] = '\0';
	if (hs_program_find_symbol(p, name, &addr) && hs_program_find_function(p, addr, &whole))
		*f = whole;
}

static struct stacks_function find_function(struct hs_stacks *s, uint64_t addr, uint8_t priv)
{
	const struct hs_guest_at at = { .context = s->select.at.context,
		                        .has_context = s->select.at.has_context,
		                        .priv = priv };
	struct hs_guest_place place = { .label = NULL };
	struct hs_program_function f;

	if (s->guest && hs_guest_find_place(s->guest, &at, addr, &place) && place.function)
		return (struct stacks_function){ place.label, place.start, place.size,
			                         role_of(place.function) };
	if (!hs_program_find_function(s->select.program, addr, &f))
		return (struct stacks_function){ .start = addr };
	join_part(s->select.program, &f);
	return (struct stacks_function){ f.name, f.start, f.size, role_of(f.name) };
}

struct stacks_function stacks_function_at(struct hs_stacks *s, uint64_t addr, uint8_t priv)
{
	if (s->guest) /* by context, too */
		return find_function(s, addr, priv);
	struct stacks_known *k = &s->known[(addr >> 1) % STACKS_KNOWN];

	if (k->program != s->select.program || k->addr != addr)
		*k = (struct stacks_known){ s->select.program, addr, find_function(s, addr, priv) };
	return k->function;
}
