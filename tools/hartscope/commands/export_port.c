/* Rows of the ingress port as stimuli for a test bench: as CSV, which import reads again; as
 * hexadecimal words, which $readmemh reads; as a SystemVerilog package.
 *
 * A cycle depends on those before it, its row on the cycle only: the caller's thread drives the
 * port, threads make the text of pieces of cycles, and the caller's thread writes them in order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/pool.h>
#include <hartscope/port.h>

#include "commands/export_port.h"
#include "common/lines.h"

typedef unsigned long long ull;

#define PREFIX "port."
#define BATCH 1024
#define VALUES 8192u                     /* of a piece: at least 51 rows */
#define PIECES_EACH 4u                   /* for each thread */
#define WORD (16u * HS_PORT_COLUMNS + 2) /* digits of a row, and its end */
#define AHEAD 64 /* entries that are known before a cycle is driven, so that its slots fill up */

struct column {
	const char *name;
	size_t offset; /* of its value in struct hs_port_cycle */
	uint8_t slot, width;
	bool hex; /* as CSV */
};

/* The values of rows, column by column, and their text. */
struct piece {
	uint64_t values[VALUES];
	size_t n;       /* rows */
	uint64_t first; /* number of its first row */
	struct lines text;
};

struct rows {
	/* What threads read comes first, far from what changes with each row. */
	const struct format *format;
	unsigned column_count, width; /* width: of all, in bits */
	struct column columns[HS_PORT_COLUMNS];
	struct hs_port_config config;
	struct hs_port_driver driver;
	struct hs_block at[BATCH];
	size_t n;
	uint64_t idle, state; /* per cent of the cycles; of the random numbers */
	uint64_t count, skipped;
	struct piece *pieces; /* a ring: each is a strand */
	uint32_t piece_count;
	uint64_t given, taken; /* pieces */
	struct hs_pool *pool;
	FILE *file;
};

struct format {
	const char *name, *text;
	void (*begin)(struct rows *r);
	void (*row)(const struct rows *r, struct lines *l, const uint64_t *values, uint64_t number);
	void (*end)(struct rows *r);
};

/* ---- columns -------------------------------------------------------------------------- */

static size_t offset_of(const struct hs_port_signal *s, unsigned slot)
{
	return s->offset + (s->in_cycle ? 0
	                                : offsetof(struct hs_port_cycle, slot) +
	                                          slot * sizeof(struct hs_port_slot));
}

/* The columns of a port, in the order of hs_port_header(). */
static void find_columns(struct rows *r)
{
	const struct hs_port_config *c = &r->config;

	for (unsigned slot = 0; slot < c->slots; slot++)
		for (unsigned i = 0; i < HS_PORT_SIGNALS; i++) {
			const struct hs_port_signal *s = hs_port_get_signal(i);
			const unsigned width = hs_port_signal_width(c, i);

			if (!width || (slot && (s->once >> c->form & 1u)))
				continue;
			r->columns[r->column_count++] =
				(struct column){ s->name, offset_of(s, slot), (uint8_t)slot,
				                 (uint8_t)width, s->base == 16 };
			r->width += width;
		}
}

/* The first column is in the highest bits, as in a packed struct.  @text has room for a digit of
 * each 4 bits of all columns. */
static size_t write_word(const struct rows *r, const uint64_t *values, char *text)
{
	unsigned digit = 0, have = (4 - r->width % 4) % 4; /* bits of the next digit */
	size_t n = 0;

	for (unsigned i = 0; i < r->column_count; i++) {
		const uint64_t v = values[i];

		for (unsigned left = r->columns[i].width; left;) {
			const unsigned bits = 4 - have < left ? 4 - have : left;

			left -= bits;
			digit = digit << bits | (v >> left & ((1u << bits) - 1));
			have += bits;
			if (have == 4) {
				text[n++] = "0123456789abcdef"[digit];
				digit = have = 0;
			}
		}
	}
	return n;
}

/* ---- formats --------------------------------------------------------------------------- */

static void begin_csv(struct rows *r)
{
	char line[HS_PORT_LINE];

	fwrite(line, 1, hs_port_header(&r->config, line), r->file);
}

