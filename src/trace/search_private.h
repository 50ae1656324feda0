/* Code search: which version of the code ran, where only the trace can say (design/code-versions).
 *
 * Two images of a kernel differ where it patched itself.  The words, by an example:
 *
 *   site      the 4 bytes at 0x8020: version 0 is a nop (first image), version 1 a jump (second)
 *   view      a source's own copy of the code, in which sites change while it is decoded
 *   use       block 900 of the view executed the site while it had version 0
 *   move      a change: the view's site has version 1 from block 950 on
 *   piece     128 bytes of trace, with a copy of the decoder's state before them
 *   window    the pieces that are decoded and still kept; the head is the state after the last one
 *   guess     some moves of one view, as they may have happened
 *   trial     the decoder is put back to a piece, and decodes again with a guess
 *   dispute   two guesses fit the trace with different blocks: a gap stands for these blocks
 *
 * Pieces are decoded until one contradicts its code.  decide_fix() then tries moves at the last
 * uses (search_fix.c); the guess that fits becomes what happened, and the window is cut there.
 * Before a piece is given out, decide_uses() tries whether its uses could have been otherwise
 * (search_judge.c).
 *
 * Invariants: versions of a site only increase; numbers of blocks count from the start of the
 * trace, those of items, uses and pieces from the start of the window.
 */
#ifndef HS_CODE_SEARCH_PRIVATE_H
#define HS_CODE_SEARCH_PRIVATE_H

#include <hartscope/protocol.h>

#include "trace/codec.h"
#include "trace/search_sites.h"

#define PIECE 128u                  /* bytes of trace in a piece */
#define AHEAD (48u * PIECE)         /* bytes for which another guess must fit to dispute a use */
#define KEPT 8u                     /* pieces that were given out and stay, for trials */
#define ITEMS_MAX ((size_t)1 << 18) /* of a piece: a message may stand for many */
#define BLOCKS (1u << 18)           /* basic blocks that a view remembers */
#define MOVES 16u                   /* most moves of a guess */

/* A site changes before a block. */
struct move {
	uint64_t block; /* its number in the view */
	uint32_t site;
	uint8_t from, to;
};

struct moves {
	struct move *v;
	size_t n, room;
};

/* What a source executes: its own copy of the code. */
struct view {
	struct view *next_view;
	uint32_t src, index; /* index: into piece.stands */
	struct hs_image image;
	struct hs_section *sections;
	uint8_t *bytes;
	struct hs_bb_table table;
	void *memory;            /* of the table */
	uint8_t *version;        /* of each site, now */
	uint64_t *proven;        /* of each site: before this block it had no later version */
	struct moves done, plan; /* moves that were made; those to be made, in their order */
	struct moves kept;       /* during trials: moves of the head */
	size_t planned;          /* the next one of plan */
	uint64_t counted;        /* blocks up to the last call of the guide, and */
	uint64_t until;          /* from there to the next move of plan */
	uint64_t blocks;         /* that are in items */
	uint64_t doubt;          /* byte of trace up to which its flow is in dispute */
	bool doubt_until_sync;   /* it is in dispute up to the next full address after */
	uint64_t doubt_from;     /* this byte of trace */
	uint64_t left_out;       /* blocks before this one are not compared: too many trials */
	bool in_gap;             /* of what was given out */
	uint64_t suspect[2];     /* left out before a gap, by enum hs_unseen */
	uint64_t given;          /* blocks that were given out, or a gap for them */
};

/* A view executed a site in a version that is not its last. */
struct use {
	struct view *view;
	uint64_t block;
	size_t item;
	uint32_t site, piece;
	uint8_t version;
};

struct uses {
	struct use *v;
	size_t n, room;
};

/* Decoded items, with flags for each. */
struct items {
	struct hs_block *v;
	uint8_t *flags; /* enum item_flag */
	size_t n, room, flag_room;
	struct view *view; /* current one after the last item */
};

enum item_flag {
	ITEM_DISPUTED = 1, /* another guess has another item: a gap replaces it */
	ITEM_GAP = 2,      /* another guess has more items before it: a gap comes there */
	ITEM_SUSPECT = 4   /* no guess fits: the gap of the contradiction replaces it */
};

