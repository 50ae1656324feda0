/* The branch predictor that both sides have: counters of two bits. */
#ifndef HS_TACIT_PREDICTOR_H
#define HS_TACIT_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tacit/tacit_config.h"

struct tacit_predictor {
	uint16_t entries;
	uint8_t counters[TACIT_ENTRIES_MAX]; /* 0, 1: not taken; 2, 3: taken */
};

/* Begin anew: all of them weakly not taken. */
void tacit_predictor_init(struct tacit_predictor *p, unsigned entries);

/* Is the branch at @pc taken? */
bool tacit_predict(const struct tacit_predictor *p, uint64_t pc);

/* It was, or was not. */
void tacit_learn(struct tacit_predictor *p, uint64_t pc, bool taken);

#endif
