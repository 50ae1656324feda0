/* TACIT as a row of the table of protocols: its parameters. */
#include <stddef.h>
#include <string.h>

#include "trace/tacit.h"

#define P(name, field, max, words, help) \
	{ \
		name, help, words, max, false, offsetof(struct tacit_config, field), \
			sizeof(((struct tacit_config *)0)->field), 0 \
	}

static const struct hs_param params[] = {
	P("branchMode", mode, 2, "target=0 predict=2",
	  "each branch has a message, or only those that a predictor does not know (encode)"),
	P("predictorEntries", entries, TACIT_ENTRIES_MAX, NULL,
	  "counters of the predictor, a multiple of 64; 0: as the trace says (encode: 1024)"),
	P("configForm", config_form, TACIT_CONFIG_LOG, "auto=0 linear=1 log=2",
	  "how CONFIG says predictorEntries: entries / 64, or its logarithm with bit 7 set; auto: "
	  "by bit 7 (encode: linear)"),
	P("predictorFresh", fresh, 1, NULL,
	  "1: the predictor begins anew with SyncStart and SyncPeriodic; 0: it goes on"),
	P("skipJumps", skip_jumps, 1, NULL,
	  "1: no InferableJump while branches are predicted, as the encoder of 2026"),
	P("addressBits", address_bits, 64, NULL,
	  "bits of addresses, whose top bit stands for those above it, 16 to 64 (40 in Rocket with "
	  "Sv39); 0: 64"),
	P("syncMessages", sync_max, UINT32_MAX, NULL,
	  "SyncPeriodic after so many messages; 0: none, as known encoders (encode)"),
};

static const struct hs_variant variants[] = {
	{ "target", "branchMode=target" },
	{ "predict", "branchMode=predict" },
	{ "predict, no direct jumps", "branchMode=predict skipJumps=1" },
};

static void set_defaults(void *config, enum codec_defaults which)
{
	if (which == CODEC_EACH)
		memset(config, 0, sizeof(struct tacit_config));
}

/* Modes that PRV can say. */
#define MODES (1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M)

static enum hs_status check(const void *config, enum codec_check what,
                            struct hs_protocol_traits *traits)
{
	(void)what; /* its messages say nothing of the encoder */
	if (traits)
		*traits = (struct hs_protocol_traits){ .fields = { .modes = MODES },
			                               .timed = true,
			                               .ecall_traps = true,
			                               .unaligned = true };
	return tacit_config_check(config);
}

/* Nothing but reading from the beginning shows where a message begins. */
static size_t find_cut(const void *config, const struct hs_span *bytes, bool synchronises)
{
	(void)config;
	return synchronises ? bytes->n : 0;
}

/* Its sinks write no rings. */
static enum hs_status find_ring(const void *config, const struct hs_span *buffer, uint64_t wp,
                                struct hs_ring *ring)
{
	(void)config;
	(void)buffer;
	(void)wp;
	(void)ring;
	return HS_E_CONFIG;
}

static const struct codec codec = {
	.defaults = set_defaults,
	.check = check,
	.end = CODEC_END_FIELDS,
	.find_cut = find_cut,
	.find_ring = find_ring,
	.encoder_new = protocol_tacit_encoder_new,
	.encode = protocol_tacit_encode,
	.encode_port = protocol_tacit_encode_port,
	.encode_end = protocol_tacit_encode_end,
	.counts = protocol_tacit_counts,
	.diag = protocol_tacit_diag,
	.where = protocol_tacit_where,
	.decoder = &protocol_tacit_decoder,
	.reader = &protocol_tacit_reader,
	.lint = &protocol_tacit_lint,
	.rules = tacit_rules,
};

const struct hs_protocol protocol_tacit = {
	.name = "tacit",
	.ending = ".tacit",
	.text = "TACIT of Chipyard and BOOM (instructions with times)",
	.params = params,
	.param_count = sizeof(params) / sizeof(*params),
	.variants = variants,
	.variant_count = sizeof(variants) / sizeof(*variants),
	.config_size = sizeof(struct tacit_config),
	.encode_room = TACIT_ENCODE_ROOM,
	.codec = &codec,
};
