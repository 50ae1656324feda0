"""Checks for explain.sh.
  clauses FILE.def... MAP   each clause of a rule is one of the specification map
  flow DUMP LIST            `dump --resolve --json` of a trace, `list --json` of the recording
  rows EXPLAINED CSV        `explain --json --rows CSV`: are the blocks in the rows that it says?
"""
import csv
import json
import re
import sys

CLAUSE = re.compile(r'"((?:NT |ET |PT |design/)[^"]*)",\s*"')


def clauses(tables, spec_map):
    with open(spec_map, encoding="utf-8") as f:
        text = f.read()
    cells = {row.split("|")[1].strip() for row in text.splitlines() if row.startswith("| ")}
    found = 0
    for path in tables:
        with open(path, encoding="utf-8") as f:
            rows = [line for line in f.read().split("HS_")[1:]]
        for row in rows:
            for clause in CLAUSE.findall(row):
                if re.fullmatch(r"PT \d", clause):
                    continue  # of which text the packet is
                found += 1
                title = clause.split(" ", 1)[-1]
                if not (clause in text or any(title in cell for cell in cells)):
                    print("not in the map:", clause)
    print(found > 90)


def flow(dumped, listed):
    with open(listed, encoding="utf-8") as f:
        ran = [json.loads(line) for line in f]
    ran = [(int(i["pc"], 16), i["size"] // 2) for i in ran if "pc" in i and "size" in i]
    at = 0
    with open(dumped, encoding="utf-8") as f:
        flows = [json.loads(line).get("flow", {}) for line in f]
    for led in flows:
        left = int(led.get("halfwords", 0))
        if not left:
            continue
        if ran[at][0] != int(led["first"], 16):
            print("the next instruction is another one:", led)
        while left > 0:
            left -= ran[at][1]
            at += 1
        if left or ran[at - 1][0] != int(led["source"], 16):
            print("the last instruction is another one:", led)
        if at < len(ran) and ran[at][0] != int(led["destination"], 16):
            print("the flow went elsewhere:", led)
    print("all" if at == len(ran) else f"{at} of {len(ran)}")


def address(row, slot):
    """Of the group in a slot; None: it is empty."""
    def of(name):
        return int(row.get(f"{name}_{slot}") or (slot == 0 and row.get(name)) or "0", 16)
    return of("iaddr") if of("iretire") or of("itype") or of("iexception") else None


def rows(explained, table):
    """Each block begins in its first row, and its last row has a part of it."""
    with open(table, encoding="utf-8") as f:
        lines = list(csv.DictReader(f))
    with open(explained, encoding="utf-8") as f:
        blocks = json.load(f)["blocks"]
    for block in blocks:
        first, last = block["firstRow"], block["lastRow"]
        start, end = int(block["start"], 16), int(block["last"], 16)
        for row in first, last:
            if int(row["line"]) != int(row["cycle"]) + 2:
                sys.exit(f"line of {row}")
        at = address(lines[int(first["cycle"])], first["slot"])
        to = address(lines[int(last["cycle"])], last["slot"])
        if at is None or to is None or not at <= start <= to <= end:
            sys.exit(f"{block}: the rows have {at} and {to}")
        if at != start and first != last:
            sys.exit(f"{block}: begins in the middle of a group")
    print("same")


if sys.argv[1] == "rows":
    rows(*sys.argv[2:])
elif sys.argv[1] == "clauses":
    clauses(sys.argv[2:-1], sys.argv[-1])
else:
    flow(*sys.argv[2:])
