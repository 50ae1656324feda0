/* Writing blocks as a recording (a flow).
 *
 * Every different block gets a number, so that a stream has one word for each block.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/access.h"
#include "core/config.h"
#include "recording/manifest.h"
#include "recording/numbered.h"
#include "recording/order.h"
#include "recording/place.h"
#include "recording/private.h"
#include "recording/processes.h"
#include "recording/queue.h"
#include "recording/recording.h"

#define BLOCKS_LIMIT (1u << 21) /* different blocks; further ones are written in full */
#define STREAM_WORDS (1u << 16)
#define SPARE_WORDS 16u /* most of one block or access */
#define STREAMS_LIMIT 4096u
#define CODE_PIECE (HS_REC_LOG_MAX - 8u)
#define COPY_STEP 16u /* numbers that are looked at together */
#define LOOKED_UP 64u /* of so many one may be looked up */

struct stream {
	uint32_t number, count;
	struct rec_out out;
	uint32_t *words; /* STREAM_WORDS + SPARE_WORDS */
	struct hs_access_reader access;
};

/* Code that the log has. */
struct written_code {
	uint64_t given; /* its number in what is written */
	uint64_t number;
};

struct hs_rec_writer {
	struct rec_place place;
	json_t *manifest;
	struct rec_zip zip;
	struct rec_queue *queue; /* NULL: the caller's thread writes frames */
	struct rec_out log;
	uint8_t *log_room;
	size_t log_size;
	struct support_hash blocks; /* of struct hs_block; a block's number is its item's */
	struct support_recent *recent;
	struct support_hash codes;  /* of struct written_code */
	hs_version_fn versions;
	void *versions_of;
	struct stream **streams;
	uint32_t stream_count;
	struct stream *current;
	uint32_t part_count;
	enum hs_status status; /* HS_E_BLOCK once a block was refused */
};

static bool put_frame(struct hs_rec_writer *w, struct rec_out *out, const void *bytes, size_t n)
{
	return w->queue ? rec_queue_frame(w->queue, out, bytes, n)
	                : rec_out_frame(out, &w->zip, bytes, n);
}

static bool flush_log(struct hs_rec_writer *w)
{
	const bool ok = put_frame(w, &w->log, w->log_room, w->log_size);

	w->log_size = 0;
	return ok;
}

/* Append a record whose payload is @a and then @b. */
static bool append_record(struct hs_rec_writer *w, uint32_t type, const void *a, size_t na,
                          const void *b, size_t nb)
{
	const struct hs_rec_log_head head = { type, (uint32_t)(na + nb) };
	const size_t whole = sizeof(head) + (na + nb + 7) / 8 * 8;
	uint8_t *to;

	if (w->log_size + whole > REC_FRAME_BYTES && !flush_log(w))
		return false;
	to = w->log_room + w->log_size;
	memset(to + whole - 8, 0, 8);
	memcpy(to, &head, sizeof(head));
	if (na > 0)
		memcpy(to + sizeof(head), a, na);
	if (nb > 0)
		memcpy(to + sizeof(head) + na, b, nb);
	rec_order_records(to, whole);
	w->log_size += whole;
	return true;
}

static bool append_code(struct hs_rec_writer *w, const struct hs_section *s)
{
	for (uint64_t at = 0; at < s->size; at += CODE_PIECE / 2) {
		const uint64_t start = s->start + at, left = s->size - at;
		const size_t n = left < CODE_PIECE / 2 ? left : CODE_PIECE / 2;

		if (!append_record(w, HS_REC_LOG_CODE, &start, sizeof(start), s->bytes + at, n))
			return false;
	}
	return true;
}

static bool append_image(struct hs_rec_writer *w, const struct hs_image *image)
{
	for (size_t i = 0; image != NULL && i < image->count; i++)
		if (!append_code(w, &image->sections[i]))
			return false;
	return true;
}

