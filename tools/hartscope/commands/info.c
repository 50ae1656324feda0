/* hartscope info: what a recording, a flow, a program file or a capture is. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "info",
	.form = "[--json] REC|FLOW|ELF|PERF|CAPTURE, or --registers FILE",
	.text = "Describes a recording, a decoded flow, a program file, a perf.data (its buffers and records),\n"
		"a capture (by TRACE.json next to it, or by its form; identify looks further), a log or waves\n"
		"that import reads, or, field by field, a dump of trace control registers: lines such as\n"
		"'trTeControl = 0x01000063', 'trTeSrcBits = 4' or, by offset, '0x008: 0x40010000' after\n"
		"'[encoder]', '[funnel]', '[ram]', '[pib]' or '[atb]'.",
	.example = "  hartscope info app.rec\n"
		   "  hartscope info capture.bin\n"
		   "  hartscope info --registers board.regs",
	.options = OPTIONS(ROWS(options_config + 1), ROWS(options_json), ROWS(options_terminal),
	                   ROWS(options_reading)),
	.min_args = 0,
	.max_args = 1,
};

static void show_sections(struct report *r, const struct hs_image *image)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < image->count; i++)
		bytes += image->sections[i].size;
	report_u64(r, "code_bytes", "code bytes", bytes);
	if (r->json || image->count <= 32) {
		report_list(r, "sections", "sections: address, bytes");
		for (size_t i = 0; i < image->count; i++) {
			report_row(r);
			report_hex(r, "address", "", image->sections[i].start);
			report_u64(r, "size", "", image->sections[i].size);
			report_row_end(r);
		}
		report_list_end(r);
	} else {
		report_u64(r, "section_count", "sections", image->count);
	}
}

static void show_maps(struct report *r, const struct hs_rec_info *info)
{
	if (!info->map_count && !r->json)
		return;
	report_list(r, "maps", "mapped files: address, bytes, offset, path");
	for (size_t i = 0; i < info->map_count; i++) {
		report_row(r);
		report_hex(r, "start", "", info->maps[i].start);
		report_u64(r, "size", "", info->maps[i].size);
		report_hex(r, "offset", "", info->maps[i].offset);
		report_text(r, "path", "", info->maps[i].path);
		report_row_end(r);
	}
	report_list_end(r);
}

static void note_missing(const struct hs_rec_info *info)
{
	for (size_t i = 0; i < info->map_count; i++)
		if (info->maps[i].path[0] == '/' && access(info->maps[i].path, F_OK) != 0)
			complain("%s, named by the recording, is not there: its code has no names "
			         "and lines (--elf FILE says where it is)",
			         info->maps[i].path);
}

static void show_children(struct report *r, const struct hs_rec_info *info)
{
	if (!info->child_count && !r->json)
		return;
	report_list(r, "children", "forked processes");
	for (size_t i = 0; i < info->child_count; i++) {
		report_row(r);
		report_text(r, "path", "", info->children[i]);
		report_row_end(r);
	}
	report_list_end(r);
}

static int show_recording(const char *path, struct report *r, bool json)
{
	struct hs_error e = { 0 };
	struct hs_rec *rec;

	if (hs_rec_open(path, &rec, &e) != HS_OK)
		return fail(&e);
	const struct hs_rec_info *info = hs_rec_get_info(rec);

	report_begin(r, stdout, json);
	report_text(r, "kind", "kind", info->kind);
	report_text(r, "program", "program", info->program ? info->program : "");
	report_u32(r, "xlen", "XLEN", info->xlen);
	report_u32(r, "harts", "harts", info->harts);
	report_bool(r, "complete", "complete", info->complete);
	if (info->skipped)
		report_u64(r, "skipped", "instructions before its beginning", info->skipped);
	report_text(r, "end", "ended by", info->end ? info->end : "");
	report_hex(r, "entry", "entry", info->entry);
	report_bool(r, "code_changed", "code changed", info->code_changed);
	show_sections(r, hs_rec_image(rec));
	show_maps(r, info);
	show_children(r, info);
	report_end(r);
	note_missing(info);
	if (died_of(info) && !json)
		complain("'hartscope crash %s' says what it died of", path);
	if (!info->complete) {
		hs_error_set(&e, HS_E_CUT, "%s is incomplete: %s", path, info->end);
		note_incomplete(e.text);
	}
	hs_rec_close(rec);
	return EXIT_GOOD;
}

static int show_program(const char *path, struct report *r, bool json)
{
	struct hs_program *p = NULL;
	struct hs_error e = { .status = HS_E_MEMORY };

	if (hs_program_new(&p) != HS_OK || hs_program_add_elf(p, path, 0, &e) != HS_OK) {
		hs_program_free(p);
		return fail(&e);
	}
	const struct hs_image *image = hs_program_image(p);

	report_begin(r, stdout, json);
	report_text(r, "kind", "kind", "program");
	report_u32(r, "xlen", "XLEN", image->isa.xlen);
	report_hex(r, "entry", "entry", hs_program_entry(p));
	report_bool(r, "zcmp_zcmt", "Zcmp or Zcmt", image->isa.zcmp_zcmt);
	show_sections(r, image);
	report_end(r);
	hs_program_free(p);
	return EXIT_GOOD;
}

int cmd_info(int argc, char **argv)
{
	struct options o = { .arg_count = 0 };
	struct report r;
	struct stat st;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (o.params.registers && !o.arg_count)
		return registers_show(o.params.registers, o.json);
	if (o.params.registers || !o.arg_count) {
		complain(
			"info needs either a file or --registers FILE; see 'hartscope info --help'");
		return EXIT_USAGE;
	}
	if (stat(o.args[0], &st) == 0 && S_ISDIR(st.st_mode))
		return show_recording(o.args[0], &r, o.json);
	if (hs_file_what(o.args[0], NULL) == HS_FILE_PERF)
		return info_perf(o.args[0], o.json);
	return info_is_program(o.args[0]) ? show_program(o.args[0], &r, o.json)
	                                  : info_capture(o.args[0], o.json);
}
