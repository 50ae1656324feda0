"""Random calls of the Python module: random_calls.py RECORDING TRACE ELF CALLS SEED.

Each call returns or raises what Python raises for a wrong argument, RuntimeError for a run that
was read again, or hartscope.Error: the interpreter never ends.  Arrays are looked at after their
run was closed, and other threads use the same runs.
"""

import faulthandler
import random
import sys
import threading

import hartscope

ALLOWED = (hartscope.Error, TypeError, ValueError, OverflowError, RuntimeError, AttributeError)
NAMES = ("elf", "protocol", "config", "settings", "transport", "hart", "start", "end", "function",
         "names", "threads")


class Calls:
    """What random calls have made so far."""

    def __init__(self, files, seed):
        self.files = files
        self.random = random.Random(seed)
        self.runs, self.readers, self.arrays = [], [], []

    def value(self):
        """Anything."""
        some = self.random
        return some.choice([
            None, 0, -1, 1, 2 ** 31, 2 ** 64, 1.5, True, "", "a\0b", "main", "etrace", "raw", "0",
            "1000000", b"\xff", [], [None], [1], ["x"], {}, {"trTeInstMode": "btm"}, {None: 1},
            {"xlen": None}, object(), "\ud800", "x" * 5000, some.choice(self.files)])

    def open(self):
        """A run of a file, with arguments that are mostly wrong."""
        some = self.random
        given = {some.choice(NAMES): self.value() for _ in range(some.choice([0, 0, 1, 1, 2]))}
        if isinstance(given.get("threads"), int) and given["threads"] > 2:
            del given["threads"]
        name = some.choice(self.files) if some.random() < 0.9 else self.value()
        run = hartscope.open(name, **given)
        self.runs = [*self.runs[-5:], run]

    def run(self):
        """One of the last ones."""
        return self.random.choice(self.runs)

    def read(self):
        """Begin to read, or read on."""
        if not self.readers or self.random.random() < 0.3:
            self.readers = [*self.readers[-3:], self.run().blocks()]
        array = next(self.random.choice(self.readers), None)
        if array is not None:
            self.arrays = [*self.arrays[-5:], array]

    def look(self):
        """At an array, whatever became of its run."""
        array = self.random.choice(self.arrays)
        return int(array["iaddr"].sum() & 0xffff) + len(array.tobytes())

    def ask(self):
        """A run, something."""
        run, value = self.run(), self.value()
        what = self.random.choice([
            lambda: run.harts, lambda: run.place(value), lambda: run.source_line(value, 1),
            lambda: run.source_line("a", value), lambda: run.profile(value), run.profile,
            lambda: run.compare(self.run()), lambda: run.compare(value), run.calls,
            lambda: run.compare(run, gaps=True), run.functions, run.call_tree, run.__enter__])
        return what()

    def close(self):
        """A run that may be in use."""
        if self.random.random() < 0.3:
            self.run().close()

    def one(self):
        """A call."""
        try:
            self.random.choice([self.open, self.read, self.look, self.ask, self.ask,
                                self.close])()
        except (IndexError, *ALLOWED):
            pass


def main():
    """Calls, of which some are made by other threads."""
    faulthandler.enable()
    calls, seed = int(sys.argv[4]), int(sys.argv[5])
    state = Calls(sys.argv[1:4], seed)
    for _ in range(calls // 20):
        for _ in range(16):
            state.one()
        others = [threading.Thread(target=state.one) for _ in range(2)]
        for other in others:
            other.start()
        state.one()
        state.one()
        for other in others:
            other.join()
    print(f"{calls} calls")


main()
