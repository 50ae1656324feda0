/* Files of zstd frames.  Each frame is complete in itself, so that what is on disk can be read
 * wherever the writing stopped, also by `zstd -d`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "recording/files.h"
#include "recording/order.h"
#include "support/file.h"
#include "support/grow.h"

/* The fast levels: level 1 takes a third more time and saves little (docs/recording-format.md). */
#define LEVEL (-5)
#define IN_ROOM (1u << 18)

enum hs_status rec_zip_open(struct rec_zip *zip)
{
	zip->room_size = ZSTD_compressBound(REC_FRAME_BYTES);
	zip->room = malloc(zip->room_size);
	zip->context = ZSTD_createCCtx();
	if (zip->room == NULL || zip->context == NULL ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(zip->context, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(zip->context, ZSTD_c_checksumFlag, 1))) {
		rec_zip_close(zip);
		return HS_E_MEMORY;
	}
	return HS_OK;
}

void rec_zip_close(struct rec_zip *zip)
{
	ZSTD_freeCCtx(zip->context);
	free(zip->room);
	free(zip->words);
	*zip = (struct rec_zip){ 0 };
}

int rec_file_make(int dir, const char *name)
{
	unlinkat(dir, name, 0);
	return openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

enum hs_status rec_out_open(struct rec_out *out, int dir, const char *name, struct hs_error *e)
{
	*out = (struct rec_out){ .fd = rec_file_make(dir, name) };
	if (out->fd < 0) {
		out->error = errno;
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", name, strerror(errno));
	}
	out->sum = XXH64_createState();
	if (out->sum != NULL) {
		XXH64_reset(out->sum, 0);
		return HS_OK;
	}
	rec_out_close(out);
	out->error = ENOMEM;
	return hs_error_set(e, HS_E_MEMORY, "out of memory");
}

static void fail_file(struct rec_out *out, int error)
{
	if (out->error == 0)
		out->error = error;
	rec_out_close(out);
}

/* The file ends after whole frames again.  Returns @error, or errno. */
static int take_back(const struct rec_out *out, int error)
{
	const off_t end = (off_t)out->bytes;

	return ftruncate(out->fd, end) != 0 || lseek(out->fd, end, SEEK_SET) != end ? errno : error;
}

/* 0, or errno. */
static int write_all(struct rec_out *out, const uint8_t *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		const ssize_t w = write(out->fd, p + done, n - done);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return take_back(out, errno);
		done += (size_t)w;
	}
	out->bytes += n;
	XXH64_update(out->sum, p, n);
	return 0;
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

enum hs_status rec_zip_take_words(struct rec_zip *zip)
{
	if (!REC_SWAPS)
		return HS_OK;
	zip->words = malloc(REC_FRAME_BYTES);
	return zip->words ? HS_OK : HS_E_MEMORY;
}

size_t rec_zip_frame(struct rec_zip *zip, const void *bytes, size_t n)
{
	if (zip->words) {
		memcpy(zip->words, bytes, n);
		rec_swap_words(zip->words, n / 4);
		bytes = zip->words;
	}
	const size_t size = ZSTD_compress2(zip->context, zip->room, zip->room_size, bytes, n);

	return ZSTD_isError(size) ? 0 : size;
}

/* 0, or errno. */
static int write_frame(struct rec_out *out, struct rec_zip *zip, const uint8_t *bytes, size_t n)
{
	const size_t size = rec_zip_frame(zip, bytes, n);

	return size == 0 ? ENOMEM : write_all(out, zip->room, size);
}

bool rec_out_bytes(struct rec_out *out, const void *bytes, size_t n)
{
	const int error = out->fd < 0 ? 0 : write_all(out, bytes, n);

	if (error != 0)
		fail_file(out, error);
	return out->fd >= 0;
}

/* Compress and write up to REC_FRAME_BYTES.  False when the file failed, now or earlier; a disk
 * that is full then has all but REC_FRAME_LEAST bytes of what fits. */
bool rec_out_frame(struct rec_out *out, struct rec_zip *zip, const void *bytes, size_t n)
{
	size_t piece = n;

	if (out->fd < 0)
		return false;
	for (size_t done = 0; done < n;) {
		const size_t now = n - done < piece ? n - done : piece;
		const int error = write_frame(out, zip, (const uint8_t *)bytes + done, now);

		if (error == 0) {
			done += now;
		} else if (is_full(error) && now > REC_FRAME_LEAST) {
			piece = (now / 2 + 7) / 8 * 8;
		} else {
			fail_file(out, error);
			return false;
		}
	}
	return true;
}

void rec_out_close(struct rec_out *out)
{
	if (out->fd >= 0 && close(out->fd) != 0 && out->error == 0)
		out->error = errno;
	out->fd = -1;
	if (out->sum == NULL)
		return;
	out->closed = rec_out_digest(out);
	XXH64_freeState(out->sum);
	out->sum = NULL;
}

struct support_digest rec_out_digest(const struct rec_out *out)
{
	if (out->sum == NULL)
		return out->closed;
	return (struct support_digest){ .known = true,
		                        .bytes = out->bytes,
		                        .sum = XXH64_digest(out->sum) };
}

static enum hs_status open_in_directory(struct rec_in *in, int dir, const char *name,
                                        struct hs_error *e)
{
	in->file = support_stream(support_open_beneath(dir, name));
	if (in->file == NULL)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", name, support_open_failure(errno));
	setvbuf(in->file, NULL, _IONBF, 0);
	in->room = malloc(IN_ROOM);
	in->in.src = in->room;
	if (in->room != NULL)
		return HS_OK;
	rec_in_close(in);
	return hs_error_set(e, HS_E_MEMORY, "out of memory");
}

static enum hs_status open_in_memory(struct rec_in *in, const struct rec_folder *folder,
                                     const char *name, struct hs_error *e)
{
	const struct hs_rec_file *file = rec_folder_find(folder, name);

	if (file == NULL)
		return hs_error_set(e, HS_E_SYSTEM, "%s: not among the files", name);
	in->in = (ZSTD_inBuffer){ file->bytes.p, file->bytes.n, 0 };
	return HS_OK;
}

enum hs_status rec_in_open(struct rec_in *in, const struct rec_folder *folder, const char *name,
                           struct hs_error *e)
{
	enum hs_status status;

	*in = (struct rec_in){ 0 };
	status = folder->dir >= 0 ? open_in_directory(in, folder->dir, name, e) :
	         open_in_memory(in, folder, name, e);
	if (status != HS_OK)
		return status;
	in->stream = ZSTD_createDStream();
	/* Frames have at most REC_FRAME_BYTES: one with a larger window is not a recording's. */
	if (in->stream == NULL ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(in->stream, ZSTD_d_windowLogMax, 23))) {
		rec_in_close(in);
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	}
	return HS_OK;
}

