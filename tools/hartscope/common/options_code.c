/* Options that name programs, and what is known of a guest's. */
#include <errno.h>
#include <stdlib.h>

#include "common/tool.h"

/* FILE@NUMBER, FILE+NUMBER; a sign without a number after it belongs to the name. */
bool option_code(struct options *o, enum hs_code_kind kind, char *text)
{
	struct hs_code_file f = { .kind = kind, .path = text, .moment = o->moment };
	char *at = option_number_sign(kind, text), *end = NULL;

	if (o->source.code_count == CODE_MAX) {
		complain("there may be at most %d files of programs", CODE_MAX);
		return false;
	}
	if (at && at[1] >= '0' && at[1] <= '9') {
		errno = 0;
		f.address = strtoull(at + 1, &end, 0);
		f.has_address = !*end && !errno;
	}
	if (f.has_address)
		*at = '\0';
	if (kind == HS_CODE_RAW && !f.has_address) {
		complain("--bin needs FILE@ADDRESS, not '%s'", text);
		return false;
	}
	o->code[o->source.code_count++] = f;
	return true;
}

/* CONTEXT:FILE[+OFFSET], or a process that is selected. */
bool option_process(struct options *o, char *text)
{
	const size_t n = o->source.code_count;
	char *end = text;

	errno = 0;
	const uint64_t context = strtoull(text, &end, 0);
	const bool file = *text >= '0' && *text <= '9' && *end == ':';

	if (!file && (o->set & OPT_GUEST))
		return option_only(o, "--process", text);
	if (!file || !end[1] || errno || !(o->set & OPT_PROCESS)) {
		complain("--process needs %s, not '%s'",
		         o->set & OPT_PROCESS ? "CONTEXT:FILE" : "a process", text);
		return false;
	}
	if (!option_code(o, HS_CODE_ELF, end + 1))
		return false;
	o->code[n].moment = 0;
	o->code[n].has_context = true;
	o->code[n].context = context;
	return true;
}

bool option_guest(struct options *o, enum hs_guest_kind kind, const char *path)
{
	if (o->source.guest_count == GUEST_MAX) {
		complain("there may be at most %d files of the guest", GUEST_MAX);
		return false;
	}
	o->guest[o->source.guest_count++] = (struct hs_guest_file){ .kind = kind, .path = path };
	return true;
}
