/* What the recorder learns from the words: how many instructions of runs did not retire, and where
 * signal handlers returned to.  The plugin counts all of each run, and the last run before an
 * escape has a word (HS_REC_WORD_OUTCOMES). */
#include <string.h>

#include "recorder/private.h"

/* A handler has returned, and @run is the first one after it: log where it returned to. */
static void log_resumed(struct recorder_hart *h, uint32_t run)
{
	struct hs_rec_log_resume r = { .hart = h->number };
	const struct hs_rec_log_run *code;

	h->at.resuming = false;
	pthread_mutex_lock(&h->process->store.lock);
	code = recorder_log_run(h->process, run);
	r.to = code == NULL ? 0 : code->start;
	pthread_mutex_unlock(&h->process->store.lock);
	for (uint32_t i = 0; code != NULL && i < h->handlers.resumed.count; i++) {
		r.signal = h->handlers.resumed.numbers[i];
		if (h->process->live != NULL)
			recorder_live_resume(h, &r);
		if (h->process->keep == NULL)
			recorder_log_resume(h->process, &r);
		else if (!recorder_keep_resume(h, &r))
			h->process->is.damaged = true;
	}
}

/* A handler starts.  If another one has just returned to the place that this one interrupts, both
 * return to the same place. */
static void push_signal(struct recorder_hart *h)
{
	struct recorder_signal now = { { h->handlers.signals++ }, 1 };

	if (h->at.resuming)
		for (uint32_t i = 0; i < h->handlers.resumed.count && now.count < 4; i++)
			now.numbers[now.count++] = h->handlers.resumed.numbers[i];
	h->at.resuming = false;
	if (h->handlers.depth == RECORDER_SIGNALS) /* handlers that never returned (siglongjmp) */
		memmove(h->handlers.stack, h->handlers.stack + 1,
		        --h->handlers.depth * sizeof(*h->handlers.stack));
	h->handlers.stack[h->handlers.depth++] = now;
}

static uint32_t all_of(const struct hs_rec_log_run *r)
{
	return r == NULL ? 0 : hs_rec_run_retires(r->insns, (const uint8_t *)(r + 1), r->bytes);
}

void recorder_count_run(struct recorder_hart *h, uint32_t run)
{
	pthread_mutex_lock(&h->process->store.lock);
	h->at.instructions += all_of(recorder_log_run(h->process, run));
	pthread_mutex_unlock(&h->process->store.lock);
}

/* Only the first @hwords half-words of @run retired: take the others off the count. */
static void uncount_rest(struct recorder_hart *h, uint32_t run, uint32_t hwords)
{
	const struct hs_rec_log_run *r;
	uint32_t counted, retired;
	uint8_t ilast;

	pthread_mutex_lock(&h->process->store.lock);
	r = recorder_log_run(h->process, run);
	counted = all_of(r);
	retired = rec_log_prefix(r, hwords, &ilast);
	pthread_mutex_unlock(&h->process->store.lock);
	if (retired < counted)
		h->at.instructions -= counted - retired;
}

/* The last run is not followed by another one: as a reader does, leave out an instruction of which
 * it is not known whether it retired. */
void recorder_count_end(struct recorder_hart *h)
{
	const struct hs_rec_log_run *code;
	struct rec_run run;
	struct hs_isa isa;

	if (!h->at.open)
		return;
	h->at.open = false;
	pthread_mutex_lock(&h->process->store.lock);
	code = recorder_log_run(h->process, h->at.last_run);
	isa = rec_log_isa(&h->process->store.log);
	if (code != NULL && rec_run_build(&run, code, code->start, &isa) == HS_OK &&
	    !rec_run_is_sure(&run))
		h->at.instructions--;
	pthread_mutex_unlock(&h->process->store.lock);
}

static void count_event(struct recorder_hart *h, const uint32_t *escape)
{
	struct hs_block e;

	hs_rec_block_unpack(escape + 1, &e);
	if (e.kind == HS_KIND_STOP)
		recorder_count_end(h);
	if (e.kind == HS_KIND_NOTE && e.arg == HS_NOTE_SIGNAL)
		push_signal(h);
}

static void count_part(struct recorder_hart *h, const uint32_t *escape)
{
	uncount_rest(h, h->at.last_run, HS_REC_ESCAPE_ARG(*escape));
	h->at.open = false;
}

static void count_resume(struct recorder_hart *h, const uint32_t *escape)
{
	(void)escape;
	if (h->handlers.depth == 0)
		return;
	h->handlers.resumed = h->handlers.stack[--h->handlers.depth];
	h->at.resuming = true;
}

static void count_trap(struct recorder_hart *h, const uint32_t *escape)
{
	const uint32_t hwords = escape[HS_REC_TRAP_WORDS];

	if (hwords != HS_REC_TRAP_ALL)
		uncount_rest(h, h->at.last_run, hwords);
	h->at.open = false;
}

static void count_stand(struct recorder_hart *h, const uint32_t *escape)
{
	if (h->at.open && HS_REC_ESCAPE_ARG(*escape) != HS_REC_STAND_ALL)
		uncount_rest(h, h->at.last_run, HS_REC_ESCAPE_ARG(*escape));
	h->at.open = false;
}

static void count_anew(struct recorder_hart *h, const uint32_t *escape)
{
	recorder_keep_before(h, (escape[1] | (uint64_t)escape[2] << 32) + h->at.instructions);
}

static void count_nothing(struct recorder_hart *h, const uint32_t *escape)
{
	(void)h;
	(void)escape;
}

/* A word of an escape: count it when it is whole. */
static void count_escape(struct recorder_hart *h, uint32_t word)
{
	static void (*const count[])(struct recorder_hart * h, const uint32_t *escape) = {
#define REC_ESCAPE(NAME, number, words, flows, read, name) [number] = count_##name,
#include "recording/words.def"
	};

	if (h->at.escape_left == 0) {
		h->at.escape_left = 1 + hs_rec_words_after(word);
		h->at.escape_size = 0;
	}
	h->at.escape[h->at.escape_size++] = word;
	const uint32_t kind = HS_REC_ESCAPE_KIND(h->at.escape[0]);

	if (--h->at.escape_left == 0 && kind < sizeof(count) / sizeof(count[0]))
		count[kind](h, h->at.escape);
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

size_t recorder_count(struct recorder_hart *h, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t runs = 0;

		if (h->at.escape_left == 0 && !h->at.resuming)
			runs = skip_runs(words + i, n - i, &h->at.last_run);
		i += runs;
		h->at.open |= runs > 0;
		if (i == n)
			break;
		const uint32_t w = words[i];

		if (i > 0 && recorder_begins_anew(h, w)) {
			n = i;
		} else if (h->at.escape_left > 0 || w >= HS_REC_WORD_ESCAPE) {
			count_escape(h, w);
		} else {
			if (h->at.resuming)
				log_resumed(h, w);
			if (w < HS_REC_WORD_OUTCOMES)
				h->at.last_run = w;
			h->at.open = true;
		}
	}
	h->at.words += n;
	return n;
}
