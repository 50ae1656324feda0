/* Packets of one source to blocks (ET Decoder). */
#include "etrace/source.h"

#include "base/mem.h"

void et_source_init(const struct hs_et_decoder *d, struct hs_et_source *s, unsigned src)
{
	memset(s, 0, sizeof *s);
	s->src = (uint16_t)src;
	s->table = d->table;
	s->options = d->config.options;
	s->priv = HS_PRIV_UNKNOWN;
}

/* ---- words of the packet -------------------------------------------------------- */

static uint64_t field(const struct hs_et_decoder *d, enum hs_et_field f)
{
	return d->packet.field[f];
}

/* A full address of the packet, as bytes. */
static uint64_t full_address(const struct hs_et_decoder *d, enum hs_et_field f)
{
	return et_times_lsb(&d->config, field(d, f)) & et_ones(d->config.iaddress_width);
}

/* The address of format 0, 1 or 2: full, or the difference to the last one (ET Full address mode). */
static uint64_t reported_address(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	const struct hs_et_config *c = &d->config;
	const uint64_t a = full_address(d, HS_ETF_ADDRESS);
	const bool differs = c->version == HS_ET_0_026 ? d->packet.form != HS_ET_FULL &&
	                     !(d->packet.form == HS_ET_ADDRESS && s->options & HS_ET_FULL_ADDRESS)
	                                               : !(s->options & HS_ET_FULL_ADDRESS);

	if (!differs)
		return a;
	return (c->negated ? s->address - a : s->address + a) & et_ones(c->iaddress_width);
}

uint8_t et_block_priv(const struct hs_et_config *c, uint64_t priv)
{
	static const uint8_t of[8] = { HS_PRIV_U, HS_PRIV_S, HS_PRIV_UNKNOWN, HS_PRIV_M, HS_PRIV_UNKNOWN,
	                               HS_PRIV_VU, HS_PRIV_VS, HS_PRIV_UNKNOWN };

	if (c->dialect == HS_ET_DIALECT_PULP) /* trdb: 7 is M */
		return priv == 7 ? HS_PRIV_M : of[priv & 7];
	return of[priv & 7];
}

/* ---- events --------------------------------------------------------------------- */

void et_put_event(const struct hs_et_source *s, struct flow_out *out, unsigned kind, unsigned itype,
                      uint64_t value, uint32_t arg)
{
	memset(out->p, 0, sizeof *out->p);
	out->p->kind = (uint8_t)kind;
	out->p->itype = (uint8_t)itype;
	out->p->value = value;
	out->p->arg = arg;
	out->p->priv = s->priv & 7u;
	out->p++;
}

static void set_priv(struct hs_et_source *s, uint8_t priv)
{
	s->priv = priv;
	flow_set_priv(&s->walk, priv);
}

/* The program that the packet at hand names; that of the source if it names none.  A context packet has no place
 * (ET Table context-type): what synchronises next names the program again. */
static struct hs_bb_table *program_of(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	const uint64_t context = field(d, HS_ETF_CONTEXT);

	if (d->config.nocontext || d->packet.form == HS_ET_CONTEXT || !hs_et_has(&d->packet, HS_ETF_CONTEXT))
		return s->table;
	for (size_t i = 0; i < d->table_count; i++)
		if (d->contexts[i] == context)
			return d->tables[i];
	return s->table;
}

/* Go on in the program that the packet names; an open block stays open.  False: it is the same program. */
static bool select_program(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	struct hs_bb_table *to = program_of(d, s);

	if (to == s->table)
		return false;
	flow_refresh(&s->walk, s->table);
	flow_switch(&s->walk, s->table, to);
	s->table = to;
	return true;
}

