/* CTR exports: what the formats share: text that is written, and names of places. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctr_host/export_private.h"

bool export_is_ras(const struct hs_ctr *c)
{
	const bool draft = c->config.version == HS_CTR_0_1_4;

	return c->mctl &
	       (draft ? HS_CTR_BITS(0_1_4, CONTROL, RASEMU) : HS_CTR_BITS(1_0, CONTROL, RASEMU));
}

bool export_has_misp(const struct hs_ctr *c)
{
	return !(c->config.without & HS_CTR_NO_MISP);
}

struct hs_guest_place export_place(const struct hs_ctr_export *x, const struct hs_ctr_sample *s,
                                   uint64_t addr)
{
	const struct hs_guest_at at = { .context = s->context,
		                        .priv = HS_PRIV_UNKNOWN,
		                        .has_context = s->has_context };
	struct hs_guest_place place = { .label = NULL };

	if (addr)
		hs_guest_name(x->guest, s->program, &at, addr, &place);
	return place;
}

enum hs_status export_write(struct hs_ctr_export *x, const void *bytes, size_t n)
{
	return support_out_put(&x->out, bytes, n);
}

void export_print(struct hs_ctr_export *x, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	support_out_vprint(&x->out, format, args);
	va_end(args);
}
