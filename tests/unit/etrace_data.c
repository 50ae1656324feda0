/* Data trace packets (ET Data Trace Encoder Output Packets): layouts worked by hand from the text's
 * tables, encoded, decoded, and cut at each byte. */
#include "unit/et_data_rows.h"

static const struct row rows[] = {
	/* Unified load or store, address and data: format, size, diff, data_len, data, address. */
	{ "load of 4 bytes, first of its size", C(0), 1, { LOAD(2, 0x1000, 0x1234) },
	  HS_ET_DATA_ACCESS,
	  "3=0 2=2 2=0 2=1 16=0x1234 64=0x400", 5, { 0x90, 0x68, 0x24, 0x00, 0x08 } },
	{ "store of 8 bytes, all ones", C(0), 1, { STORE(3, 0x80002008, UINT64_MAX) },
	  HS_ET_DATA_ACCESS,
	  "3=2 2=3 2=0 3=0 8=0xff 64=0x10000401", 6, { 0x1a, 0xfc, 0x07, 0x10, 0x00, 0x40 } },
	{ "byte, whose data_len has no bits", C(0), 1, { STORE(0, 0x21, 0x80) }, HS_ET_DATA_ACCESS,
	  "3=2 2=0 2=0 8=0x80 64=0x21", 3, { 0x02, 0xc0, 0x10 } },
	{ "not aligned: the address in bytes", C(0), 1, { LOAD(1, 0x1001, 0x7f) },
	  HS_ET_DATA_ACCESS,
	  "3=1 2=1 2=0 1=0 8=0x7f 64=0x1001", 4, { 0x09, 0x7f, 0x01, 0x10 } },
	{ "store, not aligned", C(0), 1, { STORE(3, 0x1004, 0) }, HS_ET_DATA_ACCESS,
	  "3=3 2=3 2=0 3=0 8=0 64=0x1004", 4, { 0x1b, 0x00, 0x10, 0x40 } },
	{ "an address with a sign keeps it when shifted", C(0), 1, {
	  LOAD(3, 0xffffffff80000000, 0) },
	  HS_ET_DATA_ACCESS, "3=0 2=3 2=0 3=0 8=0 64=0xfffffffff0000000", 6,
	  { 0x18, 0x00, 0x00, 0x00, 0x00, 0xc0 } },
	{ "the next address, the same data: XOR", C(0), 2,
	  { LOAD(2, 0x1000, 0x12345678), LOAD(2, 0x1004, 0x12345678) }, HS_ET_DATA_ACCESS,
	  "3=0 2=2 2=1 2=0 8=0 64=1", 3, { 0x30, 0x00, 0x02 } },
	{ "data one more: a carry makes the difference shorter", C(0), 2,
	  { LOAD(2, 0x1000, 0x0000ffff), LOAD(2, 0x1004, 0x00010000) }, HS_ET_DATA_ACCESS,
	  "3=0 2=2 2=3 2=0 8=1 64=1", 3, { 0x70, 0x02, 0x02 } },
	{ "small data: full, address backwards", C(0), 2,
	  { STORE(3, 0x1010, 0x123456789abcdef0), LOAD(3, 0x1008, 5) }, HS_ET_DATA_ACCESS,
	  "3=0 2=3 2=2 3=0 8=5 64=0xffffffffffffffff", 3, { 0x58, 0x14, 0xfc } },
	{ "another size: full again", C(0), 2, { LOAD(3, 0x1000, 1), LOAD(2, 0x1000, 1) },
	  HS_ET_DATA_ACCESS,
	  "3=0 2=2 2=0 2=0 8=1 64=0x400", 4, { 0x10, 0x02, 0x00, 0x08 } },
	{ "aligned after not aligned: full (design/data-trace)", C(0), 2,
	  { LOAD(2, 0x1002, 1), LOAD(2, 0x1004, 1) }, HS_ET_DATA_ACCESS,
	  "3=0 2=2 2=0 2=0 8=1 64=0x401", 4, { 0x10, 0x02, 0x02, 0x08 } },
	{ "not aligned after aligned: in bytes", C(0), 2,
	  { LOAD(2, 0x1000, 1), LOAD(2, 0x1002, 1) }, HS_ET_DATA_ACCESS,
	  "3=1 2=2 2=1 2=0 8=0 64=2", 3, { 0x31, 0x00, 0x04 } },
	{ "without compression of addresses", C(.full_address = 1), 2,
	  { LOAD(2, 0x1000, 1), LOAD(2, 0x1004, 1) }, HS_ET_DATA_ACCESS,
	  "3=0 2=2 2=0 2=0 8=1 64=0x401", 4, { 0x10, 0x02, 0x02, 0x08 } },
	{ "only loads and stores: format of 2 bits", C(.load_store = 1), 1, { STORE(2, 0x1000,
	  0x1234) },
	  HS_ET_DATA_ACCESS, "2=2 2=2 2=0 2=1 16=0x1234 64=0x400", 5, { 0x4a, 0x34, 0x12, 0x00,
	  0x04 } },
	{ "data_width_p 16: size of 1 bit", C(.data_width = 16), 1, { STORE(1, 0x1000, 0x1234) },
	  HS_ET_DATA_ACCESS, "3=2 1=1 2=0 1=1 16=0x1234 64=0x800", 5, { 0x4a, 0x1a, 0x09, 0x00,
	  0x04 } },

	/* Address only: format, size, diff, address. */
	{ "address only", C(.no_data = 1), 1, { PLACE(HS_ACCESS_STORE, 2, 0x2000) },
	  HS_ET_DATA_ACCESS_ADDRESS, "3=2 2=2 1=0 64=0x800", 3, { 0x12, 0x00, 0x02 } },
	{ "address only, a difference", C(.no_data = 1), 2,
	  { PLACE(HS_ACCESS_STORE, 2, 0x2000), PLACE(HS_ACCESS_LOAD, 2, 0x1ff8) },
	  HS_ET_DATA_ACCESS_ADDRESS, "3=0 2=2 1=1 64=0xfffffffffffffffe", 1, { 0xb0 } },

	/* Data only: format, size, diff, data. */
	{ "data only", C(.no_address = 1), 1, { VALUE(HS_ACCESS_LOAD, 2, 0x80000000) },
	  HS_ET_DATA_ACCESS_DATA, "3=0 2=2 2=0 64=0xffffffff80000000", 5, { 0x10, 0x00, 0x00, 0x00,
	  0xc0 } },
	{ "data only, a bit changed", C(.no_address = 1), 2,
	  { VALUE(HS_ACCESS_LOAD, 3, 0x5555555555555555), VALUE(HS_ACCESS_STORE, 3,
	  0x5555555555555554) },
	  HS_ET_DATA_ACCESS_DATA, "3=2 2=3 2=3 64=0xffffffffffffffff", 1, { 0xfa } },
	{ "data only, diff of 1 bit: XOR", C(.no_address = 1, .compression = HS_ET_DATA_XOR,
	  .narrow_diff = 1), 2,
	  { VALUE(HS_ACCESS_LOAD, 3, 0x5555555555555555), VALUE(HS_ACCESS_STORE, 3,
	  0x5555555555555554) },
	  HS_ET_DATA_ACCESS_DATA, "3=2 2=3 1=1 64=1", 1, { 0x7a } },
	{ "data only, diff of 1 bit: difference",
	  C(.no_address = 1, .compression = HS_ET_DATA_DIFFERENCE, .narrow_diff = 1), 2,
	  { VALUE(HS_ACCESS_LOAD, 3, 0x5555555555555555), VALUE(HS_ACCESS_STORE, 3,
	  0x5555555555555554) },
	  HS_ET_DATA_ACCESS_DATA, "3=2 2=3 1=1 64=0xffffffffffffffff", 1, { 0xfa } },

	/* Split load: format, size, lrid, diff, address; format, size, lrid, resp, data. */
	{ "split load, request", C(.split = 1, .lrid_width = 4), 1,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0x1000, 0, ADDRESS) }, HS_ET_DATA_LOAD_REQUEST,
	  "3=0 2=3 4=5 1=0 64=0x200", 3, { 0xb8, 0x00, 0x08 } },
	{ "split load without addresses: no request (design/data-trace)",
	  C(.split = 1, .lrid_width = 4, .no_address = 1), 1,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0x1000, 0, ADDRESS) }, HS_ET_DATA_NONE, "", 0, { 0 } },
	{ "split load, data", C(.split = 1, .lrid_width = 4), 2,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0x1000, 0, ADDRESS), RESPONSE(HS_ACCESS_LOAD, 3, 5,
	  0x1000, 7, BOTH) },
	  HS_ET_DATA_LOAD_RESPONSE, "3=4 2=3 4=5 2=2 64=7", 2, { 0xbc, 0x3c } },
	{ "split load, error", C(.split = 1, .lrid_width = 4), 2,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0x1000, 0, ADDRESS),
	    RESPONSE(HS_ACCESS_LOAD, 3, 5, 0x1000, 0, ADDRESS | HS_ACCESS_HAS_ERROR) },
	  HS_ET_DATA_LOAD_RESPONSE, "3=4 2=3 4=5 2=0", 2, { 0xbc, 0x00 } },
	{ "split: a store is whole", C(.split = 1, .lrid_width = 4), 1, { STORE(2, 0x1000,
	  0x1234) },
	  HS_ET_DATA_ACCESS, "3=2 2=2 2=0 2=1 16=0x1234 64=0x400", 5, { 0x92, 0x68, 0x24, 0x00,
	  0x08 } },

	/* Atomic: format, subtype, size, diff, op_len, operand, data_len, data, address. */
	{ "atomic add", C(0), 1, { OPERATION(HS_ACCESS_ADD, 2, 0x3000, 10, 1) }, HS_ET_DATA_ATOMIC,
	  "3=6 3=1 2=2 2=0 2=0 8=1 2=0 8=10 64=0xc00", 6, { 0x8e, 0x10, 0x80, 0x02, 0x00, 0x03 } },
	{ "atomic swap of 8 bytes, operand of 2", C(0), 1, { OPERATION(HS_ACCESS_SWAP, 3, 0, 0,
	  0x80) },
	  HS_ET_DATA_ATOMIC, "3=6 3=0 2=3 2=0 3=1 16=0x80 3=0 8=0 64=0", 3, { 0xc6, 0x04, 0x10 } },
	{ "atomic min, address only", C(.no_data = 1), 1, { PLACE(HS_ACCESS_MIN, 3, 0x40) },
	  HS_ET_DATA_ATOMIC_ADDRESS, "3=6 3=6 2=3 1=0 64=8", 2, { 0xf6, 0x10 } },
	{ "conditional store failure, address only", C(.no_data = 1), 1,
	  { PLACE(HS_ACCESS_SC_FAILED, 3, 0x40) },
	  HS_ET_DATA_ATOMIC_ADDRESS, "3=6 3=7 2=3 1=0 64=8", 2, { 0xfe, 0x10 } },
	{ "conditional store failure with data: not reported", C(0), 1,
	  { PLACE(HS_ACCESS_SC_FAILED, 3, 0x40) }, HS_ET_DATA_NONE, "", 0, { 0 } },
	{ "conditional store failure with data, asked for", C(.sc_failures = 1), 1,
	  { PLACE(HS_ACCESS_SC_FAILED, 3, 0x40) }, HS_ET_DATA_ATOMIC,
	  "3=6 3=7 2=3 2=0 3=0 8=0 3=0 8=0 64=8", 5, { 0xfe, 0x00, 0x00, 0x00, 0x08 } },
	{ "atomic max, data only", C(.no_address = 1), 1,
	  { { .type = HS_ACCESS_MAX, .size = 2, .data = 0xffffffff, .operand = 3,
	  .known = DATA | OPERAND } },
	  HS_ET_DATA_ATOMIC_DATA, "3=6 3=5 2=2 2=0 2=0 8=3 64=0xffffffffffffffff", 3, { 0xae, 0x30,
	  0xf0 } },

	/* Split atomic: format, subtype, size, lrid, diff, op_len, operand, address; format, lrid,
	resp,
	 * data_len, data.  The format of the second is 7 (design/data-trace). */
	{ "split atomic, operand", C(.split = 1, .lrid_width = 2), 1,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0x55, ADDRESS | OPERAND) },
	  HS_ET_DATA_ATOMIC_REQUEST,
	  "3=6 3=3 2=2 2=3 2=0 2=0 8=0x55 64=0x40", 4, { 0x9e, 0x43, 0x15, 0x10 } },
	{ "split atomic, operand, a difference", C(.split = 1, .lrid_width = 2), 2,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0x55, ADDRESS | OPERAND),
	    REQUEST(HS_ACCESS_OR, 2, 2, 0x104, 0x55, ADDRESS | OPERAND) },
	    HS_ET_DATA_ATOMIC_REQUEST,
	  "3=6 3=3 2=2 2=2 2=2 2=0 8=0x55 64=1", 3, { 0x9e, 0x4a, 0x55 } },
	{ "split atomic, data", C(.split = 1, .lrid_width = 2), 2,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0x55, ADDRESS | OPERAND),
	    RESPONSE(HS_ACCESS_OR, 2, 3, 0x100, 0x1234, BOTH) }, HS_ET_DATA_ATOMIC_RESPONSE,
	  "3=7 2=3 2=2 2=1 16=0x1234", 3, { 0xdf, 0x68, 0x24 } },
	{ "split atomic, error", C(.split = 1, .lrid_width = 2), 2,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0x55, ADDRESS | OPERAND),
	    RESPONSE(HS_ACCESS_OR, 2, 3, 0x100, 0, ADDRESS | HS_ACCESS_HAS_ERROR) },
	  HS_ET_DATA_ATOMIC_RESPONSE, "3=7 2=3 2=0", 1, { 0x1f } },

	/* CSR: format, subtype, diff, data_len, data, addr_msbs, op_len, operand, addr_lsbs. */
	{ "CSR read-write", C(0), 1, { OPERATION(HS_ACCESS_CSR_RW, 3, 0x340, 2, 0x81) },
	  HS_ET_DATA_CSR,
	  "3=5 2=0 2=0 3=0 8=2 6=13 3=1 16=0x81 6=0", 5, { 0x05, 0x08, 0x34, 0x09, 0x04 } },
	{ "CSR read-only: no operand", C(0), 1,
	  { { .type = HS_ACCESS_CSR_RS, .size = 3, .address = 0xc01, .data = 0x7fff,
	  .known = BOTH } },
	  HS_ET_DATA_CSR, "3=5 2=1 2=0 3=1 16=0x7fff 6=48 6=1", 5, { 0x8d, 0xfc, 0xff, 0xc1,
	  0x01 } },
	{ "CSR of 32 bits: lengths of 2", C(.csr_width = 32), 1,
	  { OPERATION(HS_ACCESS_CSR_RC, 2, 0x7ff, 0xffffffff, 0) }, HS_ET_DATA_CSR,
	  "3=5 2=2 2=0 2=0 8=0xff 6=31 2=0 8=0 6=63", 5, { 0x15, 0xfe, 0x3f, 0x00, 0xfe } },
	{ "CSR, address only: subtype of 3 bits", C(.no_data = 1), 1, { PLACE(HS_ACCESS_CSR_RS, 3,
	  0x342) },
	  HS_ET_DATA_CSR_ADDRESS, "3=5 3=1 6=13 6=2", 2, { 0x4d, 0x23 } },
	{ "CSR, address only: subtype of 2 bits", C(.no_data = 1, .csr_subtype_width = 2), 1,
	  { PLACE(HS_ACCESS_CSR_RS, 3, 0x342) }, HS_ET_DATA_CSR_ADDRESS, "3=5 2=1 6=13 6=2", 2,
	  { 0xad, 0x11 } },
	{ "CSR, address only, a difference", C(.no_data = 1, .csr_diff = 1), 2,
	  { PLACE(HS_ACCESS_CSR_RS, 3, 0x342), PLACE(HS_ACCESS_CSR_RW, 3, 0x341) },
	  HS_ET_DATA_CSR_ADDRESS,
	  "3=5 3=0 1=1 6=63 6=63", 1, { 0xc5 } },
};