/* privilege, time and context of a format 3 packet. */
static void take_context(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const struct hs_et_config *c = &d->config;

	set_priv(s, et_block_priv(c, field(d, HS_ETF_PRIVILEGE)));
	if (!c->notime && hs_et_has(&d->packet, HS_ETF_TIME) &&
	    !(s->timed && s->time == field(d, HS_ETF_TIME))) {
		s->time = field(d, HS_ETF_TIME);
		s->timed = true;
		et_put_event(s, out, HS_KIND_TIME, 0, s->time, 0);
	}
	const bool other = select_program(d, s);

	if (!c->nocontext && hs_et_has(&d->packet, HS_ETF_CONTEXT) &&
	    (s->contexted ? s->context != field(d, HS_ETF_CONTEXT) : other || field(d, HS_ETF_CONTEXT) != 0)) {
		s->context = field(d, HS_ETF_CONTEXT);
		s->contexted = true;
		et_put_event(s, out, HS_KIND_CONTEXT, 0, s->context, 2);
	}
}

/* ---- places --------------------------------------------------------------------- */

static enum hs_status fault(struct hs_et_source *s, struct et_fault *f, enum hs_status status,
                            const char *clause, const char *why)
{
	f->status = status;
	f->clause = clause;
	f->why = why;
	s->state = ET_LOSING;
	return status;
}

static enum hs_status path_fault(struct hs_et_source *s, struct et_fault *f, enum path_stop why)
{
	switch (why) {
	case PATH_NOCODE:
		return fault(s, f, HS_E_NOCODE, "ET Decoder", "no code where the flow leads");
	case PATH_NO_BIT:
		return fault(s, f, HS_E_HIST, "ET Decoder is_taken_branch", "a branch that no packet tells of");
	case PATH_SPARE_BITS:
		return fault(s, f, HS_E_HIST, "ET Decoder unprocessed_branches",
		             "more branches than there are on the way");
	case PATH_UNINFERABLE:
		return fault(s, f, HS_E_FLOW, "ET Decoder next_pc", "an uninferable jump before the last branch");
	default:
		return fault(s, f, HS_E_FLOW, "ET Decoder next_pc", "jumps lead in a circle");
	}
}

/* Options change what the walk infers. */
static void apply_options(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const struct hs_et_config *c = &d->config;
	const unsigned size = c->return_stack_size ? c->return_stack_size : c->call_counter_size;

	s->walk.rules = s->options & HS_ET_SIJUMP ? FLOW_SEQUENTIAL : 0;
	s->path.depth = s->options & HS_ET_IMPLICIT_RETURN ? (uint8_t)(1u << size) : 0;
	s->path.depth_mask = (uint8_t)et_ones(et_depth_bits(c));
	s->path.states = s->options & HS_ET_BRANCH_PREDICTION ? s->states : NULL;
	s->path.mask = ((uint32_t)1 << c->bpred_size) - 1;
	s->path.coarse = c->iaddress_lsb > 1;
	if (!s->path.states) { /* what was predicted cannot be told any more */
		s->path.predicted = 0;
		s->path.failed = 0;
	}
	s->path.lenient = c->context_mark;
}

static void forget(struct hs_et_source *s)
{
	path_reset(&s->walk, &s->path);
	memset(s->cache, 0, sizeof s->cache);
	s->inferred = false;
}

/* The slot of a jump target (ET Jump target cache mode). */
static uint64_t *cache_slot(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	return &s->cache[et_cache_index(&d->config, addr)];
}

static void remember_target(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	if (s->options & HS_ET_JUMP_TARGET_CACHE)
		*cache_slot(d, s, addr) = addr + 1;
}

