/* A trace system at work: its components in the device model, with their registers set up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "encode/system.h"
#include "etrace/etrace.h"
#include "source/source.h"
#include "trace/trace.h"

#define MEMORY_MAX ((uint64_t)1 << 30)

static enum hs_status refuse(struct hs_trace_system *s, const struct system_part *p,
                             const char *why)
{
	char name[64];

	return hs_error_set(&s->error, HS_E_CONFIG, "%s:%u: %s: %s", s->path, p->c->line,
	                    system_name(p->c, name, sizeof(name)), why);
}

uint32_t system_read_reg(struct system_part *p, uint32_t offset)
{
	return p->c->kind == HS_TC_ENCODER
	               ? hs_tc_device_read(&p->encoder.device, HS_TC_ENCODER, offset)
	               : hs_dev_read(&p->node, offset);
}

void system_write_reg(struct system_part *p, uint32_t offset, uint32_t value)
{
	if (p->c->kind == HS_TC_ENCODER)
		hs_tc_device_write(&p->encoder.device, HS_TC_ENCODER, offset, value);
	else
		hs_dev_write(&p->node, offset, value);
}

const struct hs_tc_regs *system_regs_of(const struct system_part *p)
{
	return p->c->kind == HS_TC_ENCODER ? &p->encoder.device.tc.regs : &p->node.tc.regs;
}

/* ---- sinks ------------------------------------------------------------------------------- */

void system_flush(struct system_part *p)
{
	struct hs_trace_system *s = p->system;

	if (p->wait && !s->o.write(s->o.to, p->number, p->waiting, p->wait))
		s->unwritten = true;
	p->wait = 0;
}

static void put_byte(struct system_part *p, uint32_t byte)
{
	if (p->wait == SYSTEM_BYTES)
		system_flush(p);
	p->waiting[p->wait++] = (uint8_t)byte;
	p->bytes++;
}

static void put_sample(void *user, uint32_t data)
{
	struct system_part *p = user;

	put_byte(p, data);
	if (p->wide)
		put_byte(p, data >> 8);
}

static void put_atb(void *user, unsigned id, const uint8_t *bytes, size_t n)
{
	(void)id; /* it is in the registers */
	for (size_t i = 0; i < n; i++)
		put_byte(user, bytes[i]);
}

static bool store_word(void *user, uint64_t address, uint32_t word)
{
	struct system_part *p = user;

	if (address < p->start || address - p->start > p->memory_size - 4)
		return false;
	for (unsigned i = 0; i < 4; i++)
		p->memory[address - p->start + i] = (uint8_t)(word >> 8 * i);
	return true;
}

uint64_t system_ram_address(const struct hs_tc_regs *r, unsigned low, unsigned high)
{
	return (uint64_t)hs_tc_get(r, HS_TC_RAM, high) << 32 |
	       (uint64_t)hs_tc_get(r, HS_TC_RAM, low) << 2;
}

/* Memory for the range of the registers: system memory from trRamStart, or an SRAM with trRamLimit
 * in it, of 4 KiB where that is not given. */
static enum hs_status open_memory(struct hs_trace_system *s, struct system_part *p,
                                  struct hs_tc_profile *profile, struct hs_tc_memory *memory)
{
	static const struct hs_tc_ops ops = { store_word };
	const struct hs_tc_regs *r = &p->c->dump.regs;
	const uint64_t limit =
		system_ram_address(r, HS_TCF_RAM_LIMIT_LOW_BITS, HS_TCF_RAM_LIMIT_HIGH_BITS);
	const bool smem = hs_tc_get(r, HS_TC_RAM, HS_TCF_RAM_MODE) != 0;

	p->start =
		smem ? system_ram_address(r, HS_TCF_RAM_START_LOW_BITS, HS_TCF_RAM_START_HIGH_BITS)
		     : 0;
	if (limit < p->start || limit - p->start >= MEMORY_MAX)
		return refuse(s, p, "trRamLimit is below trRamStart, or 1 GiB above it");
	if (smem || limit)
		p->memory_size = limit - p->start + 4;
	else
		p->memory_size = 4096;
	for (profile->sram_bytes = 8; !smem && profile->sram_bytes < p->memory_size;)
		profile->sram_bytes *= 2;
	/* with SMEM the model's SRAM, of 8 bytes, is not used */
	p->memory = calloc(1, smem ? p->memory_size + 8 : profile->sram_bytes);
	if (!p->memory)
		return hs_error_set(&s->error, HS_E_MEMORY, "out of memory");
	*memory = (struct hs_tc_memory){ p->memory, profile->sram_bytes, &ops, p };
	return HS_OK;
}

