/* What the commands share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_TOOL_H
#define HS_TOOLS_HARTSCOPE_COMMON_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <hartscope/encode.h>
#include <hartscope/ingress.h>
#include <hartscope/source.h>
#include <hartscope/transport.h>

#include "common/options.h"
#include "common/read.h"

/* Exit status. */
enum { EXIT_GOOD = 0, EXIT_FINDINGS = 1, EXIT_USAGE = 2, EXIT_DAMAGED = 3 };

#define COMMAND(name, help, group) int cmd_##name(int argc, char **argv);
#include "commands/commands.def"
#undef COMMAND

/* ---- words ------------------------------------------------------------------------- */

/* input.c: an operand that may be a pipe, which becomes standard input, or a file where it is a
 * perf.data.
 * @return  EXIT_GOOD, or an exit status after a complaint. */
int input_open(const char **path);

/* What may be meant by a word that is no name: the nearest of those that were tried, if it is near
 * (message.c).  The text is " (did you mean 'NAME'?)" or "". */
struct guess {
	const char *wanted, *best;
	unsigned distance;
	char text[128];
};
void guess_try(struct guess *g, const char *name);
const char *guess_text(struct guess *g);

/* --source (parts.c): the sources as the library takes them; what encode writes. */
struct parts {
	struct hs_source_part list[PARTS_MAX];
	struct hs_trace_params *params[PARTS_MAX];
	char *text[PARTS_MAX];
	size_t count;
};
enum hs_status parts_open(const struct options *o, struct parts *p, struct hs_error *e);
enum hs_status parts_take(const char *const *words, size_t count, bool framed, struct parts *p,
                          struct hs_error *e);
void parts_close(struct parts *p);
bool part_of_output(const char *text, uint8_t *id, const char **path);

/* --registers (registers.c): print on stderr which registers give parameters; print all on
 * stdout. */
void registers_note(const char *path);
int registers_show(const char *path, bool json);

/* --itc (itc.c): a file for the text of a channel; without the option nothing is written.
 * False, after a complaint: it cannot be. */
struct itc_output {
	FILE *file;
	struct new_file *to;
	unsigned channel;
};
bool itc_open(struct itc_output *itc, const char *text);
void itc_put(struct itc_output *itc, uint64_t tag, uint64_t data);
void itc_put_message(struct itc_output *itc, const struct hs_message *m);
void itc_put_blocks(struct itc_output *itc, const struct hs_block *b, size_t n);
bool itc_close(struct itc_output *itc);

/* ---- sources and flows (open.c) ------------------------------------------------- */

/* The parameters of a trace by the options, and from TRACE.json next to @trace, which may be
 * NULL. */
enum hs_status read_params(const struct options *o, const char *trace,
                           struct hs_trace_params **params, struct hs_error *e);
/* Open @path by the options. */
enum hs_status open_source(const struct options *o, const char *path, struct hs_source **source,
                           struct hs_error *e);
/* The same before it is opened for good: its notes are printed then. */
enum hs_status open_for_a_look(const struct options *o, const char *path, struct hs_source **source,
                               struct hs_error *e);
/* Read only the range of the options from the start of a source of @path, or from a place of its
 * index.  open_source() does it. */
enum hs_status range_set(const struct options *o, const char *path, struct hs_source *source,
                         struct hs_error *e);
/* Complain where the trace describes its encoder otherwise than the parameters. */
void note_discovery(const struct hs_source *source);
/* Complain about files whose names are not used, and files of the guest that were refused. */
void note_guest(struct hs_source *source);
/* Complain about sources that were wanted since, and may not be shown. */
void note_hidden_sources(struct hs_source *source);
/* What the options say of a recording: which blocks, and names. */
struct hs_source_options recording_options(const struct options *o, const char *path);
/* Open the first argument; NULL after a complaint, and *status is the exit status. */
struct hs_source *open_argument(const struct options *o, int *status);
/* Are the bytes of this source those of one file?  Not of a pipe, whose messages are shown when
 * they come, several captures, a perf.data, or a transport. */
