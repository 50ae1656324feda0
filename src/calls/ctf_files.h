/* The files of a trace in the Common Trace Format 1.8: a stream for each hart, in packets. */
#ifndef HS_CALLS_CTF_FILES_H
#define HS_CALLS_CTF_FILES_H

#include "calls/exports_private.h"

enum ctf_event { CTF_ENTRY, CTF_EXIT, CTF_THREAD, CTF_TRAP, CTF_CALL, CTF_COUNTER };

#define CTF_STRING 1024u     /* bytes of a string, with its end, at most */
#define CTF_EVENT_ROOM 4096u /* of an event */

/* A hart's stream: the packet that is filled now. */
struct ctf_stream {
	uint8_t *packet;
	size_t n;
	uint64_t first, last; /* times in it */
	uint32_t hart;
	bool begun; /* its file has a packet */
};

/* Who runs: in each event. */
struct ctf_who {
	uint32_t pid, tid;
};

struct ctf_folder {
	const char *path;
	struct ctf_stream *streams; /* by index of the hart */
	size_t count;
};

/* Make the folder.  HS_OK, HS_E_SYSTEM. */
enum hs_status ctf_open(struct ctf_folder *f, const char *path);
/* Begin an event of a hart; NULL: *s is why not. */
struct ctf_stream *ctf_begin(struct ctf_folder *f, uint32_t index, uint32_t hart,
                             enum ctf_event event, uint64_t now, const struct ctf_who *who,
                             enum hs_status *s);
void ctf_put(struct ctf_stream *s, uint64_t value, unsigned bytes);
void ctf_put_string(struct ctf_stream *s, const char *text);
/* Write what is left, and what the events are: before that it is no trace.  @clock: what its
 * nanoseconds are; NULL: instructions. */
enum hs_status ctf_end(struct ctf_folder *f, const char *title, const char *clock);
void ctf_free(struct ctf_folder *f);

#endif
