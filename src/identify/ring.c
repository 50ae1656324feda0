/* A capture that is a circular buffer: its wrap point, by messages or by the program
 * (design/identify). */
#include <string.h>

#include "inputs/inputs.h"
#include "etrace/etrace.h"
#include "identify/private.h"
#include "source/source.h"
#include "trace/trace.h"

/* The parameters that were found, as the decoder takes them. */
static struct hs_trace_params *make_params(const struct identify_code *code,
                                           const struct identify_config *config)
{
	char words[HS_IDENTIFY_TEXT], *save = NULL;
	struct hs_trace_params *params;
	enum hs_status s = HS_OK;

	if (hs_trace_params_new(identify_protocol_name(config), &params, NULL) != HS_OK)
		return NULL;
	identify_write_settings(config, code->image->isa.xlen, words);
	for (char *w = strtok_r(words, " ", &save); w && s == HS_OK;
	     w = strtok_r(NULL, " ", &save)) {
		char *value = strchr(w, '=');

		if (value)
			*value++ = '\0';
		s = value ? hs_trace_params_set(params, w, value, NULL) : HS_E_CONFIG;
	}
	if (s == HS_OK) {
		hs_trace_params_set_default_width(params, &code->image->isa);
		return params;
	}
	hs_trace_params_free(params);
	return NULL;
}

static enum hs_status find_by_packets(const void *config, const struct hs_span *buffer, uint64_t wp,
                                      struct hs_ring *ring)
{
	(void)wp; /* it is not known */
	return hs_et_ring_find(buffer, config, ring);
}

struct finder {
	const struct identify_code *code;
	const struct identify_config *config;
};

static enum hs_status find_by_program(void *of, const struct hs_span *buffer, struct hs_ring *ring)
{
	const struct finder *f = of;
	struct hs_trace_params *params = make_params(f->code, f->config);
	struct hs_image_set set;

	if (!params)
		return HS_OK;
	hs_source_get_images(f->code->source, &set);
	const enum hs_status s = hs_protocol_find_wrap(hs_trace_params_protocol(params),
	                                               hs_trace_params_config(params),
	                                               f->code->image, &set, buffer, ring);

	hs_trace_params_free(params);
	return s;
}

bool identify_find_ring(const struct identify_code *code, const struct hs_span *buffer,
                        const struct identify_config *config, struct hs_ring *ring)
{
	const struct hs_capture_options o = {
		.size = sizeof(o),
		.transport = "raw",
		.wrap = "find",
		.src_bits = config->nt.src_bits,
		.find_ring = config->is == IDENTIFY_ETRACE ? find_by_packets : NULL,
		.find_of = &config->et,
	};
	struct finder f = { code, config };
	struct hs_capture_report report;
	struct hs_capture *c;

	if (hs_capture_open_memory(buffer, "capture", &o, &c, NULL) != HS_OK)
		return false;
	hs_capture_find_again(c, find_by_program, &f, NULL);
	hs_capture_get_report(c, &report);
	hs_capture_close(c);
	*ring = report.ring;
	return ring->found && ring->begin >= ring->end; /* else it did not wrap */
}
