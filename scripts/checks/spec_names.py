"""What the rows of docs/spec-map.md name, looked up where the row says that it is.

A function is in the file that follows it ("f() in `file`"), or else in a room of its chapter. A
test or a row of tests is in the file that follows it, or in the files of the word before it ("port
rows ..."), or in those of its chapter. Kinds of lint have the clause of their row. Prints findings, and "ok" or "not ok" lines.
"""
import functools
import glob
import os
import re
import sys

MAP = "docs/spec-map.md"
UNIT = "tests/unit/"

# Chapter (how its heading begins): rooms of its code, files of its tests.
CHAPTERS = (
    ("RISC-V N-Trace", "ntrace flow core transport ingress source program recording",
     "ntrace_*.[ch] transport.c isa.c image.c"),
    ("RISC-V Trace Control Interface", "device transport inputs", "control*.c"),
    ("Processor Trace 0.026-DRAFT, chapters 2 to 4", "ingress etrace core trace program",
     "port.c port_rows.h qualifier.c"),
    ("Processor Trace 0.026-DRAFT, chapters 5 and 6", "etrace flow", "etrace_*.c"),
    ("Processor Trace 0.026-DRAFT, chapter 7", "etrace trace counts", "etrace_*.c"),
    ("Efficient Trace 2.0 and 1.1", "etrace flow", "etrace_*.c"),
    ("Efficient Trace 2.1", "etrace flow trace identify", "etrace_*.c"),
    ("SBI PMU", "pmu", "pmu_*.c"),
    ("CTR (Smctr/Ssctr", "ctr", "ctr*.c"),
    ("Flows, exports and dumps", "ctr_host", "ctr_replay.c"),
    ("Lock-step with QEMU", "", ""),
)

# A word before names of tests: their files. Words without files are of tests that have no rows.
WORDS = {
    "port": "port.c port_rows.h", "filter": "qualifier.c", "worked": "../vectors/etrace/*.txt",
    "read": "etrace_reader.c",
    "fault": "etrace_faults.c", "by hand": "etrace_fast.c", "control": "control.c", "sink": "control_sink.c",
    "dump": "control_dump.c", "device": "control_device.c", "conformance": "pmu_conformance.c",
    "round trip": "", "golden": "", "walks": "", "profile": "", "property": "", "reference": "", "vectors": "",
    "transitions": "", "fuzz target": "",
}
TOKEN = re.compile(r'`([^`]+)`|"([^"]+)"|\b(%s)\b|(;)|\bgaps? ([0-9][0-9, to]*)' %
                   "|".join(sorted(WORDS, key=len, reverse=True)))
PLACE = re.compile(r" (?:in|of) `([^`]+\.[a-z]+)`")
WORD_BYTES = bytes(byte if chr(byte).isalnum() and byte < 128 or chr(byte) in "_(" else ord(" ") for byte in range(256))
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')

status = 0


def verdict(rule, findings):
    """One line for a rule, after what breaks it."""
    global status
    for line in findings:
        print("  " + line)
    print("%s - %s" % ("not ok" if findings else "ok", rule))
    status = status or int(bool(findings))


@functools.lru_cache(maxsize=None)
def text_of(paths):
    """All that is in files."""
    out = []
    for path in paths:
        with open(path, encoding="utf-8") as source:
            out.append(source.read())
    return "\n".join(out)


@functools.lru_cache(maxsize=None)
def words_in(path):
    """Identifiers in a file, and those that a parenthesis follows, with it."""
    with open(path, "rb") as source:
        words = frozenset(source.read().replace(b"(", b"( ").translate(WORD_BYTES).decode().split())
    return words | frozenset(word[:-1] for word in words if word.endswith("("))


@functools.lru_cache(maxsize=None)
def words_of(paths):
    """Those of several files. Rooms share the public headers: each file is read once."""
    return frozenset().union(*map(words_in, paths))


@functools.lru_cache(maxsize=None)
def strings_of(paths):
    """Texts in files, and names of cases."""
    text = text_of(paths)
    return frozenset(LITERAL.findall(text)) | frozenset(re.findall(r"^case (.*)$", text, re.MULTILINE))


@functools.lru_cache(maxsize=None)
def room_files(rooms):
    """Sources of rooms, public headers and tables."""
    found = glob.glob("include/hartscope/**/*.h", recursive=True) + glob.glob("include/hartscope/tables/*.def")
    for room in rooms.split():
        found += glob.glob("src/%s/*.[ch]" % room) + glob.glob("src/%s/*.def" % room)
    return tuple(found)


@functools.lru_cache(maxsize=None)
def test_files(patterns):
    """Files of tests/unit by pattern."""
    return tuple(path for pattern in patterns.split() for path in glob.glob(UNIT + pattern))


def resolve(name, rooms):
    """The files that a cell's file name means: a path, or a name in a room of the chapter."""
    if "/" in name:
        return tuple(glob.glob(name))
    places = ["src/%s/" % room for room in rooms.split()] + ["include/hartscope/", "include/hartscope/tables/"]
    return tuple(path for place in places for path in glob.glob(place + name))


