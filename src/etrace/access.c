/* Packets of data trace among those of instruction trace (ET Data Trace Encoder Output Packets, EE
 * type). */
#include "core/access.h"
#include "etrace/emit.h"
#include "etrace/et_encoder.h"
#include "etrace/frame.h"
#include "etrace/data.h"
#include "etrace/et_standard.h"

enum hs_status hs_et_encoder_set_data(struct hs_et_encoder *e, struct hs_et_data_coder *data)
{
	if (!et_has_data_type(&e->config))
		return HS_E_CONFIG;
	e->data_changed = !et_pends(e, ET_PENDING_SUPPORT) &&
	                  !e->data != !data; /* denable of the last support packet */
	e->plain_next = false;
	e->data = data;
	return HS_OK;
}

/* Packets of format 3: after each, the first value of a size is full. */
static uint64_t synchronisations(const struct hs_et_encoder *e)
{
	const uint64_t *n = e->written.packets;

	return n[HS_ET_FORM_START] + n[HS_ET_FORM_TRAP] + n[HS_ET_FORM_CONTEXT] +
	       n[HS_ET_FORM_SUPPORT];
}

static size_t write_framed(const struct hs_et_encoder *e, const uint8_t *payload, unsigned n,
                           uint8_t *to)
{
	const struct hs_et_resolved *c = &e->config;
	const struct et_frame f = { e->time, c->src_id, c->wire.type_data, c->tstamp_bytes != 0 };
	const bool source = et_names_source(c->wire.frame);
	struct et_out o;

	et_out_init(&o, 8);
	const unsigned apart = source ? et_put_source(c, &f, &o) : 1;

	for (unsigned i = 0; i < n; i++)
		et_put(&o, payload[i], 8);
	const unsigned spare = e->layout.spare, least = apart + e->layout.least;
	const unsigned needed = (et_finish(&o, true) + spare) / 8 + 1;
	const unsigned bytes = needed > least ? needed : least;

	et_store(&o, to, bytes);
	to[0] = et_first_byte(c, &f, bytes, apart);
	return bytes;
}

static void send_access(struct hs_et_encoder *e, struct et_output *out, const struct hs_access *a)
{
	if (e->frame_ticks)
		et_send_full_time(e, out);
	const uint64_t syncs = synchronisations(e);
	uint8_t payload[HS_ET_DATA_PAYLOAD_MAX];
	struct hs_et_data_packet p;

	if (syncs != e->data_after)
		hs_et_data_sync(e->data);
	e->data_after = syncs;
	if (hs_et_data_encode(e->data, a, &p) != HS_OK) {
		e->written.data.incomplete++;
		return;
	}
	if (p.form == HS_ET_DATA_NONE)
		return;
	const unsigned n = hs_et_data_write(e->data, &p, payload);
	const size_t bytes = write_framed(e, payload, n, out->p);

	out->p += bytes;
	e->written.packets[HS_ET_FORM_OTHER]++;
	e->written.bytes[HS_ET_FORM_OTHER] += bytes;
	e->written.data.packets[p.form]++;
	e->written.data.bytes[p.form] += bytes;
}

/* A split encoder has two packets for an access that was recorded as one. */
static void send_split(struct hs_et_encoder *e, struct et_output *out, const struct hs_access *a)
{
	struct hs_access part = *a;

	part.phase = HS_ACCESS_REQUEST;
	part.known &= (uint8_t)~HS_ACCESS_HAS_DATA;
	part.data = 0;
	send_access(e, out, &part);
	part = *a;
	part.phase = HS_ACCESS_RESPONSE;
	part.known &= (uint8_t)~HS_ACCESS_HAS_OPERAND;
	part.operand = 0;
	if (a->type != HS_ACCESS_SC_FAILED && a->type != HS_ACCESS_CAS_FAILED)
		send_access(e, out, &part);
}

static unsigned data_options(const struct hs_et_data_coder *c)
{
	return (c->no_data ? HS_ET_DATA_NO_VALUE : 0u) |
	       (c->no_address ? HS_ET_DATA_NO_ADDRESS : 0u) |
	       (c->full_address ? HS_ET_DATA_FULL_ADDRESS : 0u);
}

uint32_t et_data_word(const struct hs_et_encoder *e)
{
	const struct hs_et_data_coder *c = e->data;

	return c ? (uint32_t)c->mmacas_ext << ET_AT_MMACAS_EXT |
	                       (uint32_t)c->no_address << ET_AT_NOADDR |
	                       (uint32_t)c->no_data << ET_AT_NODATA |
	                       (uint32_t)c->full_address << ET_AT_FULL_DADDRESS |
	                       (uint32_t)c->full_data << ET_AT_FULL_DATA
	         : 0;
}

/* Values of the options, in the order of the layout. */
uint64_t et_data_options(const struct hs_et_encoder *e)
{
	const unsigned on = data_options(e->data);
	uint64_t options = 0;

	for (unsigned i = 0; i < HS_ET_DOPTIONS_MAX && i < e->config.doptions_width; i++)
		options |= (uint64_t)((e->config.wire.doptions[i] & on) != 0) << i;
	return options;
}

enum hs_status hs_et_encoder_set_doptions(struct hs_et_encoder *e, unsigned doptions)
{
	const unsigned both = HS_ET_DATA_NO_VALUE | HS_ET_DATA_NO_ADDRESS;
	struct hs_et_data_coder *c = e->data;
	unsigned announced = 0;

	if (!c || (doptions & both) == both || doptions >= 2 * HS_ET_DATA_FULL_ADDRESS)
		return HS_E_CONFIG;
	const unsigned change = doptions ^ data_options(c);

	if (et_is_standard(&e->config))
		announced = 2 * HS_ET_DATA_FULL_ADDRESS - 1;
	for (unsigned i = 0; i < HS_ET_DOPTIONS_MAX && i < e->config.doptions_width; i++)
		announced |= e->config.wire.doptions[i];
	if (change & ~announced)
		return HS_E_UNSUPPORTED;
	c->no_data = (doptions & HS_ET_DATA_NO_VALUE) != 0;
	c->no_address = (doptions & HS_ET_DATA_NO_ADDRESS) != 0;
	c->full_address = (doptions & HS_ET_DATA_FULL_ADDRESS) != 0;
	e->data_changed = e->data_changed || change;
	return HS_OK;
}

void et_report_no_data(struct hs_et_encoder *e, struct et_output *out)
{
	e->data_changed = false;
	if (!et_pends(e, ET_PENDING_LOSS)) /* else the support packet for the loss says so */
		et_emit_support(e, out, 1, HS_ET_NO_CHANGE);
}

void et_encode_access(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b)
{
	const struct hs_access *a = &e->access.access;

	if (!hs_access_take(&e->access, b))
		return;
	if (et_pends(e, ET_PENDING_LOSS)) /* a support packet comes first (ET Algorithm) */
		return;
	/* it says that there is data trace, and which; that some was lost */
	if (et_pends(e, ET_PENDING_SUPPORT) || e->data_lost || e->data_changed)
		et_emit_support(e, out, 1, HS_ET_NO_CHANGE);
	et_clear(e, ET_PENDING_SUPPORT);
	const bool splits = hs_access_is_load(a->type) || hs_access_is_atomic(a->type);

	if (e->data->split && !a->phase && splits)
		send_split(e, out, a);
	else
		send_access(e, out, a);
}
