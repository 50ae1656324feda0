/* Sources: the text of a /proc/PID/maps says where files were mapped. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/program.h"
#include "source/private.h"

#define LINE_MAX_BYTES 4608 /* PATH_MAX and what is before it */

struct mapping {
	unsigned long long start, end, offset;
	char rights[5];
	int path; /* where it begins in the line; 0: the line is none */
};

/* "10000-60000 r-xp 00000000 08:01 1234      /bin/busybox" */
static bool read_line(const char *line, struct mapping *m)
{
	int at = 0;

	*m = (struct mapping){ 0 };
	if (sscanf(line, "%llx-%llx %4[-rwxps] %llx %*x:%*x %*u %n", &m->start, &m->end, m->rights,
	           &m->offset, &at) != 4 ||
	    !at || m->start >= m->end)
		return false;
	m->path = at;
	return strlen(m->rights) == 4;
}

bool source_is_maps_text(const char *path)
{
	/* what is no file is not waited for */
	const int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char line[LINE_MAX_BYTES];
	struct mapping m;
	const bool is = f && fgets(line, sizeof(line), f) && read_line(line, &m);

	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return is;
}

static void note_missing(struct hs_program *p, const char *path)
{
	(void)hs_program_add_note(p,
	                          "%s, which was mapped, is not there: its code is not known "
	                          "(--sysroot DIR, or --elf FILE+OFFSET)",
	                          path);
}

/* Add the file of a mapping of code. */
static enum hs_status add_mapping(struct source_code *c, struct hs_program *p,
                                  const struct mapping *m, const char *file, struct hs_error *error)
{
	enum hs_status status;
	uint64_t bias;
	char *path;

	if (asprintf(&path, "%s%s", c->sysroot ? c->sysroot : "", file) < 0)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	const struct hs_program_mapping at = { .size = sizeof(at),
		                               .path = path,
		                               .start = m->start,
		                               .offset = m->offset,
		                               .length = m->end - m->start };

	if (access(path, R_OK) != 0) {
		note_missing(p, path);
		status = HS_OK;
	} else {
		status = source_find_bias(&at, &bias, error);
		if (status == HS_OK)
			status = hs_program_add_elf(p, path, bias, error);
	}
	free(path);
	return status;
}

/* The mapping of code of a file that follows another one of the same file belongs to it. */
static bool is_new(const char *file, char *last)
{
	const bool is = strcmp(file, last) != 0;

	snprintf(last, LINE_MAX_BYTES, "%s", file);
	return is;
}

enum hs_status source_add_maps_text(struct source_code *c, struct hs_program *p, const char *path,
                                    struct hs_error *error)
{
	char line[LINE_MAX_BYTES], last[LINE_MAX_BYTES] = "";
	enum hs_status status = HS_OK;
	FILE *f = fopen(path, "re");
	struct mapping m;

	if (!f)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	for (unsigned n = 1; status == HS_OK && fgets(line, sizeof(line), f); n++) {
		line[strcspn(line, "\n")] = '\0';
		if (!read_line(line, &m))
			status = hs_error_set(error, HS_E_FORMAT,
			                      "%s:%u: not a line of /proc/PID/maps", path, n);
		else if (m.rights[2] == 'x' && line[m.path] == '/' && is_new(line + m.path, last))
			status = add_mapping(c, p, &m, line + m.path, error);
	}
	fclose(f);
	return status;
}