/* Stand behind the instruction that a synchronising packet names. */
static enum hs_status stand_at(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr,
                               bool landed, struct et_fault *f)
{
	forget(s);
	s->landed = d->packet.form == HS_ET_TRAP ? ET_LANDED_TRAP : ET_LANDED_START;
	if (!landed && !path_land(&s->walk, s->table, addr)) {
		if (d->config.context_mark) { /* it did not retire (ADR-0017) */
			s->address = addr;
			s->state = ET_TRAPPED;
			return HS_OK;
		}
		return fault(s, f, HS_E_NOCODE, "ET Format 3 packets", "no code at the address");
	}
	if (landed) /* a decoder that starts here knows nothing of a pair (ET sijump) */
		path_part(&s->walk, s->table);
	s->address = addr;
	s->state = ET_SYNCED;
	if (path_at_branch(&s->walk, s->table))
		path_add(&s->path, (uint32_t)field(d, HS_ETF_BRANCH), 1);
	return HS_OK;
}

/* ---- format 3 ------------------------------------------------------------------- */

/* The first packet after the trace was off or lost. */
static enum hs_status start(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                            uint64_t addr, struct et_fault *f)
{
	apply_options(d, s);
	take_context(d, s, out);
	et_put_event(s, out, HS_KIND_SYNC, 5, addr, 0);
	return stand_at(d, s, addr, false, f);
}

/* Follow the path that the source's path describes. */
static enum hs_status walk(struct hs_et_source *s, struct flow_out *out, enum path_stop *why, struct et_fault *f)
{
	struct flow_out part = { out->p, out->end - ET_AFTER_WALK };

	*why = path_walk(&s->walk, s->table, &s->path, &part);
	out->p = part.p;
	if (*why == PATH_FULL)
		return HS_FULL;
	return *why <= PATH_AT_BRANCH ? HS_OK : path_fault(s, f, *why);
}

/* Resynchronisation: the flow goes on to the address (ET Decoder, format 3 subformat 0). */
static enum hs_status go_on_to(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                               struct et_fault *f)
{
	const uint64_t addr = full_address(d, HS_ETF_ADDRESS);
	const bool other_priv = et_block_priv(&d->config, field(d, HS_ETF_PRIVILEGE)) != s->priv;
	enum path_stop why;

	if (s->phase == ET_FRESH && et_draft_vector(d, s, out))
		return stand_at(d, s, addr, false, f);
	if (s->phase == ET_FRESH) {
		et_draft_settle(d, s, out); /* what was met was meant */
		s->path.report = 0;
		s->path.counting = 0; /* the packet says nothing of returns */
		s->path.goal = other_priv ? PATH_DISCON : PATH_ADDRESS;
		s->path.address = addr;
		s->path.before = program_of(d, s) != s->table;
		if (!s->path.before && path_is_branch(s->table, addr))
			path_add(&s->path, (uint32_t)field(d, HS_ETF_BRANCH), 1);
		s->phase = ET_FOLLOW;
	}
	const enum hs_status status = walk(s, out, &why, f);
	if (status != HS_OK)
		return status;
	const bool before = s->path.before;

	s->path.before = 0;
	take_context(d, s, out);
	if (before && !path_enter(&s->walk, s->table))
		return path_fault(s, f, PATH_NOCODE);
	return stand_at(d, s, addr, true, f);
}

static enum hs_status take_start(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                                 struct et_fault *f)
{
	const uint64_t addr = full_address(d, HS_ETF_ADDRESS);

	switch (s->state) {
	case ET_SYNCED:
		return go_on_to(d, s, out, f);
	case ET_TRAPPED:
		take_context(d, s, out);
		return stand_at(d, s, addr, false, f);
	default:
		return start(d, s, out, addr, f);
	}
}

/* A packet for the trap alone, with the place where it struck (ET Format 3 thaddr). */
static bool told(const struct hs_et_decoder *d)
{
	return !field(d, HS_ETF_THADDR) && d->config.version != HS_ET_0_026;
}

/* The block that a trap ends, or an empty one at the instruction that did not retire. */
static void put_trap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out, bool known)
{
	const unsigned itype = field(d, HS_ETF_INTERRUPT) ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION;

	if (told(d)) /* the mode in which the trap struck */
		set_priv(s, et_block_priv(&d->config, field(d, HS_ETF_PRIVILEGE)));
	if (!known) {
		s->walk.pc = full_address(d, HS_ETF_TRAP_ADDRESS);
		s->walk.cur = HS_BB_NOCODE;
		s->walk.acc = 0;
		s->walk.off = 0;
	}
	flow_close(&s->walk, s->table, itype, out);
}

