/* Options that say what a trace is: its protocol, how it came, its hart, its times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/complete.h"

#define FILTER_FILE_MAX 65536

static bool keep_dialect(void *settings, const struct option_row *r, char *value)
{
	(void)r;
	return setting_keep(settings, "--set", "dialect", value);
}

/* ---- captures ------------------------------------------------------------------------ */

/* Samples a bit of a serial pin, such as 8 or 8.68: in 1/256. */
static bool parse_bit(void *to, const struct option_row *r, char *text)
{
	uint32_t *period = to;
	char *end;
	const double samples = strtod(text, &end);

	(void)r;
	if (*text < '0' || *text > '9' || *end || !(samples >= 2 && samples <= 64)) {
		complain("--bit needs 2 to 64 samples, not '%s'", text);
		return false;
	}
	*period = (uint32_t)(samples * 256 + 0.5);
	return true;
}

bool option_hart(void *options, const struct option_row *r, char *value)
{
	struct options *o = options;
	uint64_t n;

	if (!read_number(r->name, value, UINT32_MAX, &n))
		return false;
	o->source.hart = (uint32_t)n;
	o->source.one_hart = true;
	return true;
}

/* ---- times --------------------------------------------------------------------------- */

bool option_time(void *options, const struct option_row *r, char *value)
{
	struct options *o = options;

	(void)r;
	(void)value;
	o->source.clock = &o->store.clock;
	return true;
}

static bool parse_cycles(void *options, const struct option_row *r, char *text)
{
	struct options *o = options;
	struct hs_setting s;
	uint64_t n;

	if (!setting_cut(r->name, text, &s) || !read_number(r->name, s.value, UINT16_MAX, &n))
		return false;
	for (unsigned k = 0; k < HS_CLOCK_KINDS; k++) {
		if (strcmp(hs_clock_kind_name(k), s.name) != 0)
			continue;
		if (!n && k != HS_CLOCK_TRAP)
			break;
		o->store.clock.cycles[k] = (uint16_t)n;
		return option_time(o, r, text);
	}
	if (!n)
		complain("--cycles-per: each instruction takes a cycle at least");
	else
		complain("--cycles-per has no kind '%s'; the help lists them", s.name);
	return false;
}

static void offer_clock(const struct completion *c)
{
	for (unsigned k = 0; k < HS_CLOCK_KINDS; k++)
		complete_start(c, hs_clock_kind_name(k), NULL);
}

/* ---- filters ------------------------------------------------------------------------- */

/* A file with a filter. */
static bool read_filter(struct hs_qualifier_config *filter, const char *path)
{
	static uint8_t text[FILTER_FILE_MAX];
	FILE *f = fopen(path, "re");
	const size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	const bool good = f && !ferror(f) && n < sizeof text;
	unsigned line = 0;

	if (f)
		fclose(f);
	if (!good) {
		complain("%s: %s", path,
		         f && n == sizeof text ? "too long for filters" : strerror(errno));
		return false;
	}
	struct hs_span in = { text, n };
	const enum hs_status s = hs_qualifier_read(filter, &in, &line);

	if (s != HS_OK)
		complain("%s: line %u: %s", path, line,
		         s == HS_E_ARG ? "no filter has this name"
		                       : "not NAME = VALUE of a filter");
	return s == HS_OK;
}

static bool parse_filter(void *filter, const struct option_row *r, char *text)
{
	(void)r;
	if (*text == '@')
		return read_filter(filter, text + 1);
	const enum hs_status s = hs_qualifier_parse(filter, text);

	if (s == HS_E_SPACE)
		complain("more filters or comparators than there are (%d, %d)", HS_FILTERS,
		         HS_COMPARATORS);
	else if (s != HS_OK)
		complain("--filter needs terms such as iaddr=0x100-0x1ff+priv=U, not '%s'", text);
	return s == HS_OK;
}

/* ---- rows ---------------------------------------------------------------------------- */

/* clang-format off */
const struct option_row options_protocol[] = {
	{ "--protocol", 0, "NAME",
	  "protocol of the trace: ntrace, etrace or tacit",
	  AS_TEXT(struct options, params.protocol), .words = "ntrace etrace tacit" },
	{ "--set", 0, "NAME=VALUE",
	  "set a parameter of the protocol, such as trTeInstMode=btm",
	  AS_SETTING(struct options, store.settings), .offer = complete_params },
	{ "--dialect", 0, "NAME",
	  "the dialect of the protocol, such as 1.0 or reference",
	  AS_PARSED(struct options, store.settings, keep_dialect), .offer = complete_dialects },
	{ .name = NULL }
};

