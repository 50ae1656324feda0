/* hartscope encode --system: the harts of a recording through a trace system. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <hartscope/registers.h>

#include "common/system.h"

/* Bits of every tr??Control. */
enum { ENABLE = 2, EMPTY = 8 };

/* ---- the run ------------------------------------------------------------------------ */

static void clock_pins(struct system_job *j, uint64_t clocks)
{
	for (unsigned i = 0; i < j->system.count; i++)
		if (j->part[i]->c->kind == HS_TC_PIB)
			hs_dev_clock(&j->dev, &j->part[i]->node, clocks);
	j->now += clocks;
}

/* Pins still have something to send. */
static bool is_draining(const struct system_job *j)
{
	bool draining = false;

	for (unsigned i = 0; i < j->system.count; i++)
		draining |= j->part[i]->c->kind == HS_TC_PIB &&
		            !(system_read_reg(j->part[i], 0) & EMPTY);
	return draining;
}

/* The clocks of a hart, up to the end of its next block. */
static void pass_time(struct system_job *j, struct part *p, uint64_t time)
{
	const uint64_t clocks = time > p->time ? time - p->time : 0;
	struct hs_tc *tc = &p->encoder.device.tc;

	hs_tc_tick(tc, HS_TC_SYSTEM, clocks, false);
	hs_tc_tick(tc, HS_TC_CORE, clocks, false);
	if (time > j->now)
		clock_pins(j, time - j->now);
	p->time = time;
}

/* An item of a hart, which may have to wait for pins. */
static void run_item(struct system_job *j, struct part *p, const struct hs_block *b)
{
	enum hs_status s = HS_FULL;
	size_t used = 0;

	if (b->kind == HS_KIND_TIME)
		pass_time(j, p, b->value);
	p->blocks += b->kind == HS_KIND_BLOCK;
	while (s == HS_FULL && !p->stuck) {
		s = hs_dev_run(&j->dev, &p->encoder, b, 1, &used);
		if (s != HS_FULL)
			break;
		p->stuck = !is_draining(j);
		p->stalled++;
		clock_pins(j, 1);
	}
	if (s != HS_OK && s != HS_FULL) {
		struct hs_error e = { 0 };

		hs_error_set(&e, s, "the encoder cannot trace a block of 0x%llx: %s",
		             (unsigned long long)b->iaddr, hs_status_text(s));
		damage_add(&j->damage, &e, HS_REASON_NONE);
	}
}

/* The hart whose time is the earliest. */
static struct part *next_hart(struct system_job *j)
{
	struct part *next = NULL;

	for (unsigned i = 0; i < j->system.count; i++) {
		struct part *p = j->part[i];

		if (p->c->kind == HS_TC_ENCODER && !p->ended && (!next || p->time < next->time))
			next = p;
	}
	return next;
}

/* Up to the next block. */
static void run_hart(struct system_job *j, struct part *p)
{
	bool more = true;

	while (more && !p->ended) {
		if (p->at == p->reader.n) {
			p->at = 0;
			p->ended = !reader_fill(&p->reader);
			continue;
		}
		const struct hs_block *b = &p->items[p->at++];

		run_item(j, p, b);
		more = b->kind != HS_KIND_BLOCK;
		p->ended |= p->stuck;
	}
}

/* tr??Enable 0 for each component, encoders first, and wait until they are empty (TCI 11.3). */
static void disable_all(struct system_job *j)
{
	int order[SYSTEM_COMPONENTS], n = 0;

	for (int i = -1; (i = system_next(&j->system, i)) >= 0;)
		order[n++] = i;
	while (n) {
		struct part *p = j->part[order[--n]];

		system_write_reg(p, 0, system_read_reg(p, 0) & ~(uint32_t)ENABLE);
		while (!(system_read_reg(p, 0) & EMPTY) && is_draining(j))
			clock_pins(j, 1);
	}
}

/* ---- results ------------------------------------------------------------------------ */

/* Registers that say something: filters and comparators that are 0 do not. */
static bool says_something(const struct hs_tc_regs *r, const struct hs_tc_place *p)
{
	return (r->known[p->word / 32] >> p->word % 32 & 1u) &&
	       (r->word[p->word] || p->component != HS_TC_ENCODER || p->offset < 0x400);
}

