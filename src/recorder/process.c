/* Recorded processes: the program, and the children it forks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/private.h"
#include "support/grow.h"

static struct recorder_process *find_process(struct recorder_session *s, uint64_t token)
{
	for (struct recorder_process *p = s->processes; p != NULL; p = p->next)
		if (p->token == token)
			return p;
	return NULL;
}

/* Map what a plugin sent; NULL when it has another size, or could get one (we would get SIGBUS). */
static void *map_shared(int fd, size_t size)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *p;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 ||
	    st.st_size != (off_t)size)
		return NULL;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static json_t *new_manifest(const struct recorder_session *s)
{
	static const char *const data[] = { NULL, "addresses", "values" };
	json_t *argv = json_array(), *m;

	m = rec_manifest_new(s->code_only ? "code" : "recording", s->program, s->xlen);
	for (size_t i = 0; s->argv[i] != NULL; i++) {
		json_t *argument = json_string(s->argv[i]);

		json_array_append_new(argv, argument != NULL ? argument : json_string("?"));
	}
	rec_manifest_put(m, m, "argv", argv);
	rec_manifest_put(m, m, "exactFaults", json_boolean(s->exact));
	if (s->data != HS_RECORDER_DATA_NONE)
		rec_manifest_put(m, m, "data", json_string(data[s->data]));
	rec_manifest_put(m, m, "children", json_array());
	if (s->keep != NULL)
		rec_manifest_put(m, m, "keepLast", json_integer((json_int_t)s->keep->limit));
	return m;
}

/* Make the directory before the program runs: when that fails, nothing has happened yet. */
enum hs_status recorder_prepare(struct recorder_session *s)
{
	json_t *m;
	enum hs_status status = HS_OK;

	if (s->output != NULL)
		status = rec_place_open(&s->place, s->output, s->error);
	if (status == HS_OK && s->output != NULL && s->keep_older) {
		status = rec_place_keep(&s->place, s->error);
		if (status != HS_OK)
			rec_place_discard(&s->place);
	}
	if (status != HS_OK || s->output == NULL)
		return status;
	m = new_manifest(s);
	status = rec_manifest_write(s->place.dir, m, true, s->error);
	json_decref(m);
	return status;
}

static enum hs_status store_manifest(struct recorder_process *p, struct hs_error *e)
{
	return p->dir < 0 ? HS_OK : rec_manifest_write(p->dir, p->manifest, true, e);
}

static enum hs_status make_child_directory(struct recorder_process *p, struct hs_error *e)
{
	char name[32];

