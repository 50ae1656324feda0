/* Rows of the ingress port as stimuli for a test bench (docs/rtl.md). */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/encode.h>

#include "commands/export_port.h"

typedef unsigned long long ull;

bool is_port_format(const char *name)
{
	const char *other, *text;

	for (size_t i = 0; name && (other = hs_rows_format(i, &text)); i++)
		if (strcmp(other, name) == 0)
			return true;
	return false;
}

void port_settings_take(struct options *o, struct option_settings *p)
{
	size_t kept = 0;

	p->count = 0;
	for (size_t i = 0; i < o->params.setting_count; i++) {
		if (strncmp(o->store.settings.at[i].name, "port.", 5) == 0)
			p->at[p->count++] = o->store.settings.at[i];
		else
			o->store.settings.at[kept++] = o->store.settings.at[i];
	}
	o->params.setting_count = kept;
}

static bool write_text(void *file, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, file) == n;
}

static bool take_blocks(void *to, const struct hs_block *b, size_t n)
{
	return hs_rows_add(to, b, n) == HS_OK;
}

static int write_rows(struct hs_source *source, const struct options *o, struct hs_rows *r,
                      FILE *out, struct new_file *file, struct damage *damage)
{
	const struct block_taker taker = { "exporting", o->quiet, take_blocks, r, false };
	bool good = read_blocks(&taker, source, damage);
	uint64_t rows, skipped;

	if (hs_rows_end(r, &rows, &skipped) == HS_E_MEMORY)
		note_out_of_memory();
	good = fflush(out) == 0 && !ferror(out) && good;
	if (!good)
		complain("%s: %s", o->output ? o->output : "-", strerror(errno));
	if (skipped)
		complain("%llu blocks without code are left out", (ull)skipped);
	if (good && nothing_to_show(damage, false))
		return EXIT_FINDINGS;
	if (!good || !new_file_commit(file))
		return EXIT_DAMAGED;
	if (!o->quiet && o->output && strcmp(o->output, "-") != 0)
		fprintf(stderr, "hartscope: %s: %llu rows\n", o->output, (ull)rows);
	return EXIT_GOOD;
}

/* Report why there are no rows; the exit status. */
static int fail_rows(const char *path, const struct hs_error *e)
{
	if (e->status == HS_E_NOCODE)
		complain("%s: no code is known", path);
	else
		fail(e);
	return EXIT_USAGE;
}

int export_port(struct hs_source *source, const struct options *o, const char *format,
                const struct option_settings *p, struct new_file *file, struct damage *damage)
{
	FILE *out = fdopen(dup(file->fd), "w");
	const struct hs_rows_options ro = { .size = sizeof(ro),
		                            .threads = (uint32_t)o->jobs,
		                            .format = format,
		                            .settings = p->at,
		                            .setting_count = p->count,
		                            .image = hs_program_image(
						    hs_source_known(source)->program),
		                            .write = write_text,
		                            .to = out };
	struct hs_error e = { 0 };
	struct hs_rows *r = NULL;
	int status = EXIT_USAGE;

	if (out && hs_rows_new(&ro, &r, &e) == HS_OK)
		status = write_rows(source, o, r, out, file, damage);
	else if (out)
		status = fail_rows(o->args[0], &e);
	hs_rows_free(r);
	if (out)
		fclose(out);
	return status;
}
