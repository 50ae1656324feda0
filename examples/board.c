/* The sequence of board.h. */
#include "board.h"

enum { CONTROL = 0, IMPL = 4, ACTIVE = 1, ENABLE = 2, EMPTY = 8 }; /* alike in all, TCI 4.3 */

/* ---- accesses -------------------------------------------------------------------------------- */

static uint32_t read_reg(const struct board *b, unsigned component, uint32_t offset)
{
	return b->at[component][offset / 4];
}

static void write_reg(const struct board *b, unsigned component, uint32_t offset, uint32_t value)
{
	b->at[component][offset / 4] = value;
}

/* The register that a field is in. */
static struct hs_tc_place place_of(unsigned component, unsigned field)
{
	struct hs_tc_place p = { 0 };

	(void)hs_tc_at(component, hs_tc_reg_at(hs_tc_field_at(field)->reg)->offset, &p);
	return p;
}

static uint32_t mask_of(const struct hs_tc_field_row *f)
{
	return UINT32_MAX >> (31 - f->msb + f->lsb) << f->lsb;
}

static uint32_t get_field(const struct board *b, unsigned component, unsigned field)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(field);
	const struct hs_tc_place p = place_of(component, field);

	return (read_reg(b, component, p.offset) & mask_of(f)) >> f->lsb;
}

static bool wait_for(const struct board *b, unsigned component, uint32_t offset, uint32_t mask,
                     uint32_t value)
{
	for (unsigned i = 0; i < BOARD_TRIES; i++)
		if ((read_reg(b, component, offset) & mask) == value)
			return true;
	return false;
}

/* ---- settings -------------------------------------------------------------------------------- */

static size_t length_of(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

enum board_result board_want(struct board *b, const char *settings)
{
	struct hs_span in = { (const uint8_t *)settings, length_of(settings) };
	enum hs_status s = HS_OK;

	while (s == HS_OK)
		s = hs_tc_dump_line(&b->wanted, &in);
	return s == HS_MORE ? BOARD_GOOD : BOARD_SETTINGS;
}

/* An address in a Low and a High register. */
static void want_address(struct board *b, unsigned low_field, uint64_t address)
{
	const unsigned word = place_of(HS_TC_RAM, low_field).word;

	for (unsigned i = 0; i < 2; i++) {
		b->wanted.regs.word[word + i] = (uint32_t)(address >> 32 * i);
		b->wanted.regs.known[(word + i) / 32] |= (uint32_t)1 << (word + i) % 32;
	}
}

void board_want_memory(struct board *b, uint64_t start, uint64_t bytes)
{
	const struct hs_tc_place control = place_of(HS_TC_RAM, HS_TCF_RAM_MODE);

	b->wanted.regs.word[control.word] |= mask_of(hs_tc_field_at(HS_TCF_RAM_MODE));
	b->wanted.regs.known[control.word / 32] |= (uint32_t)1 << control.word % 32;
	want_address(b, HS_TCF_RAM_START_LOW_BITS, start);
	want_address(b, HS_TCF_RAM_LIMIT_LOW_BITS, start + bytes - 4);
	want_address(b, HS_TCF_RAM_WP_LOW_BITS, start);
}

/* The sink's own SRAM begins at 0; all bits set become its highest limit (TCI 7.1). */
static void want_sram(struct board *b)
{
	if (!hs_tc_known(&b->wanted.regs, HS_TC_RAM, HS_TCF_RAM_LIMIT_LOW_BITS))
		want_address(b, HS_TCF_RAM_LIMIT_LOW_BITS, UINT32_MAX);
	if (!hs_tc_known(&b->wanted.regs, HS_TC_RAM, HS_TCF_RAM_WP_LOW_BITS))
		want_address(b, HS_TCF_RAM_WP_LOW_BITS, 0);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* A component that has just become active: is it the right one?  (TCI 5, 11.2) */
static bool is_known(const struct board *b, unsigned component)
{
	struct hs_tc_regs r = { 0 };
	struct hs_tc_place p;
	unsigned major, minor;

	(void)hs_tc_at(component, IMPL, &p);
	r.word[p.word] = read_reg(b, component, IMPL);
	r.known[p.word / 32] = (uint32_t)1 << p.word % 32;
	const enum hs_tc_version v = hs_tc_version_of(&r, component, &major, &minor);

	return v == HS_TC_VERSION_GOOD || v == HS_TC_VERSION_NEWER ||
	       v == HS_TC_VERSION_EXPERIMENTAL;
}

/* Fields of a register that can be written and read back. */
static uint32_t settable(unsigned reg)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < HS_TCF_COUNT; i++) {
		const struct hs_tc_field_row *f = hs_tc_field_at(i);

		if (f->reg == reg && (f->access == HS_TC_RW || f->access == HS_TC_WARL))
			mask |= mask_of(f);
	}
	return mask;
}

