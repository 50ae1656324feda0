/* CTR checklist, groups E to K and N: what is recorded, external traps, filters, cycles, RAS emulation,
 * freeze, SCTRCLR.  Expected values are the text's (0.1.4 and 1.0). */
#include "unit/ctr_run.h"

#define CALL(s, g) T(PM, 9, s, g)
#define RETN(s, g) T(PM, 13, s, g)

/* The filter of a type: what it stops, and what passes beside it. */
#define TTF(id, name, t, other) \
	{ id " " name, FILTERS, FULL, { W(PM, MC, M_ | INH(t)), T(PM, t, 0x10, 0x20), NV(0), R(PM, ST, 0), T(PM, other, 0x30, 0x40), \
	  E(0, 0x30, 0x40, other), W(PM, MC, M_ | (ALLF & ~(NTBREN | INH(t)))), T(PM, other, 0x50, 0x60), E(0, 0x30, 0x40, other), \
	  T(PM, t, 0x70, 0x80), E(0, 0x70, 0x80, t) } }

static const struct row rows[] = {
	{ "QUA-02 the oldest is lost", BOTH, FULL, { W(PM, MC, M_), N(PM, 19), E(0, 0x1024, 0x2024, 11), E(15, 0x1006, 0x2006, 11), R(PM, ST, WRAP | 3) } },
	{ "QUA-02 depth 256", DRAFT, FULL, { W(PM, MC, M_ | DEPTH_(15)), N(PM, 259), E(0, 0x1204, 0x2204, 11), E(255, 0x1006, 0x2006, 11) } },
	{ "QUA-02 depth 256, 1.0", RATIFIED, FULL, { RW(PM, 0x15f, 4), W(PM, MC, M_), N(PM, 259), E(0, 0x1204, 0x2204, 11), E(255, 0x1006, 0x2006, 11) } },
	{ "QUA-03 V and every field", BOTH, FULL, { W(PM, MC, M_), CALL(2, 4), TICK(PM, 7), TM(PM, 13, 6, 8), E(0, 6, 9, 13), CC(0, 1, 7) } },
	{ "QUA-04 Debug Mode", BOTH, FULL, { W(PM, MC, M_ | BPF | MTE | ETEN), EXC(PM, DBG, 3, 4, 8), XRET(DBG, PM, 8, 4), EXC(DBG, PM, 3, 4, 8), T(DBG, 11, 2, 4), R(PM, ST, 0), NV(0) } },
	{ "QUA-05 the control of V", FILTERS, FULL, { W(PM, MC, S_ | INH(9)), W(PM, VC, S_ | INH(11)), T(PS, 9, 2, 4), T(VS, 11, 2, 4), NV(0), T(VS, 9, 2, 4), E(0, 2, 4, 9),
	  T(PS, 11, 6, 8), E(0, 6, 8, 11) } },
	{ "QUA-06 a jump that faults", BOTH, FULL, { W(PM, MC, M_), EXC(PM, PM, 0, 0x10, 0x80), E(0, 0x10, 0x80, 1), NV(1) } },
	{ "PMT-01 trap, both enabled", BOTH, FULL, { W(PM, MC, M_ | U_), EXC(PU, PM, 8, 0x10, 0x80), E(0, 0x10, 0x80, 1), INT(PU, PM, 7, 0x20, 0x80), E(0, 0x20, 0x80, 2) } },
	{ "PMT-02 trap from a disabled mode", BOTH, FULL, { W(PM, MC, S_), EXC(PU, PS, 8, 0x10, 0x80), E(0, 0, 0x80, 1) } },
	{ "PMT-03 trap to a disabled mode", BOTH, FULL, { W(PM, MC, U_), EXC(PU, PS, 8, 0x10, 0x80), NV(0), R(PM, ST, 0) } },
	{ "PMT-04 trap, both disabled", BOTH, FULL, { W(PM, MC, U_ | MTE | ETEN), EXC(PS, PM, 8, 0x10, 0x80), NV(0), R(PM, ST, 0) } },
	{ "PMT-05 return, both enabled", BOTH, FULL, { W(PM, MC, M_ | U_), XRET(PM, PU, 0x10, 0x80), E(0, 0x10, 0x80, 3) } },
	{ "PMT-06 return to a disabled mode", BOTH, FULL, { W(PM, MC, M_), XRET(PM, PU, 0x10, 0x80), E(0, 0x10, 0, 3) } },
	{ "PMT-07 return from a disabled mode", BOTH, FULL, { W(PM, MC, U_), XRET(PM, PU, 0x10, 0x80), NV(0) } },
	{ "PMT-08 return, both disabled", BOTH, FULL, { W(PM, MC, U_), XRET(PM, PS, 0x10, 0x80), NV(0), R(PM, ST, 0) } },
	{ "PMT-09 FROZEN and inhibits", FILTERS, FULL, { W(PM, MC, M_ | U_ | INH(1) | INH(3)), EXC(PU, PM, 8, 2, 4), XRET(PM, PU, 2, 4), NV(0), INT(PU, PM, 7, 2, 4), E(0, 2, 4, 2),
	  W(PM, ST, FROZEN), INT(PU, PM, 7, 2, 4), XRET(PM, PU, 2, 4), R(PM, ST, FROZEN) } },
	{ "PMT-10 horizontal traps", BOTH, FULL, { W(PM, MC, M_ | S_), W(PM, VC, S_), EXC(PM, PM, 2, 2, 4), E(0, 2, 4, 1), EXC(PS, PS, 2, 6, 8), E(0, 6, 8, 1), EXC(VS, VS, 2, 10, 12), E(0, 10, 12, 1) } },
	{ "PMT-11 sret", BOTH, FULL, { W(PM, VC, S_ | U_), XRET(VS, VU, 2, 4), E(0, 2, 4, 3), W(PM, MC, S_), XRET(PS, PU, 6, 8), E(0, 6, 0, 3) } },
	{ "PMT-12 A2 source's control", DRAFT, FULL, { W(PM, MC, S_ | INH(1)), W(PM, VC, S_), EXC(VS, PS, 10, 2, 4), E(0, 2, 4, 1), W(PM, MC, S_ | INH(3)), XRET(PS, VS, 6, 8), NV(1) } },
	{ "PMT-12 A2 as 1.0", DRAFT, A2, { W(PM, MC, S_ | INH(1) | INH(3)), W(PM, VC, S_), EXC(VS, PS, 10, 2, 4), E(0, 2, 4, 1), XRET(PS, VS, 6, 8), E(0, 6, 8, 3) } },
	{ "PMT-12 vsctl has the filters, 1.0", R64, FULL, { W(PM, MC, S_ | INH(1) | INH(3)), W(PM, VC, S_), EXC(VS, PS, 10, 2, 4), E(0, 2, 4, 1), XRET(PS, VS, 6, 8), E(0, 6, 8, 3) } },
	{ "PMT-12 vsctl has RASEMU, 1.0", RATIFIED, FULL, { W(PM, MC, S_), W(PM, VC, S_ | RAS), EXC(VS, PS, 10, 2, 4), XRET(PS, VS, 6, 8), NV(0) } },
	{ "PMT-13 a return shows the source's PC", BOTH, FULL, { W(PM, MC, S_), XRET(PS, PU, 0x40, 0x80), E(0, 0x40, 0, 3) } },
	{ "EXT-01 needs ETEN", DRAFT, FULL, { W(PM, MC, U_ | STE), EXC(PU, PS, 8, 2, 4), NV(0), W(PM, MC, U_ | ETEN), EXC(PU, PS, 8, 2, 4), NV(0), W(PM, MC, U_ | ETEN | STE),
	  EXC(PU, PS, 8, 2, 4), E(0, 2, 0, 1), EXC(PU, PM, 8, 6, 8), NV(1), W(PM, MC, U_ | ETEN | MTE), EXC(PU, PM, 8, 6, 8), E(0, 6, 0, 1) } },
	{ "EXT-01 modes between, 1.0", RATIFIED, FULL, { W(PM, MC, U_ | MTE), EXC(PU, PM, 8, 2, 4), NV(0), W(PM, MC, U_ | MTE | STE), EXC(PU, PM, 8, 2, 4), E(0, 2, 0, 1),
	  W(PM, MC, STE), W(PM, VC, U_), EXC(VU, PS, 8, 6, 8), NV(1), W(PM, VC, U_ | STE), EXC(VU, PS, 8, 6, 8), E(0, 6, 0, 1), EXC(VU, PM, 8, 10, 12), NV(2),
	  W(PM, MC, MTE | STE), EXC(VU, PM, 8, 10, 12), E(0, 10, 0, 1), EXC(VU, VS, 8, 14, 16), E(0, 14, 0, 1), W(PM, VC, S_), EXC(VS, PS, 10, 18, 20), E(0, 18, 0, 1),
	  EXC(VS, PM, 2, 22, 24), E(0, 22, 0, 1), W(PM, MC, S_ | MTE), EXC(PS, PM, 9, 26, 28), E(0, 26, 0, 1) } },
	{ "EXT-02 target PC 0", FILTERS, FULL, { W(PM, MC, U_ | ETEN | STE), INT(PU, PS, 5, 2, 4), E(0, 2, 0, 2) } },
	{ "EXT-03 inhibits have no say", FILTERS, FULL, { W(PM, MC, U_ | ETEN | STE | INH(1) | INH(2)), EXC(PU, PS, 8, 2, 4), E(0, 2, 0, 1), INT(PU, PS, 5, 6, 8), E(0, 6, 0, 2) } },
	{ "EXT-04 A1 type 6", DRAFT, A1, { W(PM, MC, U_ | ETEN | STE), INT(PU, PS, 5, 2, 4), E(0, 2, 0, 6) } },
	{ "EXT-05 not from a disabled mode", BOTH, FULL, { W(PM, MC, ETEN | STE | MTE), EXC(PU, PS, 8, 2, 4), EXC(PU, PM, 8, 2, 4), NV(0) } },
	{ "EXT-07 RASEMU", BOTH, FULL, { W(PM, MC, U_ | ETEN | STE | RAS), EXC(PU, PS, 8, 2, 4), NV(0) } },
	{ "EXT-08 one STE", DRAFT, FULL, { W(PM, MC, STE), W(PM, VC, S_ | U_ | ETEN), EXC(VS, PS, 10, 2, 4), E(0, 2, 0, 1), EXC(VU, PS, 8, 6, 8), E(0, 6, 0, 1) } },
	{ "EXT-09 no external return", BOTH, FULL, { W(PM, MC, ETEN | STE | MTE), XRET(PS, PU, 2, 4), NV(0) } },
	TTF("TTF-04", "TKBRINH", 5, 9), TTF("TTF-05", "INDCALLINH", 8, 9), TTF("TTF-06", "DIRCALLINH", 9, 8),
	TTF("TTF-07", "INDJUMPINH", 10, 11), TTF("TTF-08", "DIRJUMPINH", 11, 10), TTF("TTF-09", "CORSWAPINH", 12, 13), TTF("TTF-10", "RETINH", 13, 12),
	TTF("TTF-11", "INDOJMPINH", 14, 15), TTF("TTF-12", "DIROJMPINH", 15, 14),
	{ "TTF-01 TTF-02 TTF-03 EXCINH INTRINH TRETINH", FILTERS, FULL, { W(PM, MC, M_ | INH(1)), EXC(PM, PM, 2, 2, 4), NV(0), INT(PM, PM, 7, 2, 4), E(0, 2, 4, 2), W(PM, MC, M_ | INH(2)),
	  INT(PM, PM, 7, 2, 4), NV(1), XRET(PM, PM, 6, 8), E(0, 6, 8, 3), W(PM, MC, M_ | INH(3)), XRET(PM, PM, 6, 8), NV(2), EXC(PM, PM, 2, 10, 12), E(0, 10, 12, 1) } },
	{ "TTF-13 NTBREN", FILTERS, FULL, { W(PM, MC, M_), T(PM, 4, 2, 6), NV(0), W(PM, MC, M_ | NTBREN), T(PM, 4, 2, 6), E(0, 2, 6, 4) } },
	{ "TTF-14 A6 target of a not-taken branch", FILTERS, FULL, { W(PM, MC, M_ | NTBREN), T(PM, 4, 0x100, 0x104), E(0, 0x100, 0x104, 4) } },
	{ "TTF-15 the active control alone", FILTERS, FULL, { W(PM, MC, S_ | ALLF), W(PM, VC, S_), T(VS, 5, 2, 4), E(0, 2, 4, 5), T(PS, 5, 2, 4), NV(1) } },
	{ "TTF-16 RAS-05 RASEMU ignores filters", FILTERS, FULL, { W(PM, MC, M_ | RAS | ALLF), CALL(2, 4), T(PM, 8, 6, 8), E(0, 6, 8, 8), E(1, 2, 4, 9), RETN(10, 12), E(0, 2, 4, 9) } },
	{ "TTF-17 entries stay", FILTERS, FULL, { W(PM, MC, M_), CALL(2, 4), W(PM, MC, M_ | ALLF), E(0, 2, 4, 9), RETN(2, 4), E(0, 2, 4, 9) } },
	{ "CYC-01 since the record before", BOTH, FULL, { W(PM, MC, M_), CALL(2, 4), TICK(PM, 4095), CALL(2, 4), CC(0, 1, 0xfff), TICK(PM, 4096), CALL(2, 4), CC(0, 1, 0x1000),
	  TICK(PM, 8191), CALL(2, 4), CC(0, 1, 0x1fff), TICK(PM, 8192), CALL(2, 4), CC(0, 1, 0x2000), TICK(PM, 8195), CALL(2, 4), CC(0, 1, 0x2001) } },
	{ "CYC-03 saturation, no exponent", BOTH, CCE0, { W(PM, MC, M_), CALL(2, 4), TICK(PM, 4094), CALL(2, 4), CC(0, 1, 0xffe), TICK(PM, 4096), CALL(2, 4), CC(0, 1, 0xfff) } },
	{ "CYC-03 saturation, 1 bit", BOTH, CCE1, { W(PM, MC, M_), CALL(2, 4), TICK(PM, 8190), CALL(2, 4), CC(0, 1, 0x1ffe), TICK(PM, 8192), CALL(2, 4), CC(0, 1, 0x1fff) } },
	{ "CYC-03 saturation, 2 bits", BOTH, CCE2, { W(PM, MC, M_), CALL(2, 4), TICK(PM, 32763), CALL(2, 4), CC(0, 1, 0x3ffe), TICK(PM, 32764), CALL(2, 4), CC(0, 1, 0x3fff),
	  TICK(PM, 1u << 20), CALL(2, 4), CC(0, 1, 0x3fff) } },
	{ "CYC-03 saturation, 3 bits", BOTH, CCE3, { W(PM, MC, M_), CALL(2, 4), TICK(PM, 524223), CALL(2, 4), CC(0, 1, 0x7ffe), TICK(PM, 524224), CALL(2, 4), CC(0, 1, 0x7fff) } },
	{ "CYC-03 saturation, 4 bits", BOTH, FULL, { W(PM, MC, M_), CALL(2, 4), TICK(PM, 134201343), CALL(2, 4), CC(0, 1, 0xfffe), TICK(PM, UINT64_MAX), TICK(PM, UINT64_MAX), CALL(2, 4), CC(0, 1, 0xffff) } },
	{ "CYC-04 active cycles alone", BOTH, FULL, { W(PM, MC, M_), CALL(2, 4), TICK(PS, 50), TICK(PM, 3), W(PM, ST, FROZEN | 1), TICK(PM, 70), W(PM, ST, 1), TICK(PM, 2), TICK(VS, 9),
	  CALL(2, 4), CC(0, 1, 5) } },
	{ "CYC-05 CCV after a control write", BOTH, FULL, { W(PM, MC, M_ | S_), TICK(PM, 9), CALL(2, 4), CC(0, 0, 9), CALL(2, 4), CC(0, 1, 0), W(PS, SC, S_), CALL(2, 4), CC(0, 0, 0), CALL(2, 4), CC(0, 1, 0),
	  W(PS, VC, 0), CALL(2, 4), CC(0, 0, 0), TICK(PM, 5), W(VS, SC, 0), CALL(2, 4), CC(0, 0, 0) } },
	{ "CYC-06 CYC-09 cycles were missed", BOTH, FULL, { W(PM, MC, M_), CALL(2, 4), MISS, CALL(2, 4), CC(0, 0, 0), CALL(2, 4), CC(0, 1, 0) } },
	{ "CYC-07 filtered transfers do not restart it", FILTERS, FULL, { W(PM, MC, M_ | INH(13)), CALL(2, 4), TICK(PM, 10), RETN(6, 8), TICK(PM, 20), CALL(2, 4), CC(0, 1, 30) } },
	{ "CYC-08 a pop adds back", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), TICK(PM, 10), CALL(6, 8), CC(0, 1, 10), TICK(PM, 5), RETN(10, 12), TICK(PM, 1), CALL(6, 8), CC(0, 1, 16) } },
	{ "CYC-08 a pop of CCV=0", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), RETN(6, 8), CALL(2, 4), CC(0, 0, 0) } },
	{ "CYC-08 CCV=0 for all calls", BOTH, RASN, { W(PM, MC, M_ | RAS), CALL(2, 4), TICK(PM, 4), CALL(2, 4), CC(0, 0, 4), W(PM, MC, M_), CALL(2, 4), CALL(2, 4), CC(0, 1, 0) } },
	{ "RAS-01 RAS-02 calls and returns", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), T(PM, 8, 6, 8), R(PM, ST, 2), RETN(10, 12), R(PM, ST, 1), E(0, 2, 4, 9), NV(1), NV(15) } },
	{ "RAS-03 swap", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), T(PM, 12, 6, 8), R(PM, ST, 1), E(0, 6, 8, 12), NV(1), RETN(2, 4), R(PM, ST, 0), T(PM, 12, 10, 12), R(PM, ST, 0), E(0, 10, 12, 12) } },
	{ "RAS-03 swap adds back", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), TICK(PM, 3), CALL(2, 4), TICK(PM, 4), T(PM, 12, 6, 8), CC(0, 1, 7) } },
	{ "RAS-04 other types", FILTERS, FULL, { W(PM, MC, M_ | U_ | RAS | NTBREN), T(PM, 4, 2, 4), T(PM, 5, 2, 4), T(PM, 10, 2, 4), T(PM, 11, 2, 4), T(PM, 14, 2, 4), T(PM, 15, 2, 4),
	  EXC(PU, PM, 8, 2, 4), INT(PM, PM, 7, 2, 4), XRET(PM, PU, 2, 4), NV(0), R(PM, ST, 0) } },
	{ "RAS-06 RAS-08 pop on empty", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), RETN(2, 4), RETN(2, 4), R(PM, ST, 15), W(PM, ST, 1), SEL(0x150, 0x200), RR(PS, 0x151, 2), RR(PS, 0x152, 4), RR(PS, 0x153, 9) } },
	{ "RAS-07 deeper than the array", BOTH, FULL, { W(PM, MC, M_), N(PM, 1), W(PM, ST, 0), W(PM, MC, M_ | RAS), CALL(0x10, 0), CALL(0x12, 0), CALL(0x14, 0), CALL(0x16, 0), CALL(0x18, 0),
	  CALL(0x1a, 0), CALL(0x1c, 0), CALL(0x1e, 0), CALL(0x20, 0), CALL(0x22, 0), CALL(0x24, 0), CALL(0x26, 0), CALL(0x28, 0), CALL(0x2a, 0), CALL(0x2c, 0), CALL(0x2e, 0), CALL(0x30, 0),
	  E(0, 0x30, 0, 9), E(15, 0x12, 0, 9), RETN(2, 4), E(0, 0x2e, 0, 9), E(14, 0x12, 0, 9), NV(15) } },
	{ "RAS-09 disabled modes", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), T(PS, 13, 2, 4), T(PS, 9, 6, 8), R(PM, ST, 1), E(0, 2, 4, 9) } },
	{ "RAS-10 no RASEMU", BOTH, BARE, { W(PM, MC, M_ | RAS), RETN(2, 4), R(PM, ST, 1) } },
	{ "RAS-11 one array", BOTH, FULL, { W(PM, MC, S_), W(PM, VC, S_ | RAS), T(PS, 5, 2, 4), T(VS, 13, 6, 8), NV(0), R(PM, ST, 0), T(PS, 13, 6, 8), E(0, 6, 8, 13) } },
	{ "RAS-12 frozen", BOTH, FULL, { W(PM, MC, M_ | RAS), CALL(2, 4), W(PM, ST, FROZEN | 1), CALL(2, 4), RETN(2, 4), T(PM, 12, 6, 8), R(PM, ST, FROZEN | 1), E(0, 2, 4, 9) } },
	{ "FRZ-01 frozen", BOTH, FULL, { W(PM, MC, M_), N(PM, 1), W(PM, ST, FROZEN | 1), N(PM, 20), R(PM, ST, FROZEN | 1), E(0, 0x1000, 0x2000, 11), SEL(0x150, 0x200), RW(PS, 0x151, 0x11), RR(PS, 0x151, 0x11), R(PM, MC, M_) } },
	{ "FRZ-02 LCOFI", BOTH, FULL, { W(PM, MC, M_ | S_ | LCO), INT(PS, PM, 13, 2, 4), NV(0), R(PM, ST, FROZEN), W(PM, ST, 0), INT(PS, PS, 13, 2, 4), NV(0), R(PM, ST, FROZEN) } },
	{ "FRZ-02 LCOFI without LCOFIFRZ", BOTH, FULL, { W(PM, MC, M_ | S_), INT(PS, PM, 13, 2, 4), E(0, 2, 4, 2), R(PM, ST, 1) } },
	{ "FRZ-03 FRZ-04 pending only, other interrupts", BOTH, FULL, { W(PM, MC, M_ | LCO | BPF), INT(PM, PM, 1, 2, 4), INT(PM, PM, 3, 2, 4), INT(PM, PM, 5, 2, 4), INT(PM, PM, 7, 2, 4), INT(PM, PM, 9, 2, 4), INT(PM, PM, 11, 2, 4),
	  EXC(PM, PM, 13, 2, 4), R(PM, ST, 7) } },
	{ "FRZ-05 breakpoint", BOTH, FULL, { W(PM, MC, M_ | BPF), EXC(PM, PM, 3, 2, 4), NV(0), R(PM, ST, FROZEN) } },
	{ "FRZ-06 breakpoint into Debug Mode", BOTH, FULL, { W(PM, MC, M_ | BPF), EXC(PM, DBG, 3, 2, 4), R(PM, ST, 0) } },
	{ "FRZ-07 software clears it", BOTH, FULL, { W(PM, MC, M_ | BPF), EXC(PM, PM, 3, 2, 4), XRET(PM, PM, 2, 4), R(PM, ST, FROZEN), W(PM, ST, 0), XRET(PM, PM, 2, 4), E(0, 2, 4, 3) } },
	{ "FRZ-07 CLR clears it", DRAFT, FULL, { W(PM, ST, FROZEN), W(PM, MC, CLR_), R(PM, ST, 0) } },
	{ "FRZ-07 SCTRCLR does not", RATIFIED, FULL, { W(PM, ST, FROZEN | 2), SCTRCLR(PS, OK), R(PM, ST, FROZEN | 2) } },
	{ "FRZ-08 A3 the source's control", DRAFT, FULL, { W(PM, MC, S_), W(PM, VC, S_ | BPF), EXC(VS, PS, 3, 2, 4), R(PM, ST, FROZEN), W(PM, MC, S_ | BPF), W(PM, VC, S_), W(PM, ST, 0), EXC(VS, PS, 3, 2, 4), R(PM, ST, 1) } },
	{ "FRZ-08 A3 as 1.0", DRAFT, A3, { W(PM, MC, S_ | BPF), W(PM, VC, S_), EXC(VS, PS, 3, 2, 4), R(PM, ST, FROZEN), W(PM, ST, 0), EXC(VS, VS, 3, 2, 4), R(PM, ST, 1) } },
	{ "FRZ-08 the target's V, 1.0", RATIFIED, FULL, { W(PM, MC, S_ | BPF), W(PM, VC, S_), EXC(VS, PS, 3, 2, 4), R(PM, ST, FROZEN), W(PM, ST, 0), EXC(VS, VS, 3, 2, 4), R(PM, ST, 1) } },
	{ "FRZ-09 from a disabled mode", BOTH, FULL, { W(PM, MC, LCO), INT(PU, PM, 13, 2, 4), R(PM, ST, FROZEN) } },
	{ "FRZ-10 already frozen", BOTH, FULL, { W(PM, MC, M_ | LCO), W(PM, ST, FROZEN | 3), INT(PM, PM, 13, 2, 4), R(PM, ST, FROZEN | 3) } },
	{ "FRZ-11 freeze before external", BOTH, FULL, { W(PM, MC, U_ | LCO | ETEN | MTE | STE), INT(PU, PM, 13, 2, 4), NV(0), R(PM, ST, FROZEN) } },
	{ "V1-01 SCTRCLR", RATIFIED, FULL, { RW(PM, 0x15f, 4), W(PM, MC, M_), N(PM, 256), RW(PM, 0x15f, 0), W(PM, ST, 5), SCTRCLR(PM, OK), R(PM, ST, 5), RW(PM, 0x15f, 4), NV(0), NV(255), TICK(PM, 3), CALL(2, 4), CC(0, 0, 3),
	  TICK(PM, 4), SCTRCLR(VS, OK), CALL(2, 4), CC(0, 0, 0) } },
	{ "V1-02 who may SCTRCLR", RATIFIED, FULL, { SCTRCLR(PU, ILLEGAL), SCTRCLR(VU, VIRTUAL), SE(~(1ull << 54), 0), SCTRCLR(PS, ILLEGAL), SCTRCLR(VS, ILLEGAL), SCTRCLR(PM, OK), SE(1ull << 54, 0), SCTRCLR(VS, VIRTUAL), SCTRCLR(PS, OK) } },
	{ "V1-01 0.1.4 has no SCTRCLR", DRAFT, FULL, { SCTRCLR(PM, NOT_MINE) } },
	{ "V1-03 sctrdepth from V=1", RATIFIED, FULL, { RX(VS, 0x15f, VIRTUAL), RX(VU, 0x15f, VIRTUAL), RX(PU, 0x15f, ILLEGAL), SE(0, 0), RX(VS, 0x15f, ILLEGAL) } },
	{ "V1-04 poison is legal", RATIFIED, A5, { RW(PS, 0x15f, 4), RR(PS, 0x15f, 4), SEL(0x150, 0x220), RR(PS, 0x155, 0) } },
	{ "V1-05 BPFRZ is mandatory", RATIFIED, BARE, { W(PM, MC, BPF), R(PM, MC, BPF) } },
	{ "V1-06 custom bits", R64, FULL, { RW(PM, 0x34e, 0xf000000000000000), RR(PM, 0x34e, 0) } },
	{ "V1-07 virtual LCOFI", BOTH, FULL, { W(PM, VC, S_ | LCO), INT(VS, VS, 13, 2, 4), R(PM, ST, FROZEN), NV(0) } },
};

