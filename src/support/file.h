/* Files that somebody else named, and files that are written whole. */
#ifndef HS_SUPPORT_FILE_H
#define HS_SUPPORT_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Open a regular file for reading; @dir is AT_FDCWD or a directory.  -1 and errno where that fails,
 * ENOTSUP where it is a device, a FIFO or a directory: that is not opened. */
int support_open_file(int dir, const char *name);
/* As read() and write(), also where a signal interrupts them or they move less: less than @n only
 * at the end of a file, -1 and errno where they fail. */
ssize_t support_read(int fd, void *bytes, size_t n);
ssize_t support_write(int fd, const void *bytes, size_t n);
/* Write a file that replaces another one when it is whole (design/whole-files): FILE.new takes its
 * name.
 * -1 and errno where that fails; then nothing is changed. */
int support_replace_file(const char *path, const void *bytes, size_t n);

/* The same for a file of a directory that somebody else made: a link that leads out of it is not
 * followed. */
int support_open_beneath(int dir, const char *name);

/* A stream of what was opened, which it closes; NULL where @fd is -1, or without memory. */
FILE *support_stream(int fd);

/* Why opening failed: errno's text, or what these functions refuse. */
const char *support_open_failure(int error);

#endif
