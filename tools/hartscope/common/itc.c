/* --itc: what the program wrote to a channel of the Instrumentation Trace Component, as a stream
 * (design/nt-vendor). */
#include <stdlib.h>
#include <string.h>

#include "common/new_file.h"
#include "common/tool.h"

#define CHANNELS 32

/* clang-format off */
const struct option_row options_itc[] = {
	{ "--itc", 0, "FILE[@CHANNEL]",
	  "N-Trace, dialect sifive: write what the program wrote to an ITC channel (0)",
	  .type = OPTION_TEXT, .reach = REACH_OUTPUT },
	{ .name = NULL }
};
/* clang-format on */

/* FILE, or FILE@CHANNEL. */
static bool split_name(const char *text, char *path, size_t size, unsigned *channel)
{
	const char *at = strrchr(text, '@');
	const size_t n = at ? (size_t)(at - text) : strlen(text);
	char *end = NULL;

	*channel = at ? (unsigned)strtoul(at + 1, &end, 10) : 0;
	if (n >= size || !n || *channel >= CHANNELS || (at && (end == at + 1 || *end)))
		return false;
	memcpy(path, text, n);
	path[n] = '\0';
	return true;
}

/* The path is kept with it. */
struct itc_file {
	struct new_file file;
	char path[4096];
};

bool itc_open(struct itc_output *itc, const char *text)
{
	struct itc_file *to;

	*itc = (struct itc_output){ .file = NULL };
	if (!text)
		return true;
	to = calloc(1, sizeof(*to));
	if (!to) {
		complain("out of memory");
		return false;
	}
	itc->to = &to->file;
	if (!split_name(text, to->path, sizeof(to->path), &itc->channel)) {
		complain("--itc needs FILE or FILE@CHANNEL, with a channel of 0 to %d, not '%s'",
		         CHANNELS - 1, text);
	} else if (new_file_open(&to->file, to->path)) {
		itc->file = new_file_stream(&to->file);
	}
	if (!itc->file)
		free(to);
	return itc->file != NULL;
}

/* @tag: offset of the register that was written, of 4 bytes a channel.  A write at a higher byte of
 * it is as much shorter. */
void itc_put(struct itc_output *itc, uint64_t tag, uint64_t data)
{
	if (!itc->file || tag / 4 != itc->channel)
		return;
	for (unsigned i = 0; i < 4 - tag % 4; i++)
		fputc((int)(data >> 8 * i & 0xff), itc->file);
}

void itc_put_message(struct itc_output *itc, const struct hs_message *m)
{
	if (m->count >= 2 && strcmp(m->field[0].name, "IDTAG") == 0)
		itc_put(itc, m->field[0].value, m->field[1].value);
}

void itc_put_blocks(struct itc_output *itc, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; itc->file && i < n; i++)
		if (b[i].kind == HS_KIND_NOTE && b[i].arg == HS_NOTE_ACQUISITION)
			itc_put(itc, b[i].itype | (uint64_t)b[i].ilast << 8, b[i].value);
}

bool itc_close(struct itc_output *itc)
{
	const bool good = !itc->file || new_file_end(itc->to, itc->file);

	if (itc->file)
		free(itc->to); /* the first member of what was allocated */
	itc->file = NULL;
	return good;
}
