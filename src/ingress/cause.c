/* Causes of traps by name. */
#include <stddef.h>

#include <hartscope/block.h>

/* mcause, without its interrupt bit (privileged architecture, "Machine Cause"). */
static const char *cause_name(uint32_t cause)
{
	static const char *const names[] = {
		"instruction address misaligned", "instruction access fault", "illegal instruction",
		"breakpoint", "load address misaligned", "load access fault",
		"store address misaligned", "store access fault", "environment call from U-mode",
		"environment call from S-mode", "environment call from VS-mode",
		"environment call from M-mode", "instruction page fault", "load page fault", NULL,
		"store page fault", [16] = "double trap", [18] = "software check",
		[19] = "hardware error",
		[20] = "instruction guest-page fault", [21] = "load guest-page fault",
		[22] = "virtual instruction", [23] = "store guest-page fault",
	};

	return cause < sizeof(names) / sizeof(*names) ? names[cause] : NULL;
}

static const char *interrupt_name(uint32_t cause)
{
	static const char *const names[] = {
		[1] = "supervisor software interrupt",
		[2] = "virtual supervisor software interrupt",
		[3] = "machine software interrupt", [5] = "supervisor timer interrupt",
		[6] = "virtual supervisor timer interrupt", [7] = "machine timer interrupt",
		[9] = "supervisor external interrupt",
		[10] = "virtual supervisor external interrupt",
		[11] = "machine external interrupt", [12] = "supervisor guest external interrupt",
		[13] = "counter-overflow interrupt",
	};

	return cause < sizeof(names) / sizeof(*names) ? names[cause] : NULL;
}

const char *hs_trap_cause_name(bool interrupt, uint32_t cause)
{
	return interrupt ? interrupt_name(cause) : cause_name(cause);
}