/* Where the trap struck: behind the last instruction, or where the packet says (ET Format 3 thaddr). */
static enum hs_status end_by_trap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                                  struct et_fault *f)
{
	bool known = false;

	et_draft_settle(d, s, out);
	if (et_draft_unretired(d, s, out)) {
		known = true;
	} else if (s->state == ET_SYNCED) {
		const bool branch = path_at_branch(&s->walk, s->table);

		if (path_branches(&s->path) != branch)
			return path_fault(s, f, branch ? PATH_NO_BIT : PATH_SPARE_BITS);
		const uint64_t epc = full_address(d, HS_ETF_TRAP_ADDRESS);
		known = path_follow(&s->walk, s->table, &s->path, told(d) ? &epc : NULL, out);
	}
	if (known || told(d))
		put_trap(d, s, out, known);
	return HS_OK;
}

/* Where the handler begins that a trap packet tells of. */
static bool handler_of(const struct hs_et_decoder *d, uint64_t *addr)
{
	const enum hs_et_field which = et_is_draft(d) ? HS_ETF_ADDRESS : HS_ETF_TRAP_ADDRESS;

	*addr = full_address(d, which);
	return hs_et_has(&d->packet, which) || et_handler(&d->config, &d->packet, addr);
}

static enum hs_status take_trap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                                struct et_fault *f)
{
	const bool handler = !told(d);
	enum hs_status status = HS_OK;
	uint64_t addr;

	if (!handler_of(d, &addr) && handler)
		return fault(s, f, HS_E_UNSUPPORTED, "ET Implicit exception mode", "no address of the handler");
	if (s->state == ET_SYNCED || s->state == ET_TRAPPED) {
		status = end_by_trap(d, s, out, f);
		if (status != HS_OK)
			return status;
	} else {
		apply_options(d, s);
		et_put_event(s, out, HS_KIND_SYNC, 5, addr, 0);
		if (!handler)
			put_trap(d, s, out, false);
	}
	et_put_event(s, out, HS_KIND_TRAP, 0, field(d, HS_ETF_TVAL), (uint32_t)field(d, HS_ETF_ECAUSE));
	take_context(d, s, out);
	if (handler)
		return stand_at(d, s, addr, false, f);
	forget(s);
	s->state = ET_TRAPPED;
	return HS_OK;
}

void et_source_close(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (d->config.version == HS_ET_FAST) {
		s->state = ET_OFF;
		return;
	}
	flow_refresh(&s->walk, s->table);
	et_draft_close(d, s, out);
	if (s->state == ET_SYNCED)
		path_close(&s->walk, s->table, &s->path, out);
	s->state = ET_OFF;
	s->inferred = false;
}

/* The path to the second time that an address is met (ET Format 2 updiscon). */
static enum hs_status again(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                            struct et_fault *f)
{
	enum path_stop why;

	s->path.goal = PATH_DISCON;
	s->path.address = s->address; /* path.report is still that of its packet */
	const enum hs_status status = walk(s, out, &why, f);
	if (status != HS_OK)
		return status;
	remember_target(d, s, s->address);
	s->inferred = false;
	s->landed = ET_LANDED_JUMP;
	return HS_OK;
}

static enum hs_status take_support(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                                   struct et_fault *f)
{
	const uint64_t qual = field(d, HS_ETF_QUAL_STATUS);
	enum hs_status status;