/* What a write became, before anything is enabled.  Another protocol or memory would be no use,
 * and another range of system memory would destroy what is there (TCI 7.1). */
static enum board_result check_write(struct board *b, const struct hs_tc_step *w)
{
	const struct hs_tc_place *p = &w->place;
	uint32_t different = (read_reg(b, p->component, p->offset) ^ w->value) & settable(p->reg);

	b->differences += different != 0 && p->reg != HS_TCR_RAM_LIMIT_LOW;
	switch (p->reg) {
	case HS_TCR_TE_CONTROL:
		different &= mask_of(hs_tc_field_at(HS_TCF_TE_FORMAT));
		break;
	case HS_TCR_RAM_CONTROL:
		different &= mask_of(hs_tc_field_at(HS_TCF_RAM_MODE));
		break;
	case HS_TCR_RAM_LIMIT_LOW:
	case HS_TCR_RAM_LIMIT_HIGH:
		if (!hs_tc_get(&b->wanted.regs, HS_TC_RAM, HS_TCF_RAM_MODE))
			different = 0;
		break;
	case HS_TCR_RAM_START_LOW:
	case HS_TCR_RAM_START_HIGH:
	case HS_TCR_RAM_WP_LOW:
	case HS_TCR_RAM_WP_HIGH:
		break;
	default:
		different = 0;
	}
	return different ? BOARD_OTHER : BOARD_GOOD;
}

static enum board_result do_write(struct board *b, const struct hs_tc_step *w)
{
	const struct hs_tc_place *p = &w->place;

	b->place = *p;
	write_reg(b, p->component, p->offset, w->value);
	if (!w->wait)
		return check_write(b, w);
	if (!wait_for(b, p->component, p->offset, w->wait, w->value & w->wait))
		return w->wait == ACTIVE ? BOARD_ACTIVE : BOARD_ENABLE;
	return w->wait == ACTIVE && w->value && !is_known(b, p->component) ? BOARD_TYPE
	                                                                   : BOARD_GOOD;
}

enum board_result board_start(struct board *b)
{
	enum board_result result = BOARD_GOOD;
	struct hs_tc_setup setup;
	struct hs_tc_step w;
	uint32_t components = 0;

	for (unsigned c = 0; c < HS_TC_COMPONENTS; c++)
		components |= (uint32_t)(b->at[c] != NULL) << c;
	if (!hs_tc_get(&b->wanted.regs, HS_TC_RAM, HS_TCF_RAM_MODE))
		want_sram(b);
	b->differences = 0;
	if (hs_tc_setup_init(&setup, &b->wanted.regs, components, true) != HS_OK)
		return BOARD_SETTINGS;
	while (result == BOARD_GOOD && hs_tc_setup_next(&setup, &w))
		result = do_write(b, &w);
	return result;
}

/* ---- stop, dump ------------------------------------------------------------------------------ */

