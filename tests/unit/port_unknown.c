/* Rows of the ingress port with digits that are x or z, and without some of its signals
 * (design/port): what says which instruction ran is an error at its row, all else is left out. */
#include "cases.h"

#include "ingress/import.h"

#define INSN  "iretire,iaddr,instr,priv,iexception,interrupt,cause\n"
#define BLOCK "itype,iretire,ilastsize,iaddr,priv,cause\n"
#define BLOCK_STATE "itype,iretire,ilastsize,iaddr,priv,trcstate\n"
#define DATA_TWO "itype,iretire,ilastsize,iaddr,priv,dretire_0,dtype_0,daddr_0,dsize_0,data_0," \
	"dretire_1,dtype_1,daddr_1,dsize_1,data_1\n"
#define FETCH "iretire,iaddr,instr,fvalid,retract,priv\n"

/* said: blocks as ADDRESS+HALFWORDS/ITYPE/PRIV, traps as T and their cause, stops as S and their
 * EVCODE, synchronisations as s and their SYNC, gaps as G and their status.  errors: lines and
 * their signals. */
static const struct row {
	const char *name, *text, *said, *errors;
} rows[] = {
	{ "not driven yet", INSN "x,x,x,x,x,x,x\nz,zzzz,zzzzzzzz,z,z,z,z\n1,100,00004509,3,0,0,0\n",
	  "100+1/0/3 ", "" },
	{ "whether it retired, once for rows in a row",
	  INSN "1,100,4509,3,0,0,0\nx,102,4509,3,0,0,0\nx,102,4509,3,0,0,0\n1,104,4509,3,0,0,0\n"
	       "x,106,4509,3,0,0,0\n",
	  "100+1/0/3 G26 104+1/0/3 G26 ", "3 iretire, 6 iretire, " },
	{ "whether there was an exception", INSN "1,100,4509,3,0,0,0\n0,102,4509,3,x,0,0\n",
	  "100+1/0/3 G26 ", "3 iexception, " },
	{ "half of the bus that the instruction does not have", INSN "1,100,xxxx4509,3,0,0,0\n",
	  "100+1/0/3 ", "" },
	{ "half of the bus that it has", INSN "1,100,4509,3,0,0,0\n1,102,xxxx0513,3,0,0,0\n",
	  "100+1/0/3 G26 ", "3 instr, " },
	{ "the lowest digit of an opcode", INSN "1,100,000045zz,3,0,0,0\n", "G26 ", "2 instr, " },
	{ "an address", INSN "1,1xx,4509,3,0,0,0\n1,100,4509,3,0,0,0\n", "G26 100+1/0/3 ",
	  "2 iaddr, " },
	{ "a mode", INSN "1,100,4509,x,0,0,0\n", "100+1/0/7 ", "" },
	{ "a cause", INSN "1,100,4509,3,0,0,0\n0,102,4509,3,1,0,x\n", "100+1/1/3 ", "" },
	{ "the cause of an ecall", INSN "0,100,00000073,3,1,0,X\n", "100+2/1/3 ", "" },
	{ "an opcode that is no ecall's by its cause", INSN "0,100,xxxxxxxx,3,1,0,2\n",
	  "100+0/1/3 T2 ", "" },
	{ "an opcode that may be one", INSN "0,100,xxxxxxxx,3,1,0,11\n", "G26 ", "2 instr, " },
	{ "exception or interrupt", INSN "0,100,4509,3,1,x,7\n", "G26 ", "2 interrupt, " },
	{ "no columns for mode and cause", "iretire,iaddr,instr,iexception,interrupt\n"
	  "1,100,4509,0,0\n0,102,4509,1,0\n", "100+1/1/7 ", "" },
	{ "fetched, and discarded",
	  FETCH "0,0,xxxxxxxx,1,0,3\n0,0,4509,1,1,3\n1,100,0,0,0,3\n", "100+1/0/3 ", "" },
	{ "fetched, and retired", FETCH "0,0,xxxxxxxx,1,0,3\n0,0,4509,1,0,3\n1,100,0,0,0,3\n"
	                                "1,102,0,0,0,3\n",
	  "G26 102+1/0/3 ", "4 instr, " },
	{ "fetched, of half a bus", FETCH "0,0,xxxx4509,1,0,3\n1,100,0,0,0,3\n", "100+1/0/3 ", "" },
	{ "block: not driven yet", BLOCK "x,x,x,x,x,x\n0,1,0,100,3,0\n", "100+1/0/3 ", "" },
	{ "block: how it ended", BLOCK "0,1,0,100,3,0\nx,1,0,102,3,0\n", "100+1/0/3 G26 ",
	  "3 itype, " },
	{ "block: whether it retired", BLOCK "0,1,0,100,3,0\n0,z,0,102,3,0\n", "100+1/0/3 G26 ",
	  "3 iretire, " },
	{ "block: its address", BLOCK "0,1,0,10x,3,0\n", "G26 ", "2 iaddr, " },
	{ "block: its last size", BLOCK "0,1,x,100,3,0\n", "G26 ", "2 ilastsize, " },
	{ "block: its mode", BLOCK "0,1,0,100,x,0\n", "100+1/0/7 ", "" },
	{ "block: a cause, which others do not have", BLOCK "0,1,0,100,3,x\n1,0,0,102,3,x\n",
	  "100+1/1/3 ", "" },
	{ "block: a cause of a trap that has one", BLOCK "0,1,0,100,3,x\n1,0,0,102,3,2\n",
	  "100+1/1/3 T2 ", "" },
	{ "block: trcstate stays as it was", BLOCK_STATE "0,1,0,100,3,0\n0,0,0,0,3,3\n0,0,0,0,3,x\n"
	  "0,1,0,102,3,0\n", "100+1/0/3 S1 s9 102+1/0/3 ", "" },
	{ "block: accesses", DATA_TWO "0,2,0,100,3,1,0,80,2,5,1,1,84,2,6\n",
	  "D80=5 D84=6 100+2/0/3 ", "" },
	{ "block: what is loaded", DATA_TWO "0,2,0,100,3,1,0,80,2,x,1,1,84,2,6\n",
	  "D80 D84=6 100+2/0/3 ", "" },
	{ "block: what is stored after it", DATA_TWO "0,2,0,100,3,1,0,80,2,5,1,1,84,2,0x\n",
	  "D80=5 D84 100+2/0/3 ", "" },
	{ "block: where an access is, and so the one after it",
	  DATA_TWO "0,2,0,100,3,1,0,8x,2,5,1,1,84,2,6\n", "100+2/0/3 ", "" },
	{ "block: whether there is a second one", DATA_TWO "0,2,0,100,3,1,0,80,2,5,x,1,84,2,6\n",
	  "D80=5 100+2/0/3 ", "" },
	{ "block: no columns for mode and cause", "itype,iretire,ilastsize,iaddr\n0,1,0,100\n"
	  "1,0,0,102\n", "100+1/1/7 ", "" },
};

