"""Two rows as `hartscope export --format port-hex --set port.slots=2` writes them: an idle one, and
one of the groups of an argument: row.py GROUPS

A group is "iretire iaddr itype ilastsize halted" in hexadecimal; groups are separated by commas.
illegal.txt has TEXT@GROUPS@what the monitor says."""
import sys

groups = [[int(v, 16) for v in group.split()] for group in sys.argv[1].split(",")]
iretire, iaddr, itype, ilastsize, halted = groups[0]
other = groups[1] if len(groups) > 1 else [0] * 5
fields = [
    (iretire, 10), (0, 32), (0, 64), (3, 3), (iaddr, 64), (itype, 4), (ilastsize, 1), (halted, 1),
    (0, 1), (other[0], 10), (other[1], 64), (other[2], 4), (other[3], 1),
]
row = 0
for value, width in fields:
    row = row << width | value
print(f"// iretire, cause, tval, priv ...\n{0:065x}\n{row:065x}")
