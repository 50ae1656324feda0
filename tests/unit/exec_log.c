/* Execution logs: lines of each format, and the blocks that they mean. */
#include "cases.h"

#include "inputs/exec_log.h"
#include "inputs/log_private.h"
#include "exec_log_rows.h"

/* ---- a log as one line of text ------------------------------------------------------------ */

static void add(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *to, const char *format, ...)
{
	const size_t n = strlen(to);
	va_list args;

	va_start(args, format);
	vsnprintf(to + n, TEXT - n, format, args);
	va_end(args);
}

static void add_block(char *to, const struct hs_block *b)
{
	static const char *const itypes[] = { "", "exc", "int", "xret", "not", "taken" };
	const unsigned long long v = b->value;

	switch (b->kind) {
	case HS_KIND_BLOCK:
		add(to, "%llx-%llx", v, (unsigned long long)hs_block_end(b));
		if (b->itype)
			add(to, " %s", b->itype < 6 ? itypes[b->itype] : "jump");
		add(to, b->priv == HS_PRIV_UNKNOWN ? "; " : " p%u; ", (unsigned)b->priv);
		return;
	case HS_KIND_TRAP: add(to, "trap %u %llx; ", b->arg, v); return;
	case HS_KIND_HART: add(to, "hart %u; ", b->arg); return;
	case HS_KIND_TIME: add(to, "time %llu; ", v); return;
	case HS_KIND_GAP: add(to, "gap %s at %llu; ", hs_status_name(b->arg), v); return;
	case HS_KIND_VERSION: add(to, "code %llx; ", v); return;
	default: add(to, "%s; ", hs_kind_name(b->kind)); return;
	}
}

struct reading {
	struct hs_exec_log *log;
	struct hs_blocks out;
	char *text, *errors;
};

static void take_blocks(struct reading *r, enum hs_status s, const struct hs_error *e)
{
	for (size_t i = 0; i < r->out.n; i++)
		add_block(r->text, &r->out.at[i]);
	r->out.n = 0;
	if (s != HS_MORE && s != HS_FULL && s != HS_OK)
		add(r->errors, "%s; ", e->text);
}

static void feed(struct reading *r, const char *p, size_t n)
{
	struct hs_span in = { (const uint8_t *)p, n };
	enum hs_status s;

	do {
		struct hs_error e = { .text = "?" };

		s = hs_exec_log_feed(r->log, &in, &r->out, &e);
		take_blocks(r, s, &e);
	} while (s != HS_MORE);
}

static void end(struct reading *r)
{
	enum hs_status s;

	do {
		struct hs_error e = { .text = "?" };

		s = hs_exec_log_end(r->log, &r->out, &e);
		take_blocks(r, s, &e);
	} while (s != HS_OK);
}

static const uint8_t program_bytes[] = { 0x09, 0x45, 0x7d, 0x15, 0x7d, 0xfd, 0x73, 0, 0, 0 };
static const struct hs_section program_section = { 0x1000, sizeof(program_bytes), program_bytes };
static const struct hs_image program = { &program_section, 1, { .xlen = 64 }, 0 };

static struct hs_exec_log *open_row(const struct row *row)
{
	const struct hs_exec_log_options o = {
		.size = sizeof(o), .format = hs_log_find_format(row->format), .xlen = row->xlen,
		.program = row->program ? &program : NULL, .skip_unknown = row->skip_unknown,
	};
	struct hs_exec_log *log = NULL;
	struct hs_error e;

	assert_non_null(o.format);
	assert_int_equal(hs_exec_log_new(&o, &log, &e), HS_OK);
	return log;
}

/* In pieces of every small size, and at once: the same. */
TEST_ROWS(check_row, rows, row)
{
	static const size_t pieces[] = { 1, 2, 7, 64, 1000000 };
	const size_t n = row->n ? row->n : strlen(row->log);

	for (size_t k = 0; k < sizeof(pieces) / sizeof(*pieces); k++) {
		static char text[TEXT], errors[TEXT];
		struct hs_block at[HS_BUILDER_ROOM];
		struct reading r = { open_row(row), { at, HS_BUILDER_ROOM, 0 }, text, errors };

		*text = *errors = '\0';
		for (size_t i = 0; i < n; i += pieces[k])
			feed(&r, row->log + i, n - i < pieces[k] ? n - i : pieces[k]);
		end(&r);
		assert_string_equal(text, row->blocks);
		assert_string_equal(errors, row->errors);
		hs_exec_log_free(r.log);
	}
}

