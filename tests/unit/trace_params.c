/* The parameters of a trace: what a text says, who wins, what is written, and what errors say. */
#include "trace/trace.h"
#include "cases.h"

#include <unistd.h>

#include <hartscope/trace_params.h>

#include "etrace/et_discovery.h"
#include "trace/params.h"

static uint64_t value_of(const struct hs_trace_params *p, const char *name)
{
	const struct hs_protocol *protocol = hs_trace_params_protocol(p);

	for (unsigned i = 0; i < protocol->param_count; i++)
		if (strcmp(protocol->params[i].name, name) == 0)
			return hs_protocol_get(protocol, hs_trace_params_config(p), i);
	fail_msg("%s has no %s", protocol->name, name);
	return 0;
}

static struct hs_trace_params *new_params(const char *protocol)
{
	struct hs_trace_params *p = NULL;

	assert_int_equal(hs_trace_params_new(protocol, &p, NULL), HS_OK);
	return p;
}

static enum hs_status read_text(struct hs_trace_params *p, const char *text, struct hs_error *e)
{
	struct hs_span in = { (const uint8_t *)text, strlen(text) };
	const enum hs_status s = hs_trace_params_read(p, &in, "folder/file", e);

	assert_int_equal(in.n, 0);
	assert_ptr_equal(in.p, text + strlen(text));
	return s;
}

/* ---- texts -------------------------------------------------------------------- */

static const struct row {
	const char *name, *given, *text; /* given: the protocol that the caller asks for */
	enum hs_status status;
	const char *protocol, *param; /* of the result; of an error: what its text has */
	uint64_t value;
} rows[] = {
	{ "a word", NULL, "{\"set\": {\"trTeInstMode\": \"htm\"}}", HS_OK, "ntrace", "trTeInstMode",
	  6 },
	{ "a number", NULL, "{\"set\": {\"trTeSrcBits\": 4}}", HS_OK, "ntrace", "trTeSrcBits", 4 },
	{ "a number as text", NULL, "{\"set\": {\"trTeSrcBits\": \"0x4\"}}", HS_OK, "ntrace",
	  "trTeSrcBits", 4 },
	{ "JSON names the protocol", NULL, "{\"protocol\": \"etrace\", \"set\": {\"arch_p\": 3}}",
	  HS_OK,
	  "etrace", "arch_p", 3 },
	{ "the caller's protocol wins", "etrace",
	  "{\"protocol\": \"ntrace\", \"set\": {\"arch_p\": 3}}",
	  HS_OK, "etrace", "arch_p", 3 },
	{ "no protocol in JSON", NULL, "{}", HS_OK, "ntrace", "trTeSrcBits", 0 },
	{ "lines", "etrace", "[title]\n; comment\narch_p = 2 # more\n\n", HS_OK, "etrace", "arch_p",
	  2 },
	{ "lines: the last one wins", "etrace", "arch_p=2\r\narch_p=5", HS_OK, "etrace", "arch_p",
	  5 },
	{ "a name of the reference flow", "etrace", "file-stem = x\narch_p = 1\n", HS_OK, "etrace",
	  "arch_p", 1 },
	{ "JSON that is cut", NULL, "{\"set\": ", HS_E_FORMAT, NULL, "folder/file:1: ", 0 },
	{ "a name twice", NULL, "{\"set\": {}, \"set\": {}}", HS_E_FORMAT, NULL, "folder/file:1: ",
	  0 },
	{ "settings that are a list", NULL, "{\"set\": []}", HS_E_FORMAT, NULL,
	  "not the parameters", 0 },
	{ "a value that is a list", NULL, "{\"set\": {\"trTeSrcBits\": []}}", HS_E_FORMAT, NULL,
	  "folder/file: trTeSrcBits is neither", 0 },
	{ "no such protocol", NULL, "{\"protocol\": \"x\"}", HS_E_CONFIG, NULL,
	  "'x'; there are: ntrace", 0 },
	{ "no such parameter", NULL, "{\"set\": {\"trTeSrcBit\": 4}}", HS_E_CONFIG, NULL,
	  "no parameter 'trTeSrcBit'", 0 },
	{ "above the largest value", NULL, "{\"set\": {\"trTeSrcBits\": 13}}", HS_E_CONFIG, NULL,
	  "'13' is no value of trTeSrcBits: 0 to 12", 0 },
	{ "a negative number", NULL, "{\"set\": {\"trTeSrcBits\": -1}}", HS_E_CONFIG, NULL, "'-1'",
	  0 },
	{ "a line without =", "etrace", "arch_p = 1\narch_p 2\n", HS_E_CONFIG, NULL,
	  "folder/file:2: not NAME = VALUE: arch_p 2", 0 },
	{ "a line with no such parameter", "etrace", "\nach_p = 1", HS_E_CONFIG, NULL,
	  "folder/file:2: etrace has no parameter 'ach_p'", 0 },
	{ "a context without a path", NULL, "{\"processes\": [{\"context\": 1}]}", HS_E_FORMAT,
	  NULL,
	  "folder/file: processes", 0 },
};

