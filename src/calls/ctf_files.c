/* Packets and metadata (ctf_files.h); numbers are little-endian, and aligned to bytes. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/status.h>

#include "calls/ctf_files.h"

#define PACKET 65536u
#define MAGIC UINT32_C(0xc1fc1fc1)
#define HEAD (4 + 4 + 8 + 8 + 8 + 8 + 8 + 4u) /* packet.header and packet.context below */

/* How times and events are written.  @1: what a nanosecond is; @2, @3: the recording. */
static const char metadata[] =
	"/* CTF 1.8 */\n\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := address_t;\n\n"
	"trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n\n"
	"env {\n\thostname = \"\";\n\tdomain = \"hart\";\n\ttracer_name = \"hartscope\";\n"
	"\ttracer_version = \"%s\";\n\trecording = \"%s\";\n\ttime_unit = \"%s\";\n};\n\n"
	"clock {\n\tname = hart;\n\tdescription = \"%s\";\n\tfreq = 1000000000;\n};\n\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.hart.value; } := "
	"time_t;\n\n"
	"stream {\n\tid = 0;\n"
	"\tpacket.context := struct { time_t timestamp_begin; time_t timestamp_end; uint64_t "
	"content_size; uint64_t packet_size; uint64_t events_discarded; uint32_t cpu_id; };\n"
	"\tevent.header := struct { uint8_t id; time_t timestamp; };\n"
	"\tevent.context := struct { uint32_t vpid; uint32_t vtid; };\n};\n\n";

#define EVENT(name, id, fields) \
	"event {\n\tname = \"" name "\";\n\tid = " id ";\n\tstream_id = 0;\n" \
	"\tfields := struct { " fields " };\n};\n\n"

static const char events[] = EVENT("func_entry", "0", "string name; address_t addr; string how;")
	EVENT("func_exit", "1", "string name; address_t addr; uint64_t self; uint64_t total;")
		EVENT("thread", "2", "string name; string process; uint32_t stack;") EVENT(
			"trap", "3",
			"string name; uint8_t interrupt; uint32_t cause; address_t addr; "
			"address_t value;")
			EVENT("syscall", "4", "string name; address_t addr; uint64_t number;")
				EVENT("counter", "5", "string name; uint64_t value;");

/* Is it a file of such a trace? */
static bool is_ours(const char *name)
{
	return strcmp(name, "metadata") == 0 || (strncmp(name, "hart-", 5) == 0 && name[5] &&
	                                         name[5 + strspn(name + 5, "0123456789")] == '\0');
}

/* A trace that was there is replaced. */
static enum hs_status remove_old(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *entry = d ? readdir(d) : NULL;
	bool good = d != NULL;

	for (; good && entry; entry = readdir(d))
		good = !is_ours(entry->d_name) || unlinkat(dirfd(d), entry->d_name, 0) == 0;
	const int error = errno;

	if (d)
		closedir(d);
	errno = error;
	return good ? HS_OK : HS_E_SYSTEM;
}

enum hs_status ctf_open(struct ctf_folder *f, const char *path)
{
	f->path = path;
	if (mkdir(path, 0777) == 0)
		return HS_OK;
	return errno == EEXIST ? remove_old(path) : HS_E_SYSTEM;
}

void ctf_free(struct ctf_folder *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->streams[i].packet);
	free(f->streams);
}

static enum hs_status write_file(const struct ctf_folder *f, const char *name, bool append,
                                 const void *bytes, size_t n)
{
	char path[4352];
	enum hs_status s = HS_E_SYSTEM;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", f->path, name) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return HS_E_SYSTEM;
	}
	FILE *to = fopen(path, append ? "ab" : "wb");

	if (!to)
		return HS_E_SYSTEM;
	if (fwrite(bytes, 1, n, to) == n)
		s = HS_OK;
	return fclose(to) == 0 ? s : HS_E_SYSTEM;
}

/* ---- packets ------------------------------------------------------------------------------ */