/* CYC-01: decode by the formula of the text, and what encode loses is below the granule. */
static void cycle_codes(void **state)
{
	(void)state;
	for (uint32_t n = 0, step = 1; n < (1u << 27); n += step) {
		const unsigned cc = hs_ctr_cc_encode(n, 4), e = cc >> 12, m = cc & 0xfff;
		const uint32_t said = e == 0 ? m : (4096u + m) << (e - 1);

		assert_int_equal(hs_ctr_cc_decode(cc), said);
		assert_true(said <= n && (n - said < (e ? 1u << (e - 1) : 1u) || cc == 0xffff));
		step = n < (1u << 20) ? 1 : 509;
	}
}

/* ENT-06, by the table of 1.0 "Transfer Type Filtering". */
static void jump_types(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * 32; i++) {
		const struct hs_isa isa = { .xlen = i & 1 ? 32 : 64 };
		const unsigned rd = i / 2;

		for (unsigned rs = 0; rs < 32; rs++) {
			const uint32_t jalr = rs << 15 | rd << 7 | 0x67, jal = rd << 7 | 0x6f;
			const bool ld = rd == 1 || rd == 5, ls = rs == 1 || rs == 5;
			const unsigned want = ld ? (ls && rs != rd ? 12 : 8) : ls ? 13 : rd ? 14 : 10;
			struct hs_insn insn;

			assert_int_equal(hs_isa_decode(&isa, 0, (const uint8_t *)&jalr, 4, &insn), HS_OK);
			assert_int_equal(hs_ctr_type_of(&insn, true), want);
			assert_int_equal(hs_isa_decode(&isa, 0, (const uint8_t *)&jal, 4, &insn), HS_OK);
			assert_int_equal(hs_ctr_type_of(&insn, true), ld ? 9 : rd ? 15 : 11);
		}
	}
}

