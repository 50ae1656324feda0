/* Any bytes are instructions: hs_isa_decode() has an answer, within bounds, in every
 * configuration. */
#include <hartscope/image.h>

#include "fuzz.h"

static void check(const struct hs_isa *isa, uint64_t pc, const uint8_t *bytes, size_t n)
{
	struct hs_insn insn;
	const enum hs_status s = hs_isa_decode(isa, pc, bytes, n, &insn);

	if (s == HS_MORE) {
		fuzz_must(n < HS_INSN_MAX);
		return;
	}
	fuzz_must(s == HS_OK && n >= 2);
	fuzz_must(insn.hwords == hs_isa_hwords((uint16_t)(bytes[0] | bytes[1] << 8)));
	fuzz_must(2u * insn.hwords <= n && insn.hwords <= HS_INSN_MAX / 2);
	fuzz_must(insn.kind <= HS_INSN_EBREAK && insn.rd < 32 && insn.rs1 < 32);
	if (isa->xlen == 32)
		fuzz_must(insn.target >> 32 == 0 && insn.value >> 32 == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t pc;

	if (size < sizeof(pc) + 1)
		return 0;
	memcpy(&pc, data, sizeof(pc));
	pc &= ~(uint64_t)1;
	const struct hs_isa isa = { .xlen = data[8] & 1 ? 32 : 64, .zcmp_zcmt = data[8] & 2,
		                    .pulp = data[8] & 4 };
	if (isa.xlen == 32)
		pc &= UINT32_MAX;
	for (size_t i = 9; i < size; i++)
		check(&isa, pc, data + i, size - i);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	/* ISA manual encodings: jal, jalr, beq, auipc, ecall, mret, c.j, c.jr ra, a 48-bit
	 * length. */
	static const uint8_t code[] = {
		0xef, 0x00, 0x00, 0x01, 0x67, 0x80, 0x00, 0x00, 0x63, 0x08, 0xb5, 0x00,
		0x97, 0x02, 0x00, 0x00, 0x73, 0x00, 0x00, 0x00, 0x73, 0x00, 0x20, 0x30,
		0x01, 0xa0, 0x82, 0x80, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00,
	};
	static const uint64_t pcs[] = { 0x1000, 0xfffffffffffffff0u };

	if (i >= 8 * sizeof(pcs) / sizeof(pcs[0]) || size < 9 + sizeof(code))
		return 0;
	memcpy(data, &pcs[i / 8], 8);
	data[8] = i & 7;
	memcpy(data + 9, code, sizeof(code));
	return 9 + sizeof(code);
}
