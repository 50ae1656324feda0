"""coverage_levels.py FOLDER GCOV.json OURS.json PROGRAM LEVEL: is the coverage of a program that
the compiler optimised that of gcov, but for the rules of docs/cli/coverage.md?

FOLDER has the sources.  GCOV.json is of a build with counters, OURS.json of PROGRAM, which has
none.  A difference needs a reason that others' tools give: the line table and the inlined functions
as objdump reads them, the symbols of nm, and gcov's own numbers.  What has none is an error; so is
a level at which too few lines and branches are equal.
"""
import json
import os
import re
import sys
from collections import Counter

from coverage import BRACE, CLASS, LABEL
from line_table import base_name, called_in, inlined_of, marks_of, symbols_of

PLAIN = ("O0",)
# Least shares, in percent, of lines that both have, and of lines with branches, that are equal.
LEAST = {"O0": (99, 99), "Og": (96, 90), "O1": (94, 38), "O2": (93, 34), "Os": (96, 45)}
# GCC 14 knows more first tests, and the results of functions: of 93 lines with branches 30.
LEAST_14 = LEAST | {"O2": (93, 32)}


def least_of(gcov, level):
    """The least shares for the compiler that gcov's JSON names."""
    version = int(next(documents(gcov))["gcc_version"].split(".")[0])
    return (LEAST_14 if version >= 14 else LEAST)[level]


def documents(path):
    """The JSON of each object file, one after the other."""
    with open(path, encoding="utf-8") as f:
        text = f.read().strip()
    while text:
        document, end = json.JSONDecoder().raw_decode(text)
        yield document
        text = text[end:].lstrip()


def load(path, sources):
    """Lines (count, branches, functions) and functions (executions, line, last line, symbol)."""
    lines, functions = {}, {}
    for document in documents(path):
        for file in document["files"]:
            name = os.path.basename(file["file"])
            if name not in sources:
                continue
            for line in file["lines"]:
                known = lines.setdefault((name, line["line_number"]), [0, [], set()])
                known[0] += line["count"]
                known[1] += line["branches"]
                known[2].add(line.get("function_name"))
            for f in file["functions"]:
                known = functions.setdefault((name, f["start_line"], f["demangled_name"]),
                                             [0, f["start_line"], f["end_line"], f["name"]])
                known[0] += f["execution_count"]
    return lines, functions


def pairs(branches):
    """The counts of both directions of each condition, smaller first; calls that throw are none."""
    counts = [b["count"] for b, after in zip(branches, branches[1:] + [{"throw": False}])
              if not b["throw"] and not after["throw"]]
    return sorted(tuple(sorted(counts[i:i + 2])) for i in range(0, len(counts), 2))


