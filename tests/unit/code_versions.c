/* Code that changes, in views of a flow: counts, listings, records and files of flows follow it. */
#include "cases.h"

#include <hartscope/views.h>
#include "counts/counts.h"
#include <hartscope/source.h>

#include "ctr_host/ctr_host.h"
#include "program/program.h"
#include "recording_files.h"

#define B(a, n, t) { .iaddr = (a), .iretire = (n), .ilast = 1, .itype = HS_ITYPE_##t }
#define V(n) { .arg = (n), .kind = HS_KIND_VERSION }
#define HART(n) { .arg = (n), .kind = HS_KIND_HART }
#define MAX 7

/* The program: 128 bytes of c.nop at 0x1000, with a ret at 0x1006. */
#define BASE 0x1000u

/* What is there later. */
static const struct {
	uint64_t at;
	uint8_t code[4], size;
} versions[] = {
	{ 0x1000, { 0x13, 0x00, 0x00, 0x00 }, 4 }, /* 0: nop, one instruction of four bytes */
	{ 0x1000, { 0x01, 0x00, 0x01, 0x00 }, 4 }, /* 1: as at first */
	{ 0x2000, { 0x01, 0x00, 0x82, 0x80 }, 4 }, /* 2: where no code was: c.nop, ret */
	{ 0x103e, { 0x13, 0x00, 0x00, 0x00 }, 4 }, /* 3: nop, at the end of 64 bytes */
	{ 0x1006, { 0x01, 0xa0 }, 2 },             /* 4: c.j to itself */
	{ 0x107e, { 0x13, 0x00, 0x00, 0x00 }, 4 }, /* 5: nop, half of it where no code was */
};

static enum hs_status version_of(void *of, uint32_t number, struct hs_section *code)
{
	(void)of;
	if (number >= sizeof(versions) / sizeof(*versions))
		return HS_E_ARG;
	*code = (struct hs_section){ versions[number].at, versions[number].size,
		                     versions[number].code };
	return HS_OK;
}

static const struct row {
	const char *name;
	struct hs_block items[MAX];
	unsigned n;
	uint64_t instructions, distinct, unmapped;
	const char *last; /* bytes of the last instruction listed */
} rows[] = {
	{ "code that stays", { B(BASE, 4, RETURN), B(BASE, 4, RETURN) }, 2, 8, 1, 0, "8082" },
	{ "other code", { B(BASE, 2, NONE), V(0), B(BASE, 2, NONE) }, 3, 3, 2, 0, "00000013" },
	{ "back again", { B(BASE, 2, NONE), V(0), B(BASE, 2, NONE), V(1), B(BASE, 2, NONE) }, 5, 5,
	  2, 0, "0001" },
	{ "each hart its own", { HART(0), V(0), B(BASE, 2, NONE), HART(1), B(BASE, 2, NONE),
	  HART(0), B(BASE, 2, NONE) }, 7, 4, 2, 0, "00000013" },
	{ "where no code was", { B(0x2000, 2, NONE), V(2), B(0x2000, 2, NONE) }, 3, 2, 2, 1,
	  "8082" },
	{ "half of it where no code was", { V(5), B(0x107e, 2, NONE) }, 2, 1, 1, 0, "00000013" },
	{ "across lines", { B(0x1030, 9, NONE), V(3), B(0x1030, 9, NONE) }, 3, 9 + 8, 2, 0,
	  "00000013" },
	{ "the code next to it changes", { B(0x1008, 2, NONE), V(0), B(0x1008, 2, NONE) }, 3, 4, 1,
	  0, "0001" },
	{ "a number of no code", { B(BASE, 2, NONE), V(99), B(BASE, 2, NONE) }, 3, 4, 1, 0,
	  "0001" },
};

static struct hs_image *base_image(void)
{
	static uint8_t bytes[128];
	static const struct hs_section section = { BASE, sizeof(bytes), bytes };
	static struct hs_image image = { &section, 1, { .xlen = 64 }, 0 };

