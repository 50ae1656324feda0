/* hartscope import: executions that other tools wrote down. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/import.h>
#include <hartscope/port.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "import",
	.form = "--from spike|csv|port|port-cycles|pcs [--elf FILE]... -o REC FILE",
	.text =
	"Makes a recording from what another tool wrote: the log of Spike (spike -l\n"
	"--log-commits), ingress rows as CSV (encoder_input of the E-Trace reference flow),\n"
	"cycles of a trace ingress port (rows under the names of its signals, or the NAME=VALUE\n"
	"lines of PULP's trace debugger; port-cycles: the number of a row is its time), or a\n"
	"list of PCs, one a line, which needs the program.\n"
	"The code of --elf and --bin is stored in it.  '-' reads standard input.",
	.example = "  spike -l --log-commits --log=app.log app.elf\n"
		   "  hartscope import --from spike --elf app.elf -o app.rec app.log",
	.set = OPT_OUTPUT | OPT_JSON | OPT_CODE | OPT_IMPORT | OPT_QUIET,
	.min_args = 1,
	.max_args = 1,
};

#define BATCH 4096
#define PIECE 65536

/* An importer of src/ingress, as this command uses it. */
struct importer {
	const char *name;
	size_t size;
	enum hs_status (*init)(void *state, const struct hs_image *image);
	enum hs_status (*feed)(void *state, struct hs_span *in, struct hs_blocks *out);
	enum hs_status (*flush)(void *state, struct hs_blocks *out);
	uint64_t (*line)(const void *state);
};

static enum hs_status spike_init(void *s, const struct hs_image *image)
{
	return hs_spike_init(s, &image->isa);
}

static enum hs_status csv_init(void *s, const struct hs_image *image)
{
	return hs_csv_init(s, image->count ? image : NULL, image->isa.xlen);
}

static enum hs_status pcs_init(void *s, const struct hs_image *image)
{
	return hs_pcs_init(s, image);
}

static enum hs_status port_text_init(void *s, const struct hs_image *image)
{
	return hs_port_text_init(s, image, image->isa.xlen);
}

static enum hs_status port_cycles_init(void *s, const struct hs_image *image)
{
	const enum hs_status status = port_text_init(s, image);

	((struct hs_port_text *)s)->cycle_time = 1;
	return status;
}

/* Importers take their own type; these take any. */
#define IMPORTER(name) \
	static enum hs_status name##_feed(void *s, struct hs_span *in, struct hs_blocks *out) \
	{ \
		return hs_##name##_feed(s, in, out); \
	} \
	static enum hs_status name##_flush(void *s, struct hs_blocks *out) \
	{ \
		return hs_##name##_flush(s, out); \
	} \
	static uint64_t name##_line(const void *s) \
	{ \
		return ((const struct hs_##name *)s)->lines.number; \
	}
IMPORTER(spike)
IMPORTER(csv)
IMPORTER(port_text)
IMPORTER(pcs)

static const struct importer importers[] = {
	{ "spike", sizeof(struct hs_spike), spike_init, spike_feed, spike_flush, spike_line },
	{ "csv", sizeof(struct hs_csv), csv_init, csv_feed, csv_flush, csv_line },
	{ "port", sizeof(struct hs_port_text), port_text_init, port_text_feed, port_text_flush,
	  port_text_line },
	{ "port-cycles", sizeof(struct hs_port_text), port_cycles_init, port_text_feed,
	  port_text_flush, port_text_line },
	{ "pcs", sizeof(struct hs_pcs), pcs_init, pcs_feed, pcs_flush, pcs_line },
};

struct job {
	const struct importer *importer;
	void *state;
	const char *path;
	FILE *in;
	struct hs_program *program;
	struct hs_rec_writer *writer;
	uint64_t blocks, gaps;
	struct damage damage;
	struct hs_error error;
	struct hs_block batch[BATCH];
	struct hs_blocks out;
};

static enum hs_status empty(struct job *j)
{
	const size_t n = j->out.n;

	for (size_t i = 0; i < n; i++) {
		j->blocks += j->batch[i].kind == HS_KIND_BLOCK;
		j->gaps += j->batch[i].kind == HS_KIND_GAP;
	}
	j->out.n = 0;
	return n ? hs_rec_write(j->writer, j->batch, n, &j->error) : HS_OK;
}

/* A damaged line is reported and skipped. */
static void damaged(struct job *j, enum hs_status s)
{
	struct hs_error e;

	hs_error_set(&e, s, "%s: line %llu: %s", j->path,
	             (unsigned long long)j->importer->line(j->state), hs_status_text(s));
	damage_add(&j->damage, &e, HS_REASON_NONE);
}

static enum hs_status feed(struct job *j, struct hs_span in)
{
	enum hs_status s = HS_OK;

	while (in.n && s == HS_OK) {
		const enum hs_status f = j->importer->feed(j->state, &in, &j->out);

		if (f != HS_MORE && f != HS_FULL)
			damaged(j, f);
		s = empty(j);
	}
	return s;
}

static enum hs_status import_all(struct job *j)
{
	static uint8_t text[PIECE];
	enum hs_status s = HS_OK, f;
	size_t n;

	for (;;) {
		n = fread(text, 1, sizeof(text), j->in);
		if (s != HS_OK || !n)
			break;
		s = feed(j, (struct hs_span){ text, n });
	}
	for (f = HS_FULL; s == HS_OK && f == HS_FULL; s = empty(j))
		f = j->importer->flush(j->state, &j->out);
	if (s == HS_OK && f != HS_OK)
		damaged(j, f);
	return s;
}

static enum hs_status add_code(struct job *j, const struct options *o)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < o->source.code_count && s == HS_OK; i++) {
		const struct hs_code_file *f = &o->code[i];

		if (f->kind == HS_CODE_ELF)
			s = hs_program_add_elf(j->program, f->path, f->address, &j->error);
		else if (f->kind == HS_CODE_RAW)
			s = hs_program_add_raw(j->program, f->path, f->address, &j->error);
		else
			s = hs_error_set(&j->error, HS_E_CONFIG, "import takes no --image");
	}
	return s;
}

