/* What the lint of a protocol is made of (lint.c). */
#ifndef HS_TRACE_LINT_H
#define HS_TRACE_LINT_H

#include <limits.h>

#include "trace/codec.h"

/* The frame, which the lint of a protocol begins with. */
struct hs_lint {
	struct codec_self self;
	void *own;                  /* struct hs_nt_lint, struct hs_et_lint */
	struct hs_decoder *program; /* which follows the program; NULL: there is none */
	void *fresh;                /* its state before the first byte, allocated */
	const size_t *count;        /* sources that were met */
	const uint64_t *offset;
	uint64_t *messages;
	void *sources; /* allocated */
};

#define LINT_NO_CONFIG UINT_MAX /* of configure(): this library does not take it */

/* What is known of the lints of a protocol. */
struct codec_lint_kind {
	size_t size, own, source; /* bytes of it, of what is its own, of a source */
	bool (*get_kind)(unsigned index, struct hs_lint_kind *out);
	/* Take the configuration and name its parts; @return  bits of SRC, or LINT_NO_CONFIG. */
	unsigned (*configure)(struct hs_lint *lint, const void *config);
	enum hs_status (*init)(struct hs_lint *lint, size_t sources);
	/* A decoder that remembers nothing; it has one now, which its own part uses. */
	enum hs_status (*decoder_new)(struct hs_decoder **decoder, const void *config,
	                              const struct hs_image *image, const struct hs_image_set *set,
	                              bool memo);
	void (*follow)(struct hs_lint *lint);
	/* The field with a number, NULL: none; and the current message. */
	const char *(*name_field)(unsigned field);
	void (*describe)(const struct hs_lint *lint, struct hs_message *out);
	/* Functions of its own. */
	enum hs_status (*next)(void *own, struct hs_span *in, struct hs_finding *out);
	enum hs_status (*end)(void *own, struct hs_finding *out);
	void (*take)(void *own, const void *from, const void *sources);
	void (*begin)(void *own, uint64_t offset);
	bool (*alike)(const void *own, const void *other, const void *sources);
};

#endif
