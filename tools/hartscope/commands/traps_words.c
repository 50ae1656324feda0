/* System calls in words, as "write(1, 0x9d0a8, 2) = 2". */
#include <inttypes.h>
#include <string.h>

#include "commands/traps.h"

#define AT_FDCWD -100
#define ERRORS_MAX 4095 /* results from -4095 to -1 are errors */

static const char *error_name(uint32_t error)
{
	static const struct {
		uint32_t number;
		const char *name;
	} errors[] = {
#define LINUX_ERROR(number, name) { number, #name },
#include "commands/linux_errors.def"
#undef LINUX_ERROR
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].number == error)
			return errors[i].name;
	return NULL;
}

uint32_t call_error(const struct hs_trap_values *v)
{
	return v->known && v->has_result && v->result < 0 && v->result >= -ERRORS_MAX
	               ? (uint32_t)-v->result
	               : 0;
}

static void argument_words(char kind, uint64_t v, char *text, size_t size)
{
	if (kind == 'f' && (int32_t)v == AT_FDCWD)
		snprintf(text, size, "AT_FDCWD");
	else if (kind == 'd' || kind == 'f')
		snprintf(text, size, "%" PRId32, (int32_t)v);
	else if (kind == 'l')
		snprintf(text, size, "%" PRId64, (int64_t)v);
	else if (kind == 'n')
		snprintf(text, size, "%" PRIu64, v);
	else if (kind == 'o')
		snprintf(text, size, "%#" PRIo32, (uint32_t)v);
	else
		snprintf(text, size, v ? "0x%" PRIx64 : "0", v);
}

static void result_words(const struct hs_trap_call *c, const struct hs_trap_values *v, char *text,
                         size_t size)
{
	/* What is an address or a long number: brk, mmap, mremap, shmat. */
	const bool address = c->has_number && (c->number == 214 || c->number == 222 ||
	                                       c->number == 216 || c->number == 196);
	const uint32_t error = call_error(v);
	const char *name = error ? error_name(error) : NULL;

	if (!v->has_result)
		snprintf(text, size, "?");
	else if (name)
		snprintf(text, size, error < 512 ? "-1 %s" : "? %s", name);
	else
		snprintf(text, size, address && !error ? "0x%" PRIx64 : "%" PRId64, v->result);
}

void call_words(const struct hs_trap_call *c, const struct hs_trap_values *v, char *text,
                size_t size)
{
	const char *kinds = c->arguments ? c->arguments : "xxxxxx";
	char word[32];
	size_t n;

	if (c->name)
		n = (size_t)snprintf(text, size, "%s(", c->name);
	else
		n = (size_t)snprintf(text, size, "system call %" PRIu32 "(", c->number);
	for (unsigned i = 0; kinds[i] && i < 6 && n < size; i++) {
		argument_words(kinds[i], v->argument[i], word, sizeof(word));
		n += (size_t)snprintf(text + n, size - n, i ? ", %s" : "%s", word);
	}
	result_words(c, v, word, sizeof(word));
	if (n < size)
		n += (size_t)snprintf(text + n, size - n, ") = %s", word);
	if (c->signal && n < size)
		snprintf(text + n, size - n, ", signal %" PRIu32, c->signal_number);
}

void call_values_report(struct report *r, const struct hs_trap_values *v)
{
	const uint32_t error = call_error(v);
	char number[32];

	for (unsigned i = 0; i < 6; i++)
		report_hex(r, (const char[]){ 'a', (char)('0' + i), '\0' }, "", v->argument[i]);
	if (v->has_result)
		report_hex(r, "result", "", (uint64_t)v->result);
	if (!error)
		return;
	snprintf(number, sizeof(number), "error %" PRIu32, error);
	report_text(r, "error", "", error_name(error) ? error_name(error) : number);
}