static bool append_maps(struct hs_rec_writer *w, const struct hs_rec_writer_options *o)
{
	for (size_t i = 0; i < o->map_count; i++) {
		const struct hs_rec_map *from = &o->maps[i];
		const struct hs_rec_log_map map = { from->start, from->size, from->offset };

		if (!append_record(w, HS_REC_LOG_MAP, &map, sizeof(map), from->path,
		                   strlen(from->path)))
			return false;
	}
	return true;
}

static bool start_log(struct hs_rec_writer *w, const struct hs_rec_writer_options *o)
{
	struct hs_rec_log_start start = { .magic = HS_REC_LOG_MAGIC, .xlen = o->xlen };

	if (o->image != NULL) {
		start.flags = (o->image->isa.zcmp_zcmt ? 1u : 0) | (o->image->isa.pulp ? 2u : 0);
		start.jvt = o->image->jvt;
	}
	return append_record(w, HS_REC_LOG_START, &start, sizeof(start), NULL, 0) &&
	       append_image(w, o->image) && append_maps(w, o) && flush_log(w);
}

static void free_writer(struct hs_rec_writer *w)
{
	rec_queue_free(w->queue);
	for (uint32_t i = 0; i < w->stream_count; i++) {
		rec_out_close(&w->streams[i]->out);
		free(w->streams[i]->words);
		free(w->streams[i]);
	}
	free(w->streams);
	rec_out_close(&w->log);
	rec_zip_close(&w->zip);
	free(w->log_room);
	free(w->recent);
	support_hash_free(&w->blocks);
	support_hash_free(&w->codes);
	json_decref(w->manifest);
	rec_place_close(&w->place);
	free(w);
}

static enum hs_status start_writer(struct hs_rec_writer *w, const char *path,
                                   const struct hs_rec_writer_options *o, struct hs_error *e)
{
	enum hs_status status = rec_place_open(&w->place, path, e);

	if (status != HS_OK)
		return status;
	w->blocks.item_size = sizeof(struct hs_block);
	w->codes.item_size = sizeof(struct written_code);
	w->versions = o->versions;
	w->versions_of = o->versions_of;
	w->streams = calloc(STREAMS_LIMIT, sizeof(*w->streams));
	w->log_room = malloc(REC_FRAME_BYTES + HS_REC_LOG_MAX + 64);
	w->recent = support_recent_new();
	w->manifest = rec_manifest_new("flow", o->program == NULL ? "" : o->program, o->xlen);
	if (w->streams == NULL || w->log_room == NULL || w->recent == NULL || w->manifest == NULL ||
	    rec_zip_open(&w->zip) != HS_OK)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	if (o->source != NULL)
		rec_manifest_put(w->manifest, w->manifest, "source", json_string(o->source));
	if (o->process_count != 0)
		rec_manifest_put(w->manifest, w->manifest, "processes",
		                 rec_processes_json(o->processes, o->process_count));
	status = rec_out_open(&w->log, w->place.dir, "runs.zst", e);
	if (status == HS_OK && !start_log(w, o))
		status = hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(w->log.error));
	return status == HS_OK ? rec_manifest_write(w->place.dir, w->manifest, true, e) : status;
}

/* The caller's options with their defaults. */
static enum hs_status take_options(struct hs_rec_writer_options *o,
                                   const struct hs_rec_writer_options *given, struct hs_error *e)
{
	*o = (struct hs_rec_writer_options){ .size = sizeof(*o) };
	if (given != NULL && base_take_config(o, sizeof(*o), given) != HS_OK)
		return hs_error_set(e, HS_E_CONFIG,
		                    "struct hs_rec_writer_options is of another library");
	if (o->xlen == 0)
		o->xlen = o->image != NULL && o->image->isa.xlen == 32 ? 32 : 64;
	if (o->xlen != 32 && o->xlen != 64)
		return hs_error_set(e, HS_E_CONFIG, "xlen is %u", o->xlen);
	return HS_OK;
}