/* ---- the system -------------------------------------------------------------------------- */

/* Does an encoder of this protocol lead to component @to? */
bool system_is_reached(const struct hs_trace_system *s, unsigned from, unsigned to)
{
	const struct system_component *c = s->at[from];
	bool reached = from == to;

	for (unsigned n = 0; n < c->outs && !reached; n++)
		reached = system_is_reached(s, (unsigned)c->out[n].to, to);
	return reached;
}

/* The longest run of nulls in packets that reach component @to; 0: no packets do.  *messages: some
 * encoder of N-Trace reaches it. */
uint32_t system_null_run(const struct hs_trace_system *s, unsigned to, bool *messages)
{
	uint32_t run = 0;

	*messages = false;
	for (unsigned i = 0; i < s->count; i++) {
		const struct system_component *c = s->at[i];
		struct hs_et_config et;

		if (c->kind != HS_TC_ENCODER || !system_is_reached(s, i, to))
			continue;
		*messages |= !system_is_etrace(c);
		if (!system_is_etrace(c))
			continue;
		et = s->part[i]->et;
		hs_dev_et_config(&c->dump.regs, &et);
		run = hs_et_null_run(&et) > run ? hs_et_null_run(&et) : run;
	}
	return run;
}

/* Encoders whose trace comes here need SRC to be kept apart. */
static bool are_sources_different(const struct hs_trace_system *s, unsigned to)
{
	uint32_t seen[128] = { 0 };
	unsigned encoders = 0;
	bool differ = true;

	for (unsigned i = 0; i < s->count; i++) {
		const struct system_component *c = s->at[i];

		if (c->kind != HS_TC_ENCODER || !system_is_reached(s, i, to))
			continue;
		const uint32_t id = hs_tc_get(&c->dump.regs, HS_TC_ENCODER, HS_TCF_TE_SRC_ID);
		const bool has = hs_tc_get(&c->dump.regs, HS_TC_ENCODER, HS_TCF_TE_SRC_BITS) &&
		                 !hs_tc_get(&c->dump.regs, HS_TC_ENCODER, HS_TCF_TE_INHIBIT_SRC);

		differ &= (has || !encoders) && !(seen[id / 32] >> id % 32 & 1u);
		seen[id / 32] |= (uint32_t)1 << id % 32;
		encoders++;
	}
	return differ;
}

static enum hs_status open_node(struct hs_trace_system *s, struct system_part *p, unsigned index)
{
	static const struct hs_dev_ops ops = { put_sample, put_atb };
	bool messages;
	const uint32_t run = system_null_run(s, index, &messages);
	struct hs_tc_profile profile = *hs_tc_profile_find(run ? "etrace" : "full");
	struct hs_tc_memory memory = { .sram = NULL };
	enum hs_status status = HS_OK;

	if (run && messages)
		return refuse(s, p, "trace of both protocols comes here");
	if (!are_sources_different(s, index))
		return refuse(s, p,
		              "encoders whose trace comes here have no SRC, or the same "
		              "(trTeSrcBits, trTeSrcID): nothing would keep them apart");
	profile.settle = 0;
	if (p->c->kind == HS_TC_RAM)
		status = open_memory(s, p, &profile, &memory);
	if (status != HS_OK)
		return status;
	p->wide = hs_tc_get(&p->c->dump.regs, HS_TC_PIB, HS_TCF_PIB_MODE) == 12;
	status = hs_dev_node_init(&p->node, p->c->kind, &profile, &memory, &ops, p);
	if (run)
		hs_dev_node_set_nulls(&p->node, run);
	return status == HS_OK ? status : refuse(s, p, "its registers cannot be had");
}

