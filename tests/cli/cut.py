"""The PCs of a range, cut the slow way: cut.py LISTING PROGRAM [OPTION VALUE]...

LISTING is what "list --json" says of all of the flow.  A position is looked for instruction by
instruction, with a count of its own for each; the code of "insn:" is read from the listing's
sizes and the program's bytes (objcopy -O binary of .text at the lowest address).
"""
import json
import sys


def load(path):
    """Instructions with the time that was last reported on their hart, and its number there."""
    time, insns, hart = {}, [], 0
    with open(path, encoding="utf-8") as f:
        items = json.load(f)
    for item in items:
        hart = item.get("hart", hart)
        if item.get("event") == "time":
            time[hart] = int(item["value"], 0)
        if "pc" in item:
            item["time"] = time.get(hart, 0)
            insns.append(item)
    return insns


def is_at(item, text, code):
    if text.startswith("0x"):
        return item["pc"] == text
    if text.startswith("insn:"):
        at = int(item["pc"], 16)
        return code.get(at) == int(text[5:], 16)
    return item.get("function") == text and int(item["offset"]) == 0


def place(insns, text, code, start):
    """The index of a position; @start: of the one where the range begins, NONE for that one."""
    if text.isdigit():
        return int(text)
    name, _, count = text.partition("@")
    hits = [i for i, item in enumerate(insns) if is_at(item, name, code)]
    if count:
        return hits[int(count) - 1]
    return next(i for i in hits if start is None or i > start)


def is_in_time(item, options):
    low, high = options.get("--from", ""), options.get("--to", "")
    if low.startswith("time:") and item["time"] < int(low[5:]):
        return False
    return not (high.startswith("time:") and item["time"] >= int(high[5:]))


def main():
    insns = load(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as f:
        code = {int(at, 16): int(bits, 16) for at, bits in (line.split() for line in f)}
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    begin, end = 0, len(insns)
    if "--from" in options and not options["--from"].startswith("time:"):
        begin = place(insns, options["--from"], code, None)
    if "--to" in options and not options["--to"].startswith("time:"):
        end = place(insns, options["--to"], code, begin if "--from" in options else -1)
    if "--last" in options:
        begin = max(0, len(insns) - int(options["--last"]))
    for item in insns[begin:end]:
        if is_in_time(item, options) and options.get("--function", item.get("function")) == \
                item.get("function"):
            print(item["pc"][2:])


main()