enum board_result board_stop(struct board *b)
{
	static const uint8_t order[] = { HS_TC_ENCODER, HS_TC_FUNNEL, HS_TC_RAM, HS_TC_PIB,
		                         HS_TC_ATB };
	/* A 1 would clear it, and the dump has to show it. */
	const uint32_t lost = mask_of(hs_tc_field_at(HS_TCF_TE_INST_STALL_OR_OVERFLOW));
	enum board_result result = BOARD_GOOD;

	for (unsigned i = 0; i < sizeof(order); i++) {
		const unsigned c = order[i];

		if (!b->at[c])
			continue;
		const uint32_t now = read_reg(b, c, CONTROL);
		const uint32_t keep = c == HS_TC_ENCODER ? ~(ENABLE | lost) : ~(uint32_t)ENABLE;

		write_reg(b, c, CONTROL, now & keep);
		if (!wait_for(b, c, CONTROL, ENABLE | EMPTY, EMPTY)) {
			(void)hs_tc_at(c, CONTROL, &b->place);
			result = BOARD_FLUSH;
		}
	}
	return result;
}

/* "[ram 0x10003000]" */
static void put_section(const struct board *b, unsigned component,
                        void (*put)(void *user, const char *line), void *user)
{
	char line[64];
	size_t n = 0;

	line[n++] = '[';
	for (const char *name = hs_tc_component_name(component); *name; name++)
		line[n++] = *name;
	line[n++] = ' ';
	line[n++] = '0';
	line[n++] = 'x';
	for (int i = 60; i >= 0; i -= 4)
		line[n++] = "0123456789abcdef"[b->address[component] >> i & 15];
	line[n++] = ']';
	line[n] = '\0';
	put(user, line);
}

void board_dump(struct board *b, void (*put)(void *user, const char *line), void *user)
{
	struct hs_tc_regs regs = { 0 };
	unsigned section = HS_TC_COMPONENTS;
	struct hs_tc_place p;
	char line[HS_TC_LINE_MAX];

	for (unsigned word = 0; hs_tc_next(word, &p); word = p.word + 1u) {
		if (!b->at[p.component] || p.reg == HS_TCR_RAM_DATA)
			continue; /* reading trRamData moves trRamRP */
		if (p.component != section)
			put_section(b, p.component, put, user);
		section = p.component;
		regs.word[p.word] = read_reg(b, p.component, p.offset);
		if ((p.offset < 0x400 || regs.word[p.word]) && /* no filters that are all 0 */
		    hs_tc_print(&regs, &p, line, sizeof(line)))
			put(user, line);
	}
}

static uint64_t get_address(const struct board *b, unsigned low, unsigned high)
{
	return (uint64_t)get_field(b, HS_TC_RAM, high) << 32 |
	       (uint64_t)get_field(b, HS_TC_RAM, low) << 2;
}

uint64_t board_buffer(const struct board *b, uint64_t *bytes)
{
	const uint64_t start =
		get_address(b, HS_TCF_RAM_START_LOW_BITS, HS_TCF_RAM_START_HIGH_BITS);

	if (get_field(b, HS_TC_RAM, HS_TCF_RAM_WRAP))
		*bytes = get_address(b, HS_TCF_RAM_LIMIT_LOW_BITS, HS_TCF_RAM_LIMIT_HIGH_BITS) -
		         start + 4;
	else
		*bytes = get_address(b, HS_TCF_RAM_WP_LOW_BITS, HS_TCF_RAM_WP_HIGH_BITS) - start;
	return start;
}

void board_read_sram(const struct board *b, uint64_t from, uint32_t *words, size_t count)
{
	const struct hs_tc_place pointer = place_of(HS_TC_RAM, HS_TCF_RAM_RP_LOW_BITS);
	const struct hs_tc_place data = place_of(HS_TC_RAM, HS_TCF_RAM_DATA_BITS);

	write_reg(b, HS_TC_RAM, pointer.offset, (uint32_t)from);
	for (size_t i = 0; i < count; i++)
		words[i] = read_reg(b, HS_TC_RAM, data.offset);
}