enum hs_status hs_rec_create(const char *path, const struct hs_rec_writer_options *options,
                             struct hs_rec_writer **w, struct hs_error *error)
{
	struct hs_rec_writer_options o;
	struct hs_rec_writer *writer;
	enum hs_status status = take_options(&o, options, error);

	if (status != HS_OK)
		return status;
	writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	writer->log.fd = writer->place.dir = writer->place.old = -1;
	status = start_writer(writer, path, &o, error);
	if (status != HS_OK) {
		rec_place_discard(&writer->place);
		free_writer(writer);
		return status;
	}
	if (o.threads > 2) /* two cores are busy without it */
		writer->queue = rec_queue_new(&writer->zip);
	*w = writer;
	return HS_OK;
}

/* The log first, so that every block that a word on disk names is on disk too. */
static bool flush_stream(struct hs_rec_writer *w, struct stream *s)
{
	rec_order_words(s->words, s->count);
	const bool ok = flush_log(w) && put_frame(w, &s->out, s->words, 4u * s->count);

	s->count = 0;
	return ok;
}

static struct stream *new_stream(uint32_t number)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	*s = (struct stream){ .number = number,
		              .out.fd = -1,
		              .words = malloc(4u * (STREAM_WORDS + SPARE_WORDS)) };
	if (s->words != NULL)
		return s;
	free(s);
	return NULL;
}

static enum hs_status select_stream(struct hs_rec_writer *w, uint32_t number, struct hs_error *e)
{
	struct stream *s;
	char name[REC_NAME_SIZE];

	for (uint32_t i = 0; i < w->stream_count; i++) {
		if (w->streams[i]->number == number) {
			w->current = w->streams[i];
			return HS_OK;
		}
	}
	if (w->stream_count == STREAMS_LIMIT || number >= REC_HARTS_LIMIT)
		return hs_error_set(e, HS_E_UNSUPPORTED, "more than %u harts", STREAMS_LIMIT);
	s = new_stream(number);
	if (s == NULL)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	w->streams[w->stream_count++] = s;
	w->current = s;
	rec_hart_name(name, number);
	return rec_out_open(&s->out, w->place.dir, name, e);
}

static uint32_t number_of(const struct hs_rec_writer *w, const struct hs_block *known)
{
	return (uint32_t)(known - (const struct hs_block *)w->blocks.items);
}

/* Give a new block its number.  UINT32_MAX: there is no room for more. */
static uint32_t add_block(struct hs_rec_writer *w, const struct hs_block *b, uint32_t hash)
{
	struct hs_block_checker check = { 0 };
	uint32_t words[4];

	if (hs_block_check(&check, b) != HS_OK)
		w->status = HS_E_BLOCK;
	if (w->blocks.count == BLOCKS_LIMIT || w->status != HS_OK)
		return UINT32_MAX;
	struct hs_block *e = support_hash_add(&w->blocks, hash);

	if (e == NULL)
		return UINT32_MAX;
	*e = *b;
	hs_rec_block_pack(b, words);
	if (!append_record(w, HS_REC_LOG_BLOCK, words, sizeof(words), NULL, 0))
		return UINT32_MAX; /* hs_rec_finish() will say so */
	return number_of(w, e);
}

static uint32_t find_block(struct hs_rec_writer *w, const struct hs_block *b)
{
	const uint32_t hash = support_hash_block(b);
	const struct hs_block *e = support_hash_find(&w->blocks, hash, support_same_block, b);

	return e ? number_of(w, e) : add_block(w, b, hash);
}

static void append_event(struct stream *s, const struct hs_block *b)
{
	s->words[s->count] = HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0);
	hs_rec_block_pack(b, s->words + s->count + 1);
	s->count += 5;
}

static bool same_code(const void *item, const void *given)
{
	return ((const struct written_code *)item)->given == *(const uint64_t *)given;
}

