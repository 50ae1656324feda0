/* Packets of GDB's remote protocol: "$BODY#SUM", acknowledged by '+' or '-'. */
#include <stdio.h>
#include <string.h>

#include "gdb/private.h"

/* ---- replies -------------------------------------------------------------------------- */

void gdb_reply_begin(struct hs_gdb_server *g)
{
	g->out_sum = 0;
	support_out_put(&g->out, "$", 1);
}

void gdb_reply_put(struct hs_gdb_server *g, const void *bytes, size_t n)
{
	const uint8_t *from = bytes;

	for (size_t i = 0; i < n; i++) {
		uint8_t b[2] = { '}', from[i] ^ 0x20 };
		const bool escaped =
			from[i] == '$' || from[i] == '#' || from[i] == '}' || from[i] == '*';

		b[0] = escaped ? b[0] : from[i];
		g->out_sum = (uint8_t)(g->out_sum + b[0] + (escaped ? b[1] : 0));
		support_out_put(&g->out, b, escaped ? 2 : 1);
	}
}

void gdb_reply_print(struct hs_gdb_server *g, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	const int n = vsnprintf(text, sizeof(text), format, args);

	va_end(args);
	if (n > 0)
		gdb_reply_put(g, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void gdb_reply_hex(struct hs_gdb_server *g, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *from = bytes;

	for (size_t i = 0; i < n; i++) {
		const char text[2] = { digits[from[i] >> 4], digits[from[i] & 15] };

		gdb_reply_put(g, text, 2);
	}
}

void gdb_reply_end(struct hs_gdb_server *g)
{
	support_out_print(&g->out, "#%02x", g->out_sum);
	support_out_flush(&g->out);
}

void gdb_reply(struct hs_gdb_server *g, const char *text)
{
	gdb_reply_begin(g);
	gdb_reply_put(g, text, strlen(text));
	gdb_reply_end(g);
}

/* ---- what is received ----------------------------------------------------------------- */

/* 0 to 15; 16: no digit, which no sum has. */
static unsigned digit_of(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10u;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10u : 16;
}

static void keep_byte(struct hs_gdb_server *g, uint8_t b)
{
	if (g->in.packet_size < GDB_PACKET)
		g->in.packet[g->in.packet_size++] = (char)b;
	else
		g->in.too_long = true;
}

static enum hs_status end_packet(struct hs_gdb_server *g, unsigned sum)
{
	g->in.framing = GDB_IDLE;
	if (!g->no_ack)
		support_out_put(&g->out, sum == g->in.sum ? "+" : "-", 1);
	if (sum != g->in.sum && !g->no_ack)
		return support_out_flush(&g->out);
	if (g->in.too_long) {
		gdb_reply(g, "E.a packet has at most 16384 bytes");
		return HS_OK;
	}
	g->in.packet[g->in.packet_size] = '\0';
	return gdb_serve(g, g->in.packet, g->in.packet_size);
}

static void start_packet(struct hs_gdb_server *g)
{
	g->in.framing = GDB_BODY;
	g->in.packet_size = 0;
	g->in.sum = 0;
	g->in.too_long = false;
}

static enum hs_status take_byte(struct hs_gdb_server *g, uint8_t b)
{
	switch (g->in.framing) {
	case GDB_BODY:
		if (b == '$') { /* the packet before was cut */
			start_packet(g);
		} else if (b == '#') {
			g->in.framing = GDB_SUM1;
		} else {
			g->in.sum = (uint8_t)(g->in.sum + b);
			g->in.framing = b == '}' ? GDB_ESCAPE : GDB_BODY;
			if (b != '}')
				keep_byte(g, b);
		}
		return HS_OK;
	case GDB_ESCAPE:
		g->in.sum = (uint8_t)(g->in.sum + b);
		keep_byte(g, b ^ 0x20);
		g->in.framing = GDB_BODY;
		return HS_OK;
	case GDB_SUM1:
		g->in.given = (uint8_t)digit_of(b);
		g->in.framing = GDB_SUM2;
		return HS_OK;
	case GDB_SUM2:
		return end_packet(g, 16u * g->in.given + digit_of(b));
	default: /* '+', '-' and 0x03 while nothing runs say nothing new */
		if (b == '$')
			start_packet(g);
		return HS_OK;
	}
}

enum hs_status hs_gdb_server_take(struct hs_gdb_server *g, const uint8_t *bytes, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK && !g->over; i++)
		s = take_byte(g, bytes[i]);
	if (s == HS_OK)
		s = support_out_flush(&g->out);
	return s == HS_OK && g->over ? HS_END : s;
}
