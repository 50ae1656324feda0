/* What the files of a listing share. */
#ifndef HS_LISTING_PRIVATE_H
#define HS_LISTING_PRIVATE_H

#include <pthread.h>
#include <string.h>

#include <hartscope/block.h>
#include <hartscope/views.h>

#include "program/block_count.h"
#include "program/select.h"
#include "support/crew.h"
#include "support/hash.h"

/* All that is printed of one instruction; kept, because a trace executes the same instructions
 * again and again. */
struct listed_insn {
	uint64_t addr;
	const struct hs_program *program;
	uint64_t number; /* of its code (code_view.h) */
	uint64_t context; /* of user mode with a guest; 0 */
	const struct hs_guest_task *task;
	struct hs_place place;
	bool own;    /* of the program's own file, or the kernel's */
	bool wanted; /* hs_listing_options.function names its function */
	uint64_t function_start;
	uint32_t header; /* number of what its header would say */
	uint8_t hwords;
	uint8_t kind;
	uint8_t bytes[HS_INSN_MAX];
	char text[96];   /* disassembly */
	bool has_target;
	uint64_t target_addr, target_offset;
	const char *target; /* its function; NULL: not known */
};

#define OUT_SIZE ((size_t)1 << 20)
/* So much of it is filled by one thread, which has one buffer: more leaves less of its core's
 * second cache to texts (JSON: 7 % slower). */
#define OUT_ALONE ((size_t)1 << 19)
#define LINE_MAX_ 65536        /* most bytes of one line of a listing */
#define LISTING_NAME_SIZE 8192 /* of a name with its escapes; longer ones are cut */

/* Texts of blocks (block_text.c). */
struct listing_texts {
	struct support_hash blocks;  /* of struct block_text */
	struct support_hash scopes;  /* of struct text_scope */
	struct support_hash headers; /* of struct listed_header; a number is its item's and 1 */
	char *arena, *scratch;
	size_t arena_n;
	uint32_t last; /* number of the block before */
	/* of each block of paths (HS_KIND_PATH), where it is in path_scope: 1 and its number; 0:
	 * not known yet */
	uint32_t *of_paths;
	size_t path_room;
	uint16_t path_scope;
	uint16_t scope;
	bool has_last, has_scope, scope_of_user;
};

/* A block of a HS_KIND_PATH. */
static inline struct hs_block listing_block_of(const struct hs_block *path, unsigned i)
{
	struct hs_block b = ((const struct hs_block *)(uintptr_t)path->value)[i];

	b.priv = path->priv & 7u;
	return b;
}

/* What a header says. */
struct listed_header {
	const char *function, *file, *object;
	const struct hs_program_inlined *inlined;
	uint64_t function_start;
	int64_t line;
};

/* The first header of a piece of text, which may have been the last one before it (team.c). */
struct listing_seam {
	bool any;     /* there is one */
	size_t at, n; /* in the text */
	struct listed_header header;
};

/* What the last block means to the events after it. */
struct listed_last {
	uint8_t itype, priv;
	uint64_t epc; /* where its trap struck, if it ends in one */
};

#define LISTING_HELD 8u
/* A trap and the events after it, until the handler's block says its mode. */
struct listing_held {
	struct hs_block items[LISTING_HELD];
	unsigned n;
	uint8_t to; /* that mode */
	bool lone;  /* the trap has no block */
};

/* Accesses of one instruction, at most. */
#define LISTING_SHOWN 256

/* An access that waits for its instruction. */
struct listed_data {
	struct hs_access access;
	uint32_t hart;
};

struct listing_data {
	struct hs_access_reader reader;
	struct listed_data *items;
	size_t at, n, cap;                     /* those before @at were listed */
	struct hs_access shown[LISTING_SHOWN]; /* of the current instruction */
	unsigned shown_n;
};

/* Of a listing that makes pieces of text for another one. */
struct listing_share {
	pthread_mutex_t *lock;     /* of the programs; NULL: they are its own */
	bool spins;                /* to take it: there is a core for each thread */
	struct hs_listing *author; /* that makes the texts of blocks; NULL: it does */
	struct listing_seam *seam; /* NULL: not wanted */
	size_t flushed;            /* bytes of the piece that are not in @out any more */
};

#define LISTING_ALIGN 128 /* two cache lines, which come together: threads share none */

