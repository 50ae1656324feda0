#!/usr/bin/env python3
"""Mutation testing: edit one place of the code at a time, and see whether a test notices.

    mutants.py [--count N] [--seed N] [--seconds N] [--jobs N] [--rooms a,b/file] [--list]

The edits are those of EDITS below, at places chosen by the seed.  Everything is compiled once, in a
folder of its own below the temporary folder, and each test runs once to see which lines it reaches.
For each mutant one object is compiled and loaded before the library, and the tests that reach its
line run, those first that noticed most per second in its file, until one fails or does not end.
A mutant is compiled with the checks of ASan and UBSan, as in scripts/tests/sanitize-build.sh.
An edit that does not compile, or that leaves the optimised object as it was, is no mutant.
Survivors are printed as FILE:LINE and the edit; those that mutants-equivalent.txt names
behave as before, for the reason that it gives, and do not count.
Exit status: 0 when 95 % were caught.
"""
import argparse
import bisect
import collections
import concurrent.futures
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOT = HERE  # a copy of the tree, once there is one: editing may go on meanwhile
ROOMS = ["ntrace", "etrace", "device", "ctr", "pmu"]
CASES = {"etrace_roundtrip": 8000, "etrace_damage": 200, "etrace_referee": 2000,
         "etrace_data": 1000, "holes": 2000, "etrace_cut": 2000, "et_lint": 2000,
         "code_changes": 100, "memo": 4000}
NEED_BUILD = ["dpi", "recorder", "version"]  # tests of what only the real build has
GOAL = 95.0

# ---- edits: a pattern in a line of a function, and what takes its place ------

EDITS = [
    ("equal", r" == ", " != "), ("equal", r" != ", " == "),
    ("bound", r" < ", " <= "), ("bound", r" <= ", " < "),
    ("bound", r" > ", " >= "), ("bound", r" >= ", " > "),
    ("logic", r" && ", " || "), ("logic", r" \|\| ", " && "),
    ("sum", r"(?<=[\w)\]]) \+ ", " - "), ("sum", r"(?<=[\w)\]]) - ", " + "),
    ("bits", r"(?<=[\w)\]]) & ", " | "), ("bits", r"(?<=[\w)\]]) \| ", " & "),
    ("shift", r"(?<=[\w)\]]) << ", " >> "), ("shift", r"(?<=[\w)\]]) >> ", " << "),
    ("assign", r" [+\-|^]= ", " = "),
    ("not", r"(?<![\w])!(?=[\w(])", ""),
    ("truth", r"\btrue\b", "false"), ("truth", r"\bfalse\b", "true"),
    ("step", r"(?<=\w)\+\+", "--"), ("step", r"(?<=\w)--", "++"),
]
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)(?=u?\b)")
STATEMENT = re.compile(r"^\s+(?:[\w>.\-\[\]*+]+(?: [-+|&^]?= | <<= | >>= )[^;]*|"
                       r"[\w>.\-\[\]]+(?:\+\+|--)|"
                       r"(?!return\b)\w+\([^;]*\));$")
DECLARATION = re.compile(r"^\s+(?:const|static|unsigned|bool|size_t|int|u?int\d+_t|char|struct|"
                         r"enum|void)\b")


