/* perf.data by hand, as tools/perf/Documentation/perf.data-file-format.txt and
 * <linux/perf_event.h> say: a header, an attribute without ids, and records. */
#ifndef HS_TESTS_PERF_FILE_H
#define HS_TESTS_PERF_FILE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PERF_FILE_BEGIN (104 + 128 + 16) /* of the records */
#define PERF_FILE_TRAILER 24             /* of TID, TIME, CPU */

struct perf_file {
	uint8_t bytes[16384];
	size_t n;
	size_t record; /* where the current one begins */
};

static inline void perf_put(struct perf_file *f, uint64_t value, unsigned size)
{
	if (f->n + size > sizeof(f->bytes))
		abort();
	for (unsigned i = 0; i < size; i++)
		f->bytes[f->n++] = (uint8_t)(value >> 8 * i);
}

static inline void perf_set(struct perf_file *f, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		f->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static inline void perf_put_bytes(struct perf_file *f, const void *bytes, size_t n)
{
	if (f->n + n > sizeof(f->bytes))
		abort();
	memcpy(f->bytes + f->n, bytes, n);
	f->n += n;
}

/* Text with its terminator, padded to 8 bytes. */
static inline void perf_put_text(struct perf_file *f, const char *text)
{
	const size_t n = strlen(text) + 1;

	perf_put_bytes(f, text, n);
	for (size_t i = n; i % 8; i++)
		perf_put(f, 0, 1);
}

static inline void perf_put_words(struct perf_file *f, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		perf_put(f, words[i], 8);
}

/* A file without records yet; its records end in TID, TIME and CPU (sample_id_all). */
static inline void perf_file_start(struct perf_file *f)
{
	memset(f, 0, sizeof(*f));
	perf_put_bytes(f, "PERFILE2", 8);
	perf_put(f, 104, 8);
	perf_put(f, 128 + 16, 8);             /* size of an attribute with its section of ids */
	perf_put(f, 104, 8);                  /* attributes */
	perf_put(f, 128 + 16, 8);
	perf_put(f, PERF_FILE_BEGIN, 8);      /* records; their size: perf_file_end() */
	perf_put(f, 0, 8);
	f->n = 104;
	perf_put(f, 8, 4);                    /* type of the PMU */
	perf_put(f, 128, 4);
	f->n = 104 + 24;
	perf_put(f, 2 | 4 | 128, 8);          /* sample_type */
	f->n = 104 + 40;
	perf_put(f, UINT64_C(1) << 18, 8);    /* sample_id_all */
	f->n = PERF_FILE_BEGIN;
}

/* The same as a pipe has it: the attribute is a record. */
static inline void perf_pipe_start(struct perf_file *f)
{
	memset(f, 0, sizeof(*f));
	perf_put_bytes(f, "PERFILE2", 8);
	perf_put(f, 16, 8);
	perf_put(f, 64, 4);                   /* HEADER_ATTR */
	perf_put(f, 0, 2);
	perf_put(f, 8 + 128 + 8, 2);
	perf_put(f, 8, 4);
	perf_put(f, 128, 4);
	f->n = 24 + 24;
	perf_put(f, 2 | 4 | 128, 8);
	f->n = 24 + 40;
	perf_put(f, UINT64_C(1) << 18, 8);
	f->n = 24 + 128;
	perf_put(f, 77, 8);                   /* an id */
}

static inline void perf_begin(struct perf_file *f, unsigned type, unsigned misc)
{
	f->record = f->n;
	perf_put(f, type, 4);
	perf_put(f, misc, 2);
	perf_put(f, 0, 2);
}

/* The end of a record without a trailer. */
static inline void perf_end(struct perf_file *f)
{
	perf_set(f, f->record + 6, f->n - f->record, 2);
}

static inline void perf_end_at(struct perf_file *f, uint32_t tid, uint64_t time, uint32_t cpu)
{
	perf_put(f, tid, 4);
	perf_put(f, tid, 4);
	perf_put(f, time, 8);
	perf_put(f, cpu, 8);
	perf_end(f);
}

static inline void perf_put_info(struct perf_file *f, uint32_t type, const uint64_t *priv, size_t n)
{
	perf_begin(f, 70, 0);
	perf_put(f, type, 8);
	perf_put_words(f, priv, n);
	perf_end(f);
}

/* AUXTRACE with its bytes, padded as perf pads them. */
static inline void perf_put_auxtrace(struct perf_file *f, uint32_t cpu, uint32_t tid,
                                     uint64_t offset, const void *bytes, size_t n)
{
	perf_begin(f, 71, 0);
	perf_put(f, (n + 7) / 8 * 8, 8);
	perf_put(f, offset, 8);
	perf_put(f, 0, 8);
	perf_put(f, cpu == UINT32_MAX ? tid : cpu, 4);
	perf_put(f, tid, 4);
	perf_put(f, cpu, 4);
	perf_put(f, 0, 4);
	perf_end(f);
	perf_put_bytes(f, bytes, n);
	for (; n % 8; n++)
		perf_put(f, 0, 1);
}

struct perf_who {
	uint32_t cpu, tid;
};

static inline void perf_put_aux(struct perf_file *f, struct perf_who who, uint64_t offset,
                                uint64_t size, uint64_t flags, uint64_t time)
{
	perf_begin(f, 11, 0);
	perf_put(f, offset, 8);
	perf_put(f, size, 8);
	perf_put(f, flags, 8);
	perf_end_at(f, who.tid, time, who.cpu);
}

static inline void perf_file_end(struct perf_file *f)
{
	perf_set(f, 48, f->n - PERF_FILE_BEGIN, 8);
}

#endif
