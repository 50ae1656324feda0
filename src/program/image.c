/* Programs: the bytes of several files and snapshots as one image. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/private.h"
#include "support/file.h"

static int by_start(const void *a, const void *b)
{
	const struct hs_section *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static struct hs_section part_of(const struct hs_section *s, uint64_t from, uint64_t to)
{
	return (struct hs_section){ from, to - from, s->bytes + (from - s->start) };
}

/* Add the parts of @s that @top leaves free to @v, which has @n.  Returns the new n.  Sections come
 * in order: *t is the first of @top that may reach this one. */
static size_t add_free_parts(const struct section_list *top, size_t *t, const struct hs_section *s,
                             struct hs_section *v, size_t n)
{
	const uint64_t last = s->start + (s->size - 1);
	uint64_t at = s->start;

	for (; *t < top->n && top->v[*t].start <= last; ++*t) {
		const struct hs_section *o = &top->v[*t];
		const uint64_t o_last = o->start + (o->size - 1);

		if (o->start > at)
			v[n++] = part_of(s, at, o->start);
		if (o_last >= last) /* it may also cover the next of bottom */
			return n;
		if (o_last >= at)
			at = o_last + 1;
	}
	v[n++] = part_of(s, at, last + 1);
	return n;
}

/* out = top, and of bottom what top leaves free.  Both are sorted and free of overlaps, so
 * that out has at most 2 * top + bottom entries. */
static enum hs_status merge(const struct section_list *top, const struct section_list *bottom,
                            struct section_list *out)
{
	struct hs_section *v = calloc(2 * top->n + bottom->n + 1, sizeof(*v));
	size_t n = 0, t = 0;

	if (!v)
		return HS_E_MEMORY;
	for (size_t b = 0; b < bottom->n; b++)
		n = add_free_parts(top, &t, &bottom->v[b], v, n);
	if (top->n)
		memcpy(v + n, top->v, top->n * sizeof(*v));
	n += top->n;
	qsort(v, n, sizeof(*v), by_start);
	free(out->v);
	*out = (struct section_list){ v, n };
	return HS_OK;
}

static enum hs_status remerge(struct hs_program *p)
{
	const enum hs_status s = merge(&p->overlay, &p->files, &p->merged);

	if (s == HS_OK) {
		p->image.sections = p->merged.v;
		p->image.count = p->merged.n;
	}
	return s;
}

static bool overlapping(const struct section_list *l, uint64_t *where)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->v[i - 1].start + (l->v[i - 1].size - 1) >= l->v[i].start) {
			*where = l->v[i].start;
			return true;
		}
	return false;
}

enum hs_status program_add_sections(struct hs_program *p, const struct hs_section *v, size_t n,
                                    const char *path, struct hs_error *error)
{
	struct section_list all = { calloc(p->files.n + n + 1, sizeof(*v)), p->files.n + n };
	uint64_t where;

	if (!all.v)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
	if (p->files.n)
		memcpy(all.v, p->files.v, p->files.n * sizeof(*v));
	if (n)
		memcpy(all.v + p->files.n, v, n * sizeof(*v));
	qsort(all.v, all.n, sizeof(*v), by_start);
	if (overlapping(&all, &where)) {
		free(all.v);
		return hs_error_set(
			error, HS_E_CONFIG,
			"%s: overlaps at 0x%llx what was loaded before; give it another "
			"address (--elf FILE+OFFSET)",
			path, (unsigned long long)where);
	}
	free(p->files.v);
	p->files = all;
	return remerge(p) == HS_OK ? HS_OK
	                           : hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
}

/* The whole of a regular file. */
static enum hs_status read_file(const char *path, uint8_t **bytes, size_t *size,
                                struct hs_error *error)
{
	const int fd = support_open_file(AT_FDCWD, path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		const int why = errno;

		if (fd >= 0)
			close(fd);
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(why));
	}
	*size = (size_t)st.st_size;
	*bytes = malloc(*size + 1);
	size_t have = 0;

	while (*bytes && have < *size) {
		const ssize_t n = read(fd, *bytes + have, *size - have);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	close(fd);
	*size = have;
	return *bytes ? HS_OK : hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
}

enum hs_status hs_program_add_raw(struct hs_program *p, const char *path, uint64_t address,
                                  struct hs_error *error)
{
	struct program_file *f = calloc(1, sizeof(*f));
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum hs_status s = f ? read_file(path, &bytes, &size, error)
	                     : hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);

	if (s == HS_OK && (size == 0 || address > UINT64_MAX - size))
		s = hs_error_set(error, HS_E_FORMAT, "%s: empty, or too large for address 0x%llx",
		                 path, (unsigned long long)address);
	if (s == HS_OK)
		s = program_add_sections(p, &(struct hs_section){ address, size, bytes }, 1, path,
		                         error);
	if (s != HS_OK) {
		free(bytes);
		free(f);
		return s;
	}
	*f = (struct program_file){ .next = p->open, .fd = -1, .bytes = bytes };
	p->open = f;
	return HS_OK;
}

enum hs_status hs_program_add_image(struct hs_program *p, const struct hs_image *image,
                                    struct hs_error *error)
{
	struct section_list top = { calloc(image->count + 1, sizeof(*top.v)), image->count };
	uint64_t where;

	if (!top.v)
		return hs_error_set(error, HS_E_MEMORY, "code snapshot: out of memory");
	for (size_t i = 0; i < image->count; i++) {
		top.v[i] = image->sections[i];
		if (!top.v[i].size || top.v[i].start > UINT64_MAX - top.v[i].size) {
			free(top.v);
			return hs_error_set(error, HS_E_FORMAT, "code snapshot: bad section");
		}
	}
	qsort(top.v, top.n, sizeof(*top.v), by_start);
	enum hs_status s =
		overlapping(&top, &where)
			? hs_error_set(error, HS_E_FORMAT, "code snapshot: sections overlap")
			: merge(&top, &p->overlay, &p->overlay);

	free(top.v);
	if (s == HS_OK)
		s = remerge(p);
	if (s == HS_OK)
		s = program_compare_files(p);
	if (s == HS_OK && !p->have_xlen && image->isa.xlen) {
		p->image.isa = image->isa;
		p->have_xlen = true;
	}
	if (!p->image.jvt)
		p->image.jvt = image->jvt;
	return s == HS_E_MEMORY ? hs_error_set(error, s, "code snapshot: out of memory") : s;
}
