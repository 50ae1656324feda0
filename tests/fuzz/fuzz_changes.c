/* Any text is a TRACE.code: it is read, or refused with a message; what was read keeps rules. */
#include <hartscope/source.h>

#include "source/private.h"
#include "source/source.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_span text = { data, size };
	struct hs_code_changes *list;
	struct hs_error error = { 0 };

	if (hs_code_changes_read(&text, "input", &list, &error) != HS_OK) {
		fuzz_must(list == NULL && *error.text != '\0');
		return 0;
	}
	unsigned sum = 0;

	fuzz_must(text.n == 0 && hs_code_changes_harts(list) != 0);
	for (size_t i = 0; i < hs_code_changes_count(list); i++) {
		const struct hs_section *code = &hs_code_changes_get(list, i)->code;

		fuzz_must(code->size != 0 && code->size - 1 <= UINT64_MAX - code->start);
		for (uint64_t k = 0; k < code->size; k++) /* all of them can be read */
			sum += code->bytes[k];
	}
	fuzz_must(hs_code_changes_count(list) != 0 || sum == 0);
	hs_code_changes_free(list);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char text[] =
		"{\"format\":\"hartscope-code\",\"version\":1,\"harts\":2}\n"
		"{\"hart\":0,\"blocks\":6564,\"offset\":2041,\"address\":\"0x4000802000\","
		"\"code\":\"9307200005\"}\n"
		"{\"hart\":1,\"blocks\":1,\"offset\":2,\"address\":4096,\"code\":\"82\"}\n";

	if (i > 1 || size < sizeof(text))
		return 0;
	memcpy(data, text, sizeof(text) - 1);
	return sizeof(text) - 1 - i * 20;
}
