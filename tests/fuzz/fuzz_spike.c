/* Any text is a Spike log: the importer ends, says the same however the text is cut, and gives
 * blocks that keep their rules.  Input: piece size, XLEN, log. */

#include "fuzz.h"
#include "ingress/import.h"
#include "stream.h"

#define BLOCKS (HS_IMPORT_ROOM + 3)

static enum hs_status feed(void *s, struct hs_span *in, struct hs_blocks *out)
{
	return hs_spike_feed(s, in, out);
}

static enum hs_status end(void *s, struct hs_blocks *out)
{
	return hs_spike_flush(s, out);
}

static struct outcome import(unsigned xlen, const uint8_t *p, size_t n, size_t piece)
{
	const struct hs_isa isa = { .xlen = (uint8_t)xlen };
	struct hs_block at[BLOCKS];
	struct hs_spike *spike = malloc(sizeof(*spike));
	struct stream s = { spike, feed, end, { at, BLOCKS, 0 }, .limit = UINT64_MAX };

	fuzz_must(spike && hs_spike_init(spike, &isa) == HS_OK);
	const struct outcome o = stream_run(&s, p, n, piece);

	free(spike);
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const unsigned xlen = data[1] & 1 ? 32 : 64;
	const struct outcome whole = import(xlen, data + 2, size - 2, size);
	const struct outcome pieces = import(xlen, data + 2, size - 2, 1 + data[0] % 31);

	fuzz_must(whole.hash == pieces.hash && whole.blocks == pieces.blocks);
	return 0;
}

/* Lines as Spike 1.1 writes them with -l --log-commits. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char log[] =
		"core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n"
		"core   0: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000\n"
		"core   0: 0x0000000000001004 (0x02028593) addi    a1, t0, 32\n"
		"core   0: 3 0x0000000000001004 (0x02028593) x11 0x0000000000001020\n"
		"core   0: 0x0000000000001008 (0x00000073) ecall\n"
		"core   0: exception trap_machine_ecall, epc 0x0000000000001008\n"
		"core   0: 0x0000000080000004 (0xffdff06f) j       pc - 0x4\n"
		"core   0: 3 0x0000000080000004 (0xffdff06f)\n"
		"core   1: 0x0000000080000000 (0x0001) c.nop\n"
		"core   1: 3 0x0000000080000000 (0x0001)\n"
		"core   1: exception trap_load_access_fault, epc 0x0000000080000002\n"
		"core   1:           tval 0x0000000000000010\n"
		"core   1: 0x0000000080000100 (0x30200073) mret\n"
		"core   1: 3 0x0000000080000100 (0x30200073) c784_mstatus 0x0000000a00000080\n";

	if (i > 1 || size < 2 + sizeof(log))
		return 0;
	data[0] = (uint8_t)(7 * i);
	data[1] = (uint8_t)i;
	memcpy(data + 2, log, sizeof(log) - 1);
	return 2 + sizeof(log) - 1;
}