/* As hs_port_row(), of columns that are known. */
static void row_csv(const struct rows *r, struct lines *l, const uint64_t *values, uint64_t number)
{
	(void)number;
	for (unsigned i = 0; i < r->column_count; i++) {
		if (i)
			lines_char(l, ',');
		if (r->columns[i].hex)
			lines_hex(l, values[i], 0);
		else
			lines_decimal(l, values[i]);
	}
	lines_char(l, '\n');
}

static void begin_hex(struct rows *r)
{
	fprintf(r->file, "// %u bits a row; its signals from the highest bits on:\n", r->width);
	for (unsigned i = 0; i < r->column_count; i++)
		fprintf(r->file, "//   [%u] %s, slot %u\n", r->columns[i].width, r->columns[i].name,
		        r->columns[i].slot);
}

static void row_hex(const struct rows *r, struct lines *l, const uint64_t *values, uint64_t number)
{
	(void)number;
	if (lines_room(l, WORD))
		l->n += write_word(r, values, l->text + l->n);
	lines_char(l, '\n');
}

static void begin_sv(struct rows *r)
{
	fprintf(r->file, "// Rows of the trace ingress port, from hartscope export.\n"
	                 "package hartscope_rows;\n"
	                 "  typedef struct packed {\n");
	for (unsigned i = 0; i < r->column_count; i++)
		fprintf(r->file, "    logic [%u:0] %s_%u;\n", r->columns[i].width - 1u,
		        r->columns[i].name, r->columns[i].slot);
	fprintf(r->file, "  } row_t;\n\n"
	                 "  function automatic row_t row(input int unsigned index);\n"
	                 "    case (index)\n");
}

static void row_sv(const struct rows *r, struct lines *l, const uint64_t *values, uint64_t number)
{
	lines_text(l, "      ");
	lines_decimal(l, number);
	lines_text(l, ": return ");
	lines_decimal(l, r->width);
	lines_text(l, "'h");
	if (lines_room(l, WORD))
		l->n += write_word(r, values, l->text + l->n);
	lines_text(l, ";\n");
}

static void end_sv(struct rows *r)
{
	fprintf(r->file,
	        "      default: return '0;\n"
	        "    endcase\n"
	        "  endfunction\n\n"
	        "  localparam int unsigned ROWS = %llu;\n"
	        "endpackage\n",
	        (ull)r->count);
}

static const struct format formats[] = {
	{ "port-csv", "cycles of the trace ingress port, which import --from port reads", begin_csv,
	  row_csv, NULL },
	{ "port-hex", "the same, a hexadecimal word a cycle, which $readmemh reads", begin_hex,
	  row_hex, NULL },
	{ "port-sv", "the same as a SystemVerilog package, for few rows", begin_sv, row_sv,
	  end_sv },
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

const char *port_format_at(size_t index, const char **text)
{
	*text = index < FORMATS ? formats[index].text : NULL;
	return index < FORMATS ? formats[index].name : NULL;
}

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; name && i < FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

bool is_port_format(const char *name)
{
	return find_format(name) != NULL;
}

/* ---- settings --------------------------------------------------------------------------- */

static bool read_number_to(const char *text, uint64_t most, uint64_t *v)
{
	char *end;

	*v = strtoull(text, &end, 10);
	return *text && !*end && *v <= most;
}

static enum hs_status set_member(struct hs_port_config *c, const char *name, const char *value)
{
	static const struct {
		const char *name;
		size_t offset, width;
	} members[] = {
#define HS_PORT_PARAM(name, member) \
	{ name, offsetof(struct hs_port_config, member), \
	  sizeof(((struct hs_port_config *)0)->member) },
#include <hartscope/tables/port_params.def>
#undef HS_PORT_PARAM
	};
	const bool insn = strcmp(value, "insn") == 0;
	uint64_t v = HS_PORT_BLOCK;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		if (strcmp(name, members[i].name) != 0)
			continue;
		const bool form =
			strcmp(name, "form") == 0 && (insn || strcmp(value, "block") == 0);

		if (!form && !read_number_to(value, (UINT64_C(1) << 8 * members[i].width) - 1, &v))
			return HS_E_CONFIG;
		const uint16_t number = (uint16_t)(form && insn ? HS_PORT_INSN : v);
		const uint8_t byte = (uint8_t)number;

		memcpy((char *)c + members[i].offset,
		       members[i].width == 1 ? (const void *)&byte : &number, members[i].width);
		return HS_OK;
	}
	return HS_E_ARG;
}

