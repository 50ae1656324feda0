/* hartscope crash: what is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "commands/crash.h"

#define FRAMES_SHOWN 40u /* of a deep stack; then the outermost ones */
#define OUTER_SHOWN 5u
#define LINES_SHOWN 20u
#define INSNS_SHOWN 64u /* of a block in which one of them faulted */

/* ---- places ------------------------------------------------------------------------------- */

/* A name, a file and a line; one of the functions that were inlined there counts as a frame. */
struct shown {
	const char *function, *file, *source, *library;
	int line;
	bool own, inlined;
};

static struct shown show_place(const struct crash *c, const struct hs_place *p, size_t inner)
{
	const size_t n = p->inlined_count;
	const bool inlined = inner < n;
	const struct hs_program_inlined *outer =
		inner ? &p->inlined[n - inner] : NULL; /* where the function inside is called */
	struct shown s = { .function = inlined ? p->inlined[n - 1 - inner].function : p->function,
		           .file = outer ? outer->file : p->file,
		           .line = outer ? outer->line : p->line,
		           .inlined = inlined };

	if (s.file)
		s.source = hs_program_source_line(c->program, s.file, s.line);
	return s;
}

static void place_text(const struct report *r, const struct shown *s, char *text, size_t size)
{
	char shown[NAME_SHOWN];
	const char *name = name_in_text(r, s->function, shown);

	if (s->file && s->line > 0)
		snprintf(text, size, "%.300s  %.300s:%d", name, path_base(s->file), s->line);
	else
		snprintf(text, size, "%.600s", name);
}

static const char *trimmed(const char *source)
{
	return source ? source + strspn(source, " \t") : "";
}

/* ---- the backtrace ------------------------------------------------------------------------ */

typedef bool (*frame_visitor)(void *to, const struct crash *c, size_t number, size_t frame,
                              const struct shown *s, uint64_t pc);

/* Every frame from the innermost on, with those that were inlined, up to a visitor's false. */
static void visit_frames(const struct crash *c, frame_visitor visit, void *to)
{
	size_t number = 0;

	for (size_t i = 0; i < c->frame_count; i++) {
		const struct hs_stack_frame *f = &c->frames[c->frame_count - 1 - i];
		struct hs_place p = { .function = NULL };
		uint64_t pc = 0;

		if (crash_frame_pc(c, i, &pc))
			hs_program_find_place(c->program, pc, &p);
		if (!p.function || (f->name && f->start && p.offset != pc - f->start))
			p = (struct hs_place){ .function = f->name }; /* of another program */
		for (size_t k = 0; k <= p.inlined_count; k++) {
			struct shown s = show_place(c, &p, k);

			s.library = f->file;
			s.own = f->own_file;
			if (!visit(to, c, number++, i, &s, pc))
				return;
		}
	}
}

/* Headers of C, C++ and Rust: their code is in the program's own file, but not the person's. */
static bool is_of_library(const char *file)
{
	return strstr(file, "/c++/") || strncmp(file, "/usr/include/", 13) == 0 ||
	       strncmp(file, "/rustc/", 7) == 0;
}

struct found {
	struct shown first, own; /* any place with a line; one of the program's own file */
	uint64_t pc;
};

static bool find_own(void *to, const struct crash *c, size_t number, size_t frame,
                     const struct shown *s, uint64_t pc)
{
	struct found *f = to;

	(void)c;
	(void)frame;
	if (!number)
		f->first = *s;
	if (s->file && (!f->first.file || (s->own && !f->first.own)))
		f->first = *s;
	if (!s->file || !s->own || is_of_library(s->file))
		return true;
	f->own = *s;
	f->pc = pc;
	return false;
}

/* What a person is to look at: the innermost place of the program's own source. */
static struct shown find_place(const struct crash *c)
{
	struct found f = { .pc = 0 };

	visit_frames(c, find_own, &f);
	return f.own.file ? f.own : f.first;
}

struct rows {
	struct report *r;
	uint64_t start; /* of the function of the rows before, */
	size_t same;    /* of which so many are not shown */
};