/* Append code that changes; the first time it goes to the log. */
static enum hs_status append_version(struct hs_rec_writer *w, struct stream *s,
                                     const struct hs_block *b)
{
	const uint64_t given = b->arg;
	const uint32_t hash = support_hash_of(given, 0);
	struct written_code *known = support_hash_find(&w->codes, hash, same_code, &given);
	struct hs_block event = *b;
	struct hs_section code;

	if (!known) {
		if (w->versions(w->versions_of, b->arg, &code) != HS_OK || !code.size ||
		    code.size > CODE_PIECE)
			return HS_E_ARG;
		known = support_hash_add(&w->codes, hash);
		if (!known)
			return HS_E_MEMORY;
		*known = (struct written_code){ given, w->codes.count - 1 };
		if (!append_record(w, HS_REC_LOG_VERSION, &code.start, sizeof(code.start),
		                   code.bytes, code.size))
			return HS_E_SYSTEM;
	}
	event.arg = (uint32_t)known->number;
	append_event(s, &event);
	return HS_OK;
}

/* An access has several items, but its words are shorter than theirs. */
static void append_data(struct stream *s, const struct hs_block *b)
{
	const struct hs_access *a = &s->access.access;
	struct hs_block items[HS_ACCESS_ITEMS];

	if (!hs_access_take(&s->access, b))
		return;
	if (a->phase == HS_ACCESS_WHOLE && a->id == 0) {
		s->count += hs_rec_access_pack(a, s->words + s->count);
		return;
	}
	const unsigned n = hs_access_put(a, items);

	for (unsigned i = 0; i < n; i++)
		append_event(s, &items[i]);
}

/* Append blocks that were written lately, as long as they are.  Returns how many. */
static size_t append_recent(struct hs_rec_writer *w, struct stream *s, const struct hs_block *b,
                            size_t n)
{
	const size_t room = STREAM_WORDS - s->count, most = n < room ? n : room;
	const size_t found = support_recent_find(w->recent, b, most, s->words + s->count);

	s->count += (uint32_t)found;
	return found;
}

static void append_block(struct hs_rec_writer *w, struct stream *s, const struct hs_block *b)
{
	const uint32_t number = find_block(w, b);

	if (number == UINT32_MAX) {
		append_event(s, b);
		return;
	}
	support_recent_put(w->recent, b, number);
	s->words[s->count++] = number;
}

static enum hs_status write_failed(const struct hs_rec_writer *w, struct hs_error *e)
{
	int error = w->log.error != 0 ? w->log.error : w->current->out.error;

	for (uint32_t i = 0; error == 0 && i < w->stream_count; i++)
		error = w->streams[i]->out.error;
	return hs_error_set(e, HS_E_SYSTEM, "cannot write the recording: %s", strerror(error));
}

/* One item that is not found among the latest blocks. */
static enum hs_status write_item(struct hs_rec_writer *w, struct stream *s,
                                 const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_BLOCK:
		append_block(w, s, b);
		return HS_OK;
	case HS_KIND_DATA:
	case HS_KIND_VALUE:
		append_data(s, b);
		return HS_OK;
	case HS_KIND_VERSION:
		return w->versions ? append_version(w, s, b) : HS_OK;
	default:
		append_event(s, b);
		return HS_OK;
	}
}

enum hs_status hs_rec_write(struct hs_rec_writer *w, const struct hs_block *blocks, size_t n,
                            struct hs_error *error)
{
	enum hs_status status = HS_OK;

	if (w->current == NULL && (n == 0 || blocks[0].kind != HS_KIND_HART))
		status = select_stream(w, 0, error);
	for (size_t i = 0; i < n && status == HS_OK;) {
		if (blocks[i].kind == HS_KIND_HART) {
			status = select_stream(w, blocks[i++].arg, error);
			continue;
		}
		struct stream *s = w->current;
		const size_t recent = append_recent(w, s, blocks + i, n - i);

		i += recent;
		if (!recent)
			status = write_item(w, s, &blocks[i++]);
		if (status != HS_OK)
			status = status == HS_E_SYSTEM ? write_failed(w, error)
			                               : hs_error_set(error, status, "%s",
			                                              hs_status_text(status));
		else if (w->status != HS_OK)
			status = hs_error_set(error, w->status, "%s", hs_status_text(w->status));
		else if (s->count >= STREAM_WORDS && !flush_stream(w, s))
			status = write_failed(w, error);
	}
	return status;
}

