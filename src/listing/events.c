/* Events in words. */
#include <stdio.h>
#include <string.h>

#include <hartscope/ingress.h>

#include "core/access.h"
#include "listing/private.h"

/* SYNC codes (NT Table 25). */
static const char *sync_name(unsigned code)
{
	static const char *const names[16] = {
		"external trigger", "exit from reset", "periodic", "exit from debug mode",
		"I-CNT overflow", "trace enabled", "watchpoint", "restart after lost messages",
		[9] = "exit from power-down", [15] = "PC sample",
	};

	return code < 16 && names[code] ? names[code] : "reserved reason";
}

/* EVCODE (NT Table 23). */
static const char *stop_name(unsigned code)
{
	static const char *const names[16] = { [0] = "debug mode entered",
	                                       [1] = "low power entered",
		                               [4] = "trace disabled" };

	return code < 16 && names[code] ? names[code] : "reserved reason";
}

static const char *trigger_name(uint64_t action)
{
	return action == HS_TRIGGER_ON ? "trace on"
	       : action == HS_TRIGGER_OFF ? "trace off" : "single";
}

/* CKSRC of in-circuit trace (design/nt-vendor). */
static const char *circuit_name(unsigned source)
{
	static const char *const names[16] = {
		[0] = "control",    [8] = "external trigger", [9] = "call",
		[10] = "exception", [11] = "interrupt",       [12] = "performance counters",
		[13] = "context",   [14] = "watchpoint",      [15] = "PC sample",
	};

	return source < 16 && names[source] ? names[source] : "reserved source";
}

/* Codes of CKSRC 0. */
static const char *control_name(uint64_t code)
{
	static const char *const names[] = {
		[2] = " (trace on)",
		[3] = " (trace off)",
		[4] = " (exit from debug mode)",
		[5] = " (debug mode entered)",
		[6] = " (exit from reset)",
		[8] = " (reset entered)",
	};

	return code < sizeof(names) / sizeof(*names) && names[code] ? names[code] : "";
}

/* A datum that is no address, or the second one. */
static void circuit_datum(const struct hs_block *b, char *text, size_t size)
{
	const unsigned long long v = b->value;
	const char *name = circuit_name(b->itype);

	if (b->itype == 0)
		snprintf(text, size, "in-circuit trace: control code %llu%s", v, control_name(v));
	else if (b->itype == 9)
		snprintf(text, size, "in-circuit trace: call of 0x%llx", v);
	else if (b->itype == 12)
		snprintf(text, size, "in-circuit trace: %s %llu, %llu, %llu, %llu", name,
		         v & 0xffff, v >> 16 & 0xffff, v >> 32 & 0xffff, v >> 48);
	else
		snprintf(text, size, "in-circuit trace: %s, data 0x%llx", name, v);
}

static void note_text(const struct hs_block *b, char *text, size_t size)
{
	const unsigned long long v = b->value;

	switch (b->arg) {
	case HS_NOTE_SIGNAL:
		snprintf(text, size, v ? "signal %llu: handler starts"
		         : "signal handler starts", v);
		break;
	case HS_NOTE_FORK:
		snprintf(text, size, "fork: child recording %llu", v);
		break;
	case HS_NOTE_EXEC:
		snprintf(text, size, "exec: another program takes over");
		break;
	case HS_NOTE_PARTIAL:
		snprintf(text, size,
		         v ? "the block before may not have run to its end: signal %llu, at an "
		             "instruction that record --exact-faults says"
		           : "the block before may not have run to its end",
		         v);
		break;
	case HS_NOTE_AMBIGUOUS:
		snprintf(text, size,
		         "ambiguous since address 0x%llx: the trace fits another flow, too", v);
		break;
	case HS_NOTE_ACQUISITION:
		snprintf(text, size, "data acquisition: tag 0x%x, data 0x%llx",
		         b->itype | (unsigned)b->ilast << 8, v);
		break;
	case HS_NOTE_CIRCUIT:
		if (b->itype == 12 || (b->itype == 0 && !b->ilast))
			circuit_datum(b, text, size);
		else
			snprintf(text, size, "in-circuit trace: %s at 0x%llx",
			         circuit_name(b->itype), v);
		break;
	case HS_NOTE_CIRCUIT_DATA:
		circuit_datum(b, text, size);
		break;
	case HS_NOTE_TRIGGER:
		snprintf(text, size, "trigger: %s", trigger_name(v));
		break;
	case HS_NOTE_USER:
		snprintf(text, size, "user signals %u:%u: 0x%llx", 64u * b->itype + 63,
		         64u * b->itype, v);
		break;
	case HS_NOTE_CALL:
		snprintf(text, size, "system call %llu", v);
		break;
	case HS_NOTE_REGISTER:
		snprintf(text, size, "its a%u: 0x%llx", b->itype, v);
		break;
	case HS_NOTE_RESULT:
		snprintf(text, size,
		         v > -4096ull ? "system call: error %llu" : "system call: 0x%llx",
		         v > -4096ull ? (unsigned long long)-v : v);
		break;
	case HS_NOTE_LEFT_OUT:
		snprintf(text, size, "left out: %llu block%s", v, v == 1 ? "" : "s");
		break;
	case HS_NOTE_NOT_KEPT:
		snprintf(text, size,
		         "the recording begins here: %llu instructions before were not "
		         "kept",
		         v);
		break;
	default:
		snprintf(text, size, "note %u: 0x%llx", b->arg, v);
	}
}

