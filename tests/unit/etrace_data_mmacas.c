/* Data trace packets of the MMA/CAS extension (ET MMA/CAS: Revised packet formats): layouts worked
 * by hand from the text's tables, encoded, decoded, and cut at each byte. */
#include "unit/et_data_rows.h"

static const struct row rows[] = {
	/* Unified load or store, address and data: format, subformat, size, diff, data_len, data,
	  address. */
	{ "load of 4 bytes, first of its size", C(.mmacas_ext = 1), 1,
	  { LOAD(2, 0x1000, 0x1234) },
	  HS_ET_DATA_REVISED_ACCESS, "2=0 2=0 2=2 2=0 2=1 16=0x1234 64=0x400", 5, { 0x20, 0xd1,
	  0x48, 0x00, 0x10 } },
	{ "dtype_width_p 1: no format", C(.mmacas_ext = 1, .dtype_width = 1), 1,
	  { STORE(2, 0x1000, 0x1234) },
	  HS_ET_DATA_REVISED_ACCESS, "2=2 2=2 2=0 2=1 16=0x1234 64=0x400", 5, { 0x4a, 0x34, 0x12,
	  0x00, 0x04 } },
	{ "dtype_width_p 2: format of 1 bit", C(.mmacas_ext = 1, .dtype_width = 2), 1,
	  { ACCESS(HS_ACCESS_MULTI_STORE, 3, 0x2008, 0x7f) },
	  HS_ET_DATA_REVISED_ACCESS, "1=1 2=2 2=3 2=0 3=0 8=0x7f 64=0x401", 4, { 0x1d, 0xfc, 0x05,
	  0x10 } },
	{ "dtype_width_p 3: format of 2 bits", C(.mmacas_ext = 1, .dtype_width = 3), 1,
	  { STORE(0, 0x21, 0x80) },
	  HS_ET_DATA_REVISED_ACCESS, "2=0 2=2 2=0 2=0 8=0x80 64=0x21", 3, { 0x08, 0x80, 0x21 } },
	{ "dtype_width_p 1 and split loads: format of 2 bits", C(.mmacas_ext = 1, .split = 1,
	  .dtype_width = 1), 1,
	  { STORE(0, 0x21, 0x80) },
	  HS_ET_DATA_REVISED_ACCESS, "2=0 2=2 2=0 2=0 8=0x80 64=0x21", 3, { 0x08, 0x80, 0x21 } },
	{ "one of several loads, not aligned", C(.mmacas_ext = 1), 1,
	  { ACCESS(HS_ACCESS_MULTI_LOAD, 1, 0x1001, 0x7f) },
	  HS_ET_DATA_REVISED_ACCESS, "2=1 2=1 2=1 2=0 1=0 8=0x7f 64=0x1001", 4, { 0x15, 0xfe,
	  0x02, 0x20 } },
	{ "one of several stores, not aligned", C(.mmacas_ext = 1), 1,
	  { ACCESS(HS_ACCESS_MULTI_STORE, 3, 0x1004, 0) },
	  HS_ET_DATA_REVISED_ACCESS, "2=1 2=3 2=3 2=0 3=0 8=0 64=0x1004", 5, { 0x3d, 0x00, 0x20,
	  0x80, 0x00 } },
	{ "the next one of several differs from a load of its size", C(.mmacas_ext = 1), 2,
	  { LOAD(2, 0x1000, 0x12345678), ACCESS(HS_ACCESS_MULTI_LOAD, 2, 0x1004, 0x12345678) },
	  HS_ET_DATA_REVISED_ACCESS, "2=1 2=0 2=2 2=1 2=0 8=0 64=1", 3, { 0x61, 0x00, 0x04 } },
	{ "data is not compressed where that is configured", C(.mmacas_ext = 1, .full_data = 1), 2,
	  { LOAD(2, 0x1000, 0x12345678), LOAD(2, 0x1004, 0x12345678) },
	  HS_ET_DATA_REVISED_ACCESS, "2=0 2=0 2=2 2=2 2=3 32=0x12345678 64=1", 6, { 0xa0, 0xe3,
	  0x59, 0xd1, 0x48, 0x04 } },
	{ "data_width_p 16: size of 1 bit", C(.mmacas_ext = 1, .data_width = 16), 1,
	  { STORE(1, 0x1000, 0x1234) },
	  HS_ET_DATA_REVISED_ACCESS, "2=0 2=2 1=1 2=0 1=1 16=0x1234 64=0x800", 5, { 0x98, 0x34,
	  0x12, 0x00, 0x08 } },
	/* Address only: format, subformat, size, diff, address. */
	{ "several stores, address only", C(.mmacas_ext = 1, .no_data = 1), 1,
	  { PLACE(HS_ACCESS_MULTI_STORE, 2, 0x2000) },
	  HS_ET_DATA_REVISED_ACCESS_ADDRESS, "2=1 2=2 2=2 1=0 64=0x800", 3, { 0x29, 0x00, 0x04 } },
	{ "address only, a difference", C(.mmacas_ext = 1, .no_data = 1), 2,
	  { PLACE(HS_ACCESS_MULTI_STORE, 2, 0x2000), PLACE(HS_ACCESS_LOAD, 2, 0x1ff8) },
	  HS_ET_DATA_REVISED_ACCESS_ADDRESS, "2=0 2=0 2=2 1=1 64=0xfffffffffffffffe", 2, { 0x60,
	  0xff } },
	{ "split load, address only: the unified packet", C(.mmacas_ext = 1, .split = 1,
	  .no_data = 1, .lrid_width = 4), 1,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0x1000, 0, ADDRESS) },
	  HS_ET_DATA_REVISED_ACCESS_ADDRESS, "2=0 2=0 2=3 1=0 64=0x200", 3, { 0x30, 0x00, 0x01 } },
	/* Data only: format, subformat, size, diff, data. */
	{ "one of several loads, data only", C(.mmacas_ext = 1, .no_address = 1), 1,
	  { VALUE(HS_ACCESS_MULTI_LOAD, 2, 0x80000000) },
	  HS_ET_DATA_REVISED_ACCESS_DATA, "2=1 2=0 2=2 2=0 64=0xffffffff80000000", 5, { 0x21,
	  0x00, 0x00, 0x00, 0x80 } },
	{ "data only, diff of 1 bit: XOR", C(.mmacas_ext = 1, .no_address = 1,
	  .compression = HS_ET_DATA_XOR, .narrow_diff = 1), 2,
	  { VALUE(HS_ACCESS_LOAD, 3, 0x5555555555555555), VALUE(HS_ACCESS_STORE, 3,
	  0x5555555555555554) },
	  HS_ET_DATA_REVISED_ACCESS_DATA, "2=0 2=2 2=3 1=1 64=1", 2, { 0xf8, 0x00 } },
	{ "split load, data only: the unified packet", C(.mmacas_ext = 1, .split = 1,
	  .no_address = 1, .lrid_width = 4), 2,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0, 0, 0), RESPONSE(HS_ACCESS_LOAD, 3, 5, 0, 7, DATA) },
	  HS_ET_DATA_REVISED_ACCESS_DATA, "2=0 2=0 2=3 2=0 64=7", 2, { 0x30, 0x07 } },
	{ "split load, data only, error: no packet", C(.mmacas_ext = 1, .split = 1,
	  .no_address = 1, .lrid_width = 4), 2,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0, 0, 0), RESPONSE(HS_ACCESS_LOAD, 3, 5, 0, 0,
	  HS_ACCESS_HAS_ERROR) },
	  HS_ET_DATA_NONE, "", 0, { 0 } },
	/* Split load: format, subformat, size, lrid, diff, address; format, size, lrid, resp,
	  data. */
	{ "split load, one of several, request", C(.mmacas_ext = 1, .split = 1, .lrid_width = 4), 1,
	  { REQUEST(HS_ACCESS_MULTI_LOAD, 3, 5, 0x1000, 0, ADDRESS) },
	  HS_ET_DATA_REVISED_REQUEST, "2=1 2=0 2=3 4=5 1=0 64=0x200", 3, { 0x71, 0x01, 0x10 } },
	{ "split load, not aligned, request", C(.mmacas_ext = 1, .split = 1, .lrid_width = 4), 1,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0x1004, 0, ADDRESS) },
	  HS_ET_DATA_REVISED_REQUEST, "2=0 2=1 2=3 4=5 1=0 64=0x1004", 4, { 0x74, 0x21, 0x80,
	  0x00 } },
	{ "split load, data", C(.mmacas_ext = 1, .split = 1, .lrid_width = 4), 2,
	  { REQUEST(HS_ACCESS_MULTI_LOAD, 3, 5, 0x1000, 0, ADDRESS),
	  RESPONSE(HS_ACCESS_MULTI_LOAD, 3, 5, 0x1000, 7, BOTH) },
	  HS_ET_DATA_REVISED_RESPONSE, "2=3 2=3 4=5 2=2 64=7", 2, { 0x5f, 0x1e } },
	{ "split load, error", C(.mmacas_ext = 1, .split = 1, .lrid_width = 4), 2,
	  { REQUEST(HS_ACCESS_LOAD, 3, 5, 0x1000, 0, ADDRESS), RESPONSE(HS_ACCESS_LOAD, 3, 5,
	  0x1000, 0, ADDRESS | HS_ACCESS_HAS_ERROR) },
	  HS_ET_DATA_REVISED_RESPONSE, "2=3 2=3 4=5 2=0", 1, { 0x5f } },
	/* Atomic: format, subformat, size, diff, op_len, operand, data_len, data, address. */
	{ "atomic add", C(.mmacas_ext = 1), 1,
	  { OPERATION(HS_ACCESS_ADD, 2, 0x3000, 10, 1) },
	  HS_ET_DATA_REVISED_ATOMIC, "2=2 4=9 2=2 2=0 2=0 8=1 2=0 8=10 64=0xc00", 6, { 0xa6, 0x10,
	  0x80, 0x02, 0x00, 0x03 } },
	{ "atomic min of 8 bytes", C(.mmacas_ext = 1), 1,
	  { OPERATION(HS_ACCESS_MIN, 3, 0, 0, 0x80) },
	  HS_ET_DATA_REVISED_ATOMIC, "2=2 4=14 2=3 2=0 3=1 16=0x80 3=0 8=0 64=0", 3, { 0xfa, 0x04,
	  0x10 } },
	{ "data and operand are both XORed", C(.mmacas_ext = 1), 2,
	  { OPERATION(HS_ACCESS_ADD, 2, 0x3000, 0x12345678, 0x1020304), OPERATION(HS_ACCESS_XOR,
	  2, 0x3004, 0x12345679, 0x1020304) },
	  HS_ET_DATA_REVISED_ATOMIC, "2=2 4=12 2=2 2=1 2=0 8=0 2=0 8=1 64=1", 4, { 0xb2, 0x01,
	  0x40, 0x40 } },
	{ "after a load only, the operand has nothing to differ from", C(.mmacas_ext = 1), 2,
	  { LOAD(2, 0x3000, 0x12345678), OPERATION(HS_ACCESS_SWAP, 2, 0x3004, 0x12345678, 1) },
	  HS_ET_DATA_REVISED_ATOMIC, "2=2 4=8 2=2 2=2 2=0 8=1 2=3 32=0x12345678 64=1", 7, { 0xa2,
	  0x12, 0x30, 0x9e, 0x15, 0x8d, 0x44 } },
	{ "atomic min, address only", C(.mmacas_ext = 1, .no_data = 1), 1,
	  { PLACE(HS_ACCESS_MIN, 3, 0x40) },
	  HS_ET_DATA_REVISED_ATOMIC_ADDRESS, "2=2 4=14 2=3 1=0 64=8", 2, { 0xfa, 0x10 } },
	{ "atomic max, data only", C(.mmacas_ext = 1, .no_address = 1), 1,
	  { { .type = HS_ACCESS_MAX, .size = 2, .data = 0xffffffff, .operand = 3,
	  .known = DATA | OPERAND } },
	  HS_ET_DATA_REVISED_ATOMIC_DATA, "2=2 4=13 2=2 2=0 2=0 8=3 64=0xffffffffffffffff", 3,
	  { 0xb6, 0x30, 0xf0 } },
	{ "atomic AND, data only, diff of 1 bit", C(.mmacas_ext = 1, .no_address = 1,
	  .compression = HS_ET_DATA_DIFFERENCE, .narrow_diff = 1), 2,
	  { { .type = HS_ACCESS_AND, .size = 2, .data = 0x12345678, .operand = 0x11111111,
	  .known = DATA | OPERAND }, { .type = HS_ACCESS_AND, .size = 2, .data = 0x12345677,
	  .operand = 0x11111113, .known = DATA | OPERAND } },
	  HS_ET_DATA_REVISED_ATOMIC_DATA, "2=2 4=10 2=2 1=1 2=0 8=2 64=0xffffffffffffffff", 3,
	  { 0xaa, 0x11, 0xf8 } },
	/* Compare and swap failure: format, subformat, size, diff, op_len, operand, address. */
	{ "compare and swap failure", C(.mmacas_ext = 1), 1,
	  { { .type = HS_ACCESS_CAS_FAILED, .size = 3, .address = 0x40, .operand = 0x1234,
	  .known = ADDRESS | OPERAND } },
	  HS_ET_DATA_REVISED_CAS_FAILURE, "2=2 4=7 2=3 2=0 3=1 16=0x1234 64=8", 5, { 0xde, 0x84,
	  0x46, 0x02, 0x01 } },
	{ "compare and swap failure, a difference from the operand before", C(.mmacas_ext = 1), 2,
	  { OPERATION(HS_ACCESS_SWAP, 2, 0x100, 5, 0xffff), { .type = HS_ACCESS_CAS_FAILED,
	  .size = 2, .address = 0x104, .operand = 0x10000, .known = ADDRESS | OPERAND } },
	  HS_ET_DATA_REVISED_CAS_FAILURE, "2=2 4=7 2=2 2=3 2=0 8=1 64=1", 3, { 0x9e, 0x13, 0x10 } },
	{ "compare and swap failure after a load: the operand in full", C(.mmacas_ext = 1), 2,
	  { LOAD(2, 0x100, 0xffff), { .type = HS_ACCESS_CAS_FAILED, .size = 2, .address = 0x104,
	  .operand = 0xffff, .known = ADDRESS | OPERAND } },
	  HS_ET_DATA_REVISED_CAS_FAILURE, "2=2 4=7 2=2 2=2 2=2 24=0xffff 64=1", 5, { 0x9e, 0xfa,
	  0xff, 0x0f, 0x10 } },
	{ "compare and swap failure, address only", C(.mmacas_ext = 1, .no_data = 1), 1,
	  { PLACE(HS_ACCESS_CAS_FAILED, 3, 0x40) },
	  HS_ET_DATA_REVISED_ATOMIC_ADDRESS, "2=2 4=7 2=3 1=0 64=8", 2, { 0xde, 0x10 } },
	{ "compare and swap failure without addresses: not reported", C(.mmacas_ext = 1,
	  .no_address = 1), 1,
	  { PLACE(HS_ACCESS_CAS_FAILED, 3, 0x40) },
	  HS_ET_DATA_NONE, "", 0, { 0 } },
	{ "the same, asked for", C(.mmacas_ext = 1, .no_address = 1, .sc_failures = 1), 1,
	  { { .type = HS_ACCESS_CAS_FAILED, .size = 2, .address = 0x8, .operand = 7,
	  .known = ADDRESS | OPERAND } },
	  HS_ET_DATA_REVISED_CAS_FAILURE, "2=2 4=7 2=2 2=0 2=0 8=7 64=2", 3, { 0x9e, 0x70, 0x20 } },
	{ "split: a compare and swap that failed is whole", C(.mmacas_ext = 1, .split = 1), 1,
	  { { .type = HS_ACCESS_CAS_FAILED, .size = 2, .address = 0x8, .operand = 7,
	  .known = ADDRESS | OPERAND } },
	  HS_ET_DATA_REVISED_CAS_FAILURE, "2=2 4=7 2=2 2=0 2=0 8=7 64=2", 3, { 0x9e, 0x70, 0x20 } },
	/* Conditional store failure: format, subformat, size, diff, address. */
	{ "conditional store failure", C(.mmacas_ext = 1), 1,
	  { PLACE(HS_ACCESS_SC_FAILED, 3, 0x40) },
	  HS_ET_DATA_REVISED_ATOMIC_ADDRESS, "2=2 4=15 2=3 1=0 64=8", 2, { 0xfe, 0x10 } },
	{ "conditional store failure, a difference", C(.mmacas_ext = 1), 2,
	  { LOAD(3, 0x10038, 1), PLACE(HS_ACCESS_SC_FAILED, 3, 0x10040) },
	  HS_ET_DATA_REVISED_ATOMIC_ADDRESS, "2=2 4=15 2=3 1=1 64=1", 2, { 0xfe, 0x03 } },
	{ "conditional store failure without addresses: not reported", C(.mmacas_ext = 1,
	  .no_address = 1), 1,
	  { PLACE(HS_ACCESS_SC_FAILED, 3, 0x40) },
	  HS_ET_DATA_NONE, "", 0, { 0 } },
	{ "the same failure, asked for", C(.mmacas_ext = 1, .no_address = 1, .sc_failures = 1), 1,
	  { PLACE(HS_ACCESS_SC_FAILED, 3, 0x40) },
	  HS_ET_DATA_REVISED_ATOMIC_ADDRESS, "2=2 4=15 2=3 1=0 64=8", 2, { 0xfe, 0x10 } },
	/* Split atomic: format, subformat, size, lrid, diff, op_len, operand,
	  address; without the address: format, subformat, size,
	 * lrid, diff, operand. */
	{ "split atomic, request", C(.mmacas_ext = 1, .split = 1, .lrid_width = 2), 1,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0x55, ADDRESS | OPERAND) },
	  HS_ET_DATA_REVISED_ATOMIC_REQUEST, "2=2 4=11 2=2 2=3 2=0 2=0 8=0x55 64=0x40", 4, { 0xae,
	  0x43, 0x15, 0x10 } },
	{ "split atomic, the same operand", C(.mmacas_ext = 1, .split = 1, .lrid_width = 2), 2,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0x55, ADDRESS | OPERAND), REQUEST(HS_ACCESS_OR, 2,
	  2, 0x104, 0x55, ADDRESS | OPERAND) },
	  HS_ET_DATA_REVISED_ATOMIC_REQUEST, "2=2 4=11 2=2 2=2 2=1 2=0 8=0 64=1", 3, { 0xae, 0x06,
	  0x40 } },
	{ "split atomic, without address", C(.mmacas_ext = 1, .split = 1, .no_address = 1,
	  .lrid_width = 2), 1,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0, 0x55, OPERAND) },
	  HS_ET_DATA_REVISED_ATOMIC_OPERAND, "2=2 4=11 2=2 2=3 2=0 64=0x55", 3, { 0xae, 0x53,
	  0x05 } },
	{ "split atomic, without address, diff of 2 bits always", C(.mmacas_ext = 1, .split = 1,
	  .no_address = 1, .lrid_width = 2, .compression = HS_ET_DATA_XOR, .narrow_diff = 1), 2,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0, 0x55555555, OPERAND), REQUEST(HS_ACCESS_OR, 2, 2, 0,
	  0x55555554, OPERAND) },
	  HS_ET_DATA_REVISED_ATOMIC_OPERAND, "2=2 4=11 2=2 2=2 2=1 64=1", 2, { 0xae, 0x16 } },
	{ "split atomic, address only: the unified packet", C(.mmacas_ext = 1, .split = 1,
	  .no_data = 1, .lrid_width = 2), 1,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0, ADDRESS) },
	  HS_ET_DATA_REVISED_ATOMIC_ADDRESS, "2=2 4=11 2=2 1=0 64=0x40", 3, { 0xae, 0x80, 0x00 } },
	{ "split atomic, data", C(.mmacas_ext = 1, .split = 1, .lrid_width = 2), 2,
	  { REQUEST(HS_ACCESS_OR, 2, 3, 0x100, 0x55, ADDRESS | OPERAND), RESPONSE(HS_ACCESS_OR, 2,
	  3, 0x100, 0x1234, BOTH) },
	  HS_ET_DATA_REVISED_RESPONSE, "2=3 2=2 2=3 2=2 64=0x1234", 3, { 0xbb, 0x34, 0x12 } },
	/* CSR: format, subformat, diff, data_len, data, addr_msbs, op_len, operand, addr_lsbs. */
	{ "CSR read-write", C(.mmacas_ext = 1), 1,
	  { OPERATION(HS_ACCESS_CSR_RW, 3, 0x340, 2, 0x81) },
	  HS_ET_DATA_REVISED_CSR, "2=2 4=4 2=0 3=0 8=2 6=13 3=1 16=0x81 6=0", 5, { 0x12, 0x10,
	  0x68, 0x12, 0x08 } },
	{ "CSR, the same data and operand", C(.mmacas_ext = 1), 2,
	  { OPERATION(HS_ACCESS_CSR_RW, 3, 0x340, 0x123456789abcdef0, 0x55aa55aa55aa),
	  OPERATION(HS_ACCESS_CSR_RS, 3, 0x341, 0x123456789abcdef0, 0x55aa55aa55aa) },
	  HS_ET_DATA_REVISED_CSR, "2=2 4=5 2=1 3=0 8=0 6=13 3=0 8=0 6=1", 5, { 0x56, 0x00, 0x68,
	  0x00, 0x10 } },
	{ "CSR read-only: no operand", C(.mmacas_ext = 1), 1,
	  { { .type = HS_ACCESS_CSR_RS, .size = 3, .address = 0xc01, .data = 0x7fff,
	  .known = BOTH } },
	  HS_ET_DATA_REVISED_CSR, "2=2 4=5 2=0 3=1 16=0x7fff 6=48 6=1", 5, { 0x16, 0xf9, 0xff,
	  0x83, 0x03 } },
	{ "CSR of 32 bits: lengths of 2", C(.mmacas_ext = 1, .csr_width = 32), 1,
	  { OPERATION(HS_ACCESS_CSR_RC, 2, 0x7ff, 0xffffffff, 0) },
	  HS_ET_DATA_REVISED_CSR, "2=2 4=6 2=0 2=0 8=0xff 6=31 2=0 8=0 6=63", 5, { 0x1a, 0xfc,
	  0x7f, 0x00, 0xfc } },
	{ "CSR, address only: diff of 1 bit always", C(.mmacas_ext = 1, .no_data = 1), 1,
	  { PLACE(HS_ACCESS_CSR_RS, 3, 0x342) },
	  HS_ET_DATA_REVISED_CSR_ADDRESS, "2=2 4=5 1=0 6=13 6=2", 2, { 0x96, 0x46 } },
	{ "CSR, address only, a difference", C(.mmacas_ext = 1, .no_data = 1), 2,
	  { PLACE(HS_ACCESS_CSR_RS, 3, 0x342), PLACE(HS_ACCESS_CSR_RW, 3, 0x341) },
	  HS_ET_DATA_REVISED_CSR_ADDRESS, "2=2 4=4 1=1 6=63 6=63", 1, { 0xd2 } },
};

