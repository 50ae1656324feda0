/* The index of a trace or recording on disk (docs/trace-index.md). */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/index_file.h"

char *index_path(const char *path)
{
	size_t n = strlen(path);
	char *out = malloc(n + sizeof(".idx"));

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (out)
		snprintf(out, n + sizeof(".idx"), "%.*s.idx", (int)n, path);
	return out;
}

bool index_map(const char *path, struct hs_span *file)
{
	char *name = index_path(path);
	const int fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	struct stat st;
	void *bytes = MAP_FAILED;

	free(name);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	*file = (struct hs_span){ bytes, bytes == MAP_FAILED ? 0 : (size_t)st.st_size };
	return bytes != MAP_FAILED;
}

void index_unmap(const struct hs_span *file)
{
	munmap((void *)(uintptr_t)file->p, file->n);
}

/* Continue at an entry. */
static bool go_to(struct hs_source *source, const struct hs_trace_index_entry *e,
                  struct hs_error *error)
{
	const size_t count = e->state.n / sizeof(uint32_t);
	uint32_t *state = calloc(count + 1, sizeof(*state));
	bool good = state != NULL;

	for (size_t i = 0; good && i < e->state.n; i++)
		state[i / 4] |= (uint32_t)e->state.p[i] << i % 4 * 8;
	good = good && hs_source_seek(source, &e->place, state, count, error) == HS_OK;
	free(state);
	return good;
}

/* Say why an index that is there is not used. */
static void say_why(const char *path, enum hs_status s, const struct hs_error *e)
{
	if (s == HS_E_DIFFERS)
		complain("%s.idx is not used: it is of another trace, program, parameters or "
		         "version; 'hartscope index' makes it again",
		         path);
	else if (s == HS_E_FORMAT)
		complain("%s.idx is not used: it is damaged", path);
	else if (s == HS_OK)
		complain("%s.idx is not used: %s", path, e->text);
}

bool index_seek(struct hs_source *source, const char *path, enum hs_trace_index_key key,
                uint64_t value, struct hs_trace_index_entry *entry, uint64_t *total)
{
	const uint64_t fingerprint = hs_source_fingerprint(source);
	struct hs_error e = { 0 };
	struct hs_span file;
	bool found = false;

	*entry = (struct hs_trace_index_entry){ .instructions = 0 };
	*total = UINT64_MAX;
	if (!fingerprint || !index_map(path, &file))
		return false;
	const enum hs_status s = hs_trace_index_find(&file, fingerprint, key, value, entry, total);

	if (s == HS_OK)
		found = go_to(source, entry, &e);
	if (!found && s != HS_END) {
		say_why(path, s, &e);
		*total = UINT64_MAX;
	}
	if (!found)
		hs_source_rewind(source, NULL);
	if (!found)
		*entry = (struct hs_trace_index_entry){ .instructions = 0 };
	index_unmap(&file);
	entry->state = (struct hs_span){ NULL, 0 };
	return found;
}
