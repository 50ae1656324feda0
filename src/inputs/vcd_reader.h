/* A value change dump (IEEE 1364): text to variables, times and changes of values.  What a caller
 * wants of it, pins of a trace port or signals as rows, it finds with vcd_fit(). */
#ifndef HS_CAPTURE_VCD_READER_H
#define HS_CAPTURE_VCD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#include "inputs/vcd_body.h"

#define VCD_WORD 512
#define VCD_ID 32
#define VCD_NAME 256
#define VCD_PATH 1024
#define VCD_DEPTH 128

/* A variable that was asked for: its own name or the end of its path, and perhaps a bit of it. */
struct vcd_name {
	char text[VCD_NAME];
	size_t n, stem; /* without the index */
	bool has_index;
	int32_t index;
};

/* A $var. */
struct vcd_var {
	char id[VCD_ID + 1]; /* "": too long to be distinguished */
	uint32_t size;
	unsigned numbers; /* of its range: 0; 1, a bit of a vector; 2 */
	int32_t left, right;
};

struct vcd_reader {
	char word[VCD_WORD + 1];
	size_t n;
	uint64_t offset, word_at; /* bytes read; those before the word */
	char section[24];         /* keyword of the current section, "" outside */
	unsigned words;           /* of it */
	bool declared;            /* the declarations are over */
	struct vcd_var var;
	/* The open scopes with a dot after each; while a variable is read, its name as well. */
	char path[VCD_PATH + VCD_NAME];
	size_t scopes_n, path_n;
	size_t before[VCD_DEPTH]; /* scopes_n outside each scope */
	unsigned depth;
	struct vcd_body body; /* the last change: id, value, n */
	const char *why;      /* what is wrong, after VCD_BAD */
};

/* Words up to the next event.  VCD_NOTHING: the text is used up. */
enum vcd_event vcd_read(struct vcd_reader *r, struct hs_span *in);

/* The text is over: its last word. */
enum vcd_event vcd_end(struct vcd_reader *r);

/* "name", "scope.name", "name[3]".  False: empty or too long. */
bool vcd_set_name(struct vcd_name *name, const char *text, size_t n);

/* What of a name the current variable is. */
enum vcd_fit {
	VCD_OTHER,
	VCD_ALL, /* all of it */
	VCD_BIT, /* a bit of the variable is meant */
	VCD_PART /* the variable is a bit of what is named */
};

/* After VCD_VARIABLE.  *bit: VCD_BIT: of the value, 0 is the right-most digit; VCD_PART: the
 * number in the declaration. */
enum vcd_fit vcd_fit(const struct vcd_reader *r, const struct vcd_name *want, int32_t *bit);

#endif
