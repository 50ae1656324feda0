/* hartscope list --writes-to: who wrote to a variable or an address. */
#include <stdlib.h>
#include <string.h>

#include "commands/list.h"

#define WRITTEN 8u /* bytes at an address without a size */

bool writes_find_bytes(const char *option, const char *text, struct hs_source *source,
                       uint64_t *addr, uint64_t *size)
{
	const char *comma = strrchr(text, ',');
	const size_t n = comma ? (size_t)(comma - text) : strlen(text);
	uint64_t given = 0;
	char name[1024], *end;

	if (comma && !read_number("SIZE", comma + 1, UINT64_MAX, &given))
		return false;
	if (n >= sizeof(name) || (comma && !given)) {
		complain("%s needs SYMBOL or ADDRESS, and after a comma bytes from 1 on", option);
		return false;
	}
	memcpy(name, text, n);
	name[n] = '\0';
	*addr = strtoull(name, &end, 0);
	*size = WRITTEN;
	if ((!n || *end || *name < '0' || *name > '9') &&
	    !hs_program_find_data(hs_source_known(source)->program, name, addr, size)) {
		complain("no variable with a fixed address is called '%s'; an address also does, "
		         "such as 0x10000,8",
		         name);
		return false;
	}
	*size = given ? given : *size ? *size : 1;
	return true;
}

bool writes_find(const struct options *o, struct hs_source *source, struct hs_listing_options *lo)
{
	lo->numbers = !o->range.of.from.kind && !o->range.of.function && !o->source.one_hart &&
	              !o->store.only.count && !o->store.only_threads.count &&
	              !o->store.select.modes;
	return writes_find_bytes("--writes-to", o->range.writes_to, source, &lo->written,
	                         &lo->written_size);
}

static bool write_nowhere(void *context, const void *text, size_t n)
{
	(void)context;
	(void)text;
	(void)n;
	return true;
}

static bool add_blocks(void *to, const struct hs_block *b, size_t n)
{
	return hs_listing_add(to, b, n) == HS_OK;
}

bool writes_read(struct hs_source *source, struct hs_listing_options lo, const char *doing,
                 bool quiet, struct damage *damage, uint64_t *count)
{
	struct hs_listing *listing;

	lo.format = HS_LISTING_PC;
	lo.write = write_nowhere;
	if (hs_listing_new(&lo, &listing) != HS_OK)
		return false;
	const struct block_taker taker = { doing, quiet, add_blocks, listing, false };
	const bool good = read_blocks(&taker, source, damage) && hs_listing_end(listing) == HS_OK;

	*count = hs_listing_count(listing);
	hs_listing_free(listing);
	return good;
}

int writes_skip(const struct options *o, struct hs_source *source, struct hs_listing_options *lo)
{
	struct damage damage = { .silent = true };
	struct hs_error e = { 0 };
	uint64_t count;

	if (!writes_read(source, *lo, "looking for writes", o->quiet, &damage, &count))
		count = 0;
	lo->skip = count > o->range.last ? count - o->range.last : 0;
	if (hs_source_rewind(source, &e) != HS_OK || range_set(o, o->args[0], source, &e) != HS_OK)
		return fail(&e);
	return EXIT_GOOD;
}

void writes_note_no_data(void)
{
	complain("no data accesses were recorded there: 'hartscope record --data -- PROGRAM' "
	         "records them; a trace has them with --set data-trace=1");
}

int writes_check(const struct options *o, const struct hs_listing *listing, bool data)
{
	if (!data)
		writes_note_no_data();
	else if (!hs_listing_count(listing))
		complain("nothing there wrote to %s", o->range.writes_to);
	return data && hs_listing_count(listing) ? EXIT_GOOD : EXIT_FINDINGS;
}
