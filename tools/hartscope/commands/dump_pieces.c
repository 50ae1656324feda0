/* hartscope dump: all messages of a file, the text of a piece of it on each thread
 * (design/pool). */
#include <string.h>

#include "commands/dump.h"

struct piece {
	struct lines text; /* each item with what goes before it */
	struct dump_counts counts;
};

static void begin_piece(void *join, void *piece)
{
	struct piece *at = piece;

	(void)join;
	at->text.n = 0;
	at->counts = (struct dump_counts){ 0 };
}

static void put_message(void *join, void *piece, const struct hs_message *m)
{
	const struct dump_join *j = join;
	struct piece *at = piece;

	lines_text(&at->text, j->style->between);
	j->style->message(&at->text, &(struct dump_line){ .m = m, .wire = j->wire });
	at->counts.shown++;
	at->counts.known += dump_is_known(m);
}

static void put_error(void *join, void *piece, const struct hs_error *e)
{
	const struct dump_join *j = join;
	struct piece *at = piece;

	lines_text(&at->text, j->style->between);
	j->style->error(&at->text, e);
	at->counts.shown++;
	at->counts.errors++;
}

/* False: no more can be printed. */
static bool print_piece(void *join, void *piece)
{
	struct dump_join *j = join;
	const struct piece *at = piece;
	const struct lines *l = &at->text;

	j->counts.shown += at->counts.shown;
	j->counts.errors += at->counts.errors;
	j->counts.known += at->counts.known;
	if (l->failed) {
		note_out_of_memory();
		return false;
	}
	if (!l->n)
		return true;
	const size_t skip = j->first ? strlen(j->style->between) : 0;

	if (j->first)
		fputs(j->style->begin, stdout);
	j->first = false;
	lines_show(l->text + skip, l->n - skip);
	return !ferror(stdout);
}

static void free_piece(void *piece)
{
	struct piece *at = piece;

	lines_free(&at->text);
}

/* Of several sources, buffers of perf.data and transports it is known message by message where the
 * next one belongs. */
bool dump_can_cut(const struct hs_source *source, const char *path)
{
	const struct hs_trace_params *params = hs_source_known(source)->params;
	struct hs_protocol_traits traits;

	hs_protocol_check(hs_trace_params_protocol(params), hs_trace_params_config(params),
	                  &traits);
	return traits.framed && is_one_stream(source, path);
}

enum hs_status dump_pieces(struct dump_join *j, struct hs_source *source, uint32_t threads,
                           struct hs_error *error)
{
	const struct hs_messages_options options = {
		.size = sizeof(options),
		.threads = threads,
		.room = sizeof(struct piece),
		.wire = j->wire,
		.to = j,
		.begin = begin_piece,
		.message = put_message,
		.error = put_error,
		.take = print_piece,
		.free = free_piece,
	};

	return hs_source_messages(source, &options, error);
}
