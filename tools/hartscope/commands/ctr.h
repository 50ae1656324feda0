/* What the files of hartscope ctr share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_CTR_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_CTR_H

#include "common/tool.h"

struct ctr_options {
	struct options shared;
	struct option_settings settings; /* --ctr, --predictor */
	const char *at;                  /* NULL: at the end */
	const char *export;              /* NULL: show records */
	const char *explain;             /* NULL: no dump */
	uint64_t period;
	uint64_t context; /* with @one_context */
	bool one_context;
};

/* --explain (ctr_explain.c): its exit status. */
int explain_ctr(const struct ctr_options *own);

#endif