static void dump_part(struct part *p, FILE *out)
{
	const struct hs_tc_regs *known = system_regs_of(p);
	struct hs_tc_regs r = *known;
	struct hs_tc_place place;
	char line[HS_TC_LINE_MAX];

	fprintf(out, "[%s 0x%llx]\n", hs_tc_component_name(p->c->kind),
	        (unsigned long long)p->c->base);
	for (unsigned w = 0; hs_tc_next(w, &place); w = place.word + 1u) {
		if (place.component != p->c->kind || place.reg == HS_TCR_RAM_DATA)
			continue;
		r.word[place.word] = system_read_reg(p, place.offset);
		if (!says_something(&r, &place))
			continue;
		hs_tc_print(&r, &place, line, sizeof(line));
		fprintf(out, "%s\n", line);
	}
}

/* A file of a sink is whole. */
static enum hs_status flush_file(struct system_job *j, FILE *out, const char *path)
{
	return fflush(out) == 0 && !ferror(out)
	               ? HS_OK
	               : hs_error_set(&j->error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
}

/* The registers of a sink and of all that leads to it. */
static void write_registers(struct system_job *j, unsigned sink, FILE *out)
{
	for (unsigned i = 0; i < j->system.count; i++)
		if (system_is_reached(j, i, sink))
			dump_part(j->part[i], out);
}

/* The buffer where it wrapped, else what was stored. */
static void write_memory(struct part *p)
{
	const uint64_t wp = system_ram_address(system_regs_of(p), HS_TCF_RAM_WP_LOW_BITS,
	                               HS_TCF_RAM_WP_HIGH_BITS);
	const uint64_t start = system_ram_address(system_regs_of(p), HS_TCF_RAM_START_LOW_BITS,
	                                  HS_TCF_RAM_START_HIGH_BITS);
	const uint64_t limit = system_ram_address(system_regs_of(p), HS_TCF_RAM_LIMIT_LOW_BITS,
	                                  HS_TCF_RAM_LIMIT_HIGH_BITS);
	const bool wrapped = hs_tc_get(system_regs_of(p), HS_TC_RAM, HS_TCF_RAM_WRAP);

	p->bytes = wrapped ? limit - start + 4 : wp - start;
	fwrite(p->memory + (start - p->start), 1, p->bytes, p->out);
}

static const char *transport_of(const struct part *p)
{
	static const char *const names[] = { "pins1", "pins2", "pins4", "pins8", "pins16" };
	const uint32_t mode = hs_tc_get(system_regs_of(p), HS_TC_PIB, HS_TCF_PIB_MODE);

	return p->c->kind == HS_TC_PIB && mode >= 8 && mode <= 12 ? names[mode - 8] : NULL;
}

/* TRACE.json of a sink: the parameters by its registers, and the recording. */
static enum hs_status write_params(struct system_job *j, unsigned sink, const char *registers)
{
	struct part *p = j->part[sink];
	struct hs_trace_params *params = NULL;
	bool messages;
	enum hs_status s = system_null_run(j, sink, &messages)
	                           ? hs_trace_params_copy(j->etrace, &params)
	                           : hs_trace_params_new("ntrace", &params, &j->error);

	if (s == HS_OK)
		s = hs_trace_params_read_registers(params, registers, &j->error);
	if (s == HS_OK)
		s = hs_trace_params_set_recording(params, j->o->args[0]);
	if (s == HS_OK)
		s = hs_trace_params_set_transport(params, transport_of(p));
	if (s == HS_OK)
		s = hs_trace_params_write_beside(params, new_file_stem(&p->file), &j->error);
	hs_trace_params_free(params);
	return s;
}

/* All of it, as new files. */
static enum hs_status write_files(struct system_job *j, unsigned sink, struct new_file *registers,
                                  FILE *out)
{
	struct part *p = j->part[sink];
	enum hs_status s;

	if (p->c->kind == HS_TC_RAM)
		write_memory(p);
	write_registers(j, sink, out);
	s = flush_file(j, p->out, p->path);
	if (s == HS_OK)
		s = flush_file(j, out, registers->path);
	return s == HS_OK ? write_params(j, sink, new_file_stem(registers)) : s;
}

/* Give the new files their names; the trace first: its parameters are in TRACE.json, too. */
static enum hs_status move_files(struct system_job *j, struct part *p, struct new_file *registers,
                                 FILE *out)
{
	const bool moved = new_file_end(&p->file, p->out);

	p->out = NULL;
	if (moved && new_file_end(registers, out))
		return HS_OK;
	if (!moved) {
		fclose(out);
		new_file_discard(registers);
	}
	return hs_error_set(&j->error, HS_E_SYSTEM, "%s: cannot be written", p->path);
}

static enum hs_status write_sink(struct system_job *j, unsigned sink)
{
	struct part *p = j->part[sink];
	char *path = with_ending(p->path, ".trace", ".regs");
	struct new_file registers;
	FILE *out = path && new_file_open(&registers, path) ? new_file_stream(&registers) : NULL;
	enum hs_status s = out ? write_files(j, sink, &registers, out)
	                       : hs_error_set(&j->error, path ? HS_E_SYSTEM : HS_E_MEMORY,
	                                      "%s: the registers cannot be written", p->path);