const struct option_row options_filter[] = {
	{ "--filter", 0, "TERMS",
	  "trace only this, such as iaddr=0x100-0x1ff, latch=0x100-0x200, priv=U, context=7, "
	  "ecause=2,5 or interrupt; data accesses: data, daddr=0x100-0x1ff, dtype=store, "
	  "dsize=4; '+' joins terms, each --filter is an alternative; "
	  "@FILE has lines of NAME = VALUE, such as filter.0.privilege = U", PARSED(parse_filter) },
	{ .name = NULL }
};

const struct option_row options_config[] = {
	{ "--config", 0, "FILE",
	  "take parameters from a JSON file (instead of TRACE.json), or from files of "
	  "NAME = VALUE lines, of which there may be several",
	  AS_LIST(struct options, store.configs, SETTINGS_MAX) },
	{ "--registers", 0, "FILE",
	  "take parameters from a dump of trace control registers",
	  AS_TEXT(struct options, params.registers) },
	{ .name = NULL }
};

const struct option_row options_system[] = {
	{ "--system", 0, "FILE",
	  "a trace system: components, connections and registers (docs/trace-systems.md)",
	  .type = OPTION_TEXT },
	{ .name = NULL }
};

const struct option_row options_transport[] = {
	{ "--transport", 0, "NAME",
	  "how the bytes are transported: raw, pins1 to pins16 (a byte for each sample), "
	  "pins1-packed to pins4-packed, vcd, tpiu, tpiu-frames, uart and "
	  "manchester (also with -packed or -vcd; docs/captures.md)",
	  AS_TEXT(struct options, capture.transport),
	  .words = "raw pins1 pins2 pins4 pins8 pins16 pins1-packed pins2-packed "
	           "pins4-packed vcd tpiu tpiu-frames uart uart-packed uart-vcd "
	           "manchester manchester-packed manchester-vcd" },
	{ .name = NULL }
};

const struct option_row options_samples[] = {
	{ "--bit", 0, "SAMPLES", "uart, manchester: samples of a bit (decode: found; encode: 8)",
	  AS_PARSED(struct options, capture.period, parse_bit) },
	{ "--source", 0, "WHICH[=WORDS]",
	  "a source by its ID in frames, or the capture of another hart; WORDS: a protocol, a file "
	  "of parameters, NAME=VALUE, registers=FILE, hart=N.  encode: ID=TRACE",
	  AS_LIST(struct options, parts, PARTS_MAX) },
	{ .name = NULL }
};

const struct option_row options_auto[] = {
	{ "--auto", 0, NULL,
	  "find protocol, transport and parameters as identify does, or fail; the default, without "
	  "failing, where no option and no TRACE.json gives any",
	  AS_FLAG(struct options, automatic) },
	{ .name = NULL }
};

const struct option_row options_capture[] = {
	{ "--vcd-clock", 0, "NAME", "vcd: the clock signal (trc_clk; import: clk, clk_i or clock)",
	  AS_TEXT(struct options, capture.vcd_clock) },
	{ "--vcd-data", 0, "NAMES",
	  "vcd: the data signal, or its bits from 0, with commas (trc_data)",
	  AS_TEXT(struct options, capture.vcd_data) },
	{ "--wrap", 0, "OFFSET",
	  "a circular buffer: OFFSET of its oldest byte (write pointer), find, or no "
	  "(by default as the RAM sink's registers of --registers say)",
	  AS_TEXT(struct options, capture.wrap), .words = "find no" },
	{ .name = NULL }
};

const struct option_row options_hart[] = {
	{ "--hart", 0, "N", "only hart N", PARSED(option_hart) },
	{ .name = NULL }
};

const struct option_row options_cycles[] = {
	{ "--cycles-per", 0, "KIND=N",
	  "cycles of a recording without times: N for instruction (1), load, store, atomic, "
	  "multiply, divide, float, vector, csr, branch, taken, jump, "
	  "indirect, return, trap", PARSED(parse_cycles), .offer = offer_clock },
	{ .name = NULL }
};
/* clang-format on */
