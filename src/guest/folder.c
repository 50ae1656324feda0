/* The files of a directory. */
#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "guest/private.h"

#define DEPTH_MAX 32
#define FILES_MAX 50000u

enum hs_status guest_next_file(struct hs_guest *g, FTS *fts, FTSENT **entry, const char *path,
                               struct hs_error *error)
{
	*entry = fts_read(fts);
	if (!*entry)
		return errno == 0
		               ? HS_OK
		               : hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	const int kind = (*entry)->fts_info;
	const char *text = strerror((*entry)->fts_errno);

	if (kind != FTS_DNR && kind != FTS_ERR && kind != FTS_NS)
		return HS_OK;
	if (kind == FTS_DNR && (*entry)->fts_errno == EACCES)
		return guest_note(g, "%s: %s: left out", (*entry)->fts_path, text);
	return hs_error_set(error, HS_E_SYSTEM, "%s: %s", (*entry)->fts_path, text);
}

static enum hs_status add_entry(struct hs_guest *g, const FTSENT *entry, struct hs_error *error)
{
	const struct hs_guest_file file = { .kind = HS_GUEST_CODE, .path = entry->fts_path };

	return entry->fts_info == FTS_F && entry->fts_statp->st_size > 0
	               ? guest_add_object(g, &file, false, error) : HS_OK;
}

/* Links are not followed: what they lead to is in the directory, or not of it. */
static enum hs_status add_folder(struct hs_guest *g, const char *path, struct hs_error *error)
{
	char *paths[] = { (char *)(uintptr_t)path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, NULL);
	enum hs_status status;
	size_t files = 0;
	FTSENT *entry;

	if (!fts)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	do {
		status = guest_next_file(g, fts, &entry, path, error);
		if (status != HS_OK || !entry)
			break;
		if (entry->fts_info == FTS_D && entry->fts_level >= DEPTH_MAX) {
			fts_set(fts, entry, FTS_SKIP);
			status = guest_note(g,
			                    "%s: deeper than %u folders: left out (give it itself)",
			                    entry->fts_path, DEPTH_MAX);
			if (status != HS_OK)
				break;
		}
		files += entry->fts_info == FTS_F;
		if (files > FILES_MAX)
			status = hs_error_set(error, HS_E_FORMAT, "%s: more than %u files", path,
			                      FILES_MAX);
		else
			status = add_entry(g, entry, error);
	} while (status == HS_OK);
	fts_close(fts);
	return status;
}

enum hs_status guest_add_files(struct hs_guest *g, const struct hs_guest_file *file,
                               struct hs_error *error)
{
	struct stat st;

	if (!file->bytes.p && stat(file->path, &st) == 0 && S_ISDIR(st.st_mode))
		return add_folder(g, file->path, error);
	return guest_add_object(g, file, true, error);
}
