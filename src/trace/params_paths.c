/* The parameters of a trace: paths relative to the folder of a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/params_private.h"

char *params_join(const char *a, const char *b)
{
	const size_t n = strlen(a), m = strlen(b);
	char *text = malloc(n + m + 1);

	if (text) {
		memcpy(text, a, n);
		memcpy(text + n, b, m);
		text[n + m] = '\0';
	}
	return text;
}

/* The folder of a path with its slash, or "". */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
}

char *params_path_from(const char *file, const char *path)
{
	char *folder = path[0] == '/' ? strdup("") : folder_of(file);
	char *text = folder ? params_join(folder, path) : NULL;

	free(folder);
	return text;
}

/* Bytes of two absolute paths that are the same folders, with the slash after them. */
static size_t common_folders(const char *folder, const char *path)
{
	size_t common = 0, at = 0;

	while (folder[at] && folder[at] == path[at])
		if (folder[at++] == '/')
			common = at;
	if (!folder[at] && path[at] == '/')
		return at + 1;
	if (!path[at] && folder[at] == '/' && at > common)
		return at + 1; /* the path is a folder above */
	return common;
}

static size_t count_folders(const char *path)
{
	size_t n = 0;

	while (*path) {
		n++;
		path += strcspn(path, "/");
		path += *path == '/';
	}
	return n;
}

/* The way from a folder to a path, both absolute and without links. */
static char *relative(const char *folder, const char *path)
{
	const size_t common = common_folders(folder, path);
	const size_t ups = count_folders(common <= strlen(folder) ? folder + common : "");
	const char *rest = common <= strlen(path) ? path + common : "";
	char *text = malloc(3 * ups + strlen(rest) + 2);

	if (!text)
		return NULL;
	*text = '\0';
	for (size_t i = 0; i < ups; i++)
		strcat(text, i + 1 == ups && !*rest ? ".." : "../");
	strcat(text, rest);
	return text;
}

bool params_path_exists(const char *path)
{
	const int why = errno;
	const bool exists = access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);

	errno = why;
	return exists;
}

char *params_path_to(const char *file, const char *path)
{
	char *folder = folder_of(file);
	char *from = folder ? realpath(*folder ? folder : ".", NULL) : NULL;
	char *to = from ? realpath(path, NULL) : NULL;
	char *text = from && to ? relative(from, to) : NULL;
	const int why = errno;

	free(folder);
	free(from);
	free(to);
	errno = why;
	return text;
}
