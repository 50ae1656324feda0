/* Where the files of a recording are: a directory, or the caller's memory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/manifest.h"
#include "support/grow.h"

const struct hs_rec_file *rec_folder_find(const struct rec_folder *folder, const char *name)
{
	for (size_t i = 0; i < folder->count; i++)
		if (strcmp(folder->files[i].name, name) == 0)
			return &folder->files[i];
	return NULL;
}

/* The next name.  False: there is none, or errno is not 0. */
static bool next_name(DIR *d, const char **name)
{
	const struct dirent *entry;

	do {
		errno = 0;
		entry = readdir(d);
	} while (entry == NULL && errno == EINTR);
	*name = entry == NULL ? NULL : entry->d_name;
	return entry != NULL;
}

enum hs_status rec_each_name(int dir, enum hs_status (*take)(void *of, const char *name), void *of)
{
	const int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	enum hs_status status = HS_OK;
	const char *name;

	while (d != NULL && status == HS_OK && next_name(d, &name))
		status = take(of, name);
	const int error = errno;

	if (d != NULL)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	errno = error;
	return status == HS_OK && error != 0 ? HS_E_SYSTEM : status;
}

void rec_hart_name(char name[REC_NAME_SIZE], uint32_t number)
{
	snprintf(name, REC_NAME_SIZE, "hart-%" PRIu32 ".zst", number);
}

struct hart_list {
	uint32_t *numbers;
	size_t count, capacity;
};

/* Add the hart whose stream a file is; other names are none of ours. */
static enum hs_status add_hart(void *of, const char *name)
{
	struct hart_list *list = of;
	uint32_t number;
	int end = 0;

	if (sscanf(name, "hart-%9" SCNu32 ".zst%n", &number, &end) != 1 || end == 0 ||
	    name[end] != 0 || list->count == REC_HARTS_LIMIT)
		return HS_OK;
	if (!support_grow(&list->numbers, &list->capacity, list->count + 1, sizeof(*list->numbers)))
		return HS_E_MEMORY;
	list->numbers[list->count++] = number;
	return HS_OK;
}

int rec_by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

enum hs_status rec_folder_harts(const struct rec_folder *folder, uint32_t **numbers, size_t *count)
{
	struct hart_list list = { 0 };
	enum hs_status status = HS_OK;

	if (folder->dir >= 0)
		status = rec_each_name(folder->dir, add_hart, &list);
	for (size_t i = 0; i < folder->count && status == HS_OK; i++)
		status = add_hart(&list, folder->files[i].name);
	if (status != HS_OK) {
		free(list.numbers);
		return status;
	}
	if (list.count > 0)
		qsort(list.numbers, list.count, sizeof(*list.numbers), rec_by_number);
	*numbers = list.numbers;
	*count = list.count;
	return HS_OK;
}

enum hs_status rec_add_listed(const json_t *list, uint32_t **harts, size_t *count)
{
	const size_t entries = json_array_size(list), most = *count + REC_HARTS_LIMIT;
	uint32_t *v = reallocarray(*harts, *count + entries + 1, sizeof(*v));
	size_t n = *count, kept = 0;

	if (v == NULL)
		return HS_E_MEMORY;
	for (size_t i = 0; i < entries && n < most; i++) {
		const json_t *number = json_object_get(json_array_get(list, i), "number");
		const json_int_t value = json_integer_value(number);

		if (json_is_integer(number) && value >= 0 && value < REC_HARTS_LIMIT)
			v[n++] = (uint32_t)value;
	}
	if (n > 0)
		qsort(v, n, sizeof(*v), rec_by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || v[kept - 1] != v[i])
			v[kept++] = v[i];
	*harts = v;
	*count = kept;
	return HS_OK;
}
