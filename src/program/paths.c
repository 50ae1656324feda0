/* Programs: the paths of source files.  Debug information names a file by its folder, which may be
 * relative to the folder of the compilation (DWARF 5, 3.1.1 and 6.2.4; libdw joins all but that
 * one).  A file has one path here, whichever unit names it: in full, without "." and "..", and as
 * one string (design/names). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "program/lines.h"

#define UNNAMED "???" /* libdw's name of a file that the table does not have */

struct source_path {
	const char *text;
};

/* "C:/", "C:\" or "\\SERVER": a path of Windows that is whole. */
static bool is_windows(const char *path)
{
	if (path[0] == '\\')
		return path[1] == '\\';
	return isalpha((unsigned char)path[0]) && path[1] == ':' &&
	       (path[2] == '/' || path[2] == '\\');
}

static bool is_in(const char *path, const char *folder)
{
	const size_t n = strlen(folder);

	return n && strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* Remove empty names, ".", and ".." with the name before it, after @root bytes.  What a relative
 * path leads out of is not known: there ".." stays. */
static void simplify(char *path, size_t root)
{
	char *from = path + root, *to = from, *least = from;

	while (*from) {
		const size_t n = strcspn(from, "/");
		const bool up = n == 2 && from[0] == '.' && from[1] == '.';

		if (up && (to > least || root)) {
			while (to > least && *--to != '/')
				;
		} else if (n > 1 || (n == 1 && from[0] != '.')) {
			if (to > path + root)
				*to++ = '/';
			memmove(to, from, n);
			to += n;
			if (up)
				least = to;
		}
		from += n;
		from += strspn(from, "/");
	}
	*to = '\0';
}

/* The path in memory of its own; NULL without. */
static char *whole_path(const char *folder, const char *name)
{
	char *path = malloc(strlen(folder) + strlen(name) + 2);
	size_t root;

	if (!path)
		return NULL;
	if (is_in(name, folder) && is_windows(name + strlen(folder) + 1))
		name += strlen(folder) + 1; /* libdw takes it for a relative one */
	*path = '\0';
	if (*folder && name[0] != '/' && !is_windows(name) && !is_in(name, folder)) {
		strcpy(path, folder);
		strcat(path, "/");
	}
	strcat(path, name);
	root = path[0] == '/';
	if (is_windows(path)) {
		root = path[0] == '\\' ? 2 : 3;
		for (char *at = path; (at = strchr(at, '\\'));)
			*at = '/';
	}
	simplify(path, root);
	return path;
}

static bool same_text(const void *item, const void *key)
{
	return strcmp(((const struct source_path *)item)->text, key) == 0;
}

const char *program_source_path(struct line_table *t, const char *folder, const char *name)
{
	char *path = name ? whole_path(folder ? folder : "", name) : NULL;
	const uint32_t hash = path ? support_hash_text(path) : 0;
	struct source_path *known =
		path ? support_hash_find(&t->paths, hash, same_text, path) : NULL;

	if (path && !known) {
		const char *text = program_keep(&t->texts, path);

		t->paths.item_size = sizeof(*known);
		known = text ? support_hash_add(&t->paths, hash) : NULL;
		if (known)
			known->text = text;
	}
	t->full |= name && !known;
	free(path);
	return known ? known->text : NULL;
}

const char *program_unit_path(struct line_table *t, struct unit *u, Dwarf_Files *files,
                              size_t index)
{
	const char *name = NULL;

	if (index >= u->path_count)
		return NULL;
	if (!u->paths[index])
		name = dwarf_filesrc(files, index, NULL, NULL);
	if (name && strcmp(name, UNNAMED) != 0)
		u->paths[index] = program_source_path(t, u->folder, name);
	return u->paths[index];
}