static const struct code {
	const char *name;
	uint8_t xlen, zc, taken, type;
	uint32_t code;
} codes[] = { /* encodings of tests/unit/isa.c; xlen 0: both */
	{ "beq taken", 0, 0, 1, 5, 0x04208063 }, { "beq not taken", 0, 0, 0, 4, 0x04208063 }, { "c.j", 0, 0, 0, 11, 0xa001 },
	{ "RV32-06 c.jal", 32, 0, 0, 9, 0x2001 }, { "RV32-06 c.addiw on RV64", 64, 0, 0, 0, 0x2085 }, { "c.jr ra", 0, 0, 0, 13, 0x8082 },
	{ "c.jr t0", 0, 0, 0, 13, 0x8282 }, { "c.jr a0", 0, 0, 0, 10, 0x8502 }, { "c.jalr a0", 0, 0, 0, 8, 0x9502 },
	{ "c.jalr t0", 0, 0, 0, 12, 0x9282 }, { "mret", 0, 0, 0, 3, 0x30200073 }, { "sret", 0, 0, 0, 3, 0x10200073 },
	{ "PMT-11 mnret", 0, 0, 0, 3, 0x70200073 }, { "ecall", 0, 0, 0, 0, 0x73 }, { "cm.jt 0", 0, 1, 0, 11, 0xa002 },
	{ "cm.jalt 32", 0, 1, 0, 9, 0xa082 }, { "cm.popret {ra}, 16", 0, 1, 0, 13, 0xbe42 }, { "cm.popretz {ra}, 16", 0, 1, 0, 13, 0xbc42 },
};

