"""calls.py CALLS LOG...: is each function called as often as the program logged that it was?

CALLS is what `hartscope calls --json` printed: its instructions are those in all nodes, too.  Or
`hartscope report --json`, with all functions.
"""
import collections
import json
import sys

from whole import as_numbers


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        tree = json.load(text, object_hook=as_numbers)
    entered = collections.Counter()
    for name in sys.argv[2:]:
        with open(name, encoding="ascii") as log:
            entered.update(int(line.split()[-1], 16) for line in log)
    called = collections.Counter()
    nodes = tree["calls"] if "calls" in tree else tree["functions"]
    for node in nodes:
        if int(node.get("start", "0x0"), 16) in entered:
            called[int(node["start"], 16)] += node["calls"]
    for function in sorted(entered):
        if called[function] != entered[function]:
            numbers = (function, called[function], entered[function])
            print("  %x: %d calls, entered %d times" % numbers)
    inside = sum(node["self"] for node in nodes)
    outermost = inside
    if "calls" in tree:
        outermost = sum(node["total"] for node in nodes if node["depth"] == 0)
    print("%d functions, %d calls, %d instructions" % (len(entered), sum(called.values()), inside))
    return called != entered or not entered or not inside == outermost == tree["instructions"]


sys.exit(main())
