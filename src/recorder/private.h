/* The recorder: processes, their harts, and the threads that drain their rings.
 *
 * recorder.c serves until the program ends; process.c makes and finishes recordings of processes;
 * hart_drain.c has a thread for each hart, log_drain.c a function that these threads share; store.c
 * has the log for children; keep.c holds streams of which only the last part is written. */
#ifndef HS_RECORDER_PRIVATE_H
#define HS_RECORDER_PRIVATE_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <hartscope/record.h>

#include "recorder/wire.h"
#include "recording/files.h"
#include "recording/log.h"
#include "recording/manifest.h"
#include "recording/order.h"
#include "recording/place.h"
#include "recording/private.h"
#include "recording/recording.h"

#define RECORDER_RUNS (1u << 26) /* most different runs of a process */
#define RECORDER_SIGNALS 64u     /* nested signal handlers */

/* A signal whose handler has not returned yet. */
struct recorder_signal {
	uint32_t numbers[4]; /* several when one arrived where another had just returned to */
	uint32_t count;
};

/* keep.c: the parts of streams that are in memory, of all processes and harts. */
struct recorder_segment;
struct recorder_keep {
	uint64_t limit, bytes;
	uint32_t harts; /* that have some */
	pthread_mutex_t lock;
	struct recorder_segment *oldest, **newest; /* that have ended */
};

/* store.c: bytes that only grow. */
#define RECORDER_STORE_ROOM (1u << 18) /* of them in memory, at most */
struct recorder_store {
	int dir; /* where the file of the others is made; -1: all are in memory */
	int fd;  /* -1: there is none by now */
	uint64_t filed;
	uint8_t *bytes; /* those after it */
	size_t count, room;
};

struct recorder_hart {
	struct recorder_hart *next;
	struct recorder_hart *next_draining;
	struct recorder_process *process;
	struct hs_wire_hart *wire;
	uint32_t number;
	pthread_t thread;
	bool done, joined;
	struct rec_out out;
	struct rec_zip zip;
	uint32_t consumed, taken; /* chunks, and words of the chunk after them */
	struct {                  /* count.c: its place in the words */
		uint64_t instructions, words;
		uint64_t retired; /* by the plugin's count, when the last words were written */
		uint32_t last_run;
		uint32_t escape[1 + HS_REC_WORDS_MOST], escape_size,
			escape_left; /* words had, and to come */
		bool resuming, open; /* @open: how the last run ended is not known yet */
	} at;
	struct { /* of signals */
		uint32_t signals;
		struct recorder_signal *stack,
			resumed; /* RECORDER_SIGNALS; NULL: the hart has ended */
		uint32_t depth;
	} handlers;
	struct { /* keep.c */
		struct recorder_segment *kept,
			*keeping; /* the first; the one that grows; NULL: none */
		bool asked;       /* for the next one */
		uint64_t skipped; /* instructions before what was written */
		uint32_t skipped_signals, resume_count, resume_room;
		struct hs_rec_log_resume *resumes;
	} keep;
	struct hs_rec_stream *stream; /* live.c */
};

/* One that has ended, and is not in its parent's manifest yet. */
struct recorder_child {
	uint32_t number;
	pid_t pid;
};

