/* What a recorded machine read in CTR's control, depth and status registers equals what a replay
 * holds that follows the writes of the recording (design/ctr).
 *
 *   ctr_registers RECORDING      prints how many reads there were; exit status 1: one differs
 */
#include <stdio.h>
#include <string.h>

#include <hartscope/block.h>
#include <hartscope/source.h>

#include "core/access.h"
#include "ctr_host/ctr_host.h"

#define QUEUE 64

static struct hs_access queue[QUEUE]; /* accesses to CTR's registers, the oldest first */
static unsigned queued, same, different;

static bool is_register(unsigned csr)
{
	return hs_ctr_csr_name(HS_CTR_1_0, csr);
}

static void take_item(struct hs_access_reader *reader, const struct hs_block *b)
{
	const struct hs_access *a = &reader->access;

	if (!hs_access_take(reader, b) || !hs_access_is_csr(a->type) ||
	    !is_register((unsigned)a->address) || queued == QUEUE)
		return;
	queue[queued++] = *a;
}

static uint32_t bits_at(const struct hs_image *image, uint64_t at)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < 4; i++) {
		size_t n;
		const uint8_t *byte = hs_img_bytes(image, at + i, &n);

		bits |= byte ? (uint32_t)*byte << 8 * i : 0;
	}
	return bits;
}

/* The hart's instruction @n of its block accesses @csr: that is the next access.  Not every one
 * reads. */
static void compare(const struct hs_ctr_replay_hart *h, unsigned n, unsigned csr)
{
	const struct hs_ctr_env machine = { .priv = HS_PRIV_M };
	const bool found = queued && queue[0].address == csr;
	struct hs_ctr room;
	uint64_t value = 0;

	hs_ctr_read(hs_ctr_replay_within(h, n, &room), &machine, csr, &value);
	if (!found || (queue[0].known & HS_ACCESS_HAS_DATA && value != queue[0].data)) {
		printf("# %s: the replay has 0x%llx\n", hs_ctr_csr_name(HS_CTR_1_0, csr),
		       (unsigned long long)value);
		different++;
	} else if (queue[0].known & HS_ACCESS_HAS_DATA) {
		same++;
	}
	if (found)
		memmove(queue, queue + 1, --queued * sizeof(queue[0]));
}

static void look(const struct hs_ctr_replay_hart *h)
{
	const struct hs_image *image = hs_program_image(h->program);
	uint64_t at = h->block.iaddr;
	struct hs_insn insn;

	for (unsigned n = 0; n < h->instructions && hs_img_insn(image, at, &insn) == HS_OK; n++) {
		const uint32_t bits = bits_at(image, at);

		if (insn.hwords == 2 && (bits & 0x7f) == 0x73 && (bits >> 12 & 3) &&
		    is_register(bits >> 20))
			compare(h, n, bits >> 20);
		at += 2u * insn.hwords;
	}
}

/* CTR as after reset: nothing enabled, 16 entries. */
static struct hs_ctr_replay *new_replay(struct hs_source *s)
{
	const struct hs_ctr_settings settings = { .size = sizeof(settings), .depth = 16,
		                                  .disabled = UINT16_MAX };
	struct hs_ctr_replay *r = NULL;
	struct hs_error error = { 0 };

	if (hs_ctr_replay_new(&settings, hs_source_known(s)->program,
	                      hs_source_known(s)->programs, &r, &error) !=
	    HS_OK)
		printf("# %s\n", error.text);
	return r;
}

int main(int argc, char **argv)
{
	const struct hs_source_options o = { .size = sizeof(o), .path = argc > 1 ? argv[1] : NULL };
	struct hs_access_reader reader = { 0 };
	struct hs_error error = { 0 };
	struct hs_ctr_replay *r;
	struct hs_source *s;
	struct hs_block b;
	size_t n;

	if (hs_source_open(&o, &s, &error) != HS_OK) {
		printf("# %s\n", error.text);
		return 1;
	}
	r = new_replay(s);
	while (r && hs_source_next(s, &b, 1, &n, &error) == HS_OK) {
		if (n == 0)
			continue;
		take_item(&reader, &b);
		if (hs_ctr_replay_add(r, &b) == HS_OK && b.kind == HS_KIND_BLOCK)
			look(hs_ctr_replay_now(r));
	}
	printf("%u\n", same);
	if (r && hs_ctr_replay_at(r, 0)->unknown_writes)
		different++;
	hs_ctr_replay_free(r);
	hs_source_close(s);
	return same == 0 || different != 0;
}
