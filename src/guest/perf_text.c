/* The text of perf script --show-mmap-events --show-task-events (perf-script(1)):
 *
 *   sh  7439 [001] 36502.544469: PERF_RECORD_COMM exec: sh:7439/7439
 *   sh  7439 [001] 36502.544502: PERF_RECORD_MMAP2 7439/7439: [0x10000(0x13000) @ 0x4000 fe:00
 *                                247230 0]: r-xp /usr/bin/dash
 *   sh  7439 [001] 36502.545708: PERF_RECORD_FORK(7445:7445):(7439:7439)
 *   ls  7445 [001] 36502.550010: PERF_RECORD_EXIT(7445:7445):(7439:7439)
 *   ls  7445 [001] 36502.550019: PERF_RECORD_SWITCH_CPU_WIDE OUT  next pid/tid:  7439/7439
 *
 * A mapping is named by its words after the access rights, since a path may have spaces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/private.h"

/* A decimal number and the character after it; a pid of -1 is the kernel. */
static bool take_number(const char **at, char after, uint32_t *value)
{
	char *end;
	const long long n = strtoll(*at, &end, 10);

	if (end == *at || *end != after || n < -1 || n > UINT32_MAX)
		return false;
	*value = (uint32_t)n;
	*at = end + 1;
	return true;
}

static bool take_address(const char **at, const char *after, uint64_t *value)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*value = strtoull(*at, &end, 0);
	if (strncmp(end, after, strlen(after)) != 0)
		return false;
	*at = end + strlen(after);
	return true;
}

/* "PID/TID: [START(SIZE) @ OFFSET ...]: RIGHTS FILE" */
static bool read_map(const char *text, struct hs_guest_record *r)
{
	if (!take_number(&text, '/', &r->pid) || !take_number(&text, ':', &r->tid) ||
	    strncmp(text, " [", 2) != 0)
		return false;
	text += 2;
	if (!take_address(&text, "(", &r->start) || !take_address(&text, ") @ ", &r->length) ||
	    !take_address(&text, "", &r->offset))
		return false;
	text = strstr(text, "]: ");
	text = text ? strchr(text + 3, ' ') : NULL;
	r->event = HS_GUEST_MAP;
	r->file = text ? text + 1 : NULL;
	return r->file && *r->file && r->length && r->start <= UINT64_MAX - (r->length - 1);
}

/* " exec: NAME:PID/TID" or ": NAME:PID/TID"; a name may have colons. */
static bool read_comm(char *text, struct hs_guest_record *r)
{
	r->event = strncmp(text, " exec: ", 7) == 0 ? HS_GUEST_EXEC : HS_GUEST_NAME;
	r->name = text + (r->event == HS_GUEST_EXEC ? 7 : 2);
	if (r->event == HS_GUEST_NAME && strncmp(text, ": ", 2) != 0)
		return false;
	char *colon = strrchr(text + 2, ':');
	const char *numbers = colon ? colon + 1 : "";

	if (!colon || colon < r->name || !take_number(&numbers, '/', &r->pid) ||
	    !take_number(&numbers, '\0', &r->tid))
		return false;
	*colon = '\0';
	return true;
}

/* " OUT next pid/tid: PID/TID", or IN, of which the line begins with the thread; a switch without
 * the next one leaves the CPU to nobody that is known. */
static bool read_switch(const char *text, struct hs_guest_record *r)
{
	const char *next = strstr(text, "next pid/tid:");

	r->event = HS_GUEST_SWITCH;
	text += strspn(text, " ");
	if (strncmp(text, "IN", 2) == 0)
		return r->has_hart && r->has_time; /* the thread is that of the line */
	r->tid = r->pid = 0;
	if (!next)
		return strncmp(text, "OUT", 3) == 0 && r->has_hart && r->has_time;
	next += strlen("next pid/tid:");
	next += strspn(next, " ");
	char *end;

	r->pid = (uint32_t)strtoul(next, &end, 10);
	if (*end != '/')
		return false;
	r->tid = (uint32_t)strtoul(end + 1, &end, 10);
	return r->has_hart && r->has_time;
}

/* "COMM TID [CPU] SECONDS.FRACTION" before the mark: who, where and when.  What is not there is not
 * known. */
static void read_start(char *line, const char *mark, struct hs_guest_record *r)
{
	const char *cpu = mark, *tid;
	char *end;

	while (cpu > line && *cpu != '[')
		cpu--;
	if (cpu == line)
		return;
	r->hart = (uint32_t)strtoul(cpu + 1, &end, 10);
	r->has_hart = *end == ']';
	const unsigned long long seconds = strtoull(end + (*end == ']'), &end, 10);
	uint64_t fraction = 0, unit = UINT64_C(1000000000);

	if (!r->has_hart || *end != '.')
		return;
	for (end++; *end >= '0' && *end <= '9' && unit > 1; end++) {
		unit /= 10;
		fraction += unit * (uint64_t)(*end - '0');
	}
	r->has_time = seconds <= UINT64_MAX / 1000000000 - 1;
	r->time = r->has_time ? seconds * UINT64_C(1000000000) + fraction : 0;
	for (tid = cpu; tid > line && tid[-1] == ' '; tid--)
		continue;
	while (tid > line && tid[-1] >= '0' && tid[-1] <= '9')
		tid--;
	r->tid = (uint32_t)strtoul(tid, &end, 10);
}

/* "(PID:TID):(PARENT:TID)" */
static bool read_task(const char *text, enum hs_guest_event event, struct hs_guest_record *r)
{
	if (*text++ != '(' || !take_number(&text, ':', &r->pid) ||
	    !take_number(&text, ')', &r->tid) || strncmp(text, ":(", 2) != 0)
		return false;
	text += 2;
	r->event = event;
	return take_number(&text, ':', &r->parent) && take_number(&text, ')', &r->parent_tid);
}

static bool read_record(char *text, struct hs_guest_record *r, bool *known)
{
	*known = true;
	if (strncmp(text, "COMM", 4) == 0)
		return read_comm(text + 4, r);
	if (strncmp(text, "MMAP2 ", 6) == 0)
		return read_map(text + 6, r);
	if (strncmp(text, "MMAP ", 5) == 0)
		return read_map(text + 5, r);
	if (strncmp(text, "FORK", 4) == 0)
		return read_task(text + 4, HS_GUEST_FORK, r);
	if (strncmp(text, "EXIT", 4) == 0)
		return read_task(text + 4, HS_GUEST_EXIT, r);
	if (strncmp(text, "SWITCH_CPU_WIDE ", 16) == 0)
		return read_switch(text + 16, r);
	if (strncmp(text, "SWITCH ", 7) == 0)
		return read_switch(text + 7, r);
	*known = false;
	return false;
}

enum hs_status guest_take_perf_line(struct hs_guest *g, char *line)
{
	static const char mark[] = ": PERF_RECORD_";
	struct hs_guest_record r = { .size = sizeof(r) };
	char *text = strstr(line, mark);
	bool known;

	if (!text) /* a sample, or an empty line */
		return HS_END;
	read_start(line, text, &r);
	if (!read_record(text + strlen(mark), &r, &known))
		return known ? HS_E_FORMAT : HS_END;
	if (r.pid == UINT32_MAX) /* the kernel */
		return HS_OK;
	return hs_guest_add_record(g, &r);
}
