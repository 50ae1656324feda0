/* What formats of counts of source lines share: they count blocks and calls as they come, and have
 * records of functions at the end, with those that were inlined inside those that call them.  Each
 * place of a function (a line counted from its declaration, and a discriminator) has the count of
 * that instruction of it which ran most, as LLVM's own generator takes it; counts are exact. */
#ifndef HS_CALLS_LINE_FORMAT_H
#define HS_CALLS_LINE_FORMAT_H

#include "calls/exports_private.h"

enum line_kind { LINE_BODY, LINE_CALL, LINE_FUNCTION };

#define LINE_TOP UINT32_MAX

/* A function; or of one a place, or what was called there. */
struct line_record {
	const char *name;  /* of a function, also of one that was called */
	uint64_t count;    /* of a function its entries */
	uint64_t indirect; /* of what was called: those of @count through a register */
	uint32_t in;       /* number of the function that it is in, or LINE_TOP */
	uint32_t number;   /* its own: that of a function is below those of what is in it */
	uint32_t offset, discriminator;
	enum line_kind kind;
};

/* How a compiler numbers the places of a line. */
struct line_places {
	uint32_t (*number)(uint32_t discriminator); /* what a place keeps of it */
	uint32_t (*copies)(uint32_t discriminator); /* times that it ran each time its code did */
};

/* begin, item and free of struct exports_format.  HS_OK or HS_E_MEMORY. */
enum hs_status exports_lines_begin(struct hs_export *x, const struct line_places *places);
enum hs_status exports_lines_item(struct hs_export *x, const struct hs_block *b);
void exports_lines_free(struct hs_export *x);

/* Make the records of what was counted.  NULL: no memory. */
const struct support_hash *exports_lines_end(struct hs_export *x);

/* The record with the key of @key, which is made where it is not there.  NULL: no memory. */
struct line_record *exports_lines_find(struct support_hash *records, const struct line_record *key);

/* Records in the order of their functions, of @in, and there of places; of one place BODY is first.
 * The caller frees the list.  NULL: no memory. */
struct line_record **exports_lines_sort(const struct support_hash *records);

#endif