static void insn_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * sizeof(codes) / sizeof(codes[0]); i++) {
		const struct code *row = &codes[i / 2];
		const struct hs_isa isa = { .xlen = i & 1 ? 32 : 64, .zcmp_zcmt = row->zc };
		struct hs_insn insn;

		if (row->xlen && row->xlen != isa.xlen)
			continue;
		print_message("# %s RV%u\n", row->name, isa.xlen);
		assert_int_equal(hs_isa_decode(&isa, 0, (const uint8_t *)&row->code, 4, &insn), HS_OK);
		assert_int_equal(hs_ctr_type_of(&insn, row->taken), row->type);
	}
}

#define REFUSED(change) \
	do { \
		struct hs_ctr_config k = ctr_config(FULL, false, 64), *p = &k; \
		struct hs_ctr left = { .wrptr = 77 }; \
		change; \
		assert_int_equal(hs_ctr_init(&left, p), HS_E_CONFIG); \
		assert_int_equal(left.wrptr, 77); \
	} while (0)

/* REG-17, EXT-06, CYC-02, and what contradicts itself. */
static void configurations(void **state)
{
	struct hs_ctr_config gaps = ctr_config(FULL, true, 64);
	struct hs_ctr c;

	(void)state;
	REFUSED(k.depths = 5);
	REFUSED(k.depths = 0x20);
	REFUSED(k.absent = MTE | STE);
	REFUSED(k.absent = STE);
	REFUSED(k.cc_bits = 17);
	REFUSED(k.without = HS_CTR_NO_CC; k.cc_bits = 16);
	REFUSED(k.xlen = 128);
	REFUSED(k.without = HS_CTR_NO_U);
	REFUSED(k.without = HS_CTR_NO_S);
	REFUSED(k.va_bits = 64);
	REFUSED(k.version = 3);
	REFUSED(k.version = HS_CTR_1_0; k.absent = 1 << 8);
	REFUSED(k.version = HS_CTR_1_0; k.options = HS_CTR_TYPE6);
	REFUSED(k.size = 3);
	REFUSED(k.without = 0x100);
	REFUSED(k.options = 0x80);
	REFUSED(k.cc_bits = 11);
	gaps.depths = 5;
	assert_int_equal(hs_ctr_init(&c, &gaps), HS_OK);
}

