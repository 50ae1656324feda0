/* What the files of this room share. */
#ifndef HS_EXEC_LOG_PRIVATE_H
#define HS_EXEC_LOG_PRIVATE_H

#include "core/text.h"
#include "ingress/log_lines.h"
#include "inputs/exec_log.h"
#include "support/hash.h"

/* ---- columns (columns.c) ------------------------------------------------------------------ */

#define LOG_COLUMNS 128

struct log_columns {
	enum log_format format;
	uint8_t field[LOG_COLUMNS]; /* enum log_field; F_COUNT: none */
	unsigned count;             /* 0: the line with the names did not come yet */
	bool pairs;                 /* NAME=VALUE */
	bool refused;               /* it came, and names no columns that are needed */
	bool driven;                /* a row said whether something retired */
};

/* A line.  LOG_NO: it has the names of the columns, or nothing. */
enum log_match log_columns_match(struct log_columns *c, const struct base_text *line,
                                 struct log_fields *f, struct log_refusal *why);

/* ---- code (code.c) ------------------------------------------------------------------------ */

#define LOG_PAGE 256         /* bytes: a log may have opcodes at addresses far apart */
#define LOG_PAGES (1u << 20) /* of code, at most */
#define LOG_VERSIONS (1u << 20)

struct log_page {
	uint64_t start;
	uint8_t bytes[LOG_PAGE];
	uint8_t known[LOG_PAGE / 8];
};

/* A page of the code, as it was first (owner 0), or as a hart has it. */
struct log_page_slot {
	uint64_t start, owner;
	struct log_page *page;
};

/* Another opcode at an address. */
struct log_version {
	uint64_t pc;
	uint8_t bytes[HS_INSN_MAX];
	uint64_t n;
};

struct log_piece {
	uint64_t start, size;
};

struct hs_seen_code {
	const struct hs_image *program;
	struct support_hash pages;    /* struct log_page_slot */
	struct support_hash versions; /* struct log_version */
	struct log_piece *fresh;      /* what was seen first, and was not asked for yet */
	size_t fresh_count, fresh_room, fresh_next;
	struct log_page *cached; /* of cached_owner */
	uint64_t cached_owner;
	struct hs_seen_code_stats stats;
};

enum log_seen { LOG_SAME, LOG_CHANGED, LOG_NO_MEMORY };

void log_code_init(struct hs_seen_code *c, const struct hs_image *program);
void log_code_free(struct hs_seen_code *c);
/* The hart with number @owner, from 1, executes @n bytes at @pc.  LOG_CHANGED: they are others than
 * before, and *number is their version. */
enum log_seen log_code_see(struct hs_seen_code *c, uint64_t owner, uint64_t pc,
                           const uint8_t *bytes, size_t n, uint32_t *number);
/* The code at @pc, as a hart has it; false: unknown. */
bool log_code_get(struct hs_seen_code *c, uint64_t owner, const struct hs_isa *isa, uint64_t pc,
                  uint8_t bytes[HS_INSN_MAX], struct hs_insn *insn);

/* ---- harts (hart.c) ----------------------------------------------------------------------- */

/* An instruction of a log. */
struct log_insn {
	uint64_t pc;
	uint8_t bytes[HS_INSN_MAX];
	struct hs_insn insn;
	bool coded; /* bytes are from the log */
	uint8_t priv;
	bool timed;
	uint64_t time;
};

struct log_trap {
	uint64_t epc, tval;
	uint32_t cause;
	bool interrupt, no_cause, no_epc;
	bool have_caller;
	struct log_insn caller; /* the instruction at epc, when have_caller */
};

/* A translated block of QEMU that is running. */
struct log_running {
	bool have;
	uint64_t pc, flags;
};

/* An instruction that Spike shows once, and then says how often it ran. */
struct log_again {
	struct log_insn insn;
	uint64_t seen;  /* how often the log has it */
	unsigned traps; /* after it */
	bool have;
};

/* CSRs that a trap writes (Whisper). */
struct log_csrs {
	uint64_t cause, tval;
	bool have_epc, have_cause, interrupted;
};

struct log_hart {
	struct hs_builder builder;
	uint32_t id;
	uint64_t owner;
	struct log_trap trap;   /* waits for what else its lines say, when have_trap */
	struct log_insn pending; /* fetched, and may retire, when have_pending */
	struct log_insn last;   /* retired last, when have_last */
	struct log_insn branch; /* retired, and waits for what follows, when have_branch */
	bool have_trap, have_pending, have_last, have_branch;
	bool has_commits;                   /* the log says what retired, too */
	bool pending_done, pending_faulted; /* the log has it as done; then, that it faulted */
	struct log_again repeating;
	struct log_csrs csrs; /* of the instruction that was shown */
	uint64_t order, next; /* next: where it led to by the log, when have_next */
	bool have_order, have_next;
	struct log_running running;
};