/* ---- faults --------------------------------------------------------------------------- */

#define M(...) C(.mmacas_ext = 1, __VA_ARGS__)

static const struct fault faults[] = {
	{ "split data without split", M(.split = 0), "2=3 2=3 2=2 64=7", 0 },
	{ "split data where there is none", M(.split = 1, .no_data = 1), "2=3 2=3 2=2 64=7", 0 },
	{ "operation 0", M(.split = 0), "2=2 4=0 2=2 2=0 2=0 8=1 2=0 8=1 64=1", 2 },
	{ "operation 3", M(.no_data = 1), "2=2 4=3 2=2 1=0 64=1", 2 },
	{ "an atomic, where dtype has 3 bits", M(.dtype_width = 3),
	  "2=2 4=8 2=2 2=0 2=0 8=1 2=0 8=1 64=1", 2 },
	{ "one of several, where dtype has 1 bit", M(.dtype_width = 1, .split = 1),
	  "2=1 2=2 2=2 2=0 2=0 8=1 64=1", 2 },
	{ "size above data_width_p", M(.data_width = 32), "2=0 2=0 2=3 2=0 3=0 8=1 64=0", 4 },
	{ "diff that is reserved", M(.no_address = 1), "2=0 2=0 2=2 2=2 64=0", 6 },
	{ "diff that is reserved, of a CSR", M(.split = 0), "2=2 4=4 2=2 3=0 8=0 6=0 3=0 8=0 6=0",
	  6 },
	{ "diff that is reserved, of an operand", M(.split = 1, .no_address = 1),
	  "2=2 4=8 2=2 2=2 64=0", 8 },
	{ "a byte more than the packet has", M(.no_data = 1), "2=2 4=4 1=0 6=1 6=1 8=0x40", 19 },
};