/* Nothing but a size: 1.0 with everything.  Newer and older callers. */
static void default_config(void **state)
{
	struct {
		struct hs_ctr_config k;
		uint8_t later[8];
	} v = { .k.size = sizeof(v.k.size) };
	struct hs_ctr_env env = { .priv = PS, .mstateen0 = UINT64_MAX };
	struct hs_ctr c;

	(void)state;
	assert_int_equal(hs_ctr_init(&c, &v.k), HS_OK);
	assert_int_equal(hs_ctr_write(&c, &env, 0x24e, UINT64_MAX), HS_CTR_OK);
	assert_int_equal(c.vsctl, 0xff3e00001983);
	assert_int_equal(hs_ctr_write(&c, &env, 0x15f, 4), HS_CTR_OK);
	assert_int_equal(hs_ctr_depth(&c), 256);
	env.siselect = 0x200;
	for (unsigned csr = 0x151; csr <= 0x153; csr++)
		assert_int_equal(hs_ctr_write(&c, &env, csr, UINT64_MAX), HS_CTR_OK);
	assert_int_equal(hs_ctr_get_entry(&c, 0).source, UINT64_MAX);
	assert_int_equal(hs_ctr_get_entry(&c, 0).target, UINT64_MAX);
	assert_int_equal(hs_ctr_get_entry(&c, 0).data, 0xffff800f);
	v.k.size = sizeof(v);
	assert_int_equal(hs_ctr_init(&c, &v.k), HS_OK);
	assert_int_equal(hs_ctr_check(&c), HS_OK);
	v.later[7] = 1;
	assert_int_equal(hs_ctr_init(&c, &v.k), HS_E_CONFIG);
}

