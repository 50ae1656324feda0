/* Sources: what the guest says of itself. */
#include <string.h>

#include "guest/guest.h"
#include "source/private.h"

static enum hs_status code_of_recording(const void *from, uint32_t number,
                                        struct hs_section *code)
{
	return hs_rec_code(from, number, code);
}

/* Show the guest all that ran.  Damage is found again by the caller. */
static enum hs_status observe(struct hs_source *s, struct hs_guest *g, struct hs_error *error)
{
	const bool recorded = s->kind == SOURCE_RECORDING;
	struct hs_image_set set;
	const struct hs_guest_code code = { .image = hs_program_image(s->code.set.first),
		                            .contexts = &set,
		                            .version = recorded ? code_of_recording : NULL,
		                            .from = recorded ? s->recording.rec : NULL };
	enum hs_status status = HS_OK, seen = HS_OK;

	hs_source_get_images(s, &set);

	while (status != HS_END && seen == HS_OK) {
		struct hs_block items[4 * SOURCE_SPARE];
		size_t n;

		status = hs_source_next(s, items, sizeof(items) / sizeof(*items), &n, NULL);
		seen = hs_guest_observe(g, &code, items, n);
	}
	return seen == HS_OK ? hs_source_rewind(s, error)
	                     : hs_error_set(error, seen, "out of memory");
}

static bool is_perf(const struct hs_source *s)
{
	return s->kind == SOURCE_TRACE && s->trace.in.perf;
}

/* Do the files need the code that ran? */
static bool need_code(const struct hs_source *s, const struct hs_source_options *o)
{
	if (o->processes && is_perf(s))
		return !o->no_code;
	for (size_t i = 0; i < o->guest_count; i++)
		if (o->guest[i].kind != HS_GUEST_MODULES)
			return !o->no_code;
	return false;
}

static bool has_files(const struct hs_source_options *o)
{
	for (size_t i = 0; i < o->guest_count; i++)
		if (!source_is_maps_of(&o->guest[i]))
			return true;
	return false;
}

enum hs_status source_add_guest(struct hs_source *s, const struct hs_source_options *o,
                                struct hs_error *error)
{
	enum hs_status status = HS_OK;

	if (!has_files(o) && !(o->processes && is_perf(s)))
		return HS_OK;
	if (hs_guest_new(&s->code.guest) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (s->code.names.size)
		hs_guest_set_names(s->code.guest, &s->code.names);
	if (o->guest_clock)
		status = hs_guest_set_clock(s->code.guest, o->guest_clock);
	if (status != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "the clock of perf: no multiplier, or a "
		                    "shift above 31");
	if (is_perf(s))
		status = source_add_perf_processes(s->trace.in.perf, s->code.guest);
	for (size_t i = 0; i < o->guest_count && status == HS_OK; i++)
		if (!source_is_maps_of(&o->guest[i])) /* it placed code */
			status = hs_guest_add(s->code.guest, &o->guest[i], error);
	if (status == HS_OK && need_code(s, o) && strcmp(o->path, "-") == 0 && !o->trace.p)
		status = hs_error_set(error, HS_E_CONFIG,
		                      "files and processes of a guest need a trace that can be "
		                      "read twice: not standard input");
	if (status == HS_OK && need_code(s, o))
		status = observe(s, s->code.guest, error);
	return status == HS_OK ? hs_guest_settle(s->code.guest, error) : status;
}
