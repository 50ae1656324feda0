/* A device's encoder and its sink by themselves: what the one is given, and when the other is asked
 * (struct hs_tc_codec, struct hs_tc_sink).  A recorder stands for the encoder. */
#include "cases.h"

#include "unit/control_board.h"

/* ---- an encoder that writes down what it is given ---- */

static struct {
	struct flow given;
	unsigned starts, losses, data_losses;
	size_t bytes;   /* of each block */
	bool refuses;   /* to start */
	bool no_space;
} codec;

static bool codec_start(void *user, const struct hs_tc_regs *regs)
{
	(void)user;
	(void)regs;
	codec.starts++;
	return !codec.refuses;
}

static enum hs_status codec_encode(void *user, const struct hs_block *b, uint8_t *out, size_t cap,
                                   size_t *len)
{
	(void)user;
	*len = 0;
	if (codec.no_space)
		return HS_E_SPACE;
	codec.given.at[codec.given.n++] = *b;
	if (b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_STOP || b->kind == HS_KIND_VALUE) {
		assert_true(cap >= codec.bytes);
		memset(out, 0xa5, codec.bytes);
		*len = codec.bytes;
	}
	return HS_OK;
}

static void codec_lost(void *user)
{
	(void)user;
	codec.losses++;
}

static void codec_lost_data(void *user)
{
	(void)user;
	codec.data_losses++;
}

/* ---- a sink that takes bytes, or does not ---- */

static struct {
	bool full, waits;
	size_t n;
} outlet_state;

static bool sink_accepts(void *user)
{
	(void)user;
	return !outlet_state.full;
}

static bool sink_put(void *user, struct hs_span *in)
{
	(void)user;
	if (outlet_state.full)
		return in->n == 0;
	outlet_state.n += in->n;
	in->p += in->n;
	in->n = 0;
	return true;
}

static bool sink_waits(void *user)
{
	(void)user;
	return outlet_state.waits;
}

static const struct hs_tc_codec recorder = { codec_start, codec_encode, codec_lost,
	                                     codec_lost_data };
static const struct hs_tc_sink outlet = { sink_accepts, sink_put, sink_waits };

/* A device that traces, with both. */
static void set_up(uint32_t te)
{
	memset(&codec, 0, sizeof codec);
	memset(&outlet_state, 0, sizeof outlet_state);
	codec.bytes = 1;
	power_up("full", false);
	dev.codec = &recorder;
	dev.sink = &outlet;
	discover();
	enable(HTM | te, true);
}

static const struct hs_block block = BLOCK(0x1000, 3, 2, HS_ITYPE_TAKEN);
static const struct hs_block trap = { .arg = 11, .itype = 1, .kind = HS_KIND_TRAP };

static enum hs_status run_one(const struct hs_block *b)
{
	size_t used;

	return hs_tc_device_run(&dev, b, 1, &used);
}

/* The kinds that the encoder was given. */
static void assert_given(const uint8_t *kinds, size_t n)
{
	assert_int_equal(codec.given.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(codec.given.at[i].kind, kinds[i]);
}

/* ---- what is traced ---- */

/* Contexts always; other events while blocks are traced; a trap before the first block, too, when
 * it has a block of its own in the trace, its handler. */
TEST(which_events)
{
	static const struct hs_block context = { .arg = 2, .priv = 1, .kind = HS_KIND_CONTEXT },
				     note = { .kind = HS_KIND_NOTE },
				     no_trap = { .kind = HS_KIND_TRAP };
	static const uint8_t want[] = { HS_KIND_CONTEXT, HS_KIND_TRAP, HS_KIND_SYNC, HS_KIND_BLOCK,
		                        HS_KIND_NOTE, HS_KIND_TRAP, HS_KIND_TRAP };

	set_up(0);
	assert_int_equal(run_one(&context), HS_OK);
	assert_int_equal(run_one(&note), HS_OK);
	assert_int_equal(run_one(&no_trap), HS_OK);
	assert_int_equal(run_one(&trap), HS_OK);
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(run_one(&note), HS_OK);
	assert_int_equal(run_one(&no_trap), HS_OK);
	assert_int_equal(run_one(&trap), HS_OK);
	assert_given(want, sizeof want);
}

/* Nothing but contexts while trace is off. */
TEST(which_events_while_off)
{
	static const struct hs_block context = { .arg = 2, .priv = 1, .kind = HS_KIND_CONTEXT };
	static const uint8_t want[] = { HS_KIND_CONTEXT };

	set_up(0);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE);
	assert_int_equal(run_one(&trap), HS_OK);
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(run_one(&context), HS_OK);
	assert_given(want, sizeof want);
}

/* An encoder that cannot do what the registers say is given nothing. */
TEST(an_encoder_that_refuses)
{
	set_up(0);
	wr(TE, CONTROL, HTM | ACTIVE);
	codec.refuses = true;
	enable(HTM, true);
	assert_int_equal(codec.starts, 3); /* it asked once more when tracing was switched on */
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(codec.given.n, 0);
}

