/* What the packets of GDB mean to a flow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/private.h"
#include "program/program.h"

/* ---- where it stopped ----------------------------------------------------------------- */

static void say_stop(struct hs_gdb_server *g, enum gdb_stop stop)
{
	static const char *const names[] = { "watch", "rwatch", "awatch" };
	static const char *const whys[] = { [GDB_STEPPED] = "",
		                            [GDB_WATCHPOINT] = "",
		                            [GDB_BREAKPOINT] = "swbreak:;",
		                            [GDB_BEGIN] = "replaylog:begin;",
		                            [GDB_END] = "replaylog:end;",
		                            [GDB_INTERRUPT] = "",
		                            [GDB_FAILED] = "" };

	if (stop == GDB_FAILED) {
		gdb_reply(g, "E.the flow cannot be read there");
		return;
	}
	gdb_reply_begin(g);
	gdb_reply_print(g, "T%02xthread:%x;%s", stop == GDB_INTERRUPT ? 2 : 5, g->current + 1,
	                whys[stop]);
	if (stop == GDB_WATCHPOINT)
		gdb_reply_print(g, "%s:%llx;", names[g->watches.hit.type - GDB_WATCH_WRITE],
		                (ull)g->watches.hit.addr);
	gdb_reply_end(g);
}

/* Run a hart up to a breakpoint, or to an access with a watchpoint.  Of the latter it stops before
 * the instruction, backwards after it: GDB takes the step over it itself, as RISC-V harts stop. */
static enum gdb_stop run_one(struct hs_gdb_server *g, uint32_t player, bool back, bool step,
                             const struct gdb_stops *stops)
{
	struct gdb_player *p = &g->players[player];
	uint64_t n = 0;
	enum gdb_stop stop = gdb_watch_find(g, player, back, &n);
	const bool found = stop == GDB_WATCHPOINT;
	const uint64_t at = back ? n + 1 : n;

	if (stop == GDB_INTERRUPT || (found && p->now == at))
		return stop;
	if (step)
		return gdb_player_step(p, back);
	if (!found || stops->count || stops->low || stops->high)
		stop = gdb_player_run(p, back, stops);
	else
		return gdb_player_go(p, at) == GDB_FAILED ? GDB_FAILED : GDB_WATCHPOINT;
	if (!found || stop == GDB_FAILED || stop == GDB_INTERRUPT ||
	    (back ? p->now >= at : p->now <= at))
		return stop;
	return gdb_player_go(p, at) == GDB_FAILED ? GDB_FAILED : GDB_WATCHPOINT;
}

/* Where a thread ended without a breakpoint, the others are tried in turn, each from its own
 * place: the first that comes to one stays there, and is the current one then.  Those that do not
 * keep theirs. */
static enum gdb_stop run_others(struct hs_gdb_server *g, bool back, const struct gdb_stops *stops,
                                enum gdb_stop own)
{
	const bool may_stop = g->break_count || g->watches.count;

	for (uint32_t i = 1; i < g->player_count && may_stop; i++) {
		const uint32_t k = (g->current + i) % g->player_count;
		const uint64_t before = g->players[k].now;

		const enum gdb_stop stop = run_one(g, k, back, false, stops);

		if (stop == GDB_BREAKPOINT || stop == GDB_WATCHPOINT) {
			g->current = k;
			return stop;
		}
		gdb_player_go(&g->players[k], before);
		if (stop == GDB_INTERRUPT)
			break;
	}
	return own;
}

/* Text for the debugger's user, which it takes while the target runs. */
static void say(struct hs_gdb_server *g, const char *text)
{
	gdb_reply_begin(g);
	gdb_reply_put(g, "O", 1);
	gdb_reply_hex(g, text, strlen(text));
	gdb_reply_end(g);
}

/* GDB without hartscope.py, which asks for frames before it resumes. */
static void mention_frames(struct hs_gdb_server *g)
{
	if (g->is_gdb && !g->knows_frames)
		say(g, "hartscope: without hartscope.py there are no callers: "
		       "gdb-multiarch -x hartscope.py (docs/gdb.md)\n");
	g->knows_frames = true;
}

