/* Inputs that are a program and its trace: 8 bytes of configuration, 8 of the code's address, 2 of
 * its size; code; trace. */
#ifndef HS_TESTS_FUZZ_PROGRAM_H
#define HS_TESTS_FUZZ_PROGRAM_H

#include <string.h>

#include <hartscope/image.h>

#include "edit.h"
#include "property/randprog.h"

#define FUZZ_HEAD 18

struct fuzz_program {
	struct hs_section section;
	struct hs_image image;
	size_t trace; /* where it begins */
};

/* Where the trace of an input begins, if it has one. */
static inline size_t fuzz_trace_at(const uint8_t *data)
{
	return FUZZ_HEAD + (data[16] | (size_t)data[17] << 8);
}

/* False: it is no input.  @p stays where it is. */
static inline bool fuzz_take_program(const uint8_t *data, size_t size, unsigned xlen,
                                     struct fuzz_program *p)
{
	uint64_t base;

	if (size < FUZZ_HEAD)
		return false;
	memcpy(&base, data + 8, sizeof(base));

	p->trace = fuzz_trace_at(data);

	const size_t code = p->trace - FUZZ_HEAD;

	p->section = (struct hs_section){ base & ~(uint64_t)1, code, data + FUZZ_HEAD };
	p->image = (struct hs_image){ .sections = &p->section,
		                      .count = 1,
		                      .isa = { .xlen = (uint8_t)xlen } };
	if (xlen == 32)
		p->section.start &= UINT32_MAX >> 1;
	return size >= p->trace && code > 0 && hs_img_check(&p->image) == HS_OK;
}

/* The half-word at an address, for second decoders; @program: the section.  False: none. */
static inline bool fuzz_fetch(const void *program, uint64_t addr, uint16_t *half)
{
	const struct hs_section *s = program;

	if (addr < s->start || addr - s->start >= s->size || s->size - (addr - s->start) < 2)
		return false;
	*half = (uint16_t)(s->bytes[addr - s->start] | s->bytes[addr - s->start + 1] << 8);
	return true;
}

/* Change the trace of an input that fuzz_take_program() took; its records are those of @format. */
static inline bool fuzz_mutate_trace(struct fuzz_edit *e, const struct fuzz_format *format)
{
	struct fuzz_program other;
	const bool good = fuzz_take_program(e->other, e->other_size, 64, &other);

	return fuzz_mutate_records(e, format, fuzz_trace_at(e->data),
	                           good ? other.trace : SIZE_MAX);
}

/* Write all but the configuration.  @return  Where the trace begins. */
static inline size_t fuzz_put_program(const struct program *p, uint8_t *data)
{
	memcpy(data + 8, &p->base, sizeof(p->base));
	data[16] = (uint8_t)p->size;
	data[17] = (uint8_t)(p->size >> 8);
	memcpy(data + FUZZ_HEAD, p->code, p->size);
	return FUZZ_HEAD + p->size;
}

#endif
