/* The harts of a recording through a trace system, and what its sinks then have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "encode/system.h"
#include "trace/trace.h"

/* Bits of every tr??Control. */
enum { ENABLE = 2, EMPTY = 8 };

static struct system_part *part_of(const struct hs_trace_system *s, unsigned i)
{
	return i < s->count ? s->part[i] : NULL;
}

/* ---- set-up ------------------------------------------------------------------------- */

static enum hs_status open_source(struct hs_trace_system *s)
{
	enum hs_status status = hs_source_open(s->o.source, &s->source, &s->error);

	if (status == HS_OK && s->o.opened)
		status = s->o.opened(s->o.to, s->source, &s->error);
	return status;
}

/* Without memory not all say why. */
static enum hs_status say_why(const struct hs_trace_system *s, enum hs_status status,
                              struct hs_error *error)
{
	if (s->error.status == HS_OK)
		return hs_error_set(error, status, "%s", hs_status_text(status));
	if (error)
		*error = s->error;
	return status;
}

enum hs_status hs_trace_system_open(struct hs_trace_system *s,
                                    const struct hs_trace_system_options *options,
                                    struct hs_error *error)
{
	enum hs_status status = base_take_config(&s->o, sizeof(s->o), options);

	if (status != HS_OK)
		return hs_error_set(error, status, "options of a system that this library lacks");
	s->faults = (struct encode_faults){ s->o.fault, s->o.to };
	status = open_source(s);
	if (status == HS_OK)
		status = system_open(s);
	if (status == HS_OK)
		status = system_set_up(s);
	return status == HS_OK ? HS_OK : say_why(s, status, error);
}

void hs_trace_system_free(struct hs_trace_system *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->count; i++) {
		if (s->part[i]) {
			hs_source_close(s->part[i]->source);
			free(s->part[i]->memory);
		}
		free(s->part[i]);
		free(s->at[i]);
	}
	hs_trace_params_free(s->etrace);
	hs_source_close(s->source);
	free(s);
}

/* ---- the run ------------------------------------------------------------------------ */

static void clock_pins(struct hs_trace_system *s, uint64_t clocks)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->part[i]->c->kind == HS_TC_PIB)
			hs_dev_clock(&s->dev, &s->part[i]->node, clocks);
	s->now += clocks;
}

/* Pins still have something to send. */
static bool is_draining(const struct hs_trace_system *s)
{
	bool draining = false;

	for (unsigned i = 0; i < s->count; i++)
		draining |= s->part[i]->c->kind == HS_TC_PIB &&
		            !(system_read_reg(s->part[i], 0) & EMPTY);
	return draining;
}

/* The clocks of a hart, up to the end of its next block. */
static void pass_time(struct hs_trace_system *s, struct system_part *p, uint64_t time)
{
	const uint64_t clocks = time > p->time ? time - p->time : 0;
	struct hs_tc *tc = &p->encoder.device.tc;

	hs_tc_tick(tc, HS_TC_SYSTEM, clocks, false);
	hs_tc_tick(tc, HS_TC_CORE, clocks, false);
	if (time > s->now)
		clock_pins(s, time - s->now);
	p->time = time;
}

/* An item of a hart, which may have to wait for pins. */
static void run_item(struct hs_trace_system *s, struct system_part *p, const struct hs_block *b)
{
	enum hs_status status = HS_FULL;
	size_t used = 0;

	if (b->kind == HS_KIND_TIME)
		pass_time(s, p, b->value);
	p->blocks += b->kind == HS_KIND_BLOCK;
	while (status == HS_FULL && !p->stuck) {
		status = hs_dev_run(&s->dev, &p->encoder, b, 1, &used);
		if (status != HS_FULL)
			break;
		p->stuck = !is_draining(s);
		p->stalled++;
		clock_pins(s, 1);
	}
	if (status != HS_OK && status != HS_FULL) {
		struct hs_error e = { 0 };

		hs_error_set(&e, status, "the encoder cannot trace a block of 0x%llx: %s",
		             (unsigned long long)b->iaddr, hs_status_text(status));
		encode_fault(&s->faults, &e, NULL);
	}
}

