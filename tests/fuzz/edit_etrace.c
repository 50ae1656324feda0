/* Packets of E-Trace as records: the tables of the packets say what they are made of. */
#include <hartscope/etrace.h>

#include "edit.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"

/* A record's note: the run-time options in force. */
static size_t cut(const void *config, const uint8_t *p, size_t n, struct fuzz_record *out,
                  size_t cap)
{
	struct hs_span in = { p, n };
	struct hs_et_packet packet;
	struct hs_et_reader r;
	size_t count = 0;

	if (hs_et_reader_init(&r, config) != HS_OK)
		return 0;
	while (count < cap) {
		const uint8_t *from = in.p;
		const enum hs_status s = hs_et_read(&r, &in, &packet);

		if (s == HS_MORE)
			break;
		if (in.p == from) /* a packet or an error of bytes that were taken before */
			continue;
		out[count++] = (struct fuzz_record){ (size_t)(from - p), (size_t)(in.p - from),
			                             hs_et_reader_options(&r) };
		if (s == HS_OK && packet.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&r, &packet);
	}
	return count;
}

static void change_field(struct fuzz_edit *e, const struct hs_et_config *config,
                         struct hs_et_packet *p)
{
	uint8_t fields[HS_ETF_COUNT];
	const unsigned n = hs_et_form_fields(config->version, p->form, fields);

	if (n == 0)
		return;
	const unsigned f = fields[fuzz_pick(e, n)];

	p->field[f] = fuzz_pick(e, 3) ? fuzz_limit(e, hs_et_field_bits(config, p, f))
	                              : p->field[f] + fuzz_pick(e, 5) - 2;
}

void fuzz_et_set_form(struct hs_et_packet *p, unsigned form)
{
	p->form = (uint8_t)form;
	p->field[HS_ETF_FORMAT] = form <= HS_ET_FORM_INDEX     ? 0
	                          : form == HS_ET_FORM_BRANCH  ? 1
	                          : form == HS_ET_FORM_ADDRESS ? 2
	                                                       : 3;
	p->field[HS_ETF_SUBFORMAT] = form >= HS_ET_FORM_START ? form - HS_ET_FORM_START
	                                                      : form == HS_ET_FORM_INDEX;
}

static size_t change(const void *config, struct fuzz_edit *e, const uint8_t *p,
                     const struct fuzz_record *record, uint8_t *out)
{
	struct hs_et_config c = *(const struct hs_et_config *)config;
	struct hs_span in = { p, record->n };
	struct hs_et_packet packet;
	struct hs_et_reader r;

	c.options = (uint8_t)record->note;
	if (hs_et_reader_init(&r, &c) != HS_OK || hs_et_read(&r, &in, &packet) != HS_OK)
		return 0;
	switch (fuzz_pick(e, 8)) {
	case 0:
		fuzz_et_set_form(&packet, (unsigned)fuzz_pick(e, HS_ET_FORMS));
		break;
	case 1:
		packet.src = (uint16_t)fuzz_limit(e, c.src_bits);
		break;
	case 2:
		packet.index = (uint16_t)fuzz_limit(e, 16);
		packet.has_tstamp = !packet.has_tstamp;
		break;
	default:
		change_field(e, &c, &packet);
	}
	return hs_et_write(&c, &packet, out);
}

struct fuzz_format fuzz_et_packets(const struct hs_et_config *config)
{
	return (struct fuzz_format){ config, cut, change };
}
