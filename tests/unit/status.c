/* The status list: names, texts and classes agree with the numbers (status.def). */
#include "cases.h"

#include <hartscope/status.h>

/* By hand from the comments in status.h: the first of each class, the last, and outside. */
static const struct row {
	int status;
	const char *name;
	enum hs_status_class cls;
} rows[] = {
	{ HS_OK, "OK", HS_CLASS_OK },
	{ HS_MORE, "MORE", HS_CLASS_MORE },
	{ HS_END, "END", HS_CLASS_MORE },
	{ HS_E_ARG, "E_ARG", HS_CLASS_CALLER },
	{ HS_E_FRAMING, "E_FRAMING", HS_CLASS_DATA },
	{ HS_E_DIFFERS, "E_DIFFERS", HS_CLASS_DATA },
	{ HS_E_UNSUPPORTED, "E_UNSUPPORTED", HS_CLASS_UNSUPPORTED },
	{ HS_E_SYSTEM, "E_SYSTEM", HS_CLASS_SYSTEM },
	{ HS_E_INTERNAL, "E_INTERNAL", HS_CLASS_INTERNAL },
	{ HS_E_SOURCES, "E_SOURCES", HS_CLASS_UNSUPPORTED },
	{ HS_E_NOTHING, "E_NOTHING", HS_CLASS_CALLER },
	{ HS_E_UNKNOWN, "E_UNKNOWN", HS_CLASS_DATA },
	{ HS_STATUS_COUNT, "?", HS_CLASS_INTERNAL },
	{ -1, "?", HS_CLASS_INTERNAL },
};

TEST_ROWS(named, rows, r)
{
	assert_string_equal(hs_status_name((enum hs_status)r->status), r->name);
	assert_int_equal(hs_status_get_class((enum hs_status)r->status), r->cls);
}

/* A text is one line for people: not empty, no full stop, no line break. */
TEST(texts_are_one_line)
{
	for (int i = 0; i < HS_STATUS_COUNT; i++) {
		const char *text = hs_status_text((enum hs_status)i);

		assert_true(strlen(text) > 5);
		assert_null(strchr(text, '\n'));
		assert_int_not_equal(text[strlen(text) - 1], '.');
	}
	assert_string_equal(hs_status_text(HS_STATUS_COUNT), "unknown status");
}

/* Errors come after everything that is none (status.h). */
TEST(errors_start_at_e_arg)
{
	for (int i = 0; i < HS_STATUS_COUNT; i++) {
		const enum hs_status_class cls = hs_status_get_class((enum hs_status)i);

		assert_int_equal(i < HS_E_ARG, cls == HS_CLASS_OK || cls == HS_CLASS_MORE);
	}
}
