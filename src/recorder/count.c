/* What the recorder learns from the words: how many instructions of runs did not retire, and where
 * signal handlers returned to.  The plugin counts all of each run, and the last run before an
 * escape has a word (HS_REC_LOG_PACKED). */
#include <string.h>

#include "recorder/private.h"

/* A handler has returned, and @run is the first one after it: log where it returned to. */
static void log_resumed(struct recorder_hart *h, uint32_t run)
{
	struct hs_rec_log_resume r = { .hart = h->number };
	const struct hs_rec_log_run *code;

	h->resuming = false;
	pthread_mutex_lock(&h->process->lock);
	code = recorder_log_run(h->process, run);
	r.to = code == NULL ? 0 : code->start;
	pthread_mutex_unlock(&h->process->lock);
	for (uint32_t i = 0; code != NULL && i < h->resumed.count; i++) {
		r.signal = h->resumed.numbers[i];
		if (h->process->live != NULL)
			recorder_live_resume(h, &r);
		if (h->process->keep == NULL)
			recorder_log_resume(h->process, &r);
		else if (!recorder_keep_resume(h, &r))
			h->process->damaged = true;
	}
}

/* A handler starts.  If another one has just returned to the place that this one interrupts, both
 * return to the same place. */
static void push_signal(struct recorder_hart *h)
{
	struct recorder_signal now = { { h->signals++ }, 1 };

	if (h->resuming)
		for (uint32_t i = 0; i < h->resumed.count && now.count < 4; i++)
			now.numbers[now.count++] = h->resumed.numbers[i];
	h->resuming = false;
	if (h->depth == RECORDER_SIGNALS) /* handlers that never returned (siglongjmp) */
		memmove(h->stack, h->stack + 1, --h->depth * sizeof(*h->stack));
	h->stack[h->depth++] = now;
}

static uint32_t all_of(const struct hs_rec_log_run *r)
{
	return r == NULL ? 0 : hs_rec_run_retires(r->insns, (const uint8_t *)(r + 1), r->bytes);
}

void recorder_count_run(struct recorder_hart *h, uint32_t run)
{
	pthread_mutex_lock(&h->process->lock);
	h->instructions += all_of(recorder_log_run(h->process, run));
	pthread_mutex_unlock(&h->process->lock);
}

/* Only the first @hwords half-words of @run retired: take the others off the count. */
static void uncount_rest(struct recorder_hart *h, uint32_t run, uint32_t hwords)
{
	const struct hs_rec_log_run *r;
	uint32_t counted, retired;
	uint8_t ilast;

	pthread_mutex_lock(&h->process->lock);
	r = recorder_log_run(h->process, run);
	counted = all_of(r);
	retired = rec_log_prefix(r, hwords, &ilast);
	pthread_mutex_unlock(&h->process->lock);
	if (retired < counted)
		h->instructions -= counted - retired;
}

/* The last run is not followed by another one: as a reader does, leave out an instruction of which
 * it is not known whether it retired. */
void recorder_count_end(struct recorder_hart *h)
{
	const struct hs_rec_log_run *code;
	struct rec_run run;
	struct hs_isa isa;

	if (!h->open)
		return;
	h->open = false;
	pthread_mutex_lock(&h->process->lock);
	code = recorder_log_run(h->process, h->last_run);
	isa = rec_log_isa(&h->process->log);
	if (code != NULL && rec_run_build(&run, code, code->start, &isa) == HS_OK &&
	    !rec_run_is_sure(&run))
		h->instructions--;
	pthread_mutex_unlock(&h->process->lock);
}

