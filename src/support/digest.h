/* The size and checksum of a file, by which another one is not taken for it. */
#ifndef HS_SUPPORT_DIGEST_H
#define HS_SUPPORT_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <hartscope/status.h>

struct support_digest {
	bool known;
	uint64_t bytes;
	uint64_t sum; /* XXH64 with seed 0, as `xxhsum -H64` prints it */
};

/* Of the rest of a file.  HS_E_SYSTEM: it cannot be read; errno says why. */
enum hs_status support_digest_fd(int fd, struct support_digest *d);
/* Of a regular file; not known where there is none.  HS_E_SYSTEM: it cannot be read. */
enum hs_status support_digest_file(const char *path, struct support_digest *d, struct hs_error *e);

/* In JSON: the members bytes and xxh64 of an object.  False: they are not in the form. */
bool support_digest_read(const json_t *o, struct support_digest *d);
/* Nothing is put for one that is not known.  False: out of memory. */
bool support_digest_put(json_t *o, const struct support_digest *d);
bool support_digest_same(const struct support_digest *a, const struct support_digest *b);

#endif
