/* What the files of hartscope-mpi share. */
#ifndef HS_TOOLS_HARTSCOPE_MPI_JOB_H
#define HS_TOOLS_HARTSCOPE_MPI_JOB_H

#include "common/job_part.h"

struct job {
	int rank, size;
	uint32_t parts;
	bool figures;
	const char *work; /* NULL: next to each trace */
	char **options, **files;
	unsigned option_count, file_count, command_files; /* files for each run of the command */
	/* what this rank did */
	uint64_t made, sent, received, trace_bytes;
	double begun;
};

/* The parts of this rank: from @first to @end - 1. */
void job_range(const struct job *j, uint32_t *first, uint32_t *end);
/* The folder of the parts of a trace, if there is no more than one in j->work itself.  False: too
 * long. */
bool job_folder(const struct job *j, unsigned file, char *to, size_t size);

/* Add up what the parts of a command hold; rank 0 has the sum, which job_find_part then gives.
 * False, after a complaint. */
bool job_reduce(struct job *j, const char *command, unsigned file);
void job_reduce_end(struct job *j);

/* --figures */
void job_figures(const struct job *j);

#endif
