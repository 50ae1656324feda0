/* hartscope-mpi: what the parts hold, added up by MPI. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <mpi.h>

#include "mpi/job.h"

#define PIECE ((uint64_t)1 << 28) /* bytes of a message */

void job_range(const struct job *j, uint32_t *first, uint32_t *end)
{
	const uint64_t n = j->parts, rank = (uint64_t)j->rank, size = (uint64_t)j->size;

	*first = (uint32_t)(rank * n / size) + 1;
	*end = (uint32_t)((rank + 1) * n / size) + 1;
}

bool job_folder(const struct job *j, unsigned file, char *to, size_t size)
{
	const int n = j->file_count == j->command_files
	                      ? snprintf(to, size, "%s", j->work)
	                      : snprintf(to, size, "%s/%u", j->work, file / j->command_files);

	return n > 0 && (size_t)n < size;
}

/* ---- files of parts --------------------------------------------------------------- */

static struct hs_span whole; /* on rank 0: the sum */

static struct hs_span find_whole(const char *command, uint32_t number, uint32_t count)
{
	uint8_t *copy = number == 1 && whole.p ? malloc(whole.n) : NULL;

	(void)command;
	(void)count;
	if (copy)
		memcpy(copy, whole.p, whole.n);
	return (struct hs_span){ copy, copy ? whole.n : 0 };
}

/* The part of a number, if there is one; @file is to be freed. */
static bool load(const struct job *j, const char *command, unsigned file, uint32_t number,
                 struct hs_span *bytes, struct hs_part *part)
{
	struct options o = { .job.parts = j->parts };
	char work[4096];

	if (j->work && job_folder(j, file, work, sizeof(work)))
		o.job.work = work;
	o.args[0] = j->files[file + j->command_files - 1];
	char *path = job_part_path(&o, command, number, "");

	*bytes = path ? job_read_file(path) : (struct hs_span){ NULL, 0 };
	free(path);
	return bytes->p && hs_part_read(bytes, part) == HS_OK && part->slice.number == number &&
	       part->slice.count == j->parts;
}

/* ---- which parts the whole has ------------------------------------------------------ */

/* Of each part the one that continues it; UINT32_MAX: it was not made. */
static uint32_t *gather_next(const struct job *j, const char *command, unsigned file)
{
	uint32_t *next = calloc(j->parts + 2u, sizeof(*next));
	uint32_t first, end;

	if (!next)
		return NULL;
	job_range(j, &first, &end);
	for (uint32_t k = first; k < end; k++) {
		struct hs_span bytes;
		struct hs_part part;

		next[k] =
			load(j, command, file, k, &bytes, &part) ? part.slice.next + 1 : UINT32_MAX;
		free((void *)(uintptr_t)bytes.p);
	}
	/* each part is of one rank; the others have 0 there */
	MPI_Allreduce(MPI_IN_PLACE, next, (int)(j->parts + 2u), MPI_UINT32_T, MPI_MAX,
	              MPI_COMM_WORLD);
	return next;
}

/* Mark the parts that the first one leads to.  False: one of them was not made. */
static bool mark_chain(const struct job *j, const uint32_t *next, bool *wanted)
{
	uint32_t k = 1;

	while (k) {
		if (next[k] == UINT32_MAX || next[k] > j->parts + 1) {
			if (j->rank == 0)
				complain("part %u of %u is not done", k, j->parts);
			return false;
		}
		wanted[k] = true;
		k = next[k] - 1;
	}
	return true;
}

static bool add_own(struct job *j, struct job_sum *sum, const char *command, unsigned file,
                    const bool *wanted)
{
	uint32_t first, end;
	bool good = true;

	job_range(j, &first, &end);
	for (uint32_t k = first; k < end && good; k++) {
		struct hs_span bytes;
		struct hs_part part;

		if (!wanted[k])
			continue;
		good = load(j, command, file, k, &bytes, &part) && job_sum_add(sum, &part);
		j->trace_bytes += good ? part.slice.end - part.slice.begin : 0;
		free((void *)(uintptr_t)bytes.p);
	}
	return good;
}

/* ---- the tree --------------------------------------------------------------------- */

static bool send_sum(struct job *j, const struct job_sum *sum, int to)
{
	const struct hs_span file = sum->any ? job_sum_file(sum) : (struct hs_span){ NULL, 0 };
	uint64_t n = file.n;

	if (sum->any && !file.p)
		return false;
	MPI_Send(&n, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
	for (uint64_t at = 0; at < n; at += PIECE)
		MPI_Send(file.p + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, to, 0,
		         MPI_COMM_WORLD);
	j->sent += n + sizeof(n);
	free((void *)(uintptr_t)file.p);
	return true;
}

static bool receive_sum(struct job *j, struct job_sum *sum, int from)
{
	struct hs_part part;
	uint64_t n;

	MPI_Recv(&n, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	uint8_t *bytes = malloc(n + 1);

	if (!bytes)
		return false;
	for (uint64_t at = 0; at < n; at += PIECE)
		MPI_Recv(bytes + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, from, 0,
		         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	j->received += n + sizeof(n);
	const struct hs_span file = { bytes, (size_t)n };
	const bool good = !n || (hs_part_read(&file, &part) == HS_OK && job_sum_add(sum, &part));

	free(bytes);
	return good;
}

/* Ranks hold parts in their order, so that neighbours add up what continues each other. */
static bool add_tree(struct job *j, struct job_sum *sum)
{
	bool good = true;

	for (int step = 1; step < j->size && good; step *= 2) {
		if (j->rank % (2 * step) == step)
			return send_sum(j, sum, j->rank - step);
		if (j->rank + step < j->size)
			good = receive_sum(j, sum, j->rank + step);
	}
	return good;
}

bool job_reduce(struct job *j, const char *command, unsigned file)
{
	struct job_sum sum = { .any = false };
	uint32_t *next = gather_next(j, command, file);
	bool *wanted = calloc(j->parts + 2u, sizeof(*wanted));
	bool good = next && wanted && mark_chain(j, next, wanted) &&
	            add_own(j, &sum, command, file, wanted) && add_tree(j, &sum);

	if (good && j->rank == 0) {
		whole = job_sum_file(&sum);
		job_find_part = find_whole;
		good = whole.p;
	}
	job_sum_free(&sum);
	free(wanted);
	free(next);
	return good;
}

void job_reduce_end(struct job *j)
{
	(void)j;
	free((void *)(uintptr_t)whole.p);
	whole = (struct hs_span){ NULL, 0 };
	job_find_part = NULL;
}

/* ---- figures ---------------------------------------------------------------------- */

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

void job_figures(const struct job *j)
{
	struct rusage used;

	if (!j->figures)
		return;
	getrusage(RUSAGE_SELF, &used);
	const double own[] = { (double)j->made,
		               (double)j->trace_bytes,
		               seconds(&used.ru_utime) + seconds(&used.ru_stime),
		               (double)used.ru_maxrss * 1024,
		               (double)j->sent,
		               (double)j->received };
	const int n = sizeof(own) / sizeof(*own);
	double *all = j->rank == 0 ? calloc((size_t)j->size * (size_t)n, sizeof(*all)) : NULL;

	MPI_Gather(own, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (all)
		fprintf(stderr, "rank parts trace-bytes cpu-seconds memory sent received\n");
	for (int i = 0; all && i < j->size; i++)
		fprintf(stderr, "%4d %5.0f %11.0f %11.3f %.0f %.0f %.0f\n", i, all[n * i],
		        all[n * i + 1], all[n * i + 2], all[n * i + 3], all[n * i + 4],
		        all[n * i + 5]);
	free(all);
}
