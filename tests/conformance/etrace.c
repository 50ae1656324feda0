/* The packet and encoder side of the E-Trace reference flow's vectors.
 *
 *   etrace packets LSB FULL EXPECTED.te_inst < te_inst_raw   fields of each packet, and the same
 *   bytes again
 *   etrace encode LSB FULL MAX < encoder_input                  bytes of the rows, to standard
 *   output
 *   etrace pulp FULL < trdb_stimuli                             the same for version 0.026 as trdb
 *   writes it
 *   etrace trdb < interrupt.pulp                                packets of version 0.026 in trdb's
 *   words
 *
 * LSB is iaddress_lsb_p, FULL the option full-address, MAX resync-max. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/etrace.h>
#include <hartscope/image.h>

#include "etrace/et_config.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"

static struct hs_et_config config;

static void fail(const char *what, unsigned long line)
{
	fprintf(stderr, "etrace: %s at line %lu\n", what, line);
	exit(1);
}

/* hardware_64.scf, and what the runs set. */
static void configure(const char *lsb, const char *full, const char *max)
{
	config = (struct hs_et_config){ .size = sizeof config, .version = HS_ET_1_1 };
	config.dialect = HS_ET_DIALECT_REFERENCE;
	config.iaddress_unit = (uint8_t)(1u << atoi(lsb));
	config.privilege_width = 2;
	config.ecause_width = 5;
	config.context_width = 32;
	config.context = 1;
	config.options = atoi(full) ? HS_ET_FULL_ADDRESS : 0;
	config.sync_mode = HS_ET_SYNC_PACKETS;
	config.sync_max = (uint8_t)atoi(max);
	config.strict = 1;
	config.itype_width = 3;
	if (hs_et_config_resolve(&config) != HS_OK)
		fail("configuration", 0);
}

/* ---- packets ---------------------------------------------------------------------- */

/* Columns of the expected packets, in order; notify and its like stand there as they are on the
 * wire. */
static const enum hs_et_field columns[] = {
	HS_ETF_FORMAT,    HS_ETF_SUBFORMAT,  HS_ETF_ADDRESS,      HS_ETF_BRANCH,
	HS_ETF_BRANCHES,  HS_ETF_BRANCH_MAP, HS_ETF_BRANCH_COUNT, HS_ETF_BRANCH_FMT,
	HS_ETF_CONTEXT,   HS_ETF_ECAUSE,     HS_ETF_IENABLE,      HS_ETF_ENCODER_MODE,
	HS_ETF_INTERRUPT, HS_ETF_IRREPORT,   HS_ETF_IRDEPTH,      HS_ETF_NOTIFY,
	HS_ETF_IOPTIONS,  HS_ETF_PRIVILEGE,  HS_ETF_QUAL_STATUS,  HS_ETF_TIME,
	HS_ETF_THADDR,    HS_ETF_TVAL,       HS_ETF_UPDISCON,
};

/* Is the number hexadecimal there? */
static bool in_hex(enum hs_et_field f)
{
	return f == HS_ETF_ADDRESS || f == HS_ETF_TVAL;
}

/* As it is on the wire: the difference to the bit before. */
static uint64_t wire_value(const struct hs_et_packet *p, enum hs_et_field f)
{
	const unsigned bits = config.iaddress_width - (config.iaddress_unit >> 1);
	const uint64_t sign = p->field[HS_ETF_ADDRESS] >> (bits - 1) & 1;

	switch (f) {
	case HS_ETF_NOTIFY: return sign ^ p->field[f];
	case HS_ETF_UPDISCON: return wire_value(p, HS_ETF_NOTIFY) ^ p->field[f];
	case HS_ETF_IRREPORT: return wire_value(p, HS_ETF_UPDISCON) ^ p->field[f];
	default: return p->field[f];
	}
}

static void compare(const struct hs_et_packet *p, char *row, unsigned long line)
{
	char *word = strtok(row, ",\r\n");

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns);
	     i++, word = strtok(NULL, ",\r\n")) {
		const enum hs_et_field f = columns[i];

		if (!word)
			fail("short row", line);
		if ((strcmp(word, "_") != 0) != hs_et_has(p, f))
			fail(hs_et_field_name(f), line);
		if (*word != '_' && strtoull(word, NULL, in_hex(f) ? 16 : 10) != wire_value(p, f))
			fail(hs_et_field_name(f), line);
	}
}

