/* The body of a value change dump (IEEE 1364): words to changes of values. */
#include "inputs/vcd_body.h"

#include <string.h>

static void keep_digits(struct vcd_body *b, const char *digits, size_t n)
{
	if (n > VCD_DIGITS) {
		digits += n - VCD_DIGITS;
		n = VCD_DIGITS;
	}
	memcpy(b->value, digits, n);
	b->n = n;
}

static enum vcd_event read_change(struct vcd_body *b, const char *word, size_t n)
{
	switch (word[0]) {
	case '#':
		return VCD_TIME;
	case '0':
	case '1':
	case 'x':
	case 'X':
	case 'z':
	case 'Z':
		keep_digits(b, word, 1);
		b->id = word + 1;
		return VCD_CHANGED;
	case 'b':
	case 'B':
		keep_digits(b, word + 1, n - 1);
		b->expect = VCD_EXPECT_VECTOR_ID;
		return VCD_NOTHING;
	case 'r':
	case 'R':
	case 's':
	case 'S': /* a real; a string, which some simulators write */
		b->expect = VCD_EXPECT_OTHER_ID;
		return VCD_NOTHING;
	case '$': /* $dumpvars and the like enclose changes; a $comment encloses other words */
		if (strcmp(word, "$comment") == 0)
			b->expect = VCD_EXPECT_COMMENT;
		return VCD_NOTHING;
	default:
		return VCD_BAD;
	}
}

enum vcd_event vcd_body_word(struct vcd_body *b, const char *word, size_t n)
{
	const enum vcd_expect expect = b->expect;

	if (expect == VCD_EXPECT_CHANGE)
		return read_change(b, word, n);
	if (expect == VCD_EXPECT_COMMENT && strcmp(word, "$end") != 0)
		return VCD_NOTHING;
	b->expect = VCD_EXPECT_CHANGE;
	b->id = word;
	return expect == VCD_EXPECT_VECTOR_ID ? VCD_CHANGED : VCD_NOTHING;
}
