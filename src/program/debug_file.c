/* Programs: debug files, which have what was stripped from a file.  They are found by build-id, as
 * DIR/.build-id/xx/yyyy.debug, or by the name in .gnu_debuglink, next to the file, in .debug there,
 * or in DIR by the file's own path (GDB, Debugging Information in Separate Files). */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/crc32.h"
#include "program/private.h"
#include "support/file.h"
#include "support/trust.h"

#define PATH_SIZE 4096u

static char *const usual_dirs[] = { (char *)(uintptr_t) "/usr/lib/debug", NULL };

static char *const *dirs_of(const struct hs_program *p)
{
	return p->names.debug_dirs ? p->names.debug_dirs : usual_dirs;
}

/* Has a file all names and lines itself? */
static bool is_whole(Elf *elf)
{
	bool symbols = false, lines = false;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			continue;
		const char *name = elf_strptr(elf, names, sh.sh_name);

		symbols |= sh.sh_type == SHT_SYMTAB;
		lines |= name && strncmp(name, ".debug_info", 11) == 0;
	}
	return symbols && lines;
}

/* Add a debug file; one that is damaged has no names. */
static enum hs_status add_file(struct hs_program *p, const struct program_file *f, const char *path,
                               bool *found)
{
	const struct program_input in = { .name = path, .bias = f->bias, .debug_of = f };
	struct hs_error e = { 0 };
	struct program_file *added;
	const enum hs_status s = program_add_names(p, &in, &added, &e);

	*found = s == HS_OK;
	if (s == HS_OK || s == HS_E_MEMORY)
		return s;
	return program_add_note(p, "%s: this debug file of %s is not used", e.text, f->path);
}

static bool has_id(const char *path, const struct hs_span *id)
{
	uint8_t own[SUPPORT_ID_MAX];

	return support_file_build_id(path, own) == id->n && memcmp(own, id->p, id->n) == 0;
}

/* The path of the debug file of a build-id in a folder; false: there is none. */
static bool find_by_id(struct hs_program *p, const char *dir, const struct hs_span *id,
                       char path[PATH_SIZE])
{
	char text[2 * SUPPORT_ID_MAX + 1];

	if (id->n < 2 || id->n > SUPPORT_ID_MAX)
		return false;
	support_id_text(id->p, id->n, text);
	if ((size_t)snprintf(path, PATH_SIZE, "%s/.build-id/%.2s/%s.debug", dir, text, text + 2) >=
	    PATH_SIZE)
		return false;
	if (has_id(path, id))
		return true;
	if (access(path, F_OK) == 0)
		(void)program_add_note(
			p, "%s: is damaged, or has another build-id: it names nothing", path);
	return false;
}

static enum hs_status add_by_id(struct hs_program *p, const struct program_file *f,
                                const struct hs_span *id, bool *found)
{
	char path[PATH_SIZE];
	enum hs_status s = HS_OK;

	for (char *const *dir = dirs_of(p); *dir && !*found && s == HS_OK; dir++)
		if (find_by_id(p, *dir, id, path))
			s = add_file(p, f, path, found);
	return s;
}

static bool has_crc(const char *path, uint32_t crc)
{
	const int fd = support_open_file(AT_FDCWD, path);
	uint8_t piece[1 << 16];
	uint32_t sum = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0) {
		n = read(fd, piece, sizeof(piece));
		if (n > 0)
			sum = base_crc32_more(sum, piece, (size_t)n);
	}
	if (fd >= 0)
		close(fd);
	return n == 0 && sum == crc;
}

/* Is it the debug file of @f?  Where both have a build-id, that decides. */
static bool belongs(const struct program_file *f, const char *path, uint32_t crc)
{
	uint8_t id[SUPPORT_ID_MAX];
	const size_t n = support_file_build_id(path, id);

	if (n && f->id_size)
		return n == f->id_size && memcmp(id, f->id, n) == 0;
	return has_crc(path, crc);
}

static enum hs_status try_link(struct hs_program *p, const struct program_file *f, const char *path,
                               uint32_t crc, bool *found)
{
	if (*found || strcmp(path, f->path) == 0 || !belongs(f, path, crc))
		return HS_OK;
	return add_file(p, f, path, found);
}

static enum hs_status add_by_link(struct hs_program *p, const struct program_file *f, bool *found)
{
	GElf_Word crc = 0;
	const char *name = dwelf_elf_gnu_debuglink(f->elf, &crc);
	const char *slash = strrchr(f->path, '/');
	const int n = slash ? (int)(slash - f->path) : 1;
	const char *folder = slash ? f->path : ".";
	char path[PATH_SIZE];
	enum hs_status s = HS_OK;

	if (!name || !*name || strchr(name, '/') || f->fd < 0)
		return HS_OK;
	if ((size_t)snprintf(path, sizeof(path), "%.*s/%s", n, folder, name) < sizeof(path))
		s = try_link(p, f, path, crc, found);
	if (s == HS_OK &&
	    (size_t)snprintf(path, sizeof(path), "%.*s/.debug/%s", n, folder, name) < sizeof(path))
		s = try_link(p, f, path, crc, found);
	for (char *const *dir = dirs_of(p); *dir && s == HS_OK; dir++) {
		if (*folder == '/' && (size_t)snprintf(path, sizeof(path), "%s%.*s/%s", *dir, n,
		                                       folder, name) < sizeof(path))
			s = try_link(p, f, path, crc, found);
		if (s == HS_OK &&
		    (size_t)snprintf(path, sizeof(path), "%s/%s", *dir, name) < sizeof(path))
			s = try_link(p, f, path, crc, found);
	}
	return s;
}

enum hs_status program_add_debug_file(struct hs_program *p, const struct program_file *f,
                                      const struct hs_span *build_id)
{
	const struct hs_span own = { f->id, f->id_size };
	bool found = false;

	if (build_id || is_whole(f->elf))
		return build_id ? add_by_id(p, f, build_id, &found) : HS_OK;
	const enum hs_status s = add_by_id(p, f, &own, &found);

	return s == HS_OK && !found ? add_by_link(p, f, &found) : s;
}

/* What .gnu_debugaltlink names, where debug files are: by its build-id, or its name. */
static int open_shared(struct hs_program *p, const char *name, const struct hs_span *id)
{
	char path[PATH_SIZE];

	for (char *const *dir = dirs_of(p); *dir; dir++)
		if (find_by_id(p, *dir, id, path))
			return support_open_file(AT_FDCWD, path);
	if (*name == '/' && support_is_below(name, (const char *const *)dirs_of(p)) &&
	    has_id(name, id))
		return support_open_file(AT_FDCWD, name);
	return -1;
}

/* Left to itself libdw opens whatever the section names: a FIFO, say, or a device. */
Dwarf *program_open_dwarf(struct hs_program *p, struct program_file *f)
{
	Dwarf *dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	const char *name = NULL;
	const void *id = NULL;
	const ssize_t n = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) : 0;

	if (!n)
		return dwarf;
	if (n > 0) {
		f->shared_fd = open_shared(p, name, &(struct hs_span){ id, (size_t)n });
		f->shared = f->shared_fd < 0 ? NULL : dwarf_begin(f->shared_fd, DWARF_C_READ);
		if (f->shared) {
			dwarf_setalt(dwarf, f->shared);
			return dwarf;
		}
		if (f->shared_fd >= 0)
			close(f->shared_fd);
	}
	dwarf_end(dwarf);
	return NULL;
}
