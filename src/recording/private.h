/* Shared by the files of this room, and with the recorder. */
#ifndef HS_RECORDING_PRIVATE_H
#define HS_RECORDING_PRIVATE_H

#include <stdio.h>
#include <sys/types.h>

#include <jansson.h>
#include <zstd.h>

#include <hartscope/recording_format.h>
#include <hartscope/recording.h>

#define REC_VERSION 1
#define REC_FORMAT "hartscope-recording"
#define REC_FRAME_BYTES (1u << 20)  /* raw bytes of one frame, at most */
#define REC_LOG_LIMIT (1ull << 31)  /* raw bytes of a log that a reader accepts */
#define REC_HARTS_LIMIT 65536u

/* io.c: files of independent zstd frames. */
struct rec_zip {
	ZSTD_CCtx *context;
	void *room;
	size_t room_size;
};
struct rec_out {
	int fd;         /* -1: closed or failed */
	uint64_t bytes; /* written to the file */
	int error;      /* errno of the first failure */
};
enum hs_status rec_zip_open(struct rec_zip *zip);
void rec_zip_close(struct rec_zip *zip);
enum hs_status rec_out_open(struct rec_out *out, int dir, const char *name, struct hs_error *e);
bool rec_out_frame(struct rec_out *out, struct rec_zip *zip, const void *bytes, size_t n);
void rec_out_close(struct rec_out *out);

struct rec_in {
	FILE *file;
	ZSTD_DStream *stream;
	uint8_t *room;
	ZSTD_inBuffer in;
	bool inside; /* a frame has begun and not ended */
};
enum hs_status rec_in_open(struct rec_in *in, int dir, const char *name, struct hs_error *e);
enum hs_status rec_in_read(struct rec_in *in, void *out, size_t cap, size_t *n);
void rec_in_close(struct rec_in *in);

/* log.c: the log in memory. */
struct rec_log {
	uint8_t *raw;
	size_t size, capacity, parsed;
	uint32_t *runs; /* offset of the record of each run number, in units of 8 bytes */
	uint32_t run_count, run_capacity;
	uint32_t blocks; /* how many of the runs are HS_REC_LOG_BLOCK */
	struct hs_rec_log_start start;
	bool started;
};
enum hs_status rec_log_feed(struct rec_log *log, const void *bytes, size_t n);
void rec_log_free(struct rec_log *log);
const struct hs_rec_log_head *rec_log_next(const struct rec_log *log, size_t *at);
const struct hs_rec_log_head *rec_log_of_run(const struct rec_log *log, uint32_t run);
const struct hs_rec_log_run *rec_log_run(const struct rec_log *log, uint32_t run);
uint32_t rec_log_prefix(const struct rec_log *log, uint32_t run, uint32_t hwords, uint8_t *ilast);
struct hs_isa rec_log_isa(const struct rec_log *log);

/* runs.c: runs ready for the conversion to blocks. */
struct rec_run;
struct rec_runs {
	struct rec_run *runs;
	uint32_t count;
};
enum hs_status rec_runs_build(struct rec_runs *runs, const struct rec_log *log);

/* image.c: the code snapshot. */
struct rec_image {
	struct hs_image image;
	struct hs_section *sections;
	uint8_t *bytes;
};
enum hs_status rec_image_build(struct rec_image *image, const struct rec_log *log);
void rec_image_free(struct rec_image *image);

/* manifest.c: manifest.json. */
struct rec_hart_count {
	uint32_t number;
	uint64_t instructions, words;
};
enum hs_status rec_manifest_read(int dir, json_t **manifest, struct hs_error *e);
enum hs_status rec_manifest_write(int dir, json_t *manifest, struct hs_error *e);
json_t *rec_manifest_new(const char *kind, const char *program, unsigned xlen);
void rec_manifest_from_log(json_t *manifest, const struct rec_log *log);
void rec_manifest_end(json_t *manifest, bool complete, const char *end);
void rec_manifest_hart(json_t *manifest, uint32_t number, int64_t instructions, uint64_t bytes);
size_t rec_harts(int dir, uint32_t **numbers);
enum hs_status rec_directory(const char *path, int *dir, struct hs_error *e);

/* process.c */
json_t *rec_processes_json(const struct hs_rec_process *p, size_t n);
enum hs_status rec_processes_read(const json_t *list, struct hs_rec_process **out, size_t *count);

/* reader.c. */
struct rec_resume {
	uint32_t count; /* signals of one hart whose handler returned, sorted by @signal */
	struct hs_rec_log_resume *list;
};
struct hs_rec {
	int dir;
	struct hs_rec_info info;
	json_t *manifest;
	struct rec_log log;
	struct rec_runs runs;
	struct rec_image image;
	struct hs_rec_map *maps;
	const char **children;
	struct hs_rec_process *processes;
	uint32_t *harts; /* number of each stream */
	bool closed;     /* every run is a block: a flow */
};

/* One run, ready: 32 bytes, so that two share a cache line.
 * fall: bit 0 set when any address may follow; else what follows (a branch: not taken).
 * target: the other address that may follow; bit 0 set for a branch. */
struct rec_run {
	struct hs_block block;
	uint64_t fall, target;
};

#endif
