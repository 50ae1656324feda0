"""stacks.py SKIPPED STACKS LOG...: is each stack that a program logged the one that the flow has?

A log has the functions that were instrumented only; what else is open is left out of STACKS.
Where the first SKIPPED blocks are not in the flow, it has the last stacks of each log, and of each
the innermost part.  Of a stack that is not sure the frames after "?" are, and must be the
innermost part of the program's.
"""
import sys

MOST_UNSURE = 9  # of a whole flow: where a coroutine goes on and another waits at the same address
MOST_IN_PART = 0.6  # of the stacks of a flow that begins in the middle


def ends_with(log, stack):
    return not stack or log[-len(stack):] == stack


class Stack:
    """What the flow has where a function was entered."""

    def __init__(self, frames, known):
        begin = frames.index("?") if "?" in frames else 0
        self.is_sure = "?" not in frames
        self.all = [f for f in frames if f in known]
        self.sure = [f for f in frames[begin:] if f in known]

    def is_right(self, log, whole):
        """Is what is said to be sure the program's, or its innermost part?"""
        return log == self.all if whole and self.is_sure else ends_with(log, self.sure)


def read_stacks(name, known):
    harts = {}
    with open(name, encoding="ascii") as lines:
        for line in lines:
            hart, *frames = line.split()
            harts.setdefault(hart, []).append(Stack(frames, known))
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
        log = max(logs, key=lambda log: sum(ends_with(a, b.all) for a, b in zip(log[-n:], stacks)))
        logs.remove(log)
        pairs = list(zip(log[-n:], stacks))
        wrong = [i for i, (a, b) in enumerate(pairs) if not b.is_right(a, whole)]
        unsure = [(a, b) for a, b in pairs if not b.is_sure]
        print("hart %s: %d stacks of %d, %d sure in part (%d of them right as a whole), %d differ" %
              (hart, n, len(log), len(unsure), sum(ends_with(a, b.all) for a, b in unsure),
               len(wrong)))
        for i in wrong[:3]:
            program, flow = pairs[i]
            print("  number %d\n    program %s\n    flow    %s" %
                  (i, " ".join(program), " ".join(flow.all)))
        bad |= bool(wrong) or n > len(log) or (whole and n != len(log))
        bad |= len(unsure) > (MOST_UNSURE if whole else MOST_IN_PART * n)
    return bad or (whole and bool(logs))


sys.exit(main())
