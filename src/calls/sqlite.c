/* A database of SQLite: functions, calls, blocks and traps (docs/export-database.md). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "calls/exports_private.h"
#include "calls/sqlite_rows.h"
#include "support/utf8.h"

static const char schema[] =
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1;"
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE functions (id INTEGER PRIMARY KEY, name TEXT, start INTEGER, object TEXT,"
	" file TEXT, line INTEGER);"
	"CREATE TABLE calls (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES calls,"
	" function INTEGER NOT NULL REFERENCES functions, hart INTEGER, stack INTEGER,"
	" depth INTEGER, how TEXT, site INTEGER, first INTEGER, last INTEGER, self INTEGER,"
	" total INTEGER, begun INTEGER, ended INTEGER);"
	"CREATE TABLE blocks (function INTEGER NOT NULL REFERENCES functions, address INTEGER,"
	" bytes INTEGER, instructions INTEGER, times INTEGER);"
	"CREATE TABLE traps (id INTEGER PRIMARY KEY, hart INTEGER, first INTEGER,"
	" interrupt INTEGER, cause INTEGER, name TEXT, value INTEGER, address INTEGER,"
	" handler INTEGER, function INTEGER REFERENCES functions);"
	"BEGIN;";

static const char indexes[] = "CREATE INDEX calls_function ON calls (function);"
			      "CREATE INDEX calls_parent ON calls (parent);"
			      "CREATE INDEX blocks_address ON blocks (address);"
			      "COMMIT;";

/* A block of a function. */
struct block {
	uint64_t iaddr;
	uint32_t function, iretire;
	uint32_t instructions, reserved;
};

/* A hart whose last block ended with a trap. */
struct trap {
	uint64_t address, value;
	uint32_t cause;
	bool pending, interrupt, has_cause;
	bool called; /* it is a system call, by its event */
};

enum { INSERT_META, INSERT_FUNCTION, INSERT_BLOCK, INSERTS };

struct database {
	sqlite3 *db;
	sqlite3_stmt *insert[INSERTS];
	struct exports_rows *rows; /* of calls and traps */
	struct support_hash blocks;
	struct trap *traps; /* by index of the hart */
	size_t trap_count;
	uint64_t calls, found_traps;
};

static enum hs_status begin(struct hs_export *x)
{
	static const char *const texts[INSERTS] = {
		[INSERT_META] = "INSERT INTO meta VALUES (?,?)",
		[INSERT_FUNCTION] = "INSERT INTO functions VALUES (?,?,?,?,?,?)",
		[INSERT_BLOCK] = "INSERT INTO blocks VALUES (?,?,?,?,?)",
	};
	const enum hs_status loaded = exports_sqlite_load();
	struct database *d = loaded == HS_OK ? calloc(1, sizeof(*d)) : NULL;
	int r;

