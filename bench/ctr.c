/* Transfers a second through the CTR model: a cycle count and a transfer each, depth 32, every
 * field. */
#include <stdio.h>
#include <time.h>

#include <hartscope/ctr.h>

#define TRANSFERS 100000000u

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A mix as of a program: branches, calls and returns. */
static double run(struct hs_ctr *c, unsigned priv, uint64_t *sum)
{
	static const uint8_t mix[] = { 5, 4, 5, 9, 5, 5, 4, 13, 11, 5, 8, 5, 4, 13, 5, 10 };
	const double start = now();

	for (uint32_t i = 0; i < TRANSFERS; i++) {
		const struct hs_ctr_transfer t = { .source = 0x10000 + 4 * (uint64_t)i,
			                           .target = 0x20000 + 2 * (uint64_t)i,
			                           .type = mix[i & 15],
			                           .from = (uint8_t)priv };

		hs_ctr_tick(c, priv, 5);
		hs_ctr_retire(c, &t);
	}
	*sum += hs_ctr_get_entry(c, 0).source + c->wrptr;
	return (now() - start) / TRANSFERS * 1e9;
}

int main(void)
{
	static const struct {
		const char *name;
		uint8_t version, priv;
		uint64_t mctl;
	} cases[] = {
		{ "0.1.4, plain", HS_CTR_0_1_4, HS_PRIV_M, 1 },
		{ "1.0, plain", HS_CTR_1_0, HS_PRIV_M, 4 },
		{ "1.0, only calls and returns", HS_CTR_1_0, HS_PRIV_M, 4 | 0xdc2000000000 },
		{ "1.0, RAS emulation", HS_CTR_1_0, HS_PRIV_M, 4 | 0x80 },
		{ "1.0, mode not enabled", HS_CTR_1_0, HS_PRIV_U, 4 },
	};
	uint64_t sum = 0;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct hs_ctr_config k = { .size = sizeof(k), .version = cases[i].version,
			                         .without = HS_CTR_NO_H | HS_CTR_NO_SMSTATEEN |
			                                    HS_CTR_NO_SSCOFPMF,
			                         .depths = 2 };
		struct hs_ctr c;
		double ns;

		if (hs_ctr_init(&c, &k) != HS_OK)
			return 1;
		c.mctl = cases[i].mctl;
		hs_ctr_refresh(&c);
		ns = run(&c, cases[i].priv, &sum);
		printf("ctr %-30s %6.2f ns a transfer  %6.0f million a second\n", cases[i].name, ns,
		       1e3 / ns);
	}
	return sum == 0;
}