TEST_TABLE(is_refused, faults)

static const struct refusal {
	const char *name;
	struct hs_et_data_config config;
	struct hs_access in;
	enum hs_status status;
} refusals[] = {
	{ "one of several, where dtype has 1 bit", M(.dtype_width = 1),
	  ACCESS(HS_ACCESS_MULTI_LOAD, 2, 0, 0), HS_E_UNSUPPORTED },
	{ "a CSR, where dtype has 2 bits", M(.dtype_width = 2),
	  OPERATION(HS_ACCESS_CSR_RW, 3, 0, 0, 0), HS_E_UNSUPPORTED },
	{ "an atomic, where dtype has 3 bits", M(.dtype_width = 3),
	  OPERATION(HS_ACCESS_SWAP, 3, 0, 0, 0), HS_E_UNSUPPORTED },
	{ "the last type of 3 bits", M(.dtype_width = 3),
	  { .type = HS_ACCESS_CAS_FAILED, .size = 3, .known = ADDRESS | OPERAND }, HS_OK },
	{ "a failure without its operand", M(.split = 0), PLACE(HS_ACCESS_CAS_FAILED, 3, 0),
	  HS_E_ARG },
	{ "a failure without its address", M(.split = 0),
	  { .type = HS_ACCESS_SC_FAILED, .size = 3 }, HS_E_ARG },
	{ "a failure without its address, which nothing asks for", M(.no_address = 1),
	  { .type = HS_ACCESS_SC_FAILED, .size = 3 }, HS_OK },
	{ "a failure without its address, asked for", M(.no_address = 1, .sc_failures = 1),
	  { .type = HS_ACCESS_SC_FAILED, .size = 3 }, HS_E_ARG },
	{ "a failure that is not aligned", M(.split = 0), PLACE(HS_ACCESS_SC_FAILED, 3, 4),
	  HS_E_ARG },
	{ "a request of a failure: it is whole", M(.split = 1),
	  REQUEST(HS_ACCESS_SC_FAILED, 3, 0, 0, 0, ADDRESS), HS_OK },
	{ "a request of a failure, not split", M(.split = 0),
	  REQUEST(HS_ACCESS_SC_FAILED, 3, 0, 0, 0, ADDRESS), HS_E_ARG },
	{ "a request of one of several, not split", M(.split = 0),
	  REQUEST(HS_ACCESS_MULTI_LOAD, 3, 0, 0, 0, BOTH), HS_E_ARG },
	{ "the whole of one of several, split", M(.split = 1),
	  ACCESS(HS_ACCESS_MULTI_LOAD, 2, 0, 0), HS_E_ARG },
	{ "split atomic without its operand", M(.split = 1, .no_address = 1),
	  REQUEST(HS_ACCESS_SWAP, 3, 0, 0, 0, ADDRESS), HS_E_ARG },
	{ "split atomic without its address", M(.split = 1),
	  REQUEST(HS_ACCESS_SWAP, 3, 0, 0, 0, OPERAND), HS_E_ARG },
	{ "split atomic without its address, which is not sent", M(.split = 1, .no_address = 1),
	  REQUEST(HS_ACCESS_SWAP, 3, 0, 0, 0, OPERAND), HS_OK },
};

