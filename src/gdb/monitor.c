/* The monitor commands: where it is, and places by number or by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/private.h"

static void say(struct hs_gdb_server *g, const char *text)
{
	gdb_reply_begin(g);
	gdb_reply_hex(g, text, strlen(text));
	gdb_reply_end(g);
}

static void say_position(struct hs_gdb_server *g)
{
	const struct gdb_player *p = gdb_current(g);
	char text[128], total[32] = "";

	if (p->total != UINT64_MAX)
		snprintf(total, sizeof(total), " of %llu", (ull)p->total);
	snprintf(text, sizeof(text), "instruction %llu%s, pc 0x%llx, hart %u\n", (ull)p->now, total,
	         (ull)p->pc, p->hart);
	say(g, text);
}

static void say_stack(struct hs_gdb_server *g)
{
	static const char beyond[] =
		"# outer callers may be missing: 256 frames are shown, of calls in the last 524288 "
		"blocks and 16777216 instructions ('hartscope calls' has all)\n";
	struct gdb_frame frames[GDB_FRAMES];
	bool more = false;
	const size_t count = gdb_player_stack(gdb_current(g), frames, &more);
	char line[64];

	g->knows_frames = true;
	gdb_reply_begin(g);
	for (size_t i = 0; i < count; i++) {
		const int n = snprintf(line, sizeof(line), "%llx %llx %x\n", (ull)frames[i].pc,
		                       (ull)frames[i].function, frames[i].depth);

		gdb_reply_hex(g, line, (size_t)n);
	}
	if (more) /* scripts take lines of three numbers */
		gdb_reply_hex(g, beyond, sizeof(beyond) - 1);
	gdb_reply_end(g);
}

static void say_data(struct hs_gdb_server *g)
{
	say(g, gdb_current(g)->has_data
	               ? "data accesses were recorded\n"
	               : "no data was recorded, so nothing can be watched: hartscope record "
	                 "--data\n");
}

static struct gdb_bookmark *find_bookmark(struct hs_gdb_server *g, const char *name)
{
	for (uint32_t i = 0; i < g->bookmark_count; i++)
		if (strcmp(g->bookmarks[i].name, name) == 0)
			return &g->bookmarks[i];
	return NULL;
}

static void set_bookmark(struct hs_gdb_server *g, const char *name)
{
	struct gdb_bookmark *b = find_bookmark(g, name);

	if (!*name || (*name >= '0' && *name <= '9') || strlen(name) >= sizeof(b->name)) {
		say(g, "a bookmark has a name of at most 31 bytes that does not begin with a "
		       "digit\n");
		return;
	}
	if (!b && g->bookmark_count == GDB_BOOKMARKS) {
		say(g, "there are 64 bookmarks\n");
		return;
	}
	b = b ? b : &g->bookmarks[g->bookmark_count++];
	snprintf(b->name, sizeof(b->name), "%s", name);
	b->player = g->current;
	b->at = gdb_current(g)->now;
	say_position(g);
}

static void list_bookmarks(struct hs_gdb_server *g)
{
	char line[96];

	gdb_reply_begin(g);
	for (uint32_t i = 0; i < g->bookmark_count; i++) {
		const struct gdb_bookmark *b = &g->bookmarks[i];
		const int n = snprintf(line, sizeof(line), "%s: instruction %llu, hart %u\n",
		                       b->name, (ull)b->at, g->players[b->player].hart);

		gdb_reply_hex(g, line, (size_t)n);
	}
	gdb_reply_end(g);
}

static void go_to(struct hs_gdb_server *g, const char *text)
{
	const struct gdb_bookmark *b = find_bookmark(g, text);
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (strcmp(text, "end") == 0) {
		n = UINT64_MAX;
	} else if (b) {
		n = b->at;
		g->current = b->player;
	} else if (!*text || *end) {
		say(g, "goto needs the number of an instruction, a bookmark, or 'end'\n");
		return;
	}
	if (gdb_player_go(gdb_current(g), n) == GDB_FAILED)
		say(g, "the flow cannot be read there\n");
	else
		say_position(g);
}

void gdb_monitor(struct hs_gdb_server *g, const char *text)
{
	const char *word = text + strcspn(text, " ");
	const size_t n = (size_t)(word - text);

	word += strspn(word, " ");
	if (strcmp(text, "position") == 0)
		say_position(g);
	else if (strcmp(text, "stack") == 0)
		say_stack(g);
	else if (strcmp(text, "data") == 0)
		say_data(g);
	else if (strcmp(text, "bookmarks") == 0)
		list_bookmarks(g);
	else if (n == strlen("goto") && strncmp(text, "goto", n) == 0)
		go_to(g, word);
	else if (n == strlen("bookmark") && strncmp(text, "bookmark", n) == 0)
		set_bookmark(g, word);
	else
		say(g,
		    "monitor commands:\n"
		    "  position        the current instruction, counted from 0\n"
		    "  goto N|NAME|end go there; then: maintenance flush register-cache\n"
		    "  bookmark NAME   give the current place a name\n"
		    "  bookmarks       list them\n"
		    "  data            can variables be watched?\n"
		    "  stack           frames: pc, start of the function, depth (hexadecimal)\n");
}
