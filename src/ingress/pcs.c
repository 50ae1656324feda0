/* A list of executed PCs, which a program turns into instructions. */
#include "ingress/lines.h"

#include "core/mem.h"

enum hs_status hs_pcs_init(struct hs_pcs *p, const struct hs_image *image)
{
	if (image->count == 0)
		return HS_E_CONFIG;
	memset(p, 0, sizeof *p);
	p->image = image;
	hs_builder_init(&p->builder, image->isa.xlen);
	return HS_OK;
}

static enum hs_status take_line(void *state, struct hs_blocks *out)
{
	struct hs_pcs *p = state;
	struct base_text t = import_text(&p->lines);
	struct hs_retired r = { .priv = HS_PRIV_UNKNOWN, .known = true };

	base_text_skip_blanks(&t);
	if (!p->lines.cut && t.p == t.end)
		return HS_OK;
	if (!base_text_skip(&t, "0x"))
		base_text_skip(&t, "0X");
	r.iaddr = base_text_number(&t, 16, NULL);
	if (!t.ok || (r.iaddr & 1) || (t.p != t.end && *t.p != ',' && *t.p != ' ' && *t.p != '\t'))
		return HS_E_FORMAT;
	if (hs_img_insn(p->image, r.iaddr, &r.insn) != HS_OK)
		return HS_E_NOCODE;
	p->builder.offset = p->lines.offset;
	return hs_builder_insn(&p->builder, &r, out) == HS_OK ? HS_OK : HS_E_FORMAT;
}

enum hs_status hs_pcs_feed(struct hs_pcs *p, struct hs_span *in, struct hs_blocks *out)
{
	const struct import_importer i = { &p->lines, p, take_line, HS_IMPORT_ROOM };

	return import_feed(&i, in, out);
}

enum hs_status hs_pcs_flush(struct hs_pcs *p, struct hs_blocks *out)
{
	const struct import_importer i = { &p->lines, p, take_line, HS_IMPORT_ROOM };
	const enum hs_status status = import_flush(&i, out);

	if (status != HS_OK)
		return status;
	hs_builder_flush(&p->builder, out);
	return HS_OK;
}
