/* Options that name programs, and what is known of a guest's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tool.h"

/* ---- programs ------------------------------------------------------------------------ */

/* The '@' or, for ELF files, '+' before the number that may follow a file's name; NULL: there is
 * none. */
static char *find_number_sign(enum hs_code_kind kind, char *text)
{
	char *at = kind == HS_CODE_IMAGE || kind == HS_CODE_CORE ? NULL : strrchr(text, '@');

	if (kind == HS_CODE_ELF && !at && access(text, F_OK) != 0)
		at = strrchr(text, '+');
	return at;
}

/* FILE@NUMBER, FILE+NUMBER; a sign without a number after it belongs to the name. */
static bool add_code(struct options *o, enum hs_code_kind kind, char *text)
{
	struct hs_code_file f = { .kind = kind, .path = text, .moment = o->store.moment };
	char *at = find_number_sign(kind, text), *end = NULL;

	if (o->source.code_count == CODE_MAX) {
		complain("there may be at most %d files of programs", CODE_MAX);
		return false;
	}
	if (at && at[1] >= '0' && at[1] <= '9') {
		errno = 0;
		f.address = strtoull(at + 1, &end, 0);
		f.has_address = !*end && !errno;
	}
	if (f.has_address)
		*at = '\0';
	if (kind == HS_CODE_RAW && !f.has_address) {
		complain("--bin needs FILE@ADDRESS, not '%s'", text);
		return false;
	}
	o->store.code[o->source.code_count++] = f;
	return true;
}

static bool parse_code(void *options, const struct option_row *r, char *value)
{
	return add_code(options, (enum hs_code_kind)r->arg, value);
}

static bool begin_moment(void *options, const struct option_row *r, char *value)
{
	struct options *o = options;

	(void)r;
	(void)value;
	o->store.moment++;
	return true;
}

static bool parse_custom(void *options, const struct option_row *r, char *text)
{
	struct options *o = options;
	unsigned long mask, match;
	char *end;

	(void)r;
	if (o->source.custom_count == CUSTOM_MAX) {
		complain("--custom may be given at most %d times", CUSTOM_MAX);
		return false;
	}
	errno = 0;
	mask = strtoul(text, &end, 0);
	match = end != text && *end == '/' ? strtoul(end + 1, &end, 0) : 0;
	if (*end || end == text || errno || mask > UINT32_MAX || match > UINT32_MAX || !mask) {
		complain("--custom needs MASK/MATCH, such as 0x7f/0x0b, not '%s'", text);
		return false;
	}
	o->store.custom[o->source.custom_count++] =
		(struct hs_custom){ (uint32_t)mask, (uint32_t)match };
	return true;
}

static bool parse_xlen(void *to, const struct option_row *r, char *value)
{
	uint8_t *xlen = to;
	uint64_t n;

	if (!read_number(r->name, value, 64, &n))
		return false;
	if (n != 32 && n != 64) {
		complain("--xlen is 32 or 64");
		return false;
	}
	*xlen = (uint8_t)n;
	return true;
}

/* ---- guests -------------------------------------------------------------------------- */

/* CONTEXT:FILE[+OFFSET], or a process that is selected. */
static bool parse_process(void *options, const struct option_row *r, char *text)
{
	struct options *o = options;
	const size_t n = o->source.code_count;
	char *end = text;

	errno = 0;
	const uint64_t context = strtoull(text, &end, 0);

	if (*text < '0' || *text > '9' || *end != ':') {
		if (option_has(o->usage, "--only"))
			return option_add(&o->store.only, r, text);
	} else if (end[1] && !errno) {
		if (!add_code(o, HS_CODE_ELF, end + 1))
			return false;
		o->store.code[n].moment = 0;
		o->store.code[n].has_context = true;
		o->store.code[n].context = context;
		return true;
	}
	complain("--process needs CONTEXT:FILE, not '%s'", text);
	return false;
}

static bool parse_guest(void *options, const struct option_row *r, char *path)
{
	struct options *o = options;

	if (o->source.guest_count == GUEST_MAX) {
		complain("there may be at most %d files of the guest", GUEST_MAX);
		return false;
	}
	o->store.guest[o->source.guest_count++] =
		(struct hs_guest_file){ .kind = (enum hs_guest_kind)r->arg, .path = path };
	return true;
}

static bool parse_maps(void *options, const struct option_row *r, char *path)
{
	const struct hs_guest_file file = { .kind = HS_GUEST_PROCESSES, .path = path };
	const struct hs_source_options so = { .size = sizeof(so),
		                              .guest = &file,
		                              .guest_count = 1 };

	if (hs_source_names_code(&so))
		return parse_guest(options, r, path);
	complain("%s: %s takes the text of a /proc/PID/maps here", path, r->name);
	return false;
}

