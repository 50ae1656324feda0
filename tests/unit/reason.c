/* The list of reasons: numbers and names are frozen, and each row is whole. */
#include "cases.h"

#include <hartscope/status.h>

#include "flow/reason.h"

/* Callers keep numbers and names: a row here never changes. */
static const struct row {
	unsigned number;
	const char *name;
	enum hs_status status;
} rows[] = {
	{ 0, "none", HS_OK },
	{ 1, "framing", HS_E_FRAMING },
	{ 2, "message-too-long", HS_E_LONG },
	{ 3, "bad-field", HS_E_FIELD },
	{ 4, "truncated", HS_E_TRUNCATED },
	{ 5, "too-many-sources", HS_E_SOURCES },
	{ 6, "lost", HS_E_LOST },
	{ 7, "overrun", HS_E_LOST },
	{ 8, "input-lost", HS_E_LOST },
	{ 10, "no-code", HS_E_NOCODE },
	{ 11, "return-unseen", HS_E_NOCODE },
	{ 12, "state-unseen", HS_E_NOCODE },
	{ 20, "icnt-in-instruction", HS_E_ICNT },
	{ 21, "icnt-not-at-branch", HS_E_ICNT },
	{ 22, "icnt-not-at-jump", HS_E_ICNT },
	{ 23, "icnt-past-jump", HS_E_ICNT },
	{ 24, "icnt-less-than-hist", HS_E_ICNT },
	{ 25, "hist-too-short", HS_E_HIST },
	{ 26, "hist-too-long", HS_E_HIST },
	{ 27, "hist-without-stop-bit", HS_E_HIST },
	{ 28, "hist-jump-not-taken", HS_E_HIST },
	{ 29, "hist-in-loop", HS_E_HIST },
	{ 30, "hist-past-jump", HS_E_HIST },
	{ 31, "target-not-given", HS_E_FLOW },
	{ 32, "faddr-elsewhere", HS_E_FLOW },
	{ 33, "nothing-to-repeat", HS_E_FLOW },
	{ 34, "icnt-at-direct-jump", HS_E_ICNT },
	{ 40, "branch-not-reported", HS_E_HIST },
	{ 41, "branches-left", HS_E_HIST },
	{ 42, "jump-before-last-branch", HS_E_FLOW },
	{ 43, "jumps-in-circle", HS_E_FLOW },
	{ 44, "no-code-at-sync", HS_E_NOCODE },
	{ 45, "no-handler-address", HS_E_UNSUPPORTED },
	{ 46, "branches-not-predicted", HS_E_FLOW },
	{ 47, "cache-entry-empty", HS_E_FLOW },
	{ 48, "no-sync-after-trap", HS_E_FLOW },
	{ 49, "cause-above-32-bits", HS_E_UNSUPPORTED },
	{ 50, "versions", HS_E_FLOW },
	{ 51, "too-many-blocks", HS_E_FLOW },
	{ 52, "not-announced", HS_E_FIELD },
	{ 53, "other-options", HS_E_FIELD },
	{ 54, "unconfirmed", HS_E_LOST },
	{ 55, "never-synchronised", HS_E_LOST },
	{ 56, "circuit-source", HS_E_FIELD },
	{ 57, "tables-without-room", HS_E_UNSUPPORTED },
	{ 58, "arrival-unknown", HS_E_LOST },
	{ 60, "internal", HS_E_INTERNAL },
	{ 61, "wrong-instruction", HS_E_FLOW },
	{ 62, "address-elsewhere", HS_E_FLOW },
	{ 63, "branch-mode", HS_E_UNSUPPORTED },
	{ 64, "way-unknown", HS_E_LOST },
};

#define COUNT (sizeof rows / sizeof *rows)

TEST_ROWS(frozen, rows, row)
{
	const enum hs_reason reason = (enum hs_reason)row->number;

	assert_string_equal(hs_reason_name(reason), row->name);
	assert_int_equal(hs_reason_status(reason), row->status);
	assert_true(strlen(hs_reason_text(reason)) > 5);
	assert_null(strchr(hs_reason_text(reason), '\n'));
	if (row->number)
		assert_true(*hs_reason_nt_clause(reason) || *hs_reason_et_clause(reason) ||
		            *hs_reason_tacit_clause(reason));
}

/* Every other number has no row, so that a new one is noticed here. */
TEST(others_are_unknown)
{
	for (unsigned number = 0, at = 0; number < 256; number++) {
		if (at < COUNT && rows[at].number == number) {
			at++;
			continue;
		}
		assert_string_equal(hs_reason_name((enum hs_reason)number), "?");
		assert_string_equal(hs_reason_text((enum hs_reason)number), "unknown reason");
		assert_int_equal(hs_reason_status((enum hs_reason)number), HS_E_INTERNAL);
	}
}
