/* Files that replace others when they are whole. */
#ifndef TOOL_NEW_FILE_H
#define TOOL_NEW_FILE_H

#include <stdbool.h>

struct new_file {
	int fd;           /* -1: not open */
	const char *path; /* the caller's */
	char *temporary;  /* what is written; NULL: @path itself */
};

/* Open @path for writing: standard output where it is "-", the file itself where it is no regular
 * one, otherwise a file of that name with ".new".  False, with a complaint, where that fails or
 * another process writes there. */
bool new_file_open(struct new_file *f, const char *path);
/* It is whole: close it, and give it its name.  False, with a complaint, where that fails. */
bool new_file_commit(struct new_file *f);
/* Close it and remove what was written, unless it was committed. */
void new_file_discard(struct new_file *f);

#endif