/* By the layouts of ctrsource, ctrtarget, ctrdata: V, MISP, TYPE 3:0, CCV 15, CC 31:16. */
static void decoded_entry(void **state)
{
	const struct hs_ctr_entry e = { 0x1001, 0x2001, 0x1001800d }; /* CC: 4096 + 1, exponent 1 */
	const struct hs_ctr_entry none = { 0x1000, 0x2000, 0x00070009 };
	struct hs_ctr_record r = hs_ctr_decode_entry(&e);

	(void)state;
	assert_true(r.valid && r.misp && r.ccv);
	assert_int_equal(r.source, 0x1000);
	assert_int_equal(r.target, 0x2000);
	assert_int_equal(r.type, 13);
	assert_int_equal(r.cycles, 4097);
	r = hs_ctr_decode_entry(&none);
	assert_false(r.valid || r.misp || r.ccv);
	assert_int_equal(r.type, 9);
	assert_int_equal(r.cycles, 7);
}

/* A foreign copy is looked at field by field. */
static void restored(void **state)
{
	struct ctr_hart h = ctr_hart_of(NOCC, false, 32);
	struct hs_ctr c = h.c;

	(void)state;
	assert_int_equal(hs_ctr_check(&c), HS_OK);
	c.wrptr = 16;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.depth = 5, hs_ctr_refresh(&c);
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.mctl = CLR_;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.entries[200].data = 1;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.entries[3].source = 1ull << 32;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.cycles = 4096;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c, c.mctl = M_;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	hs_ctr_refresh(&c);
	assert_int_equal(hs_ctr_check(&c), HS_OK);
	c = h.c, c.decisions.last = 255;
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c;
	memset(&c.ccv, 2, 1);
	assert_int_equal(hs_ctr_check(&c), HS_E_ARG);
	c = h.c;
	c.config.without |= 0x100;
	assert_int_equal(hs_ctr_check(&c), HS_E_CONFIG);
}

