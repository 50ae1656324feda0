/* Parts of a job (job_part.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/job_part.h"
#include "common/new_file.h"

#define FILE_MAX (INT64_C(1) << 40)

/* A number from 1 to JOB_PARTS_MAX and what is after it; 0: none. */
static uint32_t take_number(const char *text, const char **after)
{
	char *end;

	errno = 0;
	const unsigned long n = strtoul(text, &end, 10);

	*after = end;
	return *text < '0' || *text > '9' || errno || n > JOB_PARTS_MAX ? 0 : (uint32_t)n;
}

/* K/N, or of --parts N. */
static bool parse_part(void *to, const struct option_row *r, char *value)
{
	struct job_options *job = to;
	const bool all = strcmp(r->name, "--parts") == 0;
	const char *end = value;

	if (all) {
		job->parts = take_number(value, &end);
	} else {
		job->part = take_number(value, &end);
		job->parts = *end == '/' ? take_number(end + 1, &end) : 0;
	}
	if (!*end && job->parts && job->part <= job->parts && (job->part || all))
		return true;
	complain(all ? "--parts needs a number, not '%s'"
	             : "--part needs K/N, such as 3/8, not '%s'",
	         value);
	return false;
}

/* clang-format off */
const struct option_row options_part[] = {
	{ "--part", 0, "K/N",
	  "only part K of N of the trace, to a file; hartscope merge puts the parts together",
	  AS_PARSED(struct options, job, parse_part) },
	{ "--parts", 0, "N", "put the files of --part 1/N to N/N together",
	  AS_PARSED(struct options, job, parse_part) },
	{ "--work", 0, "DIR", "where these files are (TRACE.parts)",
	  AS_TEXT(struct options, job.work), .reach = REACH_OUTPUT },
	{ .name = NULL }
};
/* clang-format on */

/* ---- files ------------------------------------------------------------------------ */

char *job_part_path(const struct options *o, const char *command, uint32_t number,
                    const char *ending)
{
	const char *trace = o->args[o->job.trace];
	const size_t n =
		strlen(o->job.work ? o->job.work : trace) + strlen(command) + strlen(ending) + 40;
	char *path = malloc(n);

	if (path)
		snprintf(path, n, "%s%s/%s.%u-of-%u%s", o->job.work ? o->job.work : trace,
		         o->job.work ? "" : ".parts", command, number, o->job.parts, ending);
	else
		complain("out of memory");
	return path;
}

struct hs_span job_read_file(const char *path)
{
	FILE *f = fopen(path, "rbe");
	uint8_t *bytes = NULL;
	int64_t n = -1;

	if (f && fseeko(f, 0, SEEK_END) == 0)
		n = ftello(f);
	if (n > 0 && n <= FILE_MAX && (uint64_t)n <= SIZE_MAX && fseeko(f, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)n);
	if (bytes && fread(bytes, 1, (size_t)n, f) != (size_t)n) {
		free(bytes);
		bytes = NULL;
	}
	if (f)
		fclose(f);
	return (struct hs_span){ bytes, bytes ? (size_t)n : 0 };
}

struct hs_span (*job_find_part)(const char *command, uint32_t number, uint32_t count);

/* The part of a number, if its file is there, is whole and of this trace.  @file is to be freed. */
static bool load(const struct options *o, const char *command, enum hs_part_kind kind,
                 uint64_t fingerprint, uint32_t number, struct hs_span *file, struct hs_part *part)
{
	char *path = job_find_part ? NULL : job_part_path(o, command, number, "");

	*file = (struct hs_span){ NULL, 0 };
	if (path)
		*file = job_read_file(path);
	else if (job_find_part)
		*file = job_find_part(command, number, o->job.parts);
	free(path);
	return file->p && hs_part_read(file, part) == HS_OK && part->kind == kind &&
	       part->fingerprint == fingerprint && part->slice.number == number &&
	       part->slice.count == o->job.parts;
}