	for (unsigned i = 0; i < sizeof(bytes); i += 2)
		bytes[i] = 1;
	memcpy(bytes + 6, (const uint8_t[]){ 0x82, 0x80 }, 2);
	return &image;
}

static struct hs_program *new_program(void)
{
	struct hs_program *p;

	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_image(p, base_image(), NULL), HS_OK);
	hs_program_set_versions(p, version_of, NULL);
	return p;
}

static void check_counts(struct hs_program *p, const struct row *r)
{
	struct hs_profile_result got;
	struct hs_profile *profile;

	assert_int_equal(hs_profile_new(p, NULL, &profile), HS_OK);
	assert_int_equal(hs_profile_add(profile, r->items, r->n), HS_OK);
	assert_int_equal(hs_profile_get_result(profile, &got), HS_OK);
	assert_int_equal(got.instructions, r->instructions);
	assert_int_equal(got.distinct, r->distinct);
	assert_int_equal(got.unmapped, r->unmapped);
	hs_profile_free(profile);
}

struct text {
	char bytes[8192];
	size_t n;
};

static bool keep_text(void *context, const void *bytes, size_t n)
{
	struct text *t = context;

	assert_true(n < sizeof(t->bytes) - t->n);
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	t->bytes[t->n] = 0;
	return true;
}

static void list(struct hs_program *p, const struct row *r, struct hs_listing_options o,
                 struct text *text)
{
	struct hs_listing *l;

	*text = (struct text){ .n = 0 };
	o.size = sizeof(o);
	o.program = p;
	o.write = keep_text;
	o.context = text;
	assert_int_equal(hs_listing_new(&o, &l), HS_OK);
	assert_int_equal(hs_listing_add(l, r->items, r->n), HS_OK);
	assert_int_equal(hs_listing_end(l), HS_OK);
	hs_listing_free(l);
}

static uint64_t count_lines(const struct text *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->bytes[i] == '\n';
	return n;
}

/* The bytes that the last line with an instruction shows. */
static void check_last(const struct text *t, const char *want)
{
	const char *at = t->bytes, *last = NULL;

	for (; (at = strstr(at, " .insn")); at++)
		last = at;
	assert_non_null(last);
	while (last[-1] == ' ')
		last--;
	while (last[-1] != ' ')
		last--;
	assert_memory_equal(last, want, strlen(want));
	assert_int_equal(last[strlen(want)], ' ');
}

TEST_ROWS(counted_and_listed, rows, r)
{
	struct hs_program *p = new_program();
	struct text text;

	check_counts(p, r);
	list(p, r, (struct hs_listing_options){ .format = HS_LISTING_PC }, &text);
	assert_int_equal(count_lines(&text), r->instructions);
	list(p, r, (struct hs_listing_options){ .format = HS_LISTING_PC, .limit = 1000 }, &text);
	assert_int_equal(count_lines(&text), r->instructions);
	list(p, r, (struct hs_listing_options){ .format = HS_LISTING_TEXT }, &text);
	check_last(&text, r->last);
	hs_program_free(p);
}

#define C(n) { .value = (n), .arg = 2, .kind = HS_KIND_CONTEXT }

