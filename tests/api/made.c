/* Good values of arguments; see made.h. */
#include "api/made.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/encode.h>

#include "api/made_world.h"
#include "perf_file.h"
#include "recording_files.h"
#include "trace/trace.h"

/* main, its call of leaf, and back to its start. */
#define TURN { .iaddr = SMALL_MAIN, .iretire = 5, .ilast = 2, .itype = HS_ITYPE_CALL_INF }, \
	     { .iaddr = SMALL_LEAF, .iretire = 2, .ilast = 1, .itype = HS_ITYPE_RETURN }, \
	     { .iaddr = SMALL_MAIN + 10, .iretire = 2, .ilast = 2, .itype = HS_ITYPE_TAKEN }

const struct hs_block made_blocks[MADE_BLOCKS] = { TURN, TURN, TURN, TURN };
struct made_world made_world;

static const struct hs_section section = { SMALL_MAIN, sizeof(small_code), small_code };
const struct hs_image made_image = { .sections = &section, .count = 1, .isa.xlen = 64 };
static const char *const argv_nowhere[] = { "/nowhere/at/all", NULL };

void made_must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "made.c: %s\n", what);
	_exit(99);
}

void *made_copy(const void *from, size_t n)
{
	void *to = calloc(1, n);

	MUST(to != NULL);
	return memcpy(to, from, n);
}

static bool take_bytes(void *to, const void *bytes, size_t n)
{
	(void)to;
	MUST(n <= MADE_ROOM - made_world.n);
	memcpy(made_world.trace + made_world.n, bytes, n);
	made_world.n += n;
	return true;
}

bool made_take_none(void *to, const void *bytes, size_t n)
{
	(void)to;
	(void)bytes;
	(void)n;
	return true;
}

/* ---- files ----------------------------------------------------------------------------- */

static void make_file(char path[128], const char *name, const void *bytes, size_t n)
{
	snprintf(path, 128, "%s/%s", made_world.folder, name);
	test_file(made_world.folder, name, bytes, n);
}

static void make_recording(void)
{
	const struct hs_rec_writer_options o = { .size = sizeof(o), .source = "a test", .xlen = 64,
		                                 .image = &made_image };
	struct hs_rec_writer *writer;

	snprintf(made_world.rec, sizeof(made_world.rec), "%s/a.rec", made_world.folder);
	MUST(hs_rec_create(made_world.rec, &o, &writer, NULL) == HS_OK);
	MUST(hs_rec_write(writer, made_blocks, MADE_BLOCKS, NULL) == HS_OK);
	MUST(hs_rec_finish(writer, true, "the end", NULL) == HS_OK);
}

static void make_trace(void)
{
	const struct hs_encode_options o = { .size = sizeof(o), .write = take_bytes };
	const struct hs_source_options so = { .size = sizeof(so), .path = made_world.rec };
	struct hs_encode *e;

	MUST(hs_encode_new(&o, &e, NULL) == HS_OK);
	MUST(hs_encode_open(e, &so, NULL) == HS_OK);
	MUST(hs_encode_run(e, NULL) == HS_OK);
	hs_encode_free(e);
	memcpy(made_world.damaged, made_world.trace, made_world.n);
	made_world.damaged[5] = 0x0b; /* an I-CNT that ends inside an instruction */
}

void made_begin(void)
{
	static const char row[] = "itype,priv,cause,iaddr,iretire,ilastsize\n0,0,0,10000,3,1\n";
	static const char log[] = "core   0: 0x0000000000010000 (0x00000001) c.nop\n"
	                          "core   0: 0x0000000000010002 (0x00000013) nop\n";
	const struct perf_who who = { 2, 700 };
	struct perf_file perf;

	test_directory(made_world.folder);
	made_world.elf_size = small_elf(made_world.elf_bytes);
	perf_file_start(&perf);
	perf_put_aux(&perf, who, 0, 8, 0, 10);
	perf_put_auxtrace(&perf, 2, UINT32_MAX, 0, "abcdefgh", 8);
	perf_file_end(&perf);
	make_file(made_world.elf, "a.elf", made_world.elf_bytes, made_world.elf_size);
	make_file(made_world.perf, "perf.data", perf.bytes, perf.n);
	make_file(made_world.rows, "a.csv", row, sizeof(row) - 1);
	make_file(made_world.log, "a.log", log, sizeof(log) - 1);
	make_recording();
	make_trace();
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
	(void)s;
	(void)type;
	(void)at;
	return remove(path);
}

