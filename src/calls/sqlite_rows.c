/* Rows that are inserted in batches (sqlite_rows.h).
 *
 * Which rows a batch has depends on the calls only, and they are inserted one after the other, so a
 * database has the same bytes with any number of threads.  A batch is a table of SQLite's
 * (sqlite.org/vtab.html): one statement inserts it, in place of one with 14 values for each row.
 * Its rows are sorted by id: calls end in another order than they began, and what comes after the
 * last row of a table needs no search. */
#include "calls/sqlite_rows.h"
#include "support/pool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_ROWS 16384u
#define BATCHES 4u /* with a thread; else one */

struct batch {
	struct exports_row rows[BATCH_ROWS];
	size_t n;
};

struct exports_rows {
	sqlite3 *db;
	sqlite3_stmt *insert[EXPORTS_ROW_TABLES];
	struct hs_pool *pool; /* batches are the jobs of one strand; NULL: none was given */
	bool wants_thread;
	uint64_t given, taken; /* batches */
	struct batch *batches[BATCHES];
	uint32_t count;
	enum hs_status status; /* atomic; of the strand, as what follows: */
	uint64_t done;         /* batches */
	const struct exports_row *order[BATCH_ROWS];
	size_t from, to; /* of them, those that a statement reads */
};

/* ---- the library --------------------------------------------------------------------------- */

SQLITE_EXTENSION_INIT1

static sqlite3_api_routines called;

static void load_library(void)
{
#define CALLED(f) \
	{ \
		"sqlite3_" #f, offsetof(sqlite3_api_routines, f) \
	}
	static const struct {
		const char *name;
		size_t at;
	} names[] = { CALLED(bind_int64),   CALLED(bind_text),     CALLED(clear_bindings),
		      CALLED(close),        CALLED(create_module), CALLED(declare_vtab),
		      CALLED(errcode),      CALLED(exec),          CALLED(finalize),
		      CALLED(open_v2),      CALLED(prepare_v2),    CALLED(reset),
		      CALLED(result_int64), CALLED(result_text),   CALLED(step) };
	void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *f = library ? dlsym(library, names[i].name) : NULL;

		if (!f)
			return;
		memcpy((char *)&called + names[i].at, &f, sizeof(f));
	}
	exports_sqlite_api = &called;
}

enum hs_status exports_sqlite_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_library);
	return exports_sqlite_api ? HS_OK : HS_E_UNSUPPORTED;
}

enum hs_status exports_sqlite_status(sqlite3 *db, int result)
{
	if (result == SQLITE_OK || result == SQLITE_DONE)
		return HS_OK;
	if (!db || sqlite3_errcode(db) == SQLITE_NOMEM)
		return HS_E_MEMORY;
	return HS_E_SYSTEM;
}

/* ---- a batch as a table -------------------------------------------------------------------- */

struct rows_table {
	sqlite3_vtab base; /* SQLite's, first */
	const struct exports_rows *rows;
};

struct rows_cursor {
	sqlite3_vtab_cursor base; /* SQLite's, first */
	size_t at;
};

static const struct exports_rows *rows_of(const sqlite3_vtab_cursor *c)
{
	return ((const struct rows_table *)c->pVtab)->rows;
}

static int connect_table(sqlite3 *db, void *rows, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
	struct rows_table *t = calloc(1, sizeof(*t));

	(void)argc;
	(void)argv;
	(void)error;
	if (!t)
		return SQLITE_NOMEM;
	t->rows = rows;
	*out = &t->base;
	return sqlite3_declare_vtab(
		db, "CREATE TABLE batch (a, b, c, d, e, f, g, h, i, j, k, l, m, n)");
}

static int disconnect_table(sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

static int plan_read(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedRows = BATCH_ROWS;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct rows_cursor *c = calloc(1, sizeof(*c));

	(void)t;
	*out = c ? &c->base : NULL;
	return c ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
	free(c);
	return SQLITE_OK;
}

static int begin_rows(sqlite3_vtab_cursor *c, int plan, const char *name, int argc,
                      sqlite3_value **argv)
{
	(void)plan;
	(void)name;
	(void)argc;
	(void)argv;
	((struct rows_cursor *)c)->at = rows_of(c)->from;
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *c)
{
	((struct rows_cursor *)c)->at++;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *c)
{
	return ((struct rows_cursor *)c)->at >= rows_of(c)->to;
}

static int get_column(sqlite3_vtab_cursor *c, sqlite3_context *to, int column)
{
	const struct exports_row *r = rows_of(c)->order[((struct rows_cursor *)c)->at];

	if (r->numbers >> column & 1)
		sqlite3_result_int64(to, (sqlite3_int64)r->values[column]);
	else if (r->text && r->text_at == column)
		sqlite3_result_text(to, r->text, -1, SQLITE_STATIC);
	return SQLITE_OK; /* else NULL */
}

static int get_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((struct rows_cursor *)c)->at;
	return SQLITE_OK;
}

static const sqlite3_module batch_table = { .xConnect = connect_table,
	                                    .xBestIndex = plan_read,
	                                    .xDisconnect = disconnect_table,
	                                    .xOpen = open_cursor,
	                                    .xClose = close_cursor,
	                                    .xFilter = begin_rows,
	                                    .xNext = next_row,
	                                    .xEof = is_at_end,
	                                    .xColumn = get_column,
	                                    .xRowid = get_rowid };