static bool has_data_trace(const struct system_part *p)
{
	return hs_tc_get(&p->c->dump.regs, HS_TC_ENCODER, HS_TCF_TE_DATA_IMPLEMENTED);
}

static bool is_data_good(const struct system_part *p)
{
	struct hs_et_data_config data = p->et_data;

	return hs_dev_et_data_config(&p->c->dump.regs, &data) == HS_OK;
}

/* An encoder of a protocol that does what the registers say. */
static enum hs_status check_encoder(struct hs_trace_system *s, struct system_part *p)
{
	const struct hs_tc_regs *r = &p->c->dump.regs;
	struct hs_nt_config nt = { .size = sizeof(nt) };
	struct hs_et_config et = p->et;

	if (hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_INST_MODE) == 0)
		return refuse(s, p, "trTeInstMode is 0: it traces nothing");
	if (!system_is_etrace(p->c))
		return hs_tc_nt_config(r, &nt) == HS_OK && hs_nt_config_check(&nt) == HS_OK
		               ? HS_OK
		               : refuse(s, p, "no encoder of N-Trace has these registers");
	if (hs_dev_et_config(r, &et) != HS_OK || (has_data_trace(p) && !is_data_good(p)))
		return refuse(s, p, "no encoder of E-Trace has these registers and parameters");
	return hs_et_encoder_memory(&et) <= sizeof(p->encoder.etrace.tables)
	               ? HS_OK
	               : refuse(s, p, "its tables are larger than those of a device");
}

static enum hs_status open_hart(struct hs_trace_system *s, struct system_part *p, unsigned number)
{
	const uint32_t *harts;
	uint32_t count;
	enum hs_status status = hs_source_get_harts(s->source, &harts, &count, &s->error);

	if (status != HS_OK)
		return status;
	if (!p->c->hart_given && number >= count)
		return refuse(s, p, "the recording has no hart for it");
	return hs_source_open_hart(s->source,
	                           p->c->hart_given ? (uint32_t)p->c->hart : harts[number],
	                           &p->source, &s->error);
}

static enum hs_status open_encoder(struct hs_trace_system *s, struct system_part *p,
                                   unsigned number)
{
	const bool etrace = system_is_etrace(p->c);
	struct hs_tc_profile profile = *hs_tc_profile_find(!etrace             ? "full"
	                                                   : has_data_trace(p) ? "etrace-data"
	                                                                       : "etrace");
	enum hs_status status = check_encoder(s, p);

	profile.settle = 0;
	if (status != HS_OK)
		return status;
	status = hs_dev_encoder_init(&p->encoder, &profile, etrace ? &p->et : NULL,
	                             hs_source_image(s->source), false);
	p->encoder.etrace.data = p->et_data;
	if (status != HS_OK || hs_dev_add(&s->dev, &p->encoder) != HS_OK)
		return refuse(s, p, "too many encoders");
	return open_hart(s, p, number);
}

static enum hs_status connect_part(struct hs_trace_system *s, struct system_part *p)
{
	enum hs_status status = HS_OK;

	for (unsigned n = 0; n < p->c->outs && status == HS_OK; n++) {
		struct hs_dev_node *to = &s->part[p->c->out[n].to]->node;

		status = p->c->kind == HS_TC_ENCODER
		                 ? hs_dev_encoder_connect(&p->encoder, to, p->c->out[n].input)
		                 : hs_dev_node_connect(&p->node, to, p->c->out[n].input);
	}
	return status == HS_OK ? status : refuse(s, p, "it cannot be connected");
}

/* What E-Trace's registers do not say. */
static enum hs_status open_etrace(struct hs_trace_system *s)
{
	struct hs_trace_params_options po = { .size = sizeof(po) };
	bool any = false;

	for (unsigned i = 0; i < s->count; i++)
		any |= s->at[i]->kind == HS_TC_ENCODER && system_is_etrace(s->at[i]);
	if (!any)
		return HS_OK;
	if (s->o.params)
		po = *s->o.params;
	po.protocol = "etrace";
	const enum hs_status status = encode_open_params(&po, &s->etrace, &s->error);

	if (status == HS_OK)
		hs_trace_params_set_default_width(s->etrace, &hs_source_image(s->source)->isa);
	return status;
}

