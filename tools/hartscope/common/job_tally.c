/* A part of a trace as a tally (job_part.h). */
#include <stdlib.h>

#include "common/job_part.h"

/* What is counted of a part. */
struct tallying {
	struct hs_tally *tally;
	enum hs_status status;
};

static bool tally_items(void *to, const struct hs_block *b, size_t n)
{
	struct tallying *t = to;

	t->status = hs_tally_add(t->tally, b, n);
	return t->status == HS_OK;
}

static enum hs_status start_tally(struct hs_source *source, struct tallying *t)
{
	struct hs_block lead[HS_SOURCE_LEAD];

	t->status = hs_tally_new(hs_source_known(source)->programs, &t->tally);
	if (t->status == HS_OK)
		t->status = hs_tally_lead(t->tally, lead, hs_source_slice_lead(source, lead));
	return t->status;
}

static int write_tally(struct job_part *j, const struct hs_tally *tally)
{
	const size_t n = hs_tally_write(tally, NULL);
	uint8_t *bytes = malloc(n);
	int status = EXIT_USAGE;

	if (bytes) {
		hs_tally_write(tally, bytes);
		status = job_part_finish(j, bytes, n);
	} else {
		complain("out of memory");
	}
	free(bytes);
	return status;
}

int job_tally_part(const char *command, const struct options *o, struct hs_source *source)
{
	struct tallying t = { .tally = NULL };
	const struct block_taker taker = { "counting", o->quiet, tally_items, &t, false };
	struct job_part j;
	int status;

	if (job_part_begin(&j, command, HS_PART_TALLY, o, source, &status)) {
		if (start_tally(source, &t) == HS_OK && job_part_read(&j, &taker))
			status = write_tally(&j, t.tally);
		else
			complain("part %u of %u cannot be counted: %s", o->job.part, o->job.parts,
			         hs_status_text(t.status));
	}
	hs_tally_free(t.tally);
	job_part_end(&j);
	return status;
}