/* ---- losses (TCI 4.1, trTeInstStallOrOverflow) ---- */

/* What the encoder could not write is lost, and it is asked again at the next block. */
TEST(no_space)
{
	set_up(0);
	codec.no_space = true;
	assert_int_equal(run_one(&block), HS_OK);
	assert_true(codec.losses > 0);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), OVERFLOW | EMPTY);
}

/* One loss, however many blocks come before the sink takes something again. */
TEST(one_loss)
{
	set_up(0);
	assert_int_equal(run_one(&block), HS_OK);
	outlet_state.full = true;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(codec.losses, 1);
	assert_int_equal(codec.given.n, 3); /* a start, a block, and the one that was lost */
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), OVERFLOW | EMPTY);
	assert_int_equal(run_one(&trap), HS_OK); /* its block may be among those */
	assert_int_equal(codec.given.n, 3);
	outlet_state.full = false;
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(codec.given.n, 4);
	assert_int_equal(outlet_state.n, 2);
}

/* The end of a trace waits for a sink that will have room; the next trace begins after it. */
TEST(an_end_that_waits)
{
	set_up(0);
	assert_int_equal(run_one(&block), HS_OK);
	outlet_state.full = outlet_state.waits = true;
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE);
	assert_int_equal(codec.losses, 0);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), 0);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE | TRACING);
	assert_int_equal(run_one(&block), HS_OK); /* not traced */
	assert_int_equal(codec.given.n, 3);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), OVERFLOW);
	outlet_state.full = false;
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), OVERFLOW | EMPTY);
	assert_int_equal(outlet_state.n, 2);
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(codec.given.n, 5);
}

/* Where it will have none, the end is lost. */
TEST(an_end_that_does_not_wait)
{
	set_up(0);
	assert_int_equal(run_one(&block), HS_OK);
	outlet_state.full = true;
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE);
	assert_int_equal(codec.losses, 1);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), OVERFLOW | EMPTY);
}

/* trTeInstStallEna: what is held stays, and the hart waits. */
TEST(a_stalled_hart)
{
	set_up(STALL);
	assert_int_equal(run_one(&block), HS_OK);
	outlet_state.full = true;
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(run_one(&block), HS_FULL);
	assert_int_equal(codec.losses, 0);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), OVERFLOW);
	outlet_state.full = false;
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(outlet_state.n, 3);
}

/* ---- data trace (TCI 6, trTeDataControl) ---- */

enum { DATA_CONTROL = 0x10, DATA_TRACING = 2, DATA_OVERFLOW = 8, DATA_STALL = 0x10 };

/* An access, as two items (design/data-trace); the recorder makes its packet of the second. */
static const struct hs_block access[] = {
	{ .value = 0x9000, .arg = 3, .ilast = 2, .kind = HS_KIND_DATA },
	{ .value = 0x55, .kind = HS_KIND_VALUE },
};

static void set_up_data(uint32_t data, bool instructions)
{
	memset(&codec, 0, sizeof codec);
	memset(&outlet_state, 0, sizeof outlet_state);
	codec.bytes = 1;
	power_up("etrace-data", false);
	dev.codec = &recorder;
	dev.sink = &outlet;
	wr(FU, CONTROL, ACTIVE);
	wait_for(FU, ACTIVE, ACTIVE);
	wr(TE, CONTROL, ACTIVE);
	wait_for(TE, ACTIVE, ACTIVE);
	wr(TE, DATA_CONTROL, data | DATA_TRACING);
	assert_int_equal(rd(TE, DATA_CONTROL) & DATA_TRACING, 0); /* not enabled yet */
	enable(0, instructions);
	wr(TE, DATA_CONTROL, data | DATA_TRACING);
	assert_int_equal(rd(TE, DATA_CONTROL), data | DATA_TRACING | 1);
}

static enum hs_status run_access(void)
{
	size_t used;

	return hs_tc_device_run(&dev, access, 2, &used);
}

/* Accesses are traced while trTeDataTracing is 1, whether instructions are or not. */
TEST(data_by_itself)
{
	static const uint8_t want[] = { HS_KIND_DATA, HS_KIND_VALUE };

	set_up_data(0, false);
	assert_int_equal(run_access(), HS_OK);
	assert_int_equal(run_one(&block), HS_OK);
	wr(TE, DATA_CONTROL, 0);
	assert_int_equal(run_access(), HS_OK);
	assert_given(want, sizeof want);
	set_up_data(0, true);
	wr(TE, CONTROL, ACTIVE);
	assert_int_equal(rd(TE, DATA_CONTROL) & DATA_TRACING, 0); /* trTeEnable is 0 */
	codec.given.n = 0;
	assert_int_equal(run_access(), HS_OK);
	assert_int_equal(codec.given.n, 0);
}