static enum hs_status set_one(struct rows *r, const char *name, const char *value)
{
	if (strcmp(name, "idle") == 0)
		return read_number_to(value, 99, &r->idle) ? HS_OK : HS_E_CONFIG;
	if (strcmp(name, "seed") == 0)
		return read_number_to(value, UINT64_MAX, &r->state) ? HS_OK : HS_E_CONFIG;
	return set_member(&r->config, name, value);
}

static bool is_of_port(const struct hs_setting *s)
{
	return strncmp(s->name, PREFIX, strlen(PREFIX)) == 0;
}

void port_settings_take(struct options *o, struct option_settings *p)
{
	size_t kept = 0;

	p->count = 0;
	for (size_t i = 0; i < o->params.setting_count; i++) {
		if (is_of_port(&o->store.settings.at[i]))
			p->at[p->count++] = o->store.settings.at[i];
		else
			o->store.settings.at[kept++] = o->store.settings.at[i];
	}
	o->params.setting_count = kept;
}

/* A port for 64-bit harts unless the settings say otherwise. */
static bool use_settings(struct rows *r, const struct option_settings *p,
                         const struct hs_image *image)
{
	r->config = (struct hs_port_config){ .size = sizeof(r->config),
		                             .form = HS_PORT_BLOCK,
		                             .isa = image->isa,
		                             .ilastsize_width = 1,
		                             .interrupt_iaddr = 1 };
	for (size_t i = 0; i < p->count; i++) {
		const enum hs_status s = set_one(r, p->at[i].name + strlen(PREFIX), p->at[i].value);

		if (s == HS_OK)
			continue;
		complain(s == HS_E_ARG ? "--set %s=%s: a port has no such parameter"
		                       : "--set %s=%s: out of its range",
		         p->at[i].name, p->at[i].value);
		return false;
	}
	r->state = r->state * 2 + 1;
	if (hs_port_config_resolve(&r->config, &r->config) == HS_OK)
		return true;
	complain("a width of the port is out of its range");
	return false;
}

/* ---- rows -------------------------------------------------------------------------------- */

static unsigned random_percent(struct rows *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (unsigned)((r->state >> 32) % 100);
}

static void make_text(void *rows, uint32_t piece, uint32_t thread)
{
	const struct rows *r = rows;
	struct piece *p = &r->pieces[piece];

	(void)thread;
	p->text.n = 0;
	for (size_t i = 0; i < p->n; i++)
		r->format->row(r, &p->text, p->values + i * r->column_count, p->first + i);
}

/* Write the oldest piece. */
static void write_piece(struct rows *r)
{
	const uint32_t number = (uint32_t)(r->taken++ % r->piece_count);
	struct piece *p = &r->pieces[number];

	hs_pool_take(r->pool, number);
	if (p->text.failed)
		note_out_of_memory();
	fwrite(p->text.text, 1, p->text.n, r->file);
	p->n = 0;
}

/* The piece that is filled. */
static struct piece *current_piece(const struct rows *r)
{
	return &r->pieces[r->given % r->piece_count];
}

/* It is full: the next one is filled, once that is written. */
static void give_piece(struct rows *r)
{
	hs_pool_give(r->pool, (uint32_t)(r->given++ % r->piece_count));
	if (r->given - r->taken == r->piece_count)
		write_piece(r);
}

static void add_row(struct rows *r, const struct hs_port_cycle *c)
{
	if ((current_piece(r)->n + 1) * r->column_count > VALUES)
		give_piece(r);
	struct piece *p = current_piece(r);
	uint64_t *const to = p->values + p->n * r->column_count;

	if (!p->n++)
		p->first = r->count;
	for (unsigned i = 0; i < r->column_count; i++)
		memcpy(&to[i], (const char *)c + r->columns[i].offset, sizeof(*to));
	r->count++;
}