/* What is known of a view at the start of a piece. */
struct stand {
	uint64_t blocks;
	struct hs_code_place place;
	bool known;
};

struct piece {
	uint64_t in;      /* first byte of trace */
	size_t bytes;     /* the head has none */
	size_t item, use; /* number of its first item, and of its first use */
	uint8_t *state;   /* of the decoder before it */
	size_t state_room;
	struct stand *stands; /* by index of the view */
	size_t stand_room;
	struct view *view;     /* current one before it */
	bool fresh;            /* nothing is open before it */
	bool lost;             /* input is missing before it */
	bool more;             /* its last message gives more than there was room for */
	bool settled;          /* no guess avoids its error */
	enum hs_status status; /* error that ended it */
	struct hs_fault fault;
};

/* What is known of a view at the start of a piece: nothing, if it did not exist there. */
static inline const struct stand *stand_of(const struct piece *p, const struct view *v)
{
	static const struct stand nothing;

	return v->index < p->stand_room ? &p->stands[v->index] : &nothing;
}

/* Moves of one view, as they may have happened. */
struct guess {
	struct view *view;
	struct move moves[MOVES];
	unsigned count;
};

/* Numbers of items. */
struct picks {
	size_t *v, n, room;
};

/* An error that is to be given out. */
struct fault {
	struct hs_error error;
	enum hs_reason reason;
};

struct trial;

struct hs_code_search {
	struct hs_code_guide guide;
	struct hs_decoder *decoder;
	struct sites sites;
	struct view *views;
	uint32_t view_count;
	struct items items; /* of the window */
	struct uses uses;
	struct {
		struct piece *pieces; /* piece_count of them are decoded, one more is the head */
		size_t piece_count, piece_room;
		size_t given;       /* pieces that were given out */
		size_t given_items; /* and items */
	} window;
	struct {
		uint8_t *bytes; /* of trace */
		size_t byte_count, byte_room;
		uint64_t byte_start; /* number of the first one */
		uint64_t losses[64]; /* bytes before which input is missing */
		unsigned loss_count;
	} trace;
	bool ending, waits; /* waits: for trace after a contradiction */
	bool ended;
	struct { /* of a trial */
		struct items trial_items;
		struct uses trial_uses;
		struct uses candidates;
		struct picks mine, other; /* items of the view: in the window, in the trial */
		size_t differ_head, differ_tail; /* so many of them are equal at both ends */
		bool differs;                    /* some are not */
		unsigned budget;                 /* trials that may still be made */
		bool incomplete;     /* they did not suffice */
		bool rival;          /* another guess fits */
		struct trial *fit;   /* decide_fix(): the trial that fits is written there */
	} trial;
	struct { /* to be given out */
		struct items ready;
		size_t ready_at;
		struct fault *faults;
		size_t fault_count, fault_at, fault_room;
		struct fault last; /* that was given out */
		uint32_t at_hart,
			hart; /* given out now, and as the caller knows; UINT32_MAX: none */
	} out;
	struct {
		struct hs_code_search_change *changes;
		size_t change_count, change_room, change_given; /* given: as HS_KIND_VERSION */
		bool versions;
	} code;
	struct hs_code_search_report report;
	uint64_t *disputes; /* how many, by site */
	bool no_memory;
};

/* search_view.c */
enum hs_status views_init(struct hs_code_search *e);
void views_free(struct hs_code_search *e);
struct view *view_find(const struct hs_code_search *e, uint32_t src);
/* Unmake the moves from @block on, and those before it that differ from the head's; empty the
 * plan. */
void view_go_back(struct hs_code_search *e, struct view *v, uint64_t block);
/* Add a move to the plan, in the order of blocks. */
bool view_plan(struct view *v, const struct move *m);
/* Make moves that are due, and let the decoder ask again when the next one is. */
void view_arm(struct hs_code_search *e, struct view *v);
/* The version of a site when the view executed a block. */
unsigned view_version_at(const struct view *v, uint32_t site, uint64_t block);
bool moves_add(struct moves *m, const struct move *move);
bool moves_copy(struct moves *to, const struct moves *from);

/* search_window.c */
void *search_grow(struct hs_code_search *e, void *array, size_t *room, size_t need, size_t item);
bool items_put(struct hs_code_search *e, struct items *items, const struct hs_block *b,
               uint8_t flags);