/* ---- faults --------------------------------------------------------------------------- */

static const struct fault faults[] = {
	{ "format 7 without split", C(0), "3=7 16=0", 0 },
	{ "format 4 without split", C(0), "3=4 16=0", 0 },
	{ "format 4 where there is no data", C(.split = 1, .no_data = 1), "3=4 16=0", 0 },
	{ "format 0 of split loads without addresses", C(.split = 1, .no_address = 1), "3=0 16=0",
	  0 },
	{ "size above data_width_p", C(.data_width = 32), "3=0 2=3 2=0 3=0 8=1 64=0", 3 },
	{ "diff that is reserved", C(.no_address = 1), "3=0 2=2 2=2 64=0", 5 },
	{ "subtype of a CSR that is reserved", C(0), "3=5 2=3 2=0 3=0 8=0 6=0 3=0 8=0 6=0", 3 },
	{ "response of an atomic without a request", C(.split = 1, .lrid_width = 2),
	  "3=7 2=1 2=2 8=0", 0 },
	{ "a byte more than the packet has", C(.no_data = 1), "3=5 3=0 6=1 6=1 8=0x40", 18 },
};

TEST_TABLE(is_refused, faults)

static const struct refusal {
	const char *name;
	struct hs_et_data_config config;
	struct hs_access in;
	enum hs_status status;
} refusals[] = {
	{ "type 16", C(0), { .type = 16, .known = BOTH }, HS_E_ARG },
	{ "compare and swap that failed", C(0), OPERATION(HS_ACCESS_CAS_FAILED, 2, 0, 0, 0),
	  HS_E_UNSUPPORTED },
	{ "size 4", C(0), { .size = 4, .known = BOTH }, HS_E_ARG },
	{ "data wider than the access", C(0), LOAD(0, 0, 0x100), HS_E_ARG },
	{ "access wider than data_width_p", C(.data_width = 32), LOAD(3, 0, 0), HS_E_ARG },
	{ "address wider than daddress_width_p", C(.daddress_width = 32), LOAD(2, 0x100000000, 0),
	  HS_E_ARG },
	{ "address that is the sign of 32 bits", C(.daddress_width = 32), LOAD(2,
	  0xffffffff80000000, 0), HS_OK },
	{ "no data, though packets carry it", C(0), PLACE(HS_ACCESS_LOAD, 2, 0), HS_E_ARG },
	{ "no address, though packets carry it", C(0), VALUE(HS_ACCESS_LOAD, 2, 0), HS_E_ARG },
	{ "whole load with split", C(.split = 1), LOAD(2, 0, 0), HS_E_ARG },
	{ "request without split", C(0), REQUEST(HS_ACCESS_LOAD, 2, 0, 0, 0, BOTH), HS_E_ARG },
	{ "request of a store", C(.split = 1), REQUEST(HS_ACCESS_STORE, 2, 0, 0, 0, BOTH),
	  HS_E_ARG },
	{ "response without request", C(.split = 1), RESPONSE(HS_ACCESS_LOAD, 2, 0, 0, 0, DATA),
	  HS_E_ARG },
	{ "id wider than lrid_width_p", C(.split = 1, .lrid_width = 2),
	  REQUEST(HS_ACCESS_LOAD, 2, 4, 0, 0, ADDRESS), HS_E_ARG },
	{ "atomic that is not aligned", C(0), OPERATION(HS_ACCESS_ADD, 2, 2, 0, 0), HS_E_ARG },
	{ "CSR above 4095", C(0), OPERATION(HS_ACCESS_CSR_RW, 3, 0x1000, 0, 0), HS_E_ARG },
	{ "CSR of another width", C(0), OPERATION(HS_ACCESS_CSR_RW, 2, 0x300, 0, 0), HS_E_ARG },
	/* 0xc00 to 0xfff are read only (privileged ISA, CSR address mapping) */
	{ "CSR that is only read, without an operand", C(0), ACCESS(HS_ACCESS_CSR_RS, 3, 0xc00, 0),
	  HS_OK },
	{ "CSR that can be written, without its operand", C(0),
	  ACCESS(HS_ACCESS_CSR_RS, 3, 0xbff, 0), HS_E_ARG },
	{ "CSR without its address", C(.no_address = 1),
	  { .type = HS_ACCESS_CSR_RW, .size = 3, .known = DATA | OPERAND }, HS_E_ARG },
	{ "CSR without its data", C(0),
	  { .type = HS_ACCESS_CSR_RW, .size = 3, .known = ADDRESS | OPERAND }, HS_E_ARG },
	{ "atomic without its operand", C(0), ACCESS(HS_ACCESS_ADD, 2, 0, 0), HS_E_ARG },
	{ "atomic without its data", C(0),
	  { .type = HS_ACCESS_ADD, .size = 2, .known = ADDRESS | OPERAND }, HS_E_ARG },
	{ "atomic without its address", C(0),
	  { .type = HS_ACCESS_ADD, .size = 2, .known = DATA | OPERAND }, HS_E_ARG },
	{ "split atomic without its operand", C(.split = 1),
	  REQUEST(HS_ACCESS_SWAP, 3, 0, 0, 0, ADDRESS), HS_E_ARG },
	{ "conditional store that failed, without its address", C(0),
	  { .type = HS_ACCESS_SC_FAILED, .size = 3 }, HS_E_ARG },
	{ "the same where only data is sent", C(.no_address = 1),
	  { .type = HS_ACCESS_SC_FAILED, .size = 3 }, HS_OK },
	{ "atomic where only loads and stores are supported", C(.load_store = 1),
	  OPERATION(HS_ACCESS_ADD, 2, 0, 0, 0), HS_E_UNSUPPORTED },
};

