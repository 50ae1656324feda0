/* Which files are read that another file names: its maker chose the names. */
#ifndef HS_SUPPORT_TRUST_H
#define HS_SUPPORT_TRUST_H

#include <stdbool.h>

/* Is a file below one of the folders, whose list ends with NULL, with all links followed?  Also
 * true below a folder where a system has its libraries and headers.  False where there is none. */
bool support_is_below(const char *path, const char *const *folders);

/* Mark a file that we write, so that this machine knows it again.  The mark is an attribute next to
 * the file's bytes: copies, archives and downloads are without it, and it counts for one inode. */
void support_mark_own(int fd);

/* Has a file the mark of this machine?  @dir: AT_FDCWD or a directory. */
bool support_is_own(int dir, const char *name);

#endif