/* ENT-03: 1.0 zero-extends an explicit write; A9 keeps the upper half. */
static void narrow_writes(void **state)
{
	(void)state;
	for (unsigned keep = 0; keep < 2; keep++) {
		struct ctr_hart h = ctr_hart_of(keep ? A9 : FULL, false, 64);

		h.env.priv = PS;
		h.env.siselect = 0x200;
		assert_int_equal(hs_ctr_write(&h.c, &h.env, 0x151, 0x1122334455667789), HS_CTR_OK);
		h.env.xlen = 32;
		assert_int_equal(hs_ctr_write(&h.c, &h.env, 0x151, 0xfffffff1), HS_CTR_OK);
		assert_int_equal(hs_ctr_get_entry(&h.c, 0).source, keep ? 0x11223344fffffff1 : 0xfffffff1);
	}
}

/* A5: what a larger depth uncovers is legal and not what was there; what it kept is as it was. */
static void poisoned(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct ctr_hart h = ctr_hart_of(A5, i & 2, i & 1 ? 32 : 64);
		const struct step most = i & 2 ? (struct step)RW(PM, 0x15f, 4) : (struct step)W(PM, MC, M_ | DEPTH_(15));
		const struct step least = i & 2 ? (struct step)RW(PM, 0x15f, 0) : (struct step)W(PM, MC, M_);
		const struct step steps[] = { W(PM, MC, M_), most, W(PM, ST, 0), N(PM, 256), least, most, W(PM, ST, 0) };
		unsigned same = 0;

		for (unsigned n = 0; n < sizeof(steps) / sizeof(steps[0]); n++)
			ctr_step(&h, &steps[n]);
		for (unsigned n = 0; n < 256; n++) /* entry X is physical 255 - X */
			same += hs_ctr_get_entry(&h.c, 255 - n).source == 0x1001 + 2 * n;
		assert_int_equal(hs_ctr_check(&h.c), HS_OK);
		assert_int_equal(same, 16);
		assert_int_equal(hs_ctr_get_entry(&h.c, 240).source, 0x101f);
	}
}

