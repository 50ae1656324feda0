/* What is wrong with a message. */
#include "flow/flow.h"
#include "tacit/source.h"

enum hs_status tacit_fault(struct tacit_decoder *d, struct tacit_source *s, enum hs_reason reason)
{
	const enum hs_status status = hs_reason_status(reason);

	d->diag.reason = reason;
	d->diag.pc = s ? flow_pc(&s->track.walk) : 0;
	d->diag.msg = d->msg;
	d->errors++;
	if (s)
		s->track.state = TRACK_LOSING;
	stream_fail(&d->stream, status, d->msg.offset);
	return status;
}
