"""libraries.py VIEW.json FOLDER PROGRAM: is the library of each function that a view names one of
which nm says that it has the function?  Names that several files have are left out."""
import collections
import json
import os
import subprocess
import sys

NAMES = ("libc.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-riscv64-lp64d.so.1")


def functions(path, dynamic):
    """The functions of a file, as people write them."""
    command = ["riscv64-linux-gnu-nm", "-C", "--defined-only"] + ["-D"] * dynamic + [path]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    return {line.split(" ", 2)[2].split("@")[0] for line in lines if line[17:18] in tuple("TtWw")}


def places(data):
    """Each function's name and library, of all lists."""
    for rows in data.values():
        for row in rows if isinstance(rows, list) else ():
            yield row.get("name"), row.get("library")
            yield row.get("caller"), row.get("callerLibrary")
            yield row.get("callee"), row.get("calleeLibrary")


def main():
    have = collections.defaultdict(set)
    for name in NAMES:
        path = os.path.join(sys.argv[2], name)
        for function in functions(path, True):
            have[function].add(os.path.basename(os.path.realpath(path)))
    program = os.path.basename(sys.argv[3])
    for function in functions(sys.argv[3], False):
        have[function].add(program)
    with open(sys.argv[1], encoding="utf-8") as f:
        found = [(f, library) for f, library in places(json.load(f)) if len(have[f]) == 1]
    wrong = {(f, library) for f, library in found if library not in have[f]}
    known = collections.Counter(library for _, library in found)
    print(wrong)
    print(", ".join("%d of %s" % (n, name) for name, n in sorted(known.items(), key=str)))
    return bool(wrong) or len(known) < 3 or not known[program]


sys.exit(main())