/* ---- inserting ----------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
	const struct exports_row *const x = *(const struct exports_row *const *)a;
	const struct exports_row *const y = *(const struct exports_row *const *)b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return (x->values[0] > y->values[0]) - (x->values[0] < y->values[0]);
}

static enum hs_status insert_batch(struct exports_rows *r, const struct batch *b)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < b->n; i++)
		r->order[i] = &b->rows[i];
	qsort(r->order, b->n, sizeof(*r->order), compare_rows);
	for (r->from = 0; r->from < b->n && s == HS_OK; r->from = r->to) {
		const uint8_t table = r->order[r->from]->table;

		for (r->to = r->from; r->to < b->n && r->order[r->to]->table == table;)
			r->to++;
		s = exports_sqlite_status(r->db, sqlite3_step(r->insert[table]));
		sqlite3_reset(r->insert[table]);
	}
	return s;
}

static enum hs_status status_of(const struct exports_rows *r)
{
	return __atomic_load_n(&r->status, __ATOMIC_RELAXED);
}

static void insert_next(void *rows, uint32_t strand, uint32_t thread)
{
	struct exports_rows *r = rows;
	struct batch *b = r->batches[r->done++ % r->count];

	(void)strand;
	(void)thread;
	if (status_of(r) == HS_OK)
		__atomic_store_n(&r->status, insert_batch(r, b), __ATOMIC_RELAXED);
	b->n = 0;
}

/* Wait until at most @most batches are not inserted. */
static enum hs_status wait_for_batches(struct exports_rows *r, uint32_t most)
{
	for (; r->given - r->taken > most; r->taken++)
		hs_pool_take(r->pool, 0);
	return status_of(r);
}

/* ---- batches that are filled --------------------------------------------------------------- */

static bool add_batch(struct exports_rows *r)
{
	struct batch *b = malloc(sizeof(*b));

	if (!b)
		return false;
	b->n = 0;
	r->batches[r->count++] = b;
	return true;
}

/* The first batch is full, or the only one: from now on a thread inserts, if that is wanted and
 * there are memory and a thread. */
static enum hs_status start_pool(struct exports_rows *r, bool with_thread)
{
	while (with_thread && r->count < BATCHES && add_batch(r))
		;
	return hs_pool_new(&r->pool, r->count > 1 ? 2 : 1, 1, insert_next, r);
}

static enum hs_status give_batch(struct exports_rows *r, uint32_t most)
{
	r->given++;
	hs_pool_give(r->pool, 0);
	return wait_for_batches(r, most);
}

static enum hs_status give_full_batch(struct exports_rows *r)
{
	const enum hs_status s = r->pool ? HS_OK : start_pool(r, r->wants_thread);

	return s == HS_OK ? give_batch(r, r->count - 1) : s;
}

struct exports_row *exports_rows_next(struct exports_rows *r, enum exports_row_table table,
                                      enum hs_status *s)
{
	struct batch *b = r->batches[r->given % r->count];

	*s = HS_OK;
	if (b->n == BATCH_ROWS) {
		*s = give_full_batch(r);
		b = r->batches[r->given % r->count];
	}
	if (*s != HS_OK)
		return NULL;
	struct exports_row *row = &b->rows[b->n++];

	row->text = NULL;
	row->numbers = 0;
	row->table = (uint8_t)table;
	return row;
}

enum hs_status exports_rows_end(struct exports_rows *r)
{
	const enum hs_status s = r->pool ? HS_OK : start_pool(r, false);

	return s == HS_OK ? give_batch(r, 0) : s;
}

/* ---- beginning and ending ------------------------------------------------------------------ */

static int prepare(struct exports_rows *r)
{
	static const char *const texts[EXPORTS_ROW_TABLES] = {
		[EXPORTS_ROW_CALL] = "INSERT INTO calls SELECT * FROM batch",
		[EXPORTS_ROW_TRAP] =
			"INSERT INTO traps SELECT a, b, c, d, e, f, g, h, i, j FROM batch",
	};
	int result = sqlite3_create_module(r->db, "batch", &batch_table, r);

	for (unsigned i = 0; i < EXPORTS_ROW_TABLES && result == SQLITE_OK; i++)
		result = sqlite3_prepare_v2(r->db, texts[i], -1, &r->insert[i], NULL);
	return result;
}

enum hs_status exports_rows_new(sqlite3 *db, uint32_t threads, struct exports_rows **out)
{
	struct exports_rows *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return HS_E_MEMORY;
	r->db = db;
	r->wants_thread = threads > 1;
	return add_batch(r) ? exports_sqlite_status(db, prepare(r)) : HS_E_MEMORY;
}

void exports_rows_free(struct exports_rows *r)
{
	if (!r)
		return;
	hs_pool_free(r->pool);
	for (unsigned i = 0; i < EXPORTS_ROW_TABLES; i++)
		sqlite3_finalize(r->insert[i]);
	while (r->count)
		free(r->batches[--r->count]);
	free(r);
}
