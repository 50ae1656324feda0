/* Files whose code may have run: their segments, build-id and names. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/private.h"
#include "program/program.h"
#include "support/elf_order.h"
#include "support/file.h"
#include "support/grow.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

#define PAGE 4096u
#define OBJECT_MAX (INT64_C(1) << 31) /* larger ones are no program files */
#define KERNEL_MAGIC 0x38u /* where an Image has "RSC\x05" */

static void free_object(struct guest_object *o)
{
	hs_program_free(o->names);
	free(o->segments);
	free(o->masks);
	free(o->moved);
	if (o->mapped)
		munmap((void *)(uintptr_t)o->bytes, o->size);
}

void guest_free_objects(struct guest_objects *o)
{
	for (size_t i = 0; i < o->count; i++)
		free_object(&o->items[i]);
	free(o->items);
}

/* ---- the file ----------------------------------------------------------------------------- */

/* Not a mapping of the file: that would end us with a signal when the file shrinks. */
static void *read_whole(int fd, size_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	size_t have = 0;

	while (bytes != MAP_FAILED && have < size) {
		const ssize_t n = pread(fd, bytes + have, size - have, (off_t)have);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	return bytes;
}

static enum hs_status map_file(struct guest_object *o, struct hs_error *error)
{
	const int fd = support_open_file(AT_FDCWD, o->path);
	struct stat st;
	void *bytes = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size) {
		errno = EFBIG;
		o->size = (size_t)st.st_size;
		if (st.st_size <= OBJECT_MAX)
			bytes = read_whole(fd, o->size);
	} else if (fd >= 0) {
		errno = EINVAL;
	}
	const int why = errno;

	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", o->path, strerror(why));
	o->bytes = bytes;
	o->mapped = true;
	return HS_OK;
}

static bool is_riscv(Elf *elf)
{
	GElf_Ehdr eh;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh) &&
	       eh.e_machine == EM_RISCV && eh.e_ident[EI_DATA] == ELFDATA2LSB &&
	       (eh.e_type == ET_EXEC || eh.e_type == ET_DYN);
}

/* ---- what is in it ------------------------------------------------------------------------ */

/* A segment that is executed; what of it is not in the file is left out. */
static enum hs_status add_segment(struct guest_object *o, const GElf_Phdr *ph)
{
	if (!support_grow(&o->segments, &o->segment_room, o->segment_count + 1,
	                  sizeof(*o->segments)))
		return HS_E_MEMORY;
	if (ph->p_offset >= o->size || ph->p_vaddr > UINT64_MAX - ph->p_filesz)
		return HS_OK;
	const uint64_t there = o->size - ph->p_offset;

	o->segments[o->segment_count++] =
		(struct guest_segment){ .start = ph->p_vaddr,
		                        .size = ph->p_filesz < there ? ph->p_filesz : there,
		                        .offset = ph->p_offset,
		                        .bytes = o->bytes + ph->p_offset };
	return HS_OK;
}

static enum hs_status read_segments(struct guest_object *o, Elf *elf)
{
	enum hs_status status = HS_OK;
	size_t count = 0;
	GElf_Ehdr eh;

	if (elf_getphdrnum(elf, &count) != 0 || !gelf_getehdr(elf, &eh))
		return HS_OK;
	o->program = eh.e_type == ET_EXEC;
	o->id_size = (uint8_t)support_elf_build_id(elf, o->id);
	for (size_t i = 0; i < count && i < 256 && status == HS_OK; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			break;
		o->program |= ph.p_type == PT_INTERP;
		o->kernel |= ph.p_type == PT_LOAD && ph.p_vaddr >> 63;
		if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && ph.p_filesz)
			status = add_segment(o, &ph);
	}
	return status;
}

/* By build-id; files without one by what is in them. */
static bool same_object(const struct guest_object *a, const struct guest_object *b)
{
	if (a->id_size || b->id_size)
		return a->id_size == b->id_size && memcmp(a->id, b->id, a->id_size) == 0;
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static bool is_known(const struct guest_objects *all, const struct guest_object *o)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].bytes && same_object(&all->items[i], o))
			return true;
	return false;
}

/* Keep an object; one of its kind is enough. */
static enum hs_status keep_object(struct hs_guest *g, struct guest_object *o)
{
	struct guest_objects *all = &g->objects;