#define LOG_HARTS 4096

static inline bool log_is_call(const struct log_insn *i)
{
	return i->insn.kind == HS_INSN_ECALL || i->insn.kind == HS_INSN_EBREAK;
}

/* ---- the reader (exec_log.c) -------------------------------------------------------------- */

#define LOG_LINE 4096
#define LOG_RUN 4096          /* most bytes of a translated block that are kept */
#define LOG_BLOCKS (1u << 20) /* of QEMU that are kept; then they are read anew */

/* Executions of an instruction that are still to be passed on. */
struct log_repeat {
	struct log_hart *hart;
	struct log_insn insn;
	struct log_trap trap; /* came after them, when have_trap */
	bool have_trap;
	uint64_t left;
};
#define LOG_TIMES_MAX (UINT64_C(1) << 32)

/* The code of a block that QEMU translated, and that did not run yet. */
struct log_translated {
	uint64_t pc, priv;
	size_t n;
	uint8_t *bytes;
};
#define LOG_TRANSLATED 1024 /* at most; then the oldest is dropped */

/* A translated block of QEMU, with its code. */
struct log_block {
	uint64_t pc, flags;
	uint64_t n;
	uint64_t priv;
	uint8_t *bytes;
};

/* The state of RVVI-TEXT (rvvi.c). */
struct log_rvvi {
	uint64_t hart, cycle, time;
	struct log_fields event; /* waits for the end of its line, when have */
	bool have, trap, timed_by_cycles;
	bool after;   /* MODE and VIRT are those after the event */
	uint8_t priv; /* then, before it */
};

/* The binary form of a log: records in place of lines (binary.c). */
struct log_binary {
	enum { LOG_UNDECIDED, LOG_TEXT, LOG_RECORDS } form;
	unsigned stage; /* of ReTrace: what comes next */
	uint8_t pc_bytes, version;
	bool opcodes;
	bool broken;    /* where records begin is not known any more */
	unsigned words; /* of a row of TracerV; 0: not known */
	uint8_t raw[LOG_LINE];
	size_t n, at; /* bytes in raw, and where the record begins */
};

struct hs_exec_log {
	enum log_format format;
	unsigned flags;
	struct hs_isa isa;
	struct log_patterns patterns;
	struct log_columns columns;
	struct hs_seen_code code;
	struct log_rvvi rvvi;
	struct log_hart **harts;
	uint32_t hart_count;
	struct log_hart *current; /* that the line before was of */
	struct log_hart *reported;
	struct { /* blocks that were not taken yet */
		struct hs_block *at;
		size_t n, taken, room;
	} out;
	bool no_memory;
	struct {
		char text[LOG_LINE];
		size_t n;
		bool long_;           /* the rest of it was dropped */
	} carry;                      /* the beginning of a line */
	struct {
		uint64_t offset, next_offset; /* of the line, and of the one after it */
	} place;
	struct support_hash blocks;   /* struct log_block */
	struct {
		uint64_t pc;
		uint64_t priv;
		size_t n;
		bool have;
		uint8_t bytes[LOG_RUN];
	} in; /* the block that QEMU translates */
	struct {
		struct log_translated *translated;
		size_t translated_count, translated_room;
	} qemu;
	struct log_repeat repeat;
	struct log_binary binary;
	bool marks;                    /* the log marks what trapped, and handlers (Ibex) */
	bool times_decimal, times_hex; /* counts were taken as such */
	struct hs_exec_log_stats stats;
	struct base_text line;
};

/* What stats.lines counts, for messages. */
static inline const char *log_item(const struct hs_exec_log *l)
{
	return l->binary.form == LOG_RECORDS ? "record" : "line";
}

