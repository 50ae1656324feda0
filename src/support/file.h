/* Files that somebody else named. */
#ifndef HS_SUPPORT_FILE_H
#define HS_SUPPORT_FILE_H

/* Open a regular file for reading; @dir is AT_FDCWD or a directory.  -1 and errno where that fails,
 * ENOTSUP where it is a device, a FIFO or a directory: that is not opened. */
int support_open_file(int dir, const char *name);

#endif
