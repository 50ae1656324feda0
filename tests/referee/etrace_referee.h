/* A second decoder of E-Trace: slow, and written from the pseudo-code of the ratified text alone
 * (ET Decoder), with the predictor, the cache and the implicit exceptions that the pseudo-code
 * leaves out taken from the chapters on these modes.  It shares no line with src/.
 *
 * It takes payloads of te_inst packets, one a call, and reports addresses one by one.  Where the
 * pseudo-code cannot be followed to the letter, a comment says "departs", and docs/errata.md has
 * the reason.
 */
#ifndef TESTS_ETRACE_REFEREE_H
#define TESTS_ETRACE_REFEREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFEREE_STACK 65536
#define REFEREE_TABLE 65536
#define REFEREE_RUNS 8

/* Run-time options, by name. */
enum referee_option {
	REFEREE_SIJUMP = 1,
	REFEREE_RETURN = 2,
	REFEREE_EXCEPTION = 4,
	REFEREE_PREDICTION = 8,
	REFEREE_CACHE = 16,
	REFEREE_FULL = 32
};

/* What the discovery of an encoder says (ET Parameters and Discovery). */
struct referee_parameters {
	unsigned xlen;
	bool compressed; /* instructions may stand at odd multiples of 2 */
	unsigned iaddress_width, iaddress_lsb, privilege_width, ecause_width, context_width,
		time_width;
	bool nocontext, notime;
	unsigned f0s_width, bpred_size, cache_size, return_stack_size, call_counter_size;
	bool iret_ext; /* Implicit Return extension: as the decoder of 2.1 */
	unsigned mode_bits;    /* E of encoder_mode */
	unsigned option_count; /* N of ioptions */
	unsigned option[8];    /* enum referee_option of each bit */
	bool data_trace;
	unsigned doptions_width;
	bool standard; /* 2.1: support packets say options and sizes (ET Standard Support Packet) */
	unsigned other_width;
	/* where chapters and pseudo-code differ (docs/errata.md, ET-20 to ET-24) */
	bool sync_resets, cache_kept, cache_returns, x0_inferable;
	uint64_t mtvec, stvec, vstvec; /* of implicit exceptions; 0: not known */
	uint64_t steps; /* instructions that one packet may lead through; 0: four million */
};

/* What is reported. */
enum referee_item { REFEREE_PC, REFEREE_TRAP, REFEREE_END, REFEREE_LOST };

struct referee {
	struct referee_parameters p;
	/* The half-word at an address; false: there is no code. */
	bool (*fetch)(const void *program, uint64_t addr, uint16_t *half);
	const void *program;
	void (*report)(void *to, enum referee_item item, uint64_t value, unsigned cause,
	               bool interrupt);
	void *to;
	const char *error; /* of the last call; NULL: none */
	const char *unclear; /* why the last packet can be read in two ways; NULL: in one */

	/* the pseudo-code's globals */
	uint64_t pc, last_pc, address;
	unsigned irstack_depth, options, privilege;
	bool stop_at_last_branch, inferred_address, start_of_trace, handler_follows;
	bool resync_disabled, changed; /* options or sizes, since the last synchronisation */
	bool follows; /* the path of the packet in hand, not that of the one before */
	bool passed; /* at the address of a synchronisation, in another mode */
	/* of 2.1 */
	unsigned irets, previous_irets;
	uint64_t popped_return_target;
	bool prt_valid, previous_reported;
	bool paired; /* the last step was a jump of a pair that was inferred */
	/* branches and branch_map, with those that are reported as predictions */
	struct {
		unsigned kind;
		uint64_t n, bits;
	} run[REFEREE_RUNS];
	unsigned runs;
	uint64_t steps; /* a limit on what one packet may lead through */

	/* only what the parameters give a size is in use */
	uint64_t stack[REFEREE_STACK];
	uint8_t predictor[REFEREE_TABLE];
	uint64_t cache[REFEREE_TABLE];
	bool cached[REFEREE_TABLE];
};

void referee_start(struct referee *r, const struct referee_parameters *p);

/* Take the payload of one te_inst packet, whose first @skip bits are not its own.  False: r->error
 * says why, and nothing more can be decoded. */
bool referee_packet(struct referee *r, const uint8_t *payload, size_t n, unsigned skip);

#endif
