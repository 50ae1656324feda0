/* What messages are looked up at once, the window: their bytes, as a key of the memo.
 *
 * The two low bits of each byte are MSEO: 11 ends a message, 01 a field, 00 neither (NT 3.1).  So
 * `v & v >> 1 & WORD_EACH` has bit 0 of each byte of the word @v that ends a message.
 *
 * Example: 0c 0f 10 71 1b are a DirectBranch (I-CNT 3) and an IndirectBranch (B-TYPE 0, I-CNT 7,
 * U-ADDR 6).  The window of HTM is the first message: key 0f0c, 2 bytes.  That of BTM is both: key
 * 1b71100f0c, 5 bytes, because the DirectBranch is a short one, of two bytes.
 *
 * Invariant: key.bytes are the window's bytes and 0 after them, and a window of 0 bytes is none: it
 * is longer than MEMO_BYTES, or its end is not there yet.
 */
#ifndef HS_NTRACE_WINDOW_H
#define HS_NTRACE_WINDOW_H

#include "core/base_word.h"
#include "flow/memo.h"
#include "ntrace/reader.h"

/* The bytes of a message of each length. */
#define NT_LOW(n) ((n) < 8 ? ((uint64_t)1 << 8 * ((n) % 8)) - 1 : UINT64_MAX)
#define NT_HIGH(n) ((n) <= 8 ? 0 : NT_LOW((n) % 8 + ((n) > 15 ? 8 : 0)))
#define NT_ROW(n) \
	{ \
		NT_LOW(n), NT_HIGH(n) \
	}
static const uint64_t nt_masks[MEMO_BYTES + 1][2] = {
	NT_ROW(0),  NT_ROW(1),  NT_ROW(2),  NT_ROW(3),  NT_ROW(4),  NT_ROW(5),
	NT_ROW(6),  NT_ROW(7),  NT_ROW(8),  NT_ROW(9),  NT_ROW(10), NT_ROW(11),
	NT_ROW(12), NT_ROW(13), NT_ROW(14), NT_ROW(15), NT_ROW(16),
};

/* The first @n bytes at @p. */
static inline void nt_cut(struct hs_memo_key *key, const uint8_t *p, size_t n)
{
	key->bytes[0] = word_load(p) & nt_masks[n][0];
	key->bytes[1] = word_load(p + 8) & nt_masks[n][1];
}

/* Bit 0 of each byte that ends a message. */
static inline uint64_t nt_message_ends(uint64_t word)
{
	return word & word >> 1 & WORD_EACH;
}

/* The highest bit of each of four short DirectBranch messages. */
#define NT_LANE_TOPS UINT64_C(0x8000800080008000)

/* The top bit of the first of four pairs of bytes that is no short DirectBranch message; 0: all
 * are.  A pair that differs from one in any bit carries into its top bit. */
static inline uint64_t nt_first_other(uint64_t word)
{
	const uint64_t differs = (word & NT_BRANCH_MASK) ^ NT_BRANCH_BITS;

	return word_lowest((differs + ~NT_LANE_TOPS) & NT_LANE_TOPS);
}

/* A window is up to four short DirectBranch messages, which BTM has, and one message of any kind.
 * @lanes: a group of DirectBranch messages may come first.  How many there are the processor cannot
 * predict, so no branch asks for it; how long the last message is repeats itself. */
static inline __attribute__((always_inline)) void nt_look_first(struct flow_window *w,
                                                                const uint8_t *p, bool lanes)
{
	const uint64_t low = word_load(p), high = word_load(p + 8);
	const uint64_t other = nt_first_other(low);
	const uint64_t before =
		lanes ? (other >> 15) - 1 : 0; /* bits of the DirectBranch messages */
	const uint64_t ends = nt_message_ends(low) & ~before, ends2 = nt_message_ends(high);

	w->key.bytes[1] = 0;
	if (likely(ends)) {
		w->key.bytes[0] = low & ((word_lowest(ends) << 8) - 1);
		w->bytes = 1 + word_first(ends);
	} else if (likely(ends2)) {
		w->key.bytes[0] = low;
		w->key.bytes[1] = high & ((word_lowest(ends2) << 8) - 1);
		w->bytes = 9 + word_first(ends2);
	} else {
		w->key.bytes[0] = low & before;
		w->bytes = !lanes ? 0 : other ? word_first(other >> 15) : 8;
	}
}

