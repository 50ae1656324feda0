/* The pin interface: messages to samples, and calibration (TCI 9). */
#include "device/device.h"

#include "core/mem.h"

/* trPibMode */
enum { MANCHESTER = 4, UART = 5, PARALLEL1 = 8, PARALLEL16 = 12 };
/* Bit 8 of the FIFO. */
enum { LAST = 0x100 };

static unsigned mode_of(const struct hs_dev_node *n)
{
	return dev_control(n) >> 4 & 15;
}

static bool is_parallel(unsigned mode)
{
	return mode >= PARALLEL1 && mode <= PARALLEL16;
}

static bool is_calibrating(const struct hs_dev_node *n)
{
	return (dev_control(n) & 3) == 3 && (dev_control(n) >> 9 & 1);
}

/* Nothing waits, and nothing is half sent; half of idle, or of a pattern, is nothing. */
static bool is_empty(const struct hs_dev_node *n)
{
	return n->fifo_n == 0 && !(n->frame_n && n->sending) && !n->inside;
}

static void show_empty(struct hs_dev_node *n)
{
	struct hs_tc_place p;

	hs_tc_at(HS_TC_PIB, 0, &p);
	n->tc.regs.word[p.word] = (n->tc.regs.word[p.word] & ~(uint32_t)8) |
	                          (is_empty(n) ? 8u : 0);
}

void dev_pins_written(struct hs_dev_node *n)
{
	if (!(dev_control(n) & 1)) { /* a reset flushes nothing */
		n->fifo_n = 0;
		n->frame_n = 0;
		n->inside = false;
		n->idled = false;
		n->owed = n->null_run;
	}
	if (!is_calibrating(n))
		n->phase = 0;
	show_empty(n);
}

/* ---- in -------------------------------------------------------------------------- */

/* "In this mode input to the sink is not consumed." */
bool dev_pins_take_input(const struct hs_dev_node *n)
{
	return (dev_control(n) & 3) == 3 && mode_of(n) != 0 && !is_calibrating(n);
}

bool dev_pins_accept(const struct hs_dev_node *n)
{
	return dev_pins_take_input(n) && n->fifo_n <= HS_DEV_FIFO / 2;
}

/* MSEO of the last byte of a message is 3; packets come one encoder call at a time. */
static bool ends_message(const struct hs_dev_node *n, const struct hs_span *in, size_t at)
{
	return at + 1 == in->n || (!n->packets && (in->p[at] & 3) == 3);
}

size_t dev_pins_room(const struct hs_dev_node *n, const struct hs_span *in)
{
	const size_t room = HS_DEV_FIFO - (size_t)n->fifo_n;
	size_t whole = 0;

	if (!dev_pins_take_input(n))
		return 0;
	for (size_t i = 0; i < in->n && i < room; i++)
		if (ends_message(n, in, i))
			whole = i + 1;
	return whole;
}

void dev_pins_put(struct hs_dev_node *n, struct hs_span *in)
{
	for (size_t i = 0; i < in->n && n->fifo_n < HS_DEV_FIFO; i++)
		n->fifo[n->fifo_n++] = (uint16_t)(in->p[i] | (ends_message(n, in, i) ? LAST : 0));
	show_empty(n);
}

/* ---- out ------------------------------------------------------------------------- */

static uint16_t pop_byte(struct hs_dev_node *n)
{
	const uint16_t b = n->fifo[0];

	n->fifo_n--;
	n->sending = true;
	memmove(n->fifo, n->fifo + 1, n->fifo_n * sizeof(n->fifo[0]));
	return b;
}

/* PIB Calibration Patterns, a column of bytes for each mode. */
static uint8_t calibration_byte(unsigned mode, uint32_t at)
{
	static const uint8_t whole[] = { 0xaa, 0x55, 0x00, 0xff };
	static const uint8_t two[] = { 0x66, 0x66, 0xcc, 0x33 };
	static const uint8_t four[] = { 0x5a, 0x5a, 0xf0, 0x0f };

	if (mode == PARALLEL1 + 1)
		return two[at % 4];
	if (mode == PARALLEL1 + 2)
		return four[at % 4];
	return whole[(mode == PARALLEL16 ? at / 2 : at) % 4];
}

