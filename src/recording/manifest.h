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
/* Copy what the log knows: maps, changed code, first address. */
void rec_manifest_add_log(json_t *manifest, const struct rec_log *log);
/* Add a hart, in the order of their numbers.  @instructions below 0: not counted. */
void rec_manifest_add_hart(json_t *manifest, uint32_t number, int64_t instructions, uint64_t bytes);
/* The flow has HS_REC_LOG_VERSION, which the first version's readers do not know. */
void rec_manifest_set_changing(json_t *manifest);
/* The recording has HS_REC_LOG_PACKED. */
void rec_manifest_set_packed(json_t *manifest);
void rec_manifest_set_end(json_t *manifest, bool complete, const char *end);
enum hs_status rec_manifest_write(int dir, json_t *manifest, struct hs_error *e);
enum hs_status rec_manifest_read(const struct rec_folder *folder, json_t **manifest,
                                 struct hs_error *e);

#endif