struct recorder_process {
	struct recorder_process *next;
	struct hs_wire_process *wire;
	uint64_t token;
	pid_t pid;
	int pidfd, dir; /* dir -1: nothing is written */
	uint32_t number;
	struct {
		uint32_t recorded; /* children that connected */
		uint32_t children; /* that are in the session's list */
		struct recorder_child *ended_children;
		size_t ended_count, ended_room;
	} family;
	char *path;
	json_t *manifest;
	struct recorder_hart *harts, *draining; /* all, and those with a thread; the newest first */
	struct recorder_process *parent;
	struct {
		pthread_mutex_t lock; /* for log, out, zip */
		struct rec_log log;   /* records that are not whole yet */
		struct rec_out out;
		struct rec_zip zip;
		struct recorder_store records,
			places; /* that are whole; where each run is, as in rec_log.runs */
		uint32_t runs;
	} store;
	struct {                                /* records that come */
		struct hs_rec_log_head *record; /* that was read */
		size_t record_room;
		uint64_t tail;
	} in;
	struct {
		int dead;   /* 1: no more words will come */
		int signal; /* that killed it, where known */
		int status; /* of waitpid(); -1: not our child */
		bool has_address;
		uint64_t address; /* with @has_address: of the access that did */
	} death;
	const struct recorder_machine *machine; /* NULL: a program */
	uint32_t *drains;                       /* of the session */
	struct recorder_keep *keep;             /* NULL: all is written as it comes */
	struct recorder_live *live;             /* what takes its blocks; NULL: nothing does */
	bool code_only;                         /* no streams are written */
	struct {
		bool damaged, starved, written, ended, finished;
		bool replaced; /* its files, by another process */
		bool unstored; /* manifest.json could not be written */
	} is;
};

/* machine.c: QEMU's monitor, of a whole machine. */
struct recorder_machine {
	int fd, qemu;   /* our end and QEMU's; -1: closed */
	bool ready;     /* nothing is lost when the machine runs */
	char line[512];
	size_t length;
	char reason[64]; /* of the event SHUTDOWN */
	uint32_t resets;
};
enum hs_status recorder_machine_open(struct recorder_machine *m, struct hs_error *e);
void recorder_machine_started(struct recorder_machine *m); /* QEMU has its end */
void recorder_machine_read(struct recorder_machine *m);
void recorder_machine_close(struct recorder_machine *m);
bool recorder_machine_cut(const struct recorder_machine *m); /* by its user; @m may be NULL */
/* Its end in words, with the emulator's exit status; false: not known. */
bool recorder_machine_describe(const struct recorder_machine *m, int code, char *text, size_t size);

/* connect.c: a connection on which nothing has come. */
#define RECORDER_WAITING 64u
#define RECORDER_ACCEPTED 16u /* at once; more than wait at any time */
struct recorder_waiting {
	int fd;
	pid_t pid;     /* that connected */
	int64_t until; /* ms of the monotonic clock: when it is closed */
};

struct recorder_session {
	struct recorder_process *processes, *first;
	struct recorder_machine machine;
	const char *output, *program;
	struct rec_place place; /* where the first process's recording is written */
	char *const *argv;
	unsigned xlen;
	bool exact, system, forwards;
	bool code_only, keep_older;
	uint8_t data; /* enum hs_recorder_data */
	pid_t emulator; /* that was started */
	uint32_t spoilt; /* children of which the recorder lost something */
	uint32_t drains; /* harts of all processes that have a thread here */
	pid_t refused;  /* whose plugin cannot be used; 0: none */
	struct recorder_waiting waiting[RECORDER_WAITING]; /* the first has connected first */
	unsigned waiting_count;
	struct recorder_keep *keep; /* NULL: the whole run is wanted */
	hs_recorder_take_fn take;   /* in place of files; NULL: nothing takes blocks */
	void *take_to;
	struct hs_error *error;
};

/* store.c */
void recorder_store_init(struct recorder_store *s, int dir);
bool recorder_store_add(struct recorder_store *s, const void *bytes,
                        size_t n); /* false: no memory */
uint64_t recorder_store_size(const struct recorder_store *s);
/* False: there are not so many, or the file fails. */
bool recorder_store_read(const struct recorder_store *s, uint64_t at, void *bytes, size_t n);
void recorder_store_close(struct recorder_store *s);

/* log_drain.c */
enum hs_status recorder_log_open(struct recorder_process *p, struct hs_error *e);
void recorder_log_drain(struct recorder_process *p);
bool recorder_log_inherit(struct recorder_process *p, struct recorder_process *parent,
                          uint64_t bytes);
