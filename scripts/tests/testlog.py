"""Turn meson's testlog.json (one object a line) into "ok" and "not ok" lines on stdout.

    testlog.py LOG
    testlog.py --slowest N FOLDER...    the tests of build folders that took longest
"""
import json
import os
import re
import sys

CHECK = re.compile(r"^\s*(ok|not ok|FAIL)\b\s*\d*\s*-?\s*(.*)$")
ALL_SKIPPED = re.compile(r"^1\.\.0\s*#\s*SKIP\s*(.*)$", re.IGNORECASE | re.MULTILINE)
SKIP = re.compile(r"#\s*SKIP", re.IGNORECASE)


def checks(test):
    """The lines of one test: its own, and one for its result when they do not have it."""
    name = test["name"].rpartition(" / ")[2]
    lines = [m.groups() for m in map(CHECK.match, (test.get("stdout") or "").splitlines()) if m]
    # cmocka writes "not ok N # SKIP" of what skips itself
    found = [("ok" if word == "ok" or SKIP.match(text) else "not ok", "%s: %s" % (name, text))
             for word, text in lines]
    result = test["result"]
    if result in ("SKIP", "SKIPPED"):
        if not any(SKIP.search(text) for _, text in found):
            why = ALL_SKIPPED.search(test.get("stdout") or "")
            found.append(("ok", "%s # SKIP %s" % (name, why.group(1) if why else "it does not say why")))
    elif result not in ("OK", "EXPECTEDFAIL"):
        if not any(word == "not ok" for word, _ in found):
            found.append(("not ok", "%s: %s, exit status %s" % (name, result, test["returncode"])))
    elif not found:
        found.append(("ok", name))
    return found


def read(path):
    """The tests of a log."""
    with open(path, encoding="utf-8", errors="replace") as log:
        return [json.loads(line) for line in log]


def slowest(count, folders):
    """Print the tests that took longest."""
    tests = []
    for folder in folders:
        path = os.path.join(folder, "meson-logs", "testlog.json")
        if os.path.exists(path):
            tests += [(test["duration"], folder, test["name"].rpartition(":")[2]) for test in read(path)]
    for seconds, folder, name in sorted(tests, reverse=True)[:count]:
        print("%6.1f  %s, %s" % (seconds, name, folder))


def main():
    if sys.argv[1] == "--slowest":
        slowest(int(sys.argv[2]), sys.argv[3:])
        return 0
    bad = False
    for test in read(sys.argv[1]):
        for word, text in checks(test):
            bad = bad or word == "not ok"
            print("%s - %s" % (word, text))
    return 1 if bad else 0


sys.exit(main())
