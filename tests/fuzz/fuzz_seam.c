/* Any bytes are a circular buffer of either protocol: the search for a seam that contradicts a
 * program ends, with places that are in the buffer.  Input: protocol and dialect, options, the
 * buffer. */
#include <hartscope/protocol.h>

#include "trace/protocol.h"
#include "trace/trace.h"
#include "fuzz.h"

#define HEAD 2u
#define CODE 0x1000u

/* c.nop, beq a0,a1,+8, c.nop, c.j -2, c.nop, c.jr ra, ecall (ISA manual). */
static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x04, 0xb5, 0x00, 0x01, 0x00, 0xfd, 0xbf,
	                        0x01, 0x00, 0x82, 0x80, 0x73, 0x00, 0x00, 0x00 };
static const struct hs_section section = { CODE, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };

static bool set(const struct hs_protocol *p, void *config, const char *name, const char *value)
{
	return hs_protocol_set(p, config, name, value, NULL) == HS_OK;
}

static const struct hs_protocol *configure(const uint8_t *head, void **config)
{
	static const char *const dialects[] = { "standard", "atb", "reference", "none", "siemens",
		                                "encap1", "esp32", "draft" };
	const struct hs_protocol *p = hs_protocol_find(head[0] & 1 ? "ntrace" : "etrace");

	*config = malloc(p->config_size);
	fuzz_must(*config != NULL);
	hs_protocol_defaults(p, *config);
	set(p, *config, head[0] & 1 ? "messageBlocks" : "message-blocks", "4096"); /* not 2^28 */
	if (head[0] & 1) {
		set(p, *config, "trTeInstMode", head[1] & 1 ? "btm" : "htm");
		return p;
	}
	set(p, *config, "dialect", dialects[head[0] >> 1 & 7]);
	p->codec->defaults(*config, CODEC_FOLLOWING);
	set(p, *config, "full-address", head[1] & 1 ? "1" : "0");
	if (head[1] & 2)
		set(p, *config, "trTeSrcBits", "4");
	return p;
}

static void find_seam(const struct hs_protocol *p, const void *config, const struct hs_span *all,
                      struct hs_ring *ring)
{
	const enum hs_status s = hs_protocol_find_wrap(p, config, &image, NULL, all, ring);

	fuzz_must(s == HS_OK || s == HS_E_CONFIG || s == HS_E_MEMORY);
	fuzz_must(ring->begin <= all->n && ring->end <= all->n && !ring->certain);
	fuzz_must(!ring->found || (ring->begin < all->n && ring->evidence == HS_RING_PROGRAM));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *config;

	if (size < HEAD)
		return 0;
	const struct hs_span all = { data + HEAD, size - HEAD };
	struct hs_ring ring = { .end = all.n };
	const struct hs_protocol *p = configure(data, &config);

	if (hs_protocol_check(p, config, NULL) == HS_OK)
		find_seam(p, config, &all, &ring);
	free(config);
	return 0;
}

/* A loop: the newest bytes after an older part, of BTM and of the encapsulation.  Each input makes a
 * decoder, with all of its memory: there are few. */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t cap)
{
	static struct hs_block flow[600];
	static uint8_t trace[8192];
	size_t n = 0, used, len = 0, more = 0;
	void *config;

	if (i > 2 || cap < 600)
		return 0;
	if (i == 2) { /* no byte ends a message */
		out[0] = 1;
		memset(out + 1, 0x81, 200);
		return 201;
	}
	out[0] = i == 0;
	out[1] = 1;
	const struct hs_protocol *p = configure(out, &config);

	for (; n + 2 < 600; n += 2) {
		flow[n] = (struct hs_block){ .iaddr = CODE, .iretire = 3, .ilast = 2,
			                     .itype = HS_ITYPE_TAKEN, .priv = HS_PRIV_U };
		flow[n + 1] = (struct hs_block){ .iaddr = CODE + 10, .iretire = 2, .ilast = 1,
			                         .itype = HS_ITYPE_RETURN, .priv = HS_PRIV_U };
	}
	set(p, config, "trTeInstSyncMode", "1");
	struct hs_encoder *encoder = NULL;

	if (hs_protocol_check(p, config, NULL) == HS_OK &&
	    hs_encoder_new(&encoder, p, config) == HS_OK &&
	    hs_encoder_put(encoder, flow, n, &used, trace, sizeof trace, &len) == HS_OK)
		(void)hs_encoder_end(encoder, trace + len, sizeof trace - len, &more);
	hs_encoder_free(encoder);
	free(config);
	len = len > 500 ? 500 : len;
	memcpy(out + HEAD, trace + len / 3, len - len / 3);
	memcpy(out + HEAD + len - len / 3, trace, len / 3);
	return HEAD + len;
}
