/* Which recording it is, by its files. */
#include <string.h>
#include <unistd.h>

#include "recording/private.h"
#include "recording/recording.h"
#include "support/file.h"
#include "support/sum.h"

static uint64_t sum_file(const struct hs_rec *rec, uint64_t sum, const char *name)
{
	const int64_t size = rec_file_size(&rec->folder, name);
	const uint64_t n = size < 0 ? 0 : (uint64_t)size;

	sum = support_sum(sum, name, strlen(name));
	if (rec->folder.dir < 0) {
		const struct hs_rec_file *file = rec_folder_find(&rec->folder, name);

		return n == 0 ? sum : support_sum_samples(sum, file->bytes.p, -1, n);
	}
	const int fd = n == 0 ? -1 : support_open_beneath(rec->folder.dir, name);

	sum = support_sum_samples(sum, NULL, fd, n);
	if (fd >= 0)
		close(fd);
	return sum;
}

uint64_t hs_rec_fingerprint(const struct hs_rec *rec)
{
	uint64_t sum = sum_file(rec, SUPPORT_SUM_START, REC_MANIFEST);

	if (sum != 0)
		sum = sum_file(rec, sum, REC_LOG);
	for (uint32_t i = 0; i < rec->info.harts; i++) {
		char name[REC_NAME_SIZE];

		rec_hart_name(name, rec->harts[i]);
		sum = sum == 0 ? 0 : sum_file(rec, sum, name);
	}
	return sum;
}