TEST_ROWS(read_row, rows, r)
{
	struct hs_trace_params *p = new_params(r->given);
	struct hs_error e = { 0 };

	assert_int_equal(read_text(p, r->text, &e), r->status);
	if (r->status == HS_OK) {
		assert_string_equal(hs_trace_params_protocol(p)->name, r->protocol);
		assert_int_equal(value_of(p, r->param), r->value);
	} else if (!strstr(e.text, r->param)) {
		fail_msg("'%s' is not in: %s", r->param, e.text);
	}
	hs_trace_params_free(p);
}

TEST(json_replaces_everything)
{
	struct hs_trace_params *p = new_params(NULL);

	assert_int_equal(hs_trace_params_set(p, "trTeInhibitSrc", "1", NULL), HS_OK);
	assert_int_equal(read_text(p, "{\"set\": {\"trTeSrcBits\": 2}}", NULL), HS_OK);
	assert_int_equal(value_of(p, "trTeInhibitSrc"), 0);
	assert_int_equal(value_of(p, "trTeSrcBits"), 2);
	hs_trace_params_free(p);
}

/* Numbers as in options, and up to 64 bits. */
TEST(wide_numbers)
{
	static const char *const tens[] = { "10", "1e1", "0.01k", "0xa", "010" };
	static const char *const wrong[] = { "1k", "1.5", "10x", "-1", "", "18446744073709551617" };
	struct hs_trace_params *p = new_params(NULL);

	for (size_t i = 0; i < sizeof(tens) / sizeof(*tens); i++) {
		assert_int_equal(hs_trace_params_set(p, "trTeInstSyncMax", "3", NULL), HS_OK);
		assert_int_equal(hs_trace_params_set(p, "trTeInstSyncMax", tens[i], NULL), HS_OK);
		assert_int_equal(value_of(p, "trTeInstSyncMax"), 10);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(hs_trace_params_set(p, "trTeInstSyncMax", wrong[i], NULL),
		                 HS_E_CONFIG);
	hs_trace_params_free(p);
}

/* ---- what is no parameter of the protocol -------------------------------------- */

TEST(words_and_paths)
{
	struct hs_trace_params *p = new_params(NULL), *copy = NULL;
	struct hs_trace_info i;

	assert_int_equal(read_text(p,
	                           "{\"transport\": \"vcd\", \"vcd_clock\": \"c\", \"vcd_data\": \"d\","
	                              "\"recording\": \"a.rec\", \"processes\": ["
	                              "{\"context\": \"0x8000000000000001\", \"path\": \"/x\", \"bias\": 16},"
	                              "{\"context\": 2, \"path\": \"y\"}]}", NULL), HS_OK);
	assert_int_equal(hs_trace_params_copy(p, &copy), HS_OK);
	hs_trace_params_free(p);
	hs_trace_params_get_info(copy, &i);
	assert_string_equal(i.transport, "vcd");
	assert_string_equal(i.vcd_clock, "c");
	assert_string_equal(i.vcd_data, "d");
	assert_string_equal(i.recording, "folder/a.rec");
	assert_int_equal(i.process_count, 2);
	assert_int_equal(i.processes[0].context, 0x8000000000000001ull);
	assert_int_equal(i.processes[0].bias, 16);
	assert_string_equal(i.processes[0].path, "/x");
	assert_int_equal(i.processes[1].context, 2);
	assert_int_equal(i.processes[1].bias, 0);
	assert_string_equal(i.processes[1].path, "folder/y");
	hs_trace_params_free(copy);
}

/* ---- defaults that depend on others --------------------------------------------- */

/* The harts of dialect "pulp" have 32-bit addresses (hs_et_config_dialect()). */
TEST(defaults_follow)
{
	struct hs_trace_params *p = new_params("etrace");
	const uint64_t standard = value_of(p, "iaddress_width_p");

	assert_int_equal(standard, 64);
	assert_int_equal(hs_trace_params_set(p, "dialect", "pulp", NULL), HS_OK);
	assert_int_equal(value_of(p, "iaddress_width_p"), 32);
	assert_int_equal(hs_trace_params_set(p, "arch_p", "1", NULL), HS_OK);
	assert_int_equal(hs_trace_params_set(p, "dialect", "standard", NULL), HS_OK);
	assert_int_equal(value_of(p, "iaddress_width_p"), 32); /* arch_p was set: nothing follows */
	assert_int_equal(value_of(p, "arch_p"), 1);
	hs_trace_params_free(p);
}

/* ---- registers and discovery ---------------------------------------------------- */

/* trTeControl: trTeFormat is bits 26:24, 1 for N-Trace; trTeInstMode bits 6:4 (TCI 6.1). */
TEST(registers_give_parameters)
{
	struct hs_trace_params *p = new_params("ntrace");
	struct hs_tc_dump dump = { 0 };
	static const char line[] = "trTeControl = 0x01000030";
	struct hs_span in = { (const uint8_t *)line, sizeof(line) - 1 };
	struct hs_error e = { 0 };

	assert_int_equal(hs_trace_params_set(p, "trTeInstMode", "htm", NULL), HS_OK);
	assert_int_equal(hs_tc_dump_line(&dump, &in), HS_OK);
	assert_int_equal(hs_trace_params_set_registers(p, &dump.regs, &e), HS_OK);
	assert_int_equal(value_of(p, "trTeInstMode"), 3);
	hs_trace_params_free(p);
	p = new_params("etrace");
	assert_int_equal(hs_trace_params_set_registers(p, &dump.regs, &e), HS_E_CONFIG);
	assert_non_null(strstr(e.text, "these registers are not those of etrace"));
	hs_trace_params_free(p);
}

TEST(discovery_gives_parameters)
{
	struct hs_trace_params *p = new_params("etrace");
	uint32_t words[HS_ET_ATTRIBUTE_WORDS];
	struct hs_et_attributes a;
	struct hs_error e = { 0 };

	hs_et_attributes_init(&a);
	a.value[HS_ETA_IADDRESS_WIDTH] = 40;
	a.value[HS_ETA_IADDRESS_LSB] = 2;
	a.value[HS_ETA_NOCONTEXT] = 0;
	assert_int_equal(hs_et_attributes_put(&a, words), HS_OK);
	assert_int_equal(hs_trace_params_set_discovery(p, words, HS_ET_ATTRIBUTE_WORDS, &e), HS_OK);
	assert_int_equal(value_of(p, "iaddress_width_p"), 40);
	assert_int_equal(value_of(p, "iaddress_lsb_p"), 2);
	assert_int_equal(value_of(p, "nocontext_p"), 0);
	assert_int_equal(hs_trace_params_set_discovery(p, words, HS_ET_DISCOVERY_WORDS, &e),
	                 HS_E_CONFIG);
	hs_trace_params_free(p);
	p = new_params("ntrace");
	assert_int_equal(hs_trace_params_set_discovery(p, words, HS_ET_ATTRIBUTE_WORDS, &e),
	                 HS_E_UNSUPPORTED);
	hs_trace_params_free(p);
}

/* ---- synchronisation for files -------------------------------------------------- */

/* 3 is HS_NT_SYNC_HALFWORDS; 1 HS_NT_SYNC_MESSAGES, what files get. */
TEST(default_sync)
{
	static const struct {
		const char *setting, *value, *text;
		uint64_t mode, max;
	} v[] = {
		{ NULL, NULL, NULL, 1, 8 },
		{ "trTeSrcBits", "4", NULL, 1, 8 },
		{ "trTeInstSyncMode", "off", NULL, 0, 0 },
		{ "trTeInstSyncMode", "halfwords", NULL, 3, 0 },
		{ "trTeInstSyncMax", "9", NULL, 1, 9 }, /* the mode alone is the default */
		{ "trTeInstSyncMax", "0", NULL, 1, 0 },
		{ NULL, NULL, "{}", 1, 8 },
		{ NULL, NULL, "trTeSrcBits = 4", 1, 8 },
		{ NULL, NULL, "trTeInstSyncMode = off", 0, 0 },
		/* written with a trace, it would have said it */
		{ NULL, NULL, "{\"trace\": {\"bytes\": 1, \"xxh64\": \"0123456789abcdef\"}}", 0,
		  0 },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct hs_trace_params *p = new_params("ntrace");

		if (v[i].setting)
			assert_int_equal(hs_trace_params_set(p, v[i].setting, v[i].value, NULL),
			                 HS_OK);
		if (v[i].text)
			assert_int_equal(read_text(p, v[i].text, NULL), HS_OK);
		hs_trace_params_set_default_sync(p);
		assert_int_equal(value_of(p, "trTeInstSyncMode"), v[i].mode);
		assert_int_equal(value_of(p, "trTeInstSyncMax"), v[i].max);
		hs_trace_params_free(p);
	}
}

/* ---- files, and everything in one call ------------------------------------------ */

struct folder {
	char path[64], trace[96], json[96], lines[96], registers[96];
};

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static int make_folder(void **state)
{
	struct folder *d = calloc(1, sizeof(*d));

	snprintf(d->path, sizeof(d->path), "/tmp/hartscope-test-XXXXXX");
	if (!mkdtemp(d->path))
		abort();
	snprintf(d->trace, sizeof(d->trace), "%s/a.nt", d->path);
	snprintf(d->json, sizeof(d->json), "%s/a.nt.json", d->path);
	snprintf(d->lines, sizeof(d->lines), "%s/lines", d->path);
	snprintf(d->registers, sizeof(d->registers), "%s/registers", d->path);
	*state = d;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *d = *state;

	unlink(d->json);
	unlink(d->lines);
	unlink(d->registers);
	rmdir(d->path);
	free(d);
	return 0;
}

/* A case in a folder of its own. */
#define IN_FOLDER(f) TEST_IN(f, make_folder, remove_folder, const struct folder *d)

/* TRACE.json < --registers < --set; --config in place of TRACE.json.  The registers have
 * trTeInstMode 3 and nothing of trTeSrcBits, which is in another register. */
IN_FOLDER(precedence)
{
	const char *const configs[] = { d->lines };
	const struct hs_setting set[] = { { "trTeInstMode", "0" } };
	const struct {
		struct hs_trace_params_options o;
		uint64_t mode, source_bits;
	} v[] = {
		{ { .trace = NULL }, 0, 0 },
		{ { .trace = d->trace }, 6, 4 },
		{ { .trace = d->trace, .registers = d->registers }, 3, 4 },
		{ { .trace = d->trace, .registers = d->registers, .settings = set,
		    .setting_count = 1 }, 0, 4 },
		{ { .trace = d->trace, .configs = configs, .config_count = 1 }, 0, 5 },
		{ { .configs = configs, .config_count = 1, .registers = d->registers }, 3, 5 },
	};

	write_text(d->json, "{\"set\": {\"trTeInstMode\": \"htm\", \"trTeSrcBits\": 4}}");
	write_text(d->lines, "trTeSrcBits = 5\n");
	write_text(d->registers, "trTeControl = 0x01000030\n");
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct hs_trace_params_options o = v[i].o;
		struct hs_trace_params *p;

		o.size = sizeof(o);
		assert_int_equal(hs_trace_params_open(&o, &p, NULL), HS_OK);
		assert_int_equal(value_of(p, "trTeInstMode"), v[i].mode);
		assert_int_equal(value_of(p, "trTeSrcBits"), v[i].source_bits);
		hs_trace_params_free(p);
	}
}