	if (is_known(all, o)) {
		free_object(o);
		return HS_OK;
	}
	o->path = guest_keep(g, "%s", o->path);
	o->label = o->path ? guest_keep(g, "%s (no symbol)", guest_base_of(o->path)) : NULL;
	if (!o->label || !support_grow(&all->items, &all->room, all->count + 1, sizeof(*o)))
		return HS_E_MEMORY;
	o->patched |= o->kernel || strstr(guest_base_of(o->path), "vdso") != NULL;
	all->items[all->count++] = *o;
	return HS_OK;
}

/* ---- adding ------------------------------------------------------------------------------- */

/* Read an ELF file and keep it.  HS_E_FORMAT: it is none, or has no code. */
static enum hs_status read_elf(struct hs_guest *g, struct guest_object *o)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)o->bytes, o->size); /* only read */
	enum hs_status status = HS_E_FORMAT;
	bool debug = false;

	if (is_riscv(elf)) {
		status = read_segments(o, elf);
		debug = guest_is_debug_file(elf);
	}
	elf_end(elf);
	if (status == HS_OK && debug)
		return guest_keep_debug_file(g, o);
	if (status == HS_OK && !o->segment_count)
		status = HS_E_FORMAT;
	return status == HS_OK ? keep_object(g, o) : status;
}

/* Up to where the segments of an ELF file reach. */
static size_t segments_end(const uint8_t *bytes, size_t size, const Elf64_Ehdr *h)
{
	size_t end = 0;

	for (size_t i = 0; i < h->e_phnum && h->e_phentsize == sizeof(Elf64_Phdr); i++) {
		const uint64_t at = h->e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr ph;

		if (at > size || size - at < sizeof(ph))
			break;
		memcpy(&ph, bytes + at, sizeof(ph));
		support_elf64_to_host(&ph, ELF_T_PHDR, sizeof(ph));
		if (ph.p_offset <= size && ph.p_filesz <= size - ph.p_offset &&
		    ph.p_offset + ph.p_filesz > end)
			end = ph.p_offset + ph.p_filesz;
	}
	return end;
}

/* The bytes of the ELF file at the start of @bytes, its table of sections too; 0: there is none. */
static size_t embedded_size(const uint8_t *bytes, size_t size)
{
	Elf64_Ehdr h;

	if (size < sizeof(h) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(&h, bytes, sizeof(h));
	support_elf64_to_host(&h, ELF_T_EHDR, sizeof(h));
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_type != ET_DYN || h.e_machine != EM_RISCV ||
	    h.e_shoff > size || (size_t)h.e_shnum * h.e_shentsize > size - h.e_shoff)
		return 0;
	const size_t end = segments_end(bytes, size, &h);
	const size_t tables = h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;

	return end > tables ? end : tables;
}

/* The vdso of a kernel, which has it on a page of its own. */
static enum hs_status add_vdso(struct hs_guest *g, const uint8_t *bytes, size_t size)
{
	for (size_t at = PAGE; at < size; at += PAGE) {
		struct guest_object o = { .path = "[vdso]", .bytes = bytes + at,
			                  .size = embedded_size(bytes + at, size - at) };
		const enum hs_status status = o.size ? read_elf(g, &o) : HS_OK;

		if (status == HS_E_FORMAT)
			free_object(&o);
		else if (status != HS_OK)
			return status;
	}
	return HS_OK;
}

/* All of a file is code, which has no names.  False: no memory. */
static bool make_one_segment(struct guest_object *o)
{
	if (!support_grow(&o->segments, &o->segment_room, 1, sizeof(*o->segments)))
		return false;
	*o->segments = (struct guest_segment){ .size = o->size, .bytes = o->bytes };
	o->segment_count = 1;
	o->no_names = true;
	return true;
}

/* A kernel as it is loaded (Documentation/arch/riscv/boot-image-header.rst): all of it is code that
 * may be patched.  HS_E_FORMAT: it is none. */
static enum hs_status read_kernel(struct hs_guest *g, struct guest_object *o)
{
	static const char magic[] = "RSC\x05";
	const uint8_t *const bytes = o->bytes;
	const size_t size = o->size;

	if (size < PAGE || memcmp(bytes + KERNEL_MAGIC, magic, 4) != 0)
		return HS_E_FORMAT;
	if (!make_one_segment(o))
		return HS_E_MEMORY;
	o->patched = o->kernel = true;
	const bool known = is_known(&g->objects, o);
	const enum hs_status status = keep_object(g, o);

	return status == HS_OK && !known ? add_vdso(g, bytes, size) : status;
}

