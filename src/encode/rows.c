/* Rows of the ingress port as stimuli for a test bench: as CSV, which import reads again; as
 * hexadecimal words, which $readmemh reads; as a SystemVerilog package.
 *
 * A cycle depends on those before it, its row on the cycle only: the caller's thread drives the
 * port, threads make the text of pieces of cycles, and the caller's thread writes them in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/encode.h>
#include <hartscope/port.h>

#include "core/config.h"
#include "ingress/ingress.h"
#include "support/digits.h"
#include "support/out.h"
#include "support/pool.h"

typedef unsigned long long ull;

#define PREFIX "port."
#define BATCH 1024
#define VALUES 8192u    /* of a piece: at least 51 rows */
#define PIECES_EACH 4u  /* for each thread */
#define COLUMN_ROOM 21u /* characters of a value, and what is after it */
#define ROW_ROOM 64u    /* of what else a row has */
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
	char *text;
	size_t length, room;
	bool failed; /* no memory: its text is missing */
};

struct format {
	const char *name, *text;
	void (*begin)(struct hs_rows *r);
	/* Write a row and return its end. */
	char *(*row)(char *to, const struct hs_rows *r, const uint64_t *values, uint64_t number);
	void (*end)(struct hs_rows *r);
};

struct hs_rows {
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
	struct support_out out;
};

/* ---- columns -------------------------------------------------------------------------- */

static size_t offset_of(const struct hs_port_signal *s, unsigned slot)
{
	if (s->in_data)
		return s->offset + offsetof(struct hs_port_cycle, data) +
		       slot * sizeof(struct hs_port_data);
	return s->offset + (s->in_cycle ? 0
	                                : offsetof(struct hs_port_cycle, slot) +
	                                          slot * sizeof(struct hs_port_slot));
}

/* The columns of a port, in the order of hs_port_header(). */
static void find_columns(struct hs_rows *r)
{
	const struct hs_port_config *c = &r->config;

	for (unsigned slot = 0; slot < HS_PORT_SLOTS; slot++)
		for (unsigned i = 0; i < HS_PORT_SIGNALS; i++) {
			const struct hs_port_signal *s = hs_port_get_signal(i);
			const unsigned width = hs_port_signal_width(c, i);

			if (slot >= hs_port_signal_count(c, i))
				continue;
			r->columns[r->column_count++] =
				(struct column){ s->name, offset_of(s, slot), (uint8_t)slot,
				                 (uint8_t)width, s->base == 16 };
			r->width += width;
		}
}

/* The first column is in the highest bits, as in a packed struct.  */
static char *put_word(char *text, const struct hs_rows *r, const uint64_t *values)
{
	unsigned digit = 0, have = (4 - r->width % 4) % 4; /* bits of the next digit */

	for (unsigned i = 0; i < r->column_count; i++) {
		const uint64_t v = values[i];

		for (unsigned left = r->columns[i].width; left;) {
			const unsigned bits = 4 - have < left ? 4 - have : left;

			left -= bits;
			digit = digit << bits | (v >> left & ((1u << bits) - 1));
			have += bits;
			if (have == 4) {
				*text++ = "0123456789abcdef"[digit];
				digit = have = 0;
			}
		}
	}
	return text;
}

/* ---- formats --------------------------------------------------------------------------- */

static char *put_text(char *to, const char *text)
{
	const size_t n = strlen(text);

	memcpy(to, text, n);
	return to + n;
}

static char *put_decimal(char *to, uint64_t value)
{
	char room[SUPPORT_DIGITS], *const end = room + sizeof(room);

	if (value < 10) {
		*to = (char)('0' + value);
		return to + 1;
	}
	const char *const at = support_digits(end, value);

	memcpy(to, at, (size_t)(end - at));
	return to + (end - at);
}

static char *put_hex(char *to, uint64_t value)
{
	unsigned digits = 1;

	while (digits < 16 && value >> 4 * digits)
		digits++;
	while (digits--)
		*to++ = "0123456789abcdef"[value >> 4 * digits & 15];
	return to;
}

static void begin_csv(struct hs_rows *r)
{
	char line[HS_PORT_LINE];

	support_out_put(&r->out, line, hs_port_header(&r->config, line));
}

