#!/usr/bin/env python3
"""Compare an export with the tree of calls.

  exports.py FORMAT CALLS.json FILE
"""
import json
import re
import sqlite3
import sys
from collections import Counter

from whole import as_numbers

form, calls, path = sys.argv[1:]
rows = json.load(open(calls), object_hook=as_numbers)["calls"]


def number(v):
    return int(v)


def name_of(row):
    return row["start"] if row["name"] == "(no symbol)" else row["name"]


own = Counter()  # instructions by function
count = Counter()
total = Counter()  # and in what it called, recursion once; NAME'2: called while NAME is open
outermost = Counter()  # of the totals, without a caller
edges = Counter()  # instructions by caller and callee, of NAME'2 those of the outer calls
above = []         # functions, and their names with '2
for row in rows:
    name, depth = name_of(row), number(row["depth"])
    own[name] += number(row["self"])
    count[name] += number(row["calls"])
    del above[depth:]
    opened = sum(f == (name, row["start"]) for f, _ in above)
    again = name + ("'2" if opened else "")
    if opened < 2:
        total[again] += number(row["total"])
    if not depth:
        outermost[again] += number(row["total"])
    else:
        edges[above[depth - 1][1], again] += number(row["total"]) if opened < 2 else 0
    above.append(((name, row["start"]), again))
own = Counter({k: v for k, v in own.items() if v})


def escaped(name):
    return re.sub(r"[\x00-\x1f\x7f]", lambda m: "\\x%02x" % ord(m.group()), name)


def annotated():
    """The table of callgrind_annotate: names and numbers."""
    for line in open(path):
        row = re.match(r" *([0-9,]+) \( *([0-9.]+)%\)  (.*)$", line)
        if row and row.group(3) != "PROGRAM TOTALS":
            assert float(row.group(2)) <= 100, line
            name = re.sub(r" \[[^]]*\]$", "", row.group(3))
            yield (re.sub(r"^(/[^:]*|\?\?\?|[^:/ ]*\.[a-zA-Z]+):", "", name),
                   int(row.group(1).replace(",", "")))


def callgrind():
    got = Counter()
    for name, value in annotated():
        got[re.sub("'2$", "", name)] += value
    return got, Counter({escaped(k): v for k, v in own.items()})


def inclusive():
    """callgrind_annotate --inclusive=yes has the total of each function; of one that is called what
    its calls took, not what it took where it was outermost, too."""
    got = Counter()
    for name, value in annotated():
        got[name] += value
    called = {callee for _, callee in edges}
    return got, Counter({escaped(k): v - (outermost[k] if k in called else 0)
                         for k, v in total.items()})


def read_edges(file):
    """Caller, callee, calls and instructions, as the format has them."""
    names, lines = {}, iter(open(file).read().split("\n"))
    for line in lines:
        row = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
        if row:
            names.setdefault(row.group(2), row.group(3))
            if row.group(1) == "fn":
                caller = names[row.group(2)]
            else:
                callee = names[row.group(2)]
        elif line.startswith("calls="):
            yield caller, callee, int(line[6:].split()[0]), int(next(lines).split()[1])


def call_edges():
    got, times = Counter(), Counter()
    for caller, callee, calls, instructions in read_edges(path):
        times[re.sub("'2$", "", callee)] += calls
        got[caller, callee] += instructions
    outer = Counter()
    for row in rows:
        if not number(row["depth"]):
            outer[name_of(row)] += number(row["calls"])
    want = Counter({escaped(k): v for k, v in (count - outer).items()})
    same = {k: v for k, v in times.items() if want[k] != v}
    if same:
        print("calls differ:", list(same.items())[:5])
        sys.exit(1)
    want = Counter()
    for (a, b), v in edges.items():
        want[escaped(a), escaped(b)] += v
    return got, want


RECURSION = r"(main|leaf|fib|is_even|is_odd|north|east|south|west)('2)?"  # functions of recursion.c


def valgrind():
    """How often its functions call each other: as Valgrind has it for the same program, compiled
    for this machine."""
    found = []
    for file in path.split(","):
        found.append(Counter())
        for caller, callee, calls, _ in read_edges(file):
            if re.fullmatch(RECURSION, caller) and re.fullmatch(RECURSION, callee):
                found[-1][caller, callee] += calls
    return found


def folded():
    got = Counter()
    for line in open(path):
        stack, _, n = line.rstrip("\n").rpartition(" ")
        got[stack.rpartition(";")[2]] += int(n)
    want = Counter()
    for k, v in own.items():
        want[escaped(k).replace(";", "_")] += v
    return got, want


def chrome():
    """Each end has the name of the begin of its thread, and time only grows."""
    got, open_calls, last = Counter(), {}, {}
    for e in json.load(open(path))["traceEvents"]:
        key = e["pid"], e["tid"]
        if e["ph"] == "B":
            open_calls.setdefault(key, []).append(e["name"])
        elif e["ph"] == "E":
            assert open_calls[key].pop() == e["name"], e
            got[e["name"]] += int(e["args"]["self"])
        else:
            continue
        assert e["ts"] >= last.get(key, 0), e
        last[key] = e["ts"]
    assert not any(open_calls.values())
    return got, own


