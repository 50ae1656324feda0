/* Files of a recording: concatenated zstd frames, in a directory or in memory. */
#ifndef HS_RECORDING_FILES_H
#define HS_RECORDING_FILES_H

#include <stdio.h>

#include <zstd.h>

#include <hartscope/recording.h>

#include "support/digest.h"

struct XXH64_state_s;

#define REC_FRAME_BYTES (1u << 20)  /* raw bytes of one frame, at most */
#define REC_FRAME_LEAST 4096u       /* the same where a disk is full, at least */
#define REC_HARTS_LIMIT 65536u
#define REC_NAME_SIZE 32u           /* of hart-N.zst */

/* Where the files are. */
struct rec_folder {
	int dir;                   /* -1: in memory */
	struct hs_rec_file *files; /* in memory: a copy of the caller's list */
	size_t count;
};
/* The first file in memory with this name; NULL when there is none. */
const struct hs_rec_file *rec_folder_find(const struct rec_folder *folder, const char *name);
void rec_hart_name(char name[REC_NAME_SIZE], uint32_t number);
/* Give @take each name in a directory until one is not HS_OK, which is the result.  HS_E_SYSTEM,
 * with errno: there may be more names than were given. */
enum hs_status rec_each_name(int dir, enum hs_status (*take)(void *of, const char *name), void *of);
/* The harts whose streams are in a folder, sorted.  The caller frees *numbers. */
enum hs_status rec_folder_harts(const struct rec_folder *folder, uint32_t **numbers, size_t *count);
/* Add those that manifest.json lists: sorted, each once, with room for one more. */
enum hs_status rec_add_listed(const json_t *list, uint32_t **numbers, size_t *count);
int rec_by_number(const void *a, const void *b);
/* Make a file and nothing but a file: a link or FIFO of its name is removed, not followed.  -1 and
 * errno where that fails. */
int rec_file_make(int dir, const char *name);

/* A compressor; several files may share it, one after another. */
struct rec_zip {
	ZSTD_CCtx *context;
	void *room;
	size_t room_size;
	uint32_t *words; /* where words of a stream get the order of a file (order.h), or NULL */
};
enum hs_status rec_zip_open(struct rec_zip *zip);
/* What is compressed are words, as this host has them. */
enum hs_status rec_zip_take_words(struct rec_zip *zip);
void rec_zip_close(struct rec_zip *zip);
/* Compress up to REC_FRAME_BYTES to zip->room.  0: out of memory. */
size_t rec_zip_frame(struct rec_zip *zip, const void *bytes, size_t n);

/* A file that is written. */
struct rec_out {
	int fd;         /* -1: closed or failed */
	uint64_t bytes; /* written to the file */
	int error;      /* errno of the first failure */
	struct XXH64_state_s *sum; /* of them, while it is open */
	struct support_digest closed;
};
enum hs_status rec_out_open(struct rec_out *out, int dir, const char *name, struct hs_error *e);
bool rec_out_frame(struct rec_out *out, struct rec_zip *zip, const void *bytes, size_t n);
/* Write bytes as they are, of whole frames. */
bool rec_out_bytes(struct rec_out *out, const void *bytes, size_t n);
void rec_out_close(struct rec_out *out);
/* Of what was written; not known where the file was never open. */
struct support_digest rec_out_digest(const struct rec_out *out);

/* Bytes that come while they are read, not compressed. */
struct rec_feed {
	uint8_t *bytes;
	size_t count, at, room; /* bytes there are, bytes that were read */
	bool ended;
};
enum hs_status rec_feed_add(struct rec_feed *feed, const void *bytes, size_t n);

/* A file that is read. */
struct rec_in {
	struct rec_feed *feed; /* NULL: a file, or memory */
	FILE *file; /* NULL: in memory, all of it in @in */
	ZSTD_DStream *stream;
	uint8_t *room;
	ZSTD_inBuffer in;
	bool inside; /* a frame has begun and not ended */
	bool damaged; /* what follows what was given */
	bool torn;    /* the last word that was given is followed by a part of one */
	struct support_digest expected; /* known: compared at the end of the file */
	struct XXH64_state_s *sum;      /* of what was read, in order; NULL: nothing is compared */
	uint64_t bytes;                 /* of them */
	bool other;                     /* it is another file */
};
enum hs_status rec_in_open(struct rec_in *in, const struct rec_folder *folder, const char *name,
                           struct hs_error *e);
/* From the beginning on: a file that has another digest at its end ends with HS_E_FORMAT, and then
 * in->other is set.  Without memory nothing is compared. */
void rec_in_expect(struct rec_in *in, const struct support_digest *digest);
/* HS_MORE: of a feed, there is no more by now. */
enum hs_status rec_in_read(struct rec_in *in, void *out, size_t cap, size_t *n);
/* The same of words, which frames hold whole: HS_E_CUT, also where one is not. */
enum hs_status rec_in_read_words(struct rec_in *in, uint32_t *words, size_t cap, size_t *n);
/* Where in the file the next byte is, between two frames; and to go there.  False: it cannot be. */
bool rec_in_end_frame(struct rec_in *in); /* false: it has more bytes, or is damaged */
uint64_t rec_in_offset(const struct rec_in *in);
bool rec_in_seek(struct rec_in *in, uint64_t offset);
void rec_in_close(struct rec_in *in);

#endif
