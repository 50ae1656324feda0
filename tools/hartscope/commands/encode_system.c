/* hartscope encode --system: the harts of a recording through a trace system. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <hartscope/encode.h>

#include "commands/encode_job.h"

#define SINKS 64

/* What a sink gets. */
struct sink {
	char *path;
	struct new_file file; /* of @out, which is not NULL while it is open */
	FILE *out;
};

struct system_job {
	const struct options *o;
	const char *file;
	struct hs_trace_system *system;
	struct sink sinks[SINKS]; /* by component */
	struct damage damage;
	struct hs_error error;
};

/* ---- what the library asks for -------------------------------------------------------- */

static bool write_sink(void *job, unsigned i, const void *bytes, size_t n)
{
	struct system_job *j = job;

	fwrite(bytes, 1, n, j->sinks[i].out); /* flush_file() says where that failed */
	return true;
}

static enum hs_status open_range(void *job, struct hs_source *source, struct hs_error *e)
{
	const struct system_job *j = job;

	return range_set(j->o, j->o->args[0], source, e);
}

static void take_fault(void *job, const struct hs_encode_fault *f)
{
	encode_add_fault(&((struct system_job *)job)->damage, f);
}

static void note(void *job, const char *text)
{
	complain("%s: %s", ((const struct system_job *)job)->file, text);
}

/* ---- files ------------------------------------------------------------------------------ */

static char *sink_path(const char *folder, const struct hs_trace_component *c)
{
	const char *name = hs_tc_component_name(c->kind);
	const size_t room = strlen(folder) + 64;
	char *path = malloc(room);

	if (path)
		snprintf(path, room, "%s/%s-0x%llx.trace", folder, name,
		         (unsigned long long)c->base);
	return path;
}

static enum hs_status open_sinks(struct system_job *j)
{
	struct hs_trace_component c;

	for (unsigned i = 0; hs_trace_system_get(j->system, i, &c); i++) {
		struct sink *s = &j->sinks[i];

		if (!c.sink)
			continue;
		s->path = sink_path(j->o->output, &c);
		if (!s->path)
			return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
		if (new_file_open_trace(&s->file, s->path))
			s->out = new_file_stream(&s->file);
		if (!s->out)
			return hs_error_set(&j->error, HS_E_SYSTEM, "%s: cannot be written",
			                    s->path);
	}
	return HS_OK;
}

static bool put_text(void *out, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, out) == n;
}

/* A file of a sink is whole. */
static enum hs_status flush_file(struct system_job *j, FILE *out, const char *path)
{
	return fflush(out) == 0 && !ferror(out)
	               ? HS_OK
	               : hs_error_set(&j->error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
}

/* All of it, as new files. */
static enum hs_status write_files(struct system_job *j, unsigned i,
                                  const struct new_file *registers, FILE *out)
{
	const struct sink *s = &j->sinks[i];
	enum hs_status status;

	(void)hs_trace_system_write_registers(j->system, i, put_text, out);
	status = flush_file(j, s->out, s->path);
	if (status == HS_OK)
		status = flush_file(j, out, registers->path);
	return status == HS_OK
	               ? hs_trace_system_write_params(j->system, i, new_file_stem(registers),
	                                              new_file_stem(&s->file), &j->error)
	               : status;
}

/* Give the new files their names; the trace first: its parameters are in TRACE.json, too. */
static enum hs_status move_files(struct system_job *j, struct sink *s, struct new_file *registers,
                                 FILE *out)
{
	const bool moved = new_file_end(&s->file, s->out);

	s->out = NULL;
	if (moved && new_file_end(registers, out))
		return HS_OK;
	if (!moved) {
		fclose(out);
		new_file_discard(registers);
	}
	return hs_error_set(&j->error, HS_E_SYSTEM, "%s: cannot be written", s->path);
}

static enum hs_status finish_sink(struct system_job *j, unsigned i)
{
	struct sink *s = &j->sinks[i];
	char *path = with_ending(s->path, ".trace", ".regs");
	struct new_file registers;
	FILE *out = path && new_file_open(&registers, path) ? new_file_stream(&registers) : NULL;
	enum hs_status status = out ? write_files(j, i, &registers, out)
	                            : hs_error_set(&j->error, path ? HS_E_SYSTEM : HS_E_MEMORY,
	                                           "%s: the registers cannot be written", s->path);