TEST_ROWS(refusal, refusals, f)
{
	struct hs_et_data_coder c;
	struct hs_et_data_packet p;

	assert_int_equal(hs_et_data_init(&c, &f->config), HS_OK);
	assert_int_equal(hs_et_data_encode(&c, &f->in, &p), f->status);
}

/* A response has data or an error, unless packets have no data. */
static const struct response {
	const char *name;
	uint8_t no_data, known;
	enum hs_status status;
} responses[] = {
	{ "with data", 0, DATA, HS_OK },
	{ "with an error", 0, HS_ACCESS_HAS_ERROR, HS_OK },
	{ "with neither", 0, 0, HS_E_ARG },
	{ "with neither, where there is no data", 1, 0, HS_OK },
};

TEST_ROWS(response, responses, row)
{
	const struct hs_et_data_config config = C(.split = 1, .no_data = row->no_data);
	const struct hs_access in[] = { REQUEST(HS_ACCESS_LOAD, 2, 0, 0, 0, ADDRESS),
		                        RESPONSE(HS_ACCESS_LOAD, 2, 0, 0, 0, row->known) };
	struct hs_et_data_packet p;
	struct hs_et_data_coder c;

	assert_int_equal(hs_et_data_init(&c, &config), HS_OK);
	assert_int_equal(hs_et_data_encode(&c, &in[0], &p), HS_OK);
	assert_int_equal(hs_et_data_encode(&c, &in[1], &p), row->status);
}

