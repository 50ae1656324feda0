/* The function at an address; a few change the stack, known by name. */
#include <string.h>

#include "calls/stacks_private.h"

/* Names in glibc, musl, Boost.Context, Linux and Go's runtime, without ".abi0". */
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
	{ "runtime.gogo", ROLE_RESUME },
	{ "runtime.mcall", ROLE_AWAY },
	{ "runtime.newstack", ROLE_OTHER },
	{ "runtime.newstack-tramp0", ROLE_OTHER },
};

static enum stacks_role role_of(const char *name)
{
	const char *abi = name ? strstr(name, ".abi0") : NULL;
	const size_t n = abi ? (size_t)(abi - name) : name ? strlen(name) : 0;

	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (strlen(roles[i].name) == n && memcmp(roles[i].name, name, n) == 0)
			return roles[i].role;
	return ROLE_NONE;
}

/* The address of f, if @symbol is a part of f that the compiler put elsewhere ("f.cold"). */
static bool find_whole(struct hs_program *p, const char *symbol, uint64_t *addr)
{
	const char *cold = symbol ? strstr(symbol, ".cold") : NULL;
	char name[256];

	if (!cold || (size_t)(cold - symbol) >= sizeof(name))
		return false;
	memcpy(name, symbol, (size_t)(cold - symbol));
	name[cold - symbol] = '\0';
	return hs_program_find_symbol(p, name, addr);
}

static struct stacks_function find_function(struct hs_stacks *s, uint64_t addr, uint8_t priv)
{
	const struct hs_guest_at at = { .context = s->select.at.context,
		                        .has_context = s->select.at.has_context,
		                        .priv = priv };
	struct hs_program *p = s->select.program;
	struct hs_guest_place place;
	uint64_t whole;

	hs_guest_name(s->guest, p, &at, addr, &place);
	if (!place.function)
		return (struct stacks_function){ .start = addr,
			                         .file = place.file,
			                         .own_file = place.own };
	if (find_whole(p, place.symbol, &whole))
		hs_guest_name(s->guest, p, &at, whole, &place);
	return (struct stacks_function){ place.label, place.start,           place.size,
		                         place.file,  role_of(place.symbol), place.own };
}

struct stacks_function stacks_function_at(struct hs_stacks *s, uint64_t addr, uint8_t priv)
{
	if (s->guest) /* depends on the context, too: not cached */
		return find_function(s, addr, priv);
	struct stacks_known *k = &s->known[(addr >> 1) % STACKS_KNOWN];

	if (k->program != s->select.program || k->addr != addr)
		*k = (struct stacks_known){ s->select.program, addr, find_function(s, addr, priv) };
	return k->function;
}

bool stacks_is_entry(const struct stacks_function *f, uint8_t priv)
{
	const char *base = f->file ? strrchr(f->file, '/') : NULL;

	if (f->name)
		return strcmp(f->name, "_start") == 0;
	/* No name: a boot ROM, or the dynamic linker. */
	base = base ? base + 1 : f->file;
	return priv == HS_PRIV_M || (base && strncmp(base, "ld", 2) == 0);
}