/* The hart with a number; NULL: too many, a number that no recording has, or no memory. */
struct log_hart *log_hart_of(struct hs_exec_log *l, uint64_t id);
/* The line names such a hart: HS_E_UNSUPPORTED. */
enum hs_status log_refuse_hart(const struct hs_exec_log *l, struct hs_error *e);
void log_retire(struct hs_exec_log *l, struct log_hart *h, const struct log_insn *i);
void log_trap(struct hs_exec_log *l, struct log_hart *h, const struct log_trap *t);
/* Pass on the trap that waits. */
void log_finish_trap(struct hs_exec_log *l, struct log_hart *h);
/* The line is damaged, or blocks are missing before it: end what is open with a gap. */
void log_gap(struct hs_exec_log *l, struct log_hart *h, enum hs_status why);
void log_flush_hart(struct hs_exec_log *l, struct log_hart *h);
/* The instruction that waits has retired, unless the log has commits, too. */
void log_retire_pending(struct hs_exec_log *l, struct log_hart *h);
/* Pass on some of the executions that are left. */
void log_repeat(struct hs_exec_log *l);
bool log_explains(const struct hs_exec_log *l, const struct log_insn *last, uint64_t next);

/* An instruction that waits; @ran: the log has it as done. */
static inline void log_show(struct log_hart *h, const struct log_insn *i, bool ran)
{
	h->pending = *i;
	h->have_pending = true;
	h->pending_done = ran;
}

/* lines of the log (take.c, done.c, times.c, qemu.c, rvvi.c) */
void log_take_done(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                   const struct log_insn *i);
/* Whisper (whisper.c): a line of an instruction, which may have several; the last one's end. */
void log_take_whisper(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                      const struct log_insn *i);
void log_end_whisper(struct hs_exec_log *l, struct log_hart *h);
enum hs_status log_take_times(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                              struct hs_error *e);
enum hs_status log_take(struct hs_exec_log *l, enum log_action action, const struct log_fields *f,
                        struct hs_error *e);
/* The instruction of a line.  HS_E_FORMAT, HS_E_NOCODE after log_refuse(). */
enum hs_status log_insn_of(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                           struct log_insn *i, struct hs_error *e);
uint64_t log_hart_id(const struct log_fields *f);
/* A blank line, which ends the code of a block. */
void log_qemu_blank(struct hs_exec_log *l);
enum hs_status log_qemu_take(struct hs_exec_log *l, enum log_action action,
                             const struct log_fields *f, struct hs_error *e);
/* End the block that runs.  @trap: an exception at @next, which did not retire. */
enum hs_status log_qemu_finish(struct hs_exec_log *l, struct log_hart *h, const uint64_t *next,
                               bool trap, struct hs_error *e);
void log_qemu_free(struct hs_exec_log *l);
enum hs_status log_rvvi_line(struct hs_exec_log *l, struct hs_error *e);
/* May the log be binary?  Takes its first bytes from @in; of a text they become l->carry. */
bool log_is_binary(struct hs_exec_log *l, struct hs_span *in);
/* The next record, in l->line; false: it is not complete.  @end: no more bytes follow. */
bool log_next_record(struct hs_exec_log *l, struct hs_span *in, bool end);
enum hs_status log_take_record(struct hs_exec_log *l, struct hs_error *e);
enum hs_status log_end_records(struct hs_exec_log *l, struct hs_error *e);
/* How many records of the format do the first bytes of a log have? */
unsigned log_probe_records(enum log_format format, const struct hs_span *first, uint8_t *xlen);
/* Is a line of RVVI-TEXT?  *xlen is set by PARAMS. */
enum log_match log_rvvi_match(const struct base_text *line, uint8_t *xlen);
enum hs_status log_column_take(struct hs_exec_log *l, const struct log_fields *f,
                               struct hs_error *e);

/* An error of the current line. */
enum hs_status log_refuse(const struct hs_exec_log *l, const struct log_refusal *why,
                          enum hs_status s, struct hs_error *e);
enum hs_status log_refuse_field(const struct hs_exec_log *l, const char *expected,
                                struct hs_error *e);

/* Privilege by mcause-like numbers and letters: enum hs_priv. */
static inline uint8_t log_priv(const struct log_fields *f)
{
	if (!log_has(f, F_PRIV) && !log_has(f, F_MODE))
		return HS_PRIV_UNKNOWN;
	const uint64_t p = f->v[log_has(f, F_PRIV) ? F_PRIV : F_MODE];

	if (p == 2 && log_has(f, F_PRIV))
		return HS_PRIV_UNKNOWN;
	return (uint8_t)(p | (log_has(f, F_VIRT) && f->v[F_VIRT] ? 4u : 0));
}

/* ---- a log ------------------------------------------------------------------------------ */

/** hs_seen_code_version() of the log's code, with the reader as @of. */
enum hs_status hs_exec_log_code(void *log, uint32_t number, struct hs_section *code);

#endif