static uint8_t idle_byte(const struct hs_dev_node *n)
{
	return n->packets ? 0 : 0xff;
}

/* Idle; of encapsulated packets a null.idle, and a null.alignment where a packet follows. */
static uint8_t next_idle(struct hs_dev_node *n)
{
	const bool ends = n->idled && n->fifo_n && !n->owed;

	n->owed -= n->owed != 0;
	n->idled = n->null_run && !ends;
	return ends ? 0x80 : idle_byte(n);
}

/* The next byte on parallel pins: of a pattern, a message, or idle. */
static uint8_t next_byte(struct hs_dev_node *n, unsigned mode)
{
	if (is_calibrating(n)) {
		n->owed = n->null_run;
		return calibration_byte(mode, n->phase++);
	}
	return n->fifo_n && !n->owed && !n->idled ? (uint8_t)pop_byte(n) : next_idle(n);
}

static void add_bits(struct hs_dev_node *n, uint32_t bits, unsigned count)
{
	n->frame |= bits << n->frame_n;
	n->frame_n = (uint8_t)(n->frame_n + count);
}

static uint32_t take_bits(struct hs_dev_node *n, unsigned count)
{
	const uint32_t bits = n->frame & (((uint32_t)1 << count) - 1);

	n->frame >>= count;
	n->frame_n = (uint8_t)(n->frame_n - count);
	return bits;
}

static uint32_t shift_parallel(struct hs_dev_node *n, unsigned mode)
{
	const unsigned width = 1u << (mode - PARALLEL1);

	while (n->frame_n < width)
		add_bits(n, next_byte(n, mode), 8);
	return take_bits(n, width);
}

/* Start bit 0, 8 bits, stop bit 1; idle is 1. */
static uint32_t shift_uart(struct hs_dev_node *n)
{
	if (!n->frame_n && is_calibrating(n))
		add_bits(n, calibration_byte(UART, n->phase++), 8);
	else if (!n->frame_n && n->fifo_n)
		add_bits(n, (uint32_t)(pop_byte(n) & 0xff) << 1 | 0x200, 10);
	return n->frame_n ? take_bits(n, 1) : 1;
}

/* Two phases a bit: 1 is 1 0, 0 is 0 1, the lower phase bit first. */
static uint32_t phases(uint8_t byte)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (uint32_t)(byte >> i & 1 ? 1 : 2) << 2 * i;
	return bits;
}

/* Start 1 0, the bits of a message, stop 0 0; idle is 0. */
static void fill_manchester(struct hs_dev_node *n)
{
	if (is_calibrating(n)) {
		add_bits(n, calibration_byte(MANCHESTER, n->phase++), 8); /* levels on the wire */
		return;
	}
	if (!n->fifo_n)
		return;
	if (!n->inside)
		add_bits(n, 1, 2);
	const uint16_t b = pop_byte(n);

	add_bits(n, phases((uint8_t)b), 16);
	n->inside = !(b & LAST);
	if (!n->inside)
		add_bits(n, 0, 2);
}

static uint32_t shift_manchester(struct hs_dev_node *n)
{
	if (!n->frame_n)
		fill_manchester(n);
	return n->frame_n ? take_bits(n, 1) : 0;
}

void dev_pins_shift(struct hs_dev_node *n)
{
	const unsigned mode = mode_of(n);
	uint32_t data;

	n->sending &= n->frame_n != 0;
	if (is_parallel(mode))
		data = shift_parallel(n, mode);
	else if (mode == UART)
		data = shift_uart(n);
	else if (mode == MANCHESTER)
		data = shift_manchester(n);
	else
		return;
	show_empty(n);
	n->ops->sample(n->user, data);
}

/* "PIB data is sent at either this divided rate or 1/2 of this rate": a bit of Manchester has two
 * phases, which are samples here. */
uint64_t dev_pins_clocks(const struct hs_dev_node *n)
{
	const uint32_t control = dev_control(n);
	const uint64_t divided = (control >> 16) + 1;

	if (!(control & 1) || mode_of(n) == 0)
		return 0;
	return control >> 8 & 1 ? 2 * divided : divided;
}
