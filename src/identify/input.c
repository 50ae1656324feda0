/* The capture, as bytes of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identify/private.h"

bool identify_read_file(const char *path, struct identify_bytes *out, struct hs_error *error)
{
	FILE *f = fopen(path, "rb");

	*out = (struct identify_bytes){ .span.n = 0 };
	if (!f) {
		hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
		return false;
	}
	out->own = malloc(IDENTIFY_CAPTURE);
	if (out->own)
		out->span = (struct hs_span){ out->own, fread(out->own, 1, IDENTIFY_CAPTURE, f) };
	const bool failed = ferror(f);

	fclose(f);
	if (!out->own)
		hs_error_set(error, HS_E_MEMORY, "out of memory");
	else if (failed)
		hs_error_set(error, HS_E_SYSTEM, "%s: cannot be read", path);
	return out->own && !failed;
}

static bool read_all(struct hs_capture *c, struct identify_bytes *out, size_t room)
{
	enum hs_status s = HS_OK;

	out->own = malloc(room);
	while (out->own && (s == HS_OK || s == HS_E_FRAMING) && room - out->span.n >= 4096) {
		size_t n = 0;

		s = hs_capture_read(c, out->own + out->span.n, room - out->span.n, &n, NULL);
		out->span.n += n;
	}
	out->span.p = out->own;
	return out->span.n != 0;
}

bool identify_transport(const struct hs_span *bytes, const struct identify_way *way,
                        struct identify_bytes *out)
{
	const struct hs_pin_config headers = {
		.size = sizeof(headers),
		.headers = 1,
		.src_bytes = way->src_bytes,
		.tstamp_bytes = way->tstamp_bytes,
	};
	const struct hs_capture_options o = {
		.size = sizeof(o),
		.transport = way->transport,
		.wrap = way->ring ? "find" : NULL,
		.src_bits = way->src_bits,
		.headers = way->headers ? &headers : NULL,
	};
	const struct hs_span part = { bytes->p, bytes->n < way->most ? bytes->n : way->most };
	struct hs_capture *c;

	*out = (struct identify_bytes){ .span.n = 0 };
	if (hs_capture_open_memory(&part, "capture", &o, &c, NULL) != HS_OK)
		return false;
	const bool any = read_all(c, out, part.n + 8192);

	hs_capture_close(c);
	if (!any)
		identify_drop_bytes(out);
	return any;
}

void identify_drop_bytes(struct identify_bytes *b)
{
	free(b->own);
	*b = (struct identify_bytes){ .span.n = 0 };
}
