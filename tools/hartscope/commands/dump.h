/* What the files of hartscope dump share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_DUMP_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_DUMP_H

#include "common/led.h"
#include "common/lines.h"

/* What to print of a message. */
struct dump_line {
	const struct hs_message *m;
	bool wire;
	const struct led_reader *reader; /* NULL: not what it led to */
	const struct hs_followed *led;
};

/* How to print a stream of messages. */
struct dump_style {
	const char *begin, *between, *end;
	/* What the message led to is printed at once, after what @to has until then. */
	void (*message)(struct lines *to, const struct dump_line *line);
	void (*error)(struct lines *to, const struct hs_error *e);
	void (*assumed)(const char *assumed);
	void (*buffer)(const struct hs_perf_lane *lane);
	void (*part)(const struct hs_source_part *part);
};

enum { DUMP_TEXT, DUMP_JSON_ARRAY, DUMP_JSON };
extern const struct dump_style dump_styles[];

/* A message by itself, to stdout. */
void dump_print(const struct dump_style *style, const struct dump_line *line);

/* Messages and errors that were shown, and messages of them that have a meaning. */
struct dump_counts {
	uint64_t shown, errors, known;
};

/* Has the message a meaning, as far as the protocol knows? */
bool dump_is_known(const struct hs_message *m);

/* dump_pieces.c: all messages of a file, on several threads. */
struct dump_join {
	const struct dump_style *style;
	bool wire;
	bool first; /* nothing was printed yet */
	struct dump_counts counts;
};
/* Can the trace be read in pieces? */
bool dump_can_cut(const struct hs_source *source, const char *path);
/* HS_OK, or the error at which it ended. */
enum hs_status dump_pieces(struct dump_join *j, struct hs_source *source, uint32_t threads,
                           struct hs_error *error);

#endif
