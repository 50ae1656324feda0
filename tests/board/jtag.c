/* The board of model.h with a JTAG port, for an OpenOCD with its remote_bitbang adapter:
 *
 *   board-jtag SOCKET RECORDING ntrace|etrace [BLOCKS]
 *
 * A test access port with a RISC-V debug transport module, and a debug module ("DM n" is a chapter
 * of RISC-V Debug 0.13) with one hart and system bus access.  While the hart is not halted the
 * harts of the board execute BLOCKS blocks before each access by the bus; when it is halted while
 * it is traced they have executed all that is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/model.h"
#include "board/socket.h"

enum { IDCODE = 1, DTMCS = 0x10, DMI = 0x11, ID = 0x10e31913 };
enum { DMI_BITS = 41, DMI_READ = 1, DMI_WRITE = 2 };

/* ---- hart and debug module ------------------------------------------------------------------- */

enum {
	DATA0 = 0x04, DATA1 = 0x05, DMCONTROL = 0x10, DMSTATUS = 0x11, ABSTRACTCS = 0x16,
	COMMAND = 0x17, SBCS = 0x38, SBADDRESS0 = 0x39, SBADDRESS1 = 0x3a, SBDATA0 = 0x3c
};
enum { MISA = 0x301, DCSR = 0x7b0, DPC = 0x7b1, GPR = 0x1000, GPR_END = 0x1020 };
enum { NOT_SUPPORTED = 2, EXCEPTION = 3 }; /* cmderr, DM 3.12.6 */

static size_t blocks_each = 64;
static struct {
	uint32_t data[2], control, sbcs, sbdata;
	uint64_t sbaddress;
	unsigned cmderr, sberror;
	bool halted, resumed;
	uint64_t gpr[32], dcsr, dpc;
} dm = { .dcsr = 0x400000c3 }; /* M-mode, halted on request */

/* Sizes of DM 3.12.18: 64 bits of address, accesses of 32 bits. */
enum { SB_FIXED = 1 << 29 | 64 << 5 | 1 << 2, SB_ON_ADDRESS = 1 << 20, SB_INCREMENT = 1 << 16,
       SB_ON_DATA = 1 << 15, SB_SET = SB_ON_ADDRESS | 7 << 17 | SB_INCREMENT | SB_ON_DATA };

static void bus_access(bool writes)
{
	if (dm.sberror)
		return;
	if (!dm.halted)
		board_run(blocks_each);
	if (!(writes ? board_write(dm.sbaddress, dm.sbdata)
	             : board_read(dm.sbaddress, &dm.sbdata)))
		dm.sberror = 2; /* bad address */
	else if (dm.sbcs & SB_INCREMENT)
		dm.sbaddress += 4;
}

static uint64_t *register_at(unsigned number)
{
	if (number >= GPR && number < GPR_END)
		return &dm.gpr[number - GPR];
	return number == DCSR ? &dm.dcsr : number == DPC ? &dm.dpc : NULL;
}

/* Access Register (DM 3.7.1.1). */
static void run_command(uint32_t command)
{
	const unsigned number = command & 0xffff, size = command >> 20 & 7;
	uint64_t misa = (uint64_t)2 << 62 | 0x1105; /* RV64IMAC */
	uint64_t *r = number == MISA ? &misa : register_at(number);

	if (command >> 24 || size > 3 || command >> 18 & 1)
		dm.cmderr = NOT_SUPPORTED;
	else if (!(command >> 17 & 1))
		return;
	else if (!r)
		dm.cmderr = EXCEPTION;
	else if (command >> 16 & 1)
		*r = (uint64_t)dm.data[1] << 32 | dm.data[0];
	else {
		dm.data[0] = (uint32_t)*r;
		dm.data[1] = (uint32_t)(*r >> 32);
	}
}

/* trTeInstTracing */
static bool is_traced(void)
{
	uint32_t control = 0;

	return board_read(BOARD_ENCODER, &control) && (control & 4);
}

static void write_control(uint32_t value)
{
	const bool hart_0 = !(value >> 6 & 0xfffff); /* hartsel; there is no other */

	dm.control = value & 0x03ffffc1;
	if (value >> 31 && hart_0) {
		if (is_traced())
			board_run(SIZE_MAX);
		dm.halted = true;
		dm.resumed = false;
	} else if (value >> 30 & 1 && hart_0) {
		dm.halted = false;
		dm.resumed = true;
	}
}

static uint32_t status(void)
{
	const uint32_t base = 2 | 1 << 7; /* version 0.13, authenticated */

	if (dm.control >> 6 & 0xfffff)
		return base | 3 << 14; /* there is no such hart */
	return base | (dm.halted ? 3u << 8 : 3u << 10) | (dm.resumed ? 3u << 16 : 0);
}

static uint32_t read_dm(unsigned address)
{
	uint32_t value;

	switch (address) {
	case DATA0:
	case DATA1:      return dm.data[address - DATA0];
	case DMCONTROL:  return dm.control & 0x3fffffff;
	case DMSTATUS:   return status();
	case ABSTRACTCS: return dm.cmderr << 8 | 2;
	case SBCS:       return SB_FIXED | (dm.sbcs & SB_SET) | dm.sberror << 12;
	case SBADDRESS0: return (uint32_t)dm.sbaddress;
	case SBADDRESS1: return (uint32_t)(dm.sbaddress >> 32);
	case SBDATA0:
		value = dm.sbdata;
		if (dm.sbcs & SB_ON_DATA)
			bus_access(false);
		return value;
	default:         return 0;
	}
}

