/* A large real program for the benchmark: SQLite in memory, with inserts, an index, joins,
 * aggregates and sorting.  Prints sums, so that a wrong run shows.
 *
 *   sqlite_driver [ROWS]     100000 rows are some 2 * 10^9 instructions
 */
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static sqlite3 *db;

static void fail(const char *sql)
{
	fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
	exit(1);
}

static int print_row(void *context, int n, char **values, char **names)
{
	(void)context;
	(void)names;
	for (int i = 0; i < n; i++)
		printf("%s%s", i ? " " : "", values[i] ? values[i] : "null");
	printf("\n");
	return 0;
}

static void run(const char *sql)
{
	if (sqlite3_exec(db, sql, print_row, NULL, NULL) != SQLITE_OK)
		fail(sql);
}

/* Keys from a linear congruence: spread, without a library's random numbers. */
static void fill(int rows)
{
	static const char sql[] = "INSERT INTO item VALUES (?1, ?2, ?3, printf('%08x-%d', ?2, ?1))";
	sqlite3_stmt *insert;
	unsigned key = 12345;

	if (sqlite3_prepare_v2(db, sql, -1, &insert, NULL) != SQLITE_OK)
		fail(sql);
	for (int i = 0; i < rows; i++) {
		key = key * 1103515245u + 12345u;
		sqlite3_bind_int(insert, 1, i);
		sqlite3_bind_int(insert, 2, (int)(key >> 8));
		sqlite3_bind_int(insert, 3, (int)(key >> 16) % 97);
		if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert) != SQLITE_OK)
			fail(sql);
	}
	sqlite3_finalize(insert);
}

int main(int argc, char **argv)
{
	const int rows = argc > 1 ? atoi(argv[1]) : 100000;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		fail("open");
	run("CREATE TABLE item (id INTEGER PRIMARY KEY, key INT, class INT, name TEXT)");
	run("CREATE TABLE class (id INTEGER PRIMARY KEY, factor INT)");
	run("BEGIN");
	fill(rows);
	run("INSERT INTO class SELECT DISTINCT class, class * 7 % 13 FROM item");
	run("COMMIT");
	run("CREATE INDEX item_key ON item (key)");
	run("SELECT count(*), sum(key % 1000) FROM item");
	run("SELECT sum(i.key % 100 * c.factor) FROM item i JOIN class c ON c.id = i.class");
	run("SELECT class, count(*) n, max(name) FROM item GROUP BY class ORDER BY n DESC, class LIMIT 3");
	run("SELECT count(*) FROM item a JOIN item b ON b.key = a.key + 1");
	run("SELECT name FROM item ORDER BY substr(name, 3), id DESC LIMIT 2 OFFSET 1000");
	run("UPDATE item SET name = upper(name) || class WHERE key % 3 = 0");
	run("SELECT sum(length(name)) FROM item WHERE name LIKE '%A1%'");
	sqlite3_close(db);
	return 0;
}
