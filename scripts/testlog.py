"""Turn meson's testlog.json (one object a line) into "ok" and "not ok" lines on stdout."""
import json
import re
import sys

CHECK = re.compile(r"^\s*(ok|not ok|FAIL)\b\s*\d*\s*-?\s*(.*)$")
ALL_SKIPPED = re.compile(r"^1\.\.0\s*#\s*SKIP\s*(.*)$", re.IGNORECASE | re.MULTILINE)
SKIP = re.compile(r"#\s*SKIP", re.IGNORECASE)


def checks(test):
    """The lines of one test: its own, and one for its result when they do not tell it."""
    name = test["name"].rpartition(" / ")[2]
    lines = [m.groups() for m in map(CHECK.match, (test.get("stdout") or "").splitlines()) if m]
    told = [("ok" if word == "ok" else "not ok", "%s: %s" % (name, text)) for word, text in lines]
    result = test["result"]
    if result in ("SKIP", "SKIPPED"):
        if not any(SKIP.search(text) for _, text in told):
            why = ALL_SKIPPED.search(test.get("stdout") or "")
            told.append(("ok", "%s # SKIP %s" % (name, why.group(1) if why else "it does not say why")))
    elif result not in ("OK", "EXPECTEDFAIL"):
        if not any(word == "not ok" for word, _ in told):
            told.append(("not ok", "%s: %s, exit status %s" % (name, result, test["returncode"])))
    elif not told:
        told.append(("ok", name))
    return told


def main():
    bad = False
    for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
        for word, text in checks(json.loads(line)):
            bad = bad or word == "not ok"
            print("%s - %s" % (word, text))
    return 1 if bad else 0


sys.exit(main())