static const struct config {
	const char *name;
	struct hs_et_data_config config;
	enum hs_status status;
} configs[] = {
	{ "all zero", C(0), HS_OK },
	{ "neither address nor data", C(.no_data = 1, .no_address = 1), HS_E_CONFIG },
	{ "split with only loads and stores", C(.split = 1, .load_store = 1), HS_E_CONFIG },
	{ "data_width_p 24", C(.data_width = 24), HS_E_CONFIG },
	{ "daddress_width_p 65", C(.daddress_width = 65), HS_E_CONFIG },
	{ "lrid_width_p without split", C(.lrid_width = 1), HS_E_CONFIG },
	{ "lrid_width_p 9", C(.split = 1, .lrid_width = 9), HS_E_CONFIG },
	{ "CSRs of 16 bits", C(.csr_width = 16), HS_E_CONFIG },
	{ "diff of 1 bit for two compressions", C(.narrow_diff = 1), HS_E_CONFIG },
	{ "compression 3", C(.compression = 3), HS_E_CONFIG },
	{ "atomic_response 6: as the request", C(.split = 1, .atomic_response = 6), HS_E_CONFIG },
	{ "mmacas_ext 2", C(.mmacas_ext = 2), HS_E_CONFIG },
	{ "full_data 2", C(.full_data = 2), HS_E_CONFIG },
	{ "dtype_width_p 5", C(.mmacas_ext = 1, .dtype_width = 5), HS_E_CONFIG },
	{ "only loads and stores, by format and by dtype_width_p",
	  C(.mmacas_ext = 1, .load_store = 1), HS_E_CONFIG },
	{ "reserved byte", C(.reserved = { 1 }), HS_E_CONFIG },
	{ "size 0", { 0 }, HS_E_CONFIG },
};

