/* The options of commands.  A row says how an option is called, what it takes, and where that is
 * kept; parsing, --help, completion, the pages and the sandbox read the same rows.  A command has a
 * struct of its own, which begins with struct options, and names its rows in groups. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_OPTIONS_H
#define HS_TOOLS_HARTSCOPE_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <hartscope/source.h>

#define SETTINGS_MAX 64
#define CODE_MAX 64
#define CUSTOM_MAX 16
#define GUEST_MAX 64
#define PARTS_MAX 32
#define ARGS_MAX 1024
#define JOB_PARTS_MAX 1000000u

/* ---- what all commands share -------------------------------------------------------- */

/* Values of an option that may be given several times, in their order. */
struct option_list {
	const char *at[SETTINGS_MAX];
	size_t count;
};

/* NAME=VALUE of such an option. */
struct option_settings {
	struct hs_setting at[SETTINGS_MAX];
	size_t count;
};

/* --from, --to, --last, --function, --around */
struct range_options {
	struct hs_range_options of;
	struct hs_position around;
	uint64_t last;
	const char *writes_to; /* --last counts these; NULL: not given */
	bool given; /* one of them */
};

/* --part, --parts, --work */
struct job_options {
	uint32_t part;    /* 0: none */
	uint32_t parts;   /* of --part, --parts; 0: neither */
	unsigned trace;   /* the argument that is cut into parts */
	const char *work; /* folder */
};

/* What options.params and options.source point to. */
struct option_store {
	struct option_list configs;      /* --config */
	struct option_settings settings; /* --set, --dialect */
	struct hs_code_file code[CODE_MAX];
	uint32_t moment; /* of the files of code to come: how many --then there were */
	struct hs_custom custom[CUSTOM_MAX];
	struct hs_guest_file guest[GUEST_MAX];
	struct hs_guest_clock guest_clock; /* in use with source.guest_clock */
	struct hs_name_options names;      /* in use with source.name_options */
	struct option_list debug_dirs, source_dirs;
	struct hs_selection select; /* in use with source.select */
	struct option_list only, only_threads;
	struct hs_clock_config clock; /* --cycles-per; in use with source.clock */
};

struct usage;

/* Begins the struct of each command.  It must not be copied: it points into itself. */
struct options {
	const struct usage *usage;
	const char *args[ARGS_MAX]; /* what is not an option */
	unsigned arg_count;
	char **rest; /* of a command with usage.rest: its operands, and all after them */
	const char *output;
	bool help, help_all, quiet, no_pager, allow_paths, no_sandbox;
	bool json, json_array;    /* --json, --json=array */
	bool automatic;           /* --auto */
	bool reads_all;           /* the command reads sources with a block_reader */
	uint64_t jobs;            /* --jobs */
	struct option_list parts; /* --source */
	struct range_options range;
	struct job_options job;
	/* What these options mean to the library. */
	struct hs_capture_options capture;
	struct hs_trace_params_options params;
	struct hs_source_options source;
	struct option_store store;
};

/* ---- rows ---------------------------------------------------------------------------- */

enum option_type {
	OPTION_FLAG,    /* bool */
	OPTION_TEXT,    /* const char * */
	OPTION_NUMBER,  /* uint64_t, at most row.arg, if that is not 0 */
	OPTION_LIST,    /* struct option_list, at most row.arg of them */
	OPTION_SETTING, /* struct option_settings */
	OPTION_PARSED,  /* what row.parse makes of the text */
};

/* What a command may reach because of an option's value (sandbox.c). */
enum option_reach {
	REACH_FILES,  /* files that are there */
	REACH_OUTPUT, /* OPTION_TEXT: this is written */
	REACH_SOCKET, /* OPTION_TEXT: a debugger connects to this */
};

struct completion;

struct option_row {
	const char *name;
	char letter;
	const char *value; /* NULL: a flag; "[=WORD]": it may be left out */
	const char *help;  /* one paragraph */
	enum option_type type;
	size_t offset; /* from the base of its group */
	/* False: after a complaint.  @to: at the offset.  @value: NULL where it is left out. */
	bool (*parse)(void *to, const struct option_row *row, char *value);
	uint64_t arg;
	/* What its value may be, for completion; a word may end with '=' or ':'. */
	const char *words;
	void (*offer)(const struct completion *c); /* what other tables have; NULL: nothing */
	enum option_reach reach;
};

/* Where a row keeps its value: the member of a struct, which has to be of the type. */
#define OPTION_AT(s, member, of) _Generic(&((s *)0)->member, of * : offsetof(s, member))
#define AS_FLAG(s, member) .type = OPTION_FLAG, .offset = OPTION_AT(s, member, bool)
#define AS_TEXT(s, member) .type = OPTION_TEXT, .offset = OPTION_AT(s, member, const char *)
#define AS_NUMBER(s, member, most) \
	.type = OPTION_NUMBER, .offset = OPTION_AT(s, member, uint64_t), .arg = (most)
#define AS_LIST(s, member, most) \
	.type = OPTION_LIST, .offset = OPTION_AT(s, member, struct option_list), .arg = (most)
#define AS_SETTING(s, member) \
	.type = OPTION_SETTING, .offset = OPTION_AT(s, member, struct option_settings)
#define AS_PARSED(s, member, by) .type = OPTION_PARSED, .offset = offsetof(s, member), .parse = (by)
/* The parser gets the whole struct. */
#define PARSED(by) .type = OPTION_PARSED, .parse = (by)

