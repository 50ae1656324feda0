/* What the sinks of a random trace system hold. */
#include "property/systems.h"

static void put_byte(struct bytes *b, unsigned v)
{
	assert_true(b->n < BYTES);
	b->at[b->n++] = (uint8_t)v;
}

/* The first word is at trRamWP where trRamWrap is set, else at 0. */
static void read_ram(unsigned s)
{
	struct hs_dev_node *n = &t->sink[s].node;
	const uint32_t wp = hs_dev_read(n, 0x20), limit = hs_dev_read(n, 0x18);

	t->sink[s].wrapped = wp & 1;
	for (uint32_t at = wp & ~3u; (wp & 1) && at < limit + 4; at++)
		put_byte(&t->sink[s].held, t->sink[s].sram[at]);
	for (uint32_t at = 0; at < (wp & ~3u); at++)
		put_byte(&t->sink[s].held, t->sink[s].sram[at]);
}

/* Samples of @width bits, the first one lowest. */
static void read_parallel(unsigned s, unsigned width)
{
	const unsigned per = width < 8 ? 8 / width : 1;

	for (size_t i = 0; i + per <= t->sink[s].samples; i += per) {
		unsigned byte = 0;

		for (unsigned k = 0; k < per; k++)
			byte |= (unsigned)t->sink[s].sample[i + k] << k * width;
		put_byte(&t->sink[s].held, byte);
	}
}

static void read_uart(unsigned s)
{
	const uint8_t *v = t->sink[s].sample;

	for (size_t i = 0; i < t->sink[s].samples;) {
		unsigned byte = 0;

		if (v[i++])
			continue;
		for (unsigned k = 0; k < 8; k++)
			byte |= (unsigned)v[i++] << k;
		assert_int_equal(v[i++], 1);
		put_byte(&t->sink[s].held, byte);
	}
}

/* Idle 0; start 1 0; a bit 1 0 or 0 1; stop 0 0. */
static void read_manchester(unsigned s)
{
	const uint8_t *v = t->sink[s].sample;

	for (size_t i = 0; i + 1 < t->sink[s].samples;) {
		if (!v[i++])
			continue;
		assert_int_equal(v[i++], 0);
		for (unsigned k = 0, byte = 0; v[i] != v[i + 1]; i += 2) {
			byte |= (unsigned)v[i] << k++;
			if (k == 8) {
				put_byte(&t->sink[s].held, byte);
				k = byte = 0;
			}
		}
		assert_int_equal(v[i] + v[i + 1], 0);
		i += 2;
	}
}

void systems_read_sink(unsigned s)
{
	t->sink[s].wrapped = false;
	if (t->sink[s].kind == HS_TC_RAM)
		read_ram(s);
	else if (t->sink[s].mode == 4)
		read_manchester(s);
	else if (t->sink[s].mode == 5)
		read_uart(s);
	else if (t->sink[s].kind == HS_TC_PIB)
		read_parallel(s, t->sink[s].mode == 12 ? 8 : 1u << (t->sink[s].mode - 8));
}

/* Of a buffer that wrapped: past the first end of a message, or the first run of nulls. */
static size_t first_whole(const struct bytes *b, bool wrapped, bool etrace)
{
	size_t i = 0;

	if (!wrapped)
		return 0;
	if (!etrace) {
		while (i < b->n && (b->at[i] & 3) != 3)
			i++;
		return i + 1;
	}
	for (size_t run = 0; i < b->n && (run < RUN || !(b->at[i] & 31)); i++)
		run = b->at[i] & 31 ? 0 : run + 1;
	return i;
}

/* Bytes of the message at @i; 0: it is not whole. */
static size_t message_size(const struct bytes *b, size_t i, bool etrace)
{
	size_t n = 1;

	if (etrace) /* EE: header, a byte of srcID, payload */
		n += b->at[i] & 31 ? 1 + (b->at[i] & 31u) : 0;
	else
		while (i + n - 1 < b->n && (b->at[i + n - 1] & 3) != 3)
			n++;
	return i + n <= b->n ? n : 0;
}

void systems_split(unsigned s)
{
	const struct bytes *b = &t->sink[s].held;
	const bool etrace = t->sink[s].etrace;
	size_t size;

	for (unsigned h = 0; h < HARTS; h++)
		t->sink[s].of[h].n = 0;
	for (size_t i = first_whole(b, t->sink[s].wrapped, etrace); i < b->n; i += size) {
		size = message_size(b, i, etrace);
		if (!size)
			return;
		if (size == 1) /* idle, nulls */
			continue;
		const unsigned src = etrace ? b->at[i + 1] : b->at[i + 1] >> 2;

		assert_in_range(src, 1, t->harts);
		for (size_t k = 0; k < size; k++)
			put_byte(&t->sink[s].of[src - 1], b->at[i + k]);
	}
}
