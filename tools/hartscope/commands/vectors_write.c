/* hartscope vectors: the files of a case. */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/vectors.h"
#include "common/new_file.h"
#include "common/tool.h"

/* ---- files ------------------------------------------------------------------------ */

/* Files that replace others when they are whole.  As many as a function writes at once. */
static struct opened {
	FILE *stream; /* NULL: the place is free */
	struct new_file file;
	char *path;
} opened[2];

static struct opened *find_opened(const FILE *stream)
{
	for (size_t i = 0; i < sizeof(opened) / sizeof(*opened); i++)
		if (opened[i].stream == stream)
			return &opened[i];
	return NULL;
}

FILE *vector_open(const char *folder, const char *name)
{
	struct opened *o = find_opened(NULL);

	if (!o || asprintf(&o->path, "%s/%s", folder, name) < 0) {
		complain("out of memory");
		return NULL;
	}
	if (new_file_open(&o->file, o->path))
		o->stream = new_file_stream(&o->file);
	if (!o->stream)
		free(o->path);
	return o->stream;
}

char *vector_folder(const char *parent, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", parent, name) < 0) {
		complain("out of memory");
		return NULL;
	}
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return path;
	complain("%s: %s", path, strerror(errno));
	free(path);
	return NULL;
}

bool vector_close(FILE *f)
{
	struct opened *o = find_opened(f);
	const bool good = new_file_end(&o->file, f);

	free(o->path);
	o->stream = NULL;
	return good;
}

void vector_slug(const char *text, char *slug, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		const char c = *text;
		const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';

		if (c >= 'A' && c <= 'Z')
			slug[n++] = (char)(c - 'A' + 'a');
		else if (kept)
			slug[n++] = c;
		else if (n && slug[n - 1] != '-')
			slug[n++] = '-';
	}
	while (n && slug[n - 1] == '-')
		n--;
	slug[n] = '\0';
}

/* ---- the program ------------------------------------------------------------------ */

