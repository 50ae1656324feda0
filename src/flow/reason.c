/* The rows of status.def, looked up by number. */
#include <hartscope/status.h>

#include <stddef.h>
#include <stdint.h>

#include "flow/reason.h"

static const struct row {
	uint8_t number, status;
	const char *name, *nt, *et, *tacit, *text;
} rows[] = {
#define HS_REASON(number, id, name, status, nt, et, tacit, text) \
	{ number, HS_##status, name, nt, et, tacit, text },
#include <hartscope/tables/status.def>
#undef HS_REASON
};

static const struct row *find_row(enum hs_reason reason)
{
	static const struct row none = { 0, HS_E_INTERNAL, "?", "", "", "", "unknown reason" };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == (unsigned)reason)
			return &rows[i];
	return &none;
}

const char *hs_reason_name(enum hs_reason reason)
{
	return find_row(reason)->name;
}

const char *hs_reason_text(enum hs_reason reason)
{
	return find_row(reason)->text;
}

enum hs_status hs_reason_status(enum hs_reason reason)
{
	return (enum hs_status)find_row(reason)->status;
}

const char *hs_reason_nt_clause(enum hs_reason reason)
{
	return find_row(reason)->nt;
}

const char *hs_reason_et_clause(enum hs_reason reason)
{
	return find_row(reason)->et;
}

const char *hs_reason_tacit_clause(enum hs_reason reason)
{
	return find_row(reason)->tacit;
}