/* Of what was just read. */
static void take_sum(struct rec_in *in)
{
	if (in->sum == NULL || in->in.size == 0)
		return;
	XXH64_update(in->sum, in->in.src, in->in.size);
	in->bytes += in->in.size;
}

static void forget_sum(struct rec_in *in)
{
	XXH64_freeState(in->sum);
	in->sum = NULL;
}

void rec_in_expect(struct rec_in *in, const struct support_digest *digest)
{
	in->expected = *digest;
	in->sum = digest->known ? XXH64_createState() : NULL;
	if (in->sum != NULL)
		XXH64_reset(in->sum, 0);
	if (in->sum != NULL && in->file == NULL)
		take_sum(in);
}

/* More compressed bytes, when all were used; none at the end of the file.  False: a read error. */
static bool refill_input(struct rec_in *in)
{
	if (in->in.pos < in->in.size)
		return true;
	in->in.size = in->file == NULL ? 0 : fread(in->room, 1, IN_ROOM, in->file);
	in->in.pos = 0;
	take_sum(in);
	return in->in.size > 0 || in->file == NULL || !ferror(in->file);
}

enum hs_status rec_feed_add(struct rec_feed *f, const void *bytes, size_t n)
{
	if (f->at > 0)
		memmove(f->bytes, f->bytes + f->at, f->count - f->at);
	f->count -= f->at;
	f->at = 0;
	if (!support_grow(&f->bytes, &f->room, f->count + n, 1))
		return HS_E_MEMORY;
	if (n > 0)
		memcpy(f->bytes + f->count, bytes, n);
	f->count += n;
	return HS_OK;
}