TEST_ROWS(refusal, refusals, f)
{
	struct hs_et_data_coder c;
	struct hs_et_data_packet p;

	assert_int_equal(hs_et_data_init(&c, &f->config), HS_OK);
	assert_int_equal(hs_et_data_encode(&c, &f->in, &p), f->status);
}

/* ---- after a loss ------------------------------------------------------------------------ */

/* A response whose request was lost is a load's, as far as the packet says. */
TEST_NAMED(lost_request, "a response without its request")
{
	const struct hs_et_data_config config = M(.split = 1, .lrid_width = 2);
	const struct hs_access want = RESPONSE(HS_ACCESS_LOAD, 2, 3, 0, 0x1234, DATA);
	struct hs_et_data_coder c;
	struct hs_et_data_packet p;
	struct hs_access got;
	uint8_t bytes[64];
	struct hs_span in = { bytes, pack("2=3 2=2 2=3 2=2 64=0x1234", bytes) };

	assert_int_equal(hs_et_data_init(&c, &config), HS_OK);
	assert_int_equal(hs_et_data_read(&c, &in, &p), HS_OK);
	assert_int_equal(hs_et_data_decode(&c, &p, &got), HS_OK);
	assert_true(same(&got, &want));
}

/* An operand that differs from one that is not known is not known; the address is. */
TEST_NAMED(lost_operand, "an operand that differs from a lost one")
{
	const struct hs_et_data_config config = M(.split = 0);
	struct hs_et_data_coder c;
	struct hs_et_data_packet p;
	struct hs_access got;
	uint8_t bytes[64];
	const char *const packets[] = { "2=0 2=0 2=2 2=0 2=0 8=5 64=0x40",
		                        "2=2 4=7 2=2 2=1 2=0 8=1 64=1" };

	assert_int_equal(hs_et_data_init(&c, &config), HS_OK);
	for (unsigned i = 0; i < 2; i++) {
		struct hs_span in = { bytes, pack(packets[i], bytes) };

		assert_int_equal(hs_et_data_read(&c, &in, &p), HS_OK);
		assert_int_equal(hs_et_data_decode(&c, &p, &got), HS_OK);
	}
	assert_int_equal(got.type, HS_ACCESS_CAS_FAILED);
	assert_int_equal(got.known, ADDRESS);
	assert_true(got.address == 0x104);
}