	if (qual == HS_ET_ENDED_NTR && s->inferred && s->state == ET_SYNCED) {
		s->phase = ET_AGAIN;
		status = again(d, s, out, f);
		if (status != HS_OK)
			return status;
	}
	s->options = (uint8_t)hs_et_packet_options(&d->config, &d->packet);
	hs_et_reader_options(&d->reader, s->options);
	s->options = d->reader.config.options;
	apply_options(d, s);
	if (qual == HS_ET_NO_CHANGE)
		return HS_OK;
	if (qual == HS_ET_TRACE_LOST) /* 0.026: reserved */
		return fault(s, f, HS_E_LOST, "ET Format 3 subformat 3 qual_status",
		             "the encoder lost packets");
	s->inferred = false;
	if (s->landed == ET_LANDED_JUMP)
		s->landed = ET_LANDED_NOT;
	if (s->state == ET_SYNCED || s->state == ET_TRAPPED) {
		et_source_close(d, s, out);
		et_put_event(s, out, HS_KIND_STOP, 4, 0, 0);
	}
	return HS_OK;
}

/* ---- formats 0, 1, 2 -------------------------------------------------------------- */

/* Branches that the packet tells of. */
static void add_branches(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const unsigned branches = (unsigned)field(d, HS_ETF_BRANCHES);
	const uint32_t map = (uint32_t)field(d, HS_ETF_BRANCH_MAP);

	if (d->packet.form == HS_ET_COUNT) {
		s->path.predicted = field(d, HS_ETF_BRANCH_COUNT) + 31;
		s->path.failed = field(d, HS_ETF_BRANCH_FMT) != 2;
	} else if (branches || hs_et_has(&d->packet, HS_ETF_BRANCH_MAP)) {
		path_add(&s->path, map, branches ? branches : 31);
	}
}

static bool has_address(const struct hs_et_decoder *d)
{
	return hs_et_has(&d->packet, HS_ETF_ADDRESS) || d->packet.form == HS_ET_INDEX;
}

/* Where the packet leads, and how it may get there. */
static enum hs_status set_goal(struct hs_et_decoder *d, struct hs_et_source *s, struct et_fault *f)
{
	struct hs_path *p = &s->path;

	if (d->packet.form == HS_ET_COUNT && !p->states)
		return fault(s, f, HS_E_FLOW, "ET Branch prediction mode", "branches are not predicted here");
	add_branches(d, s);
	path_begin(p);
	p->counting = d->config.iret_ext;
	p->report = (uint8_t)field(d, HS_ETF_IRREPORT);
	p->report_depth = (uint8_t)field(d, HS_ETF_IRDEPTH);
	p->goal = PATH_LAST_BRANCH;
	if (!has_address(d))
		return HS_OK;
	p->goal = field(d, HS_ETF_UPDISCON) || d->packet.form == HS_ET_INDEX ? PATH_DISCON : PATH_ADDRESS;
	if (d->packet.form == HS_ET_INDEX) {
		p->address = s->cache[field(d, HS_ETF_INDEX) & et_ones(HS_ET_CACHE_MAX)] - 1;
		if (p->address == UINT64_MAX)
			return fault(s, f, HS_E_FLOW, "ET Jump target cache mode", "the cache has no such entry");
	} else {
		p->address = reported_address(d, s);
	}
	return HS_OK;
}

static enum hs_status take_flow(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                                struct et_fault *f)
{
	enum path_stop why;
	enum hs_status status;

	if (s->state == ET_TRAPPED)
		return fault(s, f, HS_E_FLOW, "ET Format 3 thaddr", "no synchronising packet after a trap");
	if (s->phase == ET_FRESH)
		s->phase = s->inferred ? ET_AGAIN : ET_FINISH;
	if (s->phase == ET_AGAIN) {
		status = again(d, s, out, f);
		if (status != HS_OK)
			return status;
		s->phase = ET_FINISH;
	}
	if (s->phase == ET_FINISH) {
		status = set_goal(d, s, f);
		if (status != HS_OK)
			return status;
		s->phase = ET_FOLLOW;
	}
	status = walk(s, out, &why, f);
	if (status != HS_OK || !has_address(d))
		return status;
	s->address = s->path.address;
	s->landed = why == PATH_JUMPED ? ET_LANDED_JUMP : path_branches(&s->path) ? ET_LANDED_BRANCH : ET_LANDED_NOT;
	if (why == PATH_JUMPED)
		remember_target(d, s, s->address);
	else if (!field(d, HS_ETF_NOTIFY) && path_branches(&s->path) == 0)
		s->inferred = true;
	return HS_OK;
}