static void put_le(uint8_t *to, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

/* An executable of RISC-V with compressed instructions, whose segments have the same bytes. */
bool vector_write_program(const char *path, bool ntrace, const struct vector_code *code)
{
	static const uint64_t at[] = { 0, 0x80000000, 0xffffffff80000000 };
	const unsigned segments = ntrace ? 3 : 2;
	uint8_t head[64 + 3 * 56] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	FILE *f = vector_open(path, "program.elf");

	if (!f)
		return false;
	put_le(head + 16, 2, 2);   /* ET_EXEC */
	put_le(head + 18, 243, 2); /* EM_RISCV */
	put_le(head + 20, 1, 4);
	put_le(head + 32, 64, 8); /* program headers */
	put_le(head + 48, 1, 4);  /* EF_RISCV_RVC */
	put_le(head + 52, 64, 2);
	put_le(head + 54, 56, 2);
	put_le(head + 56, segments, 2);
	for (unsigned i = 0; i < segments; i++) {
		uint8_t *p = head + 64 + 56 * (size_t)i;

		put_le(p, 1, 4);     /* PT_LOAD */
		put_le(p + 4, 5, 4); /* readable, executable */
		put_le(p + 8, sizeof(head), 8);
		put_le(p + 16, at[i], 8);
		put_le(p + 24, at[i], 8);
		put_le(p + 32, VECTOR_CODE, 8);
		put_le(p + 40, VECTOR_CODE, 8);
		put_le(p + 48, 1, 8);
	}
	fwrite(head, 1, sizeof(head), f);
	fwrite(code->bytes, 1, VECTOR_CODE, f);
	return vector_close(f);
}

/* ---- rows ------------------------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned itype;
} itypes[] = {
	{ "none", HS_ITYPE_NONE },
	{ "exception", HS_ITYPE_EXCEPTION },
	{ "interrupt", HS_ITYPE_INTERRUPT },
	{ "xret", HS_ITYPE_XRET },
	{ "not-taken", HS_ITYPE_NOT_TAKEN },
	{ "taken", HS_ITYPE_TAKEN },
	{ "call-uninf", HS_ITYPE_CALL_UNINF },
	{ "call-inf", HS_ITYPE_CALL_INF },
	{ "return", HS_ITYPE_RETURN },
	{ "jump-uninf", HS_ITYPE_JUMP_UNINF },
	{ "jump-inf", HS_ITYPE_JUMP_INF },
};

/* What rows are made of. */
struct rows {
	FILE *rows, *blocks;
	const struct vector_code *code;
	unsigned events; /* that rows do not have */
	uint64_t context;
};

static unsigned itype_of(const char *name)
{
	for (size_t i = 0; i < sizeof(itypes) / sizeof(*itypes); i++)
		if (strcmp(itypes[i].name, name) == 0)
			return itypes[i].itype;
	return HS_ITYPE_RESERVED;
}

bool vector_is(const char *line, const char *word)
{
	const size_t n = strlen(word);

	return strncmp(line, word, n) == 0 && (!line[n] || line[n] == ' ');
}

/* A row of one instruction, or of a trap with which nothing retired. */
static void put_row(const struct rows *r, uint64_t at, unsigned hwords, unsigned itype,
                    unsigned priv, const char *trap)
{
	unsigned long long cause = 0, tval = 0;

	if (vector_is(trap, "trap") && hs_itype_is_trap(itype))
		sscanf(trap, "trap %llx %llx", &cause, &tval);
	fprintf(r->rows, "%u,%llu,%llx,%u,%llx,%llx,0,%u,%u\n", itype, cause, tval, priv,
	        (unsigned long long)at, (unsigned long long)r->context, hwords != 0, hwords == 2);
}

/* Rows of a block, an instruction each, and its line of blocks.txt.  @next: the line after it. */
static void put_run(const struct rows *r, const char *line, const char *next)
{
	unsigned long long at = 0, end = 0;
	char name[16] = "", more[16] = "";

	sscanf(line, "run %llx %llx %15s %15s", &at, &end, name, more);
	const bool given = *more >= '0' && *more <= '7';
	const unsigned itype = itype_of(name), priv = given ? (unsigned)(*more - '0') : HS_PRIV_M;

	fprintf(r->blocks, "%llx %llu %u %u %s\n", at, (end - at) / 2, itype, priv,
	        strcmp(more, "sijump") == 0 ? "sijump" : "-");
	if (at == end)
		put_row(r, at, 0, itype, priv, next);
	while (at < end) {
		const unsigned hwords = (r->code->bytes[at % VECTOR_CODE] & 3) == 3 ? 2 : 1;

		put_row(r, at, hwords, at + 2 * hwords >= end ? itype : HS_ITYPE_NONE, priv, next);
		at += 2 * hwords;
	}
}

static void put_flow(struct rows *r, const char *line, const char *next)
{
	if (vector_is(line, "run")) {
		put_run(r, line, next);
		return;
	}
	unsigned long long cause, tval;
	char lone[16];

	fprintf(r->blocks, "%s\n", line);
	r->events += sscanf(line, "trap %llx %llx %15s", &cause, &tval, lone) == 3 ||
	             !vector_is(line, "trap");
}

static bool is_packet(const char *line)
{
	return vector_is(line, "packet") || vector_is(line, "framed") || vector_is(line, "message");
}

static bool write_flow(const char *path, const struct vector_case *c,
                       const struct vector_code *code, unsigned *events)
{
	struct rows r = { .code = code,
		          .rows = vector_open(path, "rows.csv"),
		          .blocks = vector_open(path, "blocks.txt") };
	bool good = r.rows && r.blocks;

	if (good) {
		fputs("itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0\n",
		      r.rows);
		fputs("# address half-words itype priv sijump; other lines are events\n", r.blocks);
	}
	for (size_t i = 0; good && i < c->lines; i++)
		if (!is_packet(c->line[i]))
			put_flow(&r, c->line[i], i + 1 < c->lines ? c->line[i + 1] : "");
	if (r.rows)
		good &= vector_close(r.rows);
	if (r.blocks)
		good &= vector_close(r.blocks);
	*events = r.events;
	return good;
}

/* ---- packets ---------------------------------------------------------------------- */

static void put_bytes(FILE *to, const char *line)
{
	const char *at = strstr(line, " = ");

	for (at = at ? at + 3 : ""; *at;) {
		char *end;
		const unsigned long v = strtoul(at, &end, 16);

		if (end == at)
			break;
		fputc((int)v, to);
		at = end;
	}
}

static bool write_packets(const char *path, const struct vector_case *c)
{
	FILE *text = vector_open(path, "packets.txt"), *trace = vector_open(path, "trace.bin");
	bool good = text && trace;

	for (size_t i = 0; good && i < c->lines; i++) {
		if (!is_packet(c->line[i]))
			continue;
		fprintf(text, "%s\n", strchr(c->line[i], ' ') + 1);
		put_bytes(trace, c->line[i]);
	}
	if (text)
		good &= vector_close(text);
	if (trace)
		good &= vector_close(trace);
	return good;
}

/* Settings as lines of NAME = VALUE; a later one replaces those before. */
static bool write_parameters(const char *path, const struct vector_case *c)
{
	FILE *f = vector_open(path, "parameters.txt");
	bool draft = false;

	if (!f)
		return false;
	for (size_t i = 0; i < c->setting_count; i++) {
		char words[1024];
		char *rest = words;

		snprintf(words, sizeof(words), "%s", c->settings[i]);
		for (char *word; (word = strsep(&rest, " "));) {
			char *equals = strchr(word, '=');

			if (!equals)
				continue;
			*equals = '\0';
			fprintf(f, "%s = %s\n", word, equals + 1);
			draft |= strcmp(word, "dialect") == 0 && strcmp(equals + 1, "draft") == 0;
		}
	}
	if (draft) /* what its encoders have (etrace.h) */
		fputs("type-prefix = 1\n", f);
	return vector_close(f);
}

static bool write_case(const char *path, const struct vector_case *c, unsigned events)
{
	FILE *f = vector_open(path, "case.txt");

	if (!f)
		return false;
	fprintf(f, "name      %s\nprotocol  %s\nclause    %s\nwhy       %s\n", c->name, c->protocol,
	        c->clause, c->why ? c->why : "");
	fprintf(f, "use       %s\n",
	        c->only == 'e'   ? "encode"
	        : c->only == 'd' ? "decode"
	                         : "encode, decode");
	fprintf(f, "events    %u that rows.csv does not have: blocks.txt has them\n", events);
	return vector_close(f);
}

bool vector_write(const char *path, const struct vector_case *c, const struct vector_code *code)
{
	char slug[128];
	unsigned events = 0;

	vector_slug(c->name, slug, sizeof(slug));
	char *folder = vector_folder(path, slug);
	const bool good = folder && write_flow(folder, c, code, &events) &&
	                  write_packets(folder, c) && write_parameters(folder, c) &&
	                  write_case(folder, c, events);

	free(folder);
	return good;
}
