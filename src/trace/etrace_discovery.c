/* How an encoder of E-Trace describes itself: registers, a record, a packet in the trace (ET
 * Discovery; PT 3.1.5). */
#include <string.h>

#include "trace/etrace.h"

/* ---- to parameters -------------------------------------------------------------- */

/* What the registers have no place for stays as it was set. */
static enum hs_status apply_attributes(struct etrace_config *c, struct hs_et_config *et,
                                       const uint32_t *words)
{
	struct hs_et_attributes a;

	hs_et_attributes_init(&a);
	a.value[HS_ETA_NOTIME] = !et->time;
	a.value[HS_ETA_TIME_WIDTH] = et->time_width;
	if (hs_et_attributes_get(&a, words) != HS_OK)
		return HS_E_CONFIG;
	c->hart.retires = (uint8_t)a.value[HS_ETA_RETIRES];
	c->hart.taken_branches = (uint8_t)a.value[HS_ETA_TAKEN_BRANCHES];
	c->hart.iretire_width = (uint8_t)a.value[HS_ETA_IRETIRE_WIDTH];
	c->hart.ilastsize_width = (uint8_t)a.value[HS_ETA_ILASTSIZE_WIDTH];
	c->hart.ctype_width = (uint8_t)a.value[HS_ETA_CTYPE_WIDTH];
	c->hart.impdef_width = (uint8_t)a.value[HS_ETA_IMPDEF_WIDTH];
	c->hart.comparators = (uint8_t)a.value[HS_ETA_COMPARATORS];
	c->hart.filters = (uint8_t)a.value[HS_ETA_FILTERS];
	c->hart.ecause_choice = (uint8_t)a.value[HS_ETA_ECAUSE_CHOICE];
	c->hart.context = (uint8_t)a.value[HS_ETA_FILTER_CONTEXT];
	c->hart.excint = (uint8_t)a.value[HS_ETA_FILTER_EXCINT];
	c->hart.privilege = (uint8_t)a.value[HS_ETA_FILTER_PRIVILEGE];
	c->hart.tval = (uint8_t)a.value[HS_ETA_FILTER_TVAL];
	c->hart.impdef = (uint8_t)a.value[HS_ETA_FILTER_IMPDEF];
	return hs_et_attributes_config(&a, et);
}

static enum hs_status apply_record(struct etrace_config *c, struct hs_et_config *et,
                                   const uint32_t *words)
{
	struct hs_et_discovery d;

	if (hs_et_discovery_get(&d, words) != HS_OK)
		return HS_E_CONFIG;
	c->hart.comparators = (uint8_t)d.value[HS_ETD_COMPARATORS];
	c->hart.filters = (uint8_t)d.value[HS_ETD_FILTERS];
	c->hart.ecause_choice = (uint8_t)d.value[HS_ETD_ECAUSE_CHOICE];
	c->hart.context = (uint8_t)d.value[HS_ETD_FILTER_CONTEXT];
	c->hart.ecause = (uint8_t)d.value[HS_ETD_FILTER_ECAUSE];
	c->hart.interrupt = (uint8_t)d.value[HS_ETD_FILTER_INTERRUPT];
	c->hart.privilege = (uint8_t)d.value[HS_ETD_FILTER_PRIVILEGE];
	c->hart.tval = (uint8_t)d.value[HS_ETD_FILTER_TVAL];
	c->hart.insn_width = (uint8_t)d.value[HS_ETD_INSN_WIDTH];
	return hs_et_discovery_config(&d, et);
}

/* Take a support packet of 2.1: its word (etrace/et_standard.h). */
static void take_word(struct etrace_config *c, uint32_t word)
{
	hs_et_standard_config(&c->et, word);
	c->notime = !c->et.time;
	c->si_jump = word >> ET_AT_SIJUMP & 1;
	c->implicit_return = word >> ET_AT_IMPLICIT_RETURN & 1;
	c->implicit_except = word >> ET_AT_IMPLICIT_EXCEPT & 1;
	c->branch_prediction = word >> ET_AT_BRANCH_PREDICTOR & 1;
	c->jump_target_cache = word >> ET_AT_JUMP_TARGET_CACHE & 1;
	c->full_address = word >> ET_AT_FULL_IADDRESS & 1;
}

enum hs_status protocol_et_take_discovery(void *config, const uint32_t *words, size_t count)
{
	struct etrace_config own = *(struct etrace_config *)config;
	struct hs_et_config et = protocol_et_plain(config);
	const bool draft = own.et.version == HS_ET_0_026;

	et.version = own.et.version; /* protocol_et_plain() may make it HS_ET_FAST */
	if (et.version == HS_ET_2_1 && count == 1) { /* as protocol_et_find_discovery() has it */
		take_word(config, words[0]);
		return HS_OK;
	}
	if (count != (draft ? HS_ET_DISCOVERY_WORDS : HS_ET_ATTRIBUTE_WORDS))
		return HS_E_CONFIG;
	const enum hs_status s = (draft ? apply_record : apply_attributes)(&own, &et, words);

	if (s != HS_OK)
		return s;
	own.et = et;
	own.iaddress_lsb = et.iaddress_unit >> 1; /* of 1, 2, 4 */
	own.nocontext = !et.context;
	own.notime = !et.time;
	*(struct etrace_config *)config = own;
	return HS_OK;
}

/* ---- in a trace ----------------------------------------------------------------- */

