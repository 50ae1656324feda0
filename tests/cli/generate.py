"""generate.py LIST COVERAGE REASONS: does each corner hit its point, and has what no corner hits a
reason?

LIST is what generate --json prints, COVERAGE a folder with NAME.json of stat --coverage --json for
each corner.  REASONS has lines of a pattern of points (as the shell's), a tab, and why generate
does not reach them; each pattern must still be of a point that is not reached.
"""
import fnmatch
import json
import sys


def main():
    bad, points = False, {}
    with open(sys.argv[1], encoding="utf-8") as f:
        corners = json.load(f)["corners"]
    for corner in corners:
        with open("%s/%s.json" % (sys.argv[2], corner["name"]), encoding="utf-8") as f:
            hits = {(p["set"], p["name"]): int(p["hits"]) for p in json.load(f)["points"]}
        for key, n in hits.items():
            points[key] = points.get(key, 0) + n
        good = any(n > 0 and name == corner["point"] for (_, name), n in hits.items())
        bad |= not good
        print(("ok - " if good else "FAIL - ") + corner["name"] + " hits " + corner["point"])
    missed = {"%s %s" % key for key, n in points.items() if not n}
    with open(sys.argv[3], encoding="utf-8") as f:
        reasons = [line.split("\t")[0] for line in f if line.strip() and line[0] != "#"]
    for pattern in reasons:
        found = {name for name in missed if fnmatch.fnmatchcase(name, pattern)}
        bad |= not found
        missed -= found
        if not found:
            print("FAIL - a reason for what is reached: " + pattern)
    for name in sorted(missed):
        bad = True
        print("FAIL - not reached, and without a reason: " + name)
    hit = sum(n > 0 for n in points.values())
    print("ok - %d of %d points are reached, the others have a reason" % (hit, len(points)))
    sys.exit(bad)


main()