/* As hs_port_row(), of columns that are known. */
static char *row_csv(char *to, const struct hs_rows *r, const uint64_t *values, uint64_t number)
{
	(void)number;
	for (unsigned i = 0; i < r->column_count; i++) {
		if (i)
			*to++ = ',';
		to = r->columns[i].hex ? put_hex(to, values[i]) : put_decimal(to, values[i]);
	}
	*to++ = '\n';
	return to;
}

static void begin_hex(struct hs_rows *r)
{
	support_out_print(&r->out, "// %u bits a row; its signals from the highest bits on:\n",
	                  r->width);
	for (unsigned i = 0; i < r->column_count; i++)
		support_out_print(&r->out, "//   [%u] %s, slot %u\n", r->columns[i].width,
		                  r->columns[i].name, r->columns[i].slot);
}

static char *row_hex(char *to, const struct hs_rows *r, const uint64_t *values, uint64_t number)
{
	(void)number;
	to = put_word(to, r, values);
	*to++ = '\n';
	return to;
}

static void begin_sv(struct hs_rows *r)
{
	support_out_text(&r->out, "// Rows of the trace ingress port, from hartscope export.\n"
	                          "package hartscope_rows;\n"
	                          "  typedef struct packed {\n");
	for (unsigned i = 0; i < r->column_count; i++)
		support_out_print(&r->out, "    logic [%u:0] %s_%u;\n", r->columns[i].width - 1u,
		                  r->columns[i].name, r->columns[i].slot);
	support_out_text(&r->out, "  } row_t;\n\n"
	                          "  function automatic row_t row(input int unsigned index);\n"
	                          "    case (index)\n");
}

static char *row_sv(char *to, const struct hs_rows *r, const uint64_t *values, uint64_t number)
{
	to = put_text(to, "      ");
	to = put_decimal(to, number);
	to = put_text(to, ": return ");
	to = put_decimal(to, r->width);
	to = put_text(to, "'h");
	to = put_word(to, r, values);
	return put_text(to, ";\n");
}