	if (status == HS_OK) {
		status = move_files(j, s, &registers, out);
	} else if (out) {
		fclose(out);
		new_file_discard(&registers);
	}
	free(path);
	return status;
}

static enum hs_status finish_sinks(struct system_job *j)
{
	enum hs_status status = HS_OK;

	for (unsigned i = 0; i < SINKS && status == HS_OK; i++)
		if (j->sinks[i].out)
			status = finish_sink(j, i);
	return status;
}

/* ---- result ----------------------------------------------------------------------------- */

/* For people, only what is true. */
static void report_flag(struct report *r, const char *key, const char *text, bool flag)
{
	if (r->json)
		report_bool(r, key, "", flag);
	else if (flag)
		report_text(r, key, "", text);
}

static void report_component(struct report *r, const struct hs_trace_component *c, const char *path)
{
	char name[64];

	report_row(r);
	snprintf(name, sizeof(name), "%s at 0x%llx", hs_tc_component_name(c->kind),
	         (unsigned long long)c->base);
	report_text(r, "component", "", name);
	if (c->kind == HS_TC_ENCODER) {
		report_u64(r, "blocks", "blocks", c->blocks);
		report_u64(r, "stalled_cycles", "cycles stalled", c->stalled_cycles);
		report_flag(r, "stall_or_overflow", "trTeInstStallOrOverflow",
		            hs_tc_get(c->registers, HS_TC_ENCODER,
		                      HS_TCF_TE_INST_STALL_OR_OVERFLOW) != 0);
		report_flag(r, "stuck", "stalled for good", c->stuck);
	} else if (path) {
		report_text(r, "trace", "", path);
		report_u64(r, "bytes", "bytes", c->bytes);
	}
	report_row_end(r);
}

static void print_summary(const struct system_job *j)
{
	struct hs_trace_component c;
	struct report r;

	report_begin(&r, stdout, j->o->json);
	report_u64(&r, "cycles", "cycles", hs_trace_system_cycles(j->system));
	report_list(&r, "components", "components");
	for (unsigned i = 0; hs_trace_system_get(j->system, i, &c); i++)
		report_component(&r, &c, j->sinks[i].path);
	report_list_end(&r);
	report_end(&r);
}

/* ---- the command ------------------------------------------------------------------------ */

static void close_job(struct system_job *j)
{
	for (unsigned i = 0; i < SINKS; i++) {
		if (j->sinks[i].out) {
			fclose(j->sinks[i].out);
			new_file_discard(&j->sinks[i].file);
		}
		free(j->sinks[i].path);
	}
	hs_trace_system_free(j->system);
}

static enum hs_status make_folder(struct system_job *j)
{
	if (!j->o->output)
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "--system needs -o FOLDER for what its sinks hold");
	if (mkdir(j->o->output, 0777) != 0 && errno != EEXIST)
		return hs_error_set(&j->error, HS_E_SYSTEM, "%s: %s", j->o->output,
		                    strerror(errno));
	return HS_OK;
}

static enum hs_status run(struct system_job *j, const struct hs_source_options *source)
{
	const struct hs_trace_system_options so = { .size = sizeof(so),
		                                    .params = &j->o->params,
		                                    .source = source,
		                                    .to = j,
		                                    .write = write_sink,
		                                    .opened = open_range,
		                                    .fault = take_fault,
		                                    .note = note };
	enum hs_status s = make_folder(j);

	if (s == HS_OK)
		s = hs_trace_system_new(j->file, &j->system, &j->error);
	if (s == HS_OK)
		s = hs_trace_system_open(j->system, &so, &j->error);
	if (s == HS_OK)
		s = open_sinks(j);
	if (s == HS_OK)
		s = hs_trace_system_run(j->system, &j->error);
	return s == HS_OK ? finish_sinks(j) : s;
}

int encode_system(const struct options *o, const char *file)
{
	static struct system_job j; /* what is open is closed with it */
	struct hs_source_options source = recording_options(o, o->args[0]);
	int status = EXIT_GOOD;

	source.no_code = !o->range.given && !source.guest_count;
	source.clock = &o->store.clock;
	j.o = o;
	j.file = file;
	const enum hs_status s = run(&j, &source);

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
