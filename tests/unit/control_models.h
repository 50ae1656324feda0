/* What the tests of the control registers share: models in their memory. */
#ifndef TESTS_CONTROL_MODELS_H
#define TESTS_CONTROL_MODELS_H

#include "device/device.h"
#include "cases.h"

#include <hartscope/control.h>

enum { TE = HS_TC_ENCODER, FU = HS_TC_FUNNEL, RAM = HS_TC_RAM, PIB = HS_TC_PIB };

static uint8_t sram[4096];
static struct { uint64_t at[64]; uint32_t word[64]; unsigned n, refuse_after; } bus;

static bool bus_store(void *user, uint64_t address, uint32_t word)
{
	(void)user;
	if (bus.n >= COUNT_OF(bus.at) || (bus.refuse_after && bus.n >= bus.refuse_after))
		return false;
	bus.at[bus.n] = address;
	bus.word[bus.n++] = word;
	return true;
}

static const struct hs_tc_ops ops = { bus_store };

static struct hs_tc started(const char *profile)
{
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };
	struct hs_tc tc;

	memset(sram, 0, sizeof(sram));
	memset(&bus, 0, sizeof(bus));
	assert_int_equal(hs_tc_init(&tc, hs_tc_profile_find(profile), &memory, 0), HS_OK);
	return tc;
}

/* TCI 11.2: write 1, wait until it reads 1. */
static void activate(struct hs_tc *tc, unsigned component)
{
	unsigned reads = 0;

	hs_tc_write(tc, component, 0, 1);
	while (!(hs_tc_read(tc, component, 0) & 1))
		assert_true(++reads < 100);
}

static inline struct hs_tc active(const char *profile)
{
	struct hs_tc tc = started(profile);

	for (unsigned c = TE; c < HS_TC_COMPONENTS; c++)
		if (tc.profile.components >> c & 1)
			activate(&tc, c);
	return tc;
}

#endif
