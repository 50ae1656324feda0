/* Damage to one unit of a trace, a message or a packet, or from within it on. */
#ifndef TESTS_DAMAGE_H
#define TESTS_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "property/randprog.h"

#define DAMAGE_MAX 300 /* bytes that it adds at most */

/* REPEAT and DROP: of a whole unit; COPY: of bytes from elsewhere. */
enum damage { FLIP, REPEAT, DROP, NOISE, LOSE, ADD, COPY, CUT, DAMAGES };

extern const char *const damage_names[DAMAGES];

/* @bad has room for @length + DAMAGE_MAX bytes. */
struct damaged {
	const uint8_t *good;
	size_t length;
	uint8_t *bad;
	size_t bad_length;
};

/* Write a copy with damage in the unit of @whole bytes at @start; FLIP leaves its first @head
 * bytes as they are.  @return where what is not damaged begins in good. */
size_t damage_unit(struct damaged *d, struct rng *r, enum damage how, size_t start, size_t whole,
                   size_t head);

#endif
