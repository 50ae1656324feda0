/* Lint: streams and all that is found in them, as "kind@offset", notes included.  Both sides of
 * limits, and what must not be found a second time.  Bytes by hand, as in nt_lint_rows.h. */
#ifndef TESTS_NT_LINT_LISTS_H
#define TESTS_NT_LINT_LISTS_H

#include "unit/nt_lint_rows.h"

/* With SRC of 2 bits: ProgTraceSync of 5 bytes, ProgTraceCorrelation of 4. */
#define PTS_OF(src, sync) M(9), M((src) | (sync) << 2), V(0), M(0), E(2)
#define STOP_OF(src) M(33), M(src), M(0), E(1)
#define FORTY(tcode) M(tcode), TEN, TEN, TEN, M(0), M(0), M(0), M(0), M(0), M(0), M(0), M(0), E(0)
#define BROKEN 0x02, E(0)
#define DB10 DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1)
#define EXTENDED .extend_addr = 1
#define RV32 .xlen = 32

struct lint_list {
	const char *what;
	struct hs_nt_config config;
	const char *found;
	struct lint_bytes bytes;
};

static const struct lint_list lint_lists[] = {
	/* NT 3, 3.1 */
	{ "vendors' messages may be longer", { V1 },
	  "tcode-vendor@0 tcode-vendor@40 tcode-reserved@80 message-over-38-bytes@80 "
	  "tcode-reserved@120 message-over-38-bytes@120",
	  BYTES(FORTY(56), FORTY(62), FORTY(63), FORTY(55), PTS(5), STOPB(0, 1)) },
	{ "damage: no order for any source, until each synchronises", { .src_bits = 2 },
	  "mseo-10-after-11@10",
	  BYTES(PTS_OF(1, 5), PTS_OF(2, 5), BROKEN, PTS_OF(1, 5), PTS_OF(2, 5), STOP_OF(1),
	        STOP_OF(2)) },
	{ "damage inside a message: no order", { 0 }, "mseo-10-after-00@5",
	  BYTES(PTS(5), M(33), BROKEN, PTS(5), STOPB(0, 1)) },
	{ "after damage values are looked at again", { 0 },
	  "mseo-10-after-11@4 direct-branch-icnt-0@10",
	  BYTES(PTS(5), BROKEN, PTS(5), DB(0), STOPB(0, 1)) },
	{ "counts before damage prove nothing after it", { 0 }, "mseo-10-after-11@7",
	  BYTES(PTS(5), FULL(1, 5), BROKEN, PTS(6), STOPH(0, 1, 1)) },
	{ "a field is missing: no order", { 0 }, "field-missing@4",
	  BYTES(PTS(5), M(28), V(12), E(1), PTS(5), STOPB(0, 1)) },
	{ "SYNC is cut: what would follow is not missing, too", { .src_bits = 3 },
	  "fixed-field-cut@0", BYTES(M(9), E(0)) },
	{ "65 bytes", { 0 }, "message-without-end@0 direct-branch-icnt-0@69",
	  BYTES(M(3), TEN, TEN, TEN, TEN, TEN, TEN, M(0), M(0), M(0), E(0), PTS(5), DB(0),
	        STOPB(0, 1)) },
	{ "the end, for each source", { .src_bits = 2 },
	  "stream-ends-while-on@0 stream-ends-while-on@5", BYTES(PTS_OF(1, 5), PTS_OF(2, 5)) },
	/* NT 7.1 */
	{ "hcontext, then no scontext but a privilege", { CONTEXT }, "scontext-missing@6",
	  BYTES(PTS(5), OWN(3), OWN(0), STOPB(0, 1)) },
	{ "Ownership may be among what was lost", { CONTEXT }, "",
	  BYTES(PTS(5), LOST, PTS(7), OWN(2), STOPB(0, 1)) },
	{ "or damaged", { CONTEXT }, "mseo-10-after-11@4",
	  BYTES(PTS(5), BROKEN, DB(3), PTS(6), OWN(2), STOPB(0, 1)) },
	{ "scontext may be damaged", { CONTEXT }, "mseo-10-after-11@6",
	  BYTES(PTS(5), OWN(3), BROKEN, DB(3), PTS(6), OWN(3), OWN(2), STOPB(0, 1)) },
	/* NT 8.4.2: I-CNT and HIST of several messages */
	{ "16 + 1 half-words, 7 + 7 + 3 branches", { 0 }, "",
	  BYTES(PTS(5), FULL(0, 8), FULL(0, 8), FULL(1, 128), FULL(1, 129), STOPH(0, 1, 8)) },
	{ "16 half-words, 7 + 7 + 3 branches", { 0 }, "hist-over-icnt@16",
	  BYTES(PTS(5), FULL(0, 8), FULL(0, 8), FULL(1, 128), FULL(1, 129), STOPH(0, 0, 8)) },
	{ "half-words before a loss do not count after it", { 0 },
	  "error-not-before-sync@9 hist-over-icnt@9",
	  BYTES(PTS(5), FULL(0, 8), LOST, STOPH(0, 1, 4)) },
	{ "half-words count once", { 0 }, "hist-over-icnt@11",
	  BYTES(PTS(5), FULL(0, 8), IBH(0, 1, 1, 1), STOPH(0, 1, 4)) },
	/* NT 8.5: 2 * 16 half-words, then two branches */
	{ "the interval begins again where it was exceeded", { .sync_mode = HS_NT_SYNC_HALFWORDS },
	  "sync-interval-exceeded@8",
	  BYTES(PTS(5), DB(32), DB(3), DB(3), DB(31), DB(3), DB(1), STOPB(0, 1)) },
	{ "only branches can carry a synchronisation", { .sync_mode = HS_NT_SYNC_HALFWORDS }, "",
	  BYTES(PTS(5), DB(32), FULL(0, 8), FULL(0, 8), DB(1), STOPB(0, 1)) },
	{ "each synchronisation begins an interval", { .sync_mode = HS_NT_SYNC_HALFWORDS }, "",
	  BYTES(PTS(5), DB(32), DB(1), PTS(2), DB(32), DB(1), PTS(2), STOPB(0, 1)) },
	{ "32 messages, and two branches", { .sync_mode = HS_NT_SYNC_MESSAGES },
	  "sync-interval-exceeded@70",
	  BYTES(PTS(5), DB10, DB10, DB10, DB(1), DB(1), DB(1), DB(1), STOPB(0, 1)) },
	{ "no interval while the trace is off", { .sync_mode = HS_NT_SYNC_HALFWORDS },
	  "flow-while-off@11", BYTES(PTS(5), DB(32), DB(1), STOPB(4, 1), DB(1)) },
	/* NT 6.2, Table 10 */
	{ "zeros above 64 bits are no value", { TIMED }, "tstamp-zero-padded@5 tstamp-absent@21",
	  BYTES(PTST(5, 1), M(3), V(3), M(1), TEN, M(0), M(0), E(0), STOPB(0, 1)) },
	{ "bit 66", { TIMED }, "tstamp-over-64-bits@5 tstamp-absent@19",
	  BYTES(PTST(5, 1), M(3), V(3), TEN, M(0), E(1), STOPB(0, 1)) },
	{ "zeros after a bit above 64", { TIMED }, "tstamp-over-64-bits@5 tstamp-absent@19",
	  BYTES(PTST(5, 1), M(3), V(3), TEN, M(16), E(0), STOPB(0, 1)) },
	{ "two fields above 64 bits", { 0 }, "icnt-over-22-bits@4 address-over-63-bits@4",
	  BYTES(PTS(5), M(4), M(4), TEN, V(1), TEN, E(16), STOPB(0, 1)) },
	{ "F-ADDR of 64 bits", { 0 }, "address-over-63-bits@0",
	  BYTES(M(9), V(5), TEN, E(8), STOPB(0, 1)) },
	{ "F-ADDR of 63 bits", { 0 }, "", BYTES(M(9), V(5), TEN, E(4), STOPB(0, 1)) },
	{ "F-ADDR of 32 bits, XLEN 32", { RV32 }, "address-over-xlen@0",
	  BYTES(M(9), V(5), M(0), M(0), M(0), M(0), M(0), E(2), STOPB(0, 1)) },
	{ "F-ADDR of 31 bits, XLEN 32", { RV32 }, "",
	  BYTES(M(9), V(5), M(0), M(0), M(0), M(0), M(0), E(1), STOPB(0, 1)) },
	{ "I-CNT above 22 bits is not also above its counter", { .icnt_bits = 4 },
	  "icnt-over-22-bits@4", BYTES(PTS(5), M(3), M(0), M(0), M(0), E(16), STOPB(0, 1)) },
	{ "two fields with zeros", { 0 }, "field-zero-padded@4 address-zero-padded@4",
	  BYTES(PTS(5), M(4), M(12), V(0), M(1), E(0), STOPB(0, 1)) },
	{ "HIST of 33 bits is not also above its register", { .hist_bits = 4 },
	  "hist-over-32-bits@4",
	  BYTES(PTS(5), M(28), M(0), V(3), V(1), M(0), M(0), M(0), M(0), M(0), E(4),
	        STOPH(0, 1, 1)) },
	/* NT 6.1: fields by codes */
	{ "RCODE 0 has two fields", { TIMED }, "field-too-many@5",
	  BYTES(PTST(5, 1), M(27), M(0), V(2), V(1), E(1), M(33), M(0), V(1), E(1)) },
	{ "RCODE 2 has three fields", { TIMED, REPEATED }, "field-too-many@5",
	  BYTES(PTST(5, 1), M(27), M(2 | 1 << 4), V(1), V(2), V(1), E(1), M(33), M(16), V(9), V(1),
	        E(1)) },
	{ "CDF 1 has HIST and no more", { TIMED }, "field-too-many@5",
	  BYTES(PTST(5, 1), M(33), M(16), V(1), V(1), V(1), E(1)) },
	{ "what follows CDF 2 is not known", { 0 }, "cdf-reserved@4",
	  BYTES(PTS(5), M(33), M(0 | 2 << 4), V(1), E(1)) },
	{ "nor what follows RCODE 3", { 0 }, "rcode-reserved@4",
	  BYTES(PTS(5), M(27), M(3), V(2), E(1), STOPB(0, 1)) },
	/* NT 8.5, Tables 25 and 26 */
	{ "codes after which no trace begins", { 0 },
	  "restart-sync-reason@7 restart-sync-reason@14 restart-sync-reason@21 "
	  "sync-7-without-error@42",
	  BYTES(PTS(5), STOPB(4, 1), PTS(0), STOPB(4, 1), PTS(4), STOPB(4, 1), PTS(6), STOPB(4, 1),
	        PTS(1), STOPB(4, 1), PTS(9), STOPB(4, 1), PTS(7), STOPB(4, 1)) },
	{ "HIST while off", { 0 }, "correlation-off-icnt@8 hist-over-icnt@8",
	  BYTES(PTS(5), STOPH(4, 1, 1), STOPH(0, 0, 2), STOPH(1, 0, 1)) },
	/* design/nt-dialects: the first correlation, with a byte of I-CNT 0 and without, with TSTAMP and
	 * without, in BTM and in HTM */
	{ "correlation first, 3 bytes", { 0 }, "", BYTES(STOPB(4, 0), PTS(5), STOPB(0, 1)) },
	{ "correlation first, 2 bytes", { 0 }, "", BYTES(M(33), E(4), PTS(5), STOPB(0, 1)) },
	{ "correlation first, 3 bytes and TSTAMP", { TIMED }, "",
	  BYTES(M(33), M(4), V(0), E(9), PTST(5, 1), M(33), M(0), V(1), E(1)) },
	{ "correlation first, 2 bytes and TSTAMP", { TIMED }, "",
	  BYTES(M(33), V(4), E(9), PTST(5, 1), M(33), V(0), E(1)) },
	{ "correlation first, HIST empty", { 0 }, "",
	  BYTES(STOPH(4, 0, 1), PTS(5), STOPH(0, 1, 1)) },
	{ "correlation first, HIST empty and no I-CNT", { 0 }, "",
	  BYTES(M(33), V(4 | 16), E(1), PTS(5), STOPH(0, 1, 1)) },
	{ "correlation first, HIST empty, no I-CNT, TSTAMP", { TIMED }, "",
	  BYTES(M(33), V(4 | 16), V(1), E(9), PTST(5, 1), M(33), M(16), V(1), V(1), E(1)) },
	{ "correlation first, of a halted hart", { 0 }, "",
	  BYTES(M(33), E(0), PTS(3), STOPB(0, 1)) },
	{ "the first message is one", { 0 }, "first-message-not-sync@0",
	  BYTES(DB(3), DB(3), PTS(5), STOPB(0, 1)) },
	{ "each message while off", { 0 }, "flow-while-off@7 flow-while-off@9",
	  BYTES(PTS(5), STOPB(4, 1), DB(3), DB(3)) },
	{ "Error after Error", { 0 }, "error-not-before-sync@6",
	  BYTES(PTS(5), LOST, LOST, PTS(7), STOPB(0, 1)) },
	/* NT 5 */
	{ "ResourceFull of both kinds of history", { .inst_mode = HS_NT_BTM, REPEATED },
	  "htm-message-in-btm@4 htm-message-in-btm@7",
	  BYTES(PTS(5), FULL(1, 5), FULLX(2, 6, 2), STOPB(0, 9)) },
	{ "CDF 1 is of HTM", { 0 }, "btm-message-in-htm@12",
	  BYTES(PTS(5), STOPH(0, 1, 1), PTS(3), DB(3), STOPH(0, 1, 1)) },
	/* NT 9.3 */
	{ "a counter of 18 bits is full", { REPEATED }, "",
	  BYTES(PTS(5), M(27), M(2 | 1 << 4), V(1), M(63), M(63), E(63), FULL(1, 5), M(33), M(16),
	        M(0), M(0), M(0), V(2), E(1)) },
	{ "a reserved RCODE again is no history", { REPEATED },
	  "rcode-reserved@4 rcode-reserved@7",
	  BYTES(PTS(5), FULL(3, 8), FULL(3, 8), STOPB(0, 1)) },
	{ "no history before, and an empty one", { REPEATED }, "hist-full-but-empty@4",
	  BYTES(PTS(5), M(27), E(1 | 1 << 4), STOPH(0, 1, 1)) },
	{ "I-CNT full again is no history", { REPEATED }, "",
	  BYTES(PTS(5), FULL(0, 8), FULL(0, 8), STOPB(0, 1)) },
	{ "the counter is not full", { REPEATED, .hrepeat_bits = 2 }, "hist-repeat-not-counted@8",
	  BYTES(PTS(5), FULLX(2, 5, 2), FULL(1, 5), STOPH(0, 9, 1)) },
	{ "the counter is full", { REPEATED, .hrepeat_bits = 2 }, "",
	  BYTES(PTS(5), FULLX(2, 5, 3), FULL(1, 5), STOPH(0, 9, 1)) },
	{ "a counter of one", { REPEATED, .hrepeat_bits = 1 }, "",
	  BYTES(PTS(5), FULL(1, 5), FULL(1, 5), STOPH(0, 9, 1)) },
	/* NT 7.11 */
	{ "RepeatBranch after IndirectBranchSync", { V1 }, "repeat-after-sync@8",
	  BYTES(PTS(5), M(12), M(2), V(3), E(2), RB(1), STOPB(0, 1)) },
	{ "RepeatBranch after IndirectBranchHistSync", { V1 },
	  "repeat-branch-in-htm@9 repeat-after-sync@9",
	  BYTES(PTS(5), M(29), M(2), V(3), V(2), E(1), RB(1), STOPH(0, 1, 1)) },
	{ "RepeatBranch after ProgTraceSync", { 0 }, "repeat-without-branch@10",
	  BYTES(PTS(5), DB(3), PTS(2), RB(1), STOPB(0, 1)) },
	/* NT 8.2: the last byte of 6 is the sign of the one before */
	{ "U-ADDR that a byte less would give", { EXTENDED }, "address-not-compressed@4",
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(32), E(63), STOPB(0, 1)) },
	{ "not with bit 32", { EXTENDED }, "",
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(32), E(63 - 4), STOPB(0, 1)) },
	{ "not with bit 33", { EXTENDED }, "",
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(32), E(63 - 8), STOPB(0, 1)) },
	{ "bit 30 is the last one where XLEN is 32", { EXTENDED, RV32 },
	  "address-not-compressed@4",
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(32), E(1), STOPB(0, 1)) },
	{ "and is not where XLEN is 64", { EXTENDED }, "",
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(32), E(1), STOPB(0, 1)) },
	{ "bit 62 is the last one there", { EXTENDED }, "address-not-compressed@4",
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(0), M(0), M(0), M(0), M(0), M(32),
	        E(7), STOPB(0, 1)) },
	{ "a byte above bit 62", { EXTENDED }, "address-not-compressed@4",
	  BYTES(PTS(5), M(4), V(12), TEN, M(1), E(0), STOPB(0, 1)) },
	{ "43 bytes where one is enough", { EXTENDED },
	  "message-over-38-bytes@4 address-not-compressed@4",
	  BYTES(PTS(5), M(4), V(12), M(1), TEN, TEN, TEN, TEN, M(0), M(0), E(0), STOPB(0, 1)) },
	/* NT 7.8 */
	{ "I-CNT above its counter", { .icnt_bits = 4 }, "icnt-over-counter@4",
	  BYTES(PTS(5), FULL(0, 16), STOPB(0, 1)) },
	{ "RDATA above 22 bits is not also above its counter", { .icnt_bits = 4 },
	  "icnt-over-22-bits@4", BYTES(PTS(5), M(27), M(0), M(0), M(0), M(0), E(4), STOPB(0, 1)) },
	{ "RDATA of a reserved RCODE is no history", { 0 }, "rcode-reserved@4",
	  BYTES(PTS(5), M(27), E(3 | 1 << 4), STOPB(0, 1)) },
	{ "a history of 33 bits is not also above its register", { .hist_bits = 4 },
	  "hist-over-32-bits@4",
	  BYTES(PTS(5), M(27), M(1), M(0), M(0), M(0), M(0), M(0), E(1), STOPH(0, 40, 1)) },
	{ "a history above its register", { .hist_bits = 4 }, "hist-over-register@4",
	  BYTES(PTS(5), FULL(1, 32), STOPH(0, 9, 1)) },
	{ "a history that fills its register", { .hist_bits = 4 }, "",
	  BYTES(PTS(5), FULL(1, 31), STOPH(0, 9, 1)) },
};

#define LINT_LISTS (sizeof lint_lists / sizeof *lint_lists)

#endif
