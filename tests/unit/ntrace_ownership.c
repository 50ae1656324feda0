/* Ownership: what it reports, and when (NT 7.1, 8.5). */
#include "cases.h"

#include "unit/ntrace_run.h"

/* A block in a mode. */
#define IN(p, a, n, last, type) { { (a) }, { (n) }, (last), (type), (p), 0, 0, HS_KIND_BLOCK }

enum { U = HS_PRIV_U, S = HS_PRIV_S, M = HS_PRIV_M, NO = HS_PRIV_UNKNOWN };

/* PROCESS is CONTEXT, V, PRV, FORMAT from the top: FORMAT 2 in U, S, M with context 0. */
#define OWN_U 0x08, 0x0b
#define OWN_S 0x08, 0x1b
#define OWN_M 0x08, 0x3b
/* FORMAT 0 in U, S, M. */
#define PRIV_U 0x08, 0x03
#define PRIV_S 0x08, 0x13
#define PRIV_M 0x08, 0x33

static const struct option_row rows_of_ownership[] = {
	/* NT Table 12: FORMAT 2 is "Sync or scontext change", FORMAT 0 "V and/or PRV change" */
	{ "no context is known: FORMAT 2 follows a synchronisation", &calls, ENCODE,
	  { .context = 1 },
	  { S100, IN(M, 0x100, 2, 2, 9), STOP(0) },
	  10, { SYNC_100, OWN_M, 0x84, 0x40, 0x09, 0x07 } },
	/* NT 8.5: Ownership, if enabled, must come immediately after all synchronising messages;
	 * no encoding says that the mode is not known (design/nt-dialects) */
	{ "nothing is known: U-mode, context 0", &calls, ENCODE, { .context = 1 },
	  { S100, B(0x100, 2, 2, 9), STOP(0) },
	  10, { SYNC_100, OWN_U, 0x84, 0x40, 0x09, 0x07 } },
	{ "a context is known and the mode is not", &calls, ENCODE, { .context = 1 },
	  { S100, CONTEXT(0x1d, 2, NO), B(0x100, 2, 2, 9), STOP(0) },
	  11, { SYNC_100, 0x08, 0x88, 0x3b, 0x84, 0x40, 0x09, 0x07 } },
	{ "debug mode is no mode of Ownership", &calls, ENCODE, { .context = 1 },
	  { S100, IN(S, 0x100, 2, 2, 9), IN(HS_PRIV_D, 0x200, 4, 2, 13), STOP(0) },
	  10, { SYNC_100, OWN_S, 0x84, 0x40, 0x19, 0x07 } },
	/* NT 7.1: in the event of a trap that changes the mode */
	{ "a trap changes the mode: after its address", &calls, ENCODE, { .context = 1 },
	  { S100, IN(U, 0x100, 0, 0, 1), IN(M, 0x200, 4, 2, 13), STOP(0) },
	  16, { SYNC_100, OWN_U, 0x10, 0x09, 0x00, 0x1b, PRIV_M, 0x84, 0x40, 0x11, 0x07 } },
	{ "the mode changes where no address is sent", &calls, ENCODE, { .context = 1 },
	  { S100, IN(U, 0x100, 2, 2, 9), IN(S, 0x200, 4, 2, 13), STOP(0) },
	  12, { SYNC_100, OWN_U, PRIV_S, 0x84, 0x40, 0x19, 0x07 } },
	/* The synchronisation at the first block of the handler reports the handler's mode, once */
	{ "a trigger at the first block of a handler", &calls, ENCODE, { .context = 1 },
	  { S100, IN(U, 0x100, 0, 0, 2), SYNC(6, 0x200), IN(M, 0x200, 4, 2, 13), STOP(0) },
	  18, { SYNC_100, OWN_U, 0x74, 0xd8, 0x01, 0x00, 0x11, 0x07, OWN_M, 0x84, 0x40, 0x11,
	        0x07 } },
	{ "a trigger and a change of mode", &calls, ENCODE,
	  { .context = 1, .inst_mode = HS_NT_BTM },
	  { S100, IN(U, 0x100, 2, 2, 9), SYNC(6, 0x200), IN(S, 0x200, 4, 2, 13), STOP(0) },
	  15, { SYNC_100, OWN_U, 0x24, 0x99, 0x00, 0x13, OWN_S, 0x84, 0x00, 0x13 } },
	{ "a restart in another mode", &calls, ENCODE, { .context = 1 },
	  { S100, IN(U, 0x100, 2, 2, 9), STOP(4), SYNC(5, 0x200), IN(S, 0x200, 4, 2, 13),
	    STOP(0) },
	  20, { SYNC_100, OWN_U, 0x84, 0x50, 0x09, 0x07, 0x24, 0x15, 0x00, 0x13, OWN_S, 0x84, 0x40,
	        0x11, 0x07 } },
	/* NT 7.1: "the protocol requires two consecutive messages" */
	{ "hcontext changes: scontext follows it", &calls, ENCODE, { .context = 1 },
	  { S100, IN(U, 0x100, 2, 2, 9), CONTEXT(1, 3, NO), B(0x200, 4, 2, 13), STOP(0) },
	  14, { SYNC_100, OWN_U, 0x08, 0x8f, 0x08, 0x0b, 0x84, 0x40, 0x19, 0x07 } },
	{ "hcontext and scontext change: two messages", &calls, ENCODE, { .context = 1 },
	  { S100, IN(U, 0x100, 2, 2, 9), CONTEXT(1, 3, NO), CONTEXT(2, 2, NO),
	    B(0x200, 4, 2, 13), STOP(0) },
	  15, { SYNC_100, OWN_U, 0x08, 0x8f, 0x08, 0x08, 0x07, 0x84, 0x40, 0x19, 0x07 } },
	{ "the last context is reported", &calls, ENCODE, { .context = 1 },
	  { S100, IN(U, 0x100, 2, 2, 9), CONTEXT(2, 2, NO), STOP(0) },
	  13, { SYNC_100, OWN_U, 0x08, 0x08, 0x07, 0x84, 0x40, 0x09, 0x07 } },
	/* NT 7.4, 8.5 */
	{ "messages lost: ECODE has Ownership, and the mode is the new one", &calls, ENCODE,
	  { .context = 1 },
	  { S100, IN(U, 0x100, 2, 2, 9), CONTEXT(2, 2, NO), LOST, IN(S, 0x104, 4, 2, 9), STOP(0) },
	  23, { SYNC_100, OWN_U, 0x08, 0x08, 0x07, 0x20, 0x00, 0x0f, 0x24, 0x1d, 0x08, 0x0b, 0x08,
	        0x18, 0x07, 0x84, 0x40, 0x11, 0x07 } },
};

/* NT 7.4: a change of context whose Ownership is lost with the rest follows SYNC 7. */
TEST(context_change_is_lost)
{
	static const struct hs_block items[] = { IN(U, 0x100, 2, 2, 9), CONTEXT(0x1d, 2, NO),
		                                 IN(S, 0x200, 4, 2, 13) };
	static const uint8_t want[] = { 0x20, 0x00, 0x0f, 0x24, 0x1d, 0x08, 0x0b,
		                        0x08, 0x98, 0x3b };
	const struct hs_block after = B(0x104, 4, 2, 9);
	const struct hs_nt_config c = { .size = sizeof c, .context = 1 };
	uint8_t bytes[HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder e;
	size_t len;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode_port(&e, &items[0], bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(hs_nt_encode_port(&e, &items[1], bytes, 0, &len), HS_OK);
	assert_int_equal(hs_nt_encode_port(&e, &items[2], bytes, 1, &len), HS_E_LOST);
	assert_int_equal(hs_nt_encode_port(&e, &after, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(len, sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

OPTION_ROWS(rows_of_ownership)