static void end_sv(struct hs_rows *r)
{
	support_out_print(&r->out,
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

const char *hs_rows_format(size_t index, const char **text)
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
#include "ingress/port_params.def"
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

static enum hs_status set_one(struct hs_rows *r, const char *name, const char *value)
{
	if (strcmp(name, "idle") == 0)
		return read_number_to(value, 99, &r->idle) ? HS_OK : HS_E_CONFIG;
	if (strcmp(name, "seed") == 0)
		return read_number_to(value, UINT64_MAX, &r->state) ? HS_OK : HS_E_CONFIG;
	return set_member(&r->config, name, value);
}

/* A port for 64-bit harts unless the settings say otherwise. */
static enum hs_status use_settings(struct hs_rows *r, const struct hs_rows_options *o,
                                   struct hs_error *error)
{
	r->config = (struct hs_port_config){ .size = sizeof(r->config),
		                             .form = HS_PORT_BLOCK,
		                             .isa = o->image->isa,
		                             .ilastsize_width = 1,
		                             .interrupt_iaddr = 1 };
	for (size_t i = 0; i < o->setting_count; i++) {
		const struct hs_setting *set = &o->settings[i];
		const bool own = strncmp(set->name, PREFIX, strlen(PREFIX)) == 0;
		const enum hs_status s =
			own ? set_one(r, set->name + strlen(PREFIX), set->value) : HS_E_ARG;

		if (s != HS_OK)
			return hs_error_set(error, HS_E_CONFIG,
			                    s == HS_E_ARG
			                            ? "--set %s=%s: a port has no such parameter"
			                            : "--set %s=%s: out of its range",
			                    set->name, set->value);
	}
	r->state = r->state * 2 + 1;
	if (hs_port_config_resolve(&r->config, &r->config) == HS_OK)
		return HS_OK;
	return hs_error_set(error, HS_E_CONFIG, "a width of the port is out of its range");
}

/* ---- rows -------------------------------------------------------------------------------- */

static unsigned random_percent(struct hs_rows *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (unsigned)((r->state >> 32) % 100);
}

static void make_text(void *rows, uint32_t piece, uint32_t thread)
{
	const struct hs_rows *r = rows;
	struct piece *p = &r->pieces[piece];
	const size_t room = p->n * (COLUMN_ROOM * r->column_count + ROW_ROOM);
	char *at;

	(void)thread;
	if (p->room < room) {
		free(p->text);
		p->text = malloc(room);
		p->room = p->text ? room : 0;
	}
	p->failed = !p->text;
	at = p->text;
	for (size_t i = 0; at && i < p->n; i++)
		at = r->format->row(at, r, p->values + i * r->column_count, p->first + i);
	p->length = at ? (size_t)(at - p->text) : 0;
}

/* Write the oldest piece. */
static void write_piece(struct hs_rows *r)
{
	const uint32_t number = (uint32_t)(r->taken++ % r->piece_count);
	struct piece *p = &r->pieces[number];

	hs_pool_take(r->pool, number);
	if (p->failed && r->out.status == HS_OK)
		r->out.status = HS_E_MEMORY;
	support_out_put(&r->out, p->text, p->length);
	p->n = 0;
}

/* The piece that is filled. */
static struct piece *current_piece(const struct hs_rows *r)
{
	return &r->pieces[r->given % r->piece_count];
}

/* It is full: the next one is filled, once that is written. */
static void give_piece(struct hs_rows *r)
{
	hs_pool_give(r->pool, (uint32_t)(r->given++ % r->piece_count));
	if (r->given - r->taken == r->piece_count)
		write_piece(r);
}

static void add_row(struct hs_rows *r, const struct hs_port_cycle *c)
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
static void put_row(struct hs_rows *r, const struct hs_port_cycle *c)
{
	static const struct hs_port_cycle nothing;

	while (r->idle && random_percent(r) < r->idle)
		add_row(r, &nothing);
	add_row(r, c);
}

/* Drive until at most @left entries are left. */
static void drive(struct hs_rows *r, size_t left)
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

/* ---- from the first row to the last ------------------------------------------------------- */

static enum hs_status start(struct hs_rows *r, const struct hs_rows_options *o,
                            struct hs_error *error)
{
	const uint32_t threads = o->threads ? o->threads : 1;

	r->format = find_format(o->format);
	if (!r->format)
		return hs_error_set(error, HS_E_ARG, "no format '%s'", o->format ? o->format : "");
	if (use_settings(r, o, error) != HS_OK)
		return HS_E_CONFIG;
	if (hs_port_driver_init(&r->driver, &r->config, o->image) != HS_OK)
		return hs_error_set(error, HS_E_NOCODE, "no code is known");
	r->piece_count = threads > 1 ? PIECES_EACH * threads : 1;
	r->pieces = calloc(r->piece_count, sizeof(*r->pieces));
	if (!r->pieces || support_out_open(&r->out, o->write, o->to) != HS_OK ||
	    hs_pool_new(&r->pool, threads, r->piece_count, make_text, r) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	find_columns(r);
	r->format->begin(r);
	return HS_OK;
}

enum hs_status hs_rows_new(const struct hs_rows_options *options, struct hs_rows **out,
                           struct hs_error *error)
{
	struct hs_rows_options o;
	struct hs_rows *r = calloc(1, sizeof(*r));
	enum hs_status s = base_take_config(&o, sizeof(o), options);

	if (!r)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	s = s == HS_OK ? start(r, &o, error)
	               : hs_error_set(error, s, "options of rows that this library lacks");
	if (s == HS_OK)
		*out = r;
	else
		hs_rows_free(r);
	return s;
}

void hs_rows_free(struct hs_rows *r)
{
	if (!r)
		return;
	hs_pool_free(r->pool);
	for (unsigned i = 0; r->pieces && i < r->piece_count; i++)
		free(r->pieces[i].text);
	free(r->pieces);
	support_out_free(&r->out);
	free(r);
}

enum hs_status hs_rows_add(struct hs_rows *r, const struct hs_block *b, size_t n)
{
	while (n) {
		for (; n && r->n < BATCH; b++, n--)
			if (b->kind != HS_KIND_NOTE || hs_event_breaks(b)) /* no signal has notes */
				r->at[r->n++] = *b;
		drive(r, AHEAD);
	}
	return r->out.status;
}

enum hs_status hs_rows_end(struct hs_rows *r, uint64_t *rows, uint64_t *skipped)
{
	drive(r, 0);
	if (current_piece(r)->n)
		give_piece(r);
	while (r->taken < r->given)
		write_piece(r);
	if (r->format->end)
		r->format->end(r);
	*rows = r->count;
	*skipped = r->skipped;
	return support_out_flush(&r->out);
}
