/* Dumps of trace control registers, from files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "trace/params_private.h"
#include "trace/registers_sifive.h"

/* A line that begins another encoder's section. */
static bool begins_encoder(const struct hs_registers *r, const char *line, size_t length)
{
	struct hs_tc_dump d = { .component = HS_TC_COMPONENTS };
	struct hs_span in = { (const uint8_t *)line, length };

	line += strspn(line, " \t");
	return *line == '[' && hs_tc_dump_line(&d, &in) == HS_OK && d.component == HS_TC_ENCODER &&
	       d.base[HS_TC_ENCODER] != r->dump.base[HS_TC_ENCODER];
}

/* "discovery_info_0 = 0x123": 64 bits, which no register of the interface has.  @line ends with
 * its newline, if it has one. */
static bool read_discovery(struct hs_registers *r, const char *line)
{
	static const char name[] = "discovery_info_";
	const char *at = line + strspn(line, " \t");
	char *end;

	if (strncmp(at, name, sizeof(name) - 1) != 0)
		return false;
	at += sizeof(name) - 1;
	const unsigned i = (unsigned)(*at - '0');

	if (i > 1)
		return false;
	at += 1 + strspn(at + 1, " \t");
	if (*at != '=' && *at != ':')
		return false;
	at += 1 + strspn(at + 1, " \t");
	const uint64_t v = strtoull(at, &end, 0);

	end += strspn(end, " \t\r\n");
	if (end == at || *at < '0' || *at > '9' || (*end && *end != '#'))
		return false;
	r->discovery[i] = v;
	r->discovery_known |= 1u << i;
	return true;
}

static enum hs_status read_line(struct hs_registers *r, struct sifive_registers *old,
                                const char *path, uint32_t number, const char *line, size_t length,
                                struct hs_error *error)
{
	struct hs_span in = { (const uint8_t *)line, length };
	enum hs_status s = !length     ? HS_OK
	                   : old->unit ? sifive_line(old, line, length)
	                               : hs_tc_dump_line(&r->dump, &in);

	if (s != HS_OK && read_discovery(r, line))
		s = HS_OK;
	if (s == HS_E_UNSUPPORTED) {
		if (!r->unknown++)
			r->first_unknown = number;
		return HS_OK;
	}
	if (s == HS_OK)
		return s;
	return hs_error_set(error, HS_E_FORMAT,
	                    "%s:%u: not a line of a register dump, such as 'trTeControl = 0x1063'",
	                    path, number);
}

/* A line that begins a section ends one of SiFive's registers, and an encoder. */
static enum hs_status end_section(struct hs_registers *r, struct sifive_registers *old,
                                  struct hs_tc_regs *first, const char *path, const char *line,
                                  size_t n, struct hs_error *error)
{
	struct sifive_registers next = { 0 };
	const bool begins = sifive_section(&next, line, n);
	const bool encoder = begins ? next.unit == SIFIVE_ENCODER : begins_encoder(r, line, n);

	if (!sifive_end(old, r))
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: a section [encoder0] or [funnel0] is of SiFive's version "
		                    "0, and bits 3:0 of its register at 4 are another version",
		                    path);
	*old = next;
	return encoder ? params_next_encoder(r, first, path, error) : HS_OK;
}

/* The buffer holds one character more than a line may have, so that a longer line is noticed. */
static enum hs_status read_lines(FILE *f, const char *path, struct hs_registers *r,
                                 struct hs_error *error)
{
	char line[HS_TC_LINE_MAX + 3];
	struct hs_tc_regs first = { 0 };
	struct sifive_registers old = { 0 };
	enum hs_status s = HS_OK;

	for (uint32_t number = 1; s == HS_OK && fgets(line, sizeof(line), f); number++) {
		size_t n = strlen(line);

		if (n && line[n - 1] == '\n')
			n--;
		const bool section = line[strspn(line, " \t")] == '[';

		if (section)
			s = end_section(r, &old, &first, path, line, n, error);
		if (s == HS_OK && !(section && old.unit))
			s = read_line(r, &old, path, number, line, n, error);
	}
	if (s == HS_OK)
		s = end_section(r, &old, &first, path, "", 0, error);
	if (s == HS_OK && ferror(f))
		s = hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	return s == HS_OK ? params_last_encoder(r, &first, path, error) : s;
}

static uint32_t count_known(const struct hs_tc_regs *regs)
{
	uint32_t n = 0;

	for (unsigned w = 0; w < HS_TC_WORDS; w++)
		n += regs->known[w / 32] >> w % 32 & 1u;
	return n;
}

