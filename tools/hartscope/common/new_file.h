/* Files that replace others when they are whole. */
#ifndef TOOL_NEW_FILE_H
#define TOOL_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct new_file {
	int fd;           /* -1: not open */
	const char *path; /* the caller's */
	char *temporary;  /* what is written; NULL: @path itself */
	bool trace;       /* next to it are .json and .code, which move along */
	unsigned watched; /* 1 + which of those that a signal removes; 0: none */
};

/* Open @path for writing: standard output where it is "-", the file itself where it is no regular
 * one, otherwise a file of that name with ".new".  False, with a complaint, where that fails or
 * another process writes there. */
bool new_file_open(struct new_file *f, const char *path);
/* The same of a trace: TRACE.json and TRACE.code are written next to new_file_stem(). */
bool new_file_open_trace(struct new_file *f, const char *path);
const char *new_file_stem(const struct new_file *f);
/* What is written to @fd is of a file of this name; NULL: not known. */
const char *new_file_name(int fd);
/* It is whole: close it, and give it its name.  False, with a complaint, where that fails; nothing
 * of it is left then. */
bool new_file_commit(struct new_file *f);
/* A stream to it, standard output where it is that.  NULL, with a complaint: no memory; it is
 * discarded. */
FILE *new_file_stream(struct new_file *f);
/* Close the stream and commit, or discard it, with a complaint, where the stream failed. */
bool new_file_end(struct new_file *f, FILE *stream);
/* Close it and remove what was written, unless it was committed. */
void new_file_discard(struct new_file *f);

#endif
