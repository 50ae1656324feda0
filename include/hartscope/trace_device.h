/* Trace systems of several components: encoders of both protocols, funnels, RAM sinks, pin
 * interfaces and ATB bridges, joined as the Trace Control Interface allows.
 *
 * "TCI n" is a chapter of RISC-V Trace Control Interface 1.0, counted from its introduction.  A
 * component is a struct in the caller's memory with registers of its own (control.h); links say
 * where its trace goes.  Whole messages travel: a component that cannot take one refuses it, and
 * the encoder stalls its hart or drops it (TCI 4.1).
 *
 * Nothing here allocates.  A system belongs to one thread at a time; two systems share nothing.
 */
#ifndef HARTSCOPE_TRACE_DEVICE_H
#define HARTSCOPE_TRACE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/control.h>
#include <hartscope/etrace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HS_DEV_LINKS 2    /**< outputs of an encoder or funnel */
#define HS_DEV_FIFO 1024  /**< bytes that wait for the pins */
#define HS_DEV_TABLES 600 /**< words of 64 bits for the tables of an E-Trace encoder */
#define HS_DEV_ENCODERS 16
#define HS_DEV_NULLS 41   /**< the longest run of null bytes in a packet: 31, timestamp, srcID */

struct hs_dev_node;

/** Where trace goes. */
struct hs_dev_link {
	struct hs_dev_node *to;
	uint32_t input; /**< of a funnel, 0 to 15 */
};

/** What leaves the chip. */
struct hs_dev_ops {
	/** TRC_DATA at an edge of TRC_CLK, bit 0 is TRC_DATA0; in serial modes the level of a bit
	 * or phase. */
	void (*sample)(void *user, uint32_t data);
	/** Bytes for the ATB with an ID. */
	void (*atb)(void *user, unsigned id, const uint8_t *bytes, size_t n);
};

/** A funnel, sink or bridge. */
struct hs_dev_node {
	struct hs_tc tc; /**< to be read; hs_dev_write() writes */
	/* Private: */
	uint8_t kind;    /* enum hs_tc_component */
	uint8_t links;
	bool packets;    /* packets, not messages that end by MSEO: idle is 0 */
	bool idled;      /* a null.alignment must come before the next packet */
	uint16_t null_run;   /* null.idle packets of a sequence; 0: none is sent */
	uint16_t owed;   /* null.idle packets that pins send before the first packet */
	uint32_t unaligned;  /* bytes since the last sequence */
	struct hs_dev_link link[HS_DEV_LINKS];
	const struct hs_dev_ops *ops;
	void *user;
	uint64_t clocks; /* since the last sample */
	uint32_t phase;  /* of the calibration pattern */
	uint32_t frame;  /* bits that wait, the next one lowest */
	uint8_t frame_n;
	bool inside;     /* a Manchester message was begun */
	bool sending;    /* frame has bits of trace */
	uint16_t fifo_n;
	uint16_t fifo[HS_DEV_FIFO]; /* bit 8: the last byte of a message */
};

/**
 * Power a component up.
 * @param kind     HS_TC_FUNNEL, HS_TC_RAM, HS_TC_PIB or HS_TC_ATB.
 * @param profile  Its limits; NULL: "full".  Of its components only @kind is used.
 * @param memory   For a RAM sink; else NULL is allowed.
 * @param ops      For pins and ATB, kept; else NULL is allowed.
 * @retval HS_OK
 * @retval HS_E_ARG  No such kind, or no ops for one that needs them.
 * @retval HS_E_CONFIG  The profile breaks its rules, or a limit is not within the table; its size
 *                      is wrong, or bytes past the struct are not zero.
 * @retval HS_E_SPACE   The profile has SRAM and memory->sram_size is below it, or SMEM without ops.
 */
HS_STATIC enum hs_status hs_dev_node_init(struct hs_dev_node *n, enum hs_tc_component kind,
                                          const struct hs_tc_profile *profile,
                                          const struct hs_tc_memory *memory,
                                          const struct hs_dev_ops *ops, void *user);

/** Send a funnel's trace on.  @retval HS_OK @retval HS_E_ARG  No funnel, no such input, or no link
 * is left. */
HS_STATIC enum hs_status hs_dev_node_connect(struct hs_dev_node *n, struct hs_dev_node *to,
                                             unsigned input);

/** Access registers of a component, as hs_tc_device_read() and hs_tc_device_write(). */
HS_STATIC uint32_t hs_dev_read(struct hs_dev_node *n, uint32_t offset);
HS_STATIC void hs_dev_write(struct hs_dev_node *n, uint32_t offset, uint32_t value);

/** An E-Trace encoder for a device, as its codec. */
struct hs_dev_etrace {
	struct hs_et_config config; /**< what registers do not say: sizes of tables and widths */
	struct hs_et_data_config data; /**< the same of data trace; size 0: all defaults.  Set after
	                                    hs_dev_encoder_init() */
	/* Private: */
	const struct hs_tc_regs *regs; /* of the encoder */
	struct hs_et_encoder encoder;
	struct hs_et_data_coder coder;
	bool data_on; /* the encoder has the coder */
	uint64_t tables[HS_DEV_TABLES];
};

/** An encoder with its hart. */
struct hs_dev_encoder {
	struct hs_tc_device device; /**< registers and the hart: hs_tc_device_...() */
	struct hs_dev_etrace etrace; /**< in use with E-Trace */
	/* Private: */
	struct hs_dev_link link[HS_DEV_LINKS];
	uint8_t links;
};

/**
 * Power an encoder up.
 * @param profile  Its limits; NULL: "full", or "etrace" with @etrace.  Only its encoder is used.
 * @param etrace   What registers do not say of an E-Trace encoder, copied; NULL: N-Trace.
 * @param image    The hart's code, for filters; may be NULL.
 * @param halted   The hart is in debug mode.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The profile breaks its rules, or a limit is not within the table; its size
 *                      is wrong, or bytes past the struct are not zero.
 * @retval HS_E_SPACE   The profile has SRAM and memory->sram_size is below it, or SMEM without ops.
 */
HS_STATIC enum hs_status hs_dev_encoder_init(struct hs_dev_encoder *e,
                                             const struct hs_tc_profile *profile,
                                             const struct hs_et_config *etrace,
                                             const struct hs_image *image, bool halted);
/** As hs_dev_node_connect(). */
HS_STATIC enum hs_status hs_dev_encoder_connect(struct hs_dev_encoder *e, struct hs_dev_node *to,
                                                unsigned input);

/** Encoders that share sinks: their trace takes turns. */
struct hs_dev {
	/* Private: */
	struct hs_dev_encoder *encoder[HS_DEV_ENCODERS];
	uint8_t encoders, next;
};

/** Add an encoder to a zeroed system.  @retval HS_OK @retval HS_E_SPACE  There are
 * HS_DEV_ENCODERS. */
HS_STATIC enum hs_status hs_dev_add(struct hs_dev *d, struct hs_dev_encoder *e);

/** A hart executes blocks, as hs_tc_device_run(), after what waits in other encoders. */
HS_STATIC enum hs_status hs_dev_run(struct hs_dev *d, struct hs_dev_encoder *e,
                                    const struct hs_block *in, size_t n, size_t *used);

/**
 * Clocks of a pin interface pass: each trPibDivider + 1 of them, or twice as many with
 * trPibClkCenter and in Manchester mode, are a sample (TCI 9).
 * @param d  Its encoders send as there is room; NULL: none.
 */
HS_STATIC void hs_dev_clock(struct hs_dev *d, struct hs_dev_node *pins, uint64_t clocks);

#ifdef __cplusplus
}
#endif
#endif