	if (loaded != HS_OK)
		return loaded;
	x->own = d;
	if (!d)
		return HS_E_MEMORY;
	d->blocks.item_size = sizeof(struct block);
	/* no mutex: one thread at a time uses it (sqlite_rows.c) */
	r = sqlite3_open_v2(x->o.path, &d->db,
	                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	if (r == SQLITE_OK)
		r = sqlite3_exec(d->db, schema, NULL, NULL, NULL);
	for (unsigned i = 0; i < INSERTS && r == SQLITE_OK; i++)
		r = sqlite3_prepare_v2(d->db, texts[i], -1, &d->insert[i], NULL);
	const enum hs_status s = exports_sqlite_status(d->db, r);

	return s == HS_OK ? exports_rows_new(d->db, x->o.threads, &d->rows) : s;
}

static void free_database(struct hs_export *x)
{
	struct database *d = x->own;

	exports_rows_free(d->rows);
	for (unsigned i = 0; i < INSERTS; i++)
		sqlite3_finalize(d->insert[i]);
	sqlite3_close(d->db);
	support_hash_free(&d->blocks);
	free(d->traps);
	free(d);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* What reads the database expects UTF-8, which SQLite does not look at. */
static void set_text(sqlite3_stmt *s, int at, const char *text)
{
	char escaped[4096];

	if (!text || support_utf8_is(text)) { /* NULL is NULL */
		sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
		return;
	}
	hs_text_escape(escaped, sizeof(escaped), text);
	sqlite3_bind_text(s, at, escaped, -1, SQLITE_TRANSIENT);
}

static void set_number(sqlite3_stmt *s, int at, uint64_t v)
{
	sqlite3_bind_int64(s, at, (sqlite3_int64)v);
}

static enum hs_status insert(struct database *d, unsigned which)
{
	sqlite3_stmt *s = d->insert[which];
	const int r = sqlite3_step(s);
	const enum hs_status status = exports_sqlite_status(d->db, r);

	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	return status;
}

/* ---- calls --------------------------------------------------------------------------------- */

static enum hs_status open_call(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s)
{
	struct database *d = x->own;

	(void)t;
	s->own = ++d->calls;
	return HS_OK;
}

static enum hs_status close_call(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s)
{
	static const char *const hows[] = { "found", "call", "trap", "signal", "start" };
	struct database *d = x->own;
	const uint32_t function = exports_function_of(x, s);
	enum hs_status status = HS_E_MEMORY;
	struct exports_row *row = NULL;

	if (function != UINT32_MAX)
		row = exports_rows_next(d->rows, EXPORTS_ROW_CALL, &status);
	if (!row)
		return status;
	exports_row_set(row, 0, s->own);
	if (t->depth > 1)
		exports_row_set(row, 1, s[-1].own);
	exports_row_set(row, 2, 1 + (uint64_t)function);
	exports_row_set(row, 3, t->hart);
	exports_row_set(row, 4, t->number);
	exports_row_set(row, 5, t->depth - 1u);
	exports_row_set_text(row, 6, s->again ? "again" : hows[s->how]);
	if (s->site)
		exports_row_set(row, 7, s->site);
	exports_row_set(row, 8, s->first);
	exports_row_set(row, 9, x->harts[t->index].instructions);
	exports_row_set(row, 10, s->self);
	exports_row_set(row, 11, s->self + s->called);
	exports_row_set(row, 12, s->begun);
	exports_row_set(row, 13, exports_now(x, t));
	return HS_OK;
}

/* ---- blocks and traps ---------------------------------------------------------------------- */

static struct trap *trap_of(struct hs_export *x)
{
	struct database *d = x->own;
	const size_t count = x->select.index + 1u;

	if (count > d->trap_count) {
		struct trap *more = realloc(d->traps, count * sizeof(*more));

		if (!more)
			return NULL;
		d->traps = more;
		memset(more + d->trap_count, 0, (count - d->trap_count) * sizeof(*more));
		d->trap_count = count;
	}
	return &d->traps[x->select.index];
}

static enum hs_status take_event(struct hs_export *x, const struct hs_block *b)
{
	struct trap *t = trap_of(x);

	if (!t)
		return HS_E_MEMORY;
	if (b->kind == HS_KIND_TRAP) {
		t->cause = b->arg;
		t->value = b->value;
		t->has_cause = true;
	}
	t->called |= b->kind == HS_KIND_NOTE && b->arg == HS_NOTE_CALL;
	t->pending &= !hs_event_breaks(b);
	return HS_OK;
}

/* @handler: the block where it led, which is in @function; NULL: the flow ends with it. */
static enum hs_status insert_trap(struct hs_export *x, const struct trap *t, uint32_t function,
                                  const struct hs_block *handler)
{
	struct database *d = x->own;
	enum hs_status s;
	struct exports_row *row = exports_rows_next(d->rows, EXPORTS_ROW_TRAP, &s);

	if (!row)
		return s;
	exports_row_set(row, 0, ++d->found_traps);
	exports_row_set(row, 1, x->select.hart);
	exports_row_set(row, 2, x->harts[x->select.index].instructions);
	exports_row_set(row, 3, t->interrupt);
	if (t->has_cause) {
		exports_row_set(row, 4, t->cause);
		exports_row_set_text(row, 5, hs_trap_cause_name(t->interrupt, t->cause));
		exports_row_set(row, 6, t->value);
	}
	exports_row_set(row, 7, t->address);
	if (handler) {
		exports_row_set(row, 8, handler->iaddr);
		exports_row_set(row, 9, 1 + (uint64_t)function);
	}
	return HS_OK;
}

/* System calls that did not return. */
static enum hs_status insert_last_calls(struct hs_export *x)
{
	struct database *d = x->own;
	enum hs_status s = HS_OK;

	for (uint32_t i = 0; i < d->trap_count && s == HS_OK; i++) {
		const struct trap *t = &d->traps[i];

		if (!t->pending || !t->called)
			continue;
		s = program_select_hart(&x->select,
		                        *(uint32_t *)support_hash_item(&x->select.harts, i));
		if (s == HS_OK)
			s = insert_trap(x, t, 0, NULL);
	}
	return s;
}

static bool same_block(const void *item, const void *key)
{
	const struct block *a = item, *b = key;

	return a->iaddr == b->iaddr && a->iretire == b->iretire && a->function == b->function &&
	       a->instructions == b->instructions;
}

static uint32_t number_block(struct hs_export *x, struct exports_span *s, const struct hs_block *b,
                             uint32_t count)
{
	struct database *d = x->own;
	const struct block key = { .iaddr = b->iaddr,
		                   .function = exports_function_of(x, s),
		                   .iretire = b->iretire,
		                   .instructions = count };
	const uint32_t hash = support_hash_of(b->iaddr, (uint64_t)b->iretire << 32 | key.function);
	struct block *found = support_hash_find(&d->blocks, hash, same_block, &key);

	if (key.function == UINT32_MAX)
		return EXPORTS_FAILED;
	if (!found) {
		found = support_hash_add(&d->blocks, hash);
		if (!found)
			return EXPORTS_FAILED;
		*found = key;
	}
	return (uint32_t)(found - (struct block *)d->blocks.items);
}

static enum hs_status take_block(struct hs_export *x, struct exports_span *s,
                                 const struct hs_block *b, uint32_t count)
{
	struct trap *t = trap_of(x);
	const uint32_t function = exports_function_of(x, s);

	(void)count;
	if (!t || function == UINT32_MAX)
		return HS_E_MEMORY;
	const enum hs_status status = t->pending ? insert_trap(x, t, function, b) : HS_OK;

	*t = (struct trap){ .pending = hs_itype_is_trap(b->itype),
		            .interrupt = b->itype == HS_ITYPE_INTERRUPT,
		            .address = hs_block_end(b) };
	return status;
}

/* ---- the end ------------------------------------------------------------------------------- */

static enum hs_status insert_functions(struct hs_export *x)
{
	struct database *d = x->own;
	sqlite3_stmt *row = d->insert[INSERT_FUNCTION];
	enum hs_status s = HS_OK;
	char number[32];

	for (uint32_t i = 0; i < x->functions.count && s == HS_OK; i++) {
		const struct exports_function *f = exports_function_at(x, i);

		set_number(row, 1, 1 + (uint64_t)i);
		set_text(row, 2, exports_name(f->name, f->start, number));
		set_number(row, 3, f->start);
		set_text(row, 4, f->place.object);
		set_text(row, 5, f->place.file);
		if (f->place.file)
			set_number(row, 6, (uint64_t)f->place.line);
		s = insert(d, INSERT_FUNCTION);
	}
	return s;
}

static enum hs_status insert_blocks(struct hs_export *x)
{
	struct database *d = x->own;
	sqlite3_stmt *row = d->insert[INSERT_BLOCK];
	enum hs_status s = HS_OK;

	for (uint32_t i = 0; i < d->blocks.count && s == HS_OK; i++) {
		const struct block *b = support_hash_item(&d->blocks, i);

		set_number(row, 1, 1 + (uint64_t)b->function);
		set_number(row, 2, b->iaddr);
		set_number(row, 3, 2 * (uint64_t)b->iretire);
		set_number(row, 4, b->instructions);
		set_number(row, 5, x->times[i]);
		s = insert(d, INSERT_BLOCK);
	}
	return s;
}

static enum hs_status insert_meta(struct database *d, const char *key, const char *value)
{
	set_text(d->insert[INSERT_META], 1, key);
	set_text(d->insert[INSERT_META], 2, value);
	return insert(d, INSERT_META);
}

static enum hs_status end(struct hs_export *x)
{
	struct database *d = x->own;
	enum hs_status s = insert_last_calls(x);

	if (s == HS_OK)
		s = exports_rows_end(d->rows);
	if (s == HS_OK)
		s = insert_functions(x);
	if (s == HS_OK)
		s = insert_blocks(x);
	if (s == HS_OK)
		s = insert_meta(d, "recording", x->o.title);
	if (s == HS_OK)
		s = insert_meta(d, "hartscope", hs_version_string());
	if (s == HS_OK)
		s = insert_meta(d, "time", x->o.clock_hz ? "nanoseconds" : "instructions");
	return s == HS_OK ? exports_sqlite_status(d->db,
	                                          sqlite3_exec(d->db, indexes, NULL, NULL, NULL))
	                  : s;
}

const struct exports_format exports_sqlite = { .begin = begin,
	                                       .open = open_call,
	                                       .close = close_call,
	                                       .block = take_block,
	                                       .number = number_block,
	                                       .event = take_event,
	                                       .end = end,
	                                       .free = free_database };
