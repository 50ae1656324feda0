/* Files that somebody else named. */
#ifndef HS_SUPPORT_FILE_H
#define HS_SUPPORT_FILE_H

#include <stdio.h>

/* Open a regular file for reading; @dir is AT_FDCWD or a directory.  -1 and errno where that fails,
 * ENOTSUP where it is a device, a FIFO or a directory: that is not opened. */
int support_open_file(int dir, const char *name);

/* The same for a file of a directory that somebody else made: a link that leads out of it is not
 * followed. */
int support_open_beneath(int dir, const char *name);

/* A stream of what was opened, which it closes; NULL where @fd is -1, or without memory. */
FILE *support_stream(int fd);

/* Why opening failed: errno's text, or what these functions refuse. */
const char *support_open_failure(int error);

#endif
