/* The widest port of each form, which most tests of the port begin with. */
#ifndef HS_TESTS_WIDEST_PORT_H
#define HS_TESTS_WIDEST_PORT_H

#include <hartscope/port.h>

/* RV64, eight slots, every signal, no fetch stage. */
static inline struct hs_port_config widest_port(enum hs_port_form form)
{
	const struct hs_port_config c = {
		.size = sizeof(c), .form = (uint8_t)form, .slots = HS_PORT_SLOTS, .retires = 4,
		.context_width = 32, .ilastsize_width = 2, .sijump = 1, .time_width = 64,
			.ctype_width = 2,
		.impdef_width = 64, .user_width = 64, .triggers = 1,
		.trcstate = form == HS_PORT_BLOCK,
	};

	return c;
}

#endif