/* A firmware as a machine loads it: bytes without any head, known by its name.  Its code counts
 * under that. */
static enum hs_status read_raw(struct hs_guest *g, struct guest_object *o)
{
	const char *end = strrchr(guest_base_of(o->path), '.');

	if (!end || strcmp(end, ".bin") != 0 || o->size < PAGE)
		return HS_E_FORMAT;
	return make_one_segment(o) ? keep_object(g, o) : HS_E_MEMORY;
}

static enum hs_status read_module(struct hs_guest *g, struct guest_object *o)
{
	const enum hs_status status = guest_read_module(g, o);

	return status == HS_OK ? keep_object(g, o) : status;
}

static enum hs_status read_object(struct hs_guest *g, struct guest_object *o, bool strict,
                                  struct hs_error *error)
{
	enum hs_status status = read_elf(g, o);

	if (status == HS_E_FORMAT && !o->segment_count)
		status = read_kernel(g, o);
	if (status == HS_E_FORMAT && !o->segment_count)
		status = read_module(g, o);
	if (status == HS_E_FORMAT && !o->segment_count && strict)
		status = read_raw(g, o);
	if (status == HS_OK)
		return status;
	free_object(o);
	if (status == HS_E_FORMAT && !strict)
		return HS_OK;
	return status == HS_E_FORMAT
	               ? hs_error_set(error, status,
	                              "%s: neither a RISC-V ELF file with code nor a kernel (a "
	                              "firmware without a head is named .bin)",
	                              o->path)
	               : hs_error_set(error, status, "%s: out of memory", o->path);
}

enum hs_status guest_add_object(struct hs_guest *g, const struct hs_guest_file *file, bool strict,
                                struct hs_error *error)
{
	struct guest_object o = { .path = file->path, .bytes = file->bytes.p,
		                  .size = file->bytes.n };
	const enum hs_status status = o.bytes ? HS_OK : map_file(&o, error);

	if (status != HS_OK) /* of a directory a file that cannot be read is no loss */
		return strict ? status : HS_OK;
	return read_object(g, &o, strict, error);
}

uint32_t guest_count_other(const struct guest_segment *s, uint64_t at, const uint8_t *bytes,
                           uint64_t n)
{
	const uint64_t left = s->size - at, size = n < left ? n : left;
	uint32_t other = 0;

	if (!s->masks)
		for (uint64_t i = 0; i < size; i++)
			other += bytes[i] != s->bytes[at + i];
	else
		for (uint64_t i = 0; i < size; i++)
			other += ((bytes[i] ^ s->bytes[at + i]) & ~s->masks[at + i]) != 0;
	return other;
}

/* An object names nothing but itself. */
static void refuse_names(struct hs_guest *g, struct guest_object *o, const char *why)
{
	hs_program_free(o->names);
	o->names = NULL;
	o->no_names = true;
	(void)guest_note(g, "%s: its code has no names but the file's", why);
}

void guest_note_names(struct hs_guest *g, struct guest_object *o)
{
	const char *note;

	for (; o->names && (note = hs_program_note(o->names, o->noted)); o->noted++)
		(void)guest_note(g, "%s", note);
}

struct hs_program *guest_names_of(struct hs_guest *g, struct guest_object *o)
{
	struct hs_error e = { 0 };

	if (o->names || o->no_names)
		return o->names;
	const bool moved = o->module && guest_move_module(o);
	const struct hs_span bytes = { moved ? o->moved : o->bytes, o->size };

	if (o->module && !moved) {
		hs_error_set(&e, HS_E_FORMAT, "%s: a module that cannot be linked", o->path);
		refuse_names(g, o, e.text);
		return NULL;
	}
	if (hs_program_new(&o->names) == HS_OK && g->names.size)
		hs_program_set_names(o->names, &g->names); /* without memory: as by default */
	if (o->names && o->debug &&
	    hs_program_add_symbols_memory(o->names,
	                                  &(struct hs_span){ o->debug->bytes, o->debug->size },
	                                  o->debug->path, 0, &e) != HS_OK)
		(void)guest_note(g, "%s: it names nothing", e.text);
	if (!o->names)
		refuse_names(g, o, "out of memory");
	else if (hs_program_add_symbols_memory(o->names, &bytes, o->path, 0, &e) != HS_OK)
		refuse_names(g, o, e.text);
	guest_note_names(g, o);
	return o->names;
}
