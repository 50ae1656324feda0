#!/usr/bin/env python3
"""The page of diff --html in headless Chromium: what takes more is red, what takes less is blue.

  diff_page.py PAGE OTHER-WAY-ROUND
"""
import re
import sys

from browser import Page

failed = 0


def check(good, text):
    global failed
    failed |= not good
    print(("ok - " if good else "not ok - ") + text)


def is_red(node):
    return re.match(r"hsl\(5 ([1-9]\d*)%", node["colour"])


def is_blue(node):
    return re.match(r"hsl\(215 ([1-9]\d*)%", node["colour"])


page = Page(sys.argv[1])
page.run("hartscope.show('flame')")
nodes = {n["name"]: n for n in page.run("hartscope.views.flame.changes()")}
# tests/cli/diff.S: three rounds, of which the third is special, after two.
check(set(nodes) == {"_start", "round", "special"}, "the functions of the later run")
check([(n["before"], n["total"]) for n in map(nodes.get, ("_start", "round", "special"))] ==
      [(26, 40), (14, 24), (0, 2)], "instructions of both runs")
check(all(map(is_red, nodes.values())), "more is red")
page.run("hartscope.show('summary')")
check("+14 (+53.8 %)" in page.run("document.getElementById('summary').textContent"),
      "the summary says by how much")
page.run("hartscope.show('flame'), document.getElementById('flame-shape').click()")
nodes = {n["name"]: n for n in page.run("hartscope.views.flame.changes()")}
check({k: v["size"] for k, v in nodes.items()} == {"_start": 26, "round": 14},
      "widths of the run before")
page.run("hartscope.show('functions')")
check(page.run("document.getElementById('functions').textContent").find("Self before") >= 0,
      "the table of functions has both")
check(not page.errors, "no errors: %s" % page.errors)
page.close()
back = Page(sys.argv[2])
back.run("hartscope.show('flame'), document.getElementById('flame-shape').click()")
nodes = {n["name"]: n for n in back.run("hartscope.views.flame.changes()")}
check("special" in nodes and all(map(is_blue, nodes.values())) and not back.errors,
      "the other way round: less is blue, also what is only in the run before")
back.close()
sys.exit(failed)
