/* manifest.json. */
#ifndef HS_RECORDING_MANIFEST_H
#define HS_RECORDING_MANIFEST_H

#include <jansson.h>

#include "recording/files.h"
#include "recording/log.h"

#define REC_MANIFEST "manifest.json"
#define REC_MANIFEST_NEW "manifest.new"
#define REC_LOG "runs.zst"

json_t *rec_manifest_new(const char *kind, const char *program, unsigned xlen);
/* Set a member of the manifest or of an object in it; takes @value.  Where there is no memory the
 * manifest is spoilt: rec_manifest_write() refuses it. */
void rec_manifest_put(json_t *manifest, json_t *object, const char *key, json_t *value);
/* Copy what the log knows: maps, changed code, first address. */
void rec_manifest_add_log(json_t *manifest, const struct rec_log *log);
/* The same of a log that comes in parts, each of whole records. */
struct rec_manifest_log {
	json_t *manifest, *maps, *changes;
	json_t *known; /* a key for each map */
	uint32_t runs;
};
void rec_manifest_begin_log(struct rec_manifest_log *l, json_t *manifest);
void rec_manifest_add_records(struct rec_manifest_log *l, const struct rec_log *part);
void rec_manifest_end_log(struct rec_manifest_log *l);
struct rec_manifest_hart {
	uint32_t number;
	struct support_digest file;
	int64_t instructions; /* below 0: not counted */
	uint64_t skipped;     /* instructions before the stream begins */
};
/* What runs.zst has. */
void rec_manifest_set_log(json_t *manifest, const struct support_digest *file);
/* Add a hart, in the order of their numbers. */
void rec_manifest_add_hart(json_t *manifest, const struct rec_manifest_hart *hart);
void rec_manifest_set_end(json_t *manifest, bool complete, const char *end);
/* @own: it is this machine's (support/trust.h); a copy of somebody else's is not. */
enum hs_status rec_manifest_write(int dir, json_t *manifest, bool own, struct hs_error *e);
enum hs_status rec_manifest_read(const struct rec_folder *folder, json_t **manifest,
                                 struct hs_error *e);

#endif