IN_FOLDER(open_errors)
{
	const struct hs_setting bad[] = { { "histBits", "0" }, { "icntBits", "1" } };
	const char *const missing[] = { "/nowhere/x.json" };
	const struct {
		struct hs_trace_params_options o;
		enum hs_status status;
		const char *text;
	} v[] = {
		{ { .size = 2 }, HS_E_CONFIG, "unknown members" },
		{ { .protocol = "mtrace" }, HS_E_CONFIG, "no protocol 'mtrace'; there are: ntrace, etrace, tacit" },
		{ { .settings = bad, .setting_count = 2 }, HS_E_CONFIG,
		  "ntrace: parameters out of range" },
		{ { .configs = missing, .config_count = 1 }, HS_E_SYSTEM,
		  "/nowhere/x.json: No such file" },
		{ { .registers = "/nowhere/x" }, HS_E_SYSTEM, "/nowhere/x: No such file" },
		{ { .trace = d->trace }, HS_E_FORMAT, "a.nt.json:1: " },
	};

	write_text(d->json, "trTeSrcBits = 5\n"); /* TRACE.json is always JSON */
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct hs_trace_params_options o = v[i].o;
		struct hs_trace_params *p = NULL;
		struct hs_error e = { 0 };

		o.size = o.size ? o.size : sizeof(o);
		assert_int_equal(hs_trace_params_open(&o, &p, &e), v[i].status);
		assert_null(p);
		if (!strstr(e.text, v[i].text))
			fail_msg("'%s' is not in: %s", v[i].text, e.text);
	}
}

