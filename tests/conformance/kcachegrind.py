"""kcachegrind.py REPORT.json CALLEES-OF-MAIN.json: does the KCachegrind on this screen show their
numbers?  It is read as a screen reader reads it (AT-SPI).  Exit status 3: there is no window."""
import json
import sys
import time

import pyatspi

from whole import as_numbers

STARTS = ("_start", "__thread_start")  # nobody called them


def texts(item, role, found):
    """The names of all that has this role in a window, in order."""
    if item.getRoleName() == role and item.name:
        found.append(item.name)
    for i in range(item.childCount):
        child = item.getChildAtIndex(i)
        if child:
            texts(child, role, found)
    return found


def window(title):
    """KCachegrind's window once it has this in its title."""
    for _ in range(20):
        for application in pyatspi.Registry.getDesktop(0):
            for frame in application or ():
                if frame and title in frame.name:
                    return frame
        time.sleep(0.5)
    print("no window with %s in its title" % title)
    sys.exit(3)


def part(frame, name):
    """A part of the window."""
    return next(child for child in frame if child and child.name == name)


def number(text):
    return int("".join(c for c in text if c.isdigit()))


def same_share(share, part_of_all, all_of_it, rows=1):
    return abs(share - 100.0 * part_of_all / all_of_it) < 0.006 * rows


def joined(cells):
    """Rows of Flat Profile by name and place: inclusive and own share, calls, rows.  NAME'2,
    which is called while NAME is open, is a part of NAME: its own share and its calls are.  Code
    without a symbol, as .plt, has its address for a name; the report has it in one."""
    found = {}
    rows = zip(*[iter(cells)] * 5)
    for total, own, calls, name, at in sorted(rows, key=lambda row: row[3]):
        if name.startswith("0x"):
            unnamed = found.setdefault(("(no symbol)", at), [0.0, 0.0, 0, 0])
            unnamed[:] = [unnamed[0] + float(total), unnamed[1] + float(own),
                          unnamed[2] + number(calls), unnamed[3] + 1]
            continue
        outer = found.get((name[:-2], at)) if name.endswith("'2") else None
        if not outer:
            found[name, at] = [float(total), float(own), number(calls), 1]
            continue
        assert float(total) <= outer[0], name
        outer[1:] = [outer[1] + float(own), outer[2] + number(calls), 2]
    return found


def wrong_functions(cells, report):
    known, wrong, right = {}, [], 0
    for f in report["functions"]:
        known.setdefault(f["name"], []).append(f)
    for (name, _), (total, own, calls, rows) in joined(cells).items():
        fits = [f for f in known.get(name, ())
                if same_share(total, f["total"], report["instructions"]) and
                same_share(own, f["self"], report["instructions"], rows) and
                (calls == f["calls"] or calls == 0 and f["name"] in STARTS)]
        right += len(fits) != 0
        if not fits:
            wrong.append((name, total, own, calls, known.get(name)))
    return wrong, right


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        report = json.load(f, object_hook=as_numbers)
    with open(sys.argv[2], encoding="utf-8") as f:
        callees = json.load(f, object_hook=as_numbers)["callees"]
    frame = window("callgrind.out [")
    for _ in range(60):
        labels = texts(frame, "label", [])
        cells = texts(part(frame, "Flat Profile"), "table cell", [])
        if cells and any("Cost: " in label for label in labels):
            break
        time.sleep(0.5)
    total = next(number(label.split("Cost: ")[1]) for label in labels if "Cost: " in label)
    wrong, right = wrong_functions(cells, report)
    shown = " ".join(texts(frame, "table cell", []))
    missing = [c for c in callees[:3] if "{:,}".format(c["total"] // c["calls"]).replace(",", " ")
               not in shown.replace("\u202f", " ").replace("\u00a0", " ")]
    print(total, report["instructions"], wrong[:3], missing)
    if total == report["instructions"] and not wrong and right >= 5 and not missing:
        print("ok - the sum of %d instructions, %d functions, calls of main" % (total, right))
        return 0
    return 1


sys.exit(main())
