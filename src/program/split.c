/* Programs: debug information that is split off: a unit has its lines in the program, and its
 * functions in a file of its own (.dwo; DWARF 5, 3.1.2), or in one of all units (.dwp, 7.3.5).
 * libdw opens that file by itself, so that what is there is looked at first. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program/private.h"

#define PATH_SIZE 4096u

/* Where libdw looks: next to the program, and where it was compiled.  False: not there either. */
static bool path_of(const struct program_file *f, const struct unit *u, bool compiled,
                    char path[PATH_SIZE])
{
	const char *slash = f->path ? strrchr(f->path, '/') : NULL;
	const char *folder = compiled ? u->folder : f->path;
	int n = compiled || !slash ? -1 : (int)(slash - f->path);

	if (u->split_name[0] == '/')
		folder = NULL;
	else if (!compiled && !slash)
		folder = ".";
	if (folder && n < 0)
		n = (int)strlen(folder);
	return (size_t)snprintf(path, PATH_SIZE, "%.*s%s%s", folder ? n : 0, folder ? folder : "",
	                        folder ? "/" : "", u->split_name) < PATH_SIZE;
}

/* A package of all such files is next to the program; libdw goes by where a link leads. */
static bool path_of_package(const struct program_file *f, char path[PATH_SIZE])
{
	char *real = f->path ? realpath(f->path, NULL) : NULL;
	const bool fits = real && (size_t)snprintf(path, PATH_SIZE, "%s.dwp", real) < PATH_SIZE;

	free(real);
	return fits;
}

/* Is one of them a file that may be read, and none anything else? */
static bool may_open(struct hs_program *p, const struct program_file *f, const struct unit *u)
{
	char path[PATH_SIZE];
	bool found = false;
	struct stat st;

	for (unsigned place = 0; place < 3; place++) {
		if (!(place < 2 ? path_of(f, u, place, path) : path_of_package(f, path)) ||
		    stat(path, &st) != 0)
			continue;
		if (!S_ISREG(st.st_mode) || !program_may_read(p, path))
			return false;
		found = true;
	}
	return found;
}

void program_open_split(struct hs_program *p, struct unit *u)
{
	const struct program_file *f = p->open;

	if (u->read || !u->split_name)
		return;
	while (f && f->dwarf != u->dwarf)
		f = f->next;
	Dwarf_Die die, own = { 0 };

	if (f && may_open(p, f, u) && dwarf_offdie(u->dwarf, u->offset, &die) &&
	    dwarf_cu_info(die.cu, NULL, NULL, NULL, &own, NULL, NULL, NULL) == 0 && own.addr) {
		u->split = own;
		return;
	}
	if (!p->lacks_split)
		(void)program_add_note(
			p,
			"%s: its debug information %s is not there, or cannot be read (one in "
			"a .dwp needs elfutils 0.191): no functions that were inlined are known "
			"of that file and others like it",
			f && f->path ? f->path : "program", u->split_name);
	p->lacks_split = true;
}
