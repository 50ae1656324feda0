"""report.py LIST REPORT: counts the lines of `hartscope list --json` one by one, and compares.

Of each function that main() calls: instructions in it, in it and in what it called (a call of
itself within is a part of the outer one), and how often it was called.
"""
import collections
import json
import sys

from whole import as_numbers

OURS = ("main", "next", "fib", "is_even", "is_odd", "sum")


def lines(name):
    with open(name, encoding="utf-8") as text:
        for line in text:
            line = line.strip().rstrip(",")
            if line.startswith("{") and '"pc"' in line:
                yield json.loads(line, object_hook=as_numbers)


def count(name):
    own, total, calls = (collections.Counter() for _ in range(3))
    stack = [("",)]  # of each call its function, and those that it led to by jumps
    called = returned = jumped = False
    for at in lines(name):
        function = at.get("function", "")
        if called:
            stack.append((function,))
            calls[function] += 1
        elif jumped and function not in stack[-1] and int(at.get("offset", 1)) == 0:
            stack[-1] += (function,)  # glibc 2.41 jumps to main
            calls[function] += 1
        if returned and len(stack) > 1:
            stack.pop()
        own[function] += 1
        for outer in set().union(*stack):
            total[outer] += 1
        called = at.get("end", "").endswith("call")
        jumped = at.get("end", "").endswith("jump")
        returned = at.get("end", "") == "return"
    return own, total, calls


def main():
    own, total, calls = count(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as text:
        report = json.load(text, object_hook=as_numbers)
    got = {row["name"]: row for row in report["functions"]}
    bad = 0
    for name, instructions in own.items():
        row = got.get(name or "(no symbol)", {"self": 0})
        if row["self"] != instructions:
            print("  %s: self %d, listed %d" % (name, row["self"], instructions))
            bad += 1
    for name in OURS:
        want, have = (total[name], calls[name]), (got[name]["total"], got[name]["calls"])
        if want != have:
            print("  %s: total, calls %s, listed %s" % (name, have, want))
            bad += 1
    print("%d functions, %d instructions" % (len(own), sum(own.values())))
    return bad or not sum(own.values()) == report["instructions"] > 10000


sys.exit(main())
