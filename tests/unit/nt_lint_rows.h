/* Lint rows: a stream with exactly one thing wrong, where, and the same stream repaired.
 *
 * Bytes are worked out by hand from the clauses: MDO in bits 7:2, MSEO in bits 1:0 (NT 3.1).
 */
#ifndef TESTS_NT_LINT_ROWS_H
#define TESTS_NT_LINT_ROWS_H


/* A byte inside a field, at the end of one, at the end of a message. */
#define M(v) (uint8_t)((v) << 2)
#define V(v) (uint8_t)((v) << 2 | 1)
#define E(v) (uint8_t)((v) << 2 | 3)

/* Messages; values fit the bytes that are here. */
#define PTS(sync) M(9), V(sync), M(0), E(2)                     /* I-CNT 0, F-ADDR 0x80 */
#define PTST(sync, t) M(9), V(sync), M(0), V(2), E(t)           /* with TSTAMP */
#define DB(icnt) M(3), E(icnt)
#define IB(btype, icnt, uaddr) M(4), V((btype) | (icnt) << 2), E(uaddr)
#define IBH(btype, icnt, uaddr, hist) M(28), V((btype) | (icnt) << 2), V(uaddr), E(hist)
#define STOPB(evcode, icnt) M(33), M(evcode), E(icnt)           /* CDF 0 */
#define STOPH(evcode, icnt, hist) M(33), M((evcode) | 16), V(icnt), E(hist) /* CDF 1 */
#define OWN(process) M(2), E(process)
#define FULL(rcode, rdata) M(27), M((rcode) | ((rdata) & 3) << 4), \
	E((rdata) >> 2) /* RDATA 4..255 */
#define FULLX(rcode, rdata, n) M(27), M((rcode) | ((rdata) & 3) << 4), V((rdata) >> 2), E(n)
#define RB(bcnt) M(30), E(bcnt)
#define LOST M(8), E(0)

struct lint_bytes {
	size_t n;
	const uint8_t *p;
};
#define BYTES(...) { sizeof((const uint8_t[]){ __VA_ARGS__ }), (const uint8_t[]){ __VA_ARGS__ } }

struct lint_row {
	const char *kind;
	struct hs_nt_config config; /* size is filled in */
	uint64_t offset;
	struct lint_bytes bad, good;
};

#define V1 .dialect = HS_NT_DIALECT_V1_0
#define REPEATED .repeated_history = 1
#define CONTEXT .context = 1
#define TIMED .timestamps = 1
#define BASE PTS(5), DB(3), STOPB(0, 1)
#define TEN M(0), M(0), M(0), M(0), M(0), M(0), M(0), M(0), M(0), M(0)

