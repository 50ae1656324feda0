/* Which system calls may fail with which error, and their names. */
#ifndef FAULTS_CALLS_H
#define FAULTS_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct failure {
	const char *name;
	int error;
	uint32_t kinds; /* of calls: KIND_x of calls.c */
};

/* By the error's name, "EIO"; NULL: there is no such row. */
const struct failure *failure_find(const char *name);
/* May this call fail so? */
bool failure_fits(const struct failure *f, int nr, const unsigned long long *args);
/* "read"; "call 999" is "?". */
const char *call_name(int nr);

#endif
