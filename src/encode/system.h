/* A trace system: its components by the file, and at work in the device model. */
#ifndef HS_ENCODE_SYSTEM_H
#define HS_ENCODE_SYSTEM_H

#include <hartscope/control.h>
#include <hartscope/encode.h>

#include "encode/private.h"

#define SYSTEM_COMPONENTS 64
#define SYSTEM_BATCH 64
#define SYSTEM_BYTES 4096u

/* One component, as the file has it. */
struct system_component {
	uint8_t kind; /* enum hs_tc_component */
	uint64_t base;
	struct hs_tc_dump dump; /* what its registers are to be */
	uint64_t hart;          /* of an encoder, where given */
	bool hart_given;
	struct {
		uint64_t to; /* base; in use after it was read: the index of a component */
		unsigned input;
	} out[HS_DEV_LINKS];
	unsigned outs;
	uint32_t line; /* where it begins */
};

/* The same at work. */
struct system_part {
	const struct system_component *c;
	struct hs_trace_system *system;
	unsigned number; /* of its component */
	union {
		struct hs_dev_node node;
		struct hs_dev_encoder encoder;
	};
	/* of a sink */
	uint8_t *memory;
	uint64_t start, memory_size;
	uint8_t waiting[SYSTEM_BYTES]; /* samples, bytes of ATB */
	size_t wait;
	uint64_t bytes;
	bool wide; /* a sample has two bytes */
	/* of an encoder */
	struct hs_et_config et;
	struct hs_et_data_config et_data;
	struct hs_source *source;
	struct hs_block items[SYSTEM_BATCH];
	size_t n, at;
	uint64_t time, blocks, stalled;
	bool ended, stuck;
};

struct hs_trace_system {
	const char *path;
	struct system_component *at[SYSTEM_COMPONENTS];
	unsigned count;
	struct system_part *part[SYSTEM_COMPONENTS]; /* of a system that was opened */
	uint8_t order[SYSTEM_COMPONENTS];            /* sinks first, then funnels, encoders */
	struct hs_trace_system_options o;
	struct hs_dev dev;
	struct hs_trace_params *etrace; /* NULL: there is no encoder of E-Trace */
	struct hs_source *source;
	uint64_t now;   /* clocks of the pins */
	bool unwritten; /* o.write() refused */
	struct encode_faults faults;
	struct hs_error error;
};

/* ---- system.c ------------------------------------------------------------------------- */

/* Is its trace E-Trace (trTeFormat)? */
bool system_is_etrace(const struct system_component *encoder);
bool system_is_sink(const struct system_component *c);
/* "ram at 0x10003000", into @text. */
const char *system_name(const struct system_component *c, char *text, size_t size);

/* ---- system_model.c ------------------------------------------------------------------- */

/* Make the components, with their harts from s->source.  s->error says why they cannot be. */
enum hs_status system_open(struct hs_trace_system *s);
/* Write their registers, as TCI 11.2 and 11.3 say. */
enum hs_status system_set_up(struct hs_trace_system *s);

uint32_t system_read_reg(struct system_part *p, uint32_t offset);
void system_write_reg(struct system_part *p, uint32_t offset, uint32_t value);
const struct hs_tc_regs *system_regs_of(const struct system_part *p);
/* An address in registers of a RAM sink. */
uint64_t system_ram_address(const struct hs_tc_regs *r, unsigned low, unsigned high);
/* Give what waits to o.write(). */
void system_flush(struct system_part *p);

/* Does trace of component @from come to component @to? */
bool system_is_reached(const struct hs_trace_system *s, unsigned from, unsigned to);
/* The longest run of nulls in packets that come to component @to; 0: no packets do.  *messages:
 * trace of N-Trace does. */
uint32_t system_null_run(const struct hs_trace_system *s, unsigned to, bool *messages);

#endif
