"""speedscope.py PAGE-FOLDER FILE REPORT.json: does speedscope show the numbers of the report?"""
import base64
import json
import os
import re
import sys
import time

from browser import Page

from whole import as_numbers


UNITS = {"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
VALUE = r"([\d,.]+)(ns|µs|ms|s|) \([^)]*\)\s+"


def value(number, unit):
    """A number with the half of its last place."""
    shown = float(number.replace(",", "")) * UNITS[unit]
    return shown, UNITS[unit] / 200 if unit else 0


def rows(text):
    """Total and own instructions by name, of the table that speedscope calls Sandwich."""
    return {row[4]: (value(*row[:2]), value(*row[2:4]))
            for row in re.findall(VALUE + VALUE + r"(\S[^\n]*)", text)}


def differs(shown, expected):
    return not expected or any(abs(number - right) > half * 1.001
                               for (number, half), right in zip(shown, expected))


def wait(page, script, what):
    for _ in range(100):
        if page.run(script):
            return
        time.sleep(0.2)
    sys.exit("no " + what + ": " + page.run("document.body.innerText")[:300])


def main():
    with open(sys.argv[2], "rb") as f:
        data = base64.b64encode(f.read()).decode()
    with open(sys.argv[3], encoding="utf-8") as f:
        report = json.load(f, object_hook=as_numbers)
    # The way in which speedscope's own command line opens a file without a server.
    with open("profile.js", "w", encoding="ascii") as f:
        f.write('speedscope.loadFileFromBase64("report", "%s")' % data)
    with open("go.html", "w", encoding="ascii") as f:
        f.write('<script>location = "file://%s/index.html#localProfilePath=%s"</script>' %
                (os.path.realpath(sys.argv[1]), os.path.realpath("profile.js")))
    page = Page("go.html")
    wait(page, "document.body.innerText.includes('Time Order')", "profile")
    page.key("3", "3")
    wait(page, "document.body.innerText.includes('Symbol Name')", "table")
    shown = rows(page.run("document.body.innerText"))
    if "HARTSCOPE_SHOTS" in os.environ:
        page.shot(os.environ["HARTSCOPE_SHOTS"] + "/speedscope.png")
    expected = {}
    for f in report["functions"]:
        before = expected.get(f["name"], (0, 0))
        expected[f["name"]] = (before[0] + f["total"], before[1] + f["self"])
    wrong = {name: (both, expected.get(name)) for name, both in shown.items()
             if differs(both, expected.get(name))}
    print(wrong, page.errors)
    print("%d functions of its table are those of the report" % (len(shown) - len(wrong)))
    bad = bool(wrong or page.errors) or len(shown) < 5
    page.close()
    return bad


sys.exit(main())
