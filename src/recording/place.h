/* Where a recording is written: nothing that was there before is lost until the new one is whole
 * (design/whole-files). */
#ifndef HS_RECORDING_PLACE_H
#define HS_RECORDING_PLACE_H

#include <stdbool.h>

#include <hartscope/recording.h>

struct rec_place {
	char *path;   /* the directory that is written; NULL: not open */
	char *target; /* the older recording that it replaces; NULL: there is none */
	int dir, old; /* of path, of target; both locked */
	bool keep;    /* the older one is kept, as target with ".old" */
};

/* Make the directory: @path itself, or where that is a recording, @path with ".new".  HS_E_SYSTEM:
 * it cannot be made, is something else, or another process writes there. */
enum hs_status rec_place_open(struct rec_place *place, const char *path, struct hs_error *e);
/* The older recording, if there is one, is to be kept in place of the one that was kept before
 * (design/recordings).  HS_E_SYSTEM: something else has its name. */
enum hs_status rec_place_keep(struct rec_place *place, struct hs_error *e);
/* The recording is whole: put it where @path is.  What else is in an older one moves along. */
enum hs_status rec_place_commit(struct rec_place *place, struct hs_error *e);
/* Remove what was written; an older recording stays as it was. */
void rec_place_discard(struct rec_place *place);
/* Close and unlock, where neither was called: what was written stays there. */
void rec_place_close(struct rec_place *place);

/* Is it a file that a recording has? */
bool rec_place_is_ours(const char *name);
/* Is a name in a directory of a recording that of another recording: of a child ("child-1"), or of
 * a part of a flow ("part-1")? */
bool rec_is_inner(const char *name);

#endif