/* An older caller's struct ends after protocol: the rest is zero. */
TEST(older_and_newer_options)
{
	const size_t old = offsetof(struct hs_trace_params_options, trace);
	struct {
		struct hs_trace_params_options o;
		uint64_t more;
	} newer = { { .size = sizeof(newer), .protocol = "etrace" }, 0 };
	struct hs_trace_params *p;

	assert_int_equal(hs_trace_params_open(&newer.o, &p, NULL), HS_OK);
	assert_string_equal(hs_trace_params_protocol(p)->name, "etrace");
	hs_trace_params_free(p);
	newer.more = 1;
	assert_int_equal(hs_trace_params_open(&newer.o, &p, NULL), HS_E_CONFIG);
	newer.o.size = (uint32_t)old;
	newer.o.registers = "/nowhere/x";
	assert_int_equal(hs_trace_params_open(&newer.o, &p, NULL), HS_OK);
	hs_trace_params_free(p);
}

/* ---- writing -------------------------------------------------------------------- */

struct text {
	char v[1024];
	size_t n, room;
};

static bool add_text(void *text, const void *bytes, size_t n)
{
	struct text *t = text;

	if (n > t->room - t->n)
		return false;
	memcpy(t->v + t->n, bytes, n);
	t->n += n;
	t->v[t->n] = '\0';
	return true;
}