	snprintf(name, sizeof(name), "child-%" PRIu32, p->number);
	if (mkdirat(p->parent->dir, name, 0777) == 0)
		p->dir = openat(p->parent->dir, name,
		                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return p->dir >= 0 ? HS_OK :
	       hs_error_set(e, HS_E_SYSTEM, "%s: %s", p->path, strerror(errno));
}

/* The first process writes to the place that was prepared. */
static enum hs_status open_directory(struct recorder_session *s, struct recorder_process *p)
{
	if (s->output == NULL || (s->code_only && p->parent != NULL))
		return HS_OK;
	if (p->parent != NULL)
		return make_child_directory(p, s->error);
	p->dir = fcntl(s->place.dir, F_DUPFD_CLOEXEC, 0);
	return p->dir >= 0 ? HS_OK :
	       hs_error_set(s->error, HS_E_SYSTEM, "%s: %s", p->path, strerror(errno));
}

/* Make the directory, log and manifest of a process.  @log_bytes: of its parent's log, which its
 * own begins with. */
static enum hs_status set_up_process(struct recorder_session *s, struct recorder_process *p,
                                     uint64_t log_bytes)
{
	enum hs_status status = open_directory(s, p);

	if (status != HS_OK)
		return status;
	p->manifest = new_manifest(s);
	status = recorder_log_open(p, s->error);
	if (status == HS_OK && p->parent != NULL && !recorder_log_inherit(p, p->parent, log_bytes))
		status = HS_E_MEMORY;
	if (status == HS_OK)
		status = store_manifest(p, s->error);
	if (status == HS_OK && s->take != NULL && p->parent == NULL)
		status = recorder_live_open(p, s->take, s->take_to);
	return status;
}

static void free_process(struct recorder_process *p)
{
	recorder_live_close(p);
	recorder_log_close(p);
	for (struct recorder_hart *h = p->harts, *next; h != NULL; h = next) {
		next = h->next;
		rec_out_close(&h->out);
		free(h->handlers.stack);
		free(h);
	}
	if (p->wire != NULL)
		munmap(p->wire, HS_WIRE_PROCESS_SIZE);
	if (p->dir >= 0)
		close(p->dir);
	if (p->pidfd >= 0)
		close(p->pidfd);
	json_decref(p->manifest);
	pthread_mutex_destroy(&p->store.lock);
	free(p->family.ended_children);
	free(p->path);
	free(p);
}

static char *path_of(const struct recorder_session *s, const struct recorder_process *parent,
                     uint32_t number)
{
	char *path = NULL;

	if (parent == NULL)
		return strdup(s->place.path == NULL ? "" : s->place.path);
	if (asprintf(&path, "%s/child-%" PRIu32, parent->path, number) < 0)
		return NULL;
	return path;
}

/* errno of the first file that could not be written; 0: none. */
int recorder_write_error(const struct recorder_process *p)
{
	if (p->store.out.error != 0)
		return p->store.out.error;
	for (const struct recorder_hart *h = p->harts; h != NULL; h = h->next)
		if (h->out.error != 0)
			return h->out.error;
	return 0;
}

enum hs_status recorder_settle(struct recorder_session *s, enum hs_status status)
{
	if (s->place.path == NULL)
		return status;
	if (s->first == NULL) {
		rec_place_discard(&s->place);
	} else if (s->place.target != NULL && recorder_write_error(s->first) != 0) {
		hs_error_set(s->error, HS_E_CUT, "%s; %s is as it was, what was recorded is in %s",
		             strerror(recorder_write_error(s->first)), s->place.target,
		             s->place.path);
		rec_place_close(&s->place);
		return HS_E_CUT;
	} else if (s->place.target != NULL && s->first->is.unstored) {
		hs_error_set(s->error, HS_E_CUT,
		             "manifest.json could not be written; %s is as it was, what was "
		             "recorded is in %s",
		             s->place.target, s->place.path);
		rec_place_close(&s->place);
		return HS_E_CUT;
	} else {
		const enum hs_status moved = rec_place_commit(&s->place, s->error);

		return status == HS_OK ? moved : status;
	}
	return status;
}

/* Does a child of @parent have this number already?  Each has a directory of its own. */
static bool has_child(const struct recorder_session *s, const struct recorder_process *parent,
                      uint32_t number)
{
	for (const struct recorder_process *p = s->processes; p != NULL; p = p->next)
		if (parent != NULL && p->parent == parent && p->number == number)
			return true;
	return false;
}

bool recorder_process_start(struct recorder_session *s, const struct hs_wire_message *m, int fd,
                            pid_t pid)
{
	struct recorder_process *parent = find_process(s, m->parent), *p = calloc(1, sizeof(*p));

	if (p == NULL || (parent == NULL) != (s->first == NULL) ||
	    has_child(s, parent, m->number)) {
		free(p);
		return false;
	}
	*p = (struct recorder_process){
		.token = m->token,
		.pid = pid,
		.number = m->number,
		.dir = -1,
		.parent = parent,
		.death.status = -1,
		.store.lock = PTHREAD_MUTEX_INITIALIZER,
		.keep = s->keep,
		.code_only = s->code_only,
		.drains = &s->drains,
	};
	if (s->system)
		p->machine = &s->machine;
	p->store.out.fd = p->store.records.fd = p->store.places.fd = -1;
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	const bool watched = p->pidfd >= 0 || errno == ESRCH; /* gone, which is known, too */

	if (!watched)
		hs_error_set(s->error, HS_E_SYSTEM, "the end of a process cannot be waited for: %s",
		             strerror(errno));
	p->path = path_of(s, parent, m->number);
	p->wire = map_shared(fd, HS_WIRE_PROCESS_SIZE);
	if (!watched || p->path == NULL || p->wire == NULL ||
	    set_up_process(s, p, m->log_bytes) != HS_OK) {
		free_process(p);
		return false;
	}
	if (parent != NULL) {
		parent->family.recorded++;
		parent->family.children++;
	}
	p->next = s->processes;
	s->processes = p;
	if (s->first == NULL)
		s->first = p;
	return true;
}

bool recorder_process_add_hart(struct recorder_session *s, const struct hs_wire_message *m, int fd)
{
	struct recorder_process *p = find_process(s, m->token);
	struct hs_wire_hart *wire;

	if (p == NULL || p->is.finished)
		return false;
	wire = m->number < REC_HARTS_LIMIT ? map_shared(fd, HS_WIRE_HART_SIZE) : NULL;
	p->is.damaged |= wire == NULL;
	return wire != NULL && recorder_hart_start(p, wire, m->number, s->error) == HS_OK;
}

/* Signals by which a program ends itself, so that nothing is missing (design/recordings).  Others
 * cut it. */
static bool own_signal(int signal)
{
	return signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
	       signal == SIGFPE || signal == SIGTRAP || signal == SIGSYS;
}

/* Is something missing that the recorder could have kept? */
static bool is_spoilt(const struct recorder_process *p)
{
	return recorder_write_error(p) != 0 || p->is.replaced || p->is.damaged || p->wire->lost;
}

/* Is every instruction that retired in the recording? */
static bool is_complete(const struct recorder_process *p)
{
	if (is_spoilt(p))
		return false;
	if (p->wire->end == HS_WIRE_MARK)
		return true;
	if (recorder_machine_cut(p->machine))
		return false;
	if (p->death.signal != 0)
		return own_signal(p->death.signal);
	return p->death.status >= 0 || p->wire->end != HS_WIRE_RUNS;
}

static void describe_signal(const struct recorder_process *p, char *text, size_t size)
{
	const bool own = own_signal(p->death.signal);
	const int n = snprintf(text, size, "%ssignal %d", own ? "" : "cut: ", p->death.signal);

	if (own && p->death.has_address)
		snprintf(text + n, size - (size_t)n, ", address 0x%" PRIx64, p->death.address);
}

/* How the process ended, in words. */
static void describe_end(const struct recorder_process *p, char *text, size_t size)
{
	if (recorder_write_error(p) != 0)
		snprintf(text, size, "cut: %s", strerror(recorder_write_error(p)));
	else if (p->is.replaced)
		snprintf(text, size, "cut: files of the recording were removed or replaced");
	else if (p->is.damaged || p->wire->lost)
		snprintf(text, size, "cut: %sa part could not be recorded",
		         p->is.starved ? "out of memory: " : "");
	else if (p->wire->end == HS_WIRE_MARK)
		snprintf(text, size, "mark");
	else if (p->death.signal != 0)
		describe_signal(p, text, size);
	else if (p->wire->end == HS_WIRE_EXEC)
		snprintf(text, size, "exec %.1023s", p->wire->exec_path);
	else if (p->death.status >= 0 &&
	         recorder_machine_describe(p->machine, WEXITSTATUS(p->death.status), text, size))
		return;
	else if (p->death.status >= 0)
		snprintf(text, size, "exit %d", WEXITSTATUS(p->death.status));
	else if (p->wire->end == HS_WIRE_EXIT)
		snprintf(text, size, "exit %d", p->wire->end_code);
	else
		snprintf(text, size, "cut: killed");
}

/* Write down the children that ended since the last time. */
static void list_children(struct recorder_process *p)
{
	json_t *list = json_object_get(p->manifest, "children");

	for (size_t i = 0; i < p->family.ended_count; i++) {
		const struct recorder_child *c = &p->family.ended_children[i];
		json_t *child = json_object();

		rec_manifest_put(p->manifest, child, "number", json_integer(c->number));
		rec_manifest_put(p->manifest, child, "directory",
		                 json_sprintf("child-%" PRIu32, c->number));
		rec_manifest_put(p->manifest, child, "pid", json_integer(c->pid));
		p->is.damaged |= json_array_append_new(list, child) != 0;
	}
	free(p->family.ended_children);
	p->family.ended_children = NULL;
	p->family.ended_count = p->family.ended_room = 0;
}

static void add_records(void *manifest, struct rec_log *log)
{
	rec_manifest_add_records(manifest, log);
	rec_log_drop(log);
}

/* What the manifest says of the log. */
static void describe_log(struct recorder_process *p)
{
	struct rec_log part = { .limit = 0 };
	struct rec_manifest_log l;

	rec_manifest_begin_log(&l, p->manifest);
	pthread_mutex_lock(&p->store.lock);
	p->is.damaged |= recorder_log_read(p, 0, recorder_store_size(&p->store.records), &part,
	                                   add_records, &l) != HS_OK;
	pthread_mutex_unlock(&p->store.lock);
	rec_manifest_end_log(&l);
	rec_log_free(&part);
}

static void write_manifest(struct recorder_process *p, struct hs_error *e)
{
	char end[1100];

	const struct support_digest log = rec_out_digest(&p->store.out);

	list_children(p);
	describe_log(p);
	describe_end(p, end, sizeof(end));
	rec_manifest_set_log(p->manifest, &log);
	rec_manifest_put(p->manifest, p->manifest, "harts", json_array());
	for (struct recorder_hart *h = p->harts; h != NULL && !p->code_only; h = h->next) {
		const struct rec_manifest_hart hart = {
			.number = h->number,
			.file = rec_out_digest(&h->out),
			.skipped = h->keep.skipped,
			.instructions = (int64_t)(h->at.instructions - h->keep.skipped),
		};

		rec_manifest_add_hart(p->manifest, &hart);
	}
	rec_manifest_set_end(p->manifest, is_complete(p), end);
	if (p->machine != NULL)
		rec_manifest_put(p->manifest, p->manifest, "resets",
		                 json_integer(p->machine->resets));
	p->is.unstored = store_manifest(p, e) != HS_OK;
}

/* Children that have ended are few bytes until their parent ends: it may make them for ever. */
static void add_to_parent(const struct recorder_process *p)
{
	struct recorder_process *parent = p->parent;
	if (parent == NULL || p->code_only)
		return;
	if (!support_grow(&parent->family.ended_children, &parent->family.ended_room,
	                  parent->family.ended_count + 1, sizeof(*parent->family.ended_children))) {
		parent->is.damaged = true;
		return;
	}
	parent->family.ended_children[parent->family.ended_count++] =
		(struct recorder_child){ p->number, p->pid };
}

/* Is the file of this name the one that was written? */
static bool is_file(const struct recorder_process *p, const char *name, const struct rec_out *out)
{
	struct stat st;

	return out->error != 0 || (fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	                           S_ISREG(st.st_mode) && (uint64_t)st.st_size == out->bytes);
}

/* The program may do what it likes with the files of its recording. */
static bool has_files(const struct recorder_process *p)
{
	bool all = is_file(p, "runs.zst", &p->store.out);

	for (const struct recorder_hart *h = p->harts; h != NULL && all && !p->code_only;
	     h = h->next) {
		char name[REC_NAME_SIZE];

		rec_hart_name(name, h->number);
		all = is_file(p, name, &h->out);
	}
	return all;
}

static void write_kept(struct recorder_hart *h, struct hs_error *e)
{
	if (h->process->keep == NULL)
		return;
	recorder_hart_open(h, e);
	recorder_keep_write(h);
	rec_out_close(&h->out);
	recorder_keep_write_resumes(h);
}

static void write_harts(struct recorder_process *p, struct hs_error *e)
{
	for (struct recorder_hart *h = p->harts; h != NULL && !p->is.written; h = h->next)
		write_kept(h, e);
	p->is.written = true;
}

static bool all_done(const struct recorder_process *p)
{
	for (const struct recorder_hart *h = p->harts; h != NULL; h = h->next)
		if (!__atomic_load_n(&h->done, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

void recorder_write_kept(struct recorder_session *s)
{
	for (struct recorder_process *p = s->processes; s->keep != NULL && p != NULL; p = p->next) {
		if (p->is.finished || p->is.written || p->wire->end != HS_WIRE_MARK || !all_done(p))
			continue;
		recorder_log_drain(p);
		write_harts(p, s->error);
		write_manifest(p, s->error);
	}
}

/* The process has ended: drain what is left, and write how it ended. */
void recorder_process_finish(struct recorder_session *s, struct recorder_process *p)
{
	if (p->is.finished)
		return;
	__atomic_store_n(&p->death.dead, 1, __ATOMIC_SEQ_CST);
	for (struct recorder_hart *h = p->harts; h != NULL; h = h->next)
		recorder_hart_join(h);
	recorder_log_drain(p);
	write_harts(p, s->error);
	rec_out_close(&p->store.out);
	p->is.replaced = p->dir >= 0 && !has_files(p);
	p->is.finished = true;
	add_to_parent(p);
	write_manifest(p, s->error);
	s->spoilt += p->parent != NULL && (is_spoilt(p) || p->is.unstored);
	if (p->parent != NULL && p->parent->is.finished) {
		list_children(p->parent);
		store_manifest(p->parent, s->error);
	}
}

static bool is_settled(const struct recorder_session *s, const struct recorder_process *p)
{
	return p != s->first && p->is.finished && p->family.children == 0 &&
	       recorder_missing(p) == 0;
}

/* Children are in the list before their parents. */
void recorder_release(struct recorder_session *s)
{
	for (struct recorder_process **at = &s->processes; *at != NULL;) {
		struct recorder_process *p = *at;

		if (!is_settled(s, p)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		p->parent->family.children--;
		free_process(p);
	}
}

/* How many forked children never connected (another network name space, no memory). */
uint32_t recorder_missing(const struct recorder_process *p)
{
	const uint64_t known = (uint64_t)p->family.recorded +
	                       __atomic_load_n(&p->wire->unforked, __ATOMIC_RELAXED);
	const uint32_t forks = __atomic_load_n(&p->wire->forks, __ATOMIC_RELAXED);

	return forks > known ? (uint32_t)(forks - known) : 0;
}

void recorder_note_missing(struct recorder_session *s, struct recorder_process *p)
{
	if (recorder_missing(p) == 0)
		return;
	rec_manifest_put(p->manifest, p->manifest, "childrenNotRecorded",
	                 json_integer(recorder_missing(p)));
	store_manifest(p, s->error);
}

void recorder_processes_free(struct recorder_session *s)
{
	for (struct recorder_process *p = s->processes, *next; p != NULL; p = next) {
		next = p->next;
		free_process(p);
	}
}