/* The first lines show the format, and the width of addresses. */
TEST_ROWS(check_detection, rows, row)
{
	const struct hs_span first = { (const uint8_t *)row->log,
		                        row->n ? row->n : strlen(row->log) };
	struct hs_log_detected found;

	if (!row->detected)
		return;
	hs_log_detect(&first, &found);
	assert_non_null(found.format);
	assert_string_equal(found.format->name, row->format);
	assert_int_equal(found.xlen, row->detected == 1 ? 0 : row->detected);
}

/* ---- code ------------------------------------------------------------------------------------ */

#define COMMIT(pc, code) "core   0: 3 0x00000000" pc " (0x" code ") x5 0x0000000000000000\n"

TEST(opcodes_are_code)
{
	static const struct row row = { .format = "spike" };
	static const char log[] = COMMIT("00001000", "00000297") COMMIT("00001004", "4509")
		COMMIT("00001ffe", "00000013") COMMIT("00001000", "00000317");
	static const struct { uint64_t start, size; uint8_t first; } want[] = {
		{ 0x1000, 6, 0x97 }, { 0x1ffe, 2, 0x13 }, { 0x2000, 2, 0 } };
	static char text[TEXT], errors[TEXT];
	struct hs_block at[HS_BUILDER_ROOM];
	struct reading r = { open_row(&row), { at, HS_BUILDER_ROOM, 0 }, text, errors };
	struct hs_section code;

	feed(&r, log, sizeof(log) - 1);
	for (size_t i = 0; i < 3; i++) {
		assert_true(hs_exec_log_next_code(r.log, &code));
		assert_int_equal(code.start, want[i].start);
		assert_int_equal(code.size, want[i].size);
		assert_int_equal(code.bytes[0], want[i].first);
	}
	assert_false(hs_exec_log_next_code(r.log, &code));
	assert_int_equal(hs_exec_log_code(r.log, 0, &code), HS_OK);
	assert_int_equal(code.start, 0x1000);
	assert_int_equal(code.size, 4);
	assert_int_equal(code.bytes[0], 0x17);
	assert_int_equal(hs_exec_log_code(r.log, 1, &code), HS_E_ARG);
	end(&r);
	assert_string_equal(errors, "");
	hs_exec_log_free(r.log);
}

/* What is beyond the room for a line may be another element. */
TEST(long_lines_are_refused)
{
	static const struct row row = { .format = "rvvi" };
	static char log[6000], text[TEXT], errors[TEXT];
	static const size_t pieces[] = { 1, 64, 6000 };

	snprintf(log, sizeof(log), "RET 0xffe 0x4509\nRET 0x1000 0x4509 '%04200d' "
	         "RET 0x1002 0x4509\nRET 0x1004 0x4509\n", 0);
	for (size_t k = 0; k < sizeof(pieces) / sizeof(*pieces); k++) {
		struct hs_block at[HS_BUILDER_ROOM];
		struct reading r = { open_row(&row), { at, HS_BUILDER_ROOM, 0 }, text, errors };
		const size_t n = strlen(log);

		*text = *errors = '\0';
		for (size_t i = 0; i < n; i += pieces[k])
			feed(&r, log + i, n - i < pieces[k] ? n - i : pieces[k]);
		end(&r);
		assert_string_equal(text, "hart 0; ffe-1000; gap E_FORMAT at 17; 1004-1006; ");
		assert_string_equal(errors, "line 2: expected at most 4096 characters; ");
		hs_exec_log_free(r.log);
	}
}

TEST(options_are_checked)
{
	struct hs_exec_log_options o = { .size = sizeof(o) };
	struct hs_exec_log *log;
	struct hs_error e;

	assert_int_equal(hs_exec_log_new(&o, &log, &e), HS_E_CONFIG);
	o.format = hs_log_find_format("spike");
	o.xlen = 16;
	assert_int_equal(hs_exec_log_new(&o, &log, &e), HS_E_CONFIG);
	o.xlen = 0;
	o.size = 3;
	assert_int_equal(hs_exec_log_new(&o, &log, &e), HS_E_CONFIG);
	o.size = sizeof(o);
	o.format = hs_log_find_format("gem5");
	assert_int_equal(hs_exec_log_new(&o, &log, &e), HS_E_NOCODE);
	assert_null(hs_log_find_format("spik"));
	assert_null(hs_log_get_format(1000));
	hs_exec_log_free(NULL);
}
