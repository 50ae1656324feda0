"""Look at a run, cell by cell: look.ipynb has the same cells as a notebook.

    look.py RECORDING
"""
# %% A recording, a decoded flow or a trace (then with elf="app.elf")
import os
import sys

import numpy as np

import hartscope

run = hartscope.open(os.environ.get("RECORDING", sys.argv[-1]))

# %% Where the time went: the ten functions with the most instructions in themselves
functions = sorted(run.functions(), key=lambda f: -f.self_instructions)
total = sum(f.self_instructions for f in functions)
for f in functions[:10]:
    print(f"{f.self_instructions / total:6.1%} {f.calls:>10,} calls  {f.name or '(no symbol)'}")

# %% Which branches are hard to predict: taken about as often as not
taken, passed = {}, {}
for items in run.blocks():
    branches = items[items["kind"] == hartscope.Kind.BLOCK]
    at = branches["iaddr"] + 2 * (branches["iretire"].astype(np.uint64) - branches["ilast"])
    for counts, itype in (taken, hartscope.Itype.TAKEN), (passed, hartscope.Itype.NOT_TAKEN):
        where, n = np.unique(at[branches["itype"] == itype], return_counts=True)
        for address, count in zip(where.tolist(), n.tolist()):
            counts[address] = counts.get(address, 0) + count
worst = sorted(taken, key=lambda a: -min(taken[a], passed.get(a, 0)))
for address in worst[:5]:
    place = run.place(address)
    print(f"{taken[address]:>10,} taken {passed.get(address, 0):>10,} not  {address:#x} "
          f"{place.function}+{place.offset:#x} {place.file or ''}:{place.line}")

# %% The longest calls, of all of them in an array; tables.frame("calls") is a pandas.DataFrame
tables = run.tables(calls=True)
names = tables.names(tables.nodes["name"])
longest = np.argsort(tables.calls["start"].astype(np.int64) - tables.calls["end"].astype(np.int64))
for call in tables.calls[longest[:5]]:
    print(f"{call['end'] - call['start']:>12,} instructions from {call['start']:,}: "
          f"{names[call['node']]}")

# %% The end
run.close()
