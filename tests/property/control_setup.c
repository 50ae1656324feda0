/* Parameters and filters as writes, written to a device model: its registers give the same
 * parameters and filters, for both protocols; and so does what the writes look like as a dump. */
#include "device/device.h"
#include "trace/trace.h"
#include "cases.h"

#include <hartscope/control.h>
#include <hartscope/protocol.h>

#include "property/campaign.h"
#include "property/randfilter.h"

static uint8_t sram[4096];
static struct hs_tc tc;
static uint64_t filtered;

static bool bus_store(void *user, uint64_t address, uint32_t word)
{
	(void)user;
	return address || word;
}

static void power_up(struct rng *r, const char *profile)
{
	static const struct hs_tc_ops ops = { bus_store };
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };

	assert_int_equal(hs_tc_init(&tc, hs_tc_profile_find(profile), &memory,
	                            (uint32_t)rng_next(r)), HS_OK);
}

/* As a driver does it. */
static void write_all(const struct hs_tc_regs *regs, struct hs_tc_dump *dump)
{
	char line[HS_TC_LINE_MAX];
	struct hs_tc_setup s;
	struct hs_tc_step w;

	assert_int_equal(hs_tc_setup_init(&s, regs, tc.profile.components, true), HS_OK);
	while (hs_tc_setup_next(&s, &w)) {
		struct hs_tc_regs one = { 0 };
		unsigned reads = 0;

		hs_tc_write(&tc, w.place.component, w.place.offset, w.value);
		while ((hs_tc_read(&tc, w.place.component, w.place.offset) ^ w.value) & w.wait)
			assert_true(++reads < 4);
		one.word[w.place.word] = w.value;
		struct hs_span in = { (const uint8_t *)line,
			              hs_tc_print(&one, &w.place, line, sizeof(line)) };

		dump->component = w.place.component;
		assert_int_equal(hs_tc_dump_line(dump, &in), HS_OK);
	}
}

/* ---- parameters ------------------------------------------------------------------------ */

static const char *const of_ntrace[] = {
	"trTeInstMode", "trTeSrcBits", "trTeSrcID", "trTeInhibitSrc", "trTeInstSyncMode",
	"trTeInstSyncMax", "trTeInstEnSequentialJump", "trTeInstImplicitReturnMode",
	"trTeInstEnRepeatedHistory", "trTeInstEnAllJumps", "trTeInstExtendAddrMSB", "trTeContext",
	"trTsEnable", "trTeInstStallEna", NULL
};
static const char *const of_etrace[] = {
	"full-address", "implicit-except", "si-jump", "implicit-return", "branch-prediction",
	"jump-target-cache", "trTeInstSyncMode", "resync-max", "trTeSrcBits", "trTeSrcID",
	"async-freq", NULL
};

static unsigned index_of(const struct hs_protocol *p, const char *name)
{
	unsigned i = 0;

	while (strcmp(p->params[i].name, name) != 0)
		i++;
	return i;
}

static void set_number(const struct hs_protocol *p, void *config, const char *name, uint64_t v)
{
	char text[24];
	struct hs_error e = { 0 };

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	if (hs_protocol_set(p, config, name, text, &e) != HS_OK)
		fail_msg("%s", e.text);
}

static void random_config(struct rng *r, const struct hs_protocol *p, const char *const *names,
                          void *config)
{
	do {
		hs_protocol_defaults(p, config);
		for (const char *const *n = names; *n; n++) {
			const uint64_t max = p->params[index_of(p, *n)].max;
			const uint64_t most = strcmp(*n, "trTeSrcBits") == 0 ? 12 : 15;

			set_number(p, config, *n, rng_next(r) % ((max < most ? max : most) + 1));
		}
		if (strcmp(p->name, "ntrace") == 0) {
			set_number(p, config, "trTeInstMode", rng_one_in(r, 2) ? 3 : 6);
			set_number(p, config, "trTeInstSyncMode", rng_below(r, 4));
		} else {
			set_number(p, config, "return_stack_size_p", 3);
			set_number(p, config, "bpred_size_p", 3);
			set_number(p, config, "cache_size_p", 3);
			set_number(p, config, "f0s_width_p", 1);
			set_number(p, config, "sijump_p", 1);
			set_number(p, config, "trTsWidth", rng_one_in(r, 2) ? 6 : 0);
		}
	} while (hs_protocol_check(p, config, NULL) != HS_OK);
}

static void same_config(const struct hs_protocol *p, const char *const *names, const void *a,
                        const void *b)
{
	for (; *names; names++) {
		const unsigned i = index_of(p, *names);

		if (hs_protocol_get(p, a, i) != hs_protocol_get(p, b, i))
			fail_msg("%s: %llu is now %llu", *names,
			         (unsigned long long)hs_protocol_get(p, a, i),
			         (unsigned long long)hs_protocol_get(p, b, i));
	}
}

static void check_registers(const struct hs_protocol *p, const char *const *names,
                            const void *config, const struct hs_qualifier_config *filters,
                            const struct hs_tc_regs *regs)
{
	_Alignas(max_align_t) uint8_t back[1024];
	struct hs_qualifier_config found = { .size = sizeof(found) };

	assert_true(p->config_size <= sizeof(back));
	hs_protocol_defaults(p, back);
	assert_int_equal(hs_protocol_take_registers(p, back, regs), HS_OK);
	same_config(p, names, config, back);
	assert_int_equal(hs_tc_filters(regs, &found), HS_OK);
	assert_memory_equal(&found, filters, sizeof(found));
}

static void there_and_back(struct rng *r, const char *protocol, const char *const *names)
{
	const struct hs_protocol *p = hs_protocol_find(protocol);
	_Alignas(max_align_t) uint8_t config[1024];
	struct hs_qualifier_config filters;
	struct hs_tc_regs regs = { 0 };
	struct hs_tc_dump dump = { 0 };

	assert_true(p->config_size <= sizeof(config));
	random_config(r, p, names, config);
	filtered += filters_random(r, &(struct filter_odds){ .one_in = 6 }, &filters);
	assert_int_equal(hs_protocol_put_registers(p, config, &regs), HS_OK);
	assert_int_equal(hs_tc_set_filters(&regs, &filters), HS_OK);
	power_up(r, strcmp(protocol, "etrace") == 0 ? "etrace" : "full");
	write_all(&regs, &dump);
	check_registers(p, names, config, &filters, &tc.regs);
	check_registers(p, names, config, &filters, &dump.regs);
	assert_true(hs_tc_tracing(&tc));
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	there_and_back(&r, "ntrace", of_ntrace);
	there_and_back(&r, "etrace", of_etrace);
}

CAMPAIGN(setup)
{
	const uint64_t cases = campaign_run(2000, one_case);

	assert_true(filtered > cases);
}