def speedscope():
    """Events nest, time only grows, and between two events the innermost frame runs."""
    got, file = Counter(), json.load(open(path))
    frames = file["shared"]["frames"]
    for profile in file["profiles"]:
        stack, now = [], 0
        for e in profile["events"]:
            assert e["at"] >= now, e
            if stack:
                got[frames[stack[-1]]["name"]] += e["at"] - now
            now = e["at"]
            if e["type"] == "O":
                stack.append(e["frame"])
            else:
                assert stack.pop() == e["frame"]
        assert not stack and now == profile["endValue"]
    return got, own


def perfetto():
    """The events of Chrome's format, as protoc reads them: its text, and that file.  Each is of a
    thread of a process; each trap is an instant, and counted."""
    text, chrome_path, traps = path.split(",")
    names, got, want = {}, Counter(), Counter()
    threads, processes, instants, counts = set(), set(), 0, {}
    for packet in open(text).read().split("packet {")[1:]:
        row = {k: v for k, v in re.findall(r"(\w+): (.*)", packet)}
        if "iid" in row:
            names[row["iid"]] = json.loads(re.sub(r"\\'", "'", row["name"]))
        if "process_name" in row:
            processes.add(row["pid"])
        if "thread_name" in row:
            assert row["pid"] in processes
            threads.add(row["uuid"])
        if row.get("type") == "3":
            instants += 1
        elif row.get("type") == "4":
            counts[row["track_uuid"]] = counts.get(row["track_uuid"], 0) + 1
            assert int(row["counter_value"]) == counts[row["track_uuid"]]
        elif "type" in row:
            assert row["track_uuid"] in threads
            name = names[row["name_iid"]] if row["type"] == "1" else ""
            got[row["type"], name, row["timestamp"], int(row["track_uuid"]) - 1] += 1
    for e in json.load(open(chrome_path))["traceEvents"]:
        if e["ph"] in "BE":
            kind, name = ("1", e["name"]) if e["ph"] == "B" else ("2", "")
            want[kind, escaped(name), str(round(e["ts"] * 1000)), e["tid"]] += 1
    assert instants == sum(counts.values()) == int(traps)
    return got, want


def ctf():
    """The same of the events that babeltrace2 prints."""
    text, chrome_path, traps = path.split(",")
    got, want, seen = Counter(), Counter(), Counter()
    threads, counts = set(), {}
    for line in open(text):
        time, kind, cpu, pid, tid, rest = re.match(
            r"\[(\d+)\] \(.*?\) +(\w+): \{ cpu_id = (\d+) \}, "
            r"\{ vpid = (\d+), vtid = (\d+) \}, \{ (.*) \}$", line).groups()
        seen[kind] += 1
        if kind == "thread":
            threads.add(tid)
        elif kind == "counter" and 'name = "traps"' in rest:
            counts[cpu] = counts.get(cpu, 0) + 1
            assert rest.endswith("value = %d" % counts[cpu])
        elif kind in ("func_entry", "func_exit"):
            assert tid in threads and pid == "1"
            name = json.loads(re.match(r'name = (".*"), addr', rest).group(1))
            got[kind, name, time.lstrip("0"), int(tid) - 1] += 1
    for e in json.load(open(chrome_path))["traceEvents"]:
        if e["ph"] in "BE":
            kind = "func_entry" if e["ph"] == "B" else "func_exit"
            want[kind, escaped(e["name"]), str(round(e["ts"] * 1000) or ""), e["tid"]] += 1
    assert seen["trap"] + seen["syscall"] == sum(counts.values()) == int(traps)
    return got, want


def pprof():
    """Stacks with their instructions, as protoc reads them, are the lines of the folded format."""
    text, folded_path = path.split(",")
    strings, functions, got, want = [], {}, Counter(), Counter()
    for block in re.findall(r"^string_table: ([^\n]*)$|^function \{\n(.*?)^\}", open(text).read(),
                            re.M | re.S):
        if block[1]:
            row = dict(re.findall(r"(\w+): (\d+)", block[1]))
            functions[row["id"]] = row["name"]
        else:
            strings.append(json.loads(re.sub(r"\\'", "'", block[0])))
    assert strings[0] == "" and "count" in strings
    for sample in re.findall(r"^sample \{\n(.*?)^\}", open(text).read(), re.M | re.S):
        stack = re.findall(r"location_id: (\d+)", sample)
        values = re.findall(r"value: (\d+)", sample)
        names = [strings[int(functions[n])].replace(";", "_") for n in reversed(stack)]
        got[";".join(names)] += int(values[2])
    for line in open(folded_path):
        stack, _, n = line.rstrip("\n").rpartition(" ")
        want[stack] += int(n)
    return got, want