static void trap_text(const struct hs_block *b, char *text, size_t size)
{
	const char *cause = hs_trap_cause_name(b->itype == HS_ITYPE_INTERRUPT, b->arg);

	snprintf(text, size, "trap: cause %u%s%s%s, value 0x%llx", b->arg, cause ? " (" : "",
	         cause ? cause : "", cause ? ")" : "", (unsigned long long)b->value);
}

void hs_event_text(const struct hs_block *b, char *text, size_t size)
{
	const unsigned long long v = b->value;

	switch (b->kind) {
	case HS_KIND_TRAP:
		trap_text(b, text, size);
		break;
	case HS_KIND_HART:
		snprintf(text, size, "hart %u", b->arg);
		break;
	case HS_KIND_SYNC:
		snprintf(text, size, "sync %u (%s) at 0x%llx", b->itype, sync_name(b->itype), v);
		break;
	case HS_KIND_GAP:
		snprintf(text, size, "gap: instructions are missing here (offset 0x%llx: %s)", v,
		         hs_status_text((enum hs_status)b->arg));
		break;
	case HS_KIND_STOP:
		snprintf(text, size, "trace stops: %s (EVCODE %u)", stop_name(b->itype), b->itype);
		break;
	case HS_KIND_CONTEXT:
		snprintf(text, size, "%scontext 0x%llx, privilege %u", b->arg == 3 ? "h" : "", v,
		         b->priv);
		break;
	case HS_KIND_TIME:
		snprintf(text, size, "time %llu", v);
		break;
	case HS_KIND_CODE:
		snprintf(text, size, "code changed at 0x%llx, %u bytes", v, b->arg);
		break;
	case HS_KIND_VERSION:
		snprintf(text, size, "other code at 0x%llx", v);
		break;
	case HS_KIND_NOTE:
		note_text(b, text, size);
		break;
	case HS_KIND_SOURCE:
		snprintf(text, size, "from 0x%llx", v);
		break;
	case HS_KIND_TARGET:
		snprintf(text, size, "%s to 0x%llx", b->itype ? hs_itype_name(b->itype) : "start",
		         v);
		break;
	case HS_KIND_DATA:
		snprintf(text, size, "data: %s at 0x%llx", hs_access_name(b->itype), v);
		break;
	case HS_KIND_VALUE:
		snprintf(text, size, "data: %s 0x%llx", b->itype ? "operand" : "value", v);
		break;
	case HS_KIND_UNSEEN:
		snprintf(text, size, "%s%u %s more retired unseen, from 0x%llx",
		         b->arg == UINT32_MAX ? "at least " : "", b->arg,
		         b->itype == HS_UNSEEN_BRANCHES ? "branches" : "half-words", v);
		break;
	case HS_KIND_CYCLES:
		snprintf(text, size, "%s%u cycles before 0x%llx",
		         b->arg == UINT32_MAX ? "at least " : "", b->arg, v);
		break;
	default:
		snprintf(text, size, "event %u", b->kind);
	}
}

/* ---- with what a listing knows ------------------------------------------------------ */

void listing_time(const struct hs_listing *l, char text[LISTING_TIME_SIZE])
{
	const uint64_t hz = l->o.clock_hz;

	if (!hz) {
		snprintf(text, LISTING_TIME_SIZE, "%llu", (unsigned long long)l->when.time);
		return;
	}
	const double rest = (double)(l->when.time % hz) * 1e9 / (double)hz;

	snprintf(text, LISTING_TIME_SIZE, "%llu.%09llu", (unsigned long long)(l->when.time / hz),
	         rest < 1e9 ? (unsigned long long)rest : 999999999u);
}

static void name_context(const struct hs_listing *l, const struct hs_block *b, char *text,
                         size_t size)
{
	const struct hs_guest_task *task = l->task;

	hs_event_text(b, text, size);
	const size_t n = strlen(text);

	if (task && task->name && task->pid)
		snprintf(text + n, size - n, ": %.100s (pid %u)", task->name, task->pid);
	else if (task && task->name)
		snprintf(text + n, size - n, ": %.100s", task->name);
}

/* A trap: also where it struck, and the modes from and to. */
static void name_trap(const struct hs_listing *l, const struct hs_block *b, char *text, size_t size)
{
	static const char *const modes[8] = { "U", "S", "D", "M", "VU", "VS", "?", "?" };

	hs_event_text(b, text, size);
	if (l->held.lone)
		return;
	size_t n = strlen(text);

	n += (size_t)snprintf(text + n, size - n, ", epc 0x%llx", (unsigned long long)l->last.epc);
	if (n < size && (l->last.priv != HS_PRIV_UNKNOWN || l->held.to != HS_PRIV_UNKNOWN))
		snprintf(text + n, size - n, ", %s -> %s", modes[l->last.priv & 7u],
		         modes[l->held.to & 7u]);
}

void listing_event_text(const struct hs_listing *l, const struct hs_block *b, char *text,
                        size_t size)
{
	char time[LISTING_TIME_SIZE];

	if (b->kind == HS_KIND_TRAP) {
		name_trap(l, b, text, size);
		return;
	}
	if (b->kind == HS_KIND_CONTEXT && b->arg == PROGRAM_SCONTEXT && l->o.guest) {
		name_context(l, b, text, size);
		return;
	}
	if (b->kind != HS_KIND_TIME || !l->o.clock_hz) {
		hs_event_text(b, text, size);
		return;
	}
	listing_time(l, time);
	snprintf(text, size, "time %s s", time);
}