/* ENT-02, ENT-03: a 32-bit mode's addresses are zero-extended also where valid addresses are short. */
static void narrow_records(void **state)
{
	const struct hs_ctr_transfer t = { .source = 0x80000010, .target = 0xfffffffe, .type = 5, .xlen = 32 };
	struct hs_ctr_config k = ctr_config(FULL, false, 64);
	struct hs_ctr_env env = { .priv = PM };
	struct hs_ctr c;

	(void)state;
	k.va_bits = 20;
	assert_int_equal(hs_ctr_init(&c, &k), HS_OK);
	assert_int_equal(hs_ctr_write(&c, &env, 0x381, U_), HS_CTR_OK);
	hs_ctr_retire(&c, &t);
	assert_int_equal(hs_ctr_get_entry(&c, 0).source, 0x80000011);
	assert_int_equal(hs_ctr_get_entry(&c, 0).target, 0xfffffffe);
	assert_int_equal(hs_ctr_check(&c), HS_OK);
}

int main(void)
{
	enum { COUNT_ROWS = sizeof(rows) / sizeof(rows[0]) };
	static const struct CMUnitTest more[] = {
		{ "CYC-01 cycle codes", cycle_codes, NULL, NULL, NULL },
		{ "ENT-06 jump types", jump_types, NULL, NULL, NULL },
		{ "ENT-06 RV32-06 PMT-11 types of instructions", insn_types, NULL, NULL, NULL },
		{ "REG-17 EXT-06 CYC-02 configurations", configurations, NULL, NULL, NULL },
		{ "CYC-02 REG-04 the default configuration", default_config, NULL, NULL, NULL },
		{ "ENT-01 ENT-04 ENT-06 a decoded entry", decoded_entry, NULL, NULL, NULL },
		{ "restored", restored, NULL, NULL, NULL },
		{ "ENT-03 A9 narrow writes", narrow_writes, NULL, NULL, NULL },
		{ "ENT-02 ENT-03 narrow records", narrow_records, NULL, NULL, NULL },
		{ "V1-04 A5 poisoned entries", poisoned, NULL, NULL, NULL },
	};
	enum { MORE = sizeof(more) / sizeof(more[0]) };
	struct CMUnitTest tests[COUNT_ROWS + MORE];

	for (size_t i = 0; i < COUNT_ROWS; i++)
		tests[i] = (struct CMUnitTest){ rows[i].name, ctr_run_row, NULL, NULL, (void *)(uintptr_t)&rows[i] };
	memcpy(tests + COUNT_ROWS, more, sizeof(more));
	return _cmocka_run_group_tests("ctr_behavior", tests, COUNT_ROWS + MORE, NULL, NULL);
}