static void write_dm(unsigned address, uint32_t value)
{
	switch (address) {
	case DATA0:
	case DATA1:      dm.data[address - DATA0] = value; break;
	case DMCONTROL:  write_control(value); break;
	case ABSTRACTCS: dm.cmderr &= ~(value >> 8 & 7); break;
	case COMMAND:
		if (!dm.cmderr)
			run_command(value);
		break;
	case SBCS:
		dm.sbcs = value;
		dm.sberror &= ~(value >> 12 & 7);
		break;
	case SBADDRESS0:
		dm.sbaddress = (dm.sbaddress & ~(uint64_t)UINT32_MAX) | value;
		if (dm.sbcs & SB_ON_ADDRESS)
			bus_access(false);
		break;
	case SBADDRESS1:
		dm.sbaddress = (dm.sbaddress & UINT32_MAX) | (uint64_t)value << 32;
		break;
	case SBDATA0:
		dm.sbdata = value;
		bus_access(true);
		break;
	default:
		break;
	}
}

/* ---- test access port ------------------------------------------------------------------------ */

/* States in the order of IEEE 1149.1, figure 6-1: the data column, then that of instructions. */
enum state { RESET, IDLE, SELECT_DR, CAPTURE_DR, SHIFT_DR, EXIT1_DR, PAUSE_DR, EXIT2_DR, UPDATE_DR,
	     SELECT_IR, CAPTURE_IR, SHIFT_IR, EXIT1_IR, PAUSE_IR, EXIT2_IR, UPDATE_IR };

static const uint8_t next_state[][2] = { /* TMS 0, 1 */
	[RESET] = { IDLE, RESET }, [IDLE] = { IDLE, SELECT_DR },
	[SELECT_DR] = { CAPTURE_DR, SELECT_IR }, [CAPTURE_DR] = { SHIFT_DR, EXIT1_DR },
	[SHIFT_DR] = { SHIFT_DR, EXIT1_DR }, [EXIT1_DR] = { PAUSE_DR, UPDATE_DR },
	[PAUSE_DR] = { PAUSE_DR, EXIT2_DR }, [EXIT2_DR] = { SHIFT_DR, UPDATE_DR },
	[UPDATE_DR] = { IDLE, SELECT_DR },
	[SELECT_IR] = { CAPTURE_IR, RESET }, [CAPTURE_IR] = { SHIFT_IR, EXIT1_IR },
	[SHIFT_IR] = { SHIFT_IR, EXIT1_IR }, [EXIT1_IR] = { PAUSE_IR, UPDATE_IR },
	[PAUSE_IR] = { PAUSE_IR, EXIT2_IR }, [EXIT2_IR] = { SHIFT_IR, UPDATE_IR },
	[UPDATE_IR] = { IDLE, SELECT_DR },
};

static struct {
	unsigned state, instruction, bits;
	bool clock;
	uint64_t shift, dmi; /* dmi: what the last access gave */
} tap = { .instruction = IDCODE };

static void capture(void)
{
	switch (tap.instruction) {
	case IDCODE: tap.shift = ID; tap.bits = 32; break;
	case DTMCS:  tap.shift = 1 | 7 << 4 | 1 << 12; tap.bits = 32; break;
	case DMI:    tap.shift = tap.dmi; tap.bits = DMI_BITS; break;
	default:     tap.shift = 0; tap.bits = 1;
	}
}

static void update(void)
{
	const unsigned address = (unsigned)(tap.shift >> 34), operation = tap.shift & 3;
	uint32_t data = (uint32_t)(tap.shift >> 2);

	if (tap.instruction != DMI)
		return;
	if (operation == DMI_READ)
		data = read_dm(address);
	else if (operation == DMI_WRITE)
		write_dm(address, data);
	tap.dmi = (uint64_t)address << 34 | (uint64_t)data << 2;
}

/* The clock rises. */
static void step(unsigned tms, unsigned tdi)
{
	if (tap.state == SHIFT_DR || tap.state == SHIFT_IR)
		tap.shift = tap.shift >> 1 | (uint64_t)tdi << (tap.bits - 1);
	tap.state = next_state[tap.state][tms];
	switch (tap.state) {
	case RESET:      tap.instruction = IDCODE; break;
	case CAPTURE_DR: capture(); break;
	case UPDATE_DR:  update(); break;
	case CAPTURE_IR: tap.shift = 1; tap.bits = 5; break;
	case UPDATE_IR:  tap.instruction = (unsigned)tap.shift; break;
	default:         break;
	}
}

/* A character of the remote_bitbang protocol; false: the end. */
static bool take_character(int c, FILE *out)
{
	if (c >= '0' && c <= '7') {
		const unsigned pins = (unsigned)(c - '0'); /* TCK, TMS, TDI */

		if ((pins & 4) && !tap.clock)
			step(pins >> 1 & 1, pins & 1);
		tap.clock = pins & 4;
	} else if (c == 'R') {
		fputc('0' + (int)(tap.shift & 1), out);
		fflush(out);
	}
	return c != EOF && c != 'Q';
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	const struct board_options o = { .recording = argv[2],
		                         .etrace = strcmp(argv[3], "etrace") == 0 };
	FILE *in, *out;

	blocks_each = argc > 4 ? strtoull(argv[4], NULL, 0) : blocks_each;
	if (!board_open(&o) || !socket_wait(argv[1], &in, &out))
		return 1;
	while (take_character(fgetc(in), out))
		;
	fclose(in);
	fclose(out);
	board_close();
	return 0;
}