/* @all: every thread may run. */
static void resume(struct hs_gdb_server *g, uint32_t player, bool all, bool back, bool step,
                   uint64_t low, uint64_t high)
{
	const struct gdb_stops stops = { .breaks = g->breaks,
		                         .count = g->break_count,
		                         .low = low,
		                         .high = high,
		                         .interrupted = g->o.interrupted,
		                         .context = g->o.context };
	enum gdb_stop stop;

	gdb_steps_forget(g);
	mention_frames(g);
	g->watches.too_many = false;
	g->current = player;
	stop = run_one(g, player, back, step, &stops);
	if (all && !step && !high && (stop == GDB_END || stop == GDB_BEGIN))
		stop = run_others(g, back, &stops, stop);
	if (stop == GDB_INTERRUPT && g->watches.too_many)
		say(g,
		    "hartscope: more than 4,194,304 accesses to the bytes that are watched, or near "
		    "them: watch others (delete this watchpoint), or record less (--from, --to)\n");
	say_stop(g, stop);
}

/* ---- threads ---------------------------------------------------------------------------- */

/* A thread's number; 0: any, or with -1 all. */
static unsigned long thread_number(const char *text)
{
	return *text == '-' ? 0 : strtoul(text, NULL, 16);
}

/* The same, of a player; of any thread @any is. */
static bool read_thread(const struct hs_gdb_server *g, const char *text, uint32_t any,
                        uint32_t *player)
{
	const unsigned long n = thread_number(text);

	*player = n ? (uint32_t)n - 1 : any;
	return n <= g->player_count;
}

static void set_thread(struct hs_gdb_server *g, const char *text)
{
	uint32_t player = g->current;

	if (!*text || !read_thread(g, text + 1, g->current, &player)) {
		gdb_reply(g, "E.no such thread");
		return;
	}
	if (*text == 'g')
		g->current = player;
	else
		g->resumed = player;
	if (*text == 'c')
		g->resumes_all = !thread_number(text + 1);
	gdb_reply(g, "OK");
}

static void list_threads(struct hs_gdb_server *g)
{
	gdb_reply_begin(g);
	gdb_reply_put(g, "m", 1);
	for (uint32_t i = 0; i < g->player_count; i++)
		gdb_reply_print(g, "%s%x", i ? "," : "", i + 1);
	gdb_reply_end(g);
}

static void describe_thread(struct hs_gdb_server *g, const char *text)
{
	uint32_t player;
	char about[96];

	if (!read_thread(g, text, 0, &player)) {
		gdb_reply(g, "E.no such thread");
		return;
	}
	const struct gdb_player *p = &g->players[player];
	const int n =
		snprintf(about, sizeof(about), "hart %u, instruction %llu", p->hart, (ull)p->now);

	gdb_reply_begin(g);
	gdb_reply_hex(g, about, (size_t)n);
	gdb_reply_end(g);
}

/* ---- vCont -------------------------------------------------------------------------------- */

/* The first action counts: it is of the thread that the user is in, or of all. */
static void vcont(struct hs_gdb_server *g, char *text)
{
	char *end = text + strcspn(text, ";"), *thread;
	uint64_t low = 0, high = 0;
	uint32_t player = g->current;

	*end = '\0';
	thread = strchr(text, ':');
	if (thread && !read_thread(g, thread + 1, g->current, &player)) {
		gdb_reply(g, "E.no such thread");
		return;
	}
	if (*text == 'r') {
		low = strtoull(text + 1, &end, 16);
		high = *end == ',' ? strtoull(end + 1, NULL, 16) : low;
	}
	const bool step = *text == 's' || *text == 'S' ||
	                  (*text == 'c' && gdb_steps_one(g, &g->players[player]));

	if (strchr("cCsSr", *text) && *text)
		resume(g, player, !thread || !thread_number(thread + 1), false, step, low, high);
	else
		gdb_reply(g, "");
}

/* ---- breakpoints ------------------------------------------------------------------------ */

static size_t find_break(const struct hs_gdb_server *g, uint64_t addr)
{
	size_t i = 0;

	while (i < g->break_count && g->breaks[i] < addr)
		i++;
	return i;
}