bool is_one_stream(const struct hs_source *source, const char *path);

/* ---- messages (message.c) ----------------------------------------------------- */

/* "hartscope: ..." on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Report a failure and give its exit status. */
int fail(const struct hs_error *e);

/* Exit status of a status. */
int exit_of(enum hs_status s);

/* Damage in a stream: the first errors are shown, all are counted. */
#define DAMAGE_SHOWN 10
#define REASONS 64
/* How the top bits of addresses may be read (hint_address.c). */
#define ADDRESS_EXTENSIONS 5
struct address_hint {
	uint64_t missed; /* addresses without code */
	uint64_t hits[ADDRESS_EXTENSIONS];
};
struct damage {
	bool silent; /* they are only counted */
	uint64_t count;
	uint64_t late; /* of them, shown after the first ones */
	bool hinted;   /* what helps was said, as by an error of the whole input */
	uint64_t nothing; /* what was asked for and is not there (HS_E_NOTHING); not in count */
	bool empty;       /* of the range nothing is there */
	uint64_t by_reason[REASONS]; /* enum hs_reason */
	struct address_hint addresses;
	struct {
		struct hs_error error;
		enum hs_reason reason; /* HS_REASON_NONE: not an error of a decoder */
	} first[DAMAGE_SHOWN];
};
/* Is there no result to print or to write?  As JSON it is one with zeros. */
bool nothing_to_show(const struct damage *d, bool json);
void damage_add(struct damage *d, const struct hs_error *e, enum hs_reason reason);
/* So many blocks have code that is not known (run.c). */
void note_unmapped(uint64_t blocks, struct damage *damage);
/* The input is not whole: the exit status is 3 where it would be 0.  @why is shown where
 * nothing else was. */
void note_incomplete(const char *why);
bool input_is_incomplete(void);
/* Did complain() say something? */
bool has_complained(void);
void explain_incomplete(void);
/* Is a recording complete, and a trace the one that its TRACE.json describes?  A circular buffer
 * (of @o, which may be NULL) is a part of it.  If not, say so and note_incomplete(); of a trace
 * with @o->reads_all, what only its checksum shows is said by verify_end(), after its last item. */
void verify_source(const struct options *o, struct hs_source *source, const char *path);
/* The same of what parts are merged of, after their errors. */
void verify_merged(void);
void verify_end(struct hs_source *source);
/* Could the system not read some of the input (an I/O error, no memory)?  What was made of the rest
 * does not replace anything. */
bool input_was_unread(void);
/* Is it such an error? */
bool is_unread(enum hs_status s);
/* Say that @e made some of the input unread. */
void note_unread(const struct hs_error *e);
/* The same where there was no memory for a part of what is printed. */
void note_out_of_memory(void);
/* Of a source.  That it holds no trace is also shown after many others. */
void damage_add_of(struct damage *d, const struct hs_error *e, const struct hs_source *source);
int damage_exit(const struct damage *d); /* also prints how many were not shown, and a hint */
void damage_hint(const struct damage *d); /* (hint.c) */
/* Few errors, which all say that an address has no code: which one, and what gives it some. */
bool hint_of_missing(const struct damage *d);
/* Of an error for want of code; a line that says how they would have been in it.  @return  Is it
 * known? */
void hint_add_address(struct address_hint *h, const struct hs_source *source);
bool hint_of_address(const struct address_hint *h);

/* A recording or a flow?  refuse_recording() prints that it is one, and @why it will not do. */
bool is_recording(const char *path);
bool refuse_recording(const char *path, const char *why);

/* A line of what kind of file it is, if that is known.  @return  Is it? */
bool hint_of_kind(const char *path);

/* The same where hardly anything in it reads as messages, or else what identify is for. */
void hint_of_file(const char *path);