/* 0.026 with context_mark: what the packet before named was a jump's target (draft.c). */
static enum hs_status take_draft_context(struct hs_et_decoder *d, struct hs_et_source *s,
                                          struct flow_out *out, struct et_fault *f)
{
	static const uint8_t marked[] = { [ET_LANDED_BRANCH] = ET_LANDED_BRANCH_MARKED,
		                          [ET_LANDED_JUMP] = ET_LANDED_MARKED, [ET_LANDED_MARKED] = ET_LANDED_STRUCK,
		                          [ET_LANDED_TRAP] = ET_LANDED_NOT };
	const bool second = s->landed == ET_LANDED_BRANCH_MARKED; /* the bit was the branch's, the trap's place is
	                                                             where a jump led behind it */
	if (s->state != ET_SYNCED && s->state != ET_TRAPPED)
		return HS_OK;
	if ((s->inferred || second) && d->config.context_mark) {
		s->phase = ET_AGAIN;
		const enum hs_status status = again(d, s, out, f);

		if (status != HS_OK)
			return status;
	}
	s->landed = second ? ET_LANDED_STRUCK : marked[s->landed];
	if (s->landed == ET_LANDED_BRANCH_MARKED) /* the mode may be that behind the jump */
		return HS_OK;
	take_context(d, s, out);
	return HS_OK;
}

/* ---- the packet at hand ------------------------------------------------------------ */

static enum hs_status dispatch(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                               struct et_fault *f)
{
	switch (d->packet.form) {
	case HS_ET_START:
		return take_start(d, s, out, f);
	case HS_ET_TRAP:
		return take_trap(d, s, out, f);
	case HS_ET_SUPPORT:
		return take_support(d, s, out, f);
	case HS_ET_DISCOVERY: /* says nothing of the flow */
		return HS_OK;
	case HS_ET_CONTEXT:
		if (et_is_draft(d))
			return take_draft_context(d, s, out, f);
		if (s->state == ET_SYNCED || s->state == ET_TRAPPED)
			take_context(d, s, out);
		return HS_OK;
	default:
		break;
	}
	if (s->state == ET_SYNCED || s->state == ET_TRAPPED)
		return take_flow(d, s, out, f);
	d->stats.skipped++;
	return HS_OK;
}

enum hs_status et_source_run(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                             struct et_fault *f)
{
	if (d->config.version == HS_ET_FAST)
		return et_fast_run(d, s, out, f);
	if (s->state == ET_SYNCED) /* another source may have filled the table */
		flow_refresh(&s->walk, s->table);
	if (s->phase == ET_FRESH) /* a loop that packets tell of is no circle */
		s->path.still = 0;
	const enum hs_status status = dispatch(d, s, out, f);

	if (status != HS_FULL)
		s->phase = ET_FRESH;
	return status;
}

void et_source_sync(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const unsigned form = d->packet.form;
	uint64_t addr = full_address(d, HS_ETF_ADDRESS);
	struct et_fault f;

	if (d->config.version == HS_ET_FAST)
		return;
	if (form != HS_ET_START && form != HS_ET_TRAP)
		return;
	if (form == HS_ET_TRAP && ((!et_is_draft(d) && !field(d, HS_ETF_THADDR)) || !handler_of(d, &addr)))
		return;
	if (start(d, s, out, addr, &f) != HS_OK)
		s->state = ET_LOST;
}
