// Types of the ingress port and of messages that the reference designs share.
package hs_trace_pkg;
  // A group of the block form (ET Instruction Trace Interface): instructions at consecutive
  // addresses that retire together.  Nothing retires: iretire and itype are 0.
  typedef struct packed {
    logic [9:0]  iretire;    // half-words
    logic [63:0] iaddr;      // of the first instruction; of an interrupt with iretire 0 where it came
    logic [3:0]  itype;      // how the group ended
    logic        ilastsize;  // the last instruction has 2^ilastsize half-words
  } group_t;

  // What a row has once (in slot 0 of `hartscope export --format port-hex`).
  typedef struct packed {
    logic [1:0]  trcstate;    // with TRCSTATE, in place of halted (RHTI Trace State)
    logic [63:0] timestamp;   // never less than before; the designs send 48 bits of it
    logic [63:0] context_id;  // 32 bits
    logic [31:0] cause;
    logic [63:0] tval;
    logic [2:0]  priv;
    logic        halted;
    logic        in_reset;
  } shared_t;

  // itype (NT 2, Tables 2 to 4).
  typedef enum logic [3:0] {
    NO_END = 0, EXCEPTION = 1, INTERRUPT = 2, XRET = 3, NOT_TAKEN = 4, TAKEN = 5, UNINFERABLE = 6,
    CALL_UNINF = 8, CALL_INF = 9, TAIL_UNINF = 10, TAIL_INF = 11, SWAP = 12, RETURN = 13,
    JUMP_UNINF = 14, JUMP_INF = 15
  } itype_t;

  // TCODE (NT Table 8).
  typedef enum logic [5:0] {
    OWNERSHIP = 2, DIRECT_BRANCH = 3, INDIRECT_BRANCH = 4, ERROR = 8, PROG_TRACE_SYNC = 9, DIRECT_BRANCH_SYNC = 11,
    INDIRECT_BRANCH_SYNC = 12, RESOURCE_FULL = 27, INDIRECT_BRANCH_HIST = 28,
    INDIRECT_BRANCH_HIST_SYNC = 29, PROG_TRACE_CORRELATION = 33
  } tcode_t;

  // SYNC (NT Table 25) and EVCODE (NT 7.12).
  typedef enum logic [3:0] {
    SYNC_RESET = 1, SYNC_PERIODIC = 2, SYNC_DEBUG = 3, SYNC_ENABLE = 5, SYNC_OVERRUN = 7,
    SYNC_POWER_UP = 9
  } sync_t;
  typedef enum logic [3:0] { EVCODE_DEBUG = 0, EVCODE_LOW_POWER = 1, EVCODE_DISABLED = 4 } evcode_t;

  // trcstate: why the hart does not want to be traced (RHTI Trace State).
  typedef enum logic [1:0] { UNINHIBITED = 0, DEBUG_MODE = 1, SECURITY = 2, WAITS = 3 } trcstate_t;

  // A message before it is packed: fixed-length fields, then up to three of variable length.
  typedef struct packed {
    tcode_t      tcode;
    logic [2:0]  fixed_bits;  // 0 to 6
    logic [5:0]  fixed;
    logic [36:0] first;       // I-CNT, RDATA or PROCESS
    logic        has_address;
    logic [62:0] address;     // F-ADDR, or U-ADDR
    logic        has_hist;
    logic [31:0] hist;
    logic [47:0] timestamp;  // TSTAMP, where it has one
  } message_t;

  // E-Trace packets: what is sent (ET Packets).
  typedef enum logic [2:0] {
    NO_PACKET, BRANCHES, ADDRESS, START, TRAP, SUPPORT
  } form_t;

  // qual_status (ET Format 3 subformat 3).
  typedef enum logic [1:0] { NO_CHANGE = 0, ENDED_REP = 1, TRACE_LOST = 2, ENDED_NTR = 3 } qual_t;

  // A packet before it is packed.
  typedef struct packed {
    form_t       form;
    logic [4:0]  branches;   // of branch_map
    logic [30:0] branch_map;       // the oldest branch is bit 0; 1: not taken
    logic [62:0] address;    // full, or the difference to the last one
    logic        updiscon;
    logic        branch;     // START, TRAP: 0: at a branch that is taken
    logic [2:0]  priv;
    logic [5:0]  cause;      // TRAP
    logic        is_interrupt;
    logic        thaddr;     // 1: address is the handler's
    logic [63:0] tval;
    logic [47:0] timestamp;  // START, TRAP
    logic [31:0] context_id;
    logic        ienable;    // SUPPORT
    qual_t       qual_status;
  } packet_t;

  localparam int MESSAGE_BYTES = 32;
  typedef struct packed {
    logic [5:0]                 length;  // bytes
    logic [8*MESSAGE_BYTES-1:0] bytes;   // the first one is bits 7:0
  } packed_t;

  // Not each module needs these.  GROUP_BITS is $bits(group_t), for a synthesiser that does not know it.
  /* verilator lint_off UNUSEDPARAM */
  localparam int GROUP_BITS = 79;
  localparam int SHORT_BYTES = 24;  // of those without time and context
  /* verilator lint_on UNUSEDPARAM */
endpackage
