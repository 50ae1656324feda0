/* What is wrong with a message, as it is reported. */
#include "ntrace/source.h"

#include "flow/flow.h"

enum hs_status nt_fault(struct hs_nt_decoder *d, enum hs_reason reason, uint64_t pc)
{
	const enum hs_status status = hs_reason_status(reason);

	d->diag.status = status;
	d->diag.reason = reason;
	d->diag.clause = hs_reason_nt_clause(reason);
	d->diag.text = hs_reason_text(reason);
	d->diag.pc = pc;
	d->diag.msg = d->msg;
	d->stats.errors++;
	stream_fail(&d->stream, status, d->msg.offset);
	return status;
}