/* Why a function that nobody ran may have no name of its own. */
void hint_of_inlined(struct hs_program *program, const char *name);
/* A line where so many of all messages cannot be read that damage hardly explains it, and where
 * most errors are contradictions to the program. */
void hint_of_unread(uint64_t errors, uint64_t messages);
void hint_of_contradictions(uint64_t contradictions, uint64_t errors);
/* As hint_of_file() where no instruction came of it. */
void hint_of_nothing(const char *path);

/* Report a failure, and the kind of @path if it has no such format; gives the exit status. */
int fail_file(const char *path, const struct hs_error *e);

/* An error where @path is no file that could be a trace: missing, empty or of another kind. */
enum hs_status refuse_file(const char *path, struct hs_error *e);

/* hartscope info of a perf.data (info_perf.c). */
int info_perf(const char *path, bool json);
/* Of a capture (info_capture.c). */
int info_capture(const char *path, bool json);
/* Is it a program, or nothing that can be opened? */
bool info_is_program(const char *path);

/* Output on a terminal (terminal.c).  Is @f one, maybe through a pager? */
bool terminal_is(FILE *f);
/* Columns of the terminal. */
unsigned terminal_width(void);
/* Is colour wanted on @f: by --color, or is it a terminal, and NO_COLOR not set? */
bool wants_colour(FILE *f);
/* Names are to be short: on a terminal, without --long-names. */
bool wants_short_names(FILE *f);
/* A name without template arguments, parameters and the type before it. */
void short_name(char *to, size_t size, const char *name);
/* help capture (help_capture.c): its exit status. */
int help_capture(void);
/* On a terminal, send standard output through $PAGER, or less, until the end. */
void pager_start(void);
/* What a table of calls lacks: where stacks are not sure, and what did not fit (report.c). */
void note_calls(const struct hs_call_tree_result *calls);
/* Thousands in groups, so that people can read them; of at least @width characters (report.c). */
const char *number_grouped(uint64_t v, unsigned width, char text[32]);
/* What was to be written could not be: the exit status is EXIT_USAGE, whatever else happened. */
void note_unwritten(void);
bool output_is_unwritten(void);
/* Where a pager has the terminal, keep @text for standard error until its end.  False: none has. */
bool terminal_keep(const char *text);

/* Progress on stderr, if that is a terminal, for work that takes over two seconds. */
struct progress {
	double start, shown;
	bool on, visible;
};
void progress_start(struct progress *p, bool quiet);
void progress_show(struct progress *p, const char *what, uint64_t done, uint64_t total);
void progress_end(struct progress *p);

/* Index of a hart in a list of numbers; @count: it is not there. */
uint32_t hart_index(const uint32_t *harts, uint32_t count, uint32_t hart);

/* ---- captures (transport.c) --------------------------------------------------------- */

/* Print on stderr how the bytes of a trace came, unless they are plain. */
void capture_note(const struct hs_source *source);

/* ---- a queue after an encoder (options_queue.c) -------------------------------------- */

/* What --queue, --drain, --stall and --options-at say. */
struct queue_options {
	bool given, drain_given, stall;
	uint64_t bytes;
	uint32_t drain_bits, drain_cycles;
	struct hs_encode_change changes[SETTINGS_MAX]; /* in order of time */
	size_t change_count;
};

/* ---- reports (report.c) --------------------------------------------------------- */

/* Data as aligned text or as JSON, from the same calls. */
struct report {
	FILE *f;
	bool json;
	unsigned depth;
	bool comma[8]; /* by depth: an item precedes the next one */
	bool row;      /* text: inside a row of a table */
};
void report_begin(struct report *r, FILE *f, bool json);
void report_end(struct report *r);
void report_text(struct report *r, const char *key, const char *label, const char *value);
/* A name in a longer text of a report: short or not, as its members are; @text has room for it. */
#define NAME_SHOWN 1024
const char *name_in_text(const struct report *r, const char *name, char text[NAME_SHOWN]);
/* A count, a time or a size; in JSON a number, also above 2^53 (design/output). */
void report_u64(struct report *r, const char *key, const char *label, uint64_t value);
void report_u32(struct report *r, const char *key, const char *label, uint32_t value);
void report_hex(struct report *r, const char *key, const char *label, uint64_t value);
/* What a field or register has, which may be any bits: in JSON a string of decimal digits. */
void report_value(struct report *r, const char *key, uint64_t value);
void report_real(struct report *r, const char *key, const char *label, double value,
                 const char *unit);
