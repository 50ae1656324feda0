"""A part, cut the slow way: range_options.py LISTING CODE KNOWN [OPTION VALUE]...

Prints how many instructions it has, how many distinct ones, traps, and instructions of a function;
then the PCs.

LISTING is what "list --json" says of all of the flow, of which only addresses, names, harts and
events are used.  CODE has lines "ADDRESS BITS" of the program.  KNOWN has what the test knows of
it: first "function NAME", then lines "process NAME CONTEXT", "thread NAME FROM TO" (times),
"mode NAME LOW HIGH" (addresses) and "byte OFFSET COUNT" (instructions of the bytes before it).
"""
import json
import sys


def load(path, code):
    """Instructions: hart, number of an ecall, last time and context, and a trap's handler."""
    insns, time, context, a7, last = [], {}, {}, {}, {}
    with open(path, encoding="utf-8") as f:
        items = [json.loads(line) for line in f]
    hart = 0
    for item in items:
        hart = item.get("hart", hart)
        if item.get("event") == "hart":
            hart = int(item["arg"])
        elif item.get("event") == "time":
            time[hart] = int(item["value"], 0)
        elif item.get("event") == "context" and int(item["arg"]) == 2:  # else of a mode
            context[hart] = int(item["value"], 0)
        elif item.get("event") == "note" and int(item["arg"]) == 21 and hart in last:
            last[hart]["ends"] = int(item["value"], 0) in (93, 94)  # its call does not return
        if "pc" not in item:
            continue
        at = int(item["pc"], 16)
        if item["text"].startswith("li a7, "):
            a7[hart] = int(item["text"][7:], 0)
        insn = {"pc": at, "hart": hart, "time": time.get(hart, 0),
                "trap": item.get("end") in ("exception", "interrupt"),
                "context": context.get(hart), "function": item.get("function"),
                "first": int(item.get("offset", 1)) == 0, "bits": code[at],
                "number": a7.get(hart) if code[at] == 0x73 else None, "handler": None,
                "ends": False}
        if hart in last and last[hart]["trap"]:
            last[hart]["handler"] = insn
        last[hart] = insn
        insns.append(insn)
    return insns


def is_selected(insn, option, value, known):
    if option == "--hart":
        return insn["hart"] == int(value)
    rows = [row for row in known if row[0] == option[2:] and row[1] == value]
    if option == "--thread" and not rows:
        return insn["hart"] == int(value)
    low, high = (int(x, 0) for x in (rows[0] + rows[0][2:])[2:4])
    if option == "--process":
        return insn["context"] == low
    return low <= insn["time" if option == "--thread" else "pc"] < high


def is_at(insn, text):
    kind, _, value = text.partition(":")
    if kind == "ecall":
        return insn["number"] == int(value)
    if kind == "insn":
        return insn["bits"] == int(value, 16)
    if text.startswith("0x"):
        return insn["pc"] == int(text, 16)
    return insn["function"] == text and insn["first"]


def place(insns, text, start, known):
    if text.isdigit():
        return int(text)
    if text.startswith("byte:"):
        return next(int(row[2]) for row in known if row[:2] == ["byte", text[5:]])
    name, _, count = text.partition("@")
    hits = [i for i, insn in enumerate(insns) if is_at(insn, name)]
    return hits[int(count) - 1] if count else next(i for i in hits if start is None or i > start)


def cut(insns, options, known):
    low, high = options.get("--from", "0"), options.get("--to")
    begin, end = 0, len(insns)
    if "--last" in options:
        return insns[-int(options["--last"]):]
    if low.startswith("time:"):
        insns = [i for i in insns if i["time"] >= int(low[5:])]
        end = len(insns)
    else:
        begin = place(insns, low, None, known)
    if high and high.startswith("time:"):
        return [i for i in insns[begin:end] if i["time"] < int(high[5:])]
    return insns[begin:place(insns, high, begin, known) if high else end]


def main():
    with open(sys.argv[2], encoding="utf-8") as f:
        code = {int(at, 16): int(bits, 16) for at, bits in (line.split() for line in f)}
    with open(sys.argv[3], encoding="utf-8") as f:
        known = [line.split() for line in f]
    insns = load(sys.argv[1], code)
    options = dict(zip(sys.argv[4::2], sys.argv[5::2]))
    for option in ("--hart", "--process", "--thread", "--mode"):
        if option in options:
            insns = [i for i in insns if is_selected(i, option, options[option], known)]
    insns = cut(insns, options, known)
    if "--function" in options:
        insns = [i for i in insns if i["function"] == options["--function"]]
    part = {id(i) for i in insns}  # a trap is counted with its handler
    traps = sum(id(i["handler"]) in part or i["ends"] for i in insns)
    print(len(insns), len({i["pc"] for i in insns}), traps,
          sum(i["function"] == known[0][1] for i in insns))
    for i in insns:
        print(f'{i["pc"]:x}')


main()
