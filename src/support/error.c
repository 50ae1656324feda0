/* hs_error_set(): one line of text for a failure. */
#include <stdarg.h>
#include <stdio.h>

#include <hartscope/status.h>

enum hs_status hs_error_set(struct hs_error *e, enum hs_status s, const char *format, ...)
{
	char text[2 * sizeof(e->text)];
	va_list ap;

	if (!e)
		return s;
	e->status = s;
	*text = '\0';
	va_start(ap, format);
	if (format) /* not every libc looks */
		vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	hs_text_escape(e->text, sizeof(e->text), text);
	return s;
}