/* The same with four decimal places in rows. */
void report_fine(struct report *r, const char *key, const char *label, double value);
/* The file that has some code: a column of a row, "[libc.so.6]", where it is not the program's own;
 * in JSON its member "library".  @path may be NULL. */
void report_library(struct report *r, const char *path, bool own);
/* The same of one of two functions of a row; in JSON "callerLibrary" where @what is "caller". */
void report_library_of(struct report *r, const char *what, const char *path, bool own);
void library_text(const char *path, char *text, size_t size);
void report_bool(struct report *r, const char *key, const char *label, bool value);
/* A list of objects; in text it has a title, and everything between report_row() and
 * report_row_end() is one line. */
void report_list(struct report *r, const char *key, const char *title);
void report_list_end(struct report *r);
void report_row(struct report *r);
void report_row_end(struct report *r);

/* Who runs (who.c). */
struct who {
	const struct hs_guest_task *task; /* NULL: only the context is known */
	uint64_t context;
	bool has_context;
};
/* "sh (pid 71)", "context 0x80a12" or "no context". */
void who_text(const struct who *w, char *text, size_t size);
/* The same as a column of a row; as JSON also its parts. */
void who_report(struct report *r, const struct who *w);
/* The signal that ended a recorded program; 0: none did. */
uint32_t died_of(const struct hs_rec_info *info);
/* The signal of a fault that ended the program of a recording; 0: none did. */
uint32_t end_signal(const struct hs_source *source);
/* "load page fault", "interrupt 26" or "system call 64 (write)"; 96 bytes are enough. */
void trap_name(const struct hs_trap_kind *k, char *text, size_t size);
/* Where it leads: a function, or that it is not in the flow. */
const char *trap_handler(const struct hs_trap_kind *k);
/* A trap's modes, cause and handler as columns of a row; a table of kinds of traps (traps.c). */
void trap_kind_report(struct report *r, const struct hs_trap_kind *k);
void traps_report(struct report *r, const struct hs_traps_result *t, uint64_t top);
/* "U", "VS" and so on; "unknown". */
const char *mode_name(unsigned priv);

/* What a command makes of a source: @job gets it open, with the names of functions and the versions
 * of code, and returns an exit status. */
typedef int (*source_job)(void *to, struct hs_source *source, const struct options *o,
                          struct damage *damage);
/* Open the first argument, run @job and close the source (open.c).  Exit status: that of damage in
 * the source where there was any, else that of @job. */
int with_source(struct options *o, source_job job, void *to);

/* The first errors, in a report as JSON. */
void damage_report(struct report *r, const struct damage *d);

/* The same as capture_note(), in a report. */
void capture_report(struct report *r, const struct hs_source *source);
/* Which versions of code were found, where code of several moments was given. */
void versions_report(struct report *r, const struct hs_source *source);
/* Each change that was taken, and each place where more than one version fitted. */
void versions_lists(struct report *r, const struct hs_source *source);

/* Write all of @n bytes to standard output or a file; false, with a complaint, if it cannot. */
bool write_all(int fd, const void *bytes, size_t n);

/* Give a pipe that much is written to more room, where the system has it: its two ends wait less
 * for each other.  Anything else stays as it is. */
void widen_pipe(int fd);

/* A path without its folders. */
const char *path_base(const char *path);

/* The stem of a path with another ending: "x.rec" and ".nt" give "x.nt". Freed by the caller. */
char *with_ending(const char *path, const char *old, const char *ending);

#endif
