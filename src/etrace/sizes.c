/* The sizes that a source's support packets say, and tables of these sizes. */
#include "etrace/et_decoder.h"
#include "etrace/et_standard.h"
#include "etrace/memory.h"
#include "etrace/place.h"

void et_init_tables(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const size_t index = (size_t)(s - d->sources);

	et_tables_init(&s->tables, &d->config, d->memory ? d->memory + index * d->stride : NULL);
}

void et_enter_source(struct hs_et_decoder *d, const struct hs_et_source *s)
{
	if (et_is_standard(&d->config))
		et_standard_take(&d->config, s->options);
}

void et_change_sizes(struct hs_et_decoder *d, struct hs_et_source *s, uint32_t before)
{
	if (!et_is_standard(&d->config) || s->options == before)
		return;
	et_enter_source(d, s);
	if (d->memo && (s->options ^ before) & ~ET_OPTIONS) /* what it remembers is of others */
		d->memo->table = NULL;
	if (!((s->options ^ before) & ET_WORD_SIZES))
		return;
	s->unfit = et_memory(&d->config) > d->stride;
	if (!s->unfit)
		et_init_tables(d, s);
}
