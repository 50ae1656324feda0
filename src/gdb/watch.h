/* Data accesses of a hart to some bytes, and watchpoints. */
#ifndef HS_GDB_WATCH_H
#define HS_GDB_WATCH_H

#include "gdb/player.h"

/* What of an access counts, and is known. */
enum gdb_access_what { GDB_READS = 1, GDB_WRITES = 2, GDB_HAS_BEFORE = 4, GDB_HAS_AFTER = 8 };

/* An access to the bytes of a range. */
struct gdb_access {
	uint64_t n; /* number of its instruction */
	uint64_t addr;
	uint64_t before, after; /* values that were there */
	uint8_t bytes, what;
};

#define GDB_RANGES 32u
#define GDB_ACCESSES ((size_t)1 << 22) /* of a range, at most */

/* Bytes whose accesses by a hart are known, in the order of their instructions. */
struct gdb_range {
	uint64_t addr, size;
	uint32_t player;
	struct gdb_access *items;
	size_t count, room;
};

/* As in the packets Z2 to Z4. */
enum gdb_watch_type { GDB_WATCH_WRITE = 2, GDB_WATCH_READ = 3, GDB_WATCH_ACCESS = 4 };

struct gdb_watch {
	uint64_t addr, size;
	uint8_t type;
};

#define GDB_WATCHES 16u

struct gdb_watches {
	struct gdb_range ranges[GDB_RANGES]; /* the newest, in a ring */
	uint32_t range_count, next;
	struct gdb_watch at[GDB_WATCHES];
	uint32_t count;
	struct gdb_watch hit; /* that stopped the hart last */
	bool too_many;        /* accesses, when a range was looked for last */
};

#endif