TEST_ROWS(config, configs, r)
{
	struct hs_et_data_coder c;

	assert_int_equal(hs_et_data_init(&c, &r->config), r->status);
}

/* After a synchronisation, full; after a loss, a difference says nothing, and the next full value
 * does. */
TEST_NAMED(synchronisation, "synchronisation and loss")
{
	const struct hs_et_data_config config = C(0);
	const struct hs_access in[] = { LOAD(2, 0x1000, 1), LOAD(2, 0x1004, 1), LOAD(2, 0x1008,
	                1) };
	struct hs_et_data_coder encoder, decoder;
	struct hs_et_data_packet p;
	struct hs_access a;

	assert_int_equal(hs_et_data_init(&encoder, &config), HS_OK);
	assert_int_equal(hs_et_data_init(&decoder, &config), HS_OK);
	assert_int_equal(hs_et_data_encode(&encoder, &in[0], &p), HS_OK);
	assert_int_equal(hs_et_data_encode(&encoder, &in[1], &p), HS_OK);
	assert_int_equal(p.field[HS_ETDF_DIFF], 1);
	assert_int_equal(hs_et_data_decode(&decoder, &p, &a), HS_OK);
	assert_int_equal(a.known, 0);
	hs_et_data_sync(&encoder);
	assert_int_equal(hs_et_data_encode(&encoder, &in[2], &p), HS_OK);
	assert_int_equal(p.field[HS_ETDF_DIFF], 0);
	assert_int_equal(hs_et_data_decode(&decoder, &p, &a), HS_OK);
	assert_true(same(&a, &in[2]));
}