def firefox():
    """By the tables of the processed format: columns of one length, indexes in range, a prefix
    before its stack, times that do not fall; the stacks are the lines of the folded format."""
    profile_path, folded_path = path.split(",")
    profile = json.load(open(profile_path))
    assert profile["meta"]["preprocessedProfileVersion"] == 48
    assert profile["meta"]["categories"][0]["subcategories"] and profile["libs"] == []
    thread, = profile["threads"]
    tables = {name: table for name, table in thread.items()
              if isinstance(table, dict) and "length" in table}
    assert len(tables) == 7, sorted(tables)
    for name, table in tables.items():
        for key, column in table.items():
            assert not isinstance(column, list) or len(column) == table["length"], (name, key)
    strings, functions, frames = thread["stringArray"], thread["funcTable"], thread["frameTable"]
    stacks, samples = thread["stackTable"], thread["samples"]
    assert samples["time"] == sorted(samples["time"]) and samples["weightType"] == "samples"
    assert all(f is None or strings[f] for f in functions["fileName"]) and set(
        functions["fileName"]) != {None}
    names = []
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]):
        own = escaped(strings[functions["name"][frames["func"][frame]]]).replace(";", "_")
        assert prefix is None or 0 <= prefix < len(names)
        names.append(own if prefix is None else names[prefix] + ";" + own)
    got, want = Counter(), Counter()
    for stack, weight in zip(samples["stack"], samples["weight"]):
        got[names[stack]] += weight
    for line in open(folded_path):
        stack, _, n = line.rstrip("\n").rpartition(" ")
        want[stack] += int(n)
    return got, want


def bbv():
    """Each interval ends with the block that has its last instruction."""
    file, length = path.split(",")
    lines = open(file).read().split("\n")
    assert lines.pop() == ""
    got, done = Counter(), 0
    for k, line in enumerate(lines):
        assert re.fullmatch(r"T(:\d+:\d+ )+", line), line[:80]
        blocks = [tuple(map(int, b.split(":")[1:])) for b in line[1:].split()]
        assert [b for b, _ in blocks] == sorted({b for b, _ in blocks})
        before, done = done, done + sum(n for _, n in blocks)
        assert before < (k + 1) * int(length), line[:80]
        assert done >= (k + 1) * int(length) or k + 1 == len(lines), line[:80]
        got["instructions"] += done - before
    return got, Counter(instructions=sum(own.values()))


def vectors():
    """The vectors, line by line, of the blocks in a listing of the same instructions."""
    file, listing, length = path.split(",")
    numbers, lines, now, start, n, done = {}, [], Counter(), None, 0, 0
    for line in open(listing):
        row = json.loads(line)
        if "pc" not in row:
            continue
        pc = int(row["pc"], 16)
        start, n = start or pc, n + 1
        if "end" not in row and row["text"] != "ecall":
            continue
        block = numbers.setdefault((start, pc + row["size"]), len(numbers) + 1)
        now[block] += n
        done, start, n = done + n, None, 0
        if done >= (len(lines) + 1) * int(length):
            lines.append(now)
            now = Counter()
    want = Counter({(k, b): v for k, line in enumerate(lines) for b, v in line.items()})
    got = Counter({(k, int(b)): int(v) for k, line in enumerate(open(file).readlines()[:len(lines)])
                   for b, v in re.findall(r":(\d+):(\d+) ", line)})
    return got, want


def database():
    """Sums of its tables; and the questions of the page."""
    file, page, traps = path.split(",")
    db = sqlite3.connect(file)
    got = Counter(dict(db.execute("SELECT name, SUM(self) FROM calls JOIN functions ON "
                                  "functions.id = function GROUP BY name")))
    assert Counter(dict(db.execute(
        "SELECT name, SUM(instructions * times) FROM blocks JOIN functions ON "
        "functions.id = function GROUP BY name HAVING SUM(instructions * times) > 0"))) == own
    assert Counter(dict(db.execute("SELECT name, COUNT(*) FROM calls JOIN functions ON functions.id"
                                   " = function WHERE how != 'again' GROUP BY name"))) == count
    assert db.execute("SELECT COUNT(*) FROM traps").fetchone()[0] == int(traps)
    assert db.execute("SELECT COUNT(*) FROM calls c JOIN calls p ON p.id = c.parent WHERE c.depth "
                      "!= p.depth + 1 OR c.first < p.first OR c.last > p.last").fetchone()[0] == 0
    queries = re.findall(r"```sql\n(.*?)```", open(page).read(), re.S)
    assert len(queries) == 10
    for q in queries:
        assert db.execute(q).fetchall(), q
    return got, own


got, want = {"callgrind": callgrind, "inclusive": inclusive, "valgrind": valgrind,
             "edges": call_edges, "folded": folded, "chrome": chrome,
             "speedscope": speedscope, "perfetto": perfetto, "sqlite": database,
             "pprof": pprof, "bbv": bbv, "ctf": ctf, "firefox": firefox, "vectors": vectors}[form]()
got = Counter({k: v for k, v in got.items() if v})
want = Counter({k: v for k, v in want.items() if v})
wrong = [(k, got[k], want[k]) for k in got.keys() | want.keys() if got[k] != want[k]]
for row in wrong[:10]:
    print(*row)
print(f"{len(want)} rows, {sum(want.values())} instructions, {len(wrong)} differ")
sys.exit(bool(wrong) or not want)