void recorder_log_resume(struct recorder_process *p, const struct hs_rec_log_resume *resume);
void recorder_log_close(struct recorder_process *p);
/* With p->lock: the run with this number, followed by its code, until the next call.  NULL: there
 * is none, or it cannot be read. */
const struct hs_rec_log_run *recorder_log_run(struct recorder_process *p, uint32_t run);
/* With p->lock: add bytes @from to @to of the whole records to @log, REC_FRAME_BYTES at a time.
 * @each, which may be NULL, is called after each, with what was parsed by then. */
enum hs_status recorder_log_read(struct recorder_process *p, uint64_t from, uint64_t to,
                                 struct rec_log *log, void (*each)(void *of, struct rec_log *log),
                                 void *of);

/* keep.c; false: out of memory */
void recorder_keep_init(struct recorder_keep *k, uint64_t limit);
bool recorder_keep_begin(struct recorder_hart *h);
void recorder_keep_before(struct recorder_hart *h, uint64_t instructions);
bool recorder_keep_frame(struct recorder_hart *h, const void *bytes, size_t n);
bool recorder_keep_resume(struct recorder_hart *h, const struct hs_rec_log_resume *r);
void recorder_keep_end(struct recorder_hart *h);
void recorder_keep_write(struct recorder_hart *h);
void recorder_keep_write_resumes(struct recorder_hart *h);

/* live.c */
enum hs_status recorder_live_open(struct recorder_process *p, hs_recorder_take_fn take, void *to);
void recorder_live_close(struct recorder_process *p);
void recorder_live_begin(struct recorder_hart *h); /* before its first words are counted */
void recorder_live_words(struct recorder_hart *h, const uint32_t *words, size_t n);
void recorder_live_resume(struct recorder_hart *h, const struct hs_rec_log_resume *r);
void recorder_live_end(struct recorder_hart *h);

/* count.c.  Returns how many words were counted: up to HS_REC_ESCAPE_ANEW, unless that is the
 * first. */
size_t recorder_count(struct recorder_hart *h, const uint32_t *words, size_t n);
void recorder_count_end(struct recorder_hart *h);
/* May a stream begin with this word, which is next? */
static inline bool recorder_begins_anew(const struct recorder_hart *h, uint32_t word)
{
	return h->at.escape_left == 0 && word >= HS_REC_WORD_ESCAPE &&
	       HS_REC_ESCAPE_KIND(word) == HS_REC_ESCAPE_ANEW;
}
/* Add the instructions of a run that the plugin did not count. */
void recorder_count_run(struct recorder_hart *h, uint32_t run);

/* fault.c: the words that say where the program died, by its last fault: how many; 0: that is not
 * known. */
/* Was the last fault, of the signal that ended the program, another thread's? */
bool recorder_fault_elsewhere(const struct recorder_hart *h);
unsigned recorder_fault_words(struct recorder_hart *h, uint32_t words[1 + HS_REC_STAND_WORDS]);

/* added.c: the runs after the last one that was written; how many. */
uint32_t recorder_added(struct recorder_hart *h, uint32_t way[HS_WIRE_ADDED_MOST]);

/* hart_drain.c */
enum hs_status recorder_hart_start(struct recorder_process *p, struct hs_wire_hart *wire,
                                   uint32_t number, struct hs_error *e);
void recorder_hart_join(struct recorder_hart *h);
/* Make hart-N.zst.  If that fails, the program still runs. */
void recorder_hart_open(struct recorder_hart *h, struct hs_error *e);

/* connect.c */
/* Take connections and what came on them; at least of all that wait now, and not of all that come
 * meanwhile, so that processes that have ended do not pile up.  False: nobody connected. */
bool recorder_connect_serve(struct recorder_session *s, int listener);
/* What to wait for; returns how many, at most RECORDER_WAITING. */
nfds_t recorder_connect_poll(const struct recorder_session *s, struct pollfd *fds);
void recorder_connect_close(struct recorder_session *s);

