/* What the files of this room share. */
#ifndef HS_CONTROL_CONTROL_H
#define HS_CONTROL_CONTROL_H

#include <hartscope/control.h>

/* Fields that every component has, in one order (TCI 4.3). */
struct tc_common {
	uint16_t active, enable, empty;
};
const struct tc_common *tc_common_of(unsigned component);

bool tc_same_text(const char *a, const char *b);

/* First and past the last field of a register. */
unsigned tc_fields_begin(unsigned reg);
unsigned tc_fields_end(unsigned reg);

uint32_t tc_mask(const struct hs_tc_field_row *f); /* of its value, not shifted */
uint32_t tc_extract(const struct hs_tc_field_row *f, uint32_t word);
uint32_t tc_insert(const struct hs_tc_field_row *f, uint32_t word, uint32_t value);

/* Word of instance 0 of a field's register. */
unsigned tc_word(unsigned component, unsigned field);
void tc_set(struct hs_tc *tc, unsigned component, unsigned field, uint32_t value);
uint32_t tc_field(const struct hs_tc *tc, unsigned component, unsigned field);

/* 64 bits of a pair of registers; @field is the one of the lower half, its low bits are 0. */
uint64_t tc_pair(const struct hs_tc *tc, unsigned component, unsigned field);
void tc_set_pair(struct hs_tc *tc, unsigned component, unsigned field, uint64_t value);

/* ---- legal.c ---- */

struct tc_legal {
	uint8_t rule; /* enum hs_tc_rule */
	uint32_t legal, value;
};
/* Is an instance of a register not there? */
bool tc_is_absent(const struct hs_tc_profile *p, unsigned reg, unsigned instance);
/* What this implementation takes for a field, in its present state. */
struct tc_legal tc_legal_of(const struct hs_tc *tc, unsigned component, unsigned field);
/* A written value, made legal (WARL). */
uint32_t tc_legalize(const struct hs_tc *tc, unsigned component, unsigned field, uint32_t value);
/* Make fields legal again whose rules depend on others. */
void tc_settle_fields(struct hs_tc *tc, unsigned component);
bool tc_limits_good(const struct hs_tc_profile *p);

/* ---- model.c ---- */

bool tc_active(const struct hs_tc *tc, unsigned component);
bool tc_enabled(const struct hs_tc *tc, unsigned component);
/* Start or stop instruction trace, with the outputs that it fires. */
void tc_set_tracing(struct hs_tc *tc, bool on);

/* ---- ram.c ---- */

bool tc_ram_can_start(const struct hs_tc *tc);
void tc_ram_flush(struct hs_tc *tc);
uint32_t tc_ram_read(struct hs_tc *tc);
void tc_ram_write(struct hs_tc *tc, uint32_t value);
/* trRamStart, Limit and WP stay while the sink works (TCI 7.1). */
bool tc_ram_busy(const struct hs_tc *tc);

/* ---- time.c ---- */

void tc_time_reset(struct hs_tc *tc, unsigned component);

#endif
