/* Rows of the ingress port as stimuli for a test bench: as CSV, which import reads again; as
 * hexadecimal words, which $readmemh reads; as a SystemVerilog package. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/port.h>

#include "commands/export_port.h"

typedef unsigned long long ull;

#define PREFIX "port."
#define BATCH 1024
#define WORD (16u * HS_PORT_COLUMNS + 2) /* digits of a row, and its end */
#define AHEAD 64 /* entries that are known before a cycle is driven, so that its slots fill up */

struct column {
	const char *name;
	uint8_t number, slot, width;
};

struct rows {
	const struct format *format;
	struct hs_port_config config;
	struct hs_port_driver driver;
	struct hs_block at[BATCH];
	size_t n;
	uint64_t idle, state; /* per cent of the cycles; of the random numbers */
	uint64_t count, skipped;
	struct column columns[HS_PORT_COLUMNS];
	unsigned column_count, width; /* width: of all, in bits */
	FILE *file;
};

struct format {
	const char *name, *text;
	void (*begin)(struct rows *r);
	void (*row)(struct rows *r, const struct hs_port_cycle *c);
	void (*end)(struct rows *r);
};

/* ---- columns -------------------------------------------------------------------------- */

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
				(struct column){ s->name, (uint8_t)i, (uint8_t)slot,
				                 (uint8_t)width };
			r->width += width;
		}
}

/* The first column is in the highest bits, as in a packed struct.  @text has room for a digit of
 * each 4 bits of all columns. */
static size_t write_word(const struct rows *r, const struct hs_port_cycle *c, char *text)
{
	unsigned digit = 0, have = (4 - r->width % 4) % 4; /* bits of the next digit */
	size_t n = 0;

	for (unsigned i = 0; i < r->column_count; i++) {
		const struct column *column = &r->columns[i];
		const uint64_t v = hs_port_get(c, column->number, column->slot);

		for (unsigned left = column->width; left;) {
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

static void row_csv(struct rows *r, const struct hs_port_cycle *c)
{
	char line[HS_PORT_LINE];

	fwrite(line, 1, hs_port_row(&r->config, c, line), r->file);
}

static void begin_hex(struct rows *r)
{
	fprintf(r->file, "// %u bits a row; its signals from the highest bits on:\n", r->width);
	for (unsigned i = 0; i < r->column_count; i++)
		fprintf(r->file, "//   [%u] %s, slot %u\n", r->columns[i].width, r->columns[i].name,
		        r->columns[i].slot);
}

static void row_hex(struct rows *r, const struct hs_port_cycle *c)
{
	char text[WORD];
	size_t n = write_word(r, c, text);

	text[n++] = '\n';
	fwrite(text, 1, n, r->file);
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

static void row_sv(struct rows *r, const struct hs_port_cycle *c)
{
	char text[WORD];
	const size_t n = write_word(r, c, text);

	fprintf(r->file, "      %llu: return %u'h%.*s;\n", (ull)r->count, r->width, (int)n, text);
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

void port_settings_take(struct options *o, struct port_settings *p)
{
	size_t kept = 0;

	p->count = 0;
	for (size_t i = 0; i < o->params.setting_count; i++) {
		if (is_of_port(&o->settings[i]))
			p->at[p->count++] = o->settings[i];
		else
			o->settings[kept++] = o->settings[i];
	}
	o->params.setting_count = kept;
}

/* A port for 64-bit harts unless the settings say otherwise. */
static bool use_settings(struct rows *r, const struct port_settings *p,
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

static void put_row(struct rows *r, const struct hs_port_cycle *c)
{
	static const struct hs_port_cycle nothing;

	while (r->idle && random_percent(r) < r->idle) {
		r->format->row(r, &nothing);
		r->count++;
	}
	r->format->row(r, c);
	r->count++;
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
	const struct block_taker taker = { "exporting", o->quiet, take_blocks, r };
	bool good;

	find_columns(r);
	r->format->begin(r);
	good = read_blocks(&taker, source, damage);
	drive(r, 0);
	if (r->format->end)
		r->format->end(r);
	good = fflush(r->file) == 0 && !ferror(r->file) && good;
	if (!good)
		complain("%s: cannot be written", o->output ? o->output : "-");
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

int export_port(struct hs_source *source, const struct options *o, const struct port_settings *p,
                struct new_file *file, struct damage *damage)
{
	const struct hs_image *image = hs_program_image(hs_source_program(source));
	struct rows *r = calloc(1, sizeof(*r));
	int status = EXIT_USAGE;

	if (!r) {
		complain("out of memory");
		return EXIT_DAMAGED;
	}
	r->format = find_format(o->format);
	r->file = fdopen(dup(file->fd), "w");
	if (r->file && use_settings(r, p, image)) {
		if (hs_port_driver_init(&r->driver, &r->config, image) != HS_OK)
			complain("%s: no code is known", o->args[0]);
		else
			status = write_rows(source, o, r, file, damage);
	}
	if (r->file)
		fclose(r->file);
	free(r);
	return status;
}