/* "If TE cannot send data trace messages": that access is lost, instruction trace is not. */
TEST(data_that_is_lost)
{
	set_up_data(0, true);
	assert_int_equal(run_one(&block), HS_OK);
	outlet_state.full = true;
	assert_int_equal(run_access(), HS_OK);
	assert_int_equal(codec.data_losses, 1);
	assert_int_equal(codec.losses, 0);
	assert_int_equal(rd(TE, DATA_CONTROL) & DATA_OVERFLOW, DATA_OVERFLOW);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), EMPTY);
	outlet_state.full = false;
	assert_int_equal(run_access(), HS_OK);
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(outlet_state.n, 3);
	codec.no_space = true;
	assert_int_equal(run_access(), HS_OK);
	assert_int_equal(codec.data_losses, 3); /* each of its items */
	assert_int_equal(codec.losses, 0);
}

/* trTeDataStallEna: the hart waits for data trace, and trTeInstStallEna says nothing of it. */
TEST(data_that_stalls)
{
	set_up_data(DATA_STALL, true);
	assert_int_equal(run_one(&block), HS_OK);
	outlet_state.full = true;
	assert_int_equal(run_access(), HS_OK);
	assert_int_equal(run_one(&block), HS_FULL);
	assert_int_equal(rd(TE, DATA_CONTROL) & DATA_OVERFLOW, DATA_OVERFLOW);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), 0);
	wr(TE, DATA_CONTROL, DATA_OVERFLOW | DATA_TRACING);
	assert_int_equal(rd(TE, DATA_CONTROL) & DATA_OVERFLOW, 0);
	outlet_state.full = false;
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(outlet_state.n, 3);
	outlet_state.full = true;
	assert_int_equal(run_one(&block), HS_OK); /* of an instruction: lost */
	assert_int_equal(codec.losses, 1);
	assert_int_equal(codec.data_losses, 0);
}

/* TCI 7: the last word in the RAM sink is filled with idle bytes, of E-Trace 0, of N-Trace ff. */
TEST(the_last_word)
{
	static const struct { const char *profile; uint8_t idle; } row[] = {
		{ "full", 0xff }, { "etrace-data", 0 }, { "full", 0xff },
	};

	for (size_t i = 0; i < 3; i++) {
		memset(&codec, 0, sizeof codec);
		codec.bytes = 1;
		power_up(row[i].profile, false);
		dev.codec = &recorder;
		for (unsigned k = TE; k <= RAM; k++) {
			wr(k, CONTROL, ACTIVE);
			wait_for(k, ACTIVE, ACTIVE);
		}
		enable_ram(false, 0, 0xffc, 0);
		enable(HTM, true);
		assert_int_equal(run_one(&block), HS_OK);
		disable();
		assert_int_equal(sram[0], 0xa5);
		assert_int_equal(sram[2], row[i].idle);
		assert_int_equal(sram[3], row[i].idle);
	}
}

/* ---- debug mode and triggers ---- */

TEST(halted_and_resumed)
{
	static const uint8_t want[] = { HS_KIND_SYNC, HS_KIND_BLOCK, HS_KIND_STOP, HS_KIND_SYNC,
		                        HS_KIND_BLOCK };

	set_up(0);
	assert_int_equal(run_one(&block), HS_OK);
	hs_tc_device_resume(&dev); /* it runs */
	hs_tc_device_halt(&dev);
	hs_tc_device_halt(&dev);
	assert_int_equal(run_one(&block), HS_E_ARG);
	hs_tc_device_resume(&dev);
	assert_int_equal(run_one(&block), HS_OK);
	assert_given(want, sizeof want);
	assert_int_equal(codec.given.at[0].itype, 5); /* NT Table 25 */
	assert_int_equal(codec.given.at[2].itype, 0);
	assert_int_equal(codec.given.at[3].itype, 3);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE | TRACING);
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(codec.given.at[6].kind, HS_KIND_SYNC);
	assert_int_equal(codec.given.at[6].itype, 5); /* the exit is past */
}

/* A trigger switches at once: off and on again between two blocks is an end and a start. */
TEST(a_trigger_between_blocks)
{
	static const uint8_t want[] = { HS_KIND_SYNC, HS_KIND_BLOCK, HS_KIND_STOP, HS_KIND_SYNC,
		                        HS_KIND_BLOCK };

	set_up(TRIG);
	assert_int_equal(run_one(&block), HS_OK);
	hs_tc_device_trigger(&dev, HS_TC_TRACE_OFF);
	hs_tc_device_trigger(&dev, HS_TC_TRACE_ON);
	assert_int_equal(run_one(&block), HS_OK);
	assert_given(want, sizeof want);
}

/* ---- time ---- */

/* trTsMode 1: the timestamp is what stands between the blocks. */
TEST(external_time)
{
	const struct hs_block time = { .value = 77, .kind = HS_KIND_TIME };

	set_up(0);
	wr(TE, CONTROL, HTM | ACTIVE);
	wr(TE, TS, 0x8011);
	enable(HTM, true);
	codec.given.n = 0;
	assert_int_equal(run_one(&time), HS_OK);
	assert_int_equal(run_one(&block), HS_OK);
	assert_int_equal(codec.given.at[0].kind, HS_KIND_TIME);
	assert_int_equal(codec.given.at[0].value, 77);
}