static void set_watch(struct hs_gdb_server *g, const char *text)
{
	static const char *const results[] = {
		[GDB_WATCH_OK] = "OK",
		[GDB_WATCH_NO_DATA] = "E.no data was recorded: hartscope record --data",
		[GDB_WATCH_FULL] = "E.there are 16 watchpoints, of at least a byte"
	};
	struct gdb_watch w = { .type = (uint8_t)(text[1] - '0') };
	char *end;

	w.addr = text[2] == ',' ? strtoull(text + 3, &end, 16) : 0;
	w.size = text[2] == ',' && *end == ',' ? strtoull(end + 1, NULL, 16) : 0;
	gdb_reply(g, results[gdb_watch_set(g, *text == 'Z', &w)]);
}

static void set_break(struct hs_gdb_server *g, const char *text)
{
	char *end;
	const bool insert = *text == 'Z', known = text[1] == '0' || text[1] == '1';
	const uint64_t addr = known && text[2] == ',' ? strtoull(text + 3, &end, 16) : 0;

	if (!known || text[2] != ',' || *end != ',') {
		gdb_reply(g, known ? "E.a breakpoint needs an address" : "");
		return;
	}
	gdb_steps_plant(g, insert, addr);
	const size_t i = find_break(g, addr);
	const bool is_set = i < g->break_count && g->breaks[i] == addr;

	if (insert && !is_set && g->break_count == GDB_BREAKS) {
		gdb_reply(g, "E.there are 4096 breakpoints");
		return;
	}
	if (insert != is_set) {
		uint64_t *at = &g->breaks[i];
		const size_t rest = g->break_count - i;

		if (insert)
			memmove(at + 1, at, rest * sizeof(*at));
		else
			memmove(at, at + 1, (rest - 1) * sizeof(*at));
		if (insert)
			*at = addr;
		g->break_count = insert ? g->break_count + 1 : g->break_count - 1;
	}
	gdb_reply(g, "OK");
}

/* ---- memory ------------------------------------------------------------------------------- */

static void read_memory(struct hs_gdb_server *g, const char *text)
{
	uint8_t bytes[GDB_PACKET / 2 - 8];
	char *end;
	const uint64_t addr = strtoull(text, &end, 16);
	uint64_t n = *end == ',' ? strtoull(end + 1, NULL, 16) : 0;

	gdb_steps_read(g, addr, n);
	n = n < sizeof(bytes) ? n : sizeof(bytes);
	size_t got = gdb_memory_read(g, addr, bytes, (size_t)n);

	if (got < n)
		got += gdb_watch_read(g, addr + got, bytes + got, (size_t)n - got);
	if (!got && n) {
		gdb_reply(g, "E01");
		return;
	}
	gdb_reply_begin(g);
	gdb_reply_hex(g, bytes, got);
	gdb_reply_end(g);
}

/* ---- questions ---------------------------------------------------------------------------- */

static void send_offsets(struct hs_gdb_server *g)
{
	struct hs_program_segment s;
	const char *own = hs_program_own_file(g->program);

	for (size_t i = 0; own && hs_program_get_segment(g->program, i, &s); i++) {
		if (strcmp(s.path, own) != 0)
			continue;
		gdb_reply_begin(g);
		gdb_reply_print(g, "Text=%llx;Data=%llx;Bss=%llx", (ull)s.bias, (ull)s.bias,
		                (ull)s.bias);
		gdb_reply_end(g);
		return;
	}
	gdb_reply(g, "");
}

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void take_monitor(struct hs_gdb_server *g, const char *hex)
{
	char text[256];
	size_t n = 0;

	for (; hex[0] && hex[1] && n + 1 < sizeof(text); hex += 2) {
		const char pair[3] = { hex[0], hex[1], '\0' };

		text[n++] = (char)strtoul(pair, NULL, 16);
	}
	text[n] = '\0';
	gdb_monitor(g, text);
}