struct hs_listing {
	_Alignas(LISTING_ALIGN) struct hs_listing_options o; /* o.program: of the current hart */
	const struct listing_format *format;
	struct program_select select;
	char *out; /* OUT_SIZE bytes */
	size_t out_n;
	size_t room;     /* bytes of it that are filled before it is written */
	uint64_t seen;   /* instructions so far, skipped ones too */
	uint64_t passed; /* with written_size: all instructions so far */
	struct listed_last last;
	struct listing_held held;
	const struct hs_guest_task *task; /* who is in the context; NULL: not known */
	uint64_t listed;
	uint64_t unmapped;
	struct listing_data data;
	struct {
		uint64_t time; /* of the next block, where @timed */
		bool timed;
		size_t at; /* in out: where the time of the last block is, or would be */
	} when;
	bool first_item; /* JSON: the next item is the first */
	uint32_t header; /* text: what the last header said; 0: there was none */
	unsigned width;  /* of an address */
	struct support_hash insns; /* of struct listed_insn */
	struct program_counts counts; /* of blocks that are skipped */
	struct listing_texts texts;
	struct listing_team *team; /* threads that make text; NULL: there are none */
	uint64_t plain;            /* blocks and events that they may have */
	struct listing_share share;
};

/* How a format prints; a member that is NULL prints nothing. */
struct listing_format {
	bool bare; /* insn looks only at addresses */
	bool names_harts;
	/* what comes before an instruction, where its header is not the last one */
	void (*header)(struct hs_listing *l, const struct listed_insn *i);
	/* the time of the last block; where it is in a text that was made without */
	void (*time)(struct hs_listing *l);
	/* @last: the block, where @i is its last instruction; else NULL.  @data: what it accessed,
	 * l->data.shown_n accesses, or NULL */
	void (*insn)(struct hs_listing *l, const struct listed_insn *i,
	             const struct hs_block *last, const struct hs_access *data);
	/* an access whose instruction is not known */
	void (*stray)(struct hs_listing *l, const struct hs_access *data);
	void (*missing)(struct hs_listing *l, uint64_t addr); /* its code is not known */
	void (*event)(struct hs_listing *l, const struct hs_block *b);
	void (*end)(struct hs_listing *l);
};

extern const struct listing_format listing_text, listing_pc, listing_json, listing_lines;

#define LISTING_TIME_SIZE 48
/* events.c: the last time, as ticks or seconds. */
void listing_time(const struct hs_listing *l, char text[LISTING_TIME_SIZE]);
/* As hs_event_text(), with times in seconds where they are wanted. */
void listing_event_text(const struct hs_listing *l, const struct hs_block *b, char *text,
                        size_t size);
/* data.c: HS_OK, HS_E_SYSTEM or HS_E_MEMORY. */
enum hs_status listing_data_add(struct hs_listing *l, const struct hs_block *item);
/* Print the accesses whose instruction did not come. */
enum hs_status listing_data_flush(struct hs_listing *l);
/* Is it a write to one of the bytes that are looked for? */
bool listing_data_is_wanted(const struct hs_listing *l, const struct hs_access *a);
/* Are only some instructions listed, and no events? */
static inline bool listing_selects(const struct hs_listing *l)
{
	return l->o.function || l->o.written_size || l->o.accessed;
}
/* What an instruction accessed, l->data.shown_n times; NULL where it is not known; valid until the
 * next call. */
