/* Any text is a table of ingress rows: the importer ends, says the same however the text is cut,
 * and gives blocks that keep their rules.  Input: piece size, flags (XLEN, image), table. */

#include "fuzz.h"
#include "ingress/import.h"
#include "stream.h"

#define BLOCKS (HS_IMPORT_ROOM + 3)

static enum hs_status feed(void *c, struct hs_span *in, struct hs_blocks *out)
{
	return hs_csv_feed(c, in, out);
}

static enum hs_status end(void *c, struct hs_blocks *out)
{
	return hs_csv_flush(c, out);
}

static struct outcome import(unsigned flags, const uint8_t *p, size_t n, size_t piece)
{
	/* auipc, addi, csrr, ld, jr: the first instructions of the rows below. */
	static const uint8_t code[] = {
		0x97, 0x02, 0x00, 0x00, 0x93, 0x85, 0x02, 0x02, 0x73, 0x25,
		0x40, 0xf1, 0x83, 0xb2, 0x82, 0x01, 0x67, 0x80, 0x02, 0x00
	};
	const struct hs_section section = { 0x1000, sizeof(code), code };
	const struct hs_image image = { .sections = &section, .count = 1,
		                        .isa = { .xlen = flags & 1 ? 32 : 64 } };
	struct hs_block at[BLOCKS];
	struct hs_csv c;
	struct stream s = { &c, feed, end, { at, BLOCKS, 0 }, .limit = UINT64_MAX };

	fuzz_must(hs_csv_init(&c, flags & 2 ? &image : NULL, image.isa.xlen) == HS_OK);
	return stream_run(&s, p, n, piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const struct outcome whole = import(data[1], data + 2, size - 2, size);
	const struct outcome pieces = import(data[1], data + 2, size - 2, 1 + data[0] % 31);

	fuzz_must(whole.hash == pieces.hash && whole.blocks == pieces.blocks);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const char table[] =
		"itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0\n"
		"0,0,0,3,1000,0,0,1,1\n0,0,0,3,1004,0,0,1,1\n0,0,0,3,1008,0,0,1,1\n"
		"0,0,0,3,100c,0,0,1,1\n6,0,0,3,1010,0,0,1,1\n5,0,0,3,80000000,0,0,1,1\n"
		"4,0,0,3,80000010,0,0,1,0\n1,5,deadbeef,3,80000012,7,1,0,0\n3,0,0,3,80000100,7,1,1,1\n"
		"2,7,0,3,1010,7,1,0,1\n";

	if (i > 3 || size < 2 + sizeof(table))
		return 0;
	data[0] = (uint8_t)(5 * i);
	data[1] = (uint8_t)i;
	memcpy(data + 2, table, sizeof(table) - 1);
	return 2 + sizeof(table) - 1;
}
