/* Damaged traces of random recordings: how many instructions are not confirmed is what a second
 * reading says that follows one message after the other, and is the same on several threads. */
#include <hartscope/counts.h>
#include <hartscope/encode.h>
#include <hartscope/recording.h>

#include "core/image.h"
#include "property/campaign.h"
#include "property/damage.h"
#include "recording_files.h"
#include "trace/trace.h"

#define RECORDINGS 6
#define BLOCKS     90000
#define ROOM       ((size_t)1 << 20)
#define UNITS      200000u

static struct unproven {
	struct run {
		struct program program;
		char path[64];
	} runs[RECORDINGS];
	bool made;
	struct hs_block blocks[BLOCKS];
	uint8_t good[ROOM], bad[ROOM + DAMAGE_MAX];
	size_t n;
	struct {
		uint64_t offset;
		uint32_t length;
	} units[UNITS]; /* messages */
	unsigned unit_count;
	uint64_t found[2], none[2]; /* of both protocols: traces with such instructions, without */
} *t;

static const char *const sets[2][4][4] = {
	{ { "trTeInstSyncMode", "messages", "trTeInstSyncMax", "0" },
	  { "trTeInstSyncMode", "messages", "trTeInstMode", "btm" },
	  { "trTeInstSyncMode", "messages", "trTeInstEnRepeatedHistory", "1" },
	  { "trTeInstSyncMode", "messages", "trTeInstImplicitReturnMode", "full" } },
	{ { "trTeInstSyncMode", "packets", "resync-max", "0" },
	  { "trTeInstSyncMode", "packets", "resync-max", "1" },
	  { "trTeInstSyncMode", "packets", "full-address", "true" },
	  { "trTeInstSyncMode", "packets", "resync-max", "2" } },
};

/* ---- recordings and traces ------------------------------------------------------------- */

static void make_run(struct run *run, uint64_t seed)
{
	struct rng r = rng_start(seed);
	const struct walk_odds odds = { .trap_one_in = rng_one_in(&r, 2) ? 0 : 60,
		                        .tidy_returns = true,
		                        .plain_stack = true,
		                        .no_custom = true };

	program_make_calls(&run->program, &r);
	const size_t steps = seed & 1 ? 40500 : 500;
	const size_t n = walk_random(&run->program, &r, steps, &odds, t->blocks, BLOCKS);

	assert_int_equal(test_record(run->path, &run->program.image, t->blocks, n), HS_OK);
}

static void make_runs(void)
{
	for (unsigned i = 0; i < RECORDINGS && !t->made; i++)
		make_run(&t->runs[i], i + 1);
	t->made = true;
}

static bool take_bytes(void *to, const void *bytes, size_t n)
{
	(void)to;
	assert_true(n <= ROOM - t->n);
	memcpy(t->good + t->n, bytes, n);
	t->n += n;
	return true;
}

static struct hs_source *open_trace(const struct run *run, const uint8_t *bytes, size_t n,
                                    const struct hs_trace_params *params, uint32_t threads)
{
	const struct hs_code_file image = { .kind = HS_CODE_IMAGE, .path = run->path };
	const struct hs_source_options o = { .size = sizeof(o),
		                             .path = "trace",
		                             .trace = { bytes, n },
		                             .params = params,
		                             .code = &image,
		                             .code_count = 1,
		                             .threads = threads,
		                             .thread_bytes = 8192 };
	struct hs_source *s = NULL;

	assert_int_equal(hs_source_open(&o, &s, NULL), HS_OK);
	return s;
}

static struct hs_encode *encode(const struct run *run, const struct hs_protocol *p,
                                const char *const set[4])
{
	const struct hs_setting settings[] = { { set[0], set[1] }, { set[2], set[3] } };
	const struct hs_trace_params_options po = { .size = sizeof(po),
		                                    .protocol = p->name,
		                                    .settings = settings,
		                                    .setting_count = 2 };
	const struct hs_encode_options o = { .size = sizeof(o),
		                             .params = &po,
		                             .write = take_bytes };
	const struct hs_source_options so = { .size = sizeof(so), .path = run->path };
	struct hs_encode *e;

	t->n = 0;
	assert_int_equal(hs_encode_new(&o, &e, NULL), HS_OK);
	assert_int_equal(hs_encode_open(e, &so, NULL), HS_OK);
	assert_int_equal(hs_encode_run(e, NULL), HS_OK);
	return e;
}

static void find_units(const struct run *run, const struct hs_trace_params *params)
{
	struct hs_source *s = open_trace(run, t->good, t->n, params, 1);
	struct hs_message m;

	for (t->unit_count = 0; hs_source_message(s, &m, NULL) == HS_OK; t->unit_count++) {
		assert_true(t->unit_count < UNITS);
		t->units[t->unit_count].offset = m.offset;
		t->units[t->unit_count].length = m.length;
	}
	hs_source_close(s);
}

