/* What cannot be read or encoded. */
#include "encode/private.h"
#include "source/source.h"

enum hs_status encode_no_memory(struct hs_error *error)
{
	return hs_error_set(error, HS_E_MEMORY, "out of memory");
}

void encode_fault(const struct encode_faults *f, const struct hs_error *error,
                  const struct hs_source *source)
{
	const struct hs_encode_fault fault = { *error,
		                               source ? hs_source_reason(source) : HS_REASON_NONE,
		                               source };

	if (f->add)
		f->add(f->to, &fault);
}

bool encode_read(struct hs_source *source, const struct encode_faults *faults,
                 struct hs_block *items, size_t room, size_t *n)
{
	struct hs_error e = { 0 };
	const enum hs_status s = hs_source_next(source, items, room, n, &e);

	if (s != HS_OK && s != HS_END)
		encode_fault(faults, &e, source);
	return s != HS_END;
}