/* process.c */
enum hs_status recorder_prepare(struct recorder_session *s);
/* Replace an older recording, unless what was written is none. */
enum hs_status recorder_settle(struct recorder_session *s, enum hs_status status);
/* A process has begun, or a hart of one.  False: it cannot be recorded; the others still are. */
bool recorder_process_start(struct recorder_session *s, const struct hs_wire_message *m, int fd,
                            pid_t pid);
bool recorder_process_add_hart(struct recorder_session *s, const struct hs_wire_message *m, int fd);
int recorder_write_error(const struct recorder_process *p);
uint32_t recorder_missing(const struct recorder_process *p);
void recorder_note_missing(struct recorder_session *s, struct recorder_process *p);
/* The recording of a process ended with a mark, and the process runs: write what was kept. */
void recorder_write_kept(struct recorder_session *s);
void recorder_process_finish(struct recorder_session *s, struct recorder_process *p);
/* Forget processes of which nothing more will be written. */
void recorder_release(struct recorder_session *s);
void recorder_processes_free(struct recorder_session *s);

/* signals.c */
#define RECORDER_FORWARDED 4u
struct recorder_signals {
	struct sigaction old[RECORDER_FORWARDED];
};
void recorder_signals_note(struct recorder_signals *s); /* from here on they do not end us */
void recorder_signals_forward(pid_t program);           /* to this one; 0: to none */
int recorder_signals_received(void);                    /* the last; 0: none */
void recorder_signals_restore(const struct recorder_signals *s);

/* descriptors.c */
void recorder_descriptors_allow(void);
void recorder_descriptors_restore(void);
void recorder_descriptors_of_child(void);

/* spawn.c */
struct recorder_program {
	char *path;
	unsigned xlen;
	uint64_t code;    /* its lowest code, as the file has it; 0: a machine */
	uint64_t code_offset; /* where in the file that is */
	bool interpreter; /* dynamically linked */
	bool system;      /* an emulator of whole machines, which is run as it is */
};
enum hs_status recorder_program_find(const char *name, struct recorder_program *program,
                                     struct hs_error *e);
bool recorder_system_find(char *const *argv, struct recorder_program *program);
/* The path of a program, found as a shell finds it, to be freed; NULL: no memory. */
char *recorder_search_path(const char *name);
enum hs_status recorder_spawn(const struct hs_recorder_options *o, char *const *program_argv,
                              const struct recorder_program *program, const char *socket_name,
                              int monitor, pid_t *pid, struct hs_error *e);

/* plugin.c */
struct recorder_plugin {
	char *path;          /* to be freed; NULL: none */
	int least, greatest; /* versions of the plugin interface that the emulator takes */
	unsigned xlen;       /* of what it emulates */
	bool monitor_object; /* a machine's monitor is an -object, no -mon */
	bool not_executed;   /* the emulator is there, and the system did not execute it */
};
/* The object that @qemu, of programs or of whole machines, loads.  @folder: where objects are;
 * NULL: near the executable. */
enum hs_status recorder_plugin_choose(const char *qemu, bool system, const char *folder,
                                      struct recorder_plugin *plugin, struct hs_error *e);
/* An argument of -plugin, to be freed; NULL: no memory.  @program: for program=, NULL: none. */
char *recorder_plugin_argument(const char *path, const char *options, const char *program);
/* What @argv writes to standard output; nothing where it does not end in time. */
void recorder_ask(const char *const *argv, char *out, size_t size);

/* emulator.c */
struct recorder_emulator {
	char *path;
	struct recorder_plugin plugin;
};
/* @machine: the emulator of a whole machine, which is the only one; NULL: of programs of @xlen.
 * @found is always written, and to be freed. */
enum hs_status recorder_emulator_find(const struct hs_recorder_options *o, const char *machine,
                                      unsigned xlen, struct recorder_emulator *found,
                                      struct hs_error *e);
void recorder_emulator_free(struct recorder_emulator *found);

#endif
