/* One pin as a UART and in Manchester code, by hand from the tables of the TCI: 2 samples a bit. */
#include "transport/transport.h"
#include "cases.h"

#include <hartscope/transport.h>

#include "transport/serial.h"

/* Levels, a character a phase in Manchester code and a bit in a UART; spaces are left out.  Idle,
 * 0c: start 0, 0 0 1 1 0 0 0 0, stop 1. */
#define IDLE "1111111111 "
#define C "0 00110000 1 "
#define F "0 11110000 1 "
/* 0c: start 10, then 0 01, 1 10. */
#define MSTART "10 "
#define MC "01 01 10 10 01 01 01 01 "
#define MF "10 10 10 10 01 01 01 01 "
#define MSTOP "00 "

static const struct row {
	const char *name;
	uint8_t mode;
	bool found; /* the period is not given */
	const char *levels;
	const char *want; /* bytes; ! for a loss */
} rows[] = {
	{ "UART: two bytes", HS_SERIAL_UART, false, IDLE C F IDLE, "0c 0f " },
	{ "UART: idle between them", HS_SERIAL_UART, false, IDLE C "111" F IDLE, "0c 0f " },
	{ "UART: its period is found", HS_SERIAL_UART, true, IDLE C F "0 10101010 1 " IDLE,
	  "0c 0f 55 " },
	{ "UART: no idle of ten bits at the start", HS_SERIAL_UART, false, "1111" C IDLE F IDLE,
	  "0f " },
	{ "UART: a stop bit of 0", HS_SERIAL_UART, false, IDLE C "0 00110000 0 " C IDLE F IDLE,
	  "0c ! 0f " },
	{ "UART: low for long", HS_SERIAL_UART, false, IDLE "000000000000 " IDLE F IDLE, "! 0f " },
	{ "UART: only idle", HS_SERIAL_UART, false, IDLE IDLE, "" },
	{ "Manchester: a message", HS_SERIAL_MANCHESTER, false, "000 " MSTART MC MF MSTOP "000 ",
	  "0c 0f " },
	{ "Manchester: two messages without idle", HS_SERIAL_MANCHESTER, false,
	  "000 " MSTART MC MSTOP MSTART MF MSTOP "000 ", "0c 0f " },
	{ "Manchester: its period is found", HS_SERIAL_MANCHESTER, true,
	  "000 " MSTART MC MF MSTOP "000000 " MSTART MF MSTOP "000 ", "0c 0f 0f " },
	{ "Manchester: begins within a message", HS_SERIAL_MANCHESTER, false,
	  "10 01 10 " MSTOP "0 " MSTART MF MSTOP "000 ", "0f " },
	{ "Manchester: high for three phases", HS_SERIAL_MANCHESTER, false,
	  "000 " MSTART MC "01 11 00 " "000 " MSTART MF MSTOP "000 ", "0c ! 0f " },
	{ "Manchester: stops within a byte", HS_SERIAL_MANCHESTER, false,
	  "000 " MSTART MC "01 01 " MSTOP "000 " MSTART MF MSTOP "000 ", "0c ! 0f " },
};

/* Two samples a level of UART, one a phase of Manchester code. */
static size_t sample(const struct row *row, bool packed, uint8_t *out)
{
	size_t n = 0;

	memset(out, 0, 1000);
	for (const char *at = row->levels; *at; at++)
		for (unsigned i = 0; *at != ' ' && i < 4; i++, n++)
			if (packed)
				out[n / 8] |= (uint8_t)((*at == '1') << n % 8);
			else
				out[n] = *at == '1';
	return packed ? n / 8 : n;
}

static void receive(const struct row *row, bool packed, size_t piece)
{
	struct hs_serial_config c = { .size = sizeof c, .mode = row->mode, .packed = packed };
	uint8_t samples[1000], out[3];
	struct hs_serial_receiver r;
	const size_t n = sample(row, packed, samples);
	char got[64] = "";
	size_t len, at = 0;
	enum hs_status s = HS_OK;

	c.period = row->found ? 0 : row->mode == HS_SERIAL_UART ? 4 << 8 : 8 << 8;
	assert_int_equal(hs_serial_receiver_init(&r, &c), HS_OK);
	while (s != HS_END) {
		struct hs_span in = { samples + at, n - at < piece ? n - at : piece };
		const size_t before = in.n;

		s = in.n ? hs_serial_receive(&r, &in, out, 1 + piece % 3, &len)
		         : hs_serial_receive_end(&r, out, 1 + piece % 3, &len);
		at += before - in.n;
		for (size_t i = 0; i < len; i++) {
			const char digits[] = { "0123456789abcdef"[out[i] >> 4],
				                "0123456789abcdef"[out[i] & 15], ' ', '\0' };

			strcat(got, digits);
		}
		if (s == HS_E_FRAMING)
			strcat(got, "! ");
	}
	assert_string_equal(got, row->want);
}

TEST_ROWS(receives, rows, row)
{
	for (size_t piece = 1; piece < 60; piece++) {
		receive(row, false, piece);
		receive(row, true, piece);
	}
}

/* 512 runs wait until they say how long a bit is.  Bytes of 55 have ten runs, one of 00 two: before
 * the last stop bit, the current run, 512 have ended. */
TEST(ends_with_the_run_that_waits)
{
	struct hs_serial_config c = { .size = sizeof c, .mode = HS_SERIAL_UART, .period = 4 << 8 };
	static uint8_t samples[53 * HS_SERIAL_ROOM], out[64];
	struct hs_serial_receiver r;
	struct hs_serial_sender s;
	size_t n = 0, got, more;

	assert_int_equal(hs_serial_sender_init(&s, &c), HS_OK);
	n += hs_serial_idle(&s, 12, samples);
	for (unsigned i = 0; i < 52; i++)
		n += hs_serial_send(&s, i ? 0x55 : 0, true, true, samples + n);
	c.period = 0;
	assert_int_equal(hs_serial_receiver_init(&r, &c), HS_OK);
	struct hs_span in = { samples, n };

	assert_int_equal(hs_serial_receive(&r, &in, out, sizeof out, &got), HS_MORE);
	assert_int_equal(hs_serial_receive_end(&r, out + got, sizeof out - got, &more), HS_END);
	assert_int_equal(got + more, 52);
	assert_int_equal(out[51], 0x55);
}

TEST(bytes_are_sent)
{
	static const uint8_t uart[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0,
		                        1, 1 };
	static const uint8_t manchester[] = { 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1,
		                              0, 0 };
	struct hs_serial_config c = { .size = sizeof c, .period = 2 << 8 };
	struct hs_serial_sender s;
	uint8_t out[HS_SERIAL_ROOM];

	assert_int_equal(hs_serial_sender_init(&s, &c), HS_OK);
	assert_int_equal(hs_serial_send(&s, 0x0c, true, true, out), 20);
	assert_memory_equal(out, uart, 20);
	c.mode = HS_SERIAL_MANCHESTER;
	assert_int_equal(hs_serial_sender_init(&s, &c), HS_OK);
	assert_int_equal(hs_serial_send(&s, 0x0c, true, true, out), 20);
	assert_memory_equal(out, manchester, 20);
	c.period = 1 << 8;
	assert_int_equal(hs_serial_sender_init(&s, &c), HS_E_CONFIG);
	c.period = c.mode = 2;
	assert_int_equal(hs_serial_sender_init(&s, &c), HS_E_CONFIG);
}
