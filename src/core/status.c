/* The status list of status.def, as names, texts and classes. */
#include <stddef.h>

#include <hartscope/status.h>

static const struct row {
	const char *name, *text;
	enum hs_status_class cls;
} rows[] = {
#define HS_STATUS(name, number, cls, text) [number] = { #name, text, HS_CLASS_##cls },
#include <hartscope/tables/status.def>
#undef HS_STATUS
};

static const struct row *row_of(enum hs_status s)
{
	return (unsigned)s < sizeof(rows) / sizeof(rows[0]) && rows[s].name ? &rows[s] : NULL;
}

const char *hs_status_name(enum hs_status s)
{
	const struct row *r = row_of(s);

	return r ? r->name : "?";
}

const char *hs_status_text(enum hs_status s)
{
	const struct row *r = row_of(s);

	return r ? r->text : "unknown status";
}

enum hs_status_class hs_status_get_class(enum hs_status s)
{
	const struct row *r = row_of(s);

	return r ? r->cls : HS_CLASS_INTERNAL;
}