TEST(writes_what_differs)
{
	static const char expected[] = "{\n  \"protocol\": \"ntrace\",\n  \"set\": {\n"
	                               "    \"trTeInstMode\": \"htm\",\n    \"trTeSrcBits\": 4\n  },\n"
	                               "  \"recording\": \"x/a.rec\",\n  \"transport\": \"pins4\"\n}\n";
	struct hs_trace_params *p = new_params("ntrace");
	struct text t = { .room = sizeof(t.v) - 1 };

	assert_int_equal(hs_trace_params_set(p, "trTeSrcBits", "4", NULL), HS_OK);
	assert_int_equal(hs_trace_params_set(p, "trTeInstMode", "6", NULL), HS_OK);
	assert_int_equal(hs_trace_params_set_recording(p, "x/a.rec"), HS_OK);
	assert_int_equal(hs_trace_params_set_transport(p, "pins4"), HS_OK);
	assert_int_equal(hs_trace_params_write(p, add_text, &t), HS_OK);
	assert_string_equal(t.v, expected);
	t = (struct text){ .room = 20 };
	assert_int_equal(hs_trace_params_write(p, add_text, &t), HS_E_SYSTEM);
	hs_trace_params_free(p);
}

IN_FOLDER(written_beside_and_read_again)
{
	struct hs_trace_params *p = new_params("etrace"), *again = new_params(NULL);
	struct hs_trace_info i;
	struct hs_error e = { 0 };
	char here[160];

	write_text(d->lines, "");
	assert_int_equal(hs_trace_params_set(p, "mtvec", "0xffffffff80000101", NULL), HS_OK);
	assert_int_equal(hs_trace_params_set_recording(p, d->lines), HS_OK);
	assert_int_equal(hs_trace_params_write_beside(p, d->trace, &e), HS_OK);
	assert_int_equal(hs_trace_params_read_beside(again, d->trace, &e), HS_OK);
	assert_string_equal(hs_trace_params_protocol(again)->name, "etrace");
	assert_true(value_of(again, "mtvec") == 0xffffffff80000101ull);
	hs_trace_params_get_info(again, &i);
	snprintf(here, sizeof(here), "%s/lines", d->path);
	assert_string_equal(i.recording, here);
	assert_int_equal(hs_trace_params_write_beside(p, "/nowhere/a.nt", &e), HS_E_SYSTEM);
	assert_non_null(strstr(e.text, "/nowhere/a.nt.json: No such file"));
	hs_trace_params_free(p);
	hs_trace_params_free(again);
}