/* The programs of contexts change, too: a change is of the memory that a hart sees. */
TEST(programs_of_contexts)
{
	static const struct {
		struct hs_block items[MAX];
		unsigned n;
		uint64_t instructions;
	} flows[] = {
		{ { C(5), B(BASE, 2, NONE), V(0), B(BASE, 2, NONE) }, 4, 2 + 1 },
		{ { V(0), C(5), B(BASE, 2, NONE) }, 3, 1 },          /* before the context */
		{ { C(5), V(0), C(6), B(BASE, 2, NONE) }, 4, 1 },    /* of one for the other */
		{ { C(5), V(0), V(1), B(BASE, 2, NONE) }, 4, 2 },
		{ { C(5), V(0), HART(1), C(6), B(BASE, 2, NONE) }, 5, 2 }, /* of another hart */
		{ { C(5), V(2), B(0x2000, 2, NONE) }, 3, 2 },        /* where no code was */
	};
	struct hs_program *p = new_program(), *others[] = { new_program(), new_program() };
	static const uint64_t contexts[] = { 5, 6 };
	const struct hs_program_set set = { p, others, contexts, 2, false };

	for (size_t i = 0; i < sizeof(flows) / sizeof(*flows); i++) {
		struct hs_profile_result got;
		struct hs_profile *profile;

		assert_int_equal(hs_profile_new(p, &set, &profile), HS_OK);
		assert_int_equal(hs_profile_add(profile, flows[i].items, flows[i].n), HS_OK);
		assert_int_equal(hs_profile_get_result(profile, &got), HS_OK);
		assert_int_equal(got.instructions, flows[i].instructions);
		assert_int_equal(got.unmapped, 0);
		hs_profile_free(profile);
	}
	hs_program_free(p);
	hs_program_free(others[0]);
	hs_program_free(others[1]);
}

/* A transfer is that of the code that ran, also if the code changes before its target comes. */
TEST(a_transfer_is_of_the_code_that_ran)
{
	static const struct hs_block in[] = {
		B(BASE, 4, RETURN), V(4), B(BASE, 4, JUMP_INF), V(1), B(0x1006, 1, JUMP_INF),
		B(0x1006, 1, NONE),
	};
	static const uint8_t want[] = { 11, 11, 13 }; /* direct jumps, a return (CTR 1.0) */
	const struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_program *p = new_program();
	struct hs_ctr_replay *replay;

	assert_int_equal(hs_ctr_replay_new(&s, p, NULL, &replay, NULL), HS_OK);
	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_int_equal(hs_ctr_replay_add(replay, &in[i]), HS_OK);
	const struct hs_ctr *c = &hs_ctr_replay_at(replay, 0)->ctr;

	for (unsigned i = 0; i < sizeof(want); i++)
		assert_int_equal(hs_ctr_get_entry(c, i).data & 15, want[i]);
	hs_ctr_replay_free(replay);
	hs_program_free(p);
}

/* What a flow on disk has of it; without following, it is as if nothing changed. */
TEST(a_flow_on_disk_has_the_changes)
{
	static const struct hs_block in[] = {
		B(BASE, 2, NONE), V(0), B(BASE, 2, NONE), V(1), V(0), B(BASE, 2, NONE),
	};
	static const uint32_t numbers[] = { 0, 1, 0 }; /* in the order in which they were written */
	struct hs_rec_writer_options wo = { .size = sizeof(wo), .image = base_image() };
	struct hs_source_options so = { .size = sizeof(so) };
	struct hs_profile_result result;
	struct hs_profile *profile;
	struct hs_rec_writer *w;
	struct hs_source *source;
	struct hs_section code;
	struct hs_block got[100];
	char room[64];
	size_t n, events;

	so.path = test_directory(room);
	test_manifest(room, "flow", 1);
	wo.versions = version_of;
	assert_int_equal(hs_rec_create(room, &wo, &w, NULL), HS_OK);
	assert_int_equal(hs_rec_write(w, in, sizeof(in) / sizeof(*in), NULL), HS_OK);
	assert_int_equal(hs_rec_write(w, &(struct hs_block)V(99), 1, NULL), HS_E_ARG);
	assert_int_equal(hs_rec_finish(w, true, "done", NULL), HS_OK);
	for (unsigned follow = 0; follow < 2; follow++) {
		so.versions = follow;
		events = 0;
		assert_int_equal(hs_source_open(&so, &source, NULL), HS_OK);
		assert_int_equal(
			hs_profile_new(hs_source_known(source)->program, NULL, &profile), HS_OK);
		while (hs_source_next(source, got, 100, &n, NULL) == HS_OK) {
			assert_int_equal(hs_profile_add(profile, got, n), HS_OK);
			for (size_t i = 0; i < n; i++) {
				if (got[i].kind != HS_KIND_VERSION)
					continue;
				assert_int_equal(got[i].arg, numbers[events++]);
				assert_int_equal(hs_source_code(source, got[i].arg, &code), HS_OK);
				assert_int_equal(code.start, BASE);
				assert_int_equal(code.size, 4);
			}
		}
		assert_int_equal(events, follow ? 3 : 0);
		assert_int_equal(hs_source_code(source, 2, &code), HS_E_ARG);
		assert_int_equal(hs_profile_get_result(profile, &result), HS_OK);
		assert_int_equal(result.instructions, follow ? 2 + 1 + 1 : 2 + 2 + 2);
		assert_int_equal(result.events[HS_KIND_VERSION], follow ? 3 : 0);
		hs_profile_free(profile);
		hs_source_close(source);
	}
	test_directory_remove(room);
}

