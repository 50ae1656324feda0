/* A program without a C library: calls into the F rooms.  The four mem functions are those of
 * firmware/.  It runs under user-mode emulation; its exit status is the number of the first check
 * that failed, 0 for none. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/control.h>
#include <hartscope/image.h>
#include <hartscope/ntrace.h>
#include <hartscope/pmu.h>
#include <hartscope/port.h>

#include "device/device.h"
#include "ntrace/ntrace.h"

void _start(void);

/* Linux: exit_group is system call 94 on both rv32 and rv64. */
static void leave(long status)
{
	register long a0 __asm__("a0") = status;
	register long a7 __asm__("a7") = 94;

	for (;;)
		__asm__ volatile("ecall" : : "r"(a0), "r"(a7) : "memory");
}

/* jal x1, +16 at 0x1000 (ISA manual, J-type): a call to 0x1010. */
static bool decodes_a_call(void)
{
	static const uint8_t jal[] = { 0xef, 0x00, 0x00, 0x01 };
	struct hs_insn insn;
	const struct hs_isa isa = { .xlen = 8 * sizeof(void *) };

	return hs_isa_decode(&isa, 0x1000, jal, sizeof(jal), &insn) == HS_OK &&
	       insn.kind == HS_INSN_CALL && insn.target == 0x1010 && insn.hwords == 2;
}

/* ProgTraceSync with SYNC 5, I-CNT 0, F-ADDR 0x80 (NT 7.5): 24 15 00 0b. */
static bool reads_a_message(void)
{
	static const uint8_t bytes[] = { 0x24, 0x15, 0x00, 0x0b };
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	struct hs_span in = { bytes, sizeof(bytes) };

	hs_nt_reader_init(&r, 0);
	return hs_nt_read(&r, &in, &m) == HS_OK && m.tcode == HS_NT_PROG_TRACE_SYNC &&
	       m.field[HS_NTF_SYNC] == 5 && m.field[HS_NTF_FADDR] == 0x80;
}

/* trTeImpl of an encoder that was activated (TCI 6): N-Trace 1, encoder, version 1.0. */
static bool activates_an_encoder(void)
{
	uint8_t sram[4096];
	const struct hs_tc_memory memory = { .sram = sram, .sram_size = sizeof(sram) };
	struct hs_tc tc;

	if (hs_tc_init(&tc, hs_tc_profile_find("minimal"), &memory, 0) != HS_OK)
		return false;
	hs_tc_write(&tc, HS_TC_ENCODER, 0, 1);
	return hs_tc_read(&tc, HS_TC_ENCODER, 4) == 0x00010101;
}

/* counter_config_matching and num_counters of a soft PMU with one counter (SBI 3.0, FID 2 and
 * 0). */
static bool answers_an_ecall(void)
{
	static const struct hs_pmu_counter counters[] = { { HS_PMU_CSR_INSTRET, 64 } };
	static const struct hs_pmu_event_row rows[] = { { 2, 2, 1, 0 } };
	const struct hs_pmu_config config = { .size = sizeof(config), .xlen = 8 * sizeof(void *),
	                                      .event_bits = 64,
		                              .hw_counters = 1, .event_rows = 1,
		                              .fw_counters = HS_PMU_NO_FW_COUNTERS, .hw = counters,
		                              .events = rows,
		                              .ops = hs_pmu_soft_ops() };
	const uint64_t args[HS_PMU_ARGS] = { 0, 1, HS_PMU_CFG_AUTO_START, 2 };
	struct hs_pmu_soft soft;
	struct hs_pmu_hart hart;
	struct hs_pmu pmu;

	if (hs_pmu_init(&pmu, &config) != HS_OK)
		return false;
	if (hs_pmu_soft_init(&soft, &pmu, NULL, NULL) != HS_OK)
		return false;
	hs_pmu_hart_init(&pmu, &hart, &soft);
	if (hs_pmu_ecall(&pmu, &hart, HS_PMU_COUNTER_CONFIG_MATCHING, args).error != HS_SBI_SUCCESS)
		return false;
	hs_pmu_soft_count(&soft, 0, 2, 5);
	return hs_pmu_ecall(&pmu, &hart, HS_PMU_NUM_COUNTERS, args).value == 1 &&
		soft.value[2] == 5;
}

/* A cycle of the ingress port: jal x1, +16 and, in the same cycle, the instruction that it led
 * to. */
static bool clocks_a_cycle(void)
{
	const struct hs_port_cycle cycle = { .slot = { { .iretire = 1, .iaddr = 0x1000,
	                                                 .instr = 0x010000ef, .priv = 3 },
		                                       { .iretire = 1, .iaddr = 0x1010,
		                                         .instr = 0x0001, .priv = 3 } } };
	struct hs_block at[HS_PORT_ROOM];
	struct hs_blocks out = { at, HS_PORT_ROOM, 0 };
	const struct hs_port_config config = { .size = sizeof(config), .slots = 2 };
	struct hs_port port;

	if (hs_port_init(&port, &config, NULL) != HS_OK ||
	    hs_port_clock(&port, &cycle, &out) != HS_OK)
		return false;
	return out.n == 1 && at[0].iaddr == 0x1000 && at[0].iretire == 2 &&
		at[0].itype == HS_ITYPE_CALL_INF;
}

void _start(void)
{
	if (!decodes_a_call())
		leave(1);
	if (!reads_a_message())
		leave(2);
	if (!activates_an_encoder())
		leave(3);
	if (!answers_an_ecall())
		leave(4);
	if (!clocks_a_cycle())
		leave(5);
	leave(0);
}