	if (s == HS_OK) {
		s = move_files(j, p, &registers, out);
	} else if (out) {
		fclose(out);
		new_file_discard(&registers);
	}
	free(path);
	return s;
}

static enum hs_status write_sinks(struct system_job *j)
{
	enum hs_status s = HS_OK;

	for (unsigned i = 0; i < j->system.count && s == HS_OK; i++)
		if (j->part[i]->out)
			s = write_sink(j, i);
	return s;
}

/* For people, only what is true. */
static void report_flag(struct report *r, const char *key, const char *text, bool flag)
{
	if (r->json)
		report_bool(r, key, "", flag);
	else if (flag)
		report_text(r, key, "", text);
}

static void report_part(struct report *r, struct part *p)
{
	const struct hs_tc_regs *regs = system_regs_of(p);
	char name[64];

	report_row(r);
	report_text(r, "component", "", system_name(p->c, name, sizeof(name)));
	if (p->c->kind == HS_TC_ENCODER) {
		report_u64(r, "blocks", "blocks", p->blocks);
		report_u64(r, "stalled_cycles", "cycles stalled", p->stalled);
		report_flag(r, "stall_or_overflow", "trTeInstStallOrOverflow",
		            hs_tc_get(regs, HS_TC_ENCODER, HS_TCF_TE_INST_STALL_OR_OVERFLOW) != 0);
		report_flag(r, "stuck", "stalled for good", p->stuck);
	} else if (p->path) {
		report_text(r, "trace", "", p->path);
		report_u64(r, "bytes", "bytes", p->bytes);
	}
	report_row_end(r);
}

static void print_summary(struct system_job *j)
{
	struct report r;

	report_begin(&r, stdout, j->o->json);
	report_u64(&r, "cycles", "cycles", j->now);
	report_list(&r, "components", "components");
	for (unsigned i = 0; i < j->system.count; i++)
		report_part(&r, j->part[i]);
	report_list_end(&r);
	report_end(&r);
}

static void close_job(struct system_job *j)
{
	for (unsigned i = 0; i < j->system.count && j->part[i]; i++) {
		struct part *p = j->part[i];

		hs_source_close(p->source);
		if (p->out) {
			fclose(p->out);
			new_file_discard(&p->file);
		}
		free(p->path);
		free(p->memory);
		free(p);
	}
	system_free(&j->system);
	hs_trace_params_free(j->etrace);
	hs_source_close(j->source);
}

static enum hs_status open_job(struct system_job *j)
{
	struct hs_source_options so = recording_options(j->o, j->o->args[0]);

	so.no_code = !j->o->range.given && !so.guest_count;
	so.clock = &j->o->store.clock;

	if (!j->o->output)
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "--system needs -o FOLDER for what its sinks hold");
	if (mkdir(j->o->output, 0777) != 0 && errno != EEXIST)
		return hs_error_set(&j->error, HS_E_SYSTEM, "%s: %s", j->o->output,
		                    strerror(errno));
	enum hs_status s = system_read(j->file, &j->system, &j->error);

	if (s == HS_OK)
		s = hs_source_open(&so, &j->source, &j->error);
	return s == HS_OK ? range_set(j->o, so.path, j->source, &j->error) : s;
}

static enum hs_status run(struct system_job *j)
{
	enum hs_status s = open_job(j);

	if (s == HS_OK)
		s = system_open(j);
	if (s == HS_OK)
		s = system_set_up(j);
	if (s != HS_OK)
		return s;
	for (struct part *p = next_hart(j); p; p = next_hart(j))
		run_hart(j, p);
	disable_all(j);
	return write_sinks(j);
}

int encode_system(const struct options *o, const char *file)
{
	struct system_job j = { .o = o, .file = file };
	const enum hs_status s = run(&j);
	int status = EXIT_GOOD;

	if (s != HS_OK) {
		if (j.error.status == HS_OK) /* without memory not all say why */
			hs_error_set(&j.error, s, "%s", hs_status_text(s));
		status = fail(&j.error);
	} else {
		if (!o->quiet || o->json)
			print_summary(&j);
		status = damage_exit(&j.damage);
	}
	close_job(&j);
	return status;
}
