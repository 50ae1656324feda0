"""cva6_insns.py DISASSEMBLY PCS: what tests/cli/cva6.py takes, of a run in user mode."""
import re
import sys

kinds, sizes = {}, {}
for line in open(sys.argv[1], encoding="utf-8"):
    m = re.match(r"\s*([0-9a-f]+):\t([0-9a-f]+)\s*\t(\S+)", line)
    if m:
        pc = int(m[1], 16)
        sizes[pc] = len(m[2]) // 2
        kinds[pc] = "b" if m[3].startswith("b") else "j" if m[3] in ("jalr", "jr", "ret") else "i"
pcs = [int(line, 16) for line in open(sys.argv[2], encoding="ascii")]
for pc, after in zip(pcs, pcs[1:]):
    kind = kinds[pc]
    if kind == "b" and after != pc + sizes[pc]:
        kind = "t"
    print(f"{pc:x} {kind} 0 0 0")
