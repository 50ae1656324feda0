/* Marks (marks.h): their arguments, and which of them is next. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "plugin.h"

struct mark {
	enum plugin_mark kind;
	bool linked; /* an address as the program's file has it */
	uint64_t value;
	uint32_t left; /* how often it has still to be reached */
};

enum plugin_marks_state plugin_marks_state = MARKS_ON;

static struct mark marks[MARKS_AFTER]; /* that end the state before, and the one while on */
static uint64_t linked_code, code_offset, bias;
static const char *program; /* NULL: no mark needs its place, or that is known */

static bool parse_mark(const char *text, struct mark *m)
{
	static const char kinds[] = "alie";
	static const enum plugin_mark of[] = { MARK_ADDRESS, MARK_ADDRESS, MARK_INSN, MARK_ECALL };
	const char *kind = strchr(kinds, text[0]);
	char *end;

	if (text[0] == 0 || kind == NULL || text[1] != ':')
		return false;
	m->kind = of[kind - kinds];
	m->linked = text[0] == 'l';
	m->value = strtoull(text + 2, &end, 16);
	if (*end != ':')
		return false;
	m->left = (uint32_t)strtoul(end + 1, &end, 16);
	return *end == 0 && m->left != 0;
}

bool plugin_marks_argument(const char *argument)
{
	if (strncmp(argument, "from=", 5) == 0) {
		plugin_marks_state = MARKS_BEFORE;
		return parse_mark(argument + 5, &marks[MARKS_BEFORE]);
	}
	if (strncmp(argument, "to=", 3) == 0)
		return parse_mark(argument + 3, &marks[MARKS_ON]);
	if (strncmp(argument, "program=", 8) == 0) {
		program = argument + 8;
		return true;
	}
	return strncmp(argument, "code=", 5) == 0 &&
	       sscanf(argument + 5, "%" SCNx64 ":%" SCNx64, &linked_code, &code_offset) == 2;
}

void plugin_marks_place(uint64_t base)
{
	uint64_t host;

	if (program != NULL && plugin_maps_program(program, code_offset, &host))
		bias = host - base - linked_code;
	program = NULL;
}

/* The next one, or NULL. */
static struct mark *next_mark(void)
{
	const enum plugin_marks_state state =
		__atomic_load_n(&plugin_marks_state, __ATOMIC_RELAXED);

	return state == MARKS_AFTER || marks[state].kind == MARK_NONE ? NULL : &marks[state];
}

bool plugin_marks_next(void)
{
	return next_mark() != NULL;
}

uint64_t plugin_mark_value(void)
{
	const struct mark *m = next_mark();

	return m == NULL ? 0 : m->value + (m->linked ? bias : 0);
}

enum plugin_mark plugin_mark_of(uint64_t address, unsigned bits, uint32_t insn, size_t size)
{
	const struct mark *m = next_mark();

	if (m == NULL)
		return MARK_NONE;
	switch (m->kind) {
	case MARK_ADDRESS:
		return (address ^ plugin_mark_value()) << (64 - bits) == 0 ? m->kind : MARK_NONE;
	case MARK_INSN:
		return insn == m->value && size == (insn % 4 == 3 ? 4 : 2) ? m->kind : MARK_NONE;
	default:
		return insn == 0x73 && size == 4 ? m->kind : MARK_NONE;
	}
}

bool plugin_mark_hit(enum plugin_marks_state now)
{
	enum plugin_marks_state state = now;

	if (now == MARKS_AFTER || marks[now].left == 0 ||
	    __atomic_sub_fetch(&marks[now].left, 1, __ATOMIC_RELAXED) != 0)
		return false;
	return __atomic_compare_exchange_n(&plugin_marks_state, &state, now + 1, false,
	                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
