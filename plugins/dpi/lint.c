/* What the texts forbid in the bytes of a design. */
#include <stdio.h>
#include <stdlib.h>

#include "private.h"

struct lint {
	struct settings set;
	const struct hs_protocol *protocol;
	struct hs_lint *lint;
	struct bytes in; /* given and not read */
	bool ended;
	char text[TEXT];
};

static bool start(struct lint *l)
{
	static const struct hs_image_set no_programs;
	struct hs_error e = { .status = HS_OK };

	if (!l->set.params) {
		hs_error_set(&e, HS_E_CONFIG, "lint needs a protocol");
	} else {
		l->protocol = hs_trace_params_protocol(l->set.params);
		e.status = hs_lint_new(&l->lint, l->protocol, hs_trace_params_config(l->set.params),
		                       settings_image(&l->set), &no_programs);
		if (e.status != HS_OK)
			hs_error_set(&e, e.status, "lint refuses these parameters: %s",
			             hs_status_text(e.status));
	}
	return e.status == HS_OK || dpi_fail(&e) == HS_OK;
}

void *hs_dpi_lint_open(const char *protocol, const char *parameters)
{
	struct lint *l = calloc(1, sizeof(*l));

	if (l && settings_read(&l->set, protocol, parameters) && start(l))
		return l;
	hs_dpi_lint_close(l);
	return NULL;
}

void hs_dpi_lint_close(void *lint)
{
	struct lint *l = lint;

	if (!l)
		return;
	hs_lint_free(l->lint);
	settings_free(&l->set);
	free(l->in.at);
	free(l);
}

int hs_dpi_lint(void *lint, const uint32_t *bits, int bytes)
{
	return bytes_put_bits(&((struct lint *)lint)->in, bits, bytes) ? HS_OK : HS_E_MEMORY;
}

void hs_dpi_lint_end(void *lint)
{
	((struct lint *)lint)->ended = true;
}

static void describe(struct lint *l, const struct hs_lint_finding *f,
                     const struct hs_lint_kind *kind)
{
	char message[512] = "";

	if (f->has_message && f->message.name)
		hs_message_text(&f->message, message, sizeof(message));
	snprintf(l->text, sizeof(l->text), "%s: %s%s%s%s%s (byte %llu)", kind->clause,
	         f->field ? f->field : "", f->field ? ": " : "", kind->text, message[0] ? ": " : "",
	         message, (unsigned long long)f->offset);
}

int hs_dpi_lint_next(void *lint)
{
	struct lint *l = lint;
	struct hs_span in = bytes_from(&l->in, l->in.base);
	const uint8_t *from = in.p;
	struct hs_lint_finding f;
	struct hs_lint_kind kind;
	enum hs_status s = hs_lint_next(l->lint, &in, &f);

	bytes_drop(&l->in, l->in.base + (uint64_t)(in.p - from));
	if (s == HS_MORE && l->ended)
		s = hs_lint_end(l->lint, &f);
	if (s != HS_OK || !hs_lint_get_kind(l->protocol, f.kind, &kind))
		return 0;
	describe(l, &f, &kind);
	return kind.severity == HS_SEVERITY_ERROR     ? 3
	       : kind.severity == HS_SEVERITY_WARNING ? 2
	                                              : 1;
}

const char *hs_dpi_lint_text(void *lint)
{
	return ((struct lint *)lint)->text;
}
