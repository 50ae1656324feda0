/* hartscope report --by access: which functions loaded and stored how often, of a run with data. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/views.h>

#include "commands/list.h"
#include "commands/report.h"

/* What a function did. */
struct row {
	const char *name, *file; /* as the program keeps them */
	uint64_t loads, stores, atomics, bytes;
	bool used;
};

/* All of them: a table with room for a power of two. */
struct table {
	struct row *rows;
	size_t count, room;
	uint64_t addr, size; /* only accesses to these bytes; size 0: all */
	bool data, failed;
};

static struct row *find_row(struct table *t, const char *name, const char *file)
{
	size_t at = ((uintptr_t)name * 31u + (uintptr_t)file) * UINT64_C(0x9e3779b97f4a7c15) >> 20;

	while (t->rows[at & (t->room - 1)].used && (t->rows[at & (t->room - 1)].name != name ||
	                                            t->rows[at & (t->room - 1)].file != file))
		at++;
	return &t->rows[at & (t->room - 1)];
}

static bool grow_table(struct table *t)
{
	const struct table old = *t;

	if (2 * (t->count + 1) <= t->room)
		return true;
	t->room = t->room ? 2 * t->room : 64;
	t->rows = calloc(t->room, sizeof(*t->rows));
	for (size_t i = 0; t->rows && i < old.room; i++)
		if (old.rows[i].used)
			*find_row(t, old.rows[i].name, old.rows[i].file) = old.rows[i];
	free(old.rows);
	return t->rows != NULL;
}

static bool is_wanted(const struct table *t, const struct hs_access *a)
{
	return !t->size ||
	       ((a->known & HS_ACCESS_HAS_ADDRESS) &&
	        (a->address - t->addr < t->size || t->addr - a->address < UINT64_C(1) << a->size));
}

static void count_access(void *to, const char *name, const char *file, const struct hs_access *a)
{
	struct table *t = to;

	t->data = true;
	if (hs_access_is_csr(a->type) || t->failed || !is_wanted(t, a))
		return;
	if (!grow_table(t)) {
		t->room = t->count = 0;
		t->failed = true;
		return;
	}
	struct row *r = find_row(t, name, file);

	t->count += !r->used;
	r->used = true;
	r->name = name;
	r->file = file;
	r->loads += hs_access_is_load(a->type);
	r->stores += hs_access_is_store(a->type);
	r->atomics += hs_access_is_atomic(a->type);
	r->bytes += UINT64_C(1) << a->size;
}

static uint64_t all_of(const struct row *r)
{
	return r->loads + r->stores + r->atomics;
}

static int by_accesses(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (all_of(x) != all_of(y))
		return all_of(x) > all_of(y) ? -1 : 1;
	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static void show_rows(const struct options *o, const struct table *t, uint64_t top)
{
	struct report r;

	report_begin(&r, stdout, o->json);
	report_list(&r, "functions", "accesses by function: loads, stores, atomics, bytes");
	for (size_t i = 0; i < t->room && i < top && t->rows[i].used; i++) {
		const struct row *row = &t->rows[i];

		report_row(&r);
		report_u64(&r, "loads", "", row->loads);
		report_u64(&r, "stores", "", row->stores);
		report_u64(&r, "atomics", "", row->atomics);
		report_u64(&r, "bytes", "", row->bytes);
		report_text(&r, "name", "", row->name ? row->name : "(no symbol)");
		if (row->file)
			report_library(&r, row->file, false);
		report_row_end(&r);
	}
	report_list_end(&r);
	report_u64(&r, "functions_all", "functions", t->count);
	report_end(&r);
}

/* A listing gives each access to its instruction. */
static bool read_accesses(struct hs_source *source, const struct options *o, struct table *t,
                          struct damage *damage)
{
	const struct hs_listing_options lo = { .size = sizeof(lo),
		                               .program = hs_source_known(source)->program,
		                               .programs = hs_source_known(source)->programs,
		                               .guest = hs_source_known(source)->guest,
		                               .accessed = count_access,
		                               .accessed_to = t };
	uint64_t count;

	return writes_read(source, lo, "counting accesses", o->quiet, damage, &count) && !t->failed;
}

int report_access(struct hs_source *source, const struct options *o, const char *to, uint64_t top)
{
	struct table t = { .count = 0 };
	struct damage damage = { 0 };
	int status = EXIT_GOOD;

	if (to && !writes_find_bytes("--accesses-to", to, source, &t.addr, &t.size))
		return EXIT_USAGE;
	if (!read_accesses(source, o, &t, &damage)) {
		complain("out of memory");
		status = EXIT_USAGE;
	} else if (!t.data) {
		writes_note_no_data();
		status = EXIT_FINDINGS;
	} else {
		if (t.room)
			qsort(t.rows, t.room, sizeof(*t.rows), by_accesses);
		show_rows(o, &t, top);
	}
	free(t.rows);
	return status != EXIT_GOOD ? status : damage_exit(&damage);
}
