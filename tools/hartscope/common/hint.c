/* One line after many errors: the likeliest reason, by what most of them are, and what helps; or
 * what a file is that holds no trace. */
#include <errno.h>
#include <string.h>

#include <hartscope/capture.h>

#include "common/tool.h"

#define MANY       10 /* errors, from which on there is a hint */
#define MANY_EQUAL 3  /* for one reason, and there are no others */
#define FEW_MISSING 3u /* addresses without code that are not many */
#define FEW 64        /* times as many messages, where errors are damage */
#define FEW_MISSED 4  /* times as many errors as addresses that miss all code */

/* What one reason, or a run of them, hints at where most errors have it.  Synchronisations without
 * code are reported once. */
static const struct hint {
	enum hs_reason first, last;
	unsigned least; /* errors, where there are no others */
	const char *text;
	enum hs_reason also; /* one more reason, or 0 */
} hints[] = {
	{ HS_REASON_FRAMING, HS_REASON_FIELD, MANY_EQUAL,
	  "are messages that cannot be read: another protocol, transport, or width of the source or "
	  "of addresses (--protocol, --transport, trTeSrcBits, iaddress_width_p)",
	  HS_REASON_NOT_ANNOUNCED },
	{ HS_REASON_SOURCES, HS_REASON_SOURCES, MANY_EQUAL,
	  "are sources that are too many: another width of the source (trTeSrcBits)",
	  HS_REASON_NONE },
	{ HS_REASON_NO_CODE, HS_REASON_STATE_UNSEEN, MANY_EQUAL,
	  "are at addresses without code: another program or load address (--elf FILE+OFFSET), or "
	  "another width of addresses",
	  HS_REASON_NONE },
	{ HS_REASON_NO_CODE_AT_SYNC, HS_REASON_NO_CODE_AT_SYNC, 1,
	  "are synchronisations at addresses without code: another program or load address "
	  "(--elf FILE+OFFSET), or widths before the address (privilege_width_p, time, context)",
	  HS_REASON_NONE },
	{ HS_REASON_ICNT_AT_JUMP, HS_REASON_ICNT_AT_JUMP, MANY_EQUAL,
	  "are direct jumps that are reported: trTeInstEnAllJumps=1", HS_REASON_NONE },
	{ HS_REASON_NO_HANDLER, HS_REASON_NO_HANDLER, MANY_EQUAL,
	  "are traps whose handler is not known: mtvec, stvec", HS_REASON_NONE },
	{ HS_REASON_NOT_PREDICTED, HS_REASON_NOT_PREDICTED, MANY_EQUAL,
	  "are predictions that are off here: bpred_size_p", HS_REASON_NONE },
	{ HS_REASON_CACHE_EMPTY, HS_REASON_CACHE_EMPTY, MANY_EQUAL,
	  "are empty entries of the jump target cache: cache_size_p", HS_REASON_NONE },
	{ HS_REASON_ICNT_IN_INSN, HS_REASON_NO_SYNC_AFTER_TRAP, MANY_EQUAL,
	  "contradict the program: another build of it, or parameters of the encoder",
	  HS_REASON_NONE },
};

static uint64_t count(const struct damage *d, const struct hint *h)
{
	uint64_t n = h->also ? d->by_reason[h->also] : 0;

	for (unsigned r = h->first; r <= h->last; r++)
		n += d->by_reason[r];
	return n;
}

bool hint_of_missing(const struct damage *d)
{
	const uint64_t n =
		d->by_reason[HS_REASON_NO_CODE] + d->by_reason[HS_REASON_NO_CODE_AT_SYNC];
	const char *pc = d->count ? strstr(d->first[0].error.text, ", pc 0x") : NULL;
	unsigned long long address;

	if (!n || n != d->count || n > FEW_MISSING || !pc || sscanf(pc, ", pc %llx", &address) != 1)
		return false;
	complain(
		"hint: 0x%llx is in no file: a boot ROM is --bin ROM@0x%llx, another program --elf "
		"FILE",
		address, address);
	return true;
}