const struct hs_access *listing_data_of(struct hs_listing *l, const struct listed_insn *insn);
/* out.c */
enum hs_status listing_flush(struct hs_listing *l);
/* Make room for @n bytes: HS_OK or HS_E_SYSTEM. */
static inline enum hs_status listing_room(struct hs_listing *l, size_t n)
{
	return l->room < l->out_n + n ? listing_flush(l) : HS_OK;
}
/* Print to the room that listing_room() made; text that is longer is cut. */
void listing_print(struct hs_listing *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for what has nothing to convert, in a tenth of the time. */
static inline void listing_say(struct hs_listing *l, const char *text)
{
	const size_t n = strlen(text), left = OUT_SIZE - l->out_n - 1;

	memcpy(l->out + l->out_n, text, n < left ? n : left);
	l->out_n += n < left ? n : left;
}
/* Spaces, up to @width bytes after the place @from of the text. */
void listing_fill(struct hs_listing *l, size_t from, size_t width);
/* How many digits it has. */
static inline unsigned listing_digits(uint64_t v)
{
	unsigned n = 1;

	while (v >>= 4)
		n++;
	return n;
}
/* Write @v at @to; returns where it ends. */
char *listing_hex(char *to, uint64_t v);
/* Print it after 0x. */
void listing_put_hex(struct hs_listing *l, uint64_t v);
/* Its text into the room that listing_room() made. */
static inline void listing_append(struct hs_listing *l, const char *text, size_t n)
{
	memcpy(l->out + l->out_n, text, n);
	l->out_n += n;
}
/* The programs, where other listings have them, too. */
static inline void listing_lock(const struct hs_listing *l)
{
	if (l->share.lock && l->share.spins)
		support_spin_lock_long(l->share.lock);
	else if (l->share.lock)
		support_spin_lock(l->share.lock);
}
static inline void listing_unlock(const struct hs_listing *l)
{
	if (l->share.lock)
		pthread_mutex_unlock(l->share.lock);
}
/* items.c: a listing without threads; free: NULL is allowed. */
enum hs_status listing_new(const struct hs_listing_options *options, struct hs_listing **listing);
void listing_free(struct hs_listing *l);
/* What a block means to the events after it. */
void listing_follow_block(struct hs_listing *l, const struct hs_block *b);
/* Items, on this thread. */
enum hs_status listing_add_items(struct hs_listing *l, const struct hs_block *blocks, size_t n);
/* What waits for more of them. */
enum hs_status listing_end_items(struct hs_listing *l);
/* The header that is about to be printed, or at the front of a text that is, is the first one. */
static inline bool listing_is_seam(const struct hs_listing *l)
{
	return l->share.seam && !l->share.seam->any;
}
/* team.c: as listing_add_items(), where threads may do it. */
enum hs_status listing_team_add(struct hs_listing *l, const struct hs_block *blocks, size_t n);
/* Write all that threads have made or are making. */
enum hs_status listing_team_drain(struct hs_listing *l);
void listing_team_free(struct hs_listing *l); /* also if there is none */
/* headers.c */
struct listed_header listing_header_at(const struct hs_listing *l, uint32_t number);
/* Its number; 0: no memory. */
uint32_t listing_number_header(struct listing_texts *t, const struct listed_header *h);
/* The number of what an instruction's header says; 0: no memory. */
uint32_t listing_header_of(struct hs_listing *l, const struct listed_insn *i);
/* Start the tables of texts, of headers and of instructions afresh. */
enum hs_status listing_forget(struct hs_listing *l);
/* Blocks of paths that came so far are not there any more. */
void listing_forget_paths(struct hs_listing *l);
/* A header of @n bytes is about to be printed: it is the seam. */
void listing_note_seam(struct hs_listing *l, size_t n, uint32_t header);
/* Print an instruction and its header.  @last as for struct listing_format. */
void listing_put(struct hs_listing *l, const struct listed_insn *i, const struct hs_block *last,
                 const struct hs_access *data);
/* block_text.c */
void listing_texts_start(struct listing_texts *t);
void listing_texts_free(struct listing_texts *t);
/* Print a block whose text is kept, or is kept from now on.  HS_OK, HS_E_SYSTEM, HS_E_MEMORY; or
 * HS_MORE: print it one instruction after the other. */
enum hs_status listing_kept_block(struct hs_listing *l, const struct hs_block *b);
/* The same for those of a HS_KIND_PATH, whose texts are without a time, from number *next on, up to
 * one whose text is not known; the caller prints that and calls again.  HS_OK, HS_E_SYSTEM,
 * HS_E_MEMORY. */
enum hs_status listing_kept_path(struct hs_listing *l, const struct hs_block *path, unsigned *next);
/* Another hart, context or program may be the current one. */
static inline void listing_texts_move(struct hs_listing *l)
{
	l->texts.has_scope = false;
}
/* cache.c */
/* Most instructions in the table, about 330 bytes each.  A program with more of them starts the
 * tables afresh now and then. */
#define LISTING_INSNS_MAX (1u << 17)
/* Is the current hart in a program of the guest? */
static inline bool listing_in_process(const struct hs_listing *l)
{
	return l->o.guest && (l->last.priv == HS_PRIV_U || l->last.priv == HS_PRIV_VU);
}
/* Where the current hart is, in the mode of the last block. */
struct hs_guest_at listing_at(const struct hs_listing *l);
/* HS_OK, HS_E_NOCODE or HS_E_MEMORY. */
enum hs_status listing_insn(struct hs_listing *l, uint64_t addr, const struct listed_insn **out);

#endif
