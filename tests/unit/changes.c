/* TRACE.code: what is written comes back, and what is damaged is refused with its line. */
#include "source/source.h"
#include "cases.h"

#include <unistd.h>

#include <hartscope/source.h>

#include "recording_files.h"
#include "source/private.h"

static const uint8_t some[] = { 0x05, 0x05, 0x82, 0x80 };

static const struct hs_code_change list_rows[] = {
	{ 0, 17, 0x2f, { 0x10000, 4, some } },
	{ 3, UINT64_MAX >> 1, UINT64_MAX >> 1, { UINT64_MAX - 1, 2, some + 2 } },
};

TEST(comes_back)
{
	struct hs_code_changes *list, *again;
	struct hs_error error;
	char room[64], trace[128], file[160];
	const char *dir = test_directory(room);

	snprintf(trace, sizeof(trace), "%s/a.nt", dir);
	snprintf(file, sizeof(file), "%s.code", trace);
	assert_int_equal(hs_code_changes_new(&list), HS_OK);
	assert_int_equal(hs_code_changes_read_beside(trace, &again, &error), HS_OK);
	assert_null(again);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(hs_code_changes_add(list, &list_rows[i]), HS_OK);
	hs_code_changes_set_harts(list, 4);
	assert_int_equal(hs_code_changes_write_beside(list, trace, &error), HS_OK);
	assert_int_equal(hs_code_changes_read_beside(trace, &again, &error), HS_OK);
	assert_int_equal(hs_code_changes_harts(again), 4);
	assert_int_equal(hs_code_changes_count(again), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct hs_code_change *got = hs_code_changes_get(again, i);
		const struct hs_code_change *want = &list_rows[i];

		assert_int_equal(got->hart, want->hart);
		assert_true(got->blocks == want->blocks && got->offset == want->offset);
		assert_true(got->code.start == want->code.start);
		assert_int_equal(got->code.size, want->code.size);
		assert_memory_equal(got->code.bytes, want->code.bytes, want->code.size);
	}
	hs_code_changes_free(list);
	hs_code_changes_free(again);
	assert_int_equal(hs_code_changes_new(&list), HS_OK); /* an empty list is no file */
	assert_int_equal(hs_code_changes_write_beside(list, trace, &error), HS_OK);
	assert_int_not_equal(access(file, F_OK), 0);
	assert_int_equal(hs_code_changes_write_beside(list, trace, &error), HS_OK);
	hs_code_changes_free(list);
	test_directory_remove(dir);
}

TEST(refuses_wrong_changes)
{
	const struct hs_code_change none = { .code = { 0x1000, 0, some } },
				    no_bytes = { .code = { 0x1000, 4, NULL } },
				    past = { .code = { UINT64_MAX, 2, some } },
				    large = { .code = { 0x1000, (1 << 20) + 1, some } };
	struct hs_code_changes *list;

	assert_int_equal(hs_code_changes_new(&list), HS_OK);
	assert_int_equal(hs_code_changes_add(list, &none), HS_E_ARG);
	assert_int_equal(hs_code_changes_add(list, &no_bytes), HS_E_ARG);
	assert_int_equal(hs_code_changes_add(list, &past), HS_E_ARG);
	assert_int_equal(hs_code_changes_add(list, &large), HS_E_ARG);
	assert_int_equal(hs_code_changes_count(list), 0);
	hs_code_changes_free(list);
}

#define HEAD "{\"format\":\"hartscope-code\",\"version\":1,\"harts\":1}\n"
#define CHANGE(rest) "{\"hart\":0,\"blocks\":1,\"offset\":2," rest "}\n"

static const struct {
	const char *text;
	enum hs_status status;
	const char *where; /* how the message begins */
} texts[] = {
	{ HEAD CHANGE("\"address\":\"0x10\",\"code\":\"8280\""), HS_OK, NULL },
	{ HEAD CHANGE("\"address\":16,\"code\":\"8280\""), HS_OK, NULL },
	{ HEAD, HS_OK, NULL },
	{ "", HS_E_FORMAT, "x:0: " },
	{ "{}\n", HS_E_FORMAT, "x:1: " },
	{ "no JSON\n", HS_E_FORMAT, "x:1: " },
	{ CHANGE("\"address\":\"0x10\",\"code\":\"8280\""), HS_E_FORMAT, "x:1: " },
	{ "{\"format\":\"hartscope-code\",\"version\":2,\"harts\":1}\n", HS_E_UNSUPPORTED, "x:1: " },
	{ "{\"format\":\"hartscope-code\",\"version\":1,\"harts\":0}\n", HS_E_FORMAT, "x:1: " },
	{ "{\"format\":\"other\",\"version\":1,\"harts\":1}\n", HS_E_FORMAT, "x:1: " },
	{ HEAD CHANGE("\"address\":\"0x10\",\"code\":\"828\""), HS_E_FORMAT, "x:2: " },
	{ HEAD CHANGE("\"address\":\"0x10\",\"code\":\"828g\""), HS_E_FORMAT, "x:2: " },
	{ HEAD CHANGE("\"address\":\"0x10\",\"code\":\"\""), HS_E_FORMAT, "x:2: " },
	{ HEAD CHANGE("\"address\":\"0x10\""), HS_E_FORMAT, "x:2: " },
	{ HEAD CHANGE("\"address\":\"0x1g\",\"code\":\"8280\""), HS_E_FORMAT, "x:2: " },
	{ HEAD CHANGE("\"address\":\"-1\",\"code\":\"8280\""), HS_E_FORMAT, "x:2: " },
	{ HEAD CHANGE("\"address\":\"0x10000000000000000\",\"code\":\"8280\""), HS_E_FORMAT,
	  "x:2: " },
	{ HEAD CHANGE("\"address\":\"0xffffffffffffffff\",\"code\":\"8280\""), HS_E_FORMAT,
	  "x:2: " },
	{ HEAD "{\"hart\":4294967296,\"blocks\":1,\"offset\":2,\"address\":16,\"code\":\"82\"}\n",
	  HS_E_FORMAT, "x:2: " },
	{ HEAD "{\"hart\":0,\"blocks\":-1,\"offset\":2,\"address\":16,\"code\":\"82\"}\n",
	  HS_E_FORMAT, "x:2: " },
	{ HEAD "{\"hart\":0,\"hart\":1,\"blocks\":1,\"offset\":2,\"address\":16,\"code\":\"82\"}\n",
	  HS_E_FORMAT, "x:2: " },
};

TEST(damage_is_refused)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct hs_span text = { (const uint8_t *)texts[i].text, strlen(texts[i].text) };
		struct hs_error error = { 0 };
		struct hs_code_changes *list;
		const enum hs_status s = hs_code_changes_read(&text, "x", &list, &error);

		if (s != texts[i].status)
			fail_msg("%s gives %s", texts[i].text, hs_status_name(s));
		assert_int_equal(text.n, 0);
		assert_int_equal(list != NULL, s == HS_OK);
		if (texts[i].where)
			assert_memory_equal(error.text, texts[i].where, strlen(texts[i].where));
		hs_code_changes_free(list);
	}
}