static const struct lint_row lint_rows[] = {
	/* NT 3, 3.1 */
	{ "mseo-10-after-00", { 0 }, 7, BYTES(PTS(5), DB(3), M(33), 0x02, E(1)), BYTES(BASE) },
	{ "mseo-10-after-01", { 0 }, 2, BYTES(M(9), V(5), 0x02, E(2), PTS(5), DB(3), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "mseo-10-after-11", { 0 }, 4, BYTES(PTS(5), 0x0e, E(0), PTS(2), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "mseo-10-at-start", { 0 }, 0, BYTES(0x02, E(0), BASE), BYTES(BASE) },
	{ "mseo-01-after-11", { 0 }, 4, BYTES(PTS(5), V(3), E(3), PTS(2), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "mseo-01-at-start", { 0 }, 0, BYTES(V(3), M(1), E(1), BASE), BYTES(BASE) },
	{ "mseo-11-at-start", { 0 }, 0, BYTES(E(3), BASE), BYTES(0xff, BASE) },
	{ "idle-not-all-ones", { 0 }, 5, BYTES(PTS(5), 0xff, E(3), PTS(2), STOPB(0, 1)),
	  BYTES(PTS(5), 0xff, 0xff, PTS(2), STOPB(0, 1)) },
	{ "message-over-38-bytes", { 0 }, 0,
	  BYTES(M(56), TEN, TEN, TEN, M(0), M(0), M(0), M(0), M(0), M(0), M(0), E(0), BASE),
	  BYTES(M(56), TEN, TEN, TEN, M(0), M(0), M(0), M(0), M(0), M(0), E(0), BASE) },
	{ "message-without-end", { 0 }, 4,
	  BYTES(PTS(5), M(3), TEN, TEN, TEN, TEN, TEN, TEN, TEN, E(0), PTS(5), DB(3), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "stream-ends-in-message", { 0 }, 9, BYTES(BASE, M(3)), BYTES(BASE) },
	/* NT 6.1, 8 */
	{ "tcode-reserved", { 0 }, 4, BYTES(PTS(5), M(5), E(1), DB(3), STOPB(0, 1)), BYTES(BASE) },
	{ "tcode-reserved", { 0 }, 4, BYTES(PTS(5), M(63), E(1), DB(3), STOPB(0, 1)), BYTES(BASE) },
	{ "tcode-vendor", { 0 }, 4, BYTES(PTS(5), M(56), E(1), DB(3), STOPB(0, 1)), BYTES(BASE) },
	{ "tcode-vendor", { 0 }, 4, BYTES(PTS(5), M(62), E(1), DB(3), STOPB(0, 1)), BYTES(BASE) },
	{ "fixed-field-cut", { .src_bits = 12 }, 0,
	  BYTES(M(9), E(0), M(9), M(0), M(0), V(5), M(0), E(2), M(33), M(0), M(0), M(0), E(1)),
	  BYTES(M(9), M(0), M(0), V(5), M(0), E(2), M(33), M(0), M(0), M(0), E(1)) },
	{ "mseo-01-in-fixed-field", { .src_bits = 6 }, 0,
	  BYTES(M(9), V(0), V(5), M(0), E(2), M(33), M(0), M(0), E(1)),
	  BYTES(M(9), M(0), V(5), M(0), E(2), M(33), M(0), M(0), E(1)) },
	{ "field-missing", { 0 }, 4, BYTES(PTS(5), M(28), V(12), E(1), PTS(2), STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 3, 1, 1), STOPH(0, 1, 1)) },
	{ "address-missing", { 0 }, 0, BYTES(M(9), E(5), DB(3), STOPB(0, 1)),
	  BYTES(M(9), V(5), E(0), DB(3), STOPB(0, 1)) },
	{ "field-too-many", { TIMED }, 5, BYTES(PTST(5, 1), M(3), V(3), V(1), E(1), M(33), M(0),
	                                        V(1), E(1)),
	  BYTES(PTST(5, 1), M(3), V(3), E(1), M(33), M(0), V(1), E(1)) },
	{ "address-zero-padded", { 0 }, 4, BYTES(PTS(5), M(4), V(12), M(1), E(0), STOPB(0, 1)),
	  BYTES(PTS(5), IB(0, 3, 1), STOPB(0, 1)) },
	{ "address-not-compressed", { .extend_addr = 1 }, 4,
	  BYTES(PTS(5), M(4), V(12), M(1), E(0), STOPB(0, 1)),
	  BYTES(PTS(5), IB(0, 3, 1), STOPB(0, 1)) },
	{ "tstamp-zero-padded", { TIMED }, 5,
	  BYTES(PTST(5, 1), M(3), V(3), M(1), E(0), M(33), M(0), V(1), E(1)),
	  BYTES(PTST(5, 1), M(3), V(3), E(1), M(33), M(0), V(1), E(1)) },
	{ "hist-zero-padded", { 0 }, 4, BYTES(PTS(5), M(28), V(12), V(1), M(2), E(0),
	                                      STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 3, 1, 2), STOPH(0, 1, 1)) },
	{ "field-zero-padded", { 0 }, 4, BYTES(PTS(5), M(3), M(3), E(0), STOPB(0, 1)),
	  BYTES(BASE) },
	/* NT 6.2, Table 10 */
	{ "icnt-over-22-bits", { 0 }, 4, BYTES(PTS(5), M(27), M(0), M(0), M(0), M(0), E(4),
	                                       STOPB(0, 1)),
	  BYTES(PTS(5), M(27), M(0), M(0), M(0), M(0), E(2), STOPB(0, 1)) },
	{ "icnt-over-22-bits", { 0 }, 4, BYTES(PTS(5), M(3), M(0), M(0), M(0), E(16), STOPB(0, 1)),
	  BYTES(PTS(5), M(3), M(0), M(0), M(0), E(8), STOPB(0, 1)) },
	{ "icnt-over-counter", { .icnt_bits = 4 }, 4, BYTES(PTS(5), DB(16), STOPB(0, 1)),
	  BYTES(PTS(5), DB(15), STOPB(0, 1)) },
	{ "hist-over-32-bits", { 0 }, 4,
	  BYTES(PTS(5), M(28), M(0), V(3), V(1), M(0), M(0), M(0), M(0), M(0), E(4),
	        STOPH(0, 1, 1)),
	  BYTES(PTS(5), M(28), M(0), V(3), V(1), M(0), M(0), M(0), M(0), M(0), E(2),
	        STOPH(0, 1, 1)) },
	{ "hist-over-register", { .hist_bits = 4 }, 4,
	  BYTES(PTS(5), IBH(0, 8, 1, 32), STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 8, 1, 16), STOPH(0, 1, 1)) },
	{ "address-over-63-bits", { 0 }, 4, BYTES(PTS(5), M(4), V(12), TEN, E(8), STOPB(0, 1)),
	  BYTES(PTS(5), M(4), V(12), TEN, E(4), STOPB(0, 1)) },
	{ "address-over-xlen", { .xlen = 32 }, 4,
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(0), E(2), STOPB(0, 1)),
	  BYTES(PTS(5), M(4), V(12), M(0), M(0), M(0), M(0), M(0), E(1), STOPB(0, 1)) },
	/* design/nt-vendor: bit 9 is 1 and bit 8 is not; all are 1 from bit 7 on */
	{ "address-beyond-its-bits", { .address_bits = 8 }, 4,
	  BYTES(PTS(5), M(4), V(12), M(0), E(8), STOPB(0, 1)),
	  BYTES(PTS(5), M(4), V(12), M(0), E(62), STOPB(0, 1)) },
	{ "address-zero-padded", { .extend_addr = 1, .address_bits = 47 }, 4,
	  BYTES(PTS(5), M(4), V(12), M(1), E(0), STOPB(0, 1)),
	  BYTES(PTS(5), IB(0, 3, 1), STOPB(0, 1)) },
	{ "tstamp-over-64-bits", { TIMED }, 0, BYTES(M(9), V(5), M(0), V(2), TEN, E(16)),
	  BYTES(M(9), V(5), M(0), V(2), TEN, E(8)) },
	{ "hrepeat-over-18-bits", { V1, REPEATED }, 4,
	  BYTES(PTS(5), M(27), M(2 | 1 << 4), V(1), M(0), M(0), M(0), E(1), M(33), M(16), M(0),
	        M(0), M(0), V(4), E(1)),
	  BYTES(PTS(5), M(27), M(2 | 1 << 4), V(1), M(0), M(0), E(1), M(33), M(16), M(0), M(0),
	        M(0), V(4), E(1)) },
	{ "bcnt-over-18-bits", { V1 }, 6, BYTES(PTS(5), DB(3), M(30), M(0), M(0), M(0), E(1),
	                                        STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), M(30), M(0), M(0), E(1), STOPB(0, 1)) },
	{ "ecode-over-8-bits", { 0 }, 0, BYTES(M(8), M(0), M(0), E(1), PTS(7), STOPB(0, 1)),
	  BYTES(M(8), M(0), E(1), PTS(7), STOPB(0, 1)) },
	{ "process-over-xlen", { CONTEXT, .xlen = 32 }, 4,
	  BYTES(PTS(5), M(2), M(2), M(0), M(0), M(0), M(0), M(0), E(2), STOPB(0, 1)),
	  BYTES(PTS(5), M(2), M(2), M(0), M(0), M(0), M(0), M(0), E(1), STOPB(0, 1)) },
	/* NT 7, 8.5: codes */
	{ "sync-reserved", { 0 }, 6, BYTES(PTS(5), DB(3), PTS(10), STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), PTS(6), STOPB(0, 1)) },
	{ "sync-vendor", { 0 }, 6, BYTES(PTS(5), DB(3), PTS(15), STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), PTS(6), STOPB(0, 1)) },
	{ "evcode-reserved", { 0 }, 4, BYTES(PTS(5), STOPB(2, 1)), BYTES(PTS(5), STOPB(1, 1)) },
	{ "evcode-vendor", { 0 }, 4, BYTES(PTS(5), STOPB(9, 1)), BYTES(PTS(5), STOPB(1, 1)) },
	{ "cdf-reserved", { 0 }, 4, BYTES(PTS(5), M(33), M(0 | 2 << 4), E(1)),
	  BYTES(PTS(5), STOPB(0, 1)) },
	{ "cdf-1-in-btm", { 0 }, 6, BYTES(PTS(5), DB(3), STOPH(0, 1, 1)), BYTES(BASE) },
	{ "cdf-0-in-htm", { .inst_mode = HS_NT_HTM }, 4, BYTES(PTS(5), STOPB(0, 1)),
	  BYTES(PTS(5), STOPH(0, 1, 1)) },
	{ "etype-reserved", { 0 }, 0, BYTES(M(8), E(1), PTS(7), STOPB(0, 1)),
	  BYTES(LOST, PTS(7), STOPB(0, 1)) },
	{ "etype-vendor", { 0 }, 0, BYTES(M(8), E(8), PTS(7), STOPB(0, 1)),
	  BYTES(LOST, PTS(7), STOPB(0, 1)) },
	{ "ecode-reserved", { 0 }, 0, BYTES(M(8), E(1 << 4), PTS(7), STOPB(0, 1)),
	  BYTES(M(8), M(0), E(3), PTS(7), STOPB(0, 1)) },
	{ "rcode-reserved", { 0 }, 4, BYTES(PTS(5), FULL(3, 8), STOPB(0, 1)),
	  BYTES(PTS(5), FULL(0, 8), STOPB(0, 1)) },
	{ "rcode-vendor", { 0 }, 4, BYTES(PTS(5), FULL(8, 8), STOPB(0, 1)),
	  BYTES(PTS(5), FULL(0, 8), STOPB(0, 1)) },
	{ "rcode-2-not-enabled", { 0 }, 4, BYTES(PTS(5), FULLX(2, 5, 2), STOPH(0, 9, 1)),
	  BYTES(PTS(5), FULL(1, 5), STOPH(0, 9, 1)) },
	{ "hist-without-stop-bit", { 0 }, 4, BYTES(PTS(5), IBH(0, 3, 1, 0), STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 3, 1, 1), STOPH(0, 1, 1)) },
	{ "hist-full-but-empty", { 0 }, 4, BYTES(PTS(5), M(27), E(1 | 1 << 4), STOPH(0, 1, 1)),
	  BYTES(PTS(5), M(27), E(1 | 2 << 4), STOPH(0, 1, 1)) },
	{ "hrepeat-0", { REPEATED }, 4, BYTES(PTS(5), FULLX(2, 5, 0), STOPH(0, 9, 1)),
	  BYTES(PTS(5), FULLX(2, 5, 2), STOPH(0, 9, 1)) },
	{ "hrepeat-1", { REPEATED }, 4, BYTES(PTS(5), FULLX(2, 5, 1), STOPH(0, 9, 1)),
	  BYTES(PTS(5), FULLX(2, 5, 2), STOPH(0, 9, 1)) },
	{ "bcnt-0", { 0 }, 6, BYTES(PTS(5), DB(3), RB(0), STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), RB(1), STOPB(0, 1)) },
	{ "icnt-full-but-0", { 0 }, 4, BYTES(PTS(5), M(27), E(0), STOPB(0, 1)),
	  BYTES(PTS(5), FULL(0, 8), STOPB(0, 1)) },
	{ "icnt-top-bit-not-set", { .icnt_bits = 4 }, 4, BYTES(PTS(5), FULL(0, 7), STOPB(0, 1)),
	  BYTES(PTS(5), FULL(0, 8), STOPB(0, 1)) },
	{ "direct-branch-icnt-0", { 0 }, 4, BYTES(PTS(5), DB(0), STOPB(0, 1)), BYTES(BASE) },
	{ "jump-icnt-0", { 0 }, 4, BYTES(PTS(5), IB(0, 0, 1), STOPB(0, 1)),
	  BYTES(PTS(5), IB(2, 0, 1), STOPB(0, 1)) },
	{ "hist-over-icnt", { 0 }, 4, BYTES(PTS(5), IBH(0, 3, 1, 16), STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 4, 1, 16), STOPH(0, 1, 1)) },
	{ "hist-over-icnt", { REPEATED }, 8, BYTES(PTS(5), FULLX(2, 5, 5), STOPH(0, 9, 1)),
	  BYTES(PTS(5), FULLX(2, 5, 5), STOPH(0, 10, 1)) },
	/* what is missing may be among what was lost */
	{ "hist-over-icnt", { REPEATED }, 8, BYTES(PTS(5), FULLX(2, 5, 5), STOPH(0, 9, 1)),
	  BYTES(PTS(5), FULLX(2, 5, 5), M(8), M(0), E(1), PTS(7), STOPH(0, 9, 1)) },
	/* NT 5, 6.2, 9.3, 11.2 */
	{ "btm-message-in-htm", { .inst_mode = HS_NT_HTM }, 4, BYTES(PTS(5), DB(3), STOPH(0, 1, 1)),
	  BYTES(PTS(5), STOPH(0, 1, 1)) },
	{ "btm-message-in-htm", { 0 }, 8, BYTES(PTS(5), IBH(0, 3, 1, 1), DB(3), STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 3, 1, 1), STOPH(0, 1, 1)) },
	{ "htm-message-in-btm", { 0 }, 6, BYTES(PTS(5), DB(3), IBH(0, 3, 1, 1), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "indirect-branch-in-htm", { .inst_mode = HS_NT_HTM }, 4,
	  BYTES(PTS(5), IB(0, 3, 1), STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 3, 1, 1), STOPH(0, 1, 1)) },
	{ "repeat-branch-in-htm", { 0 }, 8, BYTES(PTS(5), IBH(0, 3, 0, 1), RB(1), STOPH(0, 1, 1)),
	  BYTES(PTS(5), IBH(0, 3, 0, 1), STOPH(0, 1, 1)) },
	{ "btype-mixed", { 0 }, 7, BYTES(PTS(5), IB(1, 3, 1), IB(2, 3, 1), STOPB(0, 1)),
	  BYTES(PTS(5), IB(3, 3, 1), IB(2, 3, 1), STOPB(0, 1)) },
	{ "sync-4-in-htm", { V1, .inst_mode = HS_NT_HTM }, 4, BYTES(PTS(5), PTS(4), STOPH(0, 1, 1)),
	  BYTES(PTS(5), PTS(6), STOPH(0, 1, 1)) },
	{ "src-unexpected", { .src_bits = 2, .src_id = 1 }, 5,
	  BYTES(M(9), M(1 | 5 << 2), V(0), M(0), E(2), M(62), E(2), M(33), M(1), M(0), E(1)),
	  BYTES(M(9), M(1 | 5 << 2), V(0), M(0), E(2), M(62), E(1), M(33), M(1), M(0), E(1)) },
	{ "src-over-memory", { .src_bits = 2 }, 10,
	  BYTES(M(9), M(1 | 5 << 2), V(0), M(0), E(2), M(9), M(2 | 5 << 2), V(0), M(0), E(2), M(9),
	        M(3 | 5 << 2), V(0), M(0), E(2)),
	  BYTES(M(9), M(1 | 5 << 2), V(0), M(0), E(2), M(9), M(2 | 5 << 2), V(0), M(0), E(2)) },
	/* NT 7, 8.5, 8.6, 10: order */
	{ "first-message-not-sync", { 0 }, 0, BYTES(DB(3), PTS(5), STOPB(0, 1)), BYTES(BASE) },
	{ "first-message-not-sync", { 0 }, 0, BYTES(STOPB(0, 1), PTS(3), STOPB(0, 1)),
	  BYTES(STOPB(0, 0), PTS(3), STOPB(0, 1)) },
	{ "first-message-not-sync", { 0 }, 0, BYTES(STOPB(1, 0), PTS(9), STOPB(0, 1)),
	  BYTES(STOPB(4, 0), PTS(5), STOPB(0, 1)) },
	{ "start-not-prog-trace-sync", { 0 }, 0, BYTES(M(11), V(5), M(0), E(2), DB(3), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "start-icnt-not-0", { 0 }, 0, BYTES(M(9), V(5 | 1 << 4), M(0), E(2), DB(3), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "restart-sync-reason", { 0 }, 9, BYTES(PTS(5), DB(3), STOPB(4, 1), PTS(2), STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), STOPB(4, 1), PTS(5), STOPB(0, 1)) },
	{ "sync-3-while-on", { 0 }, 4, BYTES(PTS(5), PTS(3), STOPB(0, 1)),
	  BYTES(PTS(5), STOPB(0, 0), PTS(3), STOPB(0, 1)) },
	{ "sync-3-not-after-evcode-0", { 0 }, 7, BYTES(PTS(5), STOPB(4, 1), PTS(3), STOPB(0, 1)),
	  BYTES(PTS(5), STOPB(0, 1), PTS(3), STOPB(0, 1)) },
	{ "sync-5-while-on", { 0 }, 4, BYTES(PTS(5), PTS(5), STOPB(0, 1)),
	  BYTES(PTS(5), STOPB(4, 0), PTS(5), STOPB(0, 1)) },
	{ "sync-5-after-evcode-0", { 0 }, 7, BYTES(PTS(5), STOPB(0, 1), PTS(5), STOPB(0, 1)),
	  BYTES(PTS(5), STOPB(4, 1), PTS(5), STOPB(0, 1)) },
	{ "sync-7-without-error", { 0 }, 4, BYTES(PTS(5), PTS(7), STOPB(0, 1)),
	  BYTES(PTS(5), LOST, PTS(7), STOPB(0, 1)) },
	{ "error-not-before-sync", { 0 }, 6, BYTES(PTS(5), LOST, DB(3), PTS(7), STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), LOST, PTS(7), STOPB(0, 1)) },
	{ "error-then-sync-not-7", { 0 }, 6, BYTES(PTS(5), LOST, PTS(2), STOPB(0, 1)),
	  BYTES(PTS(5), LOST, PTS(7), STOPB(0, 1)) },
	{ "correlation-twice", { 0 }, 7, BYTES(PTS(5), STOPB(4, 1), STOPB(4, 0)),
	  BYTES(PTS(5), STOPB(4, 1), STOPB(0, 0)) },
	/* halted, resumed with the trace disabled, halted: rc7 says EVCODE 4 in between */
	{ "correlation-twice", { 0 }, 7, BYTES(PTS(5), STOPB(0, 1), STOPB(0, 0)),
	  BYTES(PTS(5), STOPB(0, 1), STOPB(4, 0), STOPB(0, 0)) },
	{ "correlation-twice", { V1 }, 7, BYTES(PTS(5), STOPB(4, 1), STOPB(4, 0)),
	  BYTES(PTS(5), STOPB(0, 1), STOPB(0, 0), STOPB(0, 0), PTS(3), STOPB(0, 1)) },
	{ "correlation-twice", { V1 }, 7, BYTES(PTS(5), STOPB(4, 1), STOPB(4, 0)),
	  BYTES(PTS(5), STOPB(1, 1), STOPB(1, 0), PTS(9), STOPB(0, 1)) },
	{ "correlation-off-icnt", { V1 }, 7, BYTES(PTS(5), STOPB(0, 1), STOPB(0, 1)),
	  BYTES(PTS(5), STOPB(0, 1), STOPB(0, 0)) },
	{ "correlation-off-icnt", { 0 }, 7, BYTES(PTS(5), STOPB(4, 1), STOPB(0, 1)),
	  BYTES(PTS(5), STOPB(4, 1), STOPB(0, 0)) },
	{ "flow-while-off", { 0 }, 7, BYTES(PTS(5), STOPB(4, 1), DB(3)),
	  BYTES(PTS(5), DB(3), STOPB(4, 1)) },
	{ "ownership-while-off", { CONTEXT }, 9, BYTES(PTS(5), OWN(2), STOPB(4, 1), OWN(2)),
	  BYTES(PTS(5), OWN(2), OWN(2), STOPB(4, 1)) },
	{ "stream-ends-while-on", { 0 }, 4, BYTES(PTS(5), DB(3)), BYTES(BASE) },
	{ "repeat-without-branch", { 0 }, 4, BYTES(PTS(5), RB(1), STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), RB(1), STOPB(0, 1)) },
	{ "repeat-not-adjacent", { 0 }, 9, BYTES(PTS(5), DB(3), FULL(0, 8), RB(1), STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), RB(1), FULL(0, 8), STOPB(0, 1)) },
	{ "repeat-after-sync", { V1 }, 8, BYTES(PTS(5), M(11), V(2 | 3 << 4), M(0), E(2), RB(1),
	                                        STOPB(0, 1)),
	  BYTES(PTS(5), DB(3), RB(1), STOPB(0, 1)) },
	{ "repeat-address-differs", { 0 }, 7, BYTES(PTS(5), IB(0, 3, 1), RB(1), STOPB(0, 1)),
	  BYTES(PTS(5), IB(0, 3, 0), RB(1), STOPB(0, 1)) },
	{ "hist-repeat-not-counted", { REPEATED }, 7,
	  BYTES(PTS(5), FULL(1, 5), FULL(1, 5), STOPH(0, 9, 1)),
	  BYTES(PTS(5), FULLX(2, 5, 2), STOPH(0, 9, 1)) },
	{ "sync-interval-exceeded", { .sync_mode = HS_NT_SYNC_HALFWORDS }, 8,
	  BYTES(PTS(5), DB(32), DB(3), DB(3), STOPB(0, 1)),
	  BYTES(PTS(5), DB(31), DB(3), DB(3), STOPB(0, 1)) },
	{ "sync-interval-exceeded", { .sync_mode = HS_NT_SYNC_BYTES }, 38,
	  BYTES(PTS(5), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1),
	        DB(1),
	        DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), STOPB(0, 1)),
	  BYTES(PTS(5), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1), DB(1),
	        DB(1),
	        DB(1), DB(1), DB(1), DB(1), PTS(2), DB(1), STOPB(0, 1)) },
	/* NT 7.1 */
	{ "ownership-not-enabled", { 0 }, 4, BYTES(PTS(5), OWN(12), STOPB(0, 1)),
	  BYTES(PTS(5), STOPB(0, 1)) },
	{ "ownership-missing", { CONTEXT }, 4, BYTES(PTS(5), DB(3), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(2), DB(3), STOPB(0, 1)) },
	{ "ownership-format-at-sync", { CONTEXT }, 4, BYTES(PTS(5), OWN(0), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(2), STOPB(0, 1)) },
	{ "process-format-reserved", { CONTEXT }, 6, BYTES(PTS(5), OWN(2), OWN(1), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(2), OWN(0), STOPB(0, 1)) },
	{ "process-prv-reserved", { CONTEXT }, 4, BYTES(PTS(5), OWN(2 | 2 << 2), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(2 | 1 << 2), STOPB(0, 1)) },
	{ "process-v-in-m", { CONTEXT }, 4, BYTES(PTS(5), OWN(2 | 7 << 2), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(2 | 5 << 2), STOPB(0, 1)) },
	{ "process-context-unused", { CONTEXT }, 6, BYTES(PTS(5), OWN(2), OWN(32), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(2), OWN(34), STOPB(0, 1)) },
	{ "scontext-missing", { CONTEXT }, 6, BYTES(PTS(5), OWN(3), DB(3), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(3), OWN(2), DB(3), STOPB(0, 1)) },
	{ "scontext-missing", { V1, CONTEXT }, 12,
	  BYTES(PTS(5), OWN(3), OWN(2), DB(3), OWN(3), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(3), OWN(2), DB(3), OWN(3), OWN(2), STOPB(0, 1)) },
	{ "hcontext-missing", { CONTEXT }, 12,
	  BYTES(PTS(5), OWN(3), OWN(2), PTS(2), OWN(2), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(3), OWN(2), PTS(2), OWN(3), OWN(2), STOPB(0, 1)) },
	{ "hcontext-after-scontext", { CONTEXT }, 8,
	  BYTES(PTS(5), OWN(2), OWN(3), DB(3), STOPB(0, 1)),
	  BYTES(PTS(5), OWN(3), OWN(2), DB(3), STOPB(0, 1)) },
	/* NT 8.7 */
	{ "tstamp-not-enabled", { 0 }, 4, BYTES(PTS(5), M(3), V(3), E(1), STOPB(0, 1)),
	  BYTES(BASE) },
	{ "tstamp-missing-on-sync", { TIMED }, 0, BYTES(PTS(5), M(33), M(0), V(1), E(1)),
	  BYTES(PTST(5, 1), M(33), M(0), V(1), E(1)) },
	{ "tstamp-absent", { TIMED }, 5, BYTES(PTST(5, 1), STOPB(0, 1)),
	  BYTES(PTST(5, 1), M(33), M(0), V(1), E(1)) },
	{ "tstamp-goes-back", { TIMED }, 8, BYTES(PTST(5, 9), M(3), V(3), E(2), PTST(2, 10)),
	  BYTES(PTST(5, 9), M(3), V(3), E(2), PTST(2, 11)) },
	{ "tstamp-sum-over-64-bits", { TIMED }, 15,
	  BYTES(M(9), V(5), M(0), V(2), TEN, E(8), M(3), V(3), TEN, E(8)),
	  BYTES(M(9), V(5), M(0), V(2), TEN, E(8), M(3), V(3), TEN, E(4)) },
};

#define LINT_ROWS (sizeof lint_rows / sizeof *lint_rows)

#endif
