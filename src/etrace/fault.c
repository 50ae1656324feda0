/* What is wrong with a packet, as it is reported. */
#include "etrace/payload.h"
#include "etrace/source.h"
#include "flow/flow.h"

/* The clause of a reason; that of a field depends on the packet. */
static const char *clause_of(const struct hs_et_decoder *d, enum hs_reason reason)
{
	if (reason == HS_REASON_FIELD)
		return et_bad_clause(&d->config, &d->packet);
	if (reason == HS_REASON_LOST && d->config.version == HS_ET_FAST)
		return "design/et-draft Support";
	return hs_reason_et_clause(reason);
}

enum hs_status et_fault(struct hs_et_decoder *d, enum hs_reason reason, uint64_t pc)
{
	const enum hs_status status = hs_reason_status(reason);

	d->diag.status = status;
	d->diag.reason = reason;
	d->diag.clause = clause_of(d, reason);
	d->diag.text = hs_reason_text(reason);
	d->diag.pc = pc;
	d->diag.packet = d->packet;
	d->stats.errors++;
	stream_fail(&d->stream, status, d->packet.offset);
	return status;
}
