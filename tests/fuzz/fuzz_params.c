/* Any text is the parameters of a trace: it is refused with a message, or taken; what was taken can
 * be checked, copied and written, and is then read as the same.
 *
 * Input: which protocol the caller names, text. */
#include <hartscope/trace_params.h>

#include "trace/trace.h"
#include "edit.h"
#include "fuzz.h"

struct text {
	char *at;
	size_t n, room;
};

static bool add_text(void *context, const void *bytes, size_t n)
{
	struct text *t = context;

	if (t->n + n > t->room) {
		t->room = 2 * (t->n + n);
		t->at = realloc(t->at, t->room);
		fuzz_must(t->at != NULL);
	}
	memcpy(t->at + t->n, bytes, n);
	t->n += n;
	return true;
}

static struct text text_of(const struct hs_trace_params *params)
{
	struct text t = { NULL, 0, 0 };

	fuzz_must(hs_trace_params_write(params, add_text, &t) == HS_OK && t.n > 0);
	return t;
}

/* What was written is read as the same. */
static void read_again(const struct text *t)
{
	struct hs_span in = { (const uint8_t *)t->at, t->n };
	struct hs_trace_params *p;

	fuzz_must(hs_trace_params_new(NULL, &p, NULL) == HS_OK);
	fuzz_must(hs_trace_params_read(p, &in, "TRACE.json", NULL) == HS_OK);

	const struct text again = text_of(p);

	fuzz_must(again.n == t->n && memcmp(again.at, t->at, t->n) == 0);
	free(again.at);
	hs_trace_params_free(p);
}

static void use(const struct hs_trace_params *p)
{
	struct hs_trace_params *copy;
	struct hs_trace_info info;
	struct hs_error why = { 0 };
	char assumed[400];
	struct text t[2];

	fuzz_must(hs_trace_params_check(p, &why) == HS_OK || why.text[0] != '\0');
	hs_trace_params_get_info(p, &info);
	hs_trace_params_get_assumed(p, assumed, sizeof(assumed));
	fuzz_must(hs_trace_params_copy(p, &copy) == HS_OK);
	t[0] = text_of(p);
	t[1] = text_of(copy);
	fuzz_must(t[0].n == t[1].n && memcmp(t[0].at, t[1].at, t[0].n) == 0);
	read_again(&t[0]);
	free(t[0].at);
	free(t[1].at);
	hs_trace_params_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const protocols[] = { NULL, "ntrace", "etrace" };
	struct hs_span in = { data + 1, size - 1 };
	struct hs_trace_params *p;
	struct hs_error why = { 0 };

	if (size < 1)
		return 0;
	fuzz_must(hs_trace_params_new(protocols[data[0] % 3], &p, NULL) == HS_OK);

	const enum hs_status s = hs_trace_params_read(p, &in, "x/TRACE.json", &why);

	fuzz_must(s == HS_OK || s == HS_E_FORMAT || s == HS_E_CONFIG);
	fuzz_must((s == HS_OK) == (why.text[0] == '\0'));
	if (s == HS_OK)
		use(p);
	hs_trace_params_free(p);
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	struct fuzz_edit text = *e;

	if (e->size < 1)
		return false;
	text.data++;
	text.size--;
	text.room--;
	const bool done = fuzz_mutate_json(&text);

	e->state = text.state;
	e->size = text.size + 1;
	return done;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char *const texts[] = {
		"{\"protocol\":\"ntrace\",\"set\":{\"trTeSrcBits\":4,\"trTeInstMode\":3}}",
		"{\"protocol\":\"etrace\",\"set\":{\"arch_p\":3,\"return_stack_size_p\":4}}",
		"{\"transport\":\"vcd\",\"vcd_clock\":\"c\",\"vcd_data\":\"d\"}",
		("{\"recording\":\"a.rec\",\"processes\":[{\"context\":\"0x8000000000000001\","
		 "\"path\":\"/x\",\"bias\":16},{\"context\":2,\"path\":\"y\"}]}"),
		("{\"protocol\":\"etrace\",\"sources\":[{\"id\":1,\"hart\":2},{\"path\":\"b\","
		 "\"protocol\":\"ntrace\",\"set\":{\"trTeSrcBits\":2}}]}"),
		"[title]\n; comment\narch_p = 2 # more\n\n",
	};

	if (i >= sizeof(texts) / sizeof(*texts) || size < 1000)
		return 0;
	data[0] = (uint8_t)i;
	memcpy(data + 1, texts[i], strlen(texts[i]));
	return 1 + strlen(texts[i]);
}
