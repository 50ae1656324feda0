/* Decoders of both protocols, as a program without a C library has them: what a linker takes for
 * them.  WITH_MEMO: they have a memo, too. */
#include <stddef.h>
#include <stdint.h>

#include <hartscope/etrace.h>
#include <hartscope/memo.h>
#include <hartscope/ntrace.h>

void _start(void);

static struct hs_nt_decoder nt;
static struct hs_et_decoder et;
static struct hs_bb_table table;

/* Uses both, so that a linker has to have them; it is not run. */
void _start(void)
{
	struct hs_block blocks[HS_NT_DECODE_ROOM + HS_ET_DECODE_ROOM];
	struct hs_span in = { NULL, 0 };
	size_t n;

#ifdef WITH_MEMO
	static uint64_t memory[1024];
	static struct hs_memo memo;

	hs_memo_init(&memo, memory, HS_MEMO_PATHS_MIN);
	hs_nt_decoder_set(&nt, &(struct hs_decoder_options){ .size = 1, .memo = &memo });
	hs_et_decoder_set(&et, &(struct hs_decoder_options){ .size = 1, .memo = &memo });
#endif
	hs_nt_decoder_init(&nt, &(struct hs_nt_config){ 0 }, &table, NULL, 0);
	hs_et_decoder_init(&et, &(struct hs_et_config){ 0 }, &table, NULL, 0, NULL, 0);
	hs_nt_decoder_next(&nt, &in, blocks, 1, &n);
	hs_et_decoder_next(&et, &in, blocks, 1, &n);
}
