#!/usr/bin/env python3
"""How much of this house a newcomer has to hold in mind, in figures.

usage: scripts/checks/house.py [BUILD]     a build folder (build), whose objects say who calls whom

A table: what is counted, the count, and the ceiling that is aimed at.  It fails nothing.
"""
import collections
import glob
import os
import re
import subprocess
import sys

# Ways to be given blocks by a source, besides its verbs.
DELIVERIES = ("next", "view", "count_runs", "count_blocks", "refer_runs", "share", "by_byte",
              "slice")


def files(*folders, ends=(".c", ".h", ".def", ".hpp")):
    for folder in folders:
        for path in glob.glob(f"{folder}/**", recursive=True):
            if path.endswith(ends):
                yield path


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def lines_of(*folders):
    ends = (".c", ".h", ".def", ".hpp", ".cc", ".sh", ".py", ".S", ".txt")
    return sum(text_of(path).count("\n") for path in files(*folders, ends=ends))


def exported():
    return len(re.findall(r"^\ths_\w+;", text_of("src/hartscope.map"), re.M))


def frozen():
    return len(subprocess.check_output(["scripts/checks/abi.sh", "names"]).split())


def struct_bodies():
    """Name, members and file of each struct that is written out in src and tools."""
    for path in files("src", "tools"):
        text = re.sub(r"/\*.*?\*/", "", text_of(path), flags=re.S)
        for m in re.finditer(r"^struct (\w+) \{\n(.*?)^\}", text, re.M | re.S):
            members = 0
            depth = 0
            for statement in re.split(r"(;|\{|\})", m.group(2)):
                if statement == "{":
                    depth += 1
                elif statement == "}":
                    depth -= 1
                elif statement == ";" and depth == 0:
                    members += 1
                elif depth == 0:
                    members += re.sub(r"\([^()]*\)", "", statement).count(",")
            yield members, m.group(1), path


def callbacks():
    """Of a protocol's codec and of its machines."""
    text = text_of("src/trace/codec.h")
    bodies = re.findall(r"^struct codec(?:_machine)? \{\n(.*?)^\}", text, re.M | re.S)
    return sum(len(re.findall(r"\(\*\w+\)\(", body)) for body in bodies)


def all_rooms():
    return [room for room in os.listdir("src") if os.path.isdir(f"src/{room}")]


def starters():
    """Files that start threads."""
    sources = files("src", "tools", "plugins", ends=(".c",))
    return [path for path in sources if "pthread_create(" in text_of(path)]


def calls(build):
    """{room: {file: files of that room whose functions it uses}}, from the libraries' objects."""
    defined, used = {}, collections.defaultdict(set)
    rooms = sorted(all_rooms(), key=len, reverse=True)
    for library in ("core", "host"):
        nm = ["nm", "-A", "-g", f"{build}/libhartscope-{library}.a"]
        out = subprocess.run(nm, capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            m = re.match(r".*?src_(\S+)\.c\.o:\s*[0-9a-f]*\s+(\w)\s+(\w+)", line)
            if not m:
                continue
            stem = m.group(1)
            room = next(room for room in rooms if stem.startswith(room + "_"))
            name = f"{room}/{stem[len(room) + 1:]}"
            if m.group(2) == "U":
                used[name].add(m.group(3))
            else:
                defined[m.group(3)] = name
    graph = collections.defaultdict(lambda: collections.defaultdict(set))
    for name, symbols in used.items():
        for symbol in symbols:
            other = defined.get(symbol)
            if other and other != name and other.split("/")[0] == name.split("/")[0]:
                graph[name.split("/")[0]][name].add(other)
    return graph


def cycles(graph):
    """The sets of files that reach each other, the largest first."""
    def reach(start):
        seen, todo = set(), list(graph.get(start, ()))
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += graph.get(at, ())
        return seen
    to = {name: reach(name) for name in list(graph)}
    found = {frozenset(o for o in seen if o == name or name in to.get(o, ()))
             for name, seen in to.items() if name in seen}
    return sorted(found, key=len, reverse=True)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    graph = calls(build)
    circles = sorted(((len(found[0]), room) for room, uses in graph.items()
                      if (found := cycles(uses))), reverse=True)
    members, struct, _ = max(struct_bodies())
    tools = " ".join(text_of(p) for p in files("tools"))
    rows = [
        ("exported functions", exported(), 260),
        ("of these frozen: the codec tier", frozen(), 90),
        ("installed headers", sum(1 for _ in files("include")), 30),
        ("callbacks of a protocol", callbacks(), 26),
        ("ways to be given blocks that tools/ names",
         sum(f"hs_source_{d}(" in tools for d in DELIVERIES), 3),
        ("files that call pthread_create", len(starters()), 2),
        ("rooms of src/", len(all_rooms()), 25),
        (f"largest cycle of files that call each other ({circles[0][1]})",
         circles[0][0], 5),
        ("lines of src, tools and include", lines_of("src", "tools", "include"), 135000),
        ("lines of tools", lines_of("tools"), 20000),
        ("lines of tests", lines_of("tests"), 98000),
        (f"members of the largest private struct ({struct})", members, 25),
    ]
    width = max(len(row[0]) for row in rows)
    for what, count, most in rows:
        print(f"{what:{width}}  {count:>9,}  at most {most:,}")
    print("cycles: " + ", ".join(f"{room} {n}" for n, room in circles[:8]))


if __name__ == "__main__":
    main()
