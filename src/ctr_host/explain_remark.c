/* Remarks and lists of words. */
#include <stdarg.h>
#include <stdio.h>

#include "ctr_host/explain_private.h"

void explain_remark(const struct explain_dump *d, enum hs_ctr_remark_kind kind, const char *subject,
                    uint64_t value, const char *format, ...)
{
	struct hs_ctr_remark remark = { .kind = kind, .subject = subject, .value = value };
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	remark.text = text;
	d->report(d->context, &remark);
}

void explain_add(struct explain_words *w, const char *between, const char *text)
{
	const size_t room = sizeof(w->text) - w->n;
	const int n = snprintf(w->text + w->n, room, "%s%s", w->n ? between : "", text);

	if (n > 0 && (size_t)n < room)
		w->n += (size_t)n;
}
