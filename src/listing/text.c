/* Listings for people. */
#include <stdio.h>
#include <string.h>

#include <hartscope/status.h>

#include "core/access.h"
#include "listing/private.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

#define INLINED_SHOWN 16u /* functions in each other */
#define BYTES_WIDTH 8u    /* of the column of an instruction's bytes */
#define TEXT_WIDTH 28u    /* and of its text, where there is more after it */
#define SOURCE_SHOWN 300u /* bytes of a line, and of a file's name */

static const char *paint(const struct hs_listing *l, const char *code)
{
	return l->o.colour ? code : "";
}

static void say_painted(struct hs_listing *l, const char *colour, const char *text)
{
	listing_say(l, paint(l, colour));
	listing_say(l, text);
	listing_say(l, paint(l, PLAIN));
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A tab becomes a space. */
static void print_source(struct hs_listing *l, const char *source)
{
	char plain[SOURCE_SHOWN + 4], text[512];
	size_t n = 0;

	for (source += strspn(source, " \t"); *source && n < sizeof(plain) - 1; source++)
		plain[n++] = *source == '\t' ? ' ' : *source;
	plain[n] = '\0';
	hs_text_escape(text, sizeof(text), plain);
	text[SOURCE_SHOWN] = '\0';
	listing_say(l, "  ");
	say_painted(l, GREEN, text);
}

/* The file that has the code; what is no file has brackets already: [vdso]. */
static void print_library(struct hs_listing *l, const char *path)
{
	char text[512];
	const bool plain = *base_of(path) != '[';

	hs_text_escape(text, sizeof(text), base_of(path));
	listing_print(l, "  %s%s%s%s%s", paint(l, DIM), plain ? "[" : "", text, plain ? "]" : "",
	              paint(l, PLAIN));
}

static void name_text(const struct hs_listing *l, char *text, size_t size, const char *name)
{
	char shown[LISTING_NAME_SIZE];

	if (l->o.show_name) {
		l->o.show_name(shown, sizeof(shown), name);
		name = shown;
	}
	hs_text_escape(text, size, name);
}

/* The functions that were inlined, the outermost first. */
static void print_inlined(struct hs_listing *l, const struct hs_place *p)
{
	char text[1024];

	listing_print(l, "  %sinlined", paint(l, DIM));
	for (size_t n = 0; n < p->inlined_count && n < INLINED_SHOWN; n++) {
		name_text(l, text, sizeof(text), p->inlined[n].function);
		listing_print(l, "%s%s", n ? " > " : " ", text);
	}
	listing_print(l, "%s%s", p->inlined_count > INLINED_SHOWN ? " > ..." : "", paint(l, PLAIN));
}

static void print_line_number(struct hs_listing *l, const struct hs_place *p)
{
	char text[LISTING_NAME_SIZE];

	hs_text_escape(text, sizeof(text), base_of(p->file));
	text[SOURCE_SHOWN] = '\0';
	listing_say(l, p->function ? "  " : "");
	listing_say(l, paint(l, DIM));
	listing_say(l, text);
	listing_print(l, ":%d%s", p->line, paint(l, PLAIN));
}

/* The function and the source line. */
static void print_header(struct hs_listing *l, const struct listed_insn *i)
{
	const struct hs_place *p = &i->place;
	const char *source;
	char text[LISTING_NAME_SIZE];

	if (!p->function && !p->file)
		say_painted(l, BOLD, "<no symbol>");
	if (p->function) {
		name_text(l, text, sizeof(text), p->function);
		listing_say(l, paint(l, BOLD));
		listing_say(l, text);
		listing_say(l, "+");
		listing_put_hex(l, p->offset);
		listing_say(l, paint(l, PLAIN));
	}
	if (p->object && !i->own)
		print_library(l, p->object);
	if (p->inlined_count)
		print_inlined(l, p);
	if (p->file) {
		print_line_number(l, p);
		source = hs_program_source_line(l->o.program, p->file, p->line);
		if (source)
			print_source(l, source);
	}
	listing_say(l, "\n");
}

/* The last byte first, as a number has them. */
static void print_bytes(struct hs_listing *l, const struct listed_insn *i)
{
	static const char digit[] = "0123456789abcdef";
	char text[2 * HS_INSN_MAX + 1], *to = text;

	for (unsigned n = 2u * i->hwords; n-- > 0;) {
		*to++ = digit[i->bytes[n] >> 4];
		*to++ = digit[i->bytes[n] & 15u];
	}
	*to = '\0';
	listing_say(l, paint(l, DIM));
	const size_t from = l->out_n;

	listing_say(l, text);
	listing_fill(l, from, BYTES_WIDTH);
	listing_say(l, paint(l, PLAIN));
}

static void print_target(struct hs_listing *l, const char *how, const struct listed_insn *i)
{
	char text[LISTING_NAME_SIZE];

	listing_say(l, "  ");
	listing_say(l, paint(l, DIM));
	listing_say(l, "# ");
	listing_say(l, how);
	listing_put_hex(l, i->target_addr);
	if (i->target) {
		name_text(l, text, sizeof(text), i->target);
		listing_say(l, " <");
		listing_say(l, text);
		if (i->target_offset) {
			listing_say(l, "+");
			listing_put_hex(l, i->target_offset);
		}
		listing_say(l, ">");
	}
	listing_say(l, paint(l, PLAIN));
}

/* What the last instruction of a block did, where its text does not say so. */
static void print_outcome(struct hs_listing *l, const struct listed_insn *i,
			  const struct hs_block *last)
{
	const char *how = i->kind == HS_INSN_BRANCH ? "" : "-> ";

	if (last && last->itype == HS_ITYPE_TAKEN)
		how = "taken -> ";
	if (last && last->itype == HS_ITYPE_NOT_TAKEN) {
		listing_say(l, "  ");
		say_painted(l, DIM, "# not taken");
	} else if (last &&
	           (last->itype == HS_ITYPE_EXCEPTION || last->itype == HS_ITYPE_INTERRUPT)) {
		listing_print(l, "  %s# %s%s", paint(l, YELLOW), hs_itype_name(last->itype),
		              paint(l, PLAIN));
	} else if (i->has_target) {
		print_target(l, how, i);
	}
}

static void print_data(struct hs_listing *l, const struct hs_access *data)
{
	char text[128];

	for (unsigned i = 0; i < l->data.shown_n; i++) {
		hs_access_text(&data[i], text, sizeof(text));
		listing_print(l, "  %s# %s%s", paint(l, GREEN), text, paint(l, PLAIN));
	}
}

static void print_stray(struct hs_listing *l, const struct hs_access *data)
{
	char text[128];

	hs_access_text(data, text, sizeof(text));
	listing_print(l, "%s; data: %s%s\n", paint(l, YELLOW), text, paint(l, PLAIN));
}

static void print_time(struct hs_listing *l)
{
	char text[LISTING_TIME_SIZE] = "";

	if (l->when.timed)
		listing_time(l, text);
	listing_print(l, "%16s", text);
}

/* The column of times: that of the block, next to its last instruction. */
static void print_column(struct hs_listing *l, const struct hs_block *last)
{
	listing_print(l, "%s", paint(l, DIM));
	if (last) {
		l->when.at = l->out_n;
		print_time(l);
	} else {
		listing_print(l, "%16s", "");
	}
	listing_print(l, "%s", paint(l, PLAIN));
}

static void print_address(struct hs_listing *l, uint64_t addr)
{
	char text[24] = "0x";
	const size_t n = (size_t)(listing_hex(text + 2, addr) - text), width = l->width + 2u;

	text[n] = '\0';
	listing_fill(l, l->out_n, 2 + (n < width ? width - n : 0));
	listing_say(l, text);
	listing_say(l, "  ");
}

static void print_line(struct hs_listing *l, const struct listed_insn *i,
		       const struct hs_block *last, const struct hs_access *data)
{
	if (l->o.time)
		print_column(l, last);
	print_address(l, i->addr);
	print_bytes(l, i);
	const bool tail = i->has_target || last || data;

	listing_say(l, "  ");
	const size_t from = l->out_n;

	listing_say(l, i->text);
	if (tail) {
		listing_fill(l, from, TEXT_WIDTH);
		print_outcome(l, i, last);
	}
	if (data)
		print_data(l, data);
	if (l->o.written_size && l->o.numbers)
		listing_print(l, "  %s# instruction %llu%s", paint(l, DIM),
		              (unsigned long long)l->passed - 1, paint(l, PLAIN));
	while (l->out_n && l->out[l->out_n - 1] == ' ')
		l->out_n--;
	listing_say(l, "\n");
}

static void print_missing(struct hs_listing *l, uint64_t addr)
{
	listing_print(l, "; no code is known at 0x%llx\n", (unsigned long long)addr);
}

static void print_event(struct hs_listing *l, const struct hs_block *b)
{
	char event[256], text[512];

	if (b->kind == HS_KIND_NOTE && b->arg == HS_NOTE_REGISTER) /* `traps` has them in a line */
		return;
	listing_event_text(l, b, event, sizeof(event));
	hs_text_escape(text, sizeof(text), event);
	listing_print(l, "%s; %s%s\n", paint(l, YELLOW), text, paint(l, PLAIN));
}

const struct listing_format listing_text = { .header = print_header,
	                                     .insn = print_line,
	                                     .time = print_time,
	                                     .missing = print_missing,
	                                     .event = print_event,
	                                     .stray = print_stray };