static enum hs_status prepare(struct job *j, const struct options *o)
{
	if (hs_program_new(&j->program) != HS_OK)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	struct hs_image *image = hs_program_image(j->program);
	image->isa.xlen = (uint8_t)o->xlen; /* an ELF file says it itself */
	const enum hs_status s = add_code(j, o);

	if (s != HS_OK)
		return s;
	j->state = calloc(1, j->importer->size);
	if (!j->state)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	if (j->importer->init(j->state, image) != HS_OK)
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    j->importer->init == pcs_init
		                            ? "a list of PCs needs the program: --elf"
		                            : "--xlen is 32 or 64");
	j->in = strcmp(j->path, "-") == 0 ? stdin : fopen(j->path, "re");
	if (!j->in)
		return hs_error_set(&j->error, HS_E_SYSTEM, "%s: %s", j->path, strerror(errno));
	return HS_OK;
}

static enum hs_status create(struct job *j, const struct options *o)
{
	const bool elf = o->source.code_count && o->code[0].kind == HS_CODE_ELF;
	char made_by[300];
	const struct flow f = { .path = o->output, .made_by = made_by, .program = j->program,
		                .program_path = elf ? o->code[0].path : NULL };

	snprintf(made_by, sizeof(made_by), "import %s %.250s", j->importer->name, j->path);
	return create_flow(&f, &j->writer, &j->error);
}

static int run(struct job *j, const struct options *o)
{
	struct report r;

	if (prepare(j, o) != HS_OK || create(j, o) != HS_OK)
		return fail(&j->error);
	const enum hs_status s = import_all(j);

	if (s != HS_OK) {
		const int status = fail(&j->error);

		hs_rec_finish(j->writer, false, "cut", NULL);
		return status;
	}
	if (hs_rec_finish(j->writer, true, "end of the input", &j->error) != HS_OK)
		return fail(&j->error);
	if (!o->quiet || o->json) {
		report_begin(&r, stdout, o->json);
		report_text(&r, "recording", "recording", o->output);
		report_u64(&r, "blocks", "blocks", j->blocks);
		report_u64(&r, "gaps", "gaps", j->gaps);
		report_u64(&r, "errors", "errors", j->damage.count);
		report_end(&r);
	}
	return damage_exit(&j->damage);
}

static const struct importer *find_importer(const char *name)
{
	for (size_t i = 0; name && i < sizeof(importers) / sizeof(*importers); i++)
		if (strcmp(importers[i].name, name) == 0)
			return &importers[i];
	complain("import needs --from spike, csv, port, port-cycles or pcs");
	return NULL;
}

int cmd_import(int argc, char **argv)
{
	struct options o;
	struct job *j;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (!o.output) {
		complain("import needs -o REC");
		return EXIT_USAGE;
	}
	j = calloc(1, sizeof(*j));
	if (j)
		j->importer = find_importer(o.from_format);
	if (!j || !j->importer) {
		free(j);
		return EXIT_USAGE;
	}
	j->path = o.args[0];
	j->out = (struct hs_blocks){ j->batch, BATCH, 0 };
	status = run(j, &o);
	if (j->in && j->in != stdin)
		fclose(j->in);
	hs_program_free(j->program);
	free(j->state);
	free(j);
	return status;
}
