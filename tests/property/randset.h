/* A random set of parameters of a protocol. */
#ifndef TESTS_PROPERTY_RANDSET_H
#define TESTS_PROPERTY_RANDSET_H

#include <hartscope/trace_params.h>

#include "property/randprog.h"

#define RANDSET_ROOM 20u

/* What is asked for: names of parameters, each once, with values as text. */
struct randset {
	const struct hs_protocol *p;
	struct hs_setting settings[RANDSET_ROOM];
	char values[RANDSET_ROOM][200];
	unsigned count;
};

/* Any set, of which most are refused. */
void randset_make(struct randset *s, struct rng *r);

/* Add one, unless it has a value. */
void randset_add(struct randset *s, const char *name, const char *value);

/* The value of a parameter; NULL: it has none. */
const char *randset_value(const struct randset *s, const char *name);

/* Add up to @n random ones. */
void randset_more(struct randset *s, struct rng *r, unsigned n);

enum hs_status randset_open(const struct randset *s, struct hs_trace_params **params,
                            struct hs_error *e);

/* As options of a command. */
void randset_print(const struct randset *s);

#endif
