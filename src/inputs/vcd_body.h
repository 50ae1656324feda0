/* The body of a value change dump, after its declarations: words to changes of values. */
#ifndef HS_CAPTURE_VCD_BODY_H
#define HS_CAPTURE_VCD_BODY_H

#include <stdbool.h>
#include <stddef.h>

/* Digits of a vector that are kept, the last ones. */
#define VCD_DIGITS 80

/* What the next word is. */
enum vcd_expect {
	VCD_EXPECT_CHANGE,
	VCD_EXPECT_VECTOR_ID,
	VCD_EXPECT_OTHER_ID,
	VCD_EXPECT_COMMENT
};

enum vcd_event {
	VCD_NOTHING,
	VCD_VARIABLE, /* a variable is declared */
	VCD_DECLARED, /* all of them are */
	VCD_TIME,     /* all changes of a time were read */
	VCD_CHANGED,  /* id has the value */
	VCD_BAD       /* no word of a dump */
};

struct vcd_body {
	enum vcd_expect expect;
	const char *id; /* in the word */
	char value[VCD_DIGITS];
	size_t n; /* digits of it */
};

/* The next word, of @n characters and a 0. */
enum vcd_event vcd_body_word(struct vcd_body *b, const char *word, size_t n);

#endif