/* A window of all messages that end in 16 bytes (design/counting). */
static inline __attribute__((always_inline)) void nt_look_all(struct flow_window *w,
                                                              const uint8_t *p)
{
	const uint64_t low = word_load(p), high = word_load(p + 8), all = UINT64_MAX;
	const uint64_t ends = nt_message_ends(low), ends2 = nt_message_ends(high);

	if (likely(ends2)) {
		w->key.bytes[0] = low;
		w->key.bytes[1] = high & all >> 8 * word_after(ends2);
		w->bytes = 16 - word_after(ends2);
	} else {
		w->key.bytes[0] = ends ? low & all >> 8 * word_after(ends) : 0;
		w->key.bytes[1] = 0;
		w->bytes = ends ? 8 - word_after(ends) : 0;
	}
}

/* ---- a message with a time ---------------------------------------------------------- */

/* Bytes whose marks are looked for at once, and those that may be read after them. */
#define NT_MARKED 64
#define NT_READ_AFTER (MEMO_BYTES + 8)

/* Where fields and messages end.  So where a message begins does not wait for what is looked at in
 * the one before it. */
struct nt_marks {
	const uint8_t *base;
	uint64_t lows, ends; /* bit i: a field, or a message that is not taken yet, ends with
	                        base[i] */
};

/* Bring @marks to the message at @p.  False: the input ends soon, or the message is too long. */
static inline bool nt_find_marks(struct nt_marks *marks, const uint8_t *p, const uint8_t *end)
{
	if (likely(marks->ends))
		return true;
	if (end - p < (ptrdiff_t)(NT_MARKED + NT_READ_AFTER))
		return false;
	marks->base = p;
	marks->lows = word_lows64(p);
	marks->ends = word_ends64(p);
	return marks->ends;
}

/* Fields of a message that memos have, in eight bits each; most end where MSEO is 01 (NT 3.1).  A
 * repeated history has one more: it is read as a time, and found out when it is to be added. */
static inline unsigned nt_fields_of(unsigned tcode)
{
	return 1u + (tcode == HS_NT_INDIRECT_BRANCH) + 2u * (tcode == HS_NT_INDIRECT_BRANCH_HIST);
}

/* One message of any kind, at @p, which is that of @marks.  TSTAMP, if it has one, is cut out of
 * the key: *stamp is its value, and the result is how many bytes it has.  What looks like no TSTAMP
 * makes an empty window. */
static inline __attribute__((always_inline)) unsigned nt_look_timed(struct flow_window *w,
                                                                    const struct nt_marks *marks,
                                                                    const uint8_t *p,
                                                                    uint64_t *stamp)
{
	const unsigned at = (unsigned)(p - marks->base), fields = nt_fields_of(*p >> 2);
	const unsigned n = 1 + word_first_bit(marks->ends) - at;
	uint64_t own = marks->lows >> at | UINT64_C(15) << 60; /* the top bits: too far away */

	own = fields > 1 ? own & (own - 1) : own;
	own = fields > 2 ? own & (own - 1) : own;
	const unsigned last = 1 + word_first_bit(own), next = 1 + word_first_bit(own & (own - 1));
	const unsigned key = last < n ? last : n, bytes = n - key;
	const bool good = key <= MEMO_BYTES && bytes <= 8 && (last >= n || next == n);
	const uint64_t v = word_load(p + (good ? key : 0)) & nt_masks[good ? bytes : 0][0];

	if (unlikely(!good || (v >> 1 & ~v & WORD_EACH))) { /* MSEO 10 */
		w->bytes = 0;
		w->key.bytes[0] = 0; /* of no path */
		return 0;
	}
	nt_cut(&w->key, p, key);
	*stamp = nt_pack_mdo(v);
	w->bytes = n;
	return bytes;
}

#endif
