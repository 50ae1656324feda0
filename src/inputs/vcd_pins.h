/* Which variables of a dump are the clock and the pins of a port. */
#ifndef HS_CAPTURE_VCD_PINS_H
#define HS_CAPTURE_VCD_PINS_H

#include "inputs/vcd.h"
#include "inputs/vcd_reader.h"

/* A bit of a variable. */
struct vcd_bit {
	bool found;
	char id[VCD_ID + 1];
	uint32_t bit; /* of the variable's value, 0 the right-most digit */
};

struct vcd_pins {
	struct vcd_name clock_name, names[HS_VCD_PINS];
	unsigned name_count, width; /* width asked for, or 0 */
	struct vcd_bit clock, pins[HS_VCD_PINS];
	bool wide; /* the data vector has more bits than a port */
	bool no_clock;
	unsigned count; /* pins to read; 0 before the declarations are over */
};

enum hs_status vcd_pins_init(struct vcd_pins *p, const struct hs_vcd_options *options,
                             struct hs_error *error);

/* The variable that the reader is at. */
void vcd_pins_match(struct vcd_pins *p, const struct vcd_reader *r);

/* All variables were seen.  HS_OK, or HS_E_CONFIG: signals are missing, or are too many. */
enum hs_status vcd_pins_finish(struct vcd_pins *p, struct hs_error *error);

#endif
