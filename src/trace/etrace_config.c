/* What the parameters of E-Trace mean together. */
#include <string.h>

#include "etrace/etrace.h"
#include "ingress/ingress.h"
#include "trace/etrace.h"
#include "trace/trace.h"

/* A list of options as the library takes it.  @return  Its length. */
static uint8_t set_list(uint64_t list, uint8_t *options, unsigned most)
{
	unsigned n = 0;

	for (; list && list != ETRACE_LIST_NONE; list >>= 4, n++) {
		const unsigned word = list & 15;

		/* words that must stand by themselves become an option that there is none of */
		options[n % most] = word == ETRACE_LIST_UNUSED ? 0
		                    : word <= 6                ? (uint8_t)(1u << (word - 1))
		                                               : 0xff;
	}
	return (uint8_t)n;
}

static void set_layout(struct hs_et_layout_config *w, const struct etrace_config *c)
{
#define HS_ET_LAYOUT(id, member, ...) \
	if (c->layout[HS_ET_LAYOUT_##id] != ETRACE_OF_DIALECT) { \
		w->given |= 1u << HS_ET_LAYOUT_##id; \
		w->member = (uint8_t)c->layout[HS_ET_LAYOUT_##id]; \
	}
#include <hartscope/tables/messages.def>
#undef HS_ET_LAYOUT
	if (c->ioptions != ETRACE_LIST_DIALECT) {
		w->given |= 1u << HS_ET_LAYOUT_IOPTIONS;
		w->ioptions_width = set_list(c->ioptions, w->ioptions, HS_ET_IOPTIONS_MAX);
	}
}

/* What is the same as for other sources is 0 to the library. */
static uint64_t widths_of(uint64_t list)
{
	uint64_t widths = 0;

	for (unsigned at = 0; at < 64; at += 4)
		if ((list >> at & 15) != ETRACE_LIST_DIALECT)
			widths |= (list >> at & 15) << at;
	return widths;
}

/* doptions has as many bits as its list, when there is one. */
static void set_doptions(struct hs_et_config *et, uint64_t list)
{
	if (list == ETRACE_LIST_DIALECT)
		return;
	memset(et->layout.doptions, 0, sizeof(et->layout.doptions));
	const uint8_t n = set_list(list, et->layout.doptions, HS_ET_DOPTIONS_MAX);

	et->layout.given |= 1u << HS_ET_LAYOUT_DOPTIONS;
	if (!et->doptions_width)
		et->doptions_width = n;
}

struct hs_et_config protocol_et_plain(const void *config)
{
	const struct etrace_config *c = config;
	struct hs_et_config et = c->et;

	et.options =
		(uint8_t)(c->si_jump * HS_ET_SIJUMP | c->implicit_return * HS_ET_IMPLICIT_RETURN |
	                  c->implicit_except * HS_ET_IMPLICIT_EXCEPT |
	                  c->branch_prediction * HS_ET_BRANCH_PREDICTION |
	                  c->jump_target_cache * HS_ET_JUMP_TARGET_CACHE |
	                  c->full_address * HS_ET_FULL_ADDRESS);
	et.iaddress_unit = (uint8_t)(1u << c->iaddress_lsb);
	et.context = !c->nocontext;
	et.time = !c->notime;
	et.diff_on_tie = !c->full_on_tie;
	et.context_mark = c->context_mark == 1;
	set_layout(&et.layout, c);
	set_doptions(&et, c->doptions);
	et.type_widths = widths_of(c->type_widths);
	et.fast = c->fast_profile == ETRACE_FAST_AUTO ? c->fast_only : c->fast_profile;
	if (et.fast || et.cycles)
		et.version = HS_ET_FAST;
	return et;
}

struct hs_et_config protocol_et_unread(const void *config)
{
	struct hs_et_config et = protocol_et_plain(config);

	hs_et_config_await(&et);
	return et;
}

/* The library's defaults and those of a dialect; a synchronisation each 4096 packets. */
static void set_defaults(struct etrace_config *c, unsigned version, unsigned dialect)
{
	c->et = (struct hs_et_config){ .size = sizeof(c->et) };
	hs_et_config_resolve(&c->et);
	c->et.version = (uint8_t)version;
	hs_et_config_dialect(&c->et, dialect);
	c->et.sync_mode = HS_ET_SYNC_PACKETS;
	c->et.sync_max = 8;
	c->iaddress_lsb = c->et.iaddress_unit >> 1; /* of 1, 2, 4 */
	c->full_address = (c->et.options & HS_ET_FULL_ADDRESS) != 0;
	c->nocontext = 1;
	c->notime = !c->et.time;
	c->full_on_tie = 1;
}

static void set_each(struct etrace_config *c)
{
	memset(c, 0, sizeof(*c));
	set_defaults(c, HS_ET_2_0, HS_ET_DIALECT_STANDARD);
	c->data = (struct hs_et_data_config){ .size = sizeof(c->data),
		                              .data_width = 64,
		                              .daddress_width = 64,
		                              .csr_width = 64,
		                              .csr_subtype_width = 3,
		                              .dtype_width = 4 };
	c->context_mark = ETRACE_MARK_AUTO;
	c->fast_profile = ETRACE_FAST_AUTO;
	c->pulp_isa = c->boot = ETRACE_OF_THE_DIALECT;
	for (unsigned i = 0; i < HS_ET_LAYOUT_IOPTIONS; i++)
		c->layout[i] = ETRACE_OF_DIALECT;
	c->ioptions = c->doptions = c->type_widths = ETRACE_LIST_DIALECT;
	/* ET Discovery: the defaults of its tables */
	c->hart.retires = c->hart.blocks = c->hart.taken_branches = c->hart.ilastsize_width = 1;
	c->hart.ctype_width = c->hart.impdef_width = 1;
	c->hart.comparators = c->hart.filters = ETRACE_NOT_GIVEN;
	c->hart.iretire_width = 2;
	c->hart.dblock_width = c->hart.iaddr_lsbs_width = 1;
	c->hart.lresp_width = 1;
	c->hart.dsize_width = 3;
	c->hart.ldata_width = c->hart.sdata_width = 32;
	c->hart.insn_width = 32;
	c->hart.ecause_choice = 5; /* all bits of a narrower ecause */
	c->hart.context = c->hart.time = c->hart.excint = c->hart.privilege = c->hart.tval = 1;
}

/* A parameter cannot be a width of 0, which the library takes for its default. */
static bool widths_given(const struct hs_et_config *c)
{
	return c->iaddress_width && c->privilege_width && c->ecause_width && c->context_width &&
	       c->time_width && c->itype_width;
}

/* Do the parameters of the port and of filters go together (PT Table 3.6, ET Parameters and
 * Discovery)? */
static bool hart_valid(const struct etrace_config *c)
{
	const unsigned insn = c->hart.insn_width;
	const bool causes = c->hart.excint || c->hart.ecause;

	if (!c->hart.retires || !c->hart.blocks || !c->hart.taken_branches ||
	    !c->hart.iretire_width || !c->hart.ilastsize_width || !c->hart.ctype_width ||
	    !c->hart.impdef_width || !c->hart.comparators || !c->hart.filters)
		return false;
	if (c->hart.iretire_width <= 7 && c->hart.retires >= 1u << c->hart.iretire_width)
		return false; /* iretire would overflow */
	return (insn == 32 || insn == 64 || insn == 128) && (!c->hart.tval || causes) &&
	       c->hart.privilege_reset < 1u << c->et.privilege_width;
}

/* When only one of comparators and filters is given, the other one is 1 (ET Parameters and
 * Discovery). */
static struct hs_filter_support filters_of(const struct etrace_config *c)
{
	const bool draft = c->et.version == HS_ET_0_026;
	return (struct hs_filter_support){
		.size = sizeof(struct hs_filter_support),
		.comparators = c->hart.comparators == ETRACE_NOT_GIVEN ? 1 : c->hart.comparators,
		.filters = c->hart.filters == ETRACE_NOT_GIVEN ? 1 : c->hart.filters,
		.filter_context = c->hart.context,
		.filter_privilege = c->hart.privilege,
		.filter_tval = c->hart.tval,
		.filter_time = draft ? 0 : c->hart.time,
		.filter_interrupt = draft ? c->hart.interrupt : c->hart.excint != 0,
		.filter_ecause = draft ? c->hart.ecause : c->hart.excint,
		.ecause_choice = c->hart.ecause_choice,
		.user_width = draft            ? c->hart.user_width
		              : c->hart.impdef ? c->hart.impdef_width
		                               : 0,
	};
}

/* Our encoder leaves nothing ambiguous, unless the parameters ask for exactly the packets that the
 * draft's figure has. */
static void suit_files(struct etrace_config *c)
{
	if (c->context_mark == ETRACE_MARK_AUTO && c->et.version == HS_ET_0_026)
		c->context_mark = !c->et.plain_loops && !c->et.strict;
}

void protocol_et_defaults(void *config, enum codec_defaults which)
{
	struct etrace_config *c = config;

	if (which == CODEC_EACH)
		set_each(c);
	else if (which == CODEC_FOLLOWING)
		set_defaults(c, c->et.version, c->et.dialect);
	else
		suit_files(c);
}

/* A choice that follows the dialect @of unless it was made. */
static bool is_chosen(const struct etrace_config *c, uint8_t choice, unsigned of)
{
	return choice == ETRACE_OF_THE_DIALECT ? c->et.dialect == of : choice;
}

/* Parameters of data trace hold with it only. */
static bool data_valid(const struct etrace_config *c)
{
	struct hs_et_data_coder coder;

	return !c->et.data_trace || hs_et_data_init(&coder, &c->data) == HS_OK;
}

static bool describes_itself(const struct etrace_config *c)
{
	struct hs_et_discovery record;

	return !c->describe || protocol_et_record(c, &record) == HS_OK;
}

static enum hs_status check_all(const void *config, const struct hs_et_config *c)
{
	if (((const struct etrace_config *)config)->fast_only && !c->fast)
		return HS_E_CONFIG; /* it has no delta mode 1 (PT 3.1.4) */
	if (!widths_given(&((const struct etrace_config *)config)->et) || !hart_valid(config))
		return HS_E_CONFIG;
	if (!data_valid(config) || !describes_itself(config))
		return HS_E_CONFIG;
	return hs_et_config_check(c);
}

enum hs_status protocol_et_find_ring(const void *config, const struct hs_span *buffer, uint64_t wp,
                                     struct hs_ring *ring)
{
	const struct hs_et_config c = protocol_et_unread(config);

	return wp == HS_RING_UNKNOWN ? hs_et_ring_find(buffer, &c, ring)
	                             : hs_et_ring_begin(buffer, &c, wp, ring);
}

/* The reference flow starts its programs from Spike's reset vector: auipc t0, 0; addi a1, t0, 32;
 * csrr a0, mhartid; ld t0, 24(t0); jr t0. */
static const struct hs_image *boot_of(const struct etrace_config *c)
{
	static const uint8_t words[] = { 0x97, 0x02, 0,    0,    0x93, 0x85, 0x02, 0x02, 0x73, 0x25,
		                         0x40, 0xf1, 0x83, 0xb2, 0x82, 0x01, 0x67, 0x80, 0x02, 0 };
	static const struct hs_section section = { 0x1000, sizeof(words), words };
	static const struct hs_image image = { .sections = &section, .count = 1 };

	return is_chosen(c, c->boot, HS_ET_DIALECT_REFERENCE) ? &image : NULL;
}

/* Whole bytes of srcID and timestamp, in headers that pins can align: zeros that align memory do
 * not. */
static void put_headers(struct hs_protocol_traits *t, struct hs_et_config c)
{
	t->has_headers = true;
	t->null_run = hs_et_null_run(&c);
	c.anchor_bytes = 0;
	t->aligned = hs_et_null_run(&c);
	t->src_bytes = t->aligned ? c.src_bits / 8 : 0;
	t->tstamp_bytes = t->aligned ? c.tstamp_bytes : 0;
}

/* Data packets depend on those before them. */
static bool is_framed(const struct hs_et_config *c)
{
	const struct hs_span none = { NULL, 0 };

	return !c->data_trace && hs_et_find_end(c, &none) == 0;
}

static struct hs_protocol_fields fields_of(const struct hs_et_config *c)
{
	struct hs_et_fields f;

	hs_et_get_fields(c, &f);
	return (struct hs_protocol_fields){ f.cause, f.value, f.context, f.modes };
}

static struct hs_protocol_traits traits_of(const struct etrace_config *own)
{
	const struct hs_et_config c = protocol_et_unread(own);
	struct hs_protocol_traits traits = {
		.fields = fields_of(&c),
		.timed = c.time || c.tstamp_bytes || c.cycles || c.sync_mode == HS_ET_SYNC_CYCLES,
		.framed = is_framed(&c),
		.discovers = protocol_et_discovers(own),
		.boot = boot_of(own),
		/* trdb, PULP's trace debugger, traces PULP's harts */
		.pulp = is_chosen(own, own->pulp_isa, HS_ET_DIALECT_PULP),
		.has_filters = own->hart.comparators != ETRACE_NOT_GIVEN ||
		               own->hart.filters != ETRACE_NOT_GIVEN,
		.filters = filters_of(own),
	};

	put_headers(&traits, c);
	return traits;
}

enum hs_status protocol_et_check(const void *config, enum codec_check what,
                                 struct hs_protocol_traits *traits)
{
	const bool unread = what == CODEC_CHECK_UNREAD && protocol_et_discovers(config);
	const struct hs_et_config c =
		unread ? protocol_et_unread(config) : protocol_et_plain(config);

	if (traits)
		*traits = traits_of(config);
	return check_all(config, &c);
}

size_t protocol_et_find_cut(const void *config, const struct hs_span *bytes, bool synchronises)
{
	const struct hs_et_config c = protocol_et_unread(config);

	return synchronises ? hs_et_find_sync(&c, bytes) : hs_et_find_end(&c, bytes);
}