/* The hart whose time is the earliest. */
static struct system_part *next_hart(struct hs_trace_system *s)
{
	struct system_part *next = NULL;

	for (unsigned i = 0; i < s->count; i++) {
		struct system_part *p = s->part[i];

		if (p->c->kind == HS_TC_ENCODER && !p->ended && (!next || p->time < next->time))
			next = p;
	}
	return next;
}

/* Up to the next block. */
static void run_hart(struct hs_trace_system *s, struct system_part *p)
{
	bool more = true;

	while (more && !p->ended) {
		if (p->at == p->n) {
			p->at = 0;
			p->ended =
				!encode_read(p->source, &s->faults, p->items, SYSTEM_BATCH, &p->n);
			continue;
		}
		const struct hs_block *b = &p->items[p->at++];

		run_item(s, p, b);
		more = b->kind != HS_KIND_BLOCK;
		p->ended |= p->stuck;
	}
}

/* tr??Enable 0 for each component, encoders first, and wait until they are empty (TCI 11.3). */
static void disable_all(struct hs_trace_system *s)
{
	for (unsigned i = s->count; i--;) {
		struct system_part *p = s->part[s->order[i]];

		system_write_reg(p, 0, system_read_reg(p, 0) & ~(uint32_t)ENABLE);
		while (!(system_read_reg(p, 0) & EMPTY) && is_draining(s))
			clock_pins(s, 1);
	}
}

/* The buffer where it wrapped, else what was stored. */
static void give_memory(struct hs_trace_system *s, struct system_part *p)
{
	const struct hs_tc_regs *r = system_regs_of(p);
	const uint64_t wp = system_ram_address(r, HS_TCF_RAM_WP_LOW_BITS, HS_TCF_RAM_WP_HIGH_BITS);
	const uint64_t start =
		system_ram_address(r, HS_TCF_RAM_START_LOW_BITS, HS_TCF_RAM_START_HIGH_BITS);
	const uint64_t limit =
		system_ram_address(r, HS_TCF_RAM_LIMIT_LOW_BITS, HS_TCF_RAM_LIMIT_HIGH_BITS);

	p->bytes = hs_tc_get(r, HS_TC_RAM, HS_TCF_RAM_WRAP) ? limit - start + 4 : wp - start;
	if (p->bytes &&
	    !s->o.write(s->o.to, p->number, p->memory + (start - p->start), (size_t)p->bytes))
		s->unwritten = true;
}

enum hs_status hs_trace_system_run(struct hs_trace_system *s, struct hs_error *error)
{
	for (struct system_part *p = next_hart(s); p; p = next_hart(s))
		run_hart(s, p);
	disable_all(s);
	for (unsigned i = 0; i < s->count; i++) {
		if (s->part[i]->c->kind == HS_TC_RAM)
			give_memory(s, s->part[i]);
		system_flush(s->part[i]);
	}
	return s->unwritten ? hs_error_set(error, HS_E_SYSTEM, "a trace cannot be written") : HS_OK;
}

/* ---- results ------------------------------------------------------------------------ */

uint64_t hs_trace_system_cycles(const struct hs_trace_system *s)
{
	return s->now;
}

/* Its place in s->order. */
static unsigned turn_of(const struct hs_trace_system *s, unsigned component)
{
	unsigned turn = 0;

	while (s->order[turn] != component)
		turn++;
	return turn;
}

bool hs_trace_system_get(const struct hs_trace_system *s, unsigned i,
                         struct hs_trace_component *out)
{
	if (i >= s->count)
		return false;
	const struct system_component *c = s->at[i];
	const struct system_part *p = part_of(s, i);

