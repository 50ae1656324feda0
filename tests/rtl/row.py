"""Two rows as `hartscope export --format port-hex --set port.slots=8` writes them: an idle one, and
one of the groups of an argument: row.py GROUPS

A group is "iretire iaddr itype ilastsize halted" in hexadecimal; groups are separated by commas.
illegal.txt has TEXT@GROUPS@what the monitor says."""
import sys

groups = [[int(v, 16) for v in group.split()] for group in sys.argv[1].split(",")]
groups += [[0] * 5] * (8 - len(groups))
iretire, iaddr, itype, ilastsize, halted = groups[0]
fields = [
    (iretire, 10), (0, 32), (0, 64), (3, 3), (iaddr, 64), (itype, 4), (ilastsize, 1), (halted, 1),
    (0, 1),
]
for iretire, iaddr, itype, ilastsize, _ in groups[1:]:
    fields += [(iretire, 10), (iaddr, 64), (itype, 4), (ilastsize, 1)]
row = 0
for value, width in fields:
    row = row << width | value
digits = (sum(width for _, width in fields) + 3) // 4
print(f"// iretire, cause, tval, priv ...\n{0:0{digits}x}\n{row:0{digits}x}")
