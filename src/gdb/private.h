/* What the files of the server share. */
#ifndef HS_GDB_PRIVATE_H
#define HS_GDB_PRIVATE_H

#include <sys/stat.h>

#include <hartscope/views.h>

#include "gdb/player.h"
#include "gdb/watch.h"
#include "support/out.h"

#define GDB_PACKET 16384u /* bytes of a packet that the debugger may send */
#define GDB_BREAKS 4096u

typedef unsigned long long ull; /* for printf */

/* A segment of a file that cannot be written. */
struct gdb_segment {
	uint64_t start, size, offset; /* offset: in the file */
	size_t file;
};

/* A file that the program loaded, for the debugger to find it. */
struct gdb_library {
	const char *path; /* the program's */
	uint64_t bias;
	uint64_t dynamic, start; /* addresses of its dynamic section and first segment, as loaded */
};

/* Memory: what the program's image lacks. */
struct gdb_memory {
	struct gdb_segment *segments;
	size_t count;
	struct gdb_file {
		const char *path; /* the program's */
		struct stat as;   /* when it was looked at */
	} * files;
	size_t file_count;
	struct gdb_library *libraries;
	size_t library_count;
};

/* A name for a place, by a monitor command. */
struct gdb_bookmark {
	char name[32];
	uint32_t player;
	uint64_t at;
};
#define GDB_BOOKMARKS 64u

/* What the debugger sent since it last continued, if it steps by breakpoints (steps.c). */
struct gdb_steps {
	uint64_t planted; /* the breakpoint for a step, with is_planted */
	uint32_t looks;   /* how often it read the current instruction since the last breakpoint */
	bool is_planted;
};

struct hs_gdb_server {
	struct hs_gdb_server_options o;
	struct hs_program *program;
	unsigned xlen;
	struct gdb_player *players;              /* a hart each; thread i + 1 is players[i] */
	uint32_t player_count, current, resumed; /* of Hg, of Hc */
	bool resumes_all;                        /* Hc is of every thread */
	struct hs_source **own;                  /* sources that were opened for them */
	struct hs_span index;                    /* of the source; empty: there is none */
	uint32_t own_count;
	struct gdb_memory memory;
	uint64_t breaks[GDB_BREAKS]; /* sorted */
	size_t break_count;
	struct gdb_watches watches;
	struct gdb_bookmark bookmarks[GDB_BOOKMARKS];
	uint32_t bookmark_count;
	struct gdb_steps steps;
	/* The debugger is GDB; it has hartscope.py, which asks for frames, or a text named that. */
	bool is_gdb, knows_frames;
	bool no_ack, over;
	struct { /* what is being received */
		char packet[GDB_PACKET + 1];
		size_t packet_size;
		enum gdb_framing { GDB_IDLE, GDB_BODY, GDB_ESCAPE, GDB_SUM1, GDB_SUM2 } framing;
		bool too_long;
		uint8_t sum, given;
	} in;
	/* What is being sent. */
	struct support_out out;
	uint8_t out_sum;
};

static inline struct gdb_player *gdb_current(struct hs_gdb_server *g)
{
	return &g->players[g->current];
}

/* packet.c: a reply is begun, put together and ended; its bytes are escaped where they must be. */
void gdb_reply_begin(struct hs_gdb_server *g);
void gdb_reply_put(struct hs_gdb_server *g, const void *bytes, size_t n);
void gdb_reply_print(struct hs_gdb_server *g, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Each byte as two digits. */
void gdb_reply_hex(struct hs_gdb_server *g, const void *bytes, size_t n);
void gdb_reply_end(struct hs_gdb_server *g);
/* A whole reply of text. */
void gdb_reply(struct hs_gdb_server *g, const char *text);

/* serve.c: a whole packet.  HS_OK or HS_E_MEMORY. */
enum hs_status gdb_serve(struct hs_gdb_server *g, char *packet, size_t n);

/* describe.c: the target description, and the registers. */
void gdb_reply_part(struct hs_gdb_server *g, const char *text, size_t size, const char *range);
void gdb_reply_features(struct hs_gdb_server *g, const char *range);
void gdb_reply_registers(struct hs_gdb_server *g);
void gdb_reply_register(struct hs_gdb_server *g, uint64_t number);

/* The list of loaded files: as GDB asks for it on System V (library-list-svr4), and where it takes
 * no operating system (library-list). */
void gdb_reply_libraries(struct hs_gdb_server *g, const char *range, bool svr4);

/* steps.c: the debugger reads memory; it inserts a breakpoint, or removes one; it continues, or
 * does something else. */
void gdb_steps_read(struct hs_gdb_server *g, uint64_t addr, uint64_t n);
void gdb_steps_plant(struct hs_gdb_server *g, bool insert, uint64_t addr);
void gdb_steps_forget(struct hs_gdb_server *g);
/* It continues: is that a step of one instruction? */
bool gdb_steps_one(struct hs_gdb_server *g, const struct gdb_player *p);

/* monitor.c: text of the debugger's user. */
void gdb_monitor(struct hs_gdb_server *g, const char *text);

/* memory.c */
enum hs_status gdb_memory_open(struct hs_gdb_server *g);
void gdb_memory_close(struct hs_gdb_server *g);
/* Bytes of the program's files from an address on; 0: none are known. */
size_t gdb_memory_read(const struct hs_gdb_server *g, uint64_t addr, uint8_t *to, size_t n);

/* watch.c: insert a watchpoint or remove it. */
enum gdb_watch_set { GDB_WATCH_OK, GDB_WATCH_NO_DATA, GDB_WATCH_FULL };
enum gdb_watch_set gdb_watch_set(struct hs_gdb_server *g, bool insert,
                                 const struct gdb_watch *watch);
/* The access that a hart would come to next and a watchpoint is for.  GDB_WATCHPOINT: *n is the
 * number of its instruction; GDB_STEPPED: there is none; GDB_INTERRUPT: it was not found out. */
enum gdb_stop gdb_watch_find(struct hs_gdb_server *g, uint32_t player, bool back, uint64_t *n);
/* Bytes as data accesses of the current hart have them where it is; how many are known. */
size_t gdb_watch_read(struct hs_gdb_server *g, uint64_t addr, uint8_t *to, size_t n);
void gdb_watch_close(struct hs_gdb_server *g);

#endif