#define EVENT(kind_, arg_) \
	HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0), 0, 0, (arg_), (uint32_t)(kind_) << 24

/* A flow by hand: a change whose code the log has, and one that it has not. */
TEST(number_without_code)
{
	static const uint32_t words[] = { 0, EVENT(HS_KIND_VERSION, 0), 0,
		                          EVENT(HS_KIND_VERSION, 1), 0 };
	static const struct hs_block block = B(BASE, 2, NONE);
	const uint64_t start = versions[0].at;
	struct hs_source_options so = { .size = sizeof(so), .versions = true };
	struct test_log log;
	struct hs_source *source;
	struct hs_block got[100];
	uint32_t packed[4];
	char room[64];
	size_t n;

	so.path = test_directory(room);
	hs_rec_block_pack(&block, packed);
	test_log_start(&log, 64);
	test_log_add(&log, HS_REC_LOG_BLOCK, packed, sizeof(packed), NULL, 0);
	test_log_add(&log, HS_REC_LOG_VERSION, &start, 8, versions[0].code, versions[0].size);
	test_manifest(room, "flow", 1);
	test_frame(room, "runs.zst", log.bytes, log.size);
	test_frame(room, "hart-0.zst", words, sizeof(words));
	assert_int_equal(hs_source_open(&so, &source, NULL), HS_OK);
	enum hs_status status = HS_OK;
	size_t count = 0;

	for (; status == HS_OK; count += n)
		status = hs_source_next(source, got + count, 50, &n, NULL);
	assert_int_equal(status, HS_E_FORMAT);
	assert_int_equal(count, 3);
	assert_int_equal(got[1].kind, HS_KIND_VERSION);
	assert_int_equal(got[1].arg, 0);
	hs_source_close(source);
	test_directory_remove(room);
}

#define PLACES 400000u

/* One place after the other, and others between those. */
static enum hs_status place_of(void *of, uint32_t number, struct hs_section *code)
{
	const uint64_t at = number < PLACES / 2 ? number * 2u : (number - PLACES / 2) * 2u + 1;

	(void)of;
	*code = (struct hs_section){ 0x10000 + at * 4096, 4, versions[0].code };
	return HS_OK;
}

/* Compilers at run time have that many: minutes with sanitizers where each looks at all of them. */
TEST(many_places)
{
	struct hs_program *program;
	struct hs_code_view *view;
	size_t n;

	assert_int_equal(hs_program_new(&program), HS_OK);
	hs_program_set_versions(program, place_of, NULL);
	assert_int_equal(hs_code_view_new(program, &view), HS_OK);
	for (uint32_t i = 0; i < PLACES / 2; i++)
		assert_int_equal(hs_code_view_change(view, i), HS_OK);
	for (uint32_t i = PLACES - 100; i < PLACES; i++)
		assert_int_equal(hs_code_view_change(view, i), HS_OK);
	assert_int_equal(hs_code_view_image(view)->count, PLACES / 2 + 100);
	for (uint32_t i = 0; i < 3; i++)
		assert_non_null(hs_img_bytes(hs_code_view_image(view), 0x10000 + i * 8192, &n));
	hs_code_view_free(view);
	hs_program_free(program);
}
