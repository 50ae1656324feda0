/* JSON strings: expected text from RFC 8259, 7 and RFC 3629, 4; jansson reads each back. */
#include "cases.h"

#include <jansson.h>

#include <hartscope/status.h>

static const struct row {
	const char *name, *text, *json;
} rows[] = {
	{ "empty", "", "\"\"" },
	{ "plain", "main", "\"main\"" },
	{ "quote and backslash", "a\"b\\c", "\"a\\\"b\\\\c\"" },
	{ "control characters", "\t\n\x01\x7f", "\"\\u0009\\u000a\\u0001\\u007f\"" },
	{ "two bytes", "\xc3\xa4", "\"\xc3\xa4\"" },
	{ "three bytes", "\xe2\x82\xac", "\"\xe2\x82\xac\"" },
	{ "four bytes", "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
	{ "Latin 1", "\xe4", "\"\\u00e4\"" },
	{ "control sequence, C1", "\xc2\x9b", "\"\\u009b\"" },
	{ "right to left", "\xe2\x80\xae", "\"\\u202e\"" },
	{ "cut character", "\xe2\x82", "\"\\u00e2\\u0082\"" },
	{ "overlong slash", "\xc0\xaf", "\"\\u00c0\\u00af\"" },
	{ "overlong, three bytes", "\xe0\x80\xaf", "\"\\u00e0\\u0080\\u00af\"" },
	{ "surrogate", "\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\"" },
	{ "above U+10FFFF", "\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\"" },
};

TEST_ROWS(written, rows, r)
{
	char out[64];
	const size_t n = hs_json_string(out, sizeof(out), r->text);
	json_t *value = json_loadb(out, n, JSON_DECODE_ANY, NULL);

	assert_string_equal(out, r->json);
	assert_int_equal(n, strlen(r->json));
	assert_true(json_is_string(value));
	json_decref(value);
}

/* In less room: still a string, never past the end. */
TEST_ROWS(cut, rows, r)
{
	for (size_t size = 3; size <= strlen(r->json) + 1; size++) {
		char *out = test_malloc(size);
		const size_t n = hs_json_string(out, size, r->text);
		json_t *value = json_loadb(out, n, JSON_DECODE_ANY, NULL);

		assert_true(n < size);
		assert_true(json_is_string(value));
		json_decref(value);
		test_free(out);
	}
}

/* Text for terminals: control characters of ECMA-48 and what Unicode 15, 23.2 has of the kind. */
TEST(for_terminals)
{
	static const struct {
		const char *text, *escaped;
	} v[] = {
		{ "", "" }, { "main", "main" }, { "a\\x1b", "a\\x1b" },
		{ "\033[31mred", "\\x1b[31mred" }, { "\a\n\t\x7f", "\\x07\\x0a\\x09\\x7f" },
		{ "\xc3\xa4", "\xc3\xa4" }, { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "\xc2\x9b" "2J", "\\xc2\\x9b2J" }, { "\xc2\xa0", "\xc2\xa0" },
		{ "\xe4", "\\xe4" }, { "\xe2\x82", "\\xe2\\x82" },
		{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8" }, { "\xe2\x80\xae", "\\xe2\\x80\\xae" },
		{ "\xe2\x81\xa6", "\\xe2\\x81\\xa6" }, { "\xe2\x80\xaf", "\xe2\x80\xaf" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		char out[64];

		assert_int_equal(hs_text_escape(out, sizeof(out), v[i].text), strlen(v[i].escaped));
		assert_string_equal(out, v[i].escaped);
		for (size_t size = 1; size <= strlen(v[i].escaped); size++) {
			char *cut_out = test_malloc(size);

			assert_true(hs_text_escape(cut_out, size, v[i].text) < size);
			assert_memory_equal(cut_out, v[i].escaped, strlen(cut_out));
			test_free(cut_out);
		}
	}
}

/* A number of 64 bits has all its digits, whatever it is. */
TEST(wide_numbers)
{
	static const struct {
		uint64_t value;
		const char *text;
	} v[] = { { 0, "0" }, { 1, "1" },
		  { (UINT64_C(1) << 53) - 1, "9007199254740991" },
		  { (UINT64_C(1) << 53) + 1, "9007199254740993" },
		  { UINT64_MAX, "18446744073709551615" } };
	char out[HS_JSON_NUMBER];

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		assert_int_equal(hs_json_u64(out, v[i].value), strlen(v[i].text));
		assert_string_equal(out, v[i].text);
	}
}