/* ---- making a part ---------------------------------------------------------------- */

int job_part_refuse(const char *what)
{
	complain("%s: not with --part: it depends on all that was executed before", what);
	return EXIT_USAGE;
}

bool job_part_begin(struct job_part *j, const char *command, enum hs_part_kind kind,
                    const struct options *o, struct hs_source *source, int *status)
{
	struct hs_error e = { .status = HS_OK };
	struct hs_part done;
	struct hs_span file;
	char *folder;

	*j = (struct job_part){ .command = command, .o = o, .source = source };
	*status = EXIT_USAGE;
	if (hs_source_known(source)->guest) {
		job_part_refuse("files of a guest");
		return false;
	}
	if (hs_source_begin_slice(source, o->job.part, o->job.parts, &e) != HS_OK) {
		*status = fail(&e);
		return false;
	}
	j->part = (struct hs_part){ .kind = kind, .fingerprint = hs_source_fingerprint(source) };
	j->path = job_part_path(o, command, o->job.part, "");
	folder = j->path ? strdup(j->path) : NULL;
	if (!folder)
		return false;
	*strrchr(folder, '/') = '\0';
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		complain("%s: %s", folder, strerror(errno));
	free(folder);
	const bool known = load(o, command, kind, j->part.fingerprint, o->job.part, &file, &done);

	free((void *)(uintptr_t)file.p);
	*status = known ? EXIT_GOOD : *status;
	return !known;
}

void job_part_add(struct job_part *j, const struct damage *damage)
{
	struct hs_message_count counts[HS_PART_TYPES];

	for (unsigned i = 0; i < damage->count && i < DAMAGE_SHOWN; i++)
		hs_part_add_error(&j->part, &damage->first[i].error, damage->first[i].reason);
	j->part.errors = damage->count;
	memcpy(j->part.by_reason, damage->by_reason, sizeof(j->part.by_reason));
	hs_part_set_counts(&j->part, counts, hs_source_counts(j->source, counts, HS_PART_TYPES));
	j->part.slice = *hs_source_known(j->source)->slice;
}

bool job_part_read(struct job_part *j, const struct block_taker *taker)
{
	struct damage damage = { .silent = true };
	const bool whole = read_blocks(taker, j->source, &damage);

	job_part_add(j, &damage);
	return whole;
}

int job_part_finish(struct job_part *j, const uint8_t *payload, size_t n)
{
	struct new_file f = { .fd = -1 };

	j->part.payload = (struct hs_span){ payload, n };
	const size_t size = hs_part_write(&j->part, NULL);
	uint8_t *bytes = malloc(size);
	bool good = bytes && new_file_open(&f, j->path);

	if (!bytes)
		complain("out of memory");
	if (good) {
		hs_part_write(&j->part, bytes);
		good = write_all(f.fd, bytes, size) && new_file_commit(&f);
		new_file_discard(&f);
	}
	free(bytes);
	return good ? EXIT_GOOD : EXIT_USAGE;
}

void job_part_end(struct job_part *j)
{
	free(j->path);
}

/* ---- all parts -------------------------------------------------------------------- */

bool job_parts_add(struct job_sum *sum, const char *command, enum hs_part_kind kind,
                   const struct options *o, struct hs_source *source, uint32_t before)
{
	const uint64_t fingerprint = hs_source_fingerprint(source);
	uint32_t number = 1;
	bool good = true;

	while (good && number && (!before || number < before)) {
		struct hs_span file;
		struct hs_part part;

		good = load(o, command, kind, fingerprint, number, &file, &part);
		if (good)
			good = job_sum_add(sum, &part);
		else
			complain("part %u of %u is not done: hartscope %s --part %u/%u ...", number,
			         o->job.parts, command, number, o->job.parts);
		number = good ? part.slice.next : 0;
		free((void *)(uintptr_t)file.p);
	}
	return good;
}
