/* Two recordings as two processes of one hart: the second takes over at system calls of the
 * first and gives back at its own, with contexts 1 and 2 between them.
 *
 *   interleave FIRST SECOND OUT      prints the PCs that ran, in order
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <hartscope/recording.h>

#include "recording/recording.h"

struct process {
	struct hs_rec *rec;
	struct hs_rec_stream *stream;
	struct hs_block v[256];
	size_t at, n;
	unsigned context, turns;
	bool over;
};

static struct hs_error error;

static void must(enum hs_status s, const char *what)
{
	if (s == HS_OK)
		return;
	fprintf(stderr, "interleave: %s: %s\n", what, error.text);
	exit(1);
}

static const struct hs_block *peek(struct process *p)
{
	if (p->at < p->n)
		return &p->v[p->at];
	if (p->over)
		return NULL;
	p->at = 0;
	p->over = hs_rec_stream_next(p->stream, p->v, 256, &p->n, &error) != HS_OK;
	return p->n ? &p->v[0] : NULL;
}

static void print_pcs(const struct process *p, const struct hs_block *b)
{
	struct hs_insn insn;

	for (uint64_t pc = b->iaddr; pc < hs_block_end(b); pc += 2u * insn.hwords) {
		must(hs_img_insn(hs_rec_image(p->rec), pc, &insn), "no code");
		printf("%" PRIx64 "\n", pc);
	}
}

/* One to five system calls' worth of a process: up to a block with a trap, and its event. */
static void run(struct process *p, struct hs_rec_writer *w)
{
	const struct hs_block in = { .value = p->context, .arg = 2, .priv = HS_PRIV_U,
		                     .kind = HS_KIND_CONTEXT };
	unsigned calls = p->turns++ % 5 + 1;
	const struct hs_block *b = peek(p);
	bool trapped = false;

	must(hs_rec_write(w, &in, 1, &error), "write");
	while (b && (calls || (trapped && b->kind == HS_KIND_TRAP))) {
		must(hs_rec_write(w, b, 1, &error), "write");
		if (b->kind == HS_KIND_BLOCK) {
			print_pcs(p, b);
			trapped = b->itype == HS_ITYPE_EXCEPTION;
			calls -= trapped;
		}
		p->at++;
		b = peek(p);
	}
}

int main(int argc, char **argv)
{
	static struct process p[2];
	struct hs_rec_writer *w;

	if (argc != 4)
		return 2;
	for (unsigned i = 0; i < 2; i++) {
		must(hs_rec_open(argv[1 + i], &p[i].rec, &error), argv[1 + i]);
		must(hs_rec_stream_open(p[i].rec, 0, &p[i].stream, &error), argv[1 + i]);
		p[i].context = i + 1;
	}
	const struct hs_rec_process files[] = { { 1, 0, argv[1] }, { 2, 0, argv[2] } };
	const struct hs_rec_writer_options o = { .size = sizeof(o),
		                                 .source = "interleave",
		                                 .xlen = 64,
		                                 .processes = files,
		                                 .process_count = 2 };

	must(hs_rec_create(argv[3], &o, &w, &error), argv[3]);
	while (peek(&p[0]) || peek(&p[1]))
		for (unsigned i = 0; i < 2; i++)
			if (peek(&p[i]))
				run(&p[i], w);
	must(hs_rec_finish(w, true, "exit 0", &error), argv[3]);
	for (unsigned i = 0; i < 2; i++) {
		hs_rec_stream_close(p[i].stream);
		hs_rec_close(p[i].rec);
	}
	return 0;
}
