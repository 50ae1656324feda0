/* A trace system at work: its components in the device model, with their registers set up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/protocol.h>

#include "common/system.h"

#define MEMORY_MAX ((uint64_t)1 << 30)

static enum hs_status refuse(struct system_job *j, const struct part *p, const char *why)
{
	char name[64];

	return hs_error_set(&j->error, HS_E_CONFIG, "%s:%u: %s: %s", j->system.path, p->c->line,
	                    system_name(p->c, name, sizeof(name)), why);
}

uint32_t system_read_reg(struct part *p, uint32_t offset)
{
	return p->c->kind == HS_TC_ENCODER
	               ? hs_tc_device_read(&p->encoder.device, HS_TC_ENCODER, offset)
	               : hs_dev_read(&p->node, offset);
}

void system_write_reg(struct part *p, uint32_t offset, uint32_t value)
{
	if (p->c->kind == HS_TC_ENCODER)
		hs_tc_device_write(&p->encoder.device, HS_TC_ENCODER, offset, value);
	else
		hs_dev_write(&p->node, offset, value);
}

const struct hs_tc_regs *system_regs_of(const struct part *p)
{
	return p->c->kind == HS_TC_ENCODER ? &p->encoder.device.tc.regs : &p->node.tc.regs;
}

/* ---- sinks ------------------------------------------------------------------------------- */

static void put_sample(void *user, uint32_t data)
{
	struct part *p = user;

	fputc((int)(data & 0xff), p->out);
	if (p->wide)
		fputc((int)(data >> 8 & 0xff), p->out);
	p->bytes += 1u + p->wide;
}

static void put_atb(void *user, unsigned id, const uint8_t *bytes, size_t n)
{
	struct part *p = user;

	(void)id; /* it is in the registers */
	fwrite(bytes, 1, n, p->out);
	p->bytes += n;
}

