/* The rows of all options: parsing, --help and completion read them. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_OPTION_TABLE_H
#define HS_TOOLS_HARTSCOPE_COMMON_OPTION_TABLE_H

#include "common/tool.h"

/* clang-format off */
enum option_id {
	ID_OUTPUT, ID_JSON, ID_PROTOCOL, ID_DIALECT, ID_FILTER, ID_CUSTOM, ID_SET, ID_CONFIG,
	ID_REGISTERS, ID_ELF, ID_BIN, ID_IMAGE, ID_THEN, ID_PROCESS, ID_HART, ID_FROM, ID_LIMIT,
	ID_FUNCTION, ID_FORMAT, ID_TOP, ID_XLEN, ID_IMPORT, ID_SIGNAL, ID_TRANSPORT, ID_VCD_CLOCK,
	ID_VCD_DATA, ID_WRAP, ID_IDLE, ID_MAX, ID_KINDS, ID_COMPARE, ID_CALLS, ID_CTR, ID_AT,
	ID_BY, ID_TRAPS, ID_ONLY, ID_MODE, ID_GAPS, ID_KCORE, ID_SOURCE, ID_BIT, ID_QUEUE,
	ID_DRAIN, ID_STALL, ID_OPTIONS_AT, ID_RATE, ID_EXPORT, ID_PERIOD, ID_EXPLAIN, ID_SEVERITY,
	ID_IGNORE, ID_QUIET, ID_LISTEN, ID_SINK, ID_ITC, ID_CYCLES, ID_TIME, ID_CLOCK, ID_PREDICTOR,
	ID_EVENT, ID_SAMPLE, ID_BY_HART, ID_SYSTEM, ID_CONTEXT, ID_SYMBOLS, ID_MODULES, ID_FILES,
	ID_PROCESSES, ID_PERF, ID_SYSROOT, ID_TIME_CONV, ID_AUTO, ID_JOBS, ID_TO, ID_LAST, ID_PART,
	ID_AROUND, ID_PARTS, ID_WORK, ID_NO_DEMANGLE, ID_DEBUG_DIR, ID_DEPTH, ID_CALLERS,
	ID_CALLEES, ID_REPORT_BY, ID_THREAD, ID_HTML, ID_FLAT, ID_SHOW, ID_MESSAGES,
	ID_WIRE, ID_RESOLVE, ID_PACKETS, ID_OWN, ID_POINTS, ID_COLOUR, ID_NO_PAGER,
	ID_SOURCE_PATH, ID_ALLOW_PATHS, ID_NO_SANDBOX,
	ID_MEMORY_LIMIT, ID_SALVAGE, ID_SKIP_UNKNOWN, ID_ROWS, ID_TIME_LIMIT, ID_FORCE, ID_HELP
};
/* clang-format on */

struct option_row {
	const char *name;
	char letter;
	const char *value; /* NULL: a flag; "[=WORD]": it may be left out */
	const char *help;  /* one paragraph */
	uint64_t set;      /* OPT_x; 0: every command */
	enum option_id id;
};

/* The row after @row that the command has; the first one after NULL.  NULL: there are no more. */
const struct option_row *option_next(const struct usage *u, const struct option_row *row);

/* Words that its value may be, with spaces between them; NULL: other things. */
const char *option_words(const struct option_row *row);

#endif