enum hs_status hs_registers_read(const char *path, struct hs_registers *r, struct hs_error *error)
{
	const bool standard = strcmp(path, "-") == 0;
	FILE *f = standard ? stdin : fopen(path, "re");

	memset(r, 0, sizeof(*r));
	if (!f)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	enum hs_status s = read_lines(f, path, r, error);

	if (!standard)
		fclose(f);
	r->count = count_known(&r->dump.regs);
	if (s == HS_OK && !r->count && !r->discovery_known)
		s = hs_error_set(error, HS_E_FORMAT,
		                 "%s: no register of the trace control interface in it", path);
	return s;
}

static bool is_sifive(const struct hs_registers *r, unsigned component)
{
	return (component == HS_TC_ENCODER && (r->sifive & SIFIVE_ENCODER)) ||
	       (component == HS_TC_RAM && (r->sifive & SIFIVE_FUNNEL));
}

enum hs_tc_version hs_registers_version_text(const struct hs_registers *r, unsigned component,
                                             char *text, size_t size)
{
	static const char *const verdicts[] = {
		[HS_TC_VERSION_GOOD] = "supported",
		[HS_TC_VERSION_NEWER] = "newer: what it adds to 1.0 is not known here",
		[HS_TC_VERSION_EXPERIMENTAL] = "an experimental version, read as 1.0",
		[HS_TC_VERSION_OLD] = "before ratification; SiFive's registers are read in "
				      "sections [encoder0 BASE], [funnel0 BASE]",
		[HS_TC_VERSION_FUTURE] = "a future version that is not compatible",
		[HS_TC_VERSION_OTHER_TYPE] = "its type is that of another component",
	};
	unsigned major, minor;
	const enum hs_tc_version v = hs_tc_version_of(&r->dump.regs, component, &major, &minor);
	struct hs_tc_place p;

	if (is_sifive(r, component)) {
		snprintf(text, size,
		         "%s at 0x%llx is SiFive's of version 0, shown as registers of 1.0 that "
		         "mean the same",
		         hs_tc_component_name(component),
		         (unsigned long long)r->dump.base[component]);
		return HS_TC_VERSION_GOOD;
	}
	if (v == HS_TC_VERSION_NOT_READ || !hs_tc_at(component, 4, &p)) {
		snprintf(text, size, "the version of the %s was not read",
		         hs_tc_component_name(component));
		return v;
	}
	snprintf(text, size,
	         "%s at 0x%llx has version %u.%u (0x%08x), 1.0 is supported: %s (TCI 5)",
	         hs_tc_component_name(component), (unsigned long long)r->dump.base[component],
	         major, minor, r->dump.regs.word[p.word], verdicts[v]);
	return v;
}

static uint64_t ram_pair(const struct hs_tc_regs *r, unsigned low, unsigned high)
{
	return (uint64_t)hs_tc_get(r, HS_TC_RAM, high) << 32 |
	       (uint64_t)hs_tc_get(r, HS_TC_RAM, low) << 2;
}

bool hs_registers_get_ram(const struct hs_registers *registers, struct hs_registers_ram *ram)
{
	const struct hs_tc_regs *r = &registers->dump.regs;

	if (!hs_tc_known(r, HS_TC_RAM, HS_TCF_RAM_LIMIT_LOW_BITS) ||
	    !hs_tc_known(r, HS_TC_RAM, HS_TCF_RAM_WP_LOW_BITS) || !hs_tc_is_supported(r, HS_TC_RAM))
		return false;
	const struct hs_registers_ram found = {
		.start = ram_pair(r, HS_TCF_RAM_START_LOW_BITS, HS_TCF_RAM_START_HIGH_BITS),
		.limit = ram_pair(r, HS_TCF_RAM_LIMIT_LOW_BITS, HS_TCF_RAM_LIMIT_HIGH_BITS),
		.wp = ram_pair(r, HS_TCF_RAM_WP_LOW_BITS, HS_TCF_RAM_WP_HIGH_BITS),
		.wrapped = hs_tc_get(r, HS_TC_RAM, HS_TCF_RAM_WRAP) != 0,
		.stop_on_wrap = hs_tc_get(r, HS_TC_RAM, HS_TCF_RAM_STOP_ON_WRAP) != 0,
		.at_work = hs_tc_known(r, HS_TC_RAM, HS_TCF_RAM_ENABLE) &&
		           (hs_tc_get(r, HS_TC_RAM, HS_TCF_RAM_ENABLE) ||
		            !hs_tc_get(r, HS_TC_RAM, HS_TCF_RAM_EMPTY)),
	};
	if (!found.wrapped && found.wp == found.start)
		return false;
	*ram = found;
	return true;
}