static void frame_row(struct report *r, const struct crash *c, size_t number, size_t frame,
                      const struct shown *s, uint64_t pc)
{
	static const char *const hows[] = { [HS_FRAME_FOUND] = "found",
		                            [HS_FRAME_CALL] = "call",
		                            [HS_FRAME_TRAP] = "trap",
		                            [HS_FRAME_SIGNAL] = "signal",
		                            [HS_FRAME_START] = "start" };
	const struct hs_stack_frame *f = &c->frames[c->frame_count - 1 - frame];
	char text[700], place[640];

	report_row(r);
	if (r->json) {
		report_u64(r, "frame", "", number);
		report_text(r, "function", "", s->function ? s->function : "(no symbol)");
		report_hex(r, "pc", "", pc);
		report_text(r, "how", "", s->inlined ? "inlined" : hows[f->how]);
		if (s->file) {
			report_text(r, "file", "", s->file);
			report_u32(r, "line", "", (uint32_t)s->line);
		}
	} else {
		place_text(r, s, place, sizeof(place));
		snprintf(text, sizeof(text), "#%-3zu %s%s%s", number, place,
		         s->inlined ? "  [inlined]" : "",
		         f->how == HS_FRAME_SIGNAL ? "  [signal]"
		         : f->how == HS_FRAME_TRAP ? "  [trap]"
		                                   : "");
		report_text(r, NULL, "", text);
	}
	report_library(r, s->library, s->own);
	report_row_end(r);
}

static void left_out_row(struct report *r, size_t n, const char *what)
{
	char text[96];

	if (r->json)
		return;
	snprintf(text, sizeof(text), "     ... %zu more%s", n, what);
	report_row(r);
	report_text(r, NULL, "", text);
	report_row_end(r);
}

static bool show_frame(void *to, const struct crash *c, size_t number, size_t frame,
                       const struct shown *s, uint64_t pc)
{
	struct rows *rows = to;
	const bool outer = c->frame_count - frame <= OUTER_SHOWN;

	if (frame >= FRAMES_SHOWN && !outer) {
		rows->same++;
		return true;
	}
	if (rows->same)
		left_out_row(rows->r, rows->same, "");
	rows->same = 0;
	frame_row(rows->r, c, number, frame, s, pc);
	return true;
}

/* ---- lines and instructions ----------------------------------------------------------------- */

struct line {
	struct shown s;
	uint64_t pc;
};

struct lines {
	struct line v[LINES_SHOWN]; /* the newest of them are kept, round */
	size_t count;
};

static void add_line(struct lines *l, const struct crash *c, uint64_t pc)
{
	const struct line *last = l->count ? &l->v[(l->count - 1) % LINES_SHOWN] : NULL;
	struct hs_place p;

	hs_program_find_place(c->program, pc, &p);
	if (!p.file || p.line <= 0 ||
	    (last && last->s.file == p.file && last->s.line == p.line && last->pc < pc))
		return;
	l->v[l->count++ % LINES_SHOWN] = (struct line){ show_place(c, &p, 0), pc };
}

/* The length of an instruction in bytes; 0: its code is not known. */
static size_t insn_at(const struct crash *c, uint64_t pc, char *text, size_t size)
{
	size_t n = 0;
	const struct hs_image *image = hs_code_view_image(c->view);
	const uint8_t *bytes = hs_img_bytes(image, pc, &n);
	struct hs_insn insn;

	if (bytes && n >= 2 && text)
		return hs_disasm_text(c->disasm, pc, bytes, n, text, size);
	return hs_img_insn(image, pc, &insn) == HS_OK ? 2u * insn.hwords : 0;
}

static void add_lines_of(struct lines *l, const struct crash *c, const struct hs_block *b)
{
	size_t n;

	for (uint64_t pc = b->iaddr; pc < hs_block_end(b); pc += n) {
		add_line(l, c, pc);
		n = insn_at(c, pc, NULL, 0);
		if (!n)
			break;
	}
}