class Comparison:
    def __init__(self, folder, gcov, ours, program, level):
        self.level = level
        self.sources = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                self.sources[name] = [""] + f.read().split("\n")
        self.gcov, self.gcov_functions = load(gcov, self.sources)
        self.ours, self.our_functions = load(ours, self.sources)
        self.marks, self.together = marks_of(program)
        self.inlined, self.calls = inlined_of(program)
        self.symbols = symbols_of(program)
        self.called = called_in(program)
        self.changed = self.changed_functions()
        self.rules = Counter()
        self.wrong = []

    def changed_functions(self):
        """Functions in which some line has another number of conditional branches."""
        found = set()
        for at in self.gcov.keys() | self.ours.keys():
            both = self.gcov.get(at, [0, [], set()]), self.ours.get(at, [0, [], set()])
            if len(pairs(both[0][1])) != len(pairs(both[1][1])):
                found |= {(at[0], f) for line in both for f in line[2]}
        return found

    def around(self, at):
        """The functions of gcov around a line."""
        return [(symbol, begin, end)
                for key, (_, begin, end, symbol) in self.gcov_functions.items()
                if key[0] == at[0] and begin <= at[1] <= end]

    def lacks_marks(self, at):
        """Is there a copy of a function in which nothing of a line begins?"""
        addresses = [int(a, 16) for a in self.marks[at]]
        return any(not any(start <= a < start + size for a in addresses)
                   for symbol, _, _ in self.around(at)
                   for start, size in self.symbols.get(base_name(symbol), []))

    def is_computed(self, symbols):
        """Are there functions of these that nothing calls, and no others?"""
        names = {base_name(symbol) for symbol in symbols}
        return bool(names) and names <= self.symbols.keys() and not names & self.called

    def begins_loop(self, at, times):
        """Is it a loop that control came to so often by the last condition before it?"""
        before = [line for name, line in self.gcov
                  if name == at[0] and line < at[1] and pairs(self.gcov[name, line][1])]
        return re.search(r"\b(for|while)\b", self.sources[at[0]][at[1]]) and before and \
            any(times in pair for pair in pairs(self.gcov[at[0], max(before)][1]))

    def becomes_loop(self, name, begin, end):
        """Does a function call itself?  Then one of its calls may be a jump."""
        text = "\n".join(self.sources[name][begin + 1:end])
        return any(re.search(r"\b%s\(" % re.escape(symbol), text)
                   for symbol, *_ in self.around((name, begin)))

    def plain_rule(self, at, text, gcov, ours):
        """The reason of a difference in a program that was not optimised."""
        if ours is None:
            return "label" if LABEL.match(text) or not self.marks[at] else None
        if BRACE.match(text):
            return "brace"
        if CLASS.match(text):
            return "class"
        if gcov and any(at[1] in (begin, end) and len(self.around(at)) > 1
                        for _, begin, end in self.around(at)):
            return "several functions"
        return None

    def rule(self, at, gcov, ours):
        """The reason of a difference in optimised code."""
        text = self.sources[at[0]][at[1]]
        if ours is None:
            return "removed" if not self.marks[at] else None
        if gcov is None:
            return "class" if CLASS.match(text) else "brace" if BRACE.match(text) else None
        if not ours[0] and self.is_computed({symbol for symbol, _, _ in self.around(at)}):
            return "computed"
        if at[1] in self.calls or any(begin in self.inlined for _, begin, _ in self.around(at)):
            return "inlined"
        if BRACE.match(text):
            return "brace"
        if self.lacks_marks(at):
            return "removed"
        if any(self.becomes_loop(at[0], begin, end) for _, begin, end in self.around(at)):
            return "loop of calls"
        entries = gcov[0] - ours[0]
        if pairs(ours[1]) and (any(entries in pair for pair in pairs(gcov[1])) or
                               self.begins_loop(at, entries)):
            return "first test"
        if any(other != at and other in self.gcov and self.gcov[other][0] != gcov[0]
               for address in self.marks[at] for other in self.together[address]):
            return "together"
        if entries >= 0 and any((at[0], f) in self.changed for f in gcov[2] | ours[2]):
            return "conditions"
        return None

    def compare_lines(self):
        equal = both = 0
        for at in sorted(self.gcov.keys() | self.ours.keys()):
            gcov, ours = self.gcov.get(at), self.ours.get(at)
            if gcov and ours and gcov[0] == ours[0]:
                equal += 1
                both += 1
                continue
            text = self.sources[at[0]][at[1]]
            rule = self.plain_rule(at, text, gcov, ours) if self.level in PLAIN else \
                self.rule(at, gcov, ours)
            both += bool(gcov and ours and rule != "computed")
            self.rules["line: " + rule if rule else "line"] += 1
            if not rule:
                self.wrong.append((at, text, gcov and gcov[0], ours and ours[0]))
        return equal, both

    def compare_branches(self):
        equal = both = 0
        for at in sorted(self.gcov.keys() & self.ours.keys()):
            gcov, ours = pairs(self.gcov[at][1]), pairs(self.ours[at][1])
            text = self.sources[at[0]][at[1]]
            if re.search(r"\b(switch|catch)\b", text) or not (gcov or ours):
                continue
            if self.level not in PLAIN and gcov != ours and \
                    self.rule(at, self.gcov[at], self.ours[at]) == "computed":
                continue
            both += 1
            equal += gcov == ours
            if gcov == ours:
                continue
            if len(gcov) != len(ours):
                rule = "conditions" if self.level not in PLAIN or "?" in text else None
            else:  # a way that is known, or that has a copy elsewhere, is not counted here
                less = all(o[0] <= g[0] and o[1] <= g[1] for g, o in zip(gcov, ours))
                rule = "first test" if less and self.level not in PLAIN else None
                rule = rule or self.rule(at, self.gcov[at], self.ours[at])
            self.rules["branch: " + rule if rule else "branch"] += 1
            if not rule:
                self.wrong.append((at, text, gcov, ours))
        return equal, both

    def compare_functions(self):
        equal = 0
        for key in sorted(self.gcov_functions.keys() | self.our_functions.keys()):
            gcov, ours = self.gcov_functions.get(key), self.our_functions.get(key)
            if gcov and ours and gcov[:2] == ours[:2]:
                equal += 1
                continue
            rule = None
            if not ours:
                rule = None if self.symbols.get(base_name(gcov[3])) else "inlined"
            elif not gcov:
                rule = "class" if CLASS.match(self.sources[key[0]][ours[1]]) else None
            elif not ours[0] and self.is_computed({gcov[3]}):
                rule = "computed"
            elif ours[0] < gcov[0] and gcov[1] in self.inlined:
                rule = "inlined"
            elif ours[0] < gcov[0] and self.becomes_loop(key[0], gcov[1], gcov[2]):
                rule = "loop of calls"
            self.rules["function: " + rule if rule else "function"] += 1
            if not rule:
                self.wrong.append((key, gcov, ours))
        return equal


def main():
    c = Comparison(*sys.argv[1:])
    lines, both_lines = c.compare_lines()
    branches, both_branches = c.compare_branches()
    functions = c.compare_functions()
    for wrong in c.wrong:
        print(*wrong)
    least = least_of(sys.argv[2], c.level)
    low = 100 * lines < least[0] * both_lines or 100 * branches < least[1] * both_branches
    print("by rule:", ", ".join("%d %s" % (n, rule) for rule, n in sorted(c.rules.items())))
    print("%d of %d lines, %d of %d with branches, %d functions are equal%s" %
          (lines, both_lines, branches, both_branches, functions, ": too few" if low else ""))
    return bool(c.wrong) or low


sys.exit(main())