void made_end(void)
{
	nftw(made_world.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *made_folder(void)
{
	return made_world.folder;
}

char *made_new_path(void)
{
	static _Atomic unsigned count;
	char path[128];

	const int n = snprintf(path, sizeof(path), "%s/out-%d-%u", made_world.folder,
	                       (int)getpid(), count++);

	return made_copy(path, (size_t)n + 1);
}

/* ---- programs and runs ------------------------------------------------------------------ */

MADE(hs_program)
{
	const struct hs_span bytes = { made_world.elf_bytes, made_world.elf_size };
	const uint8_t junk[] = { 1, 2, 3 };
	const struct hs_span bad = { junk, sizeof(junk) };
	struct hs_program *p;

	MUST(hs_program_new(&p) == HS_OK);
	MUST(hs_program_add_elf_memory(p, &bytes, "a.elf", 0, NULL) == HS_OK);
	if (state == API_FAILED)
		MUST(hs_program_add_elf_memory(p, &bad, "bad", 0, NULL) != HS_OK);
	return p;
}

MADE(hs_source_options)
{
	struct made_world *in = &made_world;
	const struct hs_code_file code = { .kind = HS_CODE_ELF, .path = in->elf };
	struct hs_source_options o = { .size = sizeof(o), .path = "a.nt", .code = COPY(code),
		                       .code_count = 1 };

	o.trace = *(struct hs_span *)made_hs_span(state);
	return COPY(o);
}

MADE(hs_source)
{
	struct hs_source *s;
	struct hs_block b[8];
	enum hs_status got = HS_OK;
	size_t n;

	MUST(hs_source_open(made_hs_source_options(state), &s, NULL) == HS_OK);
	while (state != API_FRESH && got == HS_OK)
		got = hs_source_next(s, b, 8, &n, NULL);
	MUST(state != API_FAILED || hs_status_get_class(got) == HS_CLASS_DATA);
	return s;
}

MADE(hs_rec)
{
	struct hs_rec *rec;

	(void)state;
	MUST(hs_rec_open(made_world.rec, &rec, NULL) == HS_OK);
	return rec;
}

MADE(hs_code_view)
{
	struct hs_code_view *view;

	MUST(hs_code_view_new(made_hs_program(state), &view) == HS_OK);
	return view;
}

MADE(hs_code_search)
{
	const struct hs_code_search_options o = { .size = sizeof(o), .count = 1,
		                                  .protocol = hs_protocol_at(0),
		                                  .config = made_text_config(state),
		                                  .images = &made_image };
	struct hs_code_search *search;

	MUST(hs_code_search_new(&o, &search) == HS_OK);
	return search;
}

MADE(hs_image)
{
	(void)state;
	return COPY(made_image);
}

MADE(hs_isa)
{
	(void)state;
	return COPY(made_image.isa);
}

MADE(hs_block)
{
	(void)state;
	return COPY(made_blocks);
}

MADE(hs_span)
{
	const uint8_t *bytes = state == API_FAILED ? made_world.damaged : made_world.trace;
	const struct hs_span span = { bytes, made_world.n };

	return COPY(span);
}

/* ---- protocols ---------------------------------------------------------------------------- */

MADE(hs_protocol)
{
	(void)state;
	return (void *)(uintptr_t)hs_protocol_at(0);
}

MADE(hs_param)
{
	(void)state;
	return (void *)(uintptr_t)&hs_protocol_at(0)->params[0];
}

MADE(text_config)
{
	const struct hs_protocol *p = hs_protocol_at(0);
	void *config = calloc(1, p->config_size);

	(void)state;
	MUST(config != NULL);
	hs_protocol_defaults(p, config);
	return config;
}

/* Bytes for a reader: all of the trace, or damage. */
static struct hs_span bytes_of(enum api_state state)
{
	return (struct hs_span){ state == API_FAILED ? made_world.damaged : made_world.trace,
		                 state == API_FRESH ? 0 : made_world.n };
}

MADE(hs_decoder)
{
	struct hs_span in = bytes_of(state);
	struct hs_block b[64];
	struct hs_decoder *d;
	enum hs_status s;
	size_t n;

	MUST(hs_decoder_new(&d, hs_protocol_at(0), made_text_config(state), made_hs_image(state),
	                    NULL) == HS_OK);
	s = hs_decode(d, &in, b, 64, &n);
	MUST(state != API_FAILED || hs_status_get_class(s) == HS_CLASS_DATA);
	if (state == API_ENDED)
		hs_decode_end(d, b, 64, &n);
	return d;
}

MADE(hs_encoder)
{
	struct hs_block bad = { .iaddr = 1, .iretire = 0 };
	struct hs_encoder *e;
	uint8_t out[MADE_ROOM];
	size_t n = 0, used = 0;

	MUST(hs_encoder_new(&e, hs_protocol_at(0), made_text_config(state)) == HS_OK);
	if (state == API_FAILED)
		MUST(hs_encoder_put(e, &bad, 1, &used, out, MADE_ROOM, &n) != HS_OK);
	if (state == API_ENDED)
		hs_encoder_end(e, out, MADE_ROOM, &n);
	return e;
}

MADE(hs_reader)
{
	struct hs_span in = bytes_of(state);
	struct hs_message m;
	struct hs_reader *r;

	MUST(hs_reader_new(&r, hs_protocol_at(0), made_text_config(state)) == HS_OK);
	while (hs_reader_next(r, &in, &m) == HS_OK)
		;
	return r;
}

/* The first message of the trace: what it points to is its reader's. */
MADE(hs_message)
{
	struct hs_reader *r = made_hs_reader(API_FRESH);
	struct hs_span in = bytes_of(API_ENDED);
	struct hs_message m;

	(void)state;
	MUST(hs_reader_next(r, &in, &m) == HS_OK);
	return COPY(m);
}

MADE(hs_lint)
{
	struct hs_span in = bytes_of(state);
	struct hs_lint_finding f;
	struct hs_lint *lint;

	MUST(hs_lint_new(&lint, hs_protocol_at(0), made_text_config(state), made_hs_image(state),
	                 NULL) == HS_OK);
	while (hs_lint_next(lint, &in, &f) == HS_OK)
		;
	if (state == API_ENDED)
		hs_lint_end(lint, &f);
	return lint;
}

static void found(void *to, const struct hs_lint_finding *f)
{
	(void)to;
	(void)f;
}

static void more(void *to, unsigned kind, uint64_t n)
{
	(void)to;
	(void)kind;
	(void)n;
}

static void failed(void *to, const struct hs_error *error)
{
	(void)to;
	(void)error;
}

MADE(hs_lint_options)
{
	const struct hs_lint_options o = { .size = sizeof(o), .finding = found, .more = more,
		                           .error = failed };

	(void)state;
	return COPY(o);
}

static void begin_piece(void *to, void *made)
{
	(void)to;
	*(uint64_t *)made = 0;
}

static void a_message(void *to, void *made, const struct hs_message *m)
{
	(void)to;
	(void)m;
	++*(uint64_t *)made;
}

static void an_error(void *to, void *made, const struct hs_error *error)
{
	(void)to;
	(void)error;
	++*(uint64_t *)made;
}

static bool take_piece(void *to, void *made)
{
	(void)to;
	(void)made;
	return true;
}

static void free_piece(void *made)
{
	(void)made;
}

MADE(hs_messages_options)
{
	const struct hs_messages_options o = { .size = sizeof(o), .room = 8, .begin = begin_piece,
		                               .message = a_message, .error = an_error,
		                               .take = take_piece, .free = free_piece };

	(void)state;
	return COPY(o);
}

MADE(hs_taker)
{
	const struct hs_taker taker = { .error = failed };

	(void)state;
	return COPY(taker);
}

MADE(hs_trace_params)
{
	struct hs_trace_params *params;

	MUST(hs_trace_params_new("ntrace", &params, NULL) == HS_OK);
	if (state == API_FAILED)
		MUST(hs_trace_params_set(params, "nothing", "1", NULL) == HS_E_CONFIG);
	return params;
}

/* ---- text and paths ------------------------------------------------------------------------- */

#define MADE_AS(name, value) \
	MADE(name) \
	{ \
		(void)state; \
		return (void *)(uintptr_t)(value); \
	}

MADE_AS(text_path, made_world.rec)
MADE_AS(text_from, made_world.log)
MADE_AS(text_to, made_new_path())
MADE_AS(text_trace, made_new_path())
MADE_AS(hs_perf_open_path, made_world.perf)
MADE_AS(hs_port_rows_open_path, made_world.rows)
MADE_AS(hs_import_detect_path, made_world.log)
MADE_AS(hs_import_write_path, made_new_path())
MADE_AS(hs_program_add_elf_path, made_world.elf)
MADE_AS(hs_program_add_raw_path, made_world.elf)
MADE_AS(hs_program_add_symbols_path, made_world.elf)
MADE_AS(hs_transport_pins_name, "pins8")
MADE_AS(hs_recorder_find_emulator_name, "qemu-riscv64")
MADE_AS(hs_recorder_run_argv, argv_nowhere)
MADE_AS(hs_recorder_find_file_argv, argv_nowhere)
MADE_AS(hs_recorder_run_output, made_new_path())
