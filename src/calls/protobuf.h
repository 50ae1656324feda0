/* Messages in the wire format of protocol buffers. */
#ifndef HS_CALLS_PROTOBUF_H
#define HS_CALLS_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MESSAGE_NAME 4096u /* bytes of a name, at most: longer ones are to be cut */

struct message {
	uint8_t bytes[MESSAGE_NAME + 1024];
	size_t n;
};

static inline void put_number(struct message *m, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		m->bytes[m->n++] = (uint8_t)(v | 0x80);
	m->bytes[m->n++] = (uint8_t)v;
}

static inline void put_value(struct message *m, unsigned field, uint64_t v)
{
	put_number(m, field << 3);
	put_number(m, v);
}

/* What comes before the bytes of a field. */
static inline void put_length(struct message *m, unsigned field, size_t n)
{
	put_number(m, field << 3 | 2);
	put_number(m, n);
}

static inline void put_bytes(struct message *m, unsigned field, const void *bytes, size_t n)
{
	put_length(m, field, n);
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

#endif