static enum hs_status read_feed(struct rec_feed *f, void *out, size_t cap, size_t *n)
{
	const size_t left = f->count - f->at;

	*n = left < cap ? left : cap;
	if (*n == 0)
		return f->ended ? HS_END : HS_MORE;
	memcpy(out, f->bytes + f->at, *n);
	f->at += *n;
	return HS_OK;
}

/* It ended between two frames: is it the file that was expected? */
static enum hs_status end_file(struct rec_in *in)
{
	if (in->sum == NULL)
		return HS_END;
	in->other = in->bytes != in->expected.bytes || XXH64_digest(in->sum) != in->expected.sum;
	return in->other ? HS_E_FORMAT : HS_END;
}

/* Up to @cap bytes.  HS_OK: *n > 0.  HS_END: the file ended between two frames.  HS_E_CUT: it
 * ended inside one.  HS_E_FORMAT: not zstd, damaged, or another one than was expected.
 * HS_E_SYSTEM: it cannot be read. */
enum hs_status rec_in_read(struct rec_in *in, void *out, size_t cap, size_t *n)
{
	ZSTD_outBuffer to = { out, cap, 0 };

	*n = 0;
	if (in->damaged)
		return HS_E_FORMAT;
	if (in->feed != NULL)
		return read_feed(in->feed, out, cap, n);
	while (to.pos < cap) {
		const size_t before = to.pos;

		if (!refill_input(in) && to.pos == 0) {
			*n = 0;
			return HS_E_SYSTEM;
		}
		if (in->in.size == 0 && !in->inside)
			break;
		const size_t hint = ZSTD_decompressStream(in->stream, &to, &in->in);

		if (ZSTD_isError(hint)) { /* what is before that is given first */
			in->damaged = true;
			*n = to.pos;
			return *n > 0 ? HS_OK : HS_E_FORMAT;
		}
		in->inside = hint != 0;
		if (in->in.size == 0 && to.pos == before)
			break;
	}
	*n = to.pos;
	if (*n > 0)
		return HS_OK;
	return in->inside ? HS_E_CUT : end_file(in);
}

enum hs_status rec_in_read_words(struct rec_in *in, uint32_t *words, size_t cap, size_t *n)
{
	enum hs_status status = HS_E_CUT;
	size_t bytes = 0;

	*n = 0;
	if (in->torn)
		return status;
	status = rec_in_read(in, words, sizeof(*words) * cap, &bytes);
	*n = bytes / sizeof(*words);
	in->torn = bytes % sizeof(*words) != 0;
	if (in->feed == NULL)
		rec_order_words(words, *n);
	return in->torn && *n == 0 ? HS_E_CUT : status;
}

/* Take what is left of a frame whose bytes were all given: its checksum. */
bool rec_in_end_frame(struct rec_in *in)
{
	uint8_t none;
	ZSTD_outBuffer to = { &none, 0, 0 };

	if (in->feed != NULL)
		return false;
	if (!in->inside)
		return true;
	if (!refill_input(in) || in->in.size == 0)
		return false;
	const size_t hint = ZSTD_decompressStream(in->stream, &to, &in->in);

	in->damaged = ZSTD_isError(hint);
	in->inside = in->damaged || hint != 0;
	return !in->inside;
}

uint64_t rec_in_offset(const struct rec_in *in)
{
	const off_t at = in->file == NULL ? (off_t)in->in.size : ftello(in->file);

	return (uint64_t)at - (in->in.size - in->in.pos);
}

bool rec_in_seek(struct rec_in *in, uint64_t offset)
{
	if (in->feed != NULL)
		return false;
	forget_sum(in); /* not all of it is read in order */
	in->inside = false;
	ZSTD_DCtx_reset(in->stream, ZSTD_reset_session_only);
	if (in->file == NULL) {
		in->in.pos = offset < in->in.size ? (size_t)offset : in->in.size;
		return in->in.pos == offset;
	}
	in->in.size = in->in.pos = 0;
	return offset <= INT64_MAX && fseeko(in->file, (off_t)offset, SEEK_SET) == 0;
}

void rec_in_close(struct rec_in *in)
{
	if (in->file != NULL)
		fclose(in->file);
	forget_sum(in);
	ZSTD_freeDStream(in->stream);
	free(in->room);
	*in = (struct rec_in){ 0 };
}