/* Before 2.1 the ratified text wants a packet and defines none (design/et-layouts). */
bool protocol_et_discovers(const void *config)
{
	const struct hs_et_config c = protocol_et_unread(config);
	struct hs_et_layout_config layout = { 0 };

	return (c.version == HS_ET_0_026 || c.version == HS_ET_2_1) &&
	       hs_et_config_check(&c) == HS_OK &&
	       hs_et_layout_of(c.dialect, c.version, &layout) == HS_OK &&
	       (c.layout.given >> HS_ET_LAYOUT_FRAME & 1 ? c.layout.frame : layout.frame) !=
	               HS_ET_FRAME_BARE;
}

/* A trace of 2.1 describes itself from its first packet on; some dialects are like nothing else. */
static bool recognise(struct etrace_config *c, const struct hs_span *bytes,
                      struct hs_discovered *out)
{
	struct hs_et_config framing;

	if (hs_et_recognise_dialect(bytes, &framing)) {
		c->et.dialect = framing.dialect;
		protocol_et_defaults(c, CODEC_FOLLOWING);
		if (framing.layout.given >> HS_ET_LAYOUT_KEPT_MAP & 1)
			c->layout[HS_ET_LAYOUT_KEPT_MAP] = 0;
		out->count = 0;
		return true;
	}
	if (!hs_et_recognise(bytes, false, &framing, &out->words[0]))
		return false;
	c->et.version = framing.version;
	c->et.dialect = framing.dialect;
	c->et.src_bits = framing.src_bits;
	c->et.tstamp_bytes = framing.tstamp_bytes;
	out->count = 1;
	return true;
}

bool protocol_et_find_discovery(void *config, const struct hs_span *bytes, enum codec_known known,
                                struct hs_discovered *out)
{
	if (known == CODEC_KNOWN_NOTHING)
		return recognise(config, bytes, out);
	const struct hs_et_config c = protocol_et_unread(config);
	struct hs_span in = *bytes;
	struct hs_et_reader reader;
	struct hs_et_packet p = { 0 };
	enum hs_status s = hs_et_reader_init(&reader, &c);

	if (s != HS_OK)
		return false;
	const unsigned form = c.version == HS_ET_2_1 ? HS_ET_FORM_SUPPORT : HS_ET_FORM_DISCOVERY;

	do
		s = hs_et_read(&reader, &in, &p);
	while (s != HS_MORE && !(s == HS_OK && p.form == form));
	if (s == HS_MORE)
		return false;
	out->offset = p.offset;
	if (form == HS_ET_FORM_SUPPORT) {
		out->count = 1;
		out->words[0] = hs_et_standard_said(&p);
		return true;
	}
	out->count = HS_ET_DISCOVERY_WORDS;
	out->words[0] = (uint32_t)p.field[HS_ETF_DISCOVERY];
	out->words[1] = (uint32_t)(p.field[HS_ETF_DISCOVERY] >> 32);
	return true;
}

/* ---- of our encoder ------------------------------------------------------------- */

static uint32_t or_one(uint8_t v)
{
	return v == ETRACE_NOT_GIVEN ? 1 : v;
}

enum hs_status protocol_et_record(const struct etrace_config *c, struct hs_et_discovery *d)
{
	uint32_t *v = d->value;

	v[HS_ETD_VERSION] = 0;
	v[HS_ETD_MINOR_REVISION] = 26;
	v[HS_ETD_COMPARATORS] = or_one(c->hart.comparators);
	v[HS_ETD_FILTERS] = or_one(c->hart.filters);
	v[HS_ETD_CONTEXT_WIDTH] = c->et.context_width;
	v[HS_ETD_ECAUSE_WIDTH] = c->et.ecause_width;
	v[HS_ETD_ECAUSE_CHOICE] = c->hart.ecause_choice < c->et.ecause_width ? c->hart.ecause_choice
	                                                                     : c->et.ecause_width;
	v[HS_ETD_FILTER_CONTEXT] = c->hart.context;
	v[HS_ETD_FILTER_ECAUSE] = c->hart.ecause;
	v[HS_ETD_FILTER_INTERRUPT] = c->hart.interrupt;
	v[HS_ETD_FILTER_PRIVILEGE] = c->hart.privilege;
	v[HS_ETD_FILTER_TVAL] = c->hart.tval;
	v[HS_ETD_IADDRESS_LSB] = c->iaddress_lsb;
	v[HS_ETD_IADDRESS_WIDTH] = c->et.iaddress_width;
	v[HS_ETD_NOCONTEXT] = c->nocontext;
	v[HS_ETD_NOTVAL] = c->et.notval;
	v[HS_ETD_PRIVILEGE_WIDTH] = c->et.privilege_width;
	v[HS_ETD_RV32] = c->et.iaddress_width <= 32;
	v[HS_ETD_INSN_WIDTH] = c->hart.insn_width;
	return protocol_et_discovers(c) ? hs_et_discovery_check(d) : HS_E_CONFIG;
}

enum hs_status protocol_et_describe_encoder(struct etrace_encoder *e, const struct etrace_config *c)
{
	const struct hs_et_config et = protocol_et_plain(c);
	struct hs_et_discovery d;
	struct hs_et_packet p;
	enum hs_status s = protocol_et_record(c, &d);

	if (s == HS_OK)
		s = hs_et_discovery_packet(&d, &p);
	if (s != HS_OK)
		return s;
	p.src = et.src_id;
	e->discovery_bytes = (uint8_t)hs_et_write(&et, &p, e->discovery);
	return HS_OK;
}