static void answer_query(struct hs_gdb_server *g, const char *text)
{
	if (begins(text, "qSupported")) {
		g->is_gdb = strstr(text, "xmlRegisters") != NULL;
		gdb_reply_begin(g);
		gdb_reply_print(g, "PacketSize=4000;QStartNoAckMode+;ReverseStep+;ReverseContinue+;"
		                   "qXfer:features:read+;swbreak+;hwbreak+;vContSupported+;"
		                   "qXfer:libraries:read+;qXfer:libraries-svr4:read+");
		gdb_reply_end(g);
	} else if (begins(text, "qXfer:features:read:target.xml:")) {
		gdb_reply_features(g, text + strlen("qXfer:features:read:target.xml:"));
	} else if (begins(text, "qXfer:libraries-svr4:read::")) {
		gdb_reply_libraries(g, text + strlen("qXfer:libraries-svr4:read::"), true);
	} else if (begins(text, "qXfer:libraries:read::")) {
		gdb_reply_libraries(g, text + strlen("qXfer:libraries:read::"), false);
	} else if (strcmp(text, "QStartNoAckMode") == 0) {
		gdb_reply(g, "OK");
		g->no_ack = true;
	} else if (strcmp(text, "qfThreadInfo") == 0) {
		list_threads(g);
	} else if (strcmp(text, "qsThreadInfo") == 0) {
		gdb_reply(g, "l");
	} else if (begins(text, "qThreadExtraInfo,")) {
		describe_thread(g, text + strlen("qThreadExtraInfo,"));
	} else if (strcmp(text, "qC") == 0) {
		gdb_reply_begin(g);
		gdb_reply_print(g, "QC%x", g->current + 1);
		gdb_reply_end(g);
	} else if (begins(text, "qAttached")) {
		gdb_reply(g, "1");
	} else if (strcmp(text, "qOffsets") == 0) {
		send_offsets(g);
	} else if (begins(text, "qRcmd,")) {
		take_monitor(g, text + strlen("qRcmd,"));
	} else {
		gdb_reply(g, "");
	}
}

/* ---- packets ------------------------------------------------------------------------------ */

static void answer_v(struct hs_gdb_server *g, char *text)
{
	if (strcmp(text, "vCont?") == 0) {
		gdb_reply(g, "vCont;c;C;s;S;r");
	} else if (begins(text, "vCont;")) {
		vcont(g, text + strlen("vCont;"));
	} else if (begins(text, "vKill")) {
		gdb_reply(g, "OK");
		g->over = true;
	} else {
		gdb_reply(g, "");
	}
}

static void answer_thread_alive(struct hs_gdb_server *g, const char *text)
{
	uint32_t player;

	gdb_reply(g, read_thread(g, text, 0, &player) ? "OK" : "E.no such thread");
}

enum hs_status gdb_serve(struct hs_gdb_server *g, char *packet, size_t n)
{
	const bool back = packet[0] == 'b';

	(void)n;
	switch (packet[0]) {
	case '?':
		say_stop(g, GDB_STEPPED);
		break;
	case 'g':
		gdb_reply_registers(g);
		break;
	case 'p':
		gdb_reply_register(g, strtoull(packet + 1, NULL, 16));
		break;
	case 'm':
		read_memory(g, packet + 1);
		break;
	case 'H':
		set_thread(g, packet + 1);
		break;
	case 'T':
		answer_thread_alive(g, packet + 1);
		break;
	case 'q':
	case 'Q':
		answer_query(g, packet);
		break;
	case 'v':
		answer_v(g, packet);
		break;
	case 'Z':
	case 'z':
		if (packet[1] >= '2' && packet[1] <= '4')
			set_watch(g, packet);
		else
			set_break(g, packet);
		break;
	case 'b':
	case 'c':
	case 's':
		if (back && packet[1] != 's' && packet[1] != 'c')
			gdb_reply(g, "");
		else
			resume(g, g->resumed, g->resumes_all, back, packet[back] == 's', 0, 0);
		break;
	case 'G':
	case 'P':
	case 'M':
	case 'X':
		gdb_reply(g, "E.what a flow has cannot be changed");
		break;
	case 'D':
		gdb_reply(g, "OK");
		g->over = true;
		break;
	case 'k':
		g->over = true;
		break;
	default:
		gdb_reply(g, "");
		break;
	}
	return g->out.status;
}
