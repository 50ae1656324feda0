/* Text and bytes for a hs_write_fn (out.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/out.h"

#define ROOM 65536u

enum hs_status support_out_open(struct support_out *o, hs_write_fn write, void *context)
{
	*o = (struct support_out){ .write = write, .context = context, .text = malloc(ROOM) };
	return o->text ? HS_OK : HS_E_MEMORY;
}

void support_out_free(struct support_out *o)
{
	free(o->text);
	o->text = NULL;
}

enum hs_status support_out_flush(struct support_out *o)
{
	if (o->used && o->status == HS_OK && !o->write(o->context, o->text, o->used))
		o->status = HS_E_SYSTEM;
	o->used = 0;
	return o->status;
}

enum hs_status support_out_put(struct support_out *o, const void *bytes, size_t n)
{
	if (n > ROOM - o->used)
		support_out_flush(o);
	if (n <= ROOM) {
		memcpy(o->text + o->used, bytes, n);
		o->used += n;
	} else if (o->status == HS_OK && !o->write(o->context, bytes, n)) {
		o->status = HS_E_SYSTEM;
	}
	return o->status;
}

void support_out_vprint(struct support_out *o, const char *format, va_list args)
{
	for (int again = 0; again < 2; again++) {
		va_list copy;

		va_copy(copy, args);
		const int n = vsnprintf(o->text + o->used, ROOM - o->used, format, copy);

		va_end(copy);
		if (n >= 0 && (size_t)n < ROOM - o->used) {
			o->used += (size_t)n;
			return;
		}
		if (!again)
			support_out_flush(o);
	}
	o->used = ROOM - 1;
}

void support_out_print(struct support_out *o, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	support_out_vprint(o, format, args);
	va_end(args);
}

void support_out_text(struct support_out *o, const char *text)
{
	support_out_put(o, text, strlen(text));
}

#define EXPANDED 6u /* bytes that writers make of one, at most: \u0080 */

void support_out_as(struct support_out *o, support_out_writer *write, const char *text)
{
	const size_t room = EXPANDED * strlen(text) + 3;
	char few[1024], *to = room <= sizeof(few) ? few : malloc(room);

	if (to)
		support_out_put(o, to, write(to, room, text));
	else
		o->status = HS_E_MEMORY;
	if (to != few)
		free(to);
}
