/* What the files of this room share: views of sources, the window of trace, trials.
 *
 * The decoder runs ahead by a window of pieces of trace, each of which begins with a copy of what
 * the decoder knew.  A trial puts one of these copies back, lets sites change at other blocks, and
 * decodes again.
 */
#ifndef HS_CODE_SEARCH_PRIVATE_H
#define HS_CODE_SEARCH_PRIVATE_H

#include <hartscope/protocol.h>

#include "trace/codec.h"
#include "trace/search_sites.h"

#define PIECE 128u                  /* bytes of trace */
#define AHEAD (48u * PIECE)         /* bytes that must fit after a change, if so many follow */
#define KEPT 8u                     /* pieces that were given out and can still be gone back to */
#define ITEMS_MAX ((size_t)1 << 18) /* of a piece: a message may stand for many */
#define BLOCKS (1u << 18)           /* basic blocks that a view remembers */
#define MOVES 16u                   /* changes that are tried together */

/* A site takes another version before a block. */
struct move {
	uint64_t block; /* number of the source's */
	uint32_t site;
	uint8_t from, to;
};

struct moves {
	struct move *v;
	size_t n, room;
};

/* What a source finds: its own copy of the code. */
struct view {
	struct view *next_view;
	uint32_t src, index;
	struct hs_image image;
	struct hs_section *sections;
	uint8_t *bytes;
	struct hs_bb_table table;
	void *memory;
	uint8_t *version;        /* of each site */
	uint64_t *proven;        /* of each site: no later version was taken before this block */
	struct moves done, plan; /* made, the last one last; to be made, in their order */
	struct moves kept;       /* those of the head, during trials */
	size_t planned;          /* of the plan: the next */
	uint64_t counted;        /* blocks, up to the moment that the guide last named */
	uint64_t until;          /* blocks from there to the next move of the plan */
	uint64_t blocks;         /* that are in items */
	uint64_t doubt;          /* bytes of trace up to which its flow is in dispute */
	bool doubt_until_sync;
	uint64_t doubt_from;
	uint64_t left_out;   /* blocks up to which it was given up: nothing compares them */
	bool in_gap;         /* of what was given out */
	uint64_t suspect[2]; /* left out before a gap, by enum hs_unseen */
	uint64_t given;      /* blocks, even where a gap stands for them */
};

/* A site was executed while later versions of it were to come. */
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

/* What is to be given out: also a flag for each. */
struct items {
	struct hs_block *v;
	uint8_t *flags; /* enum item_flag */
	size_t n, room, flag_room;
	struct view *view; /* of the last hart that was named */
};

enum item_flag {
	ITEM_DISPUTED = 1, /* a gap stands for it */
	ITEM_GAP = 2,      /* a gap stands before it */
	ITEM_SUSPECT = 4   /* the gap that follows stands for it */
};

/* What is known of a view at the start of a piece. */
struct stand {
	uint64_t blocks;
	struct hs_code_place place;
	bool known;
};

struct piece {
	uint64_t in;      /* first byte of trace */
	size_t bytes;     /* of it; the last piece of the window, the head, has none yet */
	size_t item, use; /* of its first */
	uint8_t *state;   /* of the decoder before it */
	size_t state_room;
	struct stand *stands; /* of views by index */
	size_t stand_room;
	struct view *view;     /* current one */
	bool fresh;            /* nothing is open before it */
	bool lost;             /* input is missing before it */
	bool more;             /* its last message gives more than there was room for */
	bool settled;          /* there is no other way round its error */
	enum hs_status status; /* error that ended it */
	struct hs_fault fault;
};

/* What a trial changes. */
struct guess {
	struct view *view;
	struct move moves[MOVES];
	unsigned count;
};

/* Items by their number. */
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
		struct picks mine, other;
		size_t differ_head,
			differ_tail; /* of mine and other: how many are equal at both ends */
		bool differs;        /* anything of them */
		unsigned budget;     /* runs that may still be made */
		bool incomplete;     /* they did not suffice */
		bool rival;          /* something fits */
		struct trial *fit;   /* while fixing: where the guess that fits is written */
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
	uint64_t *disputes; /* of each site */
	bool no_memory;
};

/* search_view.c */
enum hs_status views_init(struct hs_code_search *e);
void views_free(struct hs_code_search *e);
struct view *view_find(const struct hs_code_search *e, uint32_t src);
/* Unmake the moves from a block on, and those that the head does not have; make a plan from there
 * on. */
void view_go_back(struct hs_code_search *e, struct view *v, uint64_t block);
bool view_plan(struct view *v, const struct move *m);
/* Let the decoder ask when the next move is due. */
void view_arm(struct hs_code_search *e, struct view *v);
/* The version of a site when the view executed a block. */
unsigned view_version_at(const struct view *v, uint32_t site, uint64_t block);
bool moves_add(struct moves *m, const struct move *move);
bool moves_copy(struct moves *to, const struct moves *from);

/* search_window.c */
void *search_grow(struct hs_code_search *e, void *array, size_t *room, size_t need, size_t item);
bool items_put(struct hs_code_search *e, struct items *items, const struct hs_block *b,
               uint8_t flags);
/* Decode bytes of trace into @items: up to @n from number @in on.  *taken: how many were. */
enum hs_status window_feed(struct hs_code_search *e, struct items *items, uint64_t in, size_t n,
                           size_t *taken);
/* Note which sites the items from @from on executed, and count blocks. */
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
/* Forget what was given out, but for some pieces. */
void window_trim(struct hs_code_search *e);
/* How many bytes a piece at @in may have at most. */
size_t window_piece_size(const struct hs_code_search *e, uint64_t in);
bool window_is_lost(const struct hs_code_search *e, uint64_t in);

/* search_trial.c */
enum outcome {
	REJECTED, /* the trace contradicts */
	MERGED,   /* from some piece on both flows are the same */
	OPEN      /* nothing contradicts, as far as the trial went */
};

struct trial {
	struct guess guess; /* as it ended: perhaps with more moves */
	size_t from, to;    /* pieces; to: where both are the same */
	uint64_t limit;     /* bytes of trace to look at */
	size_t merge_from;  /* the first piece before which they may be the same */
	bool keep;          /* moves of the view after those of the guess are made, too */
};

/* Where an execution can be changed: the last piece before its block begins. */
size_t trial_start(const struct hs_code_search *e, const struct view *v, uint64_t block,
                   size_t piece);
enum outcome trial_run(struct hs_code_search *e, struct trial *t);
/* Run a trial, and all that change more of what it executes.  @leaf is called where the trace does
 * not contradict; true: stop.  True: stopped, or e->trial.incomplete. */
typedef bool trial_leaf(struct hs_code_search *e, struct trial *t, enum outcome found);
bool trial_explore(struct hs_code_search *e, struct trial *t, trial_leaf *leaf);
/* Trials follow: remember the head. */
void trial_begin(struct hs_code_search *e);
/* Go back to the head as it was before trials. */
void trial_end(struct hs_code_search *e);
/* Let the guess be what happened: the window is cut there. */
void trial_adopt(struct hs_code_search *e, const struct trial *t);

/* search_decide.c */
bool decide_contradicts(enum hs_reason reason);
/* The last piece ends with an error: find other versions that avoid it. True: found, the window was
 * cut.  False: there are none, and the error stands. */
bool decide_fix(struct hs_code_search *e);
/* Compare what the sites of a piece did with the other ways; mark what is in dispute. */
void decide_uses(struct hs_code_search *e, size_t piece);

#endif