static bool parse_time_conv(void *options, const struct option_row *r, char *value)
{
	struct options *o = options;
	struct hs_guest_clock *clock = &o->store.guest_clock;
	char *end;

	clock->zero = strtoull(value, &end, 0);
	if (*end == ',')
		clock->multiplier = (uint32_t)strtoul(end + 1, &end, 0);
	if (*end == ',')
		clock->shift = (uint32_t)strtoul(end + 1, &end, 0);
	o->source.guest_clock = clock;
	if (*end == '\0' && *value >= '0' && *value <= '9' && clock->multiplier)
		return true;
	complain("%s needs ZERO,MULT,SHIFT, not '%s'", r->name, value);
	return false;
}

/* ---- rows ---------------------------------------------------------------------------- */

/* clang-format off */
const struct option_row options_code[] = {
	{ "--elf", 0, "FILE[+OFFSET]",
	  "the program, moved by OFFSET bytes; again with another OFFSET for a second mapping",
	  PARSED(parse_code), .arg = HS_CODE_ELF },
	{ "--sysroot", 0, "DIR",
	  "the folder with the files that perf.data or --process-map says were mapped (/)",
	  AS_TEXT(struct options, source.sysroot) },
	{ "--bin", 0, "FILE@ADDRESS", "a raw binary at ADDRESS",
	  PARSED(parse_code), .arg = HS_CODE_RAW },
	{ "--then", 0, NULL,
	  "the files of code after it are of a later moment: the same addresses after boot, say. "
	  "A decoder takes what fits; may be given several times", PARSED(begin_moment) },
	{ "--custom", 0, "MASK/MATCH",
	  "a custom instruction that may change the PC: (its first 32 bits & MASK) == MATCH",
	  PARSED(parse_custom) },
	{ "--image", 0, "REC", "the code snapshot of a recording",
	  PARSED(parse_code), .arg = HS_CODE_IMAGE },
	{ "--kcore", 0, "FILE", "a kernel's memory: an ELF core such as /proc/kcore or a vmcore",
	  PARSED(parse_code), .arg = HS_CODE_CORE },
	{ .name = NULL }
};

const struct option_row options_xlen[] = {
	{ "--xlen", 0, "BITS", "32 or 64, where no ELF file says it (64)",
	  AS_PARSED(struct options, source.xlen, parse_xlen), .words = "32 64" },
	{ .name = NULL }
};

const struct option_row options_process[] = {
	{ "--process", 0, "CONTEXT:FILE",
	  "the program that runs while scontext is CONTEXT: an ELF file, also FILE+OFFSET, "
	  "or a recording; several files of one context are one program",
	  PARSED(parse_process), .arg = SETTINGS_MAX },
	{ .name = NULL }
};

const struct option_row options_maps[] = {
	{ "--process-map", 0, "FILE",
	  "the text of a /proc/PID/maps: the files that were mapped are the program",
	  PARSED(parse_maps), .arg = HS_GUEST_PROCESSES },
	{ .name = NULL }
};

const struct option_row options_guest[] = {
	{ "--kallsyms", 0, "FILE",
	  "names of the guest's kernel: its /proc/kallsyms, read as root",
	  PARSED(parse_guest), .arg = HS_GUEST_SYMBOLS },
	{ "--system-map", 0, "FILE", "the same by System.map",
	  PARSED(parse_guest), .arg = HS_GUEST_SYMBOLS },
	{ "--modules", 0, "FILE",
	  "modules of that kernel: /proc/modules of the guest, or where their sections are: a "
	  "copy of /sys/module, or the lines of grep -r . /sys/module/*/sections",
	  PARSED(parse_guest), .arg = HS_GUEST_MODULES },
	{ "--process-map", 0, "FILE",
	  "processes of the guest and what they mapped: JSON lines (docs/guests.md), or the text "
	  "of perf script --show-mmap-events --show-task-events, and "
	  "--show-switch-events for threads", PARSED(parse_guest), .arg = HS_GUEST_PROCESSES },
	{ "--time-conv", 0, "ZERO,MULT,SHIFT",
	  "how times of the trace and of that text belong together: perf's "
	  "nanoseconds are ZERO + (time * MULT >> SHIFT)", PARSED(parse_time_conv) },
	{ "--files", 0, "PATH",
	  "ELF files of the guest, or a directory with some: each names the code that is its own, "
	  "wherever it was mapped; may be given several times",
	  PARSED(parse_guest), .arg = HS_GUEST_CODE },
	{ .name = NULL }
};
/* clang-format on */
