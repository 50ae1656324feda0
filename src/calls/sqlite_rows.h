/* Rows that are inserted in batches, by a thread of their own (design/scans). */
#ifndef HS_EXPORTS_SQLITE_ROWS_H
#define HS_EXPORTS_SQLITE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* SQLite's functions are members of its own table for loadable extensions. */
#define sqlite3_api exports_sqlite_api
#include <sqlite3ext.h>

#include <hartscope/status.h>

SQLITE_EXTENSION_INIT3

#define EXPORTS_ROW_COLUMNS 14u

enum exports_row_table { EXPORTS_ROW_CALL, EXPORTS_ROW_TRAP, EXPORTS_ROW_TABLES };

/* A row of either table.  What has neither a number nor the text is NULL. */
struct exports_row {
	uint64_t values[EXPORTS_ROW_COLUMNS]; /* the first one is the row's id */
	const char *text;                     /* one column may have one; it stays where it is */
	uint16_t numbers;                     /* columns that have one, by bit */
	uint8_t text_at;
	uint8_t table; /* enum exports_row_table */
};

static inline void exports_row_set(struct exports_row *r, unsigned column, uint64_t value)
{
	r->values[column] = value;
	r->numbers |= (uint16_t)(1u << column);
}

static inline void exports_row_set_text(struct exports_row *r, unsigned column, const char *text)
{
	r->text = text;
	r->text_at = (uint8_t)column;
}

struct exports_rows;

/* Of a database that has the tables.  @threads: as many as the export may have; with 1 the caller's
 * inserts.  HS_E_MEMORY, HS_E_SYSTEM. */
enum hs_status exports_rows_new(sqlite3 *db, uint32_t threads, struct exports_rows **out);
/* The next row, for the caller to fill, which has no columns yet.  NULL: *s is why rows before it
 * were not inserted.  From the first one to exports_rows_end() the caller leaves @db alone. */
struct exports_row *exports_rows_next(struct exports_rows *r, enum exports_row_table table,
                                      enum hs_status *s);
/* All rows are inserted. */
enum hs_status exports_rows_end(struct exports_rows *r);
/* Rows that were not inserted by then are not. */
void exports_rows_free(struct exports_rows *r);

/* Load the library, once: it has more to bind than all others that a process loads at its start.
 * HS_E_UNSUPPORTED: it is not installed, or has not what is called. */
enum hs_status exports_sqlite_load(void);
/* What a result of SQLite's is.  HS_OK, HS_E_MEMORY, HS_E_SYSTEM: errno is as SQLite left it, whose
 * own copy of it (3.40) is 0 after a write. */
enum hs_status exports_sqlite_status(sqlite3 *db, int result);

#endif
