"""stacks.py SKIPPED STACKS LOG...: is each stack that a program logged the one that the flow has?

A log has the functions that were instrumented only; what else is open is left out of STACKS.
Where the first SKIPPED blocks are not in the flow, it has the last stacks of each log, and of each
the innermost part.
"""
import sys

MOST_UNSURE = 9  # where a coroutine goes on and another one waits at the same address


def fits(whole, log, stack):
    """Is this stack the program's, or its innermost part?"""
    return stack is None or (log == stack if whole else stack and log[-len(stack):] == stack)


def read_stacks(name, known):
    """The stacks of each hart; None where the flow does not know which one it is."""
    harts = {}
    with open(name, encoding="ascii") as lines:
        for line in lines:
            hart, *frames = line.split()
            stack = None if hart.endswith("?") else [f for f in frames if f in known]
            harts.setdefault(hart.rstrip("?"), []).append(stack)
    return harts


def main():
    whole = sys.argv[1] == "0"
    logs = []
    for name in sys.argv[3:]:
        with open(name, encoding="ascii") as log:
            logs.append([line.split() for line in log])
    known = {function for log in logs for line in log for function in line}
    harts = read_stacks(sys.argv[2], known)
    bad = not harts
    for hart, stacks in harts.items():
        n = len(stacks)
        log = max(logs, key=lambda log: sum(fits(whole, a, b) for a, b in zip(log[-n:], stacks)))
        logs.remove(log)
        pairs = list(zip(log[-n:], stacks))
        wrong = [i for i, (a, b) in enumerate(pairs) if not fits(whole, a, b)]
        unsure = stacks.count(None)
        print("hart %s: %d stacks of %d, %d not sure, %d differ" %
              (hart, n, len(log), unsure, len(wrong)))
        for i in wrong[:3]:
            program, flow = (" ".join(stack) for stack in pairs[i])
            print("  number %d\n    program %s\n    flow    %s" % (i, program, flow))
        bad |= bool(wrong) or n > len(log) or (whole and n != len(log)) or unsure > MOST_UNSURE
    return bad or (whole and bool(logs))


sys.exit(main())