static void show_lines(struct report *r, const struct crash *c)
{
	const struct crash_hart *h = c->hart;
	struct lines l = { .count = 0 };
	char text[700];

	for (uint64_t i = h->count < CRASH_PAST ? 0 : h->count - CRASH_PAST; i < h->count; i++)
		add_lines_of(&l, c, &h->past[i % CRASH_PAST]);
	if (c->exact)
		add_line(&l, c, c->pc);
	if (!l.count && !r->json)
		return;
	report_list(r, "lines", "source lines that ran before, the newest one last");
	for (size_t i = l.count < LINES_SHOWN ? 0 : l.count - LINES_SHOWN; i < l.count; i++) {
		const struct shown *s = &l.v[i % LINES_SHOWN].s;

		report_row(r);
		if (r->json) {
			report_text(r, "file", "", s->file);
			report_u32(r, "line", "", (uint32_t)s->line);
			report_text(r, "function", "", s->function ? s->function : "");
			report_text(r, "source", "", s->source ? s->source : "");
		} else {
			snprintf(text, sizeof(text), "%s:%d", path_base(s->file), s->line);
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%*s%.300s",
			         strlen(text) < 20 ? (int)(20 - strlen(text)) : 1, "",
			         trimmed(s->source));
			report_text(r, NULL, "", text);
		}
		report_row_end(r);
	}
	report_list_end(r);
}

static void insn_row(struct report *r, const struct crash *c, uint64_t pc, const char *insn)
{
	struct hs_place p;
	char text[200], place[640];

	hs_program_find_place(c->program, pc, &p);
	report_row(r);
	report_hex(r, "pc", "", pc);
	snprintf(text, sizeof(text), "%-28s", insn);
	report_text(r, "text", "", r->json ? insn : text);
	const struct shown s = show_place(c, &p, 0);

	place_text(r, &s, place, sizeof(place));
	report_text(r, "place", "", place);
	report_row_end(r);
}

/* The last block, and the instruction after it. */
static void show_suspects(struct report *r, const struct crash *c)
{
	const struct hs_block *b = &c->hart->past[(c->hart->count - 1) % CRASH_PAST];
	uint64_t pc = b->iaddr;
	char insn[128];
	size_t n;

	report_list(r, "suspects", "instructions, of which one faulted");
	for (size_t i = 0; i < INSNS_SHOWN && pc <= hs_block_end(b); i++, pc += n) {
		n = insn_at(c, pc, insn, sizeof(insn));
		if (!n || (pc == hs_block_end(b) && b->itype != HS_ITYPE_NONE))
			break;
		insn_row(r, c, pc, insn);
	}
	report_list_end(r);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void show_instruction(struct report *r, const struct crash *c)
{
	char insn[128], text[200];

	if (!c->exact) {
		report_text(r, r->json ? NULL : "", "instruction",
		            "one of the last block: record --exact-faults says which");
		return;
	}
	if (!insn_at(c, c->pc, insn, sizeof(insn)))
		snprintf(insn, sizeof(insn), "(there is no code)");
	snprintf(text, sizeof(text), "0x%llx  %s%s", (unsigned long long)c->pc, insn,
	         c->jump ? "  (it retired)" : "");
	if (r->json)
		report_text(r, "instruction", "", insn);
	else
		report_text(r, "", "instruction", text);
}

static void show_head(struct report *r, const struct crash *c)
{
	const struct shown s = find_place(c);
	char text[700];

	crash_reason(c, text, sizeof(text));
	report_text(r, "reason", "died of", text);
	place_text(r, &s, text, sizeof(text));
	if (r->json && s.file) {
		report_text(r, "file", "", s.file);
		report_u32(r, "line", "", (uint32_t)s.line);
	}
	report_text(r, r->json ? "function" : "", "in",
	            r->json ? s.function ? s.function : "(no symbol)" : text);
	if (s.source)
		report_text(r, "source", "source", trimmed(s.source));
	if (c->fault)
		show_instruction(r, c);
}

void crash_report(struct crash *c, bool json)
{
	struct report r;
	struct rows rows = { .r = &r };

	report_begin(&r, stdout, json);
	show_head(&r, c);
	if (json) {
		report_u32(&r, "signal", NULL, c->signal);
		report_bool(&r, "exact", NULL, c->exact);
		report_hex(&r, "pc", NULL, c->pc);
	}
	if (json && c->has_address)
		report_hex(&r, "address", NULL, c->address);
	if (json || c->hart_count > 1)
		report_u32(&r, "hart", "hart", c->hart->number);
	report_list(&r, "frames", "called by");
	visit_frames(c, show_frame, &rows);
	report_list_end(&r);
	if (c->fault && !c->exact)
		show_suspects(&r, c);
	show_lines(&r, c);
	report_end(&r);
}
