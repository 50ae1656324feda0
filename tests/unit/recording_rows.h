/* Recordings by rows: words, and the blocks that they are. */
#ifndef HS_TESTS_RECORDING_ROWS_H
#define HS_TESTS_RECORDING_ROWS_H

#include "cases.h"

#include <hartscope/recording.h>

#include "recording/recording.h"
#include "recording_files.h"

/* The program of all rows, as GNU as assembles it (rv64imac):
 *   run 0  1000  0001      c.nop           run 4  1020  0000 0073  ecall
 *          1002  c509      c.beqz a0,100c  run 5  1024  0001       c.nop
 *   run 1  1004  0001      c.nop                  1026  9002       c.ebreak
 *          1006  8082      ret             run 6  1030  0297 0000  auipc t1,0
 *   run 2  100c  0001      c.nop                  1034  8302       jr t1
 *          100e  4118      c.lw a4,0(a0)   run 7  2000  8082       ret (a signal handler)
 *   run 3  1010  0001      c.nop           run 8  1012  a001       c.j 1012
 *   run 10 100e  4118      c.lw a4,0(a0)   run 9  1014  9002       c.ebreak
 *   run 11 1030  0297 0000  auipc t1,0     run 12 1034  8302       jr t1
 *   run 13 1032  0001      c.nop
 * Runs 2, 3 and 11 end at a limit of QEMU's: no jump. */
static const struct {
	uint64_t at;
	uint32_t bytes;
	uint8_t code[8];
} program[] = {
	{ 0x1000, 4, { 0x01, 0x00, 0x09, 0xc5 } },
	{ 0x1004, 4, { 0x01, 0x00, 0x82, 0x80 } },
	{ 0x100c, 4, { 0x01, 0x00, 0x18, 0x41 } },
	{ 0x1010, 2, { 0x01, 0x00 } },
	{ 0x1020, 4, { 0x73, 0x00, 0x00, 0x00 } },
	{ 0x1024, 4, { 0x01, 0x00, 0x02, 0x90 } },
	{ 0x1030, 6, { 0x17, 0x03, 0x00, 0x00, 0x02, 0x83 } },
	{ 0x2000, 2, { 0x82, 0x80 } },
	{ 0x1012, 2, { 0x01, 0xa0 } },
	{ 0x1014, 2, { 0x02, 0x90 } },
	{ 0x100e, 2, { 0x18, 0x41 } },
	{ 0x1030, 4, { 0x17, 0x03, 0x00, 0x00 } },
	{ 0x1034, 2, { 0x02, 0x83 } },
	{ 0x1032, 2, { 0x01, 0x00 } },
};

#define EVENT(kind_, value_, arg_) \
	HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0), (value_), 0, (arg_), (uint32_t)(kind_) << 24
#define SIGNAL_14 EVENT(HS_KIND_NOTE, 14, HS_NOTE_SIGNAL)
#define PARTIAL(n) HS_REC_WORD(HS_REC_ESCAPE_PARTIAL, n)
#define CUT(n) HS_REC_WORD(HS_REC_ESCAPE_CUT, n)
#define TRAP(itype_, epc_, value_, cause_, hwords_) \
	HS_REC_WORD(HS_REC_ESCAPE_TRAP, (itype_) | HS_PRIV_S << 4), (epc_), 0, (value_), 0, \
		(cause_), (hwords_)
#define ALL HS_REC_TRAP_ALL
#define STAND(n, pc) HS_REC_WORD(6, n), (pc), 0
#define MOVED(n) HS_REC_WORD(7, 0), (n)
#define STOP HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0), 0, 0, 0, HS_KIND_STOP << 24 | 4 << 8
/* Of type, size, known and address words; hs_rec_access_pack() is not used here. */
#define ACCESS(type_, size_, known_, wide_) \
	(0xf0050000u | (type_) | (size_) << 4 | (known_) << 6 | (wide_) << 10)
#define DATA(t, s, k, a) \
	{ .value = (a), .itype = (t), .ilast = (s), .arg = (k) << 16, .kind = HS_KIND_DATA }
#define VALUE(v, o) { .value = (v), .itype = (o), .kind = HS_KIND_VALUE }
#define T(v, c) { .value = (v), .arg = (c), .kind = HS_KIND_TRAP }
#define B(a, n, l, t) { .iaddr = (a), .iretire = (n), .ilast = (l), .itype = (t) }
#define NOTE(v, n) { .value = (v), .arg = (n), .kind = HS_KIND_NOTE }
#define DONE { .kind = 0xff }

struct row {
	const char *name;
	uint32_t words[24];
	uint32_t count;
	enum hs_status end;
	struct hs_block blocks[8];
	struct hs_rec_log_resume resume; /* to != 0: the first signal came there */
};

/* Records of pages that are elsewhere, too. */
static inline void log_moves(struct test_log *log)
{
	static const struct hs_rec_log_moved moves[] = { { 0x1000, 0x5000 }, { 0x1000, 0x1000 },
		                                         { 0x2000, 0x1000 }, { 0x1000, 0x6000 } };

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		test_log_add(log, HS_REC_LOG_MOVED, &moves[i], sizeof(moves[i]), NULL, 0);
}

static inline void same_block(const struct row *r, const struct hs_block *got,
                              const struct hs_block *want)
{
	if (want->kind == 0xff)
		fail_msg("%s: one block too many", r->name);
	if (got->iaddr != want->iaddr || got->iretire != want->iretire ||
	    got->ilast != want->ilast ||
	    got->itype != want->itype || got->kind != want->kind)
		fail_msg("%s: got %llx %u %u %u kind %u", r->name, (unsigned long long)got->iaddr,
		         got->iretire, got->ilast, got->itype, got->kind);
}

/* Read with room for @cap blocks: how much room there is never changes the blocks.  @rec is
 * closed. */
static inline void read_row(struct hs_rec *rec, const struct row *r, size_t cap)
{
	const struct hs_block *want = r->blocks;
	struct hs_rec_stream *s;
	struct hs_block got[8];
	struct hs_error error;
	enum hs_status status;
	size_t n;

	assert_int_equal(hs_rec_get_info(rec)->harts, 1);
	assert_int_equal(hs_rec_stream_open(rec, 0, &s, &error), HS_OK);
	do {
		status = hs_rec_stream_next(s, got, cap, &n, &error);
		for (size_t i = 0; i < n; i++)
			same_block(r, &got[i], want++);
	} while (status == HS_OK);
	if (want->kind != 0xff || status != r->end)
		fail_msg("%s: %td blocks, then %s", r->name, want - r->blocks,
		         hs_status_name(status));
	assert_int_equal(hs_rec_stream_next(s, got, cap, &n, &error), r->end);
	assert_int_equal(n, 0);
	hs_rec_stream_close(s);
	hs_rec_close(rec);
}

#endif
