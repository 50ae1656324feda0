/* The board of model.h. */
#include "board/model.h"
#include "board/sifive.h"
#include "device/device.h"
#include "etrace/etrace.h"
#include "recording/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/control.h>
#include <hartscope/recording.h>

enum { HARTS = HS_DEV_ENCODERS, BATCH = 256 };

struct hart {
	struct hs_dev_encoder encoder;
	struct hs_rec_stream *stream;
	struct hs_block blocks[BATCH];
	size_t at, n;
	bool ended;
};

static struct board_options options;
static struct hs_rec *rec;
static struct hart harts[HARTS];
static unsigned hart_count;
static struct hs_dev_node funnel, ram;
static struct hs_dev sys;
static uint8_t *sram;
static uint8_t memory[BOARD_MEMORY_BYTES];
static struct { uint64_t address; uint8_t *p; size_t bytes; } mapped;

/* ---- memory ---------------------------------------------------------------------------------- */

/* Where the word at an address is; NULL: nowhere. */
static uint8_t *word_at(uint64_t address)
{
	if (address >= mapped.address && address - mapped.address < mapped.bytes)
		return mapped.p + (address - mapped.address);
	if (address >= BOARD_MEMORY && address - BOARD_MEMORY < sizeof(memory))
		return memory + (address - BOARD_MEMORY);
	if (address >= BOARD_WIDE && address - BOARD_WIDE < sizeof(memory))
		return memory + (address - BOARD_WIDE);
	return NULL;
}

void board_map_memory(uint64_t address, uint8_t *p, size_t bytes)
{
	mapped.address = address;
	mapped.p = p;
	mapped.bytes = bytes;
}

static bool store_word(void *user, uint64_t address, uint32_t word)
{
	uint8_t *p = word_at(address);

	(void)user;
	for (unsigned i = 0; p && i < 4; i++)
		p[i] = (uint8_t)(word >> 8 * i);
	return p != NULL;
}

static uint32_t load_word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---- registers ------------------------------------------------------------------------------- */

static struct hart *hart_at(uint64_t page)
{
	const uint64_t n = (page - BOARD_ENCODER) / 0x10000;

	return page >= BOARD_ENCODER && (page - BOARD_ENCODER) % 0x10000 == 0 && n < hart_count
	               ? &harts[n]
	               : NULL;
}

static struct hs_dev_node *node_at(uint64_t page)
{
	return page == BOARD_FUNNEL ? &funnel : page == BOARD_RAM ? &ram : NULL;
}

/* Does the board have SiFive's components in place of those of 1.0? */
static bool is_sifive(void)
{
	return options.sink && strcmp(options.sink, "sifive") == 0;
}

static bool is_peripheral(uint64_t address)
{
	return address >= 0x10000000 && address < 0x10100000;
}

bool board_read(uint64_t address, uint32_t *value)
{
	const uint32_t offset = address & 0xfff;
	struct hart *h = hart_at(address - offset);
	struct hs_dev_node *n = node_at(address - offset);
	const uint8_t *p = word_at(address);

	if (is_sifive() && sifive_has(address)) {
		*value = sifive_read(address);
		return true;
	}
	if (p)
		*value = load_word(p);
	else if (h)
		*value = hs_tc_device_read(&h->encoder.device, HS_TC_ENCODER, offset);
	else if (n)
		*value = hs_dev_read(n, offset);
	else
		*value = 0;
	return (p || is_peripheral(address)) && address % 4 == 0;
}

bool board_write(uint64_t address, uint32_t value)
{
	const uint32_t offset = address & 0xfff;
	struct hart *h = hart_at(address - offset);
	struct hs_dev_node *n = node_at(address - offset);

	if (is_sifive() && sifive_has(address)) {
		sifive_write(address, value);
		return true;
	}
	if (h)
		hs_tc_device_write(&h->encoder.device, HS_TC_ENCODER, offset, value);
	else if (n)
		hs_dev_write(n, offset, value);
	else if (!is_peripheral(address))
		return store_word(NULL, address, value);
	return address % 4 == 0;
}

/* ---- harts ----------------------------------------------------------------------------------- */