/* Idle cycles come before a driven one. */
static void put_row(struct rows *r, const struct hs_port_cycle *c)
{
	static const struct hs_port_cycle nothing;

	while (r->idle && random_percent(r) < r->idle)
		add_row(r, &nothing);
	add_row(r, c);
}

/* Drive until at most @left entries are left. */
static void drive(struct rows *r, size_t left)
{
	struct hs_port_cycle c;
	size_t done = 0, used;

	while (r->n - done > left) {
		const enum hs_status s =
			hs_port_drive(&r->driver, r->at + done, r->n - done, &used, &c);

		if (s == HS_OK)
			put_row(r, &c);
		else
			r->skipped++;
		done += s == HS_OK ? used : used + 1;
	}
	r->n -= done;
	memmove(r->at, r->at + done, r->n * sizeof(*r->at));
}

static void write_rest(struct rows *r)
{
	drive(r, 0);
	if (current_piece(r)->n)
		give_piece(r);
	while (r->taken < r->given)
		write_piece(r);
}

static bool start_texts(struct rows *r, uint64_t threads)
{
	const uint32_t count = threads > 1 ? PIECES_EACH * (uint32_t)threads : 1;

	r->pieces = calloc(count, sizeof(*r->pieces));
	if (!r->pieces)
		return false;
	r->piece_count = count;
	return hs_pool_new(&r->pool, (uint32_t)threads, count, make_text, r) == HS_OK;
}

static void end_texts(struct rows *r)
{
	hs_pool_free(r->pool);
	for (unsigned i = 0; i < r->piece_count; i++)
		lines_free(&r->pieces[i].text);
	free(r->pieces);
}

static bool take_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct rows *r = to;

	while (n) {
		const size_t room = BATCH - r->n, some = n < room ? n : room;

		memcpy(r->at + r->n, b, some * sizeof(*b));
		r->n += some;
		b += some;
		n -= some;
		drive(r, AHEAD);
	}
	return !ferror(r->file);
}

static int write_rows(struct hs_source *source, const struct options *o, struct rows *r,
                      struct new_file *file, struct damage *damage)
{
	const struct block_taker taker = { "exporting", o->quiet, take_blocks, r, false };
	bool good;

	find_columns(r);
	r->format->begin(r);
	good = read_blocks(&taker, source, damage);
	write_rest(r);
	if (r->format->end)
		r->format->end(r);
	good = fflush(r->file) == 0 && !ferror(r->file) && good;
	if (!good)
		complain("%s: %s", o->output ? o->output : "-", strerror(errno));
	if (r->skipped)
		complain("%llu blocks without code are left out", (ull)r->skipped);
	if (good && nothing_to_show(damage, false))
		return EXIT_FINDINGS;
	if (good && !new_file_commit(file))
		good = false;
	if (good && !o->quiet && o->output && strcmp(o->output, "-") != 0)
		fprintf(stderr, "hartscope: %s: %llu rows\n", o->output, (ull)r->count);
	return good ? EXIT_GOOD : EXIT_DAMAGED;
}

int export_port(struct hs_source *source, const struct options *o, const char *format,
                const struct option_settings *p, struct new_file *file, struct damage *damage)
{
	const struct hs_image *image = hs_program_image(hs_source_program(source));
	struct rows *r = calloc(1, sizeof(*r));
	int status = EXIT_USAGE;

	if (!r) {
		complain("out of memory");
		return EXIT_DAMAGED;
	}
	r->format = find_format(format);
	r->file = fdopen(dup(file->fd), "w");
	if (r->file && use_settings(r, p, image)) {
		if (hs_port_driver_init(&r->driver, &r->config, image) != HS_OK)
			complain("%s: no code is known", o->args[0]);
		else if (!start_texts(r, o->jobs))
			complain("out of memory");
		else
			status = write_rows(source, o, r, file, damage);
	}
	if (r->file)
		fclose(r->file);
	end_texts(r);
	free(r);
	return status;
}
