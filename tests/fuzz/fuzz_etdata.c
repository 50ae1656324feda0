/* Any bytes are a configuration of data trace and its packets: each is refused, or is read within
 * bounds, can be written and is then read as the same, and is a legal access.
 *
 * Input: 9 bytes of configuration, then packets, each a byte of length (modulo 32) and its payload;
 * a length of 0 is a synchronisation, one of 31 that is cut is a loss.
 */
#include <hartscope/etrace.h>

#include "core/access.h"
#include "etrace/etrace_data.h"
#include "fuzz.h"

#define HEAD 9
#define ACCESSES 8 /* of a seed */

static struct hs_et_data_config configure(const uint8_t *head)
{
	static const uint8_t widths[] = { 8, 16, 32, 64 };
	struct hs_et_data_config c = { .size = sizeof(c) };

	c.split = head[0] & 1;
	c.no_data = head[0] >> 1 & 1;
	c.no_address = head[0] >> 2 & 1;
	c.load_store = head[0] >> 3 & 1;
	c.narrow_diff = head[0] >> 4 & 1;
	c.csr_diff = head[0] >> 5 & 1;
	c.full_address = head[0] >> 6 & 1;
	c.sc_failures = head[0] >> 7;
	c.data_width = widths[head[1] % 4];
	c.daddress_width = head[2] % 65;
	c.lrid_width = head[3] % (HS_ET_LRID_MAX + 2);
	c.csr_width = head[4] & 1 ? 32 : 64;
	c.compression = head[5] % 4;
	c.csr_subtype_width = head[6] % 4;
	c.atomic_response = head[7] & 1 ? 7 : 0;
	c.mmacas_ext = head[7] >> 1 & 1;
	c.full_data = head[7] >> 2 & 1;
	c.dtype_width = (head[7] >> 3) % 6;
	return c;
}

/* What was read can be written, and is then read as the same. */
static void write_again(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p)
{
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
	const unsigned n = hs_et_data_write(c, p, bytes);
	struct hs_span in = { bytes, n };
	struct hs_et_data_packet again;

	fuzz_must(n > 0 && n <= sizeof(bytes));
	fuzz_must(hs_et_data_read(c, &in, &again) == HS_OK && in.n == 0);
	fuzz_must(again.form == p->form && again.present == p->present);
	fuzz_must(memcmp(again.field, p->field, sizeof(p->field)) == 0);
}

