/* Sources: a trace, read in pieces. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/private.h"

#define PIECE ((size_t)1 << 18)

/* More bytes into the buffer; at the end of the file eof is set. */
static enum hs_status refill(struct hs_source *s, struct hs_error *error)
{
	enum hs_status status;

	do
		status = hs_capture_read(s->capture, s->buffer, PIECE, &s->left, error);
	while (status == HS_OK && !s->left);
	s->eof = status == HS_END || status == HS_E_SYSTEM;
	s->p = s->buffer;
	s->bytes += s->left;
	return status == HS_END ? HS_OK : status;
}

static enum hs_status finish(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *error)
{
	if (s->ended)
		return HS_END;
	const enum hs_status status = s->protocol->decode_end(s->decoder, out, cap, n);

	s->items += *n;
	if (status == HS_OK)
		s->ended = true;
	else if (status != HS_FULL)
		s->protocol->decoder_diag(s->decoder, status, error);
	if (status != HS_OK || s->items++ || !s->bytes)
		return status == HS_FULL ? HS_OK : status;
	return hs_error_set(error, HS_E_FORMAT, "%s: no message synchronises in %llu bytes: nothing can be decoded",
	                    s->path, (unsigned long long)s->bytes);
}

static enum hs_status next(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                           struct hs_error *error)
{
	if (!s->left && !s->eof && !s->full) {
		const enum hs_status status = refill(s, error);

		if (status != HS_OK)
			return status;
	}
	if (!s->left && !s->full)
		return finish(s, out, cap, n, error);
	const enum hs_status status = s->protocol->decode(s->decoder, &s->p, &s->left, out, cap, n);

	s->full = status == HS_FULL; /* one message may stand for more blocks than fit into @out */
	s->items += *n + (hs_status_get_class(status) >= HS_CLASS_CALLER);
	if (status == HS_OK || status == HS_MORE || status == HS_FULL)
		return HS_OK;
	s->protocol->decoder_diag(s->decoder, status, error);
	return status;
}

static enum hs_status read_end(struct hs_source *s, struct hs_error *error)
{
	uint64_t offset = 0;

	if (s->ended)
		return HS_END;
	s->ended = true;
	const enum hs_status status = s->protocol->read_end(s->reader, &offset);

	return status == HS_OK ? HS_END
	                       : hs_error_set(error, status, "offset 0x%llx: %s",
	                                      (unsigned long long)offset, hs_status_text(status));
}

enum hs_status hs_source_message(struct hs_source *s, struct hs_message *m, struct hs_error *error)
{
	enum hs_status status = HS_MORE;

	if (!s->reader && (!s->protocol || s->protocol->reader_new(&s->reader, s->config) != HS_OK))
		return hs_error_set(error, HS_END, "not a trace");
	while (status == HS_MORE) {
		if (!s->left && !s->eof) {
			status = refill(s, error);
			if (status != HS_OK)
				return status;
			status = HS_MORE;
			continue;
		}
		if (!s->left)
			return read_end(s, error);
		status = s->protocol->read(s->reader, &s->p, &s->left, m);
	}
	return status == HS_OK ? HS_OK
	                       : hs_error_set(error, status, "offset 0x%llx: %s",
	                                      (unsigned long long)m->offset, hs_status_text(status));
}

enum hs_status hs_source_read(struct hs_source *s, uint8_t *out, size_t cap, size_t *n,
                              struct hs_error *error)
{
	*n = 0;
	if (!s->capture)
		return HS_END;
	const enum hs_status status = hs_capture_read(s->capture, out, cap, n, error);

	s->bytes += *n;
	return status;
}

static void free_decoder(struct hs_source *s)
{
	if (s->protocol && s->decoder)
		s->protocol->decoder_free(s->decoder);
	if (s->protocol && s->reader)
		s->protocol->reader_free(s->reader);
	s->decoder = s->reader = NULL;
}

static enum hs_status new_decoder(struct hs_source *s, struct hs_error *error)
{
	const struct hs_image_set set = { s->process_images, s->set.contexts, s->set.count };
	struct hs_image *image = hs_program_image(s->set.first);

