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


def same_share(text, part_of_all, all_of_it):
    return abs(float(text) - 100.0 * part_of_all / all_of_it) < 0.006


def wrong_functions(cells, report):
    """Rows of Flat Profile: inclusive and own share, calls, name, place."""
    known, wrong, right = {}, [], 0
    for f in report["functions"]:
        known.setdefault(f["name"], []).append(f)
    for row in zip(*[iter(cells)] * 5):
        fits = [f for f in known.get(row[3], ())
                if same_share(row[0], f["total"], report["instructions"]) and
                same_share(row[1], f["self"], report["instructions"]) and
                (number(row[2]) == f["calls"] or row[2] == "(0)" and f["name"] in STARTS)]
        right += len(fits) != 0
        if not fits:
            wrong.append((row, known.get(row[3])))
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