/* ---- blocks that a thread has numbered --------------------------------------------- */

/* Keep the writer's number of a block, for the thread that numbers, too.  False: no memory. */
static bool know_number(struct hs_rec_numbers *k, uint32_t number, uint32_t written)
{
	uint32_t **at = &k->written[number / SUPPORT_NUMBERS_PIECE], *piece = *at;
	const size_t size = SUPPORT_NUMBERS_PIECE * sizeof(*piece);

	if (piece == NULL) {
		piece = malloc(size);
		if (piece == NULL)
			return false;
		memset(piece, 0xff, size);
		__atomic_store_n(at, piece, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&piece[number % SUPPORT_NUMBERS_PIECE], written, __ATOMIC_RELAXED);
	return true;
}

/* Copy the writer's own numbers, COPY_STEP at a time, as long as there are no others among them.
 * Returns how many. */
static size_t copy_written(uint32_t *restrict to, const uint32_t *restrict words, size_t n)
{
	size_t i;

	for (i = 0; n - i >= COPY_STEP; i += COPY_STEP) {
		uint32_t all = NUMBERED_WRITTEN;

		for (unsigned j = 0; j < COPY_STEP; j++)
			all &= words[i + j];
		if (all == 0)
			break;
		for (unsigned j = 0; j < COPY_STEP; j++)
			to[i + j] = words[i + j] & ~NUMBERED_WRITTEN;
	}
	return i;
}

/* Look up the writer's numbers, of a few blocks, as long as there are any.  Returns how many. */
static size_t look_up_written(uint32_t *to, const struct hs_rec_numbers *k, const uint32_t *words,
                              size_t n)
{
	size_t i;

	for (i = 0; i < n && i < COPY_STEP && words[i] != NUMBERED_EVENT; i++) {
		to[i] = words[i] & NUMBERED_WRITTEN ? words[i] & ~NUMBERED_WRITTEN
		                                    : numbered_written(k, words[i]);
		if (to[i] == SUPPORT_NUMBER_NONE)
			break;
	}
	return i;
}

/* Append blocks whose numbers are known, as long as they are.  Returns how many; *looked_up: as
 * many more had to be looked up. */
static size_t append_known(struct stream *s, const struct hs_rec_numbers *k, const uint32_t *words,
                           size_t n, size_t *looked_up)
{
	const size_t room = STREAM_WORDS - s->count, most = n < room ? n : room;
	uint32_t *to = s->words + s->count;
	size_t i = 0, got = 1;

	while (got != 0) {
		const size_t copied = copy_written(to + i, words + i, most - i);

		i += copied;
		got = look_up_written(to + i, k, words + i, most - i);
		i += got;
		*looked_up += got;
	}
	s->count += (uint32_t)i;
	return i;
}

/* Write a block as any other, and know its number from now on. */
static enum hs_status write_numbered(struct hs_rec_writer *w, struct hs_rec_numbers *k,
                                     uint32_t number, struct hs_error *error)
{
	const struct hs_block *b = support_numbers_block(&k->all, number);
	const enum hs_status status = hs_rec_write(w, b, 1, error);

	if (status != HS_OK)
		return status;
	if (!know_number(k, number, find_block(w, b)))
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	return HS_OK;
}

enum hs_status hs_rec_write_numbered(struct hs_rec_writer *w, struct hs_rec_numbers *k,
                                     const struct hs_rec_numbered *p, struct hs_error *error)
{
	enum hs_status status = HS_OK;
	size_t events = 0, looked_up = 0;

	for (size_t i = 0; i < p->count && status == HS_OK;) {
		struct stream *s = w->current;
		const size_t known =
			s ? append_known(s, k, p->words + i, p->count - i, &looked_up) : 0;

		i += known;
		if (known != 0 && s->count >= STREAM_WORDS && !flush_stream(w, s))
			status = write_failed(w, error);
		if (known != 0)
			continue;
		status = p->words[i] == NUMBERED_EVENT
		                 ? hs_rec_write(w, &p->events[events++], 1, error)
		                 : write_numbered(w, k, p->words[i], error);
		i++;
	}
	if (looked_up > p->count / LOOKED_UP)
		__atomic_store_n(&k->stale, true, __ATOMIC_RELAXED);
	return status;
}

enum hs_status hs_rec_write_code(struct hs_rec_writer *w, const struct hs_section *code,
                                 struct hs_error *error)
{
	if (code->size == 0)
		return hs_error_set(error, HS_E_ARG, "a section without bytes");
	if (append_code(w, code))
		return HS_OK;
	return hs_error_set(error, HS_E_SYSTEM, "cannot write the recording: %s",
	                    strerror(w->log.error));
}

enum hs_status hs_rec_add_part(struct hs_rec_writer *w, const char *path, struct hs_error *error)
{
	struct rec_folder folder = { .dir = -1 };
	uint32_t *harts = NULL;
	size_t count = 0;
	enum hs_status status =
		rec_part_link(w->place.dir, ++w->part_count, path, &folder, error);

	if (status == HS_OK) {
		status = rec_folder_harts(&folder, &harts, &count);
		if (status != HS_OK)
			hs_error_set(error, status, "%s: cannot be listed", path);
	}
	for (size_t i = 0; i < count && status == HS_OK; i++)
		status = select_stream(w, harts[i], error);
	rec_manifest_put(w->manifest, w->manifest, "parts", json_integer(w->part_count));
	if (folder.dir >= 0)
		close(folder.dir);
	free(harts);
	return status;
}

static enum hs_status flush_all(struct hs_rec_writer *w, struct hs_error *e)
{
	enum hs_status status = HS_OK;

	if (w->current == NULL)
		status = select_stream(w, 0, e);
	for (uint32_t i = 0; i < w->stream_count; i++) {
		struct stream *s = w->streams[i];

		w->current = s;
		if (!flush_stream(w, s))
			status = write_failed(w, e);
		if (w->queue != NULL)
			rec_queue_drain(w->queue);
		rec_out_close(&s->out);
		if (status == HS_OK && (s->out.error != 0 || w->log.error != 0))
			status = write_failed(w, e);
		rec_manifest_add_hart(w->manifest,
		                      &(struct rec_manifest_hart){ .number = s->number,
		                                                   .file = rec_out_digest(&s->out),
		                                                   .instructions = -1 });
	}
	rec_out_close(&w->log);
	const struct support_digest log = rec_out_digest(&w->log);

	rec_manifest_set_log(w->manifest, &log);
	return status == HS_OK && w->log.error != 0 ? write_failed(w, e) : status;
}

/* Another recording is replaced only by one that is whole. */
static enum hs_status settle(struct hs_rec_writer *w, bool whole, struct hs_error *e)
{
	if (whole || w->place.target == NULL)
		return rec_place_commit(&w->place, e);
	rec_place_discard(&w->place);
	return HS_OK;
}

enum hs_status hs_rec_finish(struct hs_rec_writer *w, bool complete, const char *end,
                             struct hs_error *error)
{
	enum hs_status status = flush_all(w, error), written;

	rec_manifest_set_end(w->manifest, complete && status == HS_OK,
	                 status == HS_OK ? end : "could not be written");
	written =
		rec_manifest_write(w->place.dir, w->manifest, true, status == HS_OK ? error : NULL);
	if (status == HS_OK)
		status = written;
	written = settle(w, complete && status == HS_OK, status == HS_OK ? error : NULL);
	free_writer(w);
	return status == HS_OK ? written : status;
}

void hs_rec_discard(struct hs_rec_writer *w)
{
	if (w == NULL)
		return;
	rec_place_discard(&w->place);
	free_writer(w);
}