	image->isa.custom = s->custom;
	image->isa.custom_count = s->custom_count;
	if (s->protocol->config_isa)
		s->protocol->config_isa(s->config, &image->isa);
	const enum hs_status status = s->protocol->decoder_new(&s->decoder, s->config, image, &set);

	return status == HS_OK ? status : hs_error_set(error, status, "%s: %s", s->protocol->name,
	                                               hs_status_text(status));
}

static enum hs_status start_again(struct hs_source *s, struct hs_error *error)
{
	const enum hs_status status = hs_capture_rewind(s->capture, error);

	if (status != HS_OK)
		return status;
	s->left = 0;
	s->bytes = 0;
	s->eof = s->ended = s->full = false;
	free_decoder(s);
	return new_decoder(s, error);
}

static void close_trace(struct hs_source *s)
{
	free_decoder(s);
	hs_capture_close(s->capture);
	free(s->buffer);
	if (s->fd > STDERR_FILENO)
		close(s->fd);
}

static const struct source_ops ops = { next, start_again, close_trace };

static enum hs_status open_file(struct hs_source *s, const char *path, struct hs_error *error)
{
	const bool standard = strcmp(path, "-") == 0;
	struct stat st;

	s->path = strdup(standard ? "standard input" : path);
	s->buffer = malloc(PIECE);
	if (!s->path || !s->buffer)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", path);
	s->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return hs_error_set(error, HS_E_FORMAT, "%s: a directory, but not a recording", path);
	s->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return HS_OK;
}

/* The person's words win over TRACE.json's. */
static enum hs_status open_capture(struct hs_source *s, const struct hs_source_options *o,
                                   struct hs_error *error)
{
	struct hs_capture_options c = o->capture;

	if (!c.transport)
		c.transport = s->transport;
	if (!c.vcd_clock)
		c.vcd_clock = s->vcd_clock;
	if (!c.vcd_data)
		c.vcd_data = s->vcd_data;
	for (unsigned i = 0; i < s->protocol->param_count; i++)
		if (strcmp(s->protocol->params[i].name, "trTeSrcBits") == 0)
			c.src_bits = (uint32_t)hs_protocol_get(s->protocol, s->config, i);
	if (c.transport && strcmp(c.transport, "raw") != 0)
		s->total = 0; /* bytes of trace are not bytes of the file */
	return hs_capture_open(s->fd, s->path, &c, &s->capture, error);
}

/* The program: what the person gave, else the recording that TRACE.json names. */
static enum hs_status find_code(struct hs_source *s, const struct hs_source_options *o,
                                struct hs_error *error)
{
	const enum hs_status status = source_add_processes(s, o, error);

	if (status != HS_OK)
		return status;
	if (source_has_code(o))
		return source_add_code(s, o, error);
	if (s->set.count) { /* the first process begins */
		s->set.first = s->set.programs[0];
		return HS_OK;
	}
	if (s->recording && hs_is_recording(s->recording))
		return source_add_image(s, s->recording, error);
	if (s->recording)
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s: its recording %s is gone; give the program with --elf FILE",
		                    s->path, s->recording);
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s: a trace means nothing without its program; give it with --elf FILE",
	                    s->path);
}

/* Code that the protocol's dialect has before each program, unless a file has it. */
static enum hs_status add_boot(struct hs_source *s, struct hs_error *error)
{
	const struct hs_image *boot = s->protocol->config_boot ? s->protocol->config_boot(s->config) : NULL;
	size_t n;

	if (!boot || !s->program || hs_img_bytes(hs_program_image(s->program), boot->sections[0].start, &n))
		return HS_OK;
	return hs_program_add_image(s->program, boot, error);
}

enum hs_status source_open_trace(struct hs_source *s, const struct hs_source_options *o,
                                 struct hs_error *error)
{
	s->custom = o->custom;
	s->custom_count = o->custom_count;
	enum hs_status status = open_file(s, o->path, error);

	s->ops = &ops;
	if (status == HS_OK)
		status = source_read_config(s, o, error);
	if (status == HS_OK)
		status = open_capture(s, o, error);
	if (status != HS_OK || o->no_code)
		return status;
	status = find_code(s, o, error);
	if (status == HS_OK)
		status = add_boot(s, error);
	return status == HS_OK ? new_decoder(s, error) : status;
}
