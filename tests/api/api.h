/* What a row of tests/api/rows.py has. */
#ifndef HS_TESTS_API_H
#define HS_TESTS_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an object was used before the call. */
enum api_state { API_FRESH, API_ENDED, API_FAILED, API_STATES };

enum api_kind {
	API_OBJECT, /* what made.c makes */
	API_SIZED,  /* a struct whose first member is its size; zero, unless made.c makes it */
	API_ROOM,   /* memory for anything */
	API_CALL,   /* a function */
	API_COUNT,  /* how much of something there is */
	API_NUMBER
};

union api_value {
	void *p;
	void (*call)(void);
	uint64_t n;
};

struct api_argument {
	const char *name;
	enum api_kind kind;
	void *(*make)(enum api_state state);
	void (*call)(void);
	size_t size;    /* of an element; of API_SIZED 0: as it says itself */
	bool says_null; /* the description says what NULL is */
	uint64_t most; /* of numbers */
};

#define API_ARGUMENTS 8

struct api_row {
	const char *name;
	int (*call)(const union api_value *a); /* an enum hs_status, or -1 */
	unsigned count;
	bool shared; /* its header says that several threads may call it at once */
	struct api_argument arguments[API_ARGUMENTS];
};

#endif