static int packets(const char *expected)
{
	static uint8_t bytes[1 << 20];
	const size_t n = fread(bytes, 1, sizeof bytes, stdin);
	struct hs_span in = { bytes, n };
	struct hs_et_reader r;
	struct hs_et_packet p;
	unsigned long line = 1;
	char row[512];
	FILE *f = fopen(expected, "r");

	if (!f || !fgets(row, sizeof row, f))
		fail(expected, 0);
	hs_et_reader_init(&r, &config);
	while (hs_et_read(&r, &in, &p) == HS_OK) {
		uint8_t again[HS_ET_PACKET_MAX];

		line++;
		if (!fgets(row, sizeof row, f))
			fail("more packets than expected", line);
		compare(&p, row, line);
		if (hs_et_write(&config, &p, again) != p.length ||
		    memcmp(again, bytes + p.offset, p.length) != 0)
			fail("other bytes", line);
	}
	if (in.n || fgets(row, sizeof row, f) || hs_et_reader_end(&r) != HS_OK)
		fail("fewer packets than expected", line);
	fclose(f);
	printf("%lu packets\n", line - 1);
	return 0;
}

/* ---- encoder ---------------------------------------------------------------------- */

/* One row is one block: an instruction, as it comes out of a hart that retires one at a time. */
static struct hs_block block_of(const char *row, unsigned long line)
{
	unsigned itype, cause, priv, context, ctype, iretire, ilast;
	uint64_t tval, iaddr;

	if (sscanf(row, "%u,%u,%" SCNx64 ",%u,%" SCNx64 ",%u,%u,%u,%u", &itype, &cause, &tval,
	           &priv, &iaddr, &context, &ctype, &iretire, &ilast) != 9)
		fail("not a row", line);
	return (struct hs_block){ .iaddr = iaddr,
		                  .iretire = iretire << ilast,
		                  .ilast = (uint8_t)(iretire << ilast),
		                  .itype = (uint8_t)itype,
		                  .priv = priv & 7u };
}

static void write_bytes(const uint8_t *out, size_t n)
{
	if (fwrite(out, 1, n, stdout) != n)
		fail("cannot write", 0);
}

static int encode(void)
{
	struct hs_et_encoder *e = calloc(1, sizeof *e);
	uint8_t out[HS_ET_ENCODE_ROOM];
	unsigned long line = 1;
	size_t used, n;
	char row[512];

	if (!e || hs_et_encoder_init(e, &config, NULL, 0) != HS_OK ||
	    !fgets(row, sizeof row, stdin))
		fail("no rows", 0);
	while (fgets(row, sizeof row, stdin)) {
		const struct hs_block b = block_of(row, ++line);

		if (hs_et_encode(e, &b, 1, &used, out, sizeof out, &n) != HS_OK)
			fail("not encoded", line);
		write_bytes(out, n);
	}
	if (hs_et_encode_end(e, out, sizeof out, &n) != HS_OK)
		fail("no end", line);
	write_bytes(out, n);
	free(e);
	return 0;
}

/* ---- trdb -------------------------------------------------------------------------- */

struct stimulus {
	unsigned long long addr, instr;
	unsigned exception, interrupt, cause, compressed; /* instr is the expanded one */
	bool good;
};

static struct stimulus stimulus_of(const char *row, unsigned long line)
{
	struct stimulus s = { 0 };
	unsigned valid, tval, priv;

	if (sscanf(row,
	           "valid=%u exception=%u interrupt=%u cause=%x tval=%x priv=%u compressed=%u addr=%llx instr=%llx",
	           &valid, &s.exception, &s.interrupt, &s.cause, &tval, &priv, &s.compressed,
	           &s.addr, &s.instr) != 9)
		fail("not a row", line);
	s.good = valid;
	return s;
}

/* What retired at @s, when @next is what came after it. */
static struct hs_block retired(const struct stimulus *s, const struct stimulus *next,
                               unsigned long line)
{
	static const struct hs_isa isa = { .xlen = 32, .pulp = true };
	const uint8_t bytes[4] = { (uint8_t)s->instr, (uint8_t)(s->instr >> 8),
		                   (uint8_t)(s->instr >> 16), (uint8_t)(s->instr >> 24) };
	struct hs_insn insn;

	if (hs_isa_decode(&isa, s->addr, bytes, 4, &insn) != HS_OK)
		fail("not an instruction", line);
	const uint8_t hwords = s->compressed ? 1 : 2;
	const bool taken = next->good && next->addr != s->addr + 2u * hwords;

	return (struct hs_block){ .iaddr = s->addr,
		                  .iretire = hwords,
		                  .ilast = hwords,
		                  .itype = (uint8_t)hs_isa_itype4(insn.kind, taken),
		                  .priv = HS_PRIV_M };
}

