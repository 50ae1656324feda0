/* The programs of contexts in manifest.json. */
#ifndef HS_RECORDING_PROCESSES_H
#define HS_RECORDING_PROCESSES_H

#include <jansson.h>

#include <hartscope/recording.h>

json_t *rec_processes_json(const struct hs_rec_process *p, size_t n);
/* The caller frees *out; its paths belong to @list.  HS_E_FORMAT: not such a list. */
enum hs_status rec_processes_read(const json_t *list, struct hs_rec_process **out, size_t *count);

#endif
