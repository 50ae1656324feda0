/* Changes of an input that keep what it is made of: the same for driver.c, libFuzzer (libfuzzer.c)
 * and AFL++ (afl.c). */
#ifndef HS_TESTS_FUZZ_EDIT_H
#define HS_TESTS_FUZZ_EDIT_H

#include "fuzz.h"

/* An input that is changed in place. */
struct fuzz_edit {
	uint8_t *data;
	size_t size, room;
	const uint8_t *other; /* another input, to take parts from; it may be the same */
	size_t other_size;
	uint64_t state; /* of fuzz_random() */
};

/* Change @e as only the target can.  A target need not define it.
 * @return  False: there is nothing to change, or no room. */
bool fuzz_mutate(struct fuzz_edit *e);

/* splitmix64: the next number. */
static inline uint64_t fuzz_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A number below @n, which is at least 1. */
static inline size_t fuzz_pick(struct fuzz_edit *e, size_t n)
{
	return (size_t)(fuzz_random(&e->state) % n);
}

/* A value at a limit of a field of @bits, next to one, or any.  Now and then it does not fit. */
uint64_t fuzz_limit(struct fuzz_edit *e, unsigned bits);

/* Put @n bytes in the place of the @old bytes at @at.  @bytes lie elsewhere.  False: no room. */
bool fuzz_replace(struct fuzz_edit *e, size_t at, size_t old, const void *bytes, size_t n);

/* ---- inputs that end in records: messages, packets, records of a log ------------------ */

#define FUZZ_RECORD_MAX 65536 /* bytes of a run of records that is copied */

struct fuzz_record {
	size_t at, n;
	unsigned note; /* what change() has to know of the records before */
};

struct fuzz_format {
	const void *config;
	/* Cut the @n bytes at @p into records, up to @cap of them.  What is left is not changed. */
	size_t (*cut)(const void *config, const uint8_t *p, size_t n, struct fuzz_record *out,
	              size_t cap);
	/* Write @record, whose bytes are at @p, with one of its fields changed, to @out, which has
	 * room for FUZZ_RECORD_MAX bytes.  @return  bytes; 0: it has no fields. */
	size_t (*change)(const void *config, struct fuzz_edit *e, const uint8_t *p,
	                 const struct fuzz_record *record, uint8_t *out);
};

/* Drop, repeat, move, or change records of @e, or take some from the other input.  The records
 * begin at @head, in the other input at @other_head. */
bool fuzz_mutate_records(struct fuzz_edit *e, const struct fuzz_format *format, size_t head,
                         size_t other_head);

/* The same for records of @bytes each that have no fields: bytes of them change, or of the head. */
bool fuzz_mutate_steps(struct fuzz_edit *e, size_t head, size_t bytes);
/* fuzz_seed() of a target to which any bytes are a life: @n random ones, 32 times. */
size_t fuzz_seed_steps(unsigned i, size_t n, uint8_t *data, size_t size);

/* ---- protocols: their tables say what the fields are ------------------------------------ */

struct hs_nt_config;
struct hs_et_config;
struct hs_et_packet;

/* Messages of N-Trace.  Only src_bits and dialect of @config matter. */
struct fuzz_format fuzz_nt_messages(const struct hs_nt_config *config);
/* Packets of E-Trace. */
struct fuzz_format fuzz_et_packets(const struct hs_et_config *config);
/* What the first bits of a packet say of its form, enum hs_et_form. */
void fuzz_et_set_form(struct hs_et_packet *p, unsigned form);

/* Files of a recording, as in the inputs of fuzz_recording.c: the manifest as JSON, records of the
 * log, words of a hart. */
bool fuzz_mutate_files(struct fuzz_edit *e);

/* ---- JSON --------------------------------------------------------------------------------- */

/* @e is a JSON text: change one value, name or member of it.  False: it is none. */
bool fuzz_mutate_json(struct fuzz_edit *e);

#endif