static void encode_stimulus(struct hs_et_encoder *e, const struct stimulus *s,
                            const struct stimulus *next, unsigned long line)
{
	struct hs_block b[2] = { { .iaddr = s->addr,
		                   .itype = s->interrupt ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION,
		                   .priv = HS_PRIV_M },
		                 { .arg = s->cause, .kind = HS_KIND_TRAP } };
	uint8_t out[2 * HS_ET_ENCODE_ROOM];
	size_t used, n;

	if (!s->exception)
		b[0] = retired(s, next, line);
	if (hs_et_encode(e, b, s->exception ? 2 : 1, &used, out, sizeof out, &n) != HS_OK)
		fail("not encoded", line);
	write_bytes(out, n);
}

/* The stimuli continue after the last packet that trdb writes: nothing ends the trace. */
static int pulp(bool full)
{
	struct hs_et_encoder *e = calloc(1, sizeof *e);
	struct stimulus at = { 0 }, next;
	unsigned long line = 0;
	char row[512];

	config = (struct hs_et_config){ .size = sizeof config, .version = HS_ET_0_026 };
	hs_et_config_dialect(&config, HS_ET_DIALECT_PULP);
	config.options = full ? HS_ET_FULL_ADDRESS : 0;
	config.strict = 1;
	if (!e || hs_et_encoder_init(e, &config, NULL, 0) != HS_OK)
		fail("configuration", 0);
	for (; fgets(row, sizeof row, stdin); at = next) {
		next = stimulus_of(row, ++line);
		if (at.good)
			encode_stimulus(e, &at, &next, line);
	}
	encode_stimulus(e, &at, &(struct stimulus){ 0 }, line);
	free(e);
	return 0;
}

static void print_trdb(const struct hs_et_packet *p)
{
	static const char *const name[HS_ET_FORMS] = {
		[HS_ET_FORM_FULL] = "0: F_BRANCH_FULL",  [HS_ET_FORM_BRANCH] = "1: F_BRANCH_DIFF",
		[HS_ET_FORM_ADDRESS] = "2: F_ADDR_ONLY", [HS_ET_FORM_START] = "3: F_SYNC",
		[HS_ET_FORM_TRAP] = "3: F_SYNC",
	};
	static const char *const truth[] = { "false", "true" };
	const uint64_t *f = p->field;

	printf("PACKET %s\n", name[p->form] ? name[p->form] : "?");
	if (p->form == HS_ET_FORM_START || p->form == HS_ET_FORM_TRAP)
		printf("    subformat : %s\n    context   :\n    privilege : 0x%" PRIx64
		       "\n    branch    : %s\n",
		       p->form == HS_ET_FORM_START ? "SF_START" : "SF_EXCEPTION",
		       f[HS_ETF_PRIVILEGE], truth[f[HS_ETF_BRANCH] & 1]);
	if (p->form == HS_ET_FORM_FULL || p->form == HS_ET_FORM_BRANCH)
		printf("    branches  : %" PRIu64 "\n    branch_map: 0x%" PRIx64 "\n",
		       f[HS_ETF_BRANCHES], f[HS_ETF_BRANCH_MAP]);
	printf("    address   : 0x%" PRIx64 "\n", f[HS_ETF_ADDRESS]);
	if (p->form == HS_ET_FORM_TRAP)
		printf("    ecause    : 0x%" PRIx64 "\n    interrupt : %s\n    tval      : 0x0\n",
		       f[HS_ETF_ECAUSE], truth[f[HS_ETF_INTERRUPT] & 1]);
}

static int trdb(void)
{
	static uint8_t bytes[1 << 16];
	struct hs_span in = { bytes, 0 };
	struct hs_et_reader r;
	struct hs_et_packet p;

	config = (struct hs_et_config){ .size = sizeof config, .version = HS_ET_0_026 };
	hs_et_config_dialect(&config, HS_ET_DIALECT_PULP);
	hs_et_reader_init(&r, &config);
	in.n = fread(bytes, 1, sizeof bytes, stdin);
	while (hs_et_read(&r, &in, &p) == HS_OK)
		print_trdb(&p);
	return in.n || hs_et_reader_end(&r) != HS_OK;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "packets") == 0) {
		configure(argv[2], argv[3], "0");
		return packets(argv[4]);
	}
	if (argc == 5 && strcmp(argv[1], "encode") == 0) {
		configure(argv[2], argv[3], argv[4]);
		return encode();
	}
	if (argc == 3 && strcmp(argv[1], "pulp") == 0)
		return pulp(atoi(argv[2]));
	if (argc == 2 && strcmp(argv[1], "trdb") == 0)
		return trdb();
	fputs("usage: etrace packets LSB FULL EXPECTED | etrace encode LSB FULL MAX | etrace pulp FULL | etrace trdb\n",
	      stderr);
	return 2;
}
