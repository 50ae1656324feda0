#!/usr/bin/env python3
"""Compare an export with the tree of calls.

  exports.py FORMAT CALLS.json FILE
"""
import json
import re
import sys
from collections import Counter

form, calls, path = sys.argv[1:]
rows = json.load(open(calls))["calls"]


def number(v):
    return int(v)


def name_of(row):
    return row["start"] if row["name"] == "(no symbol)" else row["name"]


own = Counter()  # instructions by function
count = Counter()
edges = Counter()  # calls and instructions by caller and callee
above = []
for row in rows:
    name, depth = name_of(row), number(row["depth"])
    own[name] += number(row["self"])
    count[name] += number(row["calls"])
    above[depth:] = [name]
    if depth:
        edges[above[depth - 1], name] += number(row["total"])
own = Counter({k: v for k, v in own.items() if v})


def escaped(name):
    return re.sub(r"[\x00-\x1f\x7f]", lambda m: "\\x%02x" % ord(m.group()), name)


def callgrind():
    """The table of callgrind_annotate."""
    got = Counter()
    for line in open(path):
        row = re.match(r" *([0-9,]+) \( ?[0-9.]+%\)  (.*)$", line)
        if row and row.group(2) != "PROGRAM TOTALS":
            name = re.sub(r" \[[^]]*\]$", "", row.group(2))
            got[re.sub(r"^(/[^:]*|\?\?\?|[^:/ ]*\.[a-zA-Z]+):", "", name)] += int(
                row.group(1).replace(",", ""))
    return got, Counter({escaped(k): v for k, v in own.items()})


def call_edges():
    """Calls and what they cost, as the format has them."""
    names, got, times = {}, Counter(), Counter()
    lines = iter(open(path).read().split("\n"))
    for line in lines:
        row = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
        if row:
            names.setdefault(row.group(2), row.group(3))
            if row.group(1) == "fn":
                caller = names[row.group(2)]
            else:
                callee = names[row.group(2)]
        elif line.startswith("calls="):
            times[callee] += int(line[6:].split()[0])
            got[caller, callee] += int(next(lines).split()[1])
    outer = Counter()
    for row in rows:
        if not number(row["depth"]):
            outer[name_of(row)] += number(row["calls"])
    want = Counter({escaped(k): v for k, v in (count - outer).items()})
    same = {k: v for k, v in times.items() if want[k] != v}
    if same:
        print("calls differ:", list(same.items())[:5])
        sys.exit(1)
    want = Counter()
    for (a, b), v in edges.items():
        want[escaped(a), escaped(b)] += v
    return got, want


def folded():
    got = Counter()
    for line in open(path):
        stack, _, n = line.rstrip("\n").rpartition(" ")
        got[stack.rpartition(";")[2]] += int(n)
    want = Counter()
    for k, v in own.items():
        want[escaped(k).replace(";", "_")] += v
    return got, want


def chrome():
    """Each end fits the begin of its thread, and time only grows."""
    got, open_calls, last = Counter(), {}, {}
    for e in json.load(open(path))["traceEvents"]:
        key = e["pid"], e["tid"]
        if e["ph"] == "B":
            open_calls.setdefault(key, []).append(e["name"])
        elif e["ph"] == "E":
            got[open_calls[key].pop()] += int(e["args"]["self"])
        else:
            continue
        assert e["ts"] >= last.get(key, 0), e
        last[key] = e["ts"]
    assert not any(open_calls.values())
    return got, own


got, want = {"callgrind": callgrind, "edges": call_edges, "folded": folded,
             "chrome": chrome}[form]()
got = Counter({k: v for k, v in got.items() if v})
want = Counter({k: v for k, v in want.items() if v})
wrong = [(k, got[k], want[k]) for k in got.keys() | want.keys() if got[k] != want[k]]
for row in wrong[:10]:
    print(*row)
print(f"{len(want)} rows, {sum(want.values())} instructions, {len(wrong)} differ")
sys.exit(bool(wrong) or not want)
