/* Programs: which files are read that other files name, and where source text is. */
#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/private.h"
#include "program/program.h"
#include "support/file.h"
#include "support/trust.h"

bool hs_program_allows(struct hs_program *p, const char *path)
{
	if (!p->names.confined || support_is_below(path, (const char *const *)p->names.folders))
		return true;
	(void)program_add_note(p,
	                       "%s: not read: it is named by a file that was not written here "
	                       "(--elf FILE reads it, --allow-paths all such files)",
	                       path);
	return false;
}

void hs_program_trust_sources(struct hs_program *p)
{
	p->names.own_sources = true;
}

/* Debug information comes with the program and may name any file.  Only those are shown that have
 * the name of a source file. */
static bool is_source(const char *path)
{
	static const char *const endings[] = {
		"c",   "h",   "cc",    "cpp",  "cxx", "c++",   "C",   "hh",  "hpp", "hxx",
		"H",   "inc", "inl",   "ipp",  "tcc", "def",   "S",   "s",   "sx",  "asm",
		"rs",  "go",  "zig",   "d",    "nim", "swift", "ada", "adb", "ads", "f",
		"f77", "f90", "f95",   "f03",  "f08", "F",     "F90", "m",   "mm",  "cr",
		"pas", "pp",  "java",  "kt",   "ml",  "hs",    "l",   "y",   "ll",  "td",
		"cl",  "cu",  "scala", "vala", "v",   "py",    "lua", "js",  "ts"
	};
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	if (!dot || (slash && dot < slash))
		return strstr(path, "/include/c++/") && !strstr(path, "/../"); /* headers */
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (strcmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

/* Is it a folder in which somebody compiles?  No "..", nothing hidden, and not "/" or "/etc". */
static bool is_compile_dir(const char *dir)
{
	unsigned names = 0;

	if (dir[0] != '/' || strstr(dir, "/."))
		return false;
	for (const char *at = dir; *at; at++)
		names += at[0] == '/' && at[1] != '/' && at[1] != '\0';
	return names >= 2;
}

/* Put a folder at the end of a list of strings that are apart by 0, unless it is there or the list
 * is full. */
static void add_dir(const char *dir, char *out, size_t size, size_t *used)
{
	const size_t n = strlen(dir) + 1;

	for (size_t at = 0; at < *used; at += strlen(out + at) + 1)
		if (strcmp(out + at, dir) == 0)
			return;
	if (n > size - *used || !is_compile_dir(dir))
		return;
	memcpy(out + *used, dir, n);
	*used += n;
}

static size_t dirs_of_units(Dwarf *dwarf, char *out, size_t size)
{
	Dwarf_Off at = 0, next;
	size_t header, used = 0;

	while (dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
		Dwarf_Attribute attribute;
		Dwarf_Die die;
		const char *dir = NULL;

		if (dwarf_offdie(dwarf, at + header, &die))
			dir = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
		if (dir)
			add_dir(dir, out, size, &used);
		at = next;
	}
	return used;
}

size_t hs_program_compile_dirs(const char *path, char *out, size_t size)
{
	const int fd = support_open_file(AT_FDCWD, path);
	Dwarf *dwarf;
	size_t used;

	elf_version(EV_CURRENT);
	dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	used = dwarf ? dirs_of_units(dwarf, out, size) : 0;
	dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	return used;
}

static bool read_dirs(struct program_file *f)
{
	if (!f->compile_dirs && f->dwarf) {
		f->compile_dirs = malloc(HS_COMPILE_DIRS_SIZE);
		f->compile_dirs_size = f->compile_dirs ? dirs_of_units(f->dwarf, f->compile_dirs,
		                                                       HS_COMPILE_DIRS_SIZE)
		                                       : 0;
	}
	return f->compile_dirs;
}

static bool is_compiled_there(const struct hs_program *p, const char *path)
{
	for (struct program_file *f = p->open; f; f = f->next)
		for (size_t at = 0; read_dirs(f) && at < f->compile_dirs_size;
		     at += strlen(f->compile_dirs + at) + 1) {
			const char *const folders[] = { f->compile_dirs + at, NULL };

			if (support_is_below(path, folders))
				return true;
		}
	return false;
}

bool program_may_read(const struct hs_program *p, const char *path)
{
	return !p->names.confined || p->names.own_sources || is_compiled_there(p, path) ||
	       support_is_below(path, (const char *const *)p->names.folders);
}

/* Of a folder that the user named for it: by the whole path, and ever fewer of its last names. */
static int open_in(const char *dir, const char *path)
{
	const char *const folders[] = { dir, NULL };
	int fd = -1;

	for (const char *rest = path; rest && fd < 0; rest = strchr(rest, '/')) {
		char joined[4096];

		rest += strspn(rest, "/");
		if ((size_t)snprintf(joined, sizeof(joined), "%s/%s", dir, rest) < sizeof(joined) &&
		    support_is_below(joined, folders))
			fd = support_open_file(AT_FDCWD, joined);
	}
	return fd;
}

/* One note for all of them: a source is where the program was compiled, and may not be read. */
static void note_hidden(struct hs_program *p, const char *path)
{
	struct stat st;

	if (p->hid_source || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	p->hid_source = true;
	(void)program_add_note(p,
	                       "%s: its text is not shown: it is below no folder of the command "
	                       "line, and not where the program was compiled (--source-path DIR "
	                       "shows what is in DIR)",
	                       path);
}

int program_open_source(struct hs_program *p, const char *path)
{
	int fd = -1;

	if (!is_source(path))
		return -1;
	for (char *const *dir = p->names.source_dirs; dir && *dir && fd < 0; dir++)
		fd = open_in(*dir, path);
	if (fd >= 0)
		return fd;
	if (!program_may_read(p, path)) {
		note_hidden(p, path);
		return -1;
	}
	return support_open_file(AT_FDCWD, path);
}