/* Rows that a command has: up to the one without a name, or the first ones of them. */
struct option_group {
	const struct option_row *rows; /* NULL: the end of the groups */
	size_t base;  /* what offsets of the rows count from, in the command's struct */
	size_t count; /* 0: all */
};
/* clang-format off */
#define ROWS(all) { .rows = (all) }
#define ROWS_AT(all, s, member) { .rows = (all), .base = offsetof(s, member) }
#define FIRST_ROWS(all, first) { .rows = (all), .count = (first) }
/* clang-format on */
#define OPTIONS(...) ((const struct option_group[]){ __VA_ARGS__, { .rows = NULL } })

/* How a command is used. */
struct usage {
	const char *name;
	const char *form;       /* arguments after the name */
	const char *text;       /* what it does, and what its own words mean; paragraphs */
	void (*list)(FILE *to); /* prints what else there is to say after the options; NULL */
	const char *example;    /* one line or more, each indented */
	const char *often;      /* the options that --help shows without --all; NULL: every one */
	const struct option_group *options; /* in the order of --help */
	unsigned min_args, max_args;
	bool rest;      /* all from the first operand on are operands */
	bool folder;    /* -o is a folder */
	bool next_to;   /* without -o it writes next to its argument */
	bool temporary; /* it needs temporary files */
};

/* A place in the rows of a command; before the first one, @row is NULL. */
struct option_place {
	const struct option_row *row;
	const struct option_group *group;
};
/* Go to the next row.  False: there are no more. */
bool option_next(const struct usage *u, struct option_place *at);
/* Has the command this option? */
bool option_has(const struct usage *u, const char *name);

/* ---- shared rows ------------------------------------------------------------------------ */

extern const struct option_row options_output[], options_json[], options_force[], options_quiet[];
extern const struct option_row options_general[]; /* --help, limits: of each command */
extern const struct option_row options_reading[]; /* the same, and of those that run confined */
extern const struct option_row options_terminal[];
/* options_trace.c */
extern const struct option_row options_protocol[]; /* --protocol, --set, --dialect */
extern const struct option_row options_config[];   /* --config, --registers */
extern const struct option_row options_transport[], options_samples[], options_auto[];
extern const struct option_row options_capture[]; /* --vcd-clock, --vcd-data, --wrap */
extern const struct option_row options_hart[], options_cycles[];
/* options_code.c */
extern const struct option_row options_code[], options_xlen[];
extern const struct option_row options_process[]; /* --process CONTEXT:FILE */
extern const struct option_row options_maps[];
extern const struct option_row options_guest[];
/* options_view.c */
extern const struct option_row options_names[], options_select[];
extern const struct option_row options_range[], options_around[]; /* range.c */
extern const struct option_row options_jobs[];                    /* jobs.c */
extern const struct option_row options_part[];                    /* job_part.c */

/* Rows of an only member, which is the base of the group. */
extern const struct option_row options_by[];      /* uint8_t: enum hs_profile_by */
extern const struct option_row options_top[];     /* uint64_t */
extern const struct option_row options_depth[];   /* uint64_t */
extern const struct option_row options_resolve[]; /* bool */
extern const struct option_row options_filter[];  /* struct hs_qualifier_config */
extern const struct option_row options_system[];  /* const char *: --system */
extern const struct option_row options_itc[];     /* const char *: --itc (itc.c) */
extern const struct option_row options_queue[];   /* struct queue_options: --queue, --drain,
                                                   * --stall, --options-at (options_queue.c) */

/* The groups of a command that reads traces, in the order of --help. */
#define OPTIONS_TRACE \
	ROWS(options_protocol), ROWS(options_config), ROWS(options_transport), \
		ROWS(options_samples), ROWS(options_auto), ROWS(options_capture), \
		ROWS(options_code), ROWS(options_process)
/* Of what ran on a guest, and which of it. */
#define OPTIONS_GUEST ROWS(options_guest), ROWS(options_names), ROWS(options_hart)
#define OPTIONS_VIEW ROWS(options_select), ROWS(options_range)

/* ---- parsing ------------------------------------------------------------------------------ */

/* Parse.  @o: zeros, but for what the command presets in its own struct, which it begins.  False:
 * there is nothing else to do; --help or an error was printed, and *status is the exit status. */
bool options_parse(const struct usage *u, int argc, char **argv, struct options *o, int *status);

/* Add a word to a list of at most row.arg. */
bool option_add(struct option_list *list, const struct option_row *row, const char *word);
/* Parsers that rows of several files name; false after a complaint. */
bool option_limit(void *to, const struct option_row *row, char *value); /* uint64_t above 0 */
bool option_hart(void *options, const struct option_row *row, char *value);
bool option_time(void *options, const struct option_row *row, char *value);

bool read_number(const char *name, const char *text, uint64_t max, uint64_t *out);
/* Cut NAME=VALUE, of this option, in two. */
bool setting_cut(const char *option, char *text, struct hs_setting *setting);
/* Add a setting; @option complains where there are too many. */
bool setting_keep(struct option_settings *s, const char *option, const char *name,
                  const char *value);

uint64_t jobs_default(void);
/* Whether options of a range fit together (range.c); false after a complaint. */
bool option_ranges_fit(struct options *o);

/* A word that stands for a number. */
struct option_word {
	const char *name;
	uint8_t value;
};
/* Find the value of --by; @list: the words in an error. */
bool option_word_find(const struct option_word *words, size_t n, const char *wanted,
                      const char *list, uint8_t *value);

/* The text of --help (usage.c), with @all of --help --all. */
void usage_print(const struct usage *u, bool all, FILE *to);
/* The parameters of a protocol, or with NULL of each.  False: there is no such protocol. */
bool usage_params(const char *protocol, FILE *to);
/* Print @text as lines of 80 columns, the first one from column @at on, others from @indent. */
void usage_wrap(FILE *to, const char *text, unsigned at, unsigned indent);
/* The same of a list: @left at column 2, @help from @help_at on. */
void usage_row(FILE *to, const char *left, unsigned help_at, const char *help);

#endif