/* Decode up to @n bytes of trace from number @in on, into @items.  *taken: how many were
 * decoded. */
enum hs_status window_feed(struct hs_code_search *e, struct items *items, uint64_t in, size_t n,
                           size_t *taken);
/* Note the uses of the items from @from on, and count blocks. */
void window_note_uses(struct hs_code_search *e, struct items *items, struct uses *uses, size_t from,
                      uint32_t piece);
/* Save the decoder as the start of the piece after the last one. */
bool window_save_head(struct hs_code_search *e);
static inline struct piece *window_head(const struct hs_code_search *e)
{
	return &e->window.pieces[e->window.piece_count];
}
/* Forget the pieces from @piece on, which becomes the head. */
void window_cut(struct hs_code_search *e, size_t piece);
/* Forget what was given out, but for KEPT pieces. */
void window_trim(struct hs_code_search *e);
/* How many bytes a piece at @in may have at most. */
size_t window_piece_size(const struct hs_code_search *e, uint64_t in);
bool window_is_lost(const struct hs_code_search *e, uint64_t in);

/* search_trial.c */
enum outcome {
	REJECTED, /* the trace contradicts the guess */
	MERGED,   /* at a piece of the window the decoder is in the state that is saved there */
	OPEN      /* neither, up to the limit of the trial */
};

struct trial {
	struct guess guess; /* trial_explore() may add moves */
	size_t from, to;    /* first piece; MERGED: at which piece */
	uint64_t limit;     /* byte of trace at which it ends */
	size_t merge_from;  /* the first piece at which it may be MERGED */
	bool keep;          /* the window's later moves of the view are made, too */
};

/* Does a reason contradict the code, so that another version may avoid it? */
bool trial_contradicts(enum hs_reason reason);
/* The byte of trace @bytes after @in, or its end. */
uint64_t trial_limit(const struct hs_code_search *e, uint64_t in, uint64_t bytes);
/* The move that makes a use have version @to.  It is made one block before the use, unless that
 * block used the site as well: decoders look at code ahead of the flow, such as whether a branch is
 * at the address that a packet names. */
struct move trial_move(const struct hs_code_search *e, const struct use *u, unsigned to);
/* The earliest block at which the move can be made: after the site's use before it, and not before
 * the piece.  That can lead elsewhere, because code at a packet's address decides whether a return
 * on the way failed (ET Format 2 irreport). */
uint64_t trial_early_block(const struct hs_code_search *e, const struct view *v,
                           const struct move *m, size_t piece);
/* The items of a view, by their place in @items.  @at: the current view before item @from. */
size_t trial_pick(struct hs_code_search *e, struct items *items, size_t from, size_t to,
                  struct view *at, const struct view *v, struct picks *out);
/* From which piece to decode again so that a move at @block can be made: the last one that begins
 * before the block. */
size_t trial_start(const struct hs_code_search *e, const struct view *v, uint64_t block,
                   size_t piece);
enum outcome trial_run(struct hs_code_search *e, struct trial *t);
/* Run a trial, then depth first all that add a move at one of its later uses, until MOVES or the
 * budget.  @leaf is called for each one that the trace does not contradict; it returns true to
 * stop. True: stopped, or e->trial.incomplete. */
typedef bool trial_leaf(struct hs_code_search *e, struct trial *t, enum outcome found);
bool trial_explore(struct hs_code_search *e, struct trial *t, trial_leaf *leaf);
/* Before trials: keep the moves of the head. */
void trial_begin(struct hs_code_search *e);
/* After trials: put decoder and views back to the head. */
void trial_end(struct hs_code_search *e);
/* The guess is what happened: cut the window where it begins. */
void trial_adopt(struct hs_code_search *e, const struct trial *t);

/* search_fix.c: the last piece ends with a contradiction: find moves that avoid it.  True: found,
 * and the window is cut there.  False: there are none, and the error stands. */
bool decide_fix(struct hs_code_search *e);
/* search_judge.c: try later versions at each use of a piece, and mark the items that are in
 * dispute. */
void decide_uses(struct hs_code_search *e, size_t piece);

#endif
