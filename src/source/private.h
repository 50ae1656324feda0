/* What the files of a source share. */
#ifndef HS_SOURCE_PRIVATE_H
#define HS_SOURCE_PRIVATE_H

#include <hartscope/source.h>

struct hs_source;

/* A kind of source: recording or trace. */
struct source_ops {
	enum hs_status (*next)(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
	                       struct hs_error *error);
	enum hs_status (*rewind)(struct hs_source *s, struct hs_error *error);
	void (*close)(struct hs_source *s);
};

/* A recording whose snapshot is part of the program. */
struct source_image {
	struct source_image *next;
	struct hs_rec *rec;
};

struct hs_source {
	const struct source_ops *ops;
	struct hs_program *program;
	struct source_image *images;
	int64_t hart;
	char *program_path;
	struct hs_program_set set;       /* programs of contexts */
	struct hs_program **processes;
	uint64_t *contexts;
	struct hs_image *process_images; /* a copy of each one's image, for the decoder */
	struct hs_rec_process *files;    /* of these programs */
	size_t file_count;
	bool other_hart; /* what comes now belongs to a hart that was not asked for */

	/* recording */
	struct hs_rec *rec;
	struct hs_rec_stream *stream;
	uint32_t next_stream;

	/* trace */
	const struct hs_protocol *protocol;
	void *config, *decoder, *reader;
	char *path, *recording; /* recording: named by TRACE.json */
	char *transport, *vcd_clock, *vcd_data; /* what TRACE.json says */
	struct hs_capture *capture;
	int fd;
	uint8_t *buffer;
	const uint8_t *p;
	size_t left;
	uint64_t bytes, total;
	const struct hs_custom *custom;
	uint8_t custom_count;
	uint64_t items; /* blocks, events and errors so far */
	bool eof, failed, ended, full;
};

/* source_recording.c */
enum hs_status source_open_recording(struct hs_source *s, const struct hs_source_options *o,
                                     struct hs_error *error);
/* source_trace.c */
enum hs_status source_open_trace(struct hs_source *s, const struct hs_source_options *o,
                                 struct hs_error *error);
/* source_config.c */
enum hs_status source_read_config(struct hs_source *s, const struct hs_source_options *o,
                                  struct hs_error *error);
/* source_code.c */
enum hs_status source_add_code(struct hs_source *s, const struct hs_source_options *o,
                               struct hs_error *error);
enum hs_status source_add_image(struct hs_source *s, const char *path, struct hs_error *error);
void source_add_names(struct hs_source *s, struct hs_rec *rec);
/* The code and names of a recording into any program. */
enum hs_status source_add_image_to(struct hs_source *s, struct hs_program *p, const char *path,
                                   struct hs_error *error);
bool source_has_code(const struct hs_source_options *o); /* of no context */
/* source_process.c */
enum hs_status source_name_process(struct hs_source *s, const struct hs_rec_process *file);
enum hs_status source_add_processes(struct hs_source *s, const struct hs_source_options *o,
                                    struct hs_error *error);
void source_free_processes(struct hs_source *s);

#endif