static bool fill(struct hart *h)
{
	if (h->at == h->n) {
		h->at = h->n = 0;
		h->ended |= hs_rec_stream_next(h->stream, h->blocks, BATCH, &h->n, NULL) != HS_OK;
	}
	return h->n > h->at;
}

/* A block and the events before it; false: the hart has ended or is stalled. */
static bool run_block(struct hart *h)
{
	bool more = fill(h);
	size_t used = 1;

	while (more && used) {
		const struct hs_block *b = &h->blocks[h->at];

		if (is_sifive())
			sifive_run((unsigned)(h - harts), b);
		else if (hs_dev_run(&sys, &h->encoder, b, 1, &used) != HS_OK && used)
			abort();
		h->at += used;
		if (used && b->kind == HS_KIND_BLOCK)
			return true;
		more = fill(h);
	}
	return false;
}

size_t board_run(size_t blocks)
{
	size_t done = 0, before = 1;

	for (size_t i = 0; i < blocks && done != before; i++) {
		before = done;
		for (unsigned n = 0; n < hart_count; n++)
			done += run_block(&harts[n]);
	}
	return done;
}

/* ---- power-up -------------------------------------------------------------------------------- */

static bool open_nodes(uint32_t null_run)
{
	static const struct hs_tc_ops bus = { store_word };
	static const struct hs_tc_limit old = { HS_TCF_RAM_VER_MAJOR, 1, 0 };
	const struct hs_tc_profile *plain = hs_tc_profile_find(options.etrace ? "etrace" : "full");
	const struct hs_tc_profile *sink = options.sink ? hs_tc_profile_find(options.sink) : plain;
	struct hs_tc_profile profile = *(sink ? sink : plain);

	if (!sink) {
		profile.limits = &old;
		profile.limit_count = 1;
	}
	sram = calloc(1, profile.sram_bytes + 1u);
	const struct hs_tc_memory m = { sram, profile.sram_bytes, &bus, NULL };

	if (!sram || hs_dev_node_init(&ram, HS_TC_RAM, &profile, &m, NULL, NULL) != HS_OK ||
	    hs_dev_node_init(&funnel, HS_TC_FUNNEL, plain, NULL, NULL, NULL) != HS_OK ||
	    hs_dev_node_connect(&funnel, &ram, 0) != HS_OK)
		return false;
	if (null_run) {
		hs_dev_node_set_nulls(&ram, null_run);
		hs_dev_node_set_nulls(&funnel, null_run);
	}
	return true;
}

static bool open_hart(unsigned n, const struct hs_et_config *et)
{
	struct hart *h = &harts[n];

	return hs_rec_stream_open(rec, n, &h->stream, NULL) == HS_OK &&
	       hs_dev_encoder_init(&h->encoder, NULL, et, hs_rec_image(rec), false) == HS_OK &&
	       hs_dev_encoder_connect(&h->encoder, &funnel, n) == HS_OK &&
	       hs_dev_add(&sys, &h->encoder) == HS_OK;
}

bool board_open(const struct board_options *o)
{
	struct hs_et_config et = { .size = sizeof(et) };
	struct hs_error error = { 0 };
	bool good;

	options = *o;
	if (hs_rec_open(o->recording, &rec, &error) != HS_OK) {
		fprintf(stderr, "board: %s\n", error.text);
		return false;
	}
	et.iaddress_width = hs_rec_get_info(rec)->xlen;
	hart_count = hs_rec_get_info(rec)->harts < HARTS ? hs_rec_get_info(rec)->harts : HARTS;
	sifive_open(hart_count, store_word);
	good = open_nodes(o->etrace ? hs_et_null_run(&et) : 0);
	for (unsigned n = 0; n < hart_count && good; n++)
		good = open_hart(n, o->etrace ? &et : NULL);
	if (!good)
		fprintf(stderr, "board: the device model does not start\n");
	return good;
}

void board_close(void)
{
	for (unsigned n = 0; n < hart_count; n++)
		hs_rec_stream_close(harts[n].stream);
	hs_rec_close(rec);
	free(sram);
}
