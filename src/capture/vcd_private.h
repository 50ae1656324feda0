/* What the two files of the VCD reader share. */
#ifndef HS_CAPTURE_VCD_PRIVATE_H
#define HS_CAPTURE_VCD_PRIVATE_H

#include <hartscope/vcd.h>

#include "capture/vcd.h"

#define VCD_TOKEN 512
#define VCD_ID 32
#define VCD_NAME 256
#define VCD_PATH 1024
#define VCD_DEPTH 128

/* A signal that was asked for. */
struct vcd_name {
	char text[VCD_NAME];
	bool has_index;
	uint32_t index;
};

/* A bit of a variable. */
struct vcd_bit {
	bool found;
	char id[VCD_ID + 1];
	uint32_t bit; /* of the variable's value, 0 the right-most digit */
};

/* The open scopes as a path, with a dot after each. */
struct vcd_path {
	char text[VCD_PATH];
	size_t n;
	size_t before[VCD_DEPTH]; /* length of the path outside each scope */
	unsigned depth;
};

/* A $var that is being read. */
struct vcd_var {
	unsigned tokens;
	uint32_t size;
	char id[VCD_ID + 1];
	char name[VCD_NAME];
	size_t n;
};

struct vcd_header {
	struct vcd_name clock_name, names[HS_VCD_PINS];
	unsigned name_count, width; /* width asked for, or 0 */
	char section[24];           /* keyword of the current section, "" outside */
	unsigned section_tokens;
	struct vcd_path path;
	struct vcd_var var;
	struct vcd_bit clock, pins[HS_VCD_PINS];
	bool wide; /* the data vector has more bits than a port */
	bool no_clock;
	bool done;
	unsigned count; /* pins to read, when done */
};

/* vcd_header.c */
enum hs_status vcd_header_init(struct vcd_header *h, const struct hs_vcd_options *options,
                               struct hs_error *error);
/* One word of the declarations.  HS_OK, HS_E_FORMAT, or HS_E_CONFIG at their end. */
enum hs_status vcd_header_token(struct vcd_header *h, const char *token, size_t n,
                                struct hs_error *error);

#endif
