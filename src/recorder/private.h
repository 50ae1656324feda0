/* The recorder: processes, their harts, and the threads that drain them. */
#ifndef HS_RECORDER_PRIVATE_H
#define HS_RECORDER_PRIVATE_H

#include <pthread.h>

#include "recording/private.h"

#define RECORD_RUNS (1u << 26)   /* most different runs of a process */
#define RECORD_SIGNALS 64u       /* nested signal handlers */

struct record_process;

/* Signals whose handlers have not returned yet, the latest last. */
struct record_signal {
	uint32_t numbers[4]; /* several when one came in the place where another returned to */
	uint32_t count;
};

struct record_hart {
	struct record_hart *next;
	struct record_process *process;
	struct hs_port_hart *port;
	uint32_t number;
	pthread_t thread;
	bool done, joined;
	struct rec_out out;
	struct rec_zip zip;
	uint32_t consumed, taken; /* chunks, and words of the chunk after them */
	/* record_count.c: where the count is in the words */
	uint64_t instructions, words;
	uint32_t last_run, trap_run, payload, payload_size, event[HS_TRAP_WORDS];
	bool resuming;
	uint32_t signals;
	struct record_signal stack[RECORD_SIGNALS], resumed;
	uint32_t depth;
};

struct record_process {
	struct record_process *next;
	struct hs_port_process *port;
	uint64_t token;
	pid_t pid;
	int pidfd, dir;
	uint32_t number;
	uint32_t recorded; /* children heard of */
	char *path;
	json_t *manifest;
	struct record_hart *harts;
	struct record_process *parent;
	pthread_mutex_t lock; /* for log, out, zip */
	struct rec_log log;
	struct rec_out out;
	struct rec_zip zip;
	uint16_t *insns; /* instructions of each run; a mapping that never moves */
	uint32_t insns_known;
	uint64_t tail;
	int dead;      /* 1: no more words will come */
	int signal;    /* that killed it, where known */
	int status;    /* of waitpid; -1: not our child */
	bool damaged, finished;
};

/* record_log.c */
enum hs_status record_log_open(struct record_process *p, struct hs_error *e);
void record_log_sync(struct record_process *p);
bool record_log_inherit(struct record_process *p, struct record_process *parent, uint64_t bytes);
void record_log_resume(struct record_process *p, const struct hs_log_resume *resume);
void record_log_close(struct record_process *p);

/* record_count.c */
void record_count(struct record_hart *h, const uint32_t *words, size_t n);

/* record_hart.c */
enum hs_status record_hart_start(struct record_process *p, struct hs_port_hart *port,
                                 uint32_t number, struct hs_error *e);
void record_hart_join(struct record_hart *h);

/* record_process.c */
struct record_session {
	struct record_process *processes, *first;
	const char *output, *program;
	char *const *argv;
	unsigned xlen;
	bool exact, system;
	struct hs_error *error;
};
enum hs_status record_prepare(const struct record_session *s);
uint32_t record_missing(const struct record_process *p);
void record_note_missing(struct record_session *s, struct record_process *p);
void record_accept(struct record_session *s, int listener);
void record_process_end(struct record_session *s, struct record_process *p);
void record_processes_free(struct record_session *s);

/* record_spawn.c */
struct record_program {
	char *path;
	unsigned xlen;
	bool interpreter; /* dynamically linked */
	bool system;      /* an emulator of whole machines, which is run as it is */
};
enum hs_status record_program_find(const char *name, struct record_program *program,
                                   struct hs_error *e);
bool record_system_find(char *const *argv, struct record_program *program);
enum hs_status record_spawn(const struct hs_record_options *o, const struct record_program *program,
                            const char *port, pid_t *pid, struct hs_error *e);

#endif