/* The words of an event or trap are complete. */
static void count_event(struct recorder_hart *h)
{
	struct hs_block e;

	if (h->escape == HS_REC_ESCAPE_ACCESS || h->escape == HS_REC_ESCAPE_MOVED)
		return;
	if (h->escape == HS_REC_ESCAPE_TRAP) {
		if (h->event[5] != HS_REC_TRAP_ALL)
			uncount_rest(h, h->trap_run, h->event[5]);
		h->open = false;
		return;
	}
	if (h->escape == HS_REC_ESCAPE_STAND) {
		h->open = false;
		return;
	}
	if (h->escape == HS_REC_ESCAPE_ANEW) {
		recorder_keep_before(h,
		                     (h->event[0] | (uint64_t)h->event[1] << 32) + h->instructions);
		return;
	}
	hs_rec_block_unpack(h->event, &e);
	if (e.kind == HS_KIND_STOP)
		recorder_count_end(h);
	if (e.kind == HS_KIND_NOTE && e.arg == HS_NOTE_SIGNAL)
		push_signal(h);
}

static void count_escape(struct recorder_hart *h, uint32_t word)
{
	h->escape = (word & ~HS_REC_WORD_ESCAPE) >> 16;
	switch (h->escape) {
	case HS_REC_ESCAPE_ACCESS:
		h->payload = h->payload_size = hs_rec_access_words(word);
		break;
	case HS_REC_ESCAPE_MOVED:
		h->payload = h->payload_size = 1;
		break;
	case HS_REC_ESCAPE_EVENT:
		h->payload = h->payload_size = 4;
		break;
	case HS_REC_ESCAPE_ANEW:
		h->payload = h->payload_size = HS_REC_ANEW_WORDS;
		break;
	case HS_REC_ESCAPE_TRAP:
		h->payload = h->payload_size = HS_REC_TRAP_WORDS;
		h->trap_run = h->last_run;
		break;
	case HS_REC_ESCAPE_PARTIAL:
	case HS_REC_ESCAPE_CUT:
		uncount_rest(h, h->last_run, word & 0xffffu);
		h->open = false;
		break;
	case HS_REC_ESCAPE_STAND:
		h->payload = h->payload_size = HS_REC_STAND_WORDS;
		if (h->open && (word & 0xffffu) != HS_REC_STAND_ALL)
			uncount_rest(h, h->last_run, word & 0xffffu);
		break;
	case HS_REC_ESCAPE_RESUME:
		if (h->depth == 0)
			break;
		h->resumed = h->stack[--h->depth];
		h->resuming = true;
		break;
	}
}

/* Skip eight runs at a time until there is an escape.  Returns how many words were skipped.  @last:
 * the last one with a word of its own. */
static size_t skip_runs(const uint32_t *w, size_t n, uint32_t *last)
{
	size_t i;

	for (i = 0; i + 8 <= n; i += 8, w += 8) {
		uint32_t all = 0;

		for (unsigned j = 0; j < 8; j++)
			all |= w[j] < HS_REC_WORD_ESCAPE ? 0 : 1u;
		if (all != 0)
			break;
	}
	for (size_t j = 1; j <= i; j++)
		if (w[-(ptrdiff_t)j] < HS_REC_WORD_OUTCOMES) {
			*last = w[-(ptrdiff_t)j];
			break;
		}
	return i;
}

static bool is_anew(uint32_t word)
{
	return word >> 16 == HS_REC_WORD(HS_REC_ESCAPE_ANEW, 0) >> 16;
}

size_t recorder_count(struct recorder_hart *h, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t runs = 0;

		if (h->payload == 0 && !h->resuming)
			runs = skip_runs(words + i, n - i, &h->last_run);
		i += runs;
		h->open |= runs > 0;
		if (i == n)
			break;
		const uint32_t w = words[i];

		if (h->payload > 0) {
			h->event[h->payload_size - h->payload] = w;
			if (--h->payload == 0)
				count_event(h);
		} else if (is_anew(w) && i > 0) {
			n = i;
		} else if (w >= HS_REC_WORD_ESCAPE) {
			count_escape(h, w);
		} else {
			if (h->resuming)
				log_resumed(h, w);
			if (w < HS_REC_WORD_OUTCOMES)
				h->last_run = w;
			h->open = true;
		}
	}
	h->words += n;
	return n;
}
