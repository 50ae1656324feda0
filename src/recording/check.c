/* Each file of a recording against manifest.json (recording.h). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/check.h"
#include "recording/place.h"
#include "support/file.h"

const char *rec_file_state_text(enum hs_rec_file_state state)
{
	static const char *const texts[] = {
		[HS_REC_FILE_GOOD] = "good",
		[HS_REC_FILE_UNSUMMED] = "no checksum",
		[HS_REC_FILE_MISSING] = "missing",
		[HS_REC_FILE_SIZE] = "another size",
		[HS_REC_FILE_SUM] = "another checksum",
		[HS_REC_FILE_UNLISTED] = "not in manifest.json",
		[HS_REC_FILE_DAMAGED] = "damaged",
		[HS_REC_FILE_LEFT] = "left by a writer that was ended",
		[HS_REC_FILE_FOREIGN] = "not of the recording",
	};

	return (unsigned)state < HS_REC_FILE_STATES ? texts[state] : "unknown";
}

bool rec_file_state_is_good(enum hs_rec_file_state state)
{
	return state == HS_REC_FILE_GOOD || state == HS_REC_FILE_UNSUMMED ||
	       state >= HS_REC_FILE_LEFT;
}

/* ---- what is there ------------------------------------------------------------------- */

static enum hs_status read_folder(struct rec_found *f, const char *path, struct hs_error *e)
{
	const struct rec_folder folder = { .dir = f->dir };
	struct hs_error why = { 0 };
	enum hs_status status = rec_manifest_read(&folder, &f->manifest, &why);

	if (status == HS_E_FORMAT) /* without memory the parser says the same */
		status = rec_manifest_read(&folder, &f->manifest, &why);

	if (status == HS_E_UNSUPPORTED ||
	    (status == HS_E_SYSTEM && faccessat(f->dir, REC_MANIFEST, F_OK, 0) == 0))
		return hs_error_set(e, status, "%s: %s", path, why.text);
	status = status == HS_E_MEMORY ? status : rec_folder_harts(&folder, &f->harts, &f->count);
	if (status == HS_OK)
		status =
			rec_add_listed(json_object_get(f->manifest, "harts"), &f->harts, &f->count);
	if (status != HS_OK)
		return hs_error_set(e, status, "%s: %s", path, hs_status_text(status));
	if (f->manifest == NULL && f->count == 0 && faccessat(f->dir, REC_LOG, F_OK, 0) != 0)
		return hs_error_set(e, HS_E_FORMAT, "%s: no file of a recording is there", path);
	return HS_OK;
}

enum hs_status rec_found_open(struct rec_found *f, const char *path, struct hs_error *e)
{
	enum hs_status status;

	*f = (struct rec_found){ .dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (f->dir < 0)
		return hs_error_set(e, errno == ENOTDIR ? HS_E_FORMAT : HS_E_SYSTEM, "%s: %s", path,
		                    strerror(errno));
	status = read_folder(f, path, e);
	if (status != HS_OK)
		rec_found_close(f);
	return status;
}

void rec_found_close(struct rec_found *f)
{
	if (f->dir >= 0)
		close(f->dir);
	json_decref(f->manifest);
	free(f->harts);
	*f = (struct rec_found){ .dir = -1 };
}

const json_t *rec_found_hart(const struct rec_found *f, uint32_t number)
{
	const json_t *list = json_object_get(f->manifest, "harts");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *hart = json_array_get(list, i), *n = json_object_get(hart, "number");

		if (json_is_integer(n) && json_integer_value(n) == (json_int_t)number)
			return hart;
	}
	return NULL;
}

const json_t *rec_found_log(const struct rec_found *f)
{
	return json_object_get(f->manifest, "log");
}

bool rec_found_complete(const struct rec_found *f)
{
	return json_is_true(json_object_get(f->manifest, "complete"));
}

/* ---- a file ------------------------------------------------------------------------------ */

static enum hs_rec_file_state state_of(const struct hs_rec_file_check *row, const json_t *entry,
                                       const struct support_digest *have)
{
	struct support_digest listed;

	if (!have->known)
		return HS_REC_FILE_MISSING;
	if (row->listed && row->bytes != row->listed_bytes)
		return HS_REC_FILE_SIZE;
	if (!support_digest_read(entry, &listed))
		return HS_REC_FILE_SUM;
	if (!listed.known)
		return HS_REC_FILE_UNSUMMED;
	return support_digest_same(&listed, have) ? HS_REC_FILE_GOOD : HS_REC_FILE_SUM;
}

