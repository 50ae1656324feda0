/* The programs of contexts in manifest.json. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording/manifest.h"
#include "recording/processes.h"
#include "recording/recording.h"
#include "support/process.h"

json_t *rec_processes_json(const struct hs_rec_process *p, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		if (json_array_append_new(
			    list, support_process_json(p[i].context, p[i].bias, p[i].path)) != 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

enum hs_status rec_processes_read(const json_t *list, struct hs_rec_process **out, size_t *count)
{
	const size_t n = json_array_size(list);

	*count = 0;
	*out = NULL;
	if ((list && !json_is_array(list)) || n > SUPPORT_PROCESSES_LIMIT)
		return HS_E_FORMAT;
	*out = calloc(n + 1, sizeof(**out));
	if (!*out)
		return HS_E_MEMORY;
	for (size_t i = 0; i < n; i++) {
		struct hs_rec_process *p = &(*out)[i];

		if (!support_read_process(json_array_get(list, i), &p->context, &p->bias, &p->path))
			return HS_E_FORMAT;
	}
	*count = n;
	return HS_OK;
}

bool hs_rec_has_processes(const char *path)
{
	const struct rec_folder folder = { .dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	json_t *manifest = NULL;
	bool names = false;

	if (folder.dir < 0)
		return false;
	if (rec_manifest_read(&folder, &manifest, NULL) == HS_OK)
		names = json_array_size(json_object_get(manifest, "processes")) != 0;
	json_decref(manifest);
	close(folder.dir);
	return names;
}