def rows():
    """(line number, heading, cells) of each row of a table that has code and tests."""
    heading, columns = "", 0
    with open(MAP, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            if line.startswith("#"):
                heading, columns = line.strip("# \n"), 0
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not line.startswith("|"):
                columns = 0
            elif columns == 0:
                columns = len(cells)
            elif not cells[0].startswith("--"):
                yield number, heading, cells


def check_code(cell, rooms):
    """What a cell names of the code and that is not there."""
    for item in re.finditer(r"`([^`]+)`", cell):
        name, place = item.group(1), PLACE.match(cell, item.end())
        function = re.fullmatch(r"([a-z_0-9]+)\(\)", name)
        if re.fullmatch(r"[\w*/.-]+\.(c|h|def|sh|py)", name):
            if not resolve(name, rooms):
                yield "no file %s" % name
            continue
        where = resolve(place.group(1), rooms) if place else room_files(rooms)
        if function and name[:-1] not in words_of(where):
            yield "%s is not in %s" % (name, place.group(1) if place else "a room of this chapter")
        if re.fullmatch(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+", name) and name not in words_of(where):
            yield "%s is not in %s" % (name, place.group(1) if place else "a room of this chapter")


def matches(name, paths):
    """Is there a row, case or test of this name?  "..." is any text."""
    pattern = ".*".join(map(re.escape, name.replace(" ...", "...").split("..."))) + (".*" if "..." in name else "")
    if any(path.endswith("pmu_conformance.c") for path in paths):
        pattern = ".*%s.*" % pattern
    return name in words_of(paths) or any(re.fullmatch(pattern, one) for one in strings_of(paths))


def check_tests(cell, files):
    """What a cell names of the tests and that is not there."""
    where = files
    for item in TOKEN.finditer(cell):
        code, quoted, word, semicolon, gaps = item.groups()
        name = code or quoted
        if semicolon:
            where = files
        elif word:
            where = test_files(WORDS[word])
        elif gaps:
            for first, last in re.findall(r"(\d+)(?: to (\d+))?", gaps):
                for gap in range(int(first), int(last or first) + 1):
                    if not matches("gap %d: ..." % gap, (UNIT + "pmu_gaps.c",)):
                        yield "gap %d is not in %spmu_gaps.c" % (gap, UNIT)
        elif name and "/" not in name:
            place = PLACE.match(cell, item.end())
            paths = tuple(glob.glob(place.group(1))) if place else where
            if code and (not where or not re.fullmatch(r"[a-z_0-9]+(\(\))?", code)):
                continue
            if paths and not matches(name.replace("()", ""), paths):
                yield "%s is not in %s" % (item.group(0), place.group(1) if place else " ".join(paths))


# Tables of kinds by the heading of their chapter in the map, and what clauses begin with there.
LINT = {
    "What lint forbids in N-Trace": ("src/ntrace/nt_findings.def", "NT "),
    "What lint forbids in E-Trace": ("src/etrace/et_findings.def", ""),
}


def check_kinds(heading, path, prefix):
    """Kinds of one table of findings and of its chapter, with their clauses."""
    table, listed = {}, {}
    with open(path, encoding="utf-8") as source:
        for name, clause in re.findall(r'_FINDING\(\w+,[^"]*"([^"]+)",[^"]*"%s([^"]+)"' % prefix, source.read()):
            table[name] = clause
    for number, chapter, cells in rows():
        if chapter != heading:
            continue
        for name in re.findall(r"`([^`]+)`", cells[1]):
            listed[name] = "%s:%d" % (MAP, number)
            if name not in table:
                yield "%s:%d: no kind %s" % (MAP, number, name)
            elif table[name] != cells[0]:
                yield "%s:%d: %s is of clause %s" % (MAP, number, name, table[name])
    for name in table:
        if name not in listed:
            yield "%s: %s is not listed" % (MAP, name)


def check_lint():
    """Kinds of the tables of findings and of the map, with their clauses."""
    for heading, (path, prefix) in LINT.items():
        yield from check_kinds(heading, path, prefix)


def main():
    code, tests, seen = [], [], set()
    for number, heading, cells in rows():
        for begins, rooms, files in CHAPTERS:
            if heading.startswith(begins) and len(cells) >= 4:
                seen.add(begins)
                code += ["%s:%d: %s" % (MAP, number, what) for what in check_code(cells[2], rooms)]
                if not heading.startswith("CTR"):
                    tests += ["%s:%d: %s" % (MAP, number, what) for what in check_tests(cells[3], test_files(files))]
    verdict("names of the map's code are in the file or chapter that the row names", code)
    verdict("names of the map's tests are in the file or chapter that the row names", tests)
    verdict("kinds of lint in the map are those of the table, by clause", list(check_lint()))
    verdict("each chapter of the map is known to scripts/checks/spec_names.py",
            [begins for begins, rooms, _ in CHAPTERS if rooms and begins not in seen] +
            sorted({heading for _, heading, cells in rows() if len(cells) >= 4 and
                    not any(heading.startswith(begins) for begins, _, _ in CHAPTERS)}))
    return status


sys.exit(main())