	*out = (struct hs_trace_component){ .kind = c->kind,
		                            .base = c->base,
		                            .turn = turn_of(s, i),
		                            .registers = p ? system_regs_of(p) : &c->dump.regs,
		                            .has_hart = c->hart_given,
		                            .hart = c->hart,
		                            .links = c->outs,
		                            .sink = system_is_sink(c) };
	for (unsigned n = 0; n < c->outs; n++) {
		out->link[n].base = s->at[c->out[n].to]->base;
		out->link[n].input = c->out[n].input;
	}
	if (!p)
		return true;
	out->bytes = p->bytes;
	out->blocks = p->blocks;
	out->stalled_cycles = p->stalled;
	out->stuck = p->stuck;
	return true;
}

/* Registers that say something: filters and comparators that are 0 do not. */
static bool says_something(const struct hs_tc_regs *r, const struct hs_tc_place *p)
{
	return (r->known[p->word / 32] >> p->word % 32 & 1u) &&
	       (r->word[p->word] || p->component != HS_TC_ENCODER || p->offset < 0x400);
}

static bool put_line(hs_write_fn write, void *to, const char *line)
{
	return write(to, line, strlen(line)) && write(to, "\n", 1);
}

static bool put_registers(struct system_part *p, hs_write_fn write, void *to)
{
	const struct hs_tc_regs *known = system_regs_of(p);
	struct hs_tc_regs r = *known;
	struct hs_tc_place place;
	char line[HS_TC_LINE_MAX];
	bool good;

	snprintf(line, sizeof(line), "[%s 0x%llx]", hs_tc_component_name(p->c->kind),
	         (unsigned long long)p->c->base);
	good = put_line(write, to, line);
	for (unsigned w = 0; good && hs_tc_next(w, &place); w = place.word + 1u) {
		if (place.component != p->c->kind || place.reg == HS_TCR_RAM_DATA)
			continue;
		r.word[place.word] = system_read_reg(p, place.offset);
		if (!says_something(&r, &place))
			continue;
		hs_tc_print(&r, &place, line, sizeof(line));
		good = put_line(write, to, line);
	}
	return good;
}

enum hs_status hs_trace_system_write_registers(struct hs_trace_system *s, unsigned i,
                                               hs_write_fn write, void *to)
{
	const struct system_part *p = part_of(s, i);
	bool good = true;

	if (!p || !system_is_sink(p->c))
		return HS_E_ARG;
	for (unsigned n = 0; good && n < s->count; n++)
		if (system_is_reached(s, n, i))
			good = put_registers(s->part[n], write, to);
	return good ? HS_OK : HS_E_SYSTEM;
}

static const char *transport_of(const struct system_part *p)
{
	static const char *const names[] = { "pins1", "pins2", "pins4", "pins8", "pins16" };
	const uint32_t mode = hs_tc_get(system_regs_of(p), HS_TC_PIB, HS_TCF_PIB_MODE);

	return p->c->kind == HS_TC_PIB && mode >= 8 && mode <= 12 ? names[mode - 8] : NULL;
}

enum hs_status hs_trace_system_write_params(struct hs_trace_system *s, unsigned i,
                                            const char *registers, const char *trace,
                                            struct hs_error *error)
{
	const struct system_part *p = part_of(s, i);
	struct hs_trace_params *params = NULL;
	enum hs_status status;
	bool messages;

	if (!p || !system_is_sink(p->c))
		return hs_error_set(error, HS_E_ARG, "component %u is no sink", i);
	status = system_null_run(s, i, &messages) ? hs_trace_params_copy(s->etrace, &params)
	                                          : hs_trace_params_new("ntrace", &params, error);
	if (status == HS_OK)
		status = hs_trace_params_read_registers(params, registers, error);
	if (status == HS_OK)
		status = hs_trace_params_set_recording(params, s->o.source->path);
	if (status == HS_OK)
		status = hs_trace_params_set_transport(params, transport_of(p));
	if (status == HS_OK)
		status = hs_trace_params_write_beside(params, trace, error);
	hs_trace_params_free(params);
	return status;
}