static void get_etrace(const struct hs_trace_system *s, struct system_part *p)
{
	const struct hs_protocol *protocol = hs_trace_params_protocol(s->etrace);
	const void *config = hs_trace_params_config(s->etrace);

	hs_protocol_get_etrace(protocol, config, &p->et);
	hs_protocol_get_etrace_data(protocol, config, &p->et_data);
}

enum hs_status system_open(struct hs_trace_system *s)
{
	unsigned encoders = 0;
	enum hs_status status = open_etrace(s);

	for (unsigned i = 0; i < s->count && status == HS_OK; i++) {
		struct system_part *p = s->part[i] = calloc(1, sizeof(*p));

		if (!p)
			return hs_error_set(&s->error, HS_E_MEMORY, "out of memory");
		p->c = s->at[i];
		p->system = s;
		p->number = i;
		if (s->etrace)
			get_etrace(s, p);
	}
	for (unsigned i = 0; i < s->count && status == HS_OK; i++)
		if (s->part[i]->c->kind != HS_TC_ENCODER)
			status = open_node(s, s->part[i], i);
	for (unsigned i = 0; i < s->count && status == HS_OK; i++)
		if (s->part[i]->c->kind == HS_TC_ENCODER)
			status = open_encoder(s, s->part[i], encoders++);
	for (unsigned i = 0; i < s->count && status == HS_OK; i++)
		status = connect_part(s, s->part[i]);
	return status;
}

/* ---- registers --------------------------------------------------------------------------- */

/* Where no limit is given, the buffer is all of the SRAM. */
static struct hs_tc_regs wanted(const struct system_part *p)
{
	struct hs_tc_regs r = p->c->dump.regs;
	struct hs_tc_place place;

	if (p->c->kind == HS_TC_RAM && !hs_tc_known(&r, HS_TC_RAM, HS_TCF_RAM_LIMIT_LOW_BITS) &&
	    hs_tc_at(HS_TC_RAM, 0x18, &place)) {
		r.word[place.word] = (uint32_t)p->memory_size - 4;
		r.known[place.word / 32] |= (uint32_t)1 << place.word % 32;
	}
	return r;
}

/* Bits of fields that cannot be written. */
static uint32_t read_only(unsigned reg)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < HS_TCF_COUNT; i++) {
		const struct hs_tc_field_row *f = hs_tc_field_at(i);

		if (f->reg == reg && f->access == HS_TC_RO)
			mask |= UINT32_MAX >> (31 - f->msb + f->lsb) << f->lsb;
	}
	return mask;
}

/* What a write became, where it is not what was written (WARL).  The last write of tr??Control
 * shows all of its fields. */
static void note_difference(const struct hs_trace_system *s, struct system_part *p,
                            const struct hs_tc_step *w)
{
	const uint32_t got = system_read_reg(p, w->place.offset);
	char name[64], register_name[64], text[512];

	if (!s->o.note || !((got ^ w->value) & ~read_only(w->place.reg)) ||
	    (w->place.offset == 0 && w->wait == 1))
		return;
	snprintf(text, sizeof(text), "%s: %s is 0x%x, not 0x%x",
	         system_name(p->c, name, sizeof(name)),
	         hs_tc_name(&w->place, register_name, sizeof(register_name)), got, w->value);
	s->o.note(s->o.to, text);
}

static enum hs_status set_up_part(struct hs_trace_system *s, struct system_part *p)
{
	const struct hs_tc_regs r = wanted(p);
	struct hs_tc_setup setup;
	struct hs_tc_step w;

	hs_tc_setup_init(&setup, &r, 1u << p->c->kind, true);
	while (hs_tc_setup_next(&setup, &w)) {
		system_write_reg(p, w.place.offset, w.value);
		if ((system_read_reg(p, w.place.offset) ^ w.value) & w.wait)
			return refuse(s, p, "it cannot be enabled: see the range of a RAM sink");
		note_difference(s, p, &w);
	}
	return HS_OK;
}

enum hs_status system_set_up(struct hs_trace_system *s)
{
	enum hs_status status = HS_OK;

	for (unsigned i = 0; i < s->count && status == HS_OK; i++)
		status = set_up_part(s, s->part[s->order[i]]);
	return status;
}