static void put_at(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void ctf_put(struct ctf_stream *s, uint64_t value, unsigned bytes)
{
	put_at(s->packet + s->n, value, bytes);
	s->n += bytes;
}

void ctf_put_string(struct ctf_stream *s, const char *text)
{
	hs_text_escape((char *)s->packet + s->n, CTF_STRING, text);
	s->n += strlen((const char *)s->packet + s->n) + 1;
}

static void finish_head(struct ctf_stream *s)
{
	const size_t n = s->n;

	s->n = 0;
	ctf_put(s, MAGIC, 4);
	ctf_put(s, 0, 4);
	ctf_put(s, s->first, 8);
	ctf_put(s, s->last, 8);
	ctf_put(s, 8 * (uint64_t)n, 8);
	ctf_put(s, 8 * (uint64_t)n, 8);
	ctf_put(s, 0, 8);
	ctf_put(s, s->hart, 4);
	s->n = n;
}

static enum hs_status write_packet(const struct ctf_folder *f, struct ctf_stream *s)
{
	char name[32];

	if (s->n <= HEAD)
		return HS_OK;
	finish_head(s);
	snprintf(name, sizeof(name), "hart-%u", s->hart);
	const enum hs_status status = write_file(f, name, s->begun, s->packet, s->n);

	s->begun = true;
	s->n = HEAD;
	return status;
}

static struct ctf_stream *stream_of(struct ctf_folder *f, uint32_t index, uint32_t hart)
{
	if (index >= f->count) {
		struct ctf_stream *more = realloc(f->streams, (index + 1u) * sizeof(*more));

		if (!more)
			return NULL;
		f->streams = more;
		memset(more + f->count, 0, (index + 1u - f->count) * sizeof(*more));
		f->count = index + 1u;
	}
	struct ctf_stream *s = &f->streams[index];

	if (!s->packet)
		s->packet = malloc(PACKET);
	if (!s->n)
		s->n = HEAD;
	s->hart = hart;
	return s->packet ? s : NULL;
}

struct ctf_stream *ctf_begin(struct ctf_folder *f, uint32_t index, uint32_t hart,
                             enum ctf_event event, uint64_t now, const struct ctf_who *who,
                             enum hs_status *status)
{
	struct ctf_stream *s = stream_of(f, index, hart);

	*status = !s ? HS_E_MEMORY : s->n + CTF_EVENT_ROOM > PACKET ? write_packet(f, s) : HS_OK;
	if (*status != HS_OK)
		return NULL;
	if (now < s->last) /* a clock that went back */
		now = s->last;
	if (s->n == HEAD)
		s->first = now;
	s->last = now;
	ctf_put(s, event, 1);
	ctf_put(s, now, 8);
	ctf_put(s, who->pid, 4);
	ctf_put(s, who->tid, 4);
	return s;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* A string between quotes: TSDL has those of C. */
static void quote(char *to, size_t size, const char *text)
{
	char plain[512];
	size_t n = 0;

	hs_text_escape(plain, sizeof(plain), text);
	for (const char *p = plain; *p && n + 3 < size; p++) {
		if (*p == '"' || *p == '\\')
			to[n++] = '\\';
		to[n++] = *p;
	}
	to[n] = '\0';
}

enum hs_status ctf_end(struct ctf_folder *f, const char *title, const char *clock)
{
	char text[8192], name[1100];
	enum hs_status s = HS_OK;
	size_t n;

	for (size_t i = 0; i < f->count && s == HS_OK; i++)
		if (f->streams[i].packet)
			s = write_packet(f, &f->streams[i]);
	if (s != HS_OK)
		return s;
	quote(name, sizeof(name), title ? title : "");
	n = (size_t)snprintf(text, sizeof(text), metadata, hs_version_string(), name,
	                     clock ? "nanosecond" : "instruction",
	                     clock ? clock : "a nanosecond for each instruction of the hart");
	n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", events);
	return write_file(f, "metadata", false, text, n);
}