/* After a synchronisation the operand is full, too. */
TEST_NAMED(synchronised, "synchronisation")
{
	const struct hs_et_data_config config = M(.split = 0);
	const struct hs_access add = OPERATION(HS_ACCESS_ADD, 2, 0x100, 0x11223344, 0x55667788);
	struct hs_et_data_coder c;
	struct hs_et_data_packet p;

	assert_int_equal(hs_et_data_init(&c, &config), HS_OK);
	assert_int_equal(hs_et_data_encode(&c, &add, &p), HS_OK);
	assert_int_equal(hs_et_data_encode(&c, &add, &p), HS_OK);
	assert_int_equal(p.field[HS_ETDF_DIFF], 1);
	hs_et_data_sync(&c);
	assert_int_equal(hs_et_data_encode(&c, &add, &p), HS_OK);
	assert_int_equal(p.field[HS_ETDF_DIFF], 0);
	assert_int_equal(p.field[HS_ETDF_OPERAND], 0x55667788);
}

/* ---- names ------------------------------------------------------------------------------- */

TEST_NAMED(names, "names")
{
	uint8_t fields[HS_ETDF_COUNT];

	assert_string_equal(hs_et_data_form_name(HS_ET_DATA_REVISED_CAS_FAILURE),
	                    "Compare and swap failure");
	assert_string_equal(hs_et_data_form_clause(HS_ET_DATA_REVISED_CAS_FAILURE),
	                    "ET MMA/CAS: Unified CAS failure");
	assert_string_equal(hs_et_data_field_name(HS_ETDF_SUBFORMAT), "subformat");
	assert_int_equal(hs_et_data_form_fields(HS_ET_DATA_REVISED_CAS_FAILURE, fields), 7);
	assert_int_equal(fields[1], HS_ETDF_SUBFORMAT);
	assert_string_equal(hs_access_name(HS_ACCESS_CAS_FAILED), "compare and swap failure");
}

TESTS
{
	add_cases(rows, COUNT_OF(rows));
}
