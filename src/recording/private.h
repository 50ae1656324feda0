/* Shared by the files that read a recording. */
#ifndef HS_RECORDING_PRIVATE_H
#define HS_RECORDING_PRIVATE_H

#include "recording/files.h"
#include "recording/log.h"
#include "recording/manifest.h"
#include "recording/moves.h"
#include "recording/recording.h"

/* runs.c: a run, ready for the conversion to blocks.  32 bytes, so that two share a cache line.
 * Addresses are even: bit 0 of two of them is a flag.  Use the functions below. */
struct rec_run {
	struct hs_block block;
	uint64_t fall_or_any;      /* the address that follows (branch: not taken); bit 0: any */
	uint64_t target_or_branch; /* the other address that may follow; bit 0: it is a branch's */
};
_Static_assert(sizeof(struct rec_run) == 32, "two runs share a cache line");

static inline void rec_run_set_any(struct rec_run *r)
{
	r->fall_or_any = 1;
	r->target_or_branch = 0;
}

static inline void rec_run_set_next(struct rec_run *r, uint64_t next)
{
	r->fall_or_any = r->target_or_branch = next & ~UINT64_C(1);
}

static inline void rec_run_set_branch(struct rec_run *r, uint64_t fall, uint64_t target)
{
	r->fall_or_any = fall & ~UINT64_C(1);
	r->target_or_branch = target | 1u;
}

/* @next follows if the host that is called returns: there is no other address. */
static inline void rec_run_set_host_call(struct rec_run *r, uint64_t next)
{
	r->fall_or_any = next & ~UINT64_C(1);
	r->target_or_branch = 0;
}

/* May any address follow?  0 or 1, a number and not a bool: so the hot loop of stream.c combines it
 * with others without a jump. */
static inline uint64_t rec_run_is_open(const struct rec_run *r)
{
	return r->fall_or_any & 1u;
}

/* The same for: is it a branch's? */
static inline unsigned rec_run_is_branch(const struct rec_run *r)
{
	return (unsigned)r->target_or_branch & 1u;
}

/* Is @addr, which is even, the address that follows?  False when any may. */
static inline bool rec_run_falls_to(const struct rec_run *r, uint64_t addr)
{
	return addr == r->fall_or_any;
}

static inline uint64_t rec_run_target(const struct rec_run *r)
{
	return r->target_or_branch & ~UINT64_C(1);
}

/* Is it only a jump whose target an instruction that was cut off before it may give? */
static inline bool rec_run_is_lone_jump(const struct rec_run *r)
{
	return r->block.iretire == r->block.ilast && rec_run_is_open(r);
}

/* Does all of it retire even if no other run follows?  The last instruction of others may not have,
 * or where it led is not known. */
static inline bool rec_run_is_sure(const struct rec_run *r)
{
	if (r->block.itype == HS_ITYPE_NONE) /* an ebreak from which the host does not return */
		return rec_run_is_open(r) || rec_run_falls_to(r, rec_run_target(r));
	return r->block.itype == HS_ITYPE_EXCEPTION ||
	       (!rec_run_is_open(r) && !rec_run_is_branch(r));
}

/* At @start.  HS_E_FORMAT: it has instructions after one that can change the pc. */
enum hs_status rec_run_build(struct rec_run *r, const struct hs_rec_log_run *run, uint64_t start,
                             const struct hs_isa *isa);

struct rec_runs {
	struct rec_run *runs;
	uint32_t count;
};
enum hs_status rec_runs_build(struct rec_runs *runs, const struct rec_log *log);
/* Add those that are new in the log, for which there is room. */
enum hs_status rec_runs_add(struct rec_runs *runs, const struct rec_log *log);

/* image.c: the code snapshot. */
struct rec_image {
	struct hs_image image;
	struct hs_section *sections;
	uint8_t *bytes;
	size_t size; /* of bytes */
};
enum hs_status rec_image_build(struct rec_image *image, const struct rec_log *log,
                               const struct rec_moves *moves);
void rec_image_free(struct rec_image *image);

#define REC_WRONG_SIZE 112u

struct rec_live;

/* reader.c */
struct hs_rec {
	struct rec_live *live; /* it is read while it is made (live.h); NULL: it is whole */
	struct rec_folder folder;
	struct hs_rec_info info;
	json_t *manifest;
	struct rec_log log;
	struct rec_runs runs;
	struct rec_moves moves;
	struct rec_image image;
	struct hs_rec_map *maps;
	uint8_t *id_bytes; /* of their build-ids */
	const char **children;
	struct hs_rec_process *processes;
	uint32_t part_count; /* of a flow: part_files.c */
	uint32_t *harts; /* number of each stream */
	const json_t **listed; /* what the manifest says of each; NULL: nothing */
	bool is_flow;    /* every run is a block */
	bool whole;      /* the manifest says complete, and the log is what it lists */
	char wrong[REC_WRONG_SIZE + 4]; /* info.end, where the files are not as listed */
};

/* reader.c: as hs_rec_open(), of a directory in @dir. */
enum hs_status rec_open_at(int dir, const char *name, struct hs_rec **rec, struct hs_error *e);

/* As hs_rec_close(), of one that is whole. */
void rec_close(struct hs_rec *rec);

/* The log up to where it ends, is cut or is damaged.  HS_END: its last frame is whole. */
enum hs_status rec_read_log(struct rec_log *log, struct rec_in *in);

/* part_files.c */
#define REC_PARTS_MAX 1000000
#define REC_PART_NAME 24u
void rec_part_name(char name[REC_PART_NAME], uint32_t number);
/* How many parts it has; one that is missing makes it incomplete. */
void rec_parts_read(struct hs_rec *rec);
/* Make the files of the flow at @path part @number of the one in @dir; @folder: of the part, to be
 * closed. */
enum hs_status rec_part_link(int dir, uint32_t number, const char *path, struct rec_folder *folder,
                             struct hs_error *e);

/* verify.c */
/* Keep the first thing that is wrong, ": " and how; the recording is no longer complete. */
void rec_set_wrong(struct hs_rec *rec, const char *text);
#define REC_SIZE_UNREAD (-2)
/* The size of a file of a recording; -1: there is none, or it is no regular file; REC_SIZE_UNREAD:
 * the system does not say. */
int64_t rec_file_size(const struct rec_folder *folder, const char *name);
/* Is the file of a stream another than the manifest lists?  @text: how, after ": "; else "".
 * @unread: the system did not let us look. */
bool rec_stream_is_wrong(const struct hs_rec *rec, uint32_t index, char text[REC_WRONG_SIZE],
                         bool *unread);
/* Compare the files with the manifest, and add streams that are missing to rec->harts. */
enum hs_status rec_verify(struct hs_rec *rec);

#endif