static bool store_word(void *user, uint64_t address, uint32_t word)
{
	struct part *p = user;

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
static enum hs_status open_memory(struct system_job *j, struct part *p,
                                  struct hs_tc_profile *profile, struct hs_tc_memory *memory)
{
	static const struct hs_tc_ops ops = { store_word };
	const struct hs_tc_regs *r = &p->c->dump.regs;
	const uint64_t limit =
		system_ram_address(r, HS_TCF_RAM_LIMIT_LOW_BITS, HS_TCF_RAM_LIMIT_HIGH_BITS);
	const bool smem = hs_tc_get(r, HS_TC_RAM, HS_TCF_RAM_MODE) != 0;

	p->start = smem ? system_ram_address(r, HS_TCF_RAM_START_LOW_BITS,
	                                     HS_TCF_RAM_START_HIGH_BITS)
	                : 0;
	if (limit < p->start || limit - p->start >= MEMORY_MAX)
		return refuse(j, p, "trRamLimit is below trRamStart, or 1 GiB above it");
	if (smem || limit)
		p->memory_size = limit - p->start + 4;
	else
		p->memory_size = 4096;
	for (profile->sram_bytes = 8; !smem && profile->sram_bytes < p->memory_size;)
		profile->sram_bytes *= 2;
	/* with SMEM the model's SRAM, of 8 bytes, is not used */
	p->memory = calloc(1, smem ? p->memory_size + 8 : profile->sram_bytes);
	if (!p->memory)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	*memory = (struct hs_tc_memory){ p->memory, profile->sram_bytes, &ops, p };
	return HS_OK;
}

static enum hs_status open_output(struct system_job *j, struct part *p)
{
	const char *name = hs_tc_component_name(p->c->kind);
	const size_t room = strlen(j->o->output) + 64;

	p->path = malloc(room);
	if (!p->path)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	snprintf(p->path, room, "%s/%s-0x%llx.trace", j->o->output, name,
	         (unsigned long long)p->c->base);
	if (new_file_open_trace(&p->file, p->path))
		p->out = new_file_stream(&p->file);
	return p->out ? HS_OK
	              : hs_error_set(&j->error, HS_E_SYSTEM, "%s: cannot be written", p->path);
}

/* ---- the system -------------------------------------------------------------------------- */

/* Does an encoder of this protocol lead to component @to? */
bool system_is_reached(const struct system_job *j, unsigned from, unsigned to)
{
	const struct component *c = j->system.at[from];
	bool reached = from == to;

	for (unsigned n = 0; n < c->outs && !reached; n++)
		reached = system_is_reached(j, (unsigned)c->out[n].to, to);
	return reached;
}

/* The longest run of nulls in packets that reach component @to; 0: no packets do.  *messages: some
 * encoder of N-Trace reaches it. */
uint32_t system_null_run(const struct system_job *j, unsigned to, bool *messages)
{
	uint32_t run = 0;

	*messages = false;
	for (unsigned i = 0; i < j->system.count; i++) {
		const struct component *c = j->system.at[i];
		struct hs_et_config et;

		if (c->kind != HS_TC_ENCODER || !system_is_reached(j, i, to))
			continue;
		*messages |= !system_is_etrace(c);
		if (!system_is_etrace(c))
			continue;
		et = j->part[i]->et;
		hs_dev_et_config(&c->dump.regs, &et);
		run = hs_et_null_run(&et) > run ? hs_et_null_run(&et) : run;
	}
	return run;
}

/* Encoders whose trace comes here need SRC to be kept apart. */
static bool are_sources_different(const struct system_job *j, unsigned to)
{
	uint32_t seen[128] = { 0 };
	unsigned encoders = 0;
	bool differ = true;

	for (unsigned i = 0; i < j->system.count; i++) {
		const struct component *c = j->system.at[i];

		if (c->kind != HS_TC_ENCODER || !system_is_reached(j, i, to))
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

static enum hs_status open_node(struct system_job *j, struct part *p, unsigned index)
{
	static const struct hs_dev_ops ops = { put_sample, put_atb };
	bool messages;
	const uint32_t run = system_null_run(j, index, &messages);
	struct hs_tc_profile profile = *hs_tc_profile_find(run ? "etrace" : "full");
	struct hs_tc_memory memory = { .sram = NULL };
	enum hs_status s = HS_OK;

	if (run && messages)
		return refuse(j, p, "trace of both protocols comes here");
	if (!are_sources_different(j, index))
		return refuse(j, p, "encoders whose trace comes here have no SRC, or the same "
		                    "(trTeSrcBits, trTeSrcID): nothing would keep them apart");
	profile.settle = 0;
	if (p->c->kind != HS_TC_FUNNEL)
		s = open_output(j, p);
	if (s == HS_OK && p->c->kind == HS_TC_RAM)
		s = open_memory(j, p, &profile, &memory);
	if (s != HS_OK)
		return s;
	p->wide = hs_tc_get(&p->c->dump.regs, HS_TC_PIB, HS_TCF_PIB_MODE) == 12;
	s = hs_dev_node_init(&p->node, p->c->kind, &profile, &memory, &ops, p);
	if (run)
		hs_dev_node_set_nulls(&p->node, run);
	return s == HS_OK ? s : refuse(j, p, "its registers cannot be had");
}

static bool has_data_trace(const struct part *p)
{
	return hs_tc_get(&p->c->dump.regs, HS_TC_ENCODER, HS_TCF_TE_DATA_IMPLEMENTED);
}

static bool is_data_good(const struct part *p)
{
	struct hs_et_data_config data = p->et_data;

	return hs_dev_et_data_config(&p->c->dump.regs, &data) == HS_OK;
}

/* An encoder of a protocol that does what the registers say. */
static enum hs_status check_encoder(struct system_job *j, struct part *p)
{
	const struct hs_tc_regs *r = &p->c->dump.regs;
	struct hs_nt_config nt = { .size = sizeof(nt) };
	struct hs_et_config et = p->et;

	if (hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_INST_MODE) == 0)
		return refuse(j, p, "trTeInstMode is 0: it traces nothing");
	if (!system_is_etrace(p->c))
		return hs_tc_nt_config(r, &nt) == HS_OK && hs_nt_config_check(&nt) == HS_OK
		               ? HS_OK
		               : refuse(j, p, "no encoder of N-Trace has these registers");
	if (hs_dev_et_config(r, &et) != HS_OK || (has_data_trace(p) && !is_data_good(p)))
		return refuse(j, p, "no encoder of E-Trace has these registers and parameters");
	return hs_et_encoder_memory(&et) <= sizeof(p->encoder.etrace.tables)
	               ? HS_OK
	               : refuse(j, p, "its tables are larger than those of a device");
}

static enum hs_status open_hart(struct system_job *j, struct part *p, unsigned number)
{
	const uint32_t *harts;
	uint32_t count;
	enum hs_status s = hs_source_get_harts(j->source, &harts, &count, &j->error);

	if (s != HS_OK)
		return s;
	if (!p->c->hart_given && number >= count)
		return refuse(j, p, "the recording has no hart for it");
	s = hs_source_open_hart(j->source,
	                        p->c->hart_given ? (uint32_t)p->c->hart : harts[number],
	                        &p->source, &j->error);
	p->reader = (struct block_reader){
		.source = p->source, .damage = &j->damage, .own = p->items, .room = SYSTEM_BATCH
	};
	return s;
}

static enum hs_status open_encoder(struct system_job *j, struct part *p, unsigned number)
{
	const bool etrace = system_is_etrace(p->c);
	struct hs_tc_profile profile =
		*hs_tc_profile_find(!etrace               ? "full"
		                    : has_data_trace(p) ? "etrace-data"
		                                        : "etrace");
	enum hs_status s = check_encoder(j, p);

	profile.settle = 0;
	if (s != HS_OK)
		return s;
	s = hs_dev_encoder_init(&p->encoder, &profile, etrace ? &p->et : NULL,
	                        hs_source_image(j->source), false);
	p->encoder.etrace.data = p->et_data;
	if (s != HS_OK || hs_dev_add(&j->dev, &p->encoder) != HS_OK)
		return refuse(j, p, "too many encoders");
	return open_hart(j, p, number);
}

static enum hs_status connect_part(struct system_job *j, struct part *p)
{
	enum hs_status s = HS_OK;

	for (unsigned n = 0; n < p->c->outs && s == HS_OK; n++) {
		struct hs_dev_node *to = &j->part[p->c->out[n].to]->node;

		s = p->c->kind == HS_TC_ENCODER
		            ? hs_dev_encoder_connect(&p->encoder, to, p->c->out[n].input)
		            : hs_dev_node_connect(&p->node, to, p->c->out[n].input);
	}
	return s == HS_OK ? s : refuse(j, p, "it cannot be connected");
}

/* What E-Trace's registers do not say. */
static enum hs_status open_etrace(struct system_job *j)
{
	struct hs_trace_params_options po = j->o->params;
	bool any = false;

	for (unsigned i = 0; i < j->system.count; i++)
		any |= j->system.at[i]->kind == HS_TC_ENCODER && system_is_etrace(j->system.at[i]);
	if (!any)
		return HS_OK;
	po.protocol = "etrace";
	const enum hs_status s = hs_trace_params_open(&po, &j->etrace, &j->error);

	if (s == HS_OK)
		hs_trace_params_set_default_width(j->etrace, &hs_source_image(j->source)->isa);
	return s;
}

static void get_etrace(const struct system_job *j, struct part *p)
{
	const struct hs_protocol *protocol = hs_trace_params_protocol(j->etrace);
	const void *config = hs_trace_params_config(j->etrace);

	hs_protocol_get_etrace(protocol, config, &p->et);
	hs_protocol_get_etrace_data(protocol, config, &p->et_data);
}

enum hs_status system_open(struct system_job *j)
{
	unsigned encoders = 0;
	enum hs_status s = open_etrace(j);

	for (unsigned i = 0; i < j->system.count && s == HS_OK; i++) {
		struct part *p = j->part[i] = calloc(1, sizeof(*p));

		if (!p)
			return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
		p->c = j->system.at[i];
		if (j->etrace)
			get_etrace(j, p);
	}
	for (unsigned i = 0; i < j->system.count && s == HS_OK; i++)
		if (j->part[i]->c->kind != HS_TC_ENCODER)
			s = open_node(j, j->part[i], i);
	for (unsigned i = 0; i < j->system.count && s == HS_OK; i++)
		if (j->part[i]->c->kind == HS_TC_ENCODER)
			s = open_encoder(j, j->part[i], encoders++);
	for (unsigned i = 0; i < j->system.count && s == HS_OK; i++)
		s = connect_part(j, j->part[i]);
	return s;
}

/* ---- registers --------------------------------------------------------------------------- */

/* Where no limit is given, the buffer is all of the SRAM. */
static struct hs_tc_regs wanted(const struct part *p)
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
static void note_difference(const struct system_job *j, struct part *p, const struct hs_tc_step *w)
{
	const uint32_t got = system_read_reg(p, w->place.offset);
	char name[64], register_name[64];

	if (!((got ^ w->value) & ~read_only(w->place.reg)) ||
	    (w->place.offset == 0 && w->wait == 1))
		return;
	complain("%s: %s: %s is 0x%x, not 0x%x", j->system.path,
	         system_name(p->c, name, sizeof(name)),
	         hs_tc_name(&w->place, register_name, sizeof(register_name)), got, w->value);
}

static enum hs_status set_up_part(struct system_job *j, struct part *p)
{
	const struct hs_tc_regs r = wanted(p);
	struct hs_tc_setup setup;
	struct hs_tc_step w;

	hs_tc_setup_init(&setup, &r, 1u << p->c->kind, true);
	while (hs_tc_setup_next(&setup, &w)) {
		system_write_reg(p, w.place.offset, w.value);
		if ((system_read_reg(p, w.place.offset) ^ w.value) & w.wait)
			return refuse(j, p, "it cannot be enabled: see the range of a RAM sink");
		note_difference(j, p, &w);
	}
	return HS_OK;
}

enum hs_status system_set_up(struct system_job *j)
{
	enum hs_status s = HS_OK;

	for (int i = -1; s == HS_OK && (i = system_next(&j->system, i)) >= 0;)
		s = set_up_part(j, j->part[i]);
	return s;
}
