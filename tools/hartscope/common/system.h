/* A trace system from a file (docs/trace-systems.md): components, where their trace goes, and their
 * registers. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_SYSTEM_H
#define HS_TOOLS_HARTSCOPE_COMMON_SYSTEM_H

#include <hartscope/trace_device.h>

#include "common/new_file.h"
#include "common/tool.h"

#define SYSTEM_COMPONENTS 64

/* One component. */
struct component {
	uint8_t kind; /* enum hs_tc_component */
	uint64_t base;
	struct hs_tc_dump dump; /* what its registers are to be */
	uint64_t hart;          /* of an encoder, where given */
	bool hart_given;
	struct {
		uint64_t to; /* base; in use after system_read(): the index of a component */
		unsigned input;
	} out[HS_DEV_LINKS];
	unsigned outs;
	uint32_t line; /* where it begins */
};

struct system {
	const char *path;
	struct component *at[SYSTEM_COMPONENTS];
	unsigned count;
};

/* Read a file, join components that say nothing of it in the only way there is, and check what
 * leads where. */
enum hs_status system_read(const char *path, struct system *s, struct hs_error *error);
void system_free(struct system *s);

/* Is its trace E-Trace (trTeFormat)? */
bool system_is_etrace(const struct component *encoder);

/* Sinks first, then funnels, encoders last (TCI 11.2): the next component after number @at, which
 * begins with -1; -1 after the last. */
int system_next(const struct system *s, int at);

/* "ram at 0x10003000", into @text. */
const char *system_name(const struct component *c, char *text, size_t size);

/* ---- at work (system_model.c) ---------------------------------------------------- */

#define SYSTEM_BATCH 64

/* A component at work. */
struct part {
	const struct component *c;
	union {
		struct hs_dev_node node;
		struct hs_dev_encoder encoder;
	};
	/* of a sink */
	uint8_t *memory;
	uint64_t start, memory_size;
	struct new_file file; /* of @out, which is not NULL while it is open */
	FILE *out;        /* samples, bytes of ATB, and at the end what a RAM sink holds */
	char *path;
	uint64_t bytes;
	bool wide;        /* a sample has two bytes */
	/* of an encoder */
	struct hs_et_config et;
	struct hs_et_data_config et_data;
	struct hs_source *source;
	struct block_reader reader;
	struct hs_block items[SYSTEM_BATCH];
	size_t at;
	uint64_t time, blocks, stalled;
	bool ended, stuck;
};

struct system_job {
	const struct options *o;
	const char *file;
	struct system system;
	struct part *part[SYSTEM_COMPONENTS];
	struct hs_dev dev;
	struct hs_trace_params *etrace; /* NULL: there is no encoder of E-Trace */
	struct hs_source *source;
	uint64_t now; /* clocks of the pins */
	struct damage damage;
	struct hs_error error;
};

/* Make the components of j->system, with its harts from j->source. */
enum hs_status system_open(struct system_job *j);
/* Write their registers, as TCI 11.2 and 11.3 say. */
enum hs_status system_set_up(struct system_job *j);

uint32_t system_read_reg(struct part *p, uint32_t offset);
void system_write_reg(struct part *p, uint32_t offset, uint32_t value);
const struct hs_tc_regs *system_regs_of(const struct part *p);
/* An address in registers of a RAM sink. */
uint64_t system_ram_address(const struct hs_tc_regs *r, unsigned low, unsigned high);

/* Does trace of component @from come to component @to? */
bool system_is_reached(const struct system_job *j, unsigned from, unsigned to);
/* The longest run of nulls in packets that come to component @to; 0: no packets do.  *messages:
 * trace of N-Trace does. */
uint32_t system_null_run(const struct system_job *j, unsigned to, bool *messages);

/* encode --system (encode_system.c): its exit status. */
int encode_system(const struct options *o, const char *file);

#endif