void damage_hint(const struct damage *d)
{
	const struct hint *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		const uint64_t n = count(d, &hints[i]);

		if (n > most) { /* of equals the first says more */
			most = n;
			best = &hints[i];
		}
	}
	if (!d->hinted && d->addresses.missed * FEW_MISSED >= d->count &&
	    hint_of_address(&d->addresses))
		return; /* what it says explains the others, too */
	if (!d->hinted && hint_of_missing(d) && d->by_reason[HS_REASON_NO_CODE_AT_SYNC] == 0)
		return;
	if (d->hinted || !best || d->count < (most == d->count ? best->least : MANY) ||
	    most * 2 < d->count)
		return;
	complain("hint: %llu of %llu errors %s; 'hartscope identify' tries them",
	         (unsigned long long)most, (unsigned long long)d->count, best->text);
}

/* ---- files ----------------------------------------------------------------------- */

bool is_recording(const char *path)
{
	return hs_file_what(path, NULL) == HS_FILE_RECORDING;
}

bool refuse_recording(const char *path, const char *why)
{
	if (!is_recording(path))
		return false;
	complain("%s is a recording: %s", path, why);
	return true;
}

bool hint_of_kind(const char *path)
{
	const struct hs_file_kind *kind = NULL;
	const bool empty = strcmp(path, "-") != 0 && hs_file_what(path, &kind) == HS_FILE_EMPTY;

	if (empty)
		complain("hint: %s is empty: it holds no trace", path);
	else if (kind)
		complain("hint: %s looks like %s: %s", path, kind->what, kind->hint);
	return kind || empty;
}

void hint_of_file(const char *path)
{
	if (!hint_of_kind(path))
		complain("hint: hardly anything in it reads as messages: another protocol, "
		         "transport or width of the source (--protocol, --transport, trTeSrcBits); "
		         "'hartscope identify' tries them");
}

void hint_of_nothing(const char *path)
{
	if (!hint_of_kind(path))
		complain("hint: nothing of it could be decoded: another program, protocol or "
		         "transport (--elf, --protocol, --transport); 'hartscope identify' with "
		         "the program tries them");
}

void hint_of_inlined(struct hs_program *program, const char *name)
{
	struct hs_program_function into;

	if (hs_program_find_inlining(program, name, &into))
		complain("hint: it is inlined, for example into '%s': ask for that, or for "
		         "'report --by inline'",
		         into.name);
}

void hint_of_unread(uint64_t errors, uint64_t messages)
{
	if (errors >= MANY && errors * FEW > messages)
		complain("hint: %llu of %llu messages cannot be read: the capture is damaged, or "
		         "it is another transport or width of the source (--transport, "
		         "trTeSrcBits, trTsWidth); 'hartscope identify' tries them",
		         (unsigned long long)errors, (unsigned long long)messages);
}

void hint_of_contradictions(uint64_t contradictions, uint64_t errors)
{
	if (contradictions >= MANY && contradictions * 2 >= errors)
		complain("hint: %llu of %llu errors contradict the program: another build of it or "
		         "load address (--elf FILE+OFFSET), or parameters of the encoder; "
		         "'hartscope identify' tries them",
		         (unsigned long long)contradictions, (unsigned long long)errors);
}

int fail_file(const char *path, const struct hs_error *e)
{
	const int status = fail(e);

	if (e->status == HS_E_FORMAT)
		hint_of_kind(path);
	return status;
}

enum hs_status refuse_file(const char *path, struct hs_error *e)
{
	const struct hs_file_kind *kind;
	const enum hs_file_type what = hs_file_what(path, &kind);

	if (what == HS_FILE_FOLDER || what == HS_FILE_RECORDING)
		errno = EISDIR;
	if (what == HS_FILE_UNREADABLE || what == HS_FILE_FOLDER || what == HS_FILE_RECORDING)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (what == HS_FILE_EMPTY)
		return hs_error_set(e, HS_E_FORMAT, "%s is empty: it holds no trace", path);
	if (!kind || kind->blank) /* a capture may be idle when it begins */
		return HS_OK;
	return hs_error_set(e, HS_E_FORMAT, "%s is %s, not a trace: %s", path, kind->what,
	                    kind->hint);
}
