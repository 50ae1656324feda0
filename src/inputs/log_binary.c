/* Binary logs: Renode's ReTrace, and FireSim's TracerV. */
#include <string.h>

#include "inputs/log_private.h"

static const char magic[] = "ReTrace", header[] = "# Clock", cycle[] = "Cycle: ";

enum { MARK = 7 }; /* characters of each of them */

static uint64_t little(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* ---- text or records ---------------------------------------------------------------------- */

/* TracerV's records have no mark of their own, but may have a line of text before them. */
static void decide(struct hs_exec_log *l)
{
	struct log_binary *b = &l->binary;
	const bool renode = l->format == LOG_RENODE;

	if (renode && memcmp(b->raw, magic, b->n) != 0)
		b->form = LOG_TEXT;
	else if (b->n == MARK && renode)
		b->form = LOG_RECORDS;
	else if (b->n == MARK && memcmp(b->raw, header, MARK) != 0)
		b->form = memcmp(b->raw, cycle, MARK) == 0 ? LOG_TEXT : LOG_RECORDS;
}

/* A byte of the line of text before TracerV's records. */
static bool skip_header(struct hs_exec_log *l, uint8_t byte)
{
	struct log_binary *b = &l->binary;

	if (b->n < MARK)
		return false;
	if (byte == '\n') {
		b->n = 0;
		l->stats.lines++;
	}
	return true;
}

static void become_text(struct hs_exec_log *l)
{
	struct log_binary *b = &l->binary;

	b->form = LOG_TEXT;
	memcpy(l->carry.text, b->raw, b->n);
	l->carry.n = b->n;
}

bool log_is_binary(struct hs_exec_log *l, struct hs_span *in)
{
	struct log_binary *b = &l->binary;

	if (b->form == LOG_UNDECIDED && l->format != LOG_RENODE && l->format != LOG_TRACERV)
		b->form = LOG_TEXT;
	while (b->form == LOG_UNDECIDED && in->n) {
		const uint8_t byte = *in->p;

		if (l->format == LOG_RENODE && byte != (uint8_t)magic[b->n]) {
			become_text(l); /* @byte may end its line */
			break;
		}
		in->p++;
		in->n--;
		l->place.next_offset++;
		if (skip_header(l, byte))
			continue;
		b->raw[b->n++] = byte;
		decide(l);
		if (b->form == LOG_TEXT)
			become_text(l);
	}
	return b->form != LOG_TEXT;
}

/* ---- ReTrace ------------------------------------------------------------------------------ */

enum stage { HEADER, TRIPLE, ENTRY, DATA };

/* How long is an item of an entry, with its type?  0: nobody knows. */
static size_t size_of_item(const struct log_binary *b)
{
	switch (b->raw[0]) {
	case 0:
		return 1;
	case 1:
		return b->version < 4 ? 0 : 26; /* an access to memory */
	case 2:
		return 17; /* vl, vtype */
	case 3:            /* operands of an atomic access */
		if (b->n < 3)
			return 3;
		return b->raw[2] == 2 ? 4 + 4 * 4 : b->raw[2] == 3 ? 4 + 4 * 8 : 0;
	default:
		return 0;
	}
}

/* Version 5 has a number of names of instruction sets and each, 3 and 4 a flag and one name. */
static size_t size_of_triples(const struct log_binary *b)
{
	if (b->version == 5 && b->n && b->raw[0] != 1)
		return 1; /* refused */
	return b->n < 2 ? 2 : 2u + b->raw[1];
}

/* As many bytes as the record has, as far as the first ones say it.  0: nobody knows. */
static size_t size_of_record(const struct log_binary *b)
{
	switch ((enum stage)b->stage) {
	case HEADER:
		return 10;
	case TRIPLE:
		return size_of_triples(b);
	case ENTRY:
		if (!b->opcodes)
			return b->pc_bytes;
		return b->pc_bytes + 1u + (b->n > b->pc_bytes ? b->raw[b->pc_bytes] : 0u);
	default:
		return b->n ? size_of_item(b) : 1;
	}
}

static enum hs_status break_off(struct hs_exec_log *l, const char *why, struct hs_error *e)
{
	l->binary.broken = true;
	return hs_error_set(
		e, HS_E_FORMAT, "record %llu, byte %llu: %s: what follows cannot be read",
		(unsigned long long)l->stats.lines, (unsigned long long)l->place.offset, why);
}

static enum hs_status take_header(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_binary *b = &l->binary;

	b->version = b->raw[MARK];
	b->pc_bytes = b->raw[MARK + 1];
	b->opcodes = b->raw[MARK + 2] != 0;
	b->stage = b->opcodes ? TRIPLE : ENTRY;
	if (b->version < 3 || b->version > 5)
		return break_off(l, "a version of ReTrace that is not 3, 4 or 5", e);
	if (!b->pc_bytes || b->pc_bytes > 8)
		return break_off(l, "no addresses (trace PCAndOpcode or PC)", e);
	return HS_OK;
}

static enum hs_status take_triples(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_binary *b = &l->binary;
	const unsigned text = 2;

	b->stage = ENTRY;
	if (b->raw[0] != (b->version == 5))
		return break_off(l, "several instruction sets", e);
	if (b->n < text + 5 || memcmp(b->raw + text, "riscv", 5) != 0)
		return break_off(l, "another instruction set than RISC-V's", e);
	return HS_OK;
}

static enum hs_status take_entry(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_binary *b = &l->binary;
	const unsigned n = b->opcodes ? b->raw[b->pc_bytes] : 0;
	struct log_fields f = { .seen = UINT64_C(1) << F_PC, .digits = 2 * b->pc_bytes };

	b->stage = DATA;
	f.v[F_PC] = little(b->raw, b->pc_bytes);
	if (n > 8)
		return log_refuse_field(l, "an opcode of at most 8 bytes", e);
	if (n) {
		f.v[F_CODE] = little(b->raw + b->pc_bytes + 1, n);
		f.seen |= UINT64_C(1) << F_CODE;
		f.code_digits = (uint8_t)(2 * n);
	}
	return log_take(l, LOG_RETIRED, &f, e);
}

static enum hs_status take_renode(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_binary *b = &l->binary;

	switch ((enum stage)b->stage) {
	case HEADER:
		return take_header(l, e);
	case TRIPLE:
		return take_triples(l, e);
	case ENTRY:
		return take_entry(l, e);
	default:
		if (!size_of_item(b))
			return break_off(l, "data of a kind that is not known", e);
		b->stage = b->raw[0] ? DATA : ENTRY;
		return HS_OK;
	}
}

/* ---- TracerV ------------------------------------------------------------------------------ */

#define VALID (UINT64_C(1) << 40) /* a lane retired; below it its address */

/* Rows of so many words?  The first one is a cycle, which grows. */
static bool are_rows(const uint8_t *p, size_t n, unsigned words)
{
	uint64_t last = 0;
	bool valid = false;

	for (size_t at = 0; at + 8u * words <= n; at += 8u * words) {
		const uint64_t time = little(p + at, 8);

		if (time >= VALID || (at && time <= last))
			return false;
		last = time;
		for (unsigned i = 1; i < words; i++) {
			const uint64_t lane = little(p + at + 8u * i, 8);

			if (lane >= 2 * VALID)
				return false;
			valid |= (lane & VALID) != 0;
		}
	}
	return valid;
}

/* How many words has a row?  A cycle and one for each lane; 0: these are no rows. */
static unsigned count_words(const uint8_t *p, size_t n)
{
	unsigned words = 2;

	while (words <= 8 && !are_rows(p, n, words))
		words++;
	return words <= 8 ? words : 0;
}

static enum hs_status take_tracerv(struct hs_exec_log *l, struct hs_error *e)
{
	const uint8_t *row = l->binary.raw + l->binary.at;
	struct log_fields f = { .seen = UINT64_C(1) << F_PC | UINT64_C(1) << F_CYCLE };
	enum hs_status s = HS_OK;

	if (!l->binary.words)
		return break_off(l, "no rows of a cycle and addresses", e);
	f.v[F_CYCLE] = little(row, 8);
	for (unsigned i = 1; i < l->binary.words; i++) {
		const uint64_t lane = little(row + 8u * i, 8);

		if (!(lane & VALID))
			continue;
		if (s != HS_OK && l->current)
			log_gap(l, l->current, s);
		f.v[F_PC] = lane & (VALID - 1);
		const enum hs_status one = log_take(l, LOG_RETIRED, &f, e);

		s = one == HS_OK ? s : one;
	}
	return s;
}

/* ---- records ------------------------------------------------------------------------------ */

static void fill(struct hs_exec_log *l, struct hs_span *in, size_t want)
{
	struct log_binary *b = &l->binary;
	size_t n = want > b->n ? want - b->n : 0;

	n = n < in->n ? n : in->n;
	if (!n)
		return;
	memcpy(b->raw + b->n, in->p, n);
	b->n += n;
	in->p += n;
	in->n -= n;
	l->place.next_offset += n;
}

/* TracerV: what was collected to see how long a row is is used up first. */
static size_t find_row(struct hs_exec_log *l, struct hs_span *in, bool end)
{
	struct log_binary *b = &l->binary;

	if (!b->words) {
		fill(l, in, LOG_LINE);
		if (b->n < LOG_LINE && !end)
			return SIZE_MAX;
		b->words = count_words(b->raw, b->n);
		if (!b->words)
			return b->n;
	}
	if (b->n - b->at < 8u * b->words) {
		memmove(b->raw, b->raw + b->at, b->n - b->at);
		b->n -= b->at;
		b->at = 0;
		fill(l, in, 8u * b->words);
	}
	return 8u * b->words;
}

/* ReTrace: byte after byte of a record says how long it is. */
static size_t find_record(struct hs_exec_log *l, struct hs_span *in)
{
	struct log_binary *b = &l->binary;

	while (size_of_record(b) > b->n && in->n)
		fill(l, in, size_of_record(b));
	return size_of_record(b);
}

/* The next record begins where this one ends. */
static void drop_record(struct log_binary *b)
{
	b->at += b->words ? 8u * b->words : b->n;
	if (b->at >= b->n)
		b->at = b->n = 0;
}

bool log_next_record(struct hs_exec_log *l, struct hs_span *in, bool end)
{
	struct log_binary *b = &l->binary;

	if (b->broken) {
		in->p += in->n;
		in->n = b->n = b->at = 0;
		return false;
	}
	const size_t size = l->format == LOG_TRACERV ? find_row(l, in, end) : find_record(l, in);

	if (size > b->n - b->at || !b->n)
		return false;
	l->place.offset = l->place.next_offset - (b->n - b->at);
	l->stats.lines++;
	return true;
}

enum hs_status log_take_record(struct hs_exec_log *l, struct hs_error *e)
{
	const enum hs_status s = l->format == LOG_RENODE ? take_renode(l, e) : take_tracerv(l, e);

	drop_record(&l->binary);
	if ((s == HS_E_FORMAT || s == HS_E_NOCODE) && l->current)
		log_gap(l, l->current, s);
	return s;
}

/* The log ends: in a record, or before it is known what it is. */
enum hs_status log_end_records(struct hs_exec_log *l, struct hs_error *e)
{
	struct log_binary *b = &l->binary;

	if (b->form == LOG_UNDECIDED)
		become_text(l);
	if (b->form != LOG_RECORDS || b->broken || !b->n)
		return HS_OK;
	b->broken = true;
	return hs_error_set(e, HS_E_FORMAT, "record %llu: the log ends in it",
	                    (unsigned long long)l->stats.lines + 1);
}

/* ---- recognition -------------------------------------------------------------------------- */

static bool contains(const struct hs_span *in, const char *word)
{
	const size_t n = strlen(word);

	for (size_t i = 0; i + n <= in->n; i++)
		if (memcmp(in->p + i, word, n) == 0)
			return true;
	return false;
}

unsigned log_probe_records(enum log_format format, const struct hs_span *first, uint8_t *xlen)
{
	struct hs_span in = *first;

	if (format == LOG_RENODE && in.n > MARK && memcmp(in.p, magic, MARK) == 0) {
		in.n = in.n < 64 ? in.n : 64;
		*xlen = contains(&in, "riscv32") ? 32 : contains(&in, "riscv64") ? 64 : 0;
		return LOG_LINE;
	}
	if (format != LOG_TRACERV)
		return 0;
	if (in.n > MARK && memcmp(in.p, header, MARK) == 0) {
		const uint8_t *line = memchr(in.p, '\n', in.n);

		in.n -= line ? (size_t)(line + 1 - in.p) : 0;
		in.p = line ? line + 1 : in.p;
	}
	in.n = in.n < LOG_LINE ? in.n : LOG_LINE;
	const unsigned words = count_words(in.p, in.n);

	return words && in.n >= 3u * 8u * words ? (unsigned)(in.n / (8u * words)) : 0;
}
