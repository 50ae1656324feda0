/* Directories of recordings that are written, and exchanged with older ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/recording.h>

#include "recording/manifest.h"
#include "recording/place.h"

#define DEPTH 64u /* of children of children */

static enum hs_status fail(struct hs_error *e, const char *path)
{
	return hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
}

/* Open a directory that nobody else writes to. */
static enum hs_status open_locked(const char *path, int *dir, struct hs_error *e)
{
	*dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		return fail(e, path);
	if (flock(*dir, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return HS_OK;
	close(*dir);
	*dir = -1;
	return hs_error_set(e, HS_E_SYSTEM, "%s: another process writes this recording", path);
}

static void close_directory(int *dir)
{
	if (*dir >= 0)
		close(*dir);
	*dir = -1;
}

/* ---- what is in a directory --------------------------------------------------------------- */

bool rec_is_inner(const char *name)
{
	const size_t n = strncmp(name, "child-", 6) == 0  ? 6
	                 : strncmp(name, "part-", 5) == 0 ? 5
	                                                  : 0;

	return n && name[n] != 0 && strspn(name + n, "0123456789") == strlen(name + n);
}

bool rec_place_is_ours(const char *name)
{
	unsigned number;
	int end = 0;

	if (strcmp(name, REC_MANIFEST) == 0 || strcmp(name, REC_MANIFEST_NEW) == 0 ||
	    strcmp(name, REC_LOG) == 0)
		return true;
	return sscanf(name, "hart-%9u.zst%n", &number, &end) == 1 && end != 0 && name[end] == 0;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

struct removal {
	int dir;
	unsigned depth; /* of recordings inside */
};

static enum hs_status remove_files(int dir, unsigned depth);

static enum hs_status remove_name(void *of, const char *name)
{
	const struct removal *r = of;

	if (rec_place_is_ours(name))
		unlinkat(r->dir, name, 0);
	if (!rec_is_inner(name) || r->depth == 0)
		return HS_OK;
	const int child = openat(r->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (child < 0)
		return HS_OK;
	remove_files(child, r->depth - 1);
	close(child);
	unlinkat(r->dir, name, AT_REMOVEDIR);
	return HS_OK;
}

/* Remove a recording's files and its children; files of other names are not touched. */
static enum hs_status remove_files(int dir, unsigned depth)
{
	struct removal r = { dir, depth };

	return rec_each_name(dir, remove_name, &r);
}

static enum hs_status move_other(void *of, const char *name)
{
	const struct rec_place *place = of;

	if (!is_dots(name) && !rec_place_is_ours(name) && !rec_is_inner(name))
		renameat2(place->old, name, place->dir, name, RENAME_NOREPLACE);
	return HS_OK;
}

static enum hs_status expect_ours(void *of, const char *name)
{
	(void)of;
	return is_dots(name) || rec_place_is_ours(name) ? HS_OK : HS_E_DIFFERS;
}

/* May it be replaced?  A process that was killed early left no manifest: then it has nothing but
 * files of a recording. */
static enum hs_status expect_recording(int dir, const char *path, struct hs_error *e)
{
	enum hs_status status;

	if (faccessat(dir, REC_MANIFEST, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return HS_OK;
	status = rec_each_name(dir, expect_ours, NULL);
	if (status == HS_E_SYSTEM)
		return fail(e, path);
	return status == HS_OK
	               ? status
	               : hs_error_set(e, HS_E_SYSTEM, "%s: exists and is not a recording", path);
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Make a directory, or reuse one of a recording: then what is there is removed. */
static enum hs_status make_directory(const char *path, int *dir, struct hs_error *e)
{
	const bool made = mkdir(path, 0777) == 0;
	enum hs_status status;

	if (!made && errno != EEXIST)
		return fail(e, path);
	status = open_locked(path, dir, e);
	if (status != HS_OK && made)
		rmdir(path);
	if (status != HS_OK || made)
		return status;
	status = expect_recording(*dir, path, e);
	if (status == HS_OK && remove_files(*dir, DEPTH) != HS_OK)
		status = fail(e, path);
	if (status != HS_OK)
		close_directory(dir);
	return status;
}

/* An older recording: the new one is made next to it. */
static enum hs_status open_next_to(struct rec_place *place, const char *path, struct hs_error *e)
{
	enum hs_status status = open_locked(path, &place->old, e);

	if (status == HS_OK)
		status = expect_recording(place->old, path, e);
	if (status != HS_OK)
		return status;
	place->target = realpath(path, NULL);
	if (place->target == NULL)
		return fail(e, path);
	if (asprintf(&place->path, "%s.new", place->target) < 0) {
		place->path = NULL;
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	}
	return make_directory(place->path, &place->dir, e);
}

/* A directory that was made and cannot be used is removed. */
static enum hs_status open_place(struct rec_place *place, const char *path, struct hs_error *e)
{
	enum hs_status status;

	if (mkdir(path, 0777) != 0)
		return errno == EEXIST ? open_next_to(place, path, e) : fail(e, path);
	place->path = strdup(path);
	status = place->path == NULL ? hs_error_set(e, HS_E_MEMORY, "out of memory")
	                             : open_locked(path, &place->dir, e);
	if (status != HS_OK)
		rmdir(path);
	return status;
}

enum hs_status rec_place_open(struct rec_place *place, const char *path, struct hs_error *e)
{
	*place = (struct rec_place){ .dir = -1, .old = -1 };
	const enum hs_status status = open_place(place, path, e);

	if (status != HS_OK)
		rec_place_close(place);
	return status;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* File systems that cannot exchange two names: between the two steps there is neither. */
static bool exchange(const char *a, const char *b)
{
	char *aside = NULL;
	bool ok;

	if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0)
		return true;
	if ((errno != EINVAL && errno != ENOSYS) || asprintf(&aside, "%s.aside", b) < 0)
		return false;
	ok = rename(b, aside) == 0 && rename(a, b) == 0 && rename(aside, a) == 0;
	free(aside);
	return ok;
}

/* The recording that was kept before: -1 and ENOENT where there is none.  A link is not
 * followed. */
static int open_kept(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

enum hs_status rec_place_keep(struct rec_place *place, struct hs_error *e)
{
	char *kept = NULL;
	enum hs_status status = HS_OK;

	place->keep = place->target != NULL;
	if (!place->keep)
		return HS_OK;
	if (asprintf(&kept, "%s.old", place->target) < 0)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	int dir = open_kept(kept);

	if (dir >= 0)
		status = expect_recording(dir, kept, e);
	else if (errno != ENOENT)
		status = fail(e, kept);
	close_directory(&dir);
	free(kept);
	return status;
}

/* The older recording is at @path now: it takes the place of the one that was kept before. */
static bool keep_older(const char *path, const char *target)
{
	char *kept = NULL;

	if (asprintf(&kept, "%s.old", target) < 0)
		return false;
	bool ok = rename(path, kept) == 0; /* nothing is there, or an empty directory */
	int dir = ok ? -1 : open_kept(kept);

	if (dir >= 0)
		ok = expect_recording(dir, kept, NULL) == HS_OK && exchange(path, kept) &&
		     remove_files(dir, DEPTH) == HS_OK && rmdir(path) == 0;
	close_directory(&dir);
	free(kept);
	return ok;
}

/* What was replaced is at @path. */
static bool remove_older(const struct rec_place *place)
{
	if (place->keep)
		return keep_older(place->path, place->target);
	remove_files(place->old, DEPTH);
	return rmdir(place->path) == 0;
}

/* Is the directory still where it was made? */
static bool is_in_place(const struct rec_place *place)
{
	struct stat there, ours;

	return lstat(place->path, &there) == 0 && fstat(place->dir, &ours) == 0 &&
	       there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

enum hs_status rec_place_commit(struct rec_place *place, struct hs_error *e)
{
	enum hs_status status = HS_OK;

	if (!is_in_place(place)) {
		status = hs_error_set(e, HS_E_CUT, "%s: was moved or replaced while it was written",
		                      place->path);
	} else if (place->target != NULL) {
		if (!exchange(place->path, place->target)) {
			status = fail(e, place->path);
			rec_place_discard(place);
		} else {
			rec_each_name(place->old, move_other, place);
			if (!remove_older(place))
				status = hs_error_set(e, HS_E_SYSTEM,
				                      "%s has the new recording; the old one is "
				                      "still in %s: %s",
				                      place->target, place->path, strerror(errno));
		}
	}
	rec_place_close(place);
	return status;
}

void rec_place_discard(struct rec_place *place)
{
	if (place->dir >= 0) {
		remove_files(place->dir, DEPTH);
		rmdir(place->path);
	}
	rec_place_close(place);
}

void rec_place_close(struct rec_place *place)
{
	close_directory(&place->dir);
	close_directory(&place->old);
	free(place->path);
	free(place->target);
	*place = (struct rec_place){ .dir = -1, .old = -1 };
}
