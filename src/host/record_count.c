/* What the recorder itself takes from the words: how many instructions retired, and where
 * signal handlers returned to. */
#include <string.h>

#include "record_private.h"

/* The run in which the words go on after a handler returned. */
static void resumed(struct record_hart *h, uint32_t run)
{
	struct hs_log_resume r = { .hart = h->number };
	const struct hs_log_run *code;

	h->resuming = false;
	pthread_mutex_lock(&h->process->lock);
	code = rec_log_run(&h->process->log, run);
	r.to = code == NULL ? 0 : code->start;
	pthread_mutex_unlock(&h->process->lock);
	for (uint32_t i = 0; code != NULL && i < h->resumed.count; i++) {
		r.signal = h->resumed.numbers[i];
		record_log_resume(h->process, &r);
	}
}

/* A handler starts.  When it interrupts where another one just returned to, both go back to
 * the same place. */
static void signal_starts(struct record_hart *h)
{
	struct record_signal now = { { h->signals++ }, 1 };

	if (h->resuming)
		for (uint32_t i = 0; i < h->resumed.count && now.count < 4; i++)
			now.numbers[now.count++] = h->resumed.numbers[i];
	h->resuming = false;
	if (h->depth == RECORD_SIGNALS) /* handlers that never returned (siglongjmp) */
		memmove(h->stack, h->stack + 1, --h->depth * sizeof(*h->stack));
	h->stack[h->depth++] = now;
}

static void take_event(struct record_hart *h)
{
	struct hs_block e;

	hs_block_unpack(h->event, &e);
	if (e.kind == HS_KIND_NOTE && e.arg == HS_NOTE_SIGNAL)
		signal_starts(h);
}

/* The run before did not retire all its instructions. */
static void partial(struct record_hart *h, uint32_t hwords)
{
	const uint32_t counted = h->process->insns[h->last_run % RECORD_RUNS];
	uint32_t retired;
	uint8_t ilast;

	pthread_mutex_lock(&h->process->lock);
	retired = rec_log_prefix(&h->process->log, h->last_run, hwords, &ilast);
	pthread_mutex_unlock(&h->process->lock);
	if (retired < counted)
		h->instructions -= counted - retired;
}

static void take_escape(struct record_hart *h, uint32_t word)
{
	switch ((word & ~HS_WORD_ESCAPE) >> 16) {
	case HS_ESCAPE_EVENT:
		h->payload = 4;
		break;
	case HS_ESCAPE_PARTIAL:
		partial(h, word & 0xffffu);
		break;
	case HS_ESCAPE_RESUME:
		if (h->depth == 0)
			break;
		h->resumed = h->stack[--h->depth];
		h->resuming = true;
		break;
	}
}

void record_count(struct record_hart *h, const uint32_t *words, size_t n)
{
	const uint16_t *insns = h->process->insns;
	uint64_t sum = 0;

	h->words += n;
	for (size_t i = 0; i < n; i++) {
		const uint32_t w = words[i];

		if (__builtin_expect(h->payload > 0, 0)) {
			h->event[4 - h->payload] = w;
			if (--h->payload == 0)
				take_event(h);
		} else if (__builtin_expect(w >= HS_WORD_ESCAPE, 0)) {
			h->last_run = i > 0 ? words[i - 1] : h->last_run;
			h->instructions += sum;
			sum = 0;
			take_escape(h, w);
		} else {
			if (__builtin_expect(h->resuming, 0))
				resumed(h, w);
			sum += insns[w % RECORD_RUNS];
		}
	}
	h->instructions += sum;
	if (n > 0 && words[n - 1] < HS_WORD_ESCAPE && h->payload == 0)
		h->last_run = words[n - 1];
}
