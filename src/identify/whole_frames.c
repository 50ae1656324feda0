/* A file that is whole CoreSight frames with synchronisations, which bytes that look like packets
 * are not: which sources there are. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "identify/private.h"

#define BATCHES 256u /* that are read */

static void read_frames(const char *path, uint64_t ids[2])
{
	const struct hs_capture_options co = { .size = sizeof(co), .transport = "tpiu" };
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct hs_capture_report report;
	static _Thread_local uint8_t bytes[1 << 16];
	struct hs_capture *c;
	size_t n;

	if (fd < 0)
		return;
	enum hs_status s = hs_capture_open(fd, path, &co, &c, NULL);

	if (s == HS_OK) {
		for (unsigned i = 0; i < BATCHES && (s == HS_OK || s == HS_E_LOST); i++)
			s = hs_capture_read(c, bytes, sizeof(bytes), &n, NULL);
		hs_capture_get_report(c, &report);
		hs_capture_close(c);
		if (report.framed && report.frames && report.frame_losses * 64 <= report.frames)
			for (unsigned i = 0; i < 2; i++)
				ids[i] = report.ids[i];
	}
	close(fd);
}

void identify_whole_frames(const struct hs_identify_options *o, const struct hs_identified *found,
                           uint64_t ids[2])
{
	if (!o->bytes.p && (!found || strcmp(found->transport, "raw") == 0))
		read_frames(o->path, ids);
}