void rec_found_compare(const json_t *entry, const struct support_digest *have,
                       struct hs_rec_file_check *row)
{
	const json_t *bytes = json_object_get(entry, "bytes");

	row->bytes = have->known ? have->bytes : 0;
	row->listed = json_is_integer(bytes) && json_integer_value(bytes) >= 0;
	if (row->listed)
		row->listed_bytes = (uint64_t)json_integer_value(bytes);
	row->state = state_of(row, entry, have);
}

bool rec_found_none(int error)
{
	return error == ENOENT || error == ENOTSUP || error == ELOOP;
}

/* Compare a file with its @entry, which may be NULL. */
static enum hs_status check_file(const struct rec_found *f, const char *name, const json_t *entry,
                                 struct hs_rec_file_check *row, struct hs_error *e)
{
	const int fd = support_open_file(f->dir, name);
	struct support_digest have = { .known = false };
	enum hs_status status = fd >= 0                 ? support_digest_fd(fd, &have)
	                        : rec_found_none(errno) ? HS_OK
	                                                : HS_E_SYSTEM;

	if (status != HS_OK)
		hs_error_set(e, status, "%s: %s", name,
		             status == HS_E_MEMORY ? "out of memory" : strerror(errno));
	if (fd >= 0)
		close(fd);
	*row = (struct hs_rec_file_check){ .name = name };
	rec_found_compare(entry, &have, row);
	return status;
}

/* ---- all files --------------------------------------------------------------------------- */

/* Who takes each file. */
struct taker {
	void (*take)(void *to, const struct hs_rec_file_check *file);
	void *to;
};

static void give_manifest(const struct rec_found *f, const struct taker *t)
{
	struct hs_rec_file_check row = { .name = REC_MANIFEST, .state = HS_REC_FILE_UNSUMMED };
	struct stat st;

	if (fstatat(f->dir, REC_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) != 0)
		row.state = HS_REC_FILE_MISSING;
	else if (f->manifest == NULL)
		row.state = HS_REC_FILE_DAMAGED;
	if (row.state != HS_REC_FILE_MISSING)
		row.bytes = (uint64_t)st.st_size;
	t->take(t->to, &row);
}

static enum hs_status give_stream(const struct rec_found *f, uint32_t number, const struct taker *t,
                                  struct hs_error *e)
{
	const json_t *entry = rec_found_hart(f, number);
	struct hs_rec_file_check row;
	char name[REC_NAME_SIZE];
	enum hs_status status;

	rec_hart_name(name, number);
	status = check_file(f, name, entry, &row, e);
	if (entry == NULL && rec_found_complete(f))
		row.state = HS_REC_FILE_UNLISTED;
	if (status == HS_OK)
		t->take(t->to, &row);
	return status;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_other(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (strcmp(entry->d_name, REC_MANIFEST_NEW) == 0 ||
	        (!rec_place_is_ours(entry->d_name) && !rec_is_inner(entry->d_name)));
}

static enum hs_status give_others(const struct rec_found *f, const struct taker *t,
                                  struct hs_error *e)
{
	struct dirent **entries;
	const int n = scandirat(f->dir, ".", &entries, is_other, by_name);

	if (n < 0)
		return hs_error_set(e, HS_E_SYSTEM, "the directory: %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		struct hs_rec_file_check row = { .name = entries[i]->d_name };
		struct stat st;

		row.state = strcmp(row.name, REC_MANIFEST_NEW) == 0 ? HS_REC_FILE_LEFT
		                                                    : HS_REC_FILE_FOREIGN;
		if (fstatat(f->dir, row.name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			row.bytes = (uint64_t)st.st_size;
		t->take(t->to, &row);
		free(entries[i]);
	}
	free(entries);
	return HS_OK;
}

enum hs_status rec_check_files(const char *path,
                               void (*take)(void *to, const struct hs_rec_file_check *file),
                               void *to, struct hs_error *error)
{
	const struct taker t = { take, to };
	struct hs_rec_file_check row;
	struct rec_found f;
	enum hs_status status = rec_found_open(&f, path, error);

	if (status != HS_OK)
		return status;
	give_manifest(&f, &t);
	status = check_file(&f, REC_LOG, rec_found_log(&f), &row, error);
	if (status == HS_OK)
		take(to, &row);
	for (size_t i = 0; status == HS_OK && i < f.count; i++)
		status = give_stream(&f, f.harts[i], &t, error);
	if (status == HS_OK)
		status = give_others(&f, &t, error);
	rec_found_close(&f);
	return status;
}