static void take_packet(struct hs_et_data_coder *c, const uint8_t *bytes, size_t n)
{
	struct hs_span in = { bytes, n };
	struct hs_et_data_packet p;
	struct hs_access a;
	const enum hs_status s = hs_et_data_read(c, &in, &p);

	fuzz_must(s == HS_OK || s == HS_E_FIELD);
	if (s != HS_OK)
		return;
	fuzz_must(p.form > HS_ET_DATA_NONE && p.form < HS_ET_DATA_FORMS);
	write_again(c, &p);
	hs_et_data_decode(c, &p, &a);
	fuzz_must(hs_access_check(&a) == HS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_et_data_config config;
	struct hs_et_data_coder coder;

	if (size < HEAD)
		return 0;
	config = configure(data);
	if (hs_et_data_init(&coder, &config) != HS_OK)
		return 0;
	for (size_t at = HEAD; at < size;) {
		const size_t n = data[at++] % 32, left = size - at;
		const size_t taken = n < left ? n : left;

		/* memory of its exact size, so that a sanitizer sees what is read after it */
		uint8_t *piece = malloc(taken ? taken : 1);

		fuzz_must(piece != NULL);
		memcpy(piece, data + at, taken);
		if (n == 0)
			hs_et_data_sync(&coder);
		else if (n > left)
			hs_et_data_lose(&coder);
		else
			take_packet(&coder, piece, taken);
		free(piece);
		at += taken;
	}
	return 0;
}

static const uint8_t heads[][HEAD] = {
	{ 0, 3, 64 }, { 1, 3, 64, 4 }, { 2, 3, 39 }, { 4, 2, 32 }, { 8, 2, 32 },
	{ 0x10, 1, 64, 0, 0, 1 }, { 0x11, 3, 0, 8, 1, 2, 2 }, { 0x22, 0, 64 }, { 3, 3, 64, 2 },
	/* of the MMA/CAS extension, with dtype of 4, 4, 1, 2 and 3 bits */
	{ 0, 3, 64, 0, 0, 0, 0, 2 }, { 1, 3, 64, 4, 0, 0, 0, 2 }, { 5, 3, 64, 4, 0, 0, 0, 0x22 },
	{ 0x82, 3, 64, 0, 0, 0, 0, 10 }, { 0x14, 2, 39, 0, 0, 1, 0, 18 },
	{ 0, 3, 64, 0, 1, 0, 0, 26 },
};
enum { HEADS = sizeof(heads) / sizeof(*heads) };

static struct hs_access seed_access(const struct hs_et_data_config *c, unsigned k)
{
	static const uint8_t types[ACCESSES] = { HS_ACCESS_LOAD, HS_ACCESS_STORE, HS_ACCESS_CSR_RS,
		HS_ACCESS_ADD, HS_ACCESS_LOAD, HS_ACCESS_MULTI_LOAD, HS_ACCESS_CAS_FAILED,
		HS_ACCESS_SC_FAILED };
	struct hs_access a = { .type = types[k], .known = 7, .data = 0x12, .operand = 3 };
	const bool csr = hs_access_is_csr(a.type);

	a.size = csr ? (c->csr_width == 32 ? 2 : 3) : 0;
	a.address = csr ? 0x300 + k : 0x1000 + 8 * (uint64_t)k;
	if (c->split && (hs_access_is_load(a.type) || a.type == HS_ACCESS_ADD))
		a.phase = HS_ACCESS_REQUEST;
	return a;
}

/* Packets of some accesses in each configuration. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	struct hs_et_data_config config;
	struct hs_et_data_coder coder;
	size_t n = HEAD;

	if (i >= HEADS || size < HEAD + ACCESSES * 32)
		return 0;
	memcpy(data, heads[i], HEAD);
	config = configure(data);
	fuzz_must(hs_et_data_init(&coder, &config) == HS_OK);
	for (unsigned k = 0; k < ACCESSES; k++) {
		const struct hs_access a = seed_access(&config, k);
		struct hs_et_data_packet p;

		if (hs_et_data_encode(&coder, &a, &p) != HS_OK || p.form == HS_ET_DATA_NONE)
			continue;
		const unsigned length = hs_et_data_write(&coder, &p, data + n + 1);

		data[n] = (uint8_t)length;
		n += 1 + length;
	}
	return n;
}

/* Each form of each configuration, its fields all 0, 1 or as large as they can be. */
size_t fuzz_word(unsigned i, uint8_t *data)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX };
	const unsigned form = 1 + i % (HS_ET_DATA_FORMS - 1), rest = i / (HS_ET_DATA_FORMS - 1);
	struct hs_et_data_packet p = { .form = (uint8_t)form };
	struct hs_et_data_config config;
	struct hs_et_data_coder coder;

	if (rest >= 3 * HEADS)
		return FUZZ_NO_WORDS;
	config = configure(heads[rest / 3]);
	fuzz_must(hs_et_data_init(&coder, &config) == HS_OK);
	for (unsigned f = 0; f < HS_ETDF_COUNT; f++)
		p.field[f] = values[rest % 3];
	p.field[HS_ETDF_SIZE] = p.field[HS_ETDF_OP_LEN] = p.field[HS_ETDF_DATA_LEN] = 0;
	const unsigned n = hs_et_data_write(&coder, &p, data + 1);

	data[0] = (uint8_t)n;
	return n + 1;
}