/* ---- one message after the other ------------------------------------------------------- */

struct slow {
	const struct hs_image *image;
	uint64_t since, sum;
};

static void take_item(void *of, const struct hs_block *b)
{
	struct slow *w = of;
	struct hs_insn insn;

	if (b->kind == HS_KIND_GAP) {
		w->sum += b->arg != HS_E_TRUNCATED ? w->since : 0;
		w->since = 0;
	}
	for (uint64_t at = b->iaddr; b->kind == HS_KIND_BLOCK && at < hs_block_end(b);
	     at += 2u * insn.hwords, w->since++)
		assert_int_equal(hs_img_insn(w->image, at, &insn), HS_OK);
}

/* Does the message say in full where the flow goes on?  A trap without thaddr does not. */
static bool synchronises(const struct hs_protocol *p, const struct hs_message *m)
{
	bool handler = true;

	for (unsigned i = 0; i < m->count; i++)
		if (strcmp(m->field[i].name, "thaddr") == 0)
			handler = m->field[i].value;
	if (p == hs_protocol_at(0))
		return strstr(m->name, "Sync");
	return m->code == HS_ET_FORM_START || (m->code == HS_ET_FORM_TRAP && handler);
}

static uint64_t read_slowly(const struct run *run, size_t n, const struct hs_protocol *p,
                            const struct hs_trace_params *params)
{
	struct slow w = { .image = &run->program.image };
	struct hs_source *messages = open_trace(run, t->bad, n, params, 1);
	struct hs_source *items = open_trace(run, t->bad, n, params, 1);
	struct hs_follower *f;
	struct hs_followed out;
	struct hs_message m;
	enum hs_status s = HS_OK;

	assert_int_equal(hs_follower_new(items, 0, take_item, &w, &f), HS_OK);
	while (s != HS_END) {
		s = hs_source_message(messages, &m, NULL);
		if (s != HS_OK)
			continue;
		hs_follower_to(f, m.offset + m.length, &out, NULL);
		if (synchronises(p, &m) && !out.errors)
			w.since = 0;
	}
	hs_follower_to(f, n + 1, &out, NULL);
	hs_follower_free(f);
	hs_source_close(items);
	hs_source_close(messages);
	return w.sum;
}

/* ---- all at once ----------------------------------------------------------------------- */

static uint64_t count(const struct run *run, const uint8_t *bytes, size_t n,
                      const struct hs_trace_params *params, uint32_t threads)
{
	struct hs_source *s = open_trace(run, bytes, n, params, threads);
	const struct hs_counts_options o = { .size = sizeof(o), .source = s };
	struct hs_counts *c;
	uint64_t instructions = 1;

	assert_int_equal(hs_counts_new(&o, &c), HS_OK);
	assert_int_equal(hs_source_count(s, c, NULL), HS_OK);
	assert_int_equal(hs_counts_get_unproven(c, &instructions), HS_OK);
	hs_counts_free(c);
	hs_source_close(s);
	return instructions;
}

static void one(uint64_t seed)
{
	struct rng r = rng_start(seed);
	const unsigned which = rng_below(&r, 2);
	const struct hs_protocol *p = hs_protocol_at(which);

	make_runs();
	const struct run *run = &t->runs[rng_below(&r, RECORDINGS)];
	struct hs_encode *e = encode(run, p, sets[which][rng_below(&r, 4)]);
	struct hs_encode_result made;

	hs_encode_get_result(e, &made);
	find_units(run, made.params);
	assert_int_equal(count(run, t->good, t->n, made.params, 2), 0);
	for (unsigned how = 0; how < DAMAGES; how++) {
		const unsigned u = rng_below(&r, t->unit_count);
		struct damaged d = { .good = t->good, .length = t->n, .bad = t->bad };

		damage_unit(&d, &r, (enum damage)how, t->units[u].offset, t->units[u].length, 0);
		const uint64_t slow = read_slowly(run, d.bad_length, p, made.params);

		for (uint32_t threads = 1; threads <= 4; threads++)
			assert_int_equal(count(run, t->bad, d.bad_length, made.params, threads),
			                 slow);
		(slow ? t->found : t->none)[which]++;
	}
	hs_encode_free(e);
}

CAMPAIGN_WITH(what_nothing_confirms_is_counted, t)
{
	const uint64_t cases = campaign_run(60, one);

	for (unsigned i = 0; i < 2; i++) {
		printf("# %s: %llu with, %llu without\n", hs_protocol_at(i)->name,
		       (unsigned long long)t->found[i], (unsigned long long)t->none[i]);
		assert_true(t->found[i] > cases / 4);
	}
	for (unsigned i = 0; i < RECORDINGS; i++)
		test_directory_remove(t->runs[i].path);
}