/* One of several (cm.push, cm.pop) has the packet of a load or store, also where there are no other
 * packets: fields as in the row "only loads and stores". */
static const struct one_of_several {
	const char *name;
	uint8_t type, byte; /* byte: the first of the packet */
} several[] = {
	{ "a store", HS_ACCESS_MULTI_STORE, 0x4a },
	{ "a load", HS_ACCESS_MULTI_LOAD, 0x48 },
};

TEST_ROWS(one_of_several, several, row)
{
	static const struct hs_et_data_config config = C(.load_store = 1);
	const struct hs_access in = ACCESS(row->type, 2, 0x1000, 0x1234);
	const uint8_t want[] = { row->byte, 0x34, 0x12, 0x00, 0x04 };
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
	struct hs_et_data_coder encoder;
	struct hs_et_data_packet p;

	assert_int_equal(hs_et_data_init(&encoder, &config), HS_OK);
	assert_int_equal(hs_et_data_encode(&encoder, &in, &p), HS_OK);
	assert_int_equal(hs_et_data_write(&encoder, &p, bytes), sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

/* ---- names ------------------------------------------------------------------------------ */

TEST_NAMED(names, "names")
{
	uint8_t fields[HS_ETDF_COUNT];

	assert_string_equal(hs_et_data_form_name(HS_ET_DATA_LOAD_REQUEST), "Split load, address");
	assert_string_equal(hs_et_data_form_name(HS_ET_DATA_NONE), "?");
	assert_string_equal(hs_et_data_form_name(HS_ET_DATA_FORMS), "?");
	assert_string_equal(hs_et_data_field_name(HS_ETDF_OP_LEN), "op_len");
	assert_string_equal(hs_et_data_field_name(HS_ETDF_COUNT), "?");
	assert_true(hs_et_data_field_hex(HS_ETDF_DATA));
	assert_false(hs_et_data_field_hex(HS_ETDF_SIZE));
	assert_int_equal(hs_et_data_form_fields(HS_ET_DATA_CSR, fields), 9);
	assert_int_equal(fields[8], HS_ETDF_ADDR_LSBS);
	assert_int_equal(hs_et_data_form_fields(HS_ET_DATA_NONE, fields), 0);
	assert_string_equal(hs_access_name(HS_ACCESS_SWAP), "atomic swap");
	assert_string_equal(hs_access_name(HS_ACCESS_MULTI_STORE), "multi-memory store");
	assert_string_equal(hs_access_name(16), "?");
}

TESTS
{
	add_cases(rows, COUNT_OF(rows));
}