static size_t say(const struct hs_block *b, char *to, size_t n)
{
	switch (b->kind) {
	case HS_KIND_BLOCK:
		return (size_t)snprintf(to, n, "%llx+%u/%u/%u ", (unsigned long long)b->iaddr,
		                        b->iretire, b->itype, b->priv);
	case HS_KIND_TRAP:
		return (size_t)snprintf(to, n, "T%u ", b->arg);
	case HS_KIND_DATA:
		return (size_t)snprintf(to, n, "D%llx%s", (unsigned long long)b->value,
		                        b->arg >> 16 & HS_ACCESS_HAS_DATA ? "=" : " ");
	case HS_KIND_VALUE:
		return (size_t)snprintf(to, n, "%llx ", (unsigned long long)b->value);
	case HS_KIND_STOP: case HS_KIND_SYNC:
		return (size_t)snprintf(to, n, "%c%u ", b->kind == HS_KIND_STOP ? 'S' : 's',
		                        b->itype);
	case HS_KIND_GAP:
		return (size_t)snprintf(to, n, "G%u ", b->arg);
	default:
		return 0;
	}
}

TEST_ROWS(check_row, rows, row)
{
	static struct hs_port_text t;
	static struct hs_block at[HS_PORT_ROOM];
	struct hs_span in = { (const uint8_t *)row->text, strlen(row->text) };
	char said[512] = "", errors[512] = "";
	enum hs_status s;
	size_t n = 0, e = 0;
	bool end = false;

	assert_int_equal(hs_port_text_init(&t, NULL, 64), HS_OK);
	do {
		struct hs_blocks out = { at, HS_PORT_ROOM, 0 };

		s = end ? hs_port_text_flush(&t, &out) : hs_port_text_feed(&t, &in, &out);
		for (size_t i = 0; i < out.n; i++)
			n += say(&at[i], said + n, sizeof(said) - n);
		if (s == HS_E_UNKNOWN)
			e += (size_t)snprintf(errors + e, sizeof(errors) - e, "%llu %s, ",
			                      (unsigned long long)t.lines.number,
			                      t.port.fault.signal);
		else
			assert_true(s == HS_OK || s == HS_MORE || s == HS_FULL);
		end |= s == HS_MORE;
	} while (s != HS_OK);
	assert_string_equal(said, row->said);
	assert_string_equal(errors, row->errors);
}