def mask(text):
    """The text with comments, strings and preprocessor lines blanked out."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text,
                  flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def sites_of(path):
    """Every edit that a file offers: (path, line, column, end, replacement)."""
    with open(os.path.join(ROOT, path)) as f:
        lines = mask(f.read()).split("\n")
    inside, before = False, ";"
    for number, line in enumerate(lines):
        if line.startswith("{"):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and line.strip():
            yield from sites_in(path, number, line, before)
        before = line.rstrip()[-1:] or before


def sites_in(path, number, line, before):
    for _, pattern, replacement in EDITS:
        for m in re.finditer(pattern, line):
            yield (path, number, m.start(), m.end(), replacement)
    if not DECLARATION.match(line) or "=" in line:
        for m in NUMBER.finditer(re.sub(r"\[[^\]]*\] =", lambda d: " " * len(d.group()), line)):
            yield (path, number, m.start(), m.end(), str(int(m.group(), 0) + 1))
    m = re.match(r"^(\s*(?:\} else )?(?:if|while) )(\(.*\))( \{)?$", line)
    if m and m.group(2).count("(") == m.group(2).count(")"):
        yield (path, number, m.start(2), m.end(2), "(!%s)" % m.group(2))
    if STATEMENT.match(line) and not DECLARATION.match(line) and before in ";{}:)" and \
            line.count("(") == line.count(")"):
        yield (path, number, len(line) - len(line.lstrip()), len(line), ";")


def edited(site):
    """The file with the edit, and the line before and after."""
    path, number, start, end, replacement = site
    with open(os.path.join(ROOT, path)) as f:
        lines = f.read().split("\n")
    old = lines[number]
    lines[number] = old[:start] + replacement + old[end:]
    return "\n".join(lines), old.strip(), lines[number].strip()


# ---- the build ---------------------------------------------------------------


def run(command, cwd=None, stdout=subprocess.DEVNULL):
    return subprocess.run(command, cwd=cwd or ROOT, stdout=stdout, stderr=subprocess.PIPE,
                          text=True)


def flags(names):
    out = subprocess.run(["pkg-config", "--cflags", "--libs"] + names, stdout=subprocess.PIPE,
                         text=True, check=True)
    return out.stdout.split()


def version():
    with open(os.path.join(ROOT, "meson.build")) as f:
        return re.search(r"version: '([^']*)'", f.read()).group(1)


class Build:
    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.cc = os.environ.get("CC", "cc")
        self.compile = [self.cc, "-std=gnu17", "-O1", "-fPIC", "-w", "-D_GNU_SOURCE",
                        '-DHARTSCOPE_PROJECT_VERSION="%s"' % version(),
                        '-DHARTSCOPE_SOURCE="%s"' % ROOT,
                        "-I" + os.path.join(ROOT, "include"), "-I" + os.path.join(ROOT, "src"),
                        "-I" + os.path.join(ROOT, "tests")]
        self.checked = self.compile + ["-fsanitize=address,undefined",
                                       "-fno-sanitize-recover=undefined"]
        self.asan = run([self.cc, "-print-file-name=libasan.so"],
                        stdout=subprocess.PIPE).stdout.strip()
        self.plain = self.compile + ["-O2"]
        self.libs = flags(["libelf", "libdw", "libzstd", "libxxhash", "jansson", "cmocka"])
        self.libs += ["-liberty", "-lpthread", "-ldl"]
        self.sources = sorted(os.path.relpath(p, ROOT)
                              for p in glob.glob(os.path.join(ROOT, "src/*/*.c")))
        self.objects = {s: os.path.join(folder, s.replace("/", "_") + ".o") for s in self.sources}

    def each(self, work, items):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for result in pool.map(work, items):
                if result.returncode:
                    sys.exit(result.stderr)

    def everything(self, tests, paths):
        self.each(lambda s: run(self.compile + ["-c", s, "-o", self.objects[s]]), self.sources)
        self.link(self.folder, self.objects.values(), [])
        self.build_support()
        self.each(self.build_test, tests)
        self.optimised = {s: self.objects[s] + "2" for s in paths}
        self.each(lambda s: run(self.plain + ["-c", s, "-o", self.optimised[s]]), paths)
        self.count_lines(paths)

    def link(self, folder, objects, more):
        library = run([self.cc, "-shared", "-Wl,-soname,libmutant.so", "-o",
                       os.path.join(folder, "libmutant.so")] + list(objects) + self.libs + more)
        if library.returncode:
            sys.exit(library.stderr)

    def count_lines(self, paths):
        """The library once more, with counters in the files that are edited."""
        self.counting = os.path.join(self.folder, "counting")
        os.mkdir(self.counting)
        self.counted = {s: os.path.join(self.counting, os.path.basename(o))
                        for s, o in self.objects.items() if s in paths}
        self.each(lambda s: run(self.compile + ["-O0", "--coverage", "-c", s, "-o",
                                                self.counted[s]]), self.counted)
        self.link(self.counting, {**self.objects, **self.counted}.values(), ["--coverage"])

    def build_support(self):
        """An archive of what the tests share."""
        objects = {s: os.path.join(self.folder, s.replace("/", "_") + ".o") for s in support()}
        self.each(lambda s: run(self.compile + ["-c", s, "-o", objects[s]]), objects)
        run(["ar", "rcs", os.path.join(self.folder, "libsupport.a")] + list(objects.values()))

    def build_test(self, test):
        kind, name = test
        folder = os.path.join("tests", kind)
        files = [os.path.join(folder, f) for f in [name + ".c"] + parts_of(kind, name)]
        return run(self.compile + files + ["-o", self.program(test), "-L" + self.folder,
                                           "-lsupport", "-lmutant"] + self.libs)

    def program(self, test):
        return os.path.join(self.folder, "%s-%s" % test)


# ---- the tests ---------------------------------------------------------------


def limit_memory():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fails(build, test, seconds, **more):
    """Does a test fail?  One that hangs does."""
    env = dict(os.environ, LD_LIBRARY_PATH=build.folder, HARTSCOPE_SEED="1",
               HARTSCOPE_CASES=str(CASES.get(test[1], 1000)), HARTSCOPE_SOURCE=ROOT,
               HARTSCOPE_BUILD=build.folder, TMPDIR=build.folder,
               ASAN_OPTIONS="detect_leaks=0:hard_rss_limit_mb=2048")
    env.update(more)
    child = subprocess.Popen([build.program(test)], cwd=ROOT, env=env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, preexec_fn=limit_memory,
                             start_new_session=True)
    try:
        return child.wait(timeout=seconds) != 0
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return True


def support():
    """The files that tests share, as tests/meson.build has them."""
    with open(os.path.join(ROOT, "tests", "meson.build")) as f:
        block = re.search(r"static_library\('test-support',(.*?)include_directories", f.read(), re.S)
    return [os.path.join("tests", name) for name in re.findall(r"'([^']+)'", block.group(1))]


def parts_of(kind, name):
    """More files of a test, as tests/KIND/meson.build has them."""
    with open(os.path.join(ROOT, "tests", kind, "meson.build")) as f:
        block = re.search(r"%s_parts = \{(.*?)\}" % kind, f.read(), re.S).group(1)
    row = re.search(r"'%s': \[(.*?)\]" % name, block, re.S)
    return re.findall(r"'([^']+)'", row.group(1)) if row else []


def list_of(kind):
    with open(os.path.join(ROOT, "tests", kind, "meson.build")) as f:
        block = re.search(r"%s_tests = \[(.*?)\]" % kind, f.read(), re.S).group(1)
    return [(kind, name) for name in re.findall(r"'(\w+)'", block) if name not in NEED_BUILD]


def of_room(room, test):
    name = test[1]
    prefix = {"ntrace": ("ntrace", "nt_", "decoder_lose", "control_device", "port_roundtrip",
                         "holes", "code_changes", "memo"),
              "etrace": ("etrace", "et_", "decoder_lose", "holes", "code_changes", "memo"),
              "device": ("control",),
              "ctr": ("ctr",), "pmu": ("pmu",)}[room]
    return name.startswith(prefix)


class Tests:
    """The tests that pass without a mutant: the time that each takes, and the lines it reaches."""

    def __init__(self, build, tests):
        self.build, self.seconds = build, {}
        self.reached = collections.defaultdict(dict)  # path -> line -> tests
        self.noticed = collections.Counter()          # (path, test) -> mutants
        for test in tests:
            start = time.time()
            if fails(build, test, 120):
                print("# %s-%s fails without a mutant, and is left out" % test)
                continue
            self.seconds[test] = time.time() - start
            if fails(build, test, 600, LD_LIBRARY_PATH=build.counting):
                sys.exit("%s-%s fails with counters" % test)
            self.read_counters(test)

    def read_counters(self, test):
        files = glob.glob(os.path.join(self.build.counting, "*.gcda"))
        out = run(["gcov", "--json-format", "--stdout"] + files, stdout=subprocess.PIPE).stdout
        for text in out.splitlines():
            for part in json.loads(text)["files"]:
                lines = self.reached[os.path.relpath(os.path.join(ROOT, part["file"]), ROOT)]
                for line in part["lines"]:
                    at = lines.setdefault(line["line_number"] - 1, set())
                    if line["count"]:
                        at.add(test)
        for path in files:
            os.remove(path)

    def order(self, path, line):
        """The tests of a line, or of the last one before it that has code."""
        lines = sorted(self.reached[path])
        i = bisect.bisect_right(lines, line)
        return sorted(self.reached[path][lines[i - 1]] if i else [],
                      key=lambda t: self.seconds[t] / (1 + self.noticed[path, t]))

    def notice(self, site, mutant):
        first = self.build.asan + ":" + mutant
        for test in self.order(site[0], site[1]):
            if fails(self.build, test, 5 + 10 * self.seconds[test], LD_PRELOAD=first):
                self.noticed[site[0], test] += 1
                return test
        return None


# ---- mutants -----------------------------------------------------------------


def try_mutant(build, tests, site):
    """(outcome, what noticed it): "none" when the edit is no mutant."""
    path = site[0]
    folder = tempfile.mkdtemp(dir=build.folder)
    try:
        text, _, _ = edited(site)
        source = os.path.join(folder, path)
        os.makedirs(os.path.dirname(source))
        with open(source, "w") as f:
            f.write(text)
        made, mutant = os.path.join(folder, "mutant.o"), os.path.join(folder, "mutant.so")
        if run(build.plain + ["-c", path, "-o", made], cwd=folder).returncode:
            return "none", None
        with open(made, "rb") as a, open(build.optimised[path], "rb") as b:
            if a.read() == b.read():
                return "none", None
        if run(build.checked + ["-shared", path, "-o", mutant], cwd=folder).returncode:
            return "none", None
        noticed = tests.notice(site, mutant)
        return ("caught", noticed) if noticed else ("survived", None)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def equivalents():
    """{(path, line, line after the edit)} of scripts/tests/mutants-equivalent.txt."""
    named, path = set(), ""
    with open(os.path.join(HERE, "scripts", "tests", "mutants-equivalent.txt")) as f:
        for line in f:
            part = line.rstrip("\n").split("\t")
            if line.startswith("src/"):
                path = part[0]
            elif line.startswith("\t") and len(part) >= 4:
                named.add((path, part[1], part[2]))
    return named


def files_of(rooms):
    """Files of rooms; ROOM/NAME is one file."""
    found = [glob.glob(os.path.join(ROOT, "src", room + (".c" if "/" in room else "/*.c")))
             for room in rooms]
    return [os.path.relpath(path, ROOT) for paths in found for path in sorted(paths)]


def choose(paths, seed):
    sites = [site for path in paths for site in sites_of(path)]
    random.Random(seed).shuffle(sites)
    return sites


def campaign(args, build, tests, sites):
    named, counts, end = equivalents(), {"caught": 0, "survived": 0, "equivalent": 0}, \
        time.time() + args.seconds
    waiting, running = iter(sites), {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        while True:
            done = sum(counts.values())
            while len(running) < args.jobs and done + len(running) < args.count and \
                    time.time() < end:
                site = next(waiting, None)
                if site is None:
                    break
                running[pool.submit(try_mutant, build, tests, site)] = site
            if not running:
                return counts
            ready, _ = concurrent.futures.wait(running,
                                               return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ready:
                report(args, running.pop(future), *future.result(), named, counts)


def report(args, site, outcome, noticed, named, counts):
    if outcome == "none":
        return
    _, old, new = edited(site)
    if outcome == "survived" and (site[0], old, new) in named:
        outcome = "equivalent"
    counts[outcome] += 1
    if outcome == "survived" or args.list:
        print("%s:%u: %s: %s  ->  %s%s" % (site[0], site[1] + 1, outcome, old, new,
                                           "  (%s-%s)" % noticed if noticed else ""), flush=True)


def copy_tree(folder):
    global ROOT
    ROOT = os.path.join(folder, "tree")
    os.mkdir(ROOT)
    for part in ["src", "include", "tests", "docs", "firmware", "meson.build"]:
        source, copy = os.path.join(HERE, part), os.path.join(ROOT, part)
        shutil.copytree(source, copy) if os.path.isdir(source) else shutil.copy(source, copy)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=400, help="mutants to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=3600, help="start none after that time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rooms", default=",".join(ROOMS), help="folders of src/")
    parser.add_argument("--list", action="store_true", help="print those that were caught, too")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hartscope-mutants-")
    try:
        copy_tree(folder)
        paths = files_of(args.rooms.split(","))
        sites = choose(paths, args.seed)
        build = Build(folder, args.jobs)
        wanted = list_of("unit") + [t for t in list_of("property")
                                    if any(of_room(p.split("/")[1], t) for p in paths)]
        build.everything(wanted, paths)
        tests = Tests(build, wanted)
        print("# %u places for an edit in %s, %u tests" % (len(sites), args.rooms,
                                                          len(tests.seconds)), flush=True)
        counts = campaign(args, build, tests, sites)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    judged = counts["caught"] + counts["survived"]
    share = 100.0 * counts["caught"] / judged if judged else 100.0
    print("%u mutants: %u caught (%.1f %%), %u survived, %u equivalent; seed %u" %
          (sum(counts.values()), counts["caught"], share, counts["survived"],
           counts["equivalent"], args.seed))
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
