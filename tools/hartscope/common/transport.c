/* Reports on captures that were read. */
#include "common/tool.h"

static void note_pins(const struct hs_capture_report *c)
{
	const struct hs_pin_stats *s = &c->stats;

	if (c->aligned)
		complain(
			"%s: aligned at sample %llu, bit %u: %llu samples of %u bits, %llu passed over, "
			"%llu of calibration, %llu idle bits, alignment lost %llu times",
			c->transport, (unsigned long long)c->first.sample, c->first.offset,
			(unsigned long long)s->samples, c->width, (unsigned long long)s->skipped,
			(unsigned long long)s->calibration, (unsigned long long)s->idle_bits,
			(unsigned long long)s->losses);
	if (c->unknown)
		complain("%llu samples have unknown bits, taken as 1",
		         (unsigned long long)c->unknown);
}

/* What shows the wrap point, with commas between. */
static void ring_evidence(const struct hs_ring *ring, char *text, size_t size)
{
	static const struct {
		unsigned bit;
		const char *text;
	} list[] = {
		{ HS_RING_FRAMING, "messages do not continue there" },
		{ HS_RING_STOP, "the trace ended there, and goes on without a beginning" },
		{ HS_RING_TIME, "times go back there" },
		{ HS_RING_INDEX, "the indexes of packets go back there" },
		{ HS_RING_PROGRAM, "messages contradict the program there" },
	};
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(list) / sizeof(*list) && n < size; i++)
		if (ring->evidence & list[i].bit)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "; " : "",
			                      list[i].text);
}

static void note_ring(const struct hs_capture_report *c)
{
	const struct hs_ring *ring = &c->ring;
	char evidence[300];

	ring_evidence(ring, evidence, sizeof(evidence));
	if (ring->found)
		complain("the circular buffer begins at 0x%llx and ends at 0x%llx (%s: %s)",
		         (unsigned long long)ring->begin, (unsigned long long)ring->end,
		         ring->certain ? "certain" : "likely", evidence);
	else if (ring->begin)
		complain("the circular buffer begins at 0x%llx; %llu bytes there belong to a "
		         "message that was overwritten",
		         (unsigned long long)ring->begin, (unsigned long long)c->partial);
	else if (ring->places)
		complain(
			"%u places look like the wrap point of the circular buffer: it was taken as it "
			"lies; --wrap OFFSET gives its write pointer",
			ring->places);
	else
		complain("the circular buffer was taken as it lies; %llu bytes passed over",
		         (unsigned long long)c->partial);
}

void capture_note(const struct hs_source *source)
{
	const struct hs_capture_report *c = hs_source_known(source)->capture;

	if (!c)
		return;
	if (c->pins)
		note_pins(c);
	if (c->serial)
		complain("%s: %llu samples, %llu.%02llu a bit, lost %llu times", c->transport,
		         (unsigned long long)c->serial_samples, (unsigned long long)c->period >> 8,
		         (unsigned long long)(c->period & 255) * 100 >> 8,
		         (unsigned long long)c->serial_losses);
	if (c->framed && (c->frame_skipped || c->frame_losses))
		complain("%s: %llu frames, %llu bytes in none, lost %llu times", c->transport,
		         (unsigned long long)c->frames, (unsigned long long)c->frame_skipped,
		         (unsigned long long)c->frame_losses);
	if (c->wrapped)
		note_ring(c);
}

static void report_pins(struct report *r, const struct hs_capture_report *c)
{
	report_u32(r, "pins", "pins", c->width);
	report_u64(r, "samples", "samples", c->stats.samples);
	report_bool(r, "aligned", "aligned", c->aligned);
	if (c->aligned) {
		report_u64(r, "aligned_at", "aligned at sample", c->first.sample);
		report_u32(r, "aligned_bit", "aligned at bit", c->first.offset);
		report_u32(r, "aligned_phase", "aligned at phase", c->first.phase);
	}
	report_u64(r, "skipped", "samples passed over", c->stats.skipped);
	report_u64(r, "calibration", "samples of calibration", c->stats.calibration);
	report_u64(r, "idle_bits", "idle bits", c->stats.idle_bits);
	report_u64(r, "losses", "alignment lost", c->stats.losses);
}

void capture_report(struct report *r, const struct hs_source *source)
{
	const struct hs_capture_report *c = hs_source_known(source)->capture;

	if (!c || (!c->pins && !c->wrapped && !c->framed))
		return;
	report_text(r, "transport", "transport", c->transport);
	if (c->framed) {
		report_u64(r, "frames", "frames", c->frames);
		report_u64(r, "frame_losses", "times that frames were lost", c->frame_losses);
		report_u64(r, "triggers", "triggers", c->triggers);
	}
	if (c->pins)
		report_pins(r, c);
	if (!c->wrapped)
		return;
	report_bool(r, "seam_found", "wrap point found", c->ring.found);
	if (c->ring.found) {
		char evidence[300];

		ring_evidence(&c->ring, evidence, sizeof(evidence));
		report_bool(r, "seam_certain", "wrap point is certain", c->ring.certain);
		report_text(r, "seam_evidence", "what shows it", evidence);
		report_hex(r, "ends_at", "ends at", c->ring.end);
	}
	report_hex(r, "begins_at", "begins at", c->ring.begin);
	report_u64(r, "partial", "bytes overwritten in part", c->partial);
}
