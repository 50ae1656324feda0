/* What manifest.json says of the files, against the files: a stream that is missing or has another
 * size makes a recording incomplete. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recording/private.h"

int64_t rec_file_size(const struct rec_folder *folder, const char *name)
{
	struct stat st;

	if (folder->dir < 0) {
		const struct hs_rec_file *file = rec_folder_find(folder, name);

		return file == NULL ? -1 : (int64_t)file->bytes.n;
	}
	if (fstatat(folder->dir, name, &st, 0) == 0)
		return S_ISREG(st.st_mode) ? st.st_size : -1;
	return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? -1 : REC_SIZE_UNREAD;
}

void rec_set_wrong(struct hs_rec *rec, const char *text)
{
	if (!rec->info.complete)
		return;
	rec->info.complete = false;
	snprintf(rec->wrong, sizeof(rec->wrong), "cut%s", text);
	rec->info.end = rec->wrong;
}

static bool is_other_size(const struct hs_rec *rec, uint32_t number, const json_t *hart,
                          char text[REC_WRONG_SIZE], bool *unread)
{
	const json_t *bytes = json_object_get(hart, "bytes");
	struct support_digest digest;
	char name[REC_NAME_SIZE];
	int64_t size;

	rec_hart_name(name, number);
	size = rec_file_size(&rec->folder, name);
	*unread = size == REC_SIZE_UNREAD;
	if (size < 0)
		snprintf(text, REC_WRONG_SIZE, ": %s is missing", name);
	else if (json_is_integer(bytes) && json_integer_value(bytes) != size)
		snprintf(text, REC_WRONG_SIZE,
		         ": %s has %" PRId64 " bytes, manifest.json says %lld", name, size,
		         (long long)json_integer_value(bytes));
	else if (!support_digest_read(hart, &digest))
		snprintf(text, REC_WRONG_SIZE, ": manifest.json has no good checksum of %s", name);
	else
		return false;
	return true;
}

bool rec_stream_is_wrong(const struct hs_rec *rec, uint32_t index, char text[REC_WRONG_SIZE],
                         bool *unread)
{
	const uint32_t number = rec->harts[index];
	char name[REC_NAME_SIZE];

	*text = 0;
	*unread = false;
	if (rec->listed[index] != NULL)
		return is_other_size(rec, number, rec->listed[index], text, unread);
	if (!json_is_array(json_object_get(rec->manifest, "harts")) || !rec->whole)
		return false;
	rec_hart_name(name, number); /* of another recording */
	snprintf(text, REC_WRONG_SIZE, ": %s is not in manifest.json", name);
	return true;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool has_number(const uint32_t *numbers, size_t n, uint32_t number)
{
	return n > 0 && bsearch(&number, numbers, n, sizeof(number), by_number) != NULL;
}

/* The harts that manifest.json lists, sorted and each once, in @numbers; how many. */
static size_t read_listed(const json_t *list, uint32_t *numbers)
{
	const size_t count = json_array_size(list);
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < count && n < REC_HARTS_LIMIT; i++) {
		const json_t *number = json_object_get(json_array_get(list, i), "number");
		const json_int_t value = json_integer_value(number);

		if (!json_is_integer(number) || value < 0 || value >= REC_HARTS_LIMIT)
			continue;
		numbers[n++] = (uint32_t)value;
	}
	if (n > 0)
		qsort(numbers, n, sizeof(*numbers), by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	return kept;
}

/* Add the listed harts that have no file: a stream of nothing, which is cut. */
static enum hs_status add_missing(struct hs_rec *rec, const uint32_t *listed, size_t n)
{
	uint32_t *harts = calloc(rec->info.harts + n + 1, sizeof(*harts));
	size_t count = rec->info.harts;

	if (harts == NULL)
		return HS_E_MEMORY;
	if (count > 0)
		memcpy(harts, rec->harts, count * sizeof(*harts));
	for (size_t i = 0; i < n; i++)
		if (!has_number(rec->harts, rec->info.harts, listed[i]))
			harts[count++] = listed[i];
	if (count > 0)
		qsort(harts, count, sizeof(*harts), by_number);
	free(rec->harts);
	rec->harts = harts;
	rec->info.harts = (uint32_t)count;
	return HS_OK;
}

/* What manifest.json says of each stream. */
static enum hs_status link_listed(struct hs_rec *rec, const json_t *list)
{
	rec->listed = calloc(rec->info.harts + 1u, sizeof(*rec->listed));
	if (rec->listed == NULL)
		return HS_E_MEMORY;
	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *hart = json_array_get(list, i), *n = json_object_get(hart, "number");
		const uint32_t number = (uint32_t)json_integer_value(n), *found = NULL;

		if (json_is_integer(n) && json_integer_value(n) == number && rec->info.harts > 0)
			found = bsearch(&number, rec->harts, rec->info.harts, sizeof(number),
			                by_number);
		if (found != NULL)
			rec->listed[found - rec->harts] = hart;
	}
	return HS_OK;
}

/* A recording without streams has a stream of hart 0, which is cut: so reading it says so. */
enum hs_status rec_verify(struct hs_rec *rec)
{
	const json_t *list = json_object_get(rec->manifest, "harts");
	const json_t *runs = json_object_get(rec->manifest, "runs");
	uint32_t *listed = calloc(json_array_size(list) + 1, sizeof(*listed));
	char text[REC_WRONG_SIZE];
	enum hs_status status;
	bool unread;
	size_t n;

	if (listed == NULL)
		return HS_E_MEMORY;
	n = read_listed(list, listed);
	rec->whole = rec->info.complete;
	if (json_is_integer(runs) && json_integer_value(runs) != rec->log.run_count)
		rec_set_wrong(rec, ": runs.zst has not as many runs as manifest.json says");
	rec->whole = rec->info.complete;
	if (n == 0 && rec->info.harts == 0 && !rec->info.complete)
		listed[n++] = 0;
	status = add_missing(rec, listed, n);
	free(listed);
	if (status == HS_OK)
		status = link_listed(rec, list);
	for (uint32_t i = 0; status == HS_OK && i < rec->info.harts && rec->info.complete; i++) {
		const bool wrong = rec_stream_is_wrong(rec, i, text, &unread);

		status = unread ? HS_E_SYSTEM : HS_OK;
		if (wrong)
			rec_set_wrong(rec, text);
	}
	return status;
}
