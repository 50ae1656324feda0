"""html.py PAGE REPORT DAMAGED TIMED CALLS RECORDING: uses the pages as people do; REPORT is what
report --json printed, CALLS what calls --json did, with the times that the page TIMED has;
RECORDING is that of PAGE."""
import fnmatch
import json
import os
import random
import re
import subprocess
import sys
import time

from browser import Page

from whole import as_numbers

failed = False


def check(what, good, got=None):
    global failed
    if not fnmatch.fnmatchcase(what, os.environ.get("HARTSCOPE_ONLY") or "*"):
        return
    print("ok - " + what if good else "not ok - %s: this does not hold; got %r" % (what, got))
    failed = failed or not good


def tab(page, name):
    box = page.run("(() => { const b = document.getElementById('tab-%s').getBoundingClientRect();"
                   "return [b.x + b.width / 2, b.y + b.height / 2]; })()" % name)
    page.click(*box)
    check(name + ": shown by a click", page.run("!document.getElementById('%s').hidden" % name))


def until(page, what):
    for _ in range(100):
        if page.run(what):
            return
        time.sleep(0.1)


def find(page, text):
    page.run("document.getElementById('find').value = ''; document.getElementById('find').focus()")
    page.type(text)
    if not text:
        page.run("document.getElementById('find').dispatchEvent(new Event('input'))")


def flame(page):
    state = "hartscope.views.flame.state()"
    tab(page, "flame")
    check("flame: nodes", page.run(state)["nodes"] > 50, page.run(state))
    find(page, "fib")
    found = page.run("document.getElementById('flame-found').textContent")
    check("flame: found", "found, " in found and not found.startswith("0"), found)
    find(page, "")
    box = page.run("(() => { const b = document.getElementById('flame-canvas')"
                   ".getBoundingClientRect(); return [b.x, b.y, b.width]; })()")
    page.click(box[0] + 20, box[1] + 30)
    check("flame: a click zooms", page.run(state)["zoom"] == "__libc_start_main", page.run(state))
    page.run("document.getElementById('flame-canvas').focus()")
    page.key("ArrowDown")
    page.key("Enter")
    zoom = page.run(state)
    check("flame: keys zoom", zoom["zoom"] == zoom["selected"] != "__libc_start_main", zoom)
    page.key("Escape")
    check("flame: Escape shows all", page.run(state)["zoom"] == "all", page.run(state))


def timeline(page):
    state = "hartscope.views.time.state()"
    tab(page, "time")
    whole = page.run(state)
    check("timeline: all of the run", whole["from"] == 0 and whole["to"] > 10000, whole)
    check("timeline: not all levels are decoded", whole["decoded"] < whole["levels"], whole)
    check("timeline: no axis of time without times",
          page.run("document.getElementById('time-axis-label').hidden"))
    find(page, "fib")
    page.run("document.getElementById('time-canvas').focus()")
    page.key("]", "]")
    one = page.run(state)
    check("timeline: the first call of fib", (one["selected"] or "").startswith("fib"), one)
    page.key("]", "]")
    two = page.run(state)
    check("timeline: the next one", two["selected"] != one["selected"], two)
    for _ in range(6):
        page.key("+", "+")
    near = page.run(state)
    check("timeline: single calls", near["to"] - near["from"] < 200 and
          near["decoded"] == near["levels"], near)
    page.key("Escape")
    page.send("Input.dispatchMouseEvent", type="mouseWheel", x=600, y=320, deltaX=0, deltaY=-120)
    page.run("1")
    check("timeline: the wheel zooms", page.run(state)["to"] - page.run(state)["from"] <
          whole["to"] - 1, page.run(state))
    find(page, "")
    page.run("(() => { const c = document.getElementById('time-colour'); c.value = 'mode';"
             "c.dispatchEvent(new Event('change')); })()")
    keys = page.run("document.getElementById('time-modes').textContent")
    check("timeline: by mode", keys == "U", keys)


def set_axis(page, name):
    page.run("(() => { const c = document.getElementById('time-axis'); c.value = '%s';"
             "c.dispatchEvent(new Event('change')); })()" % name)


def times(path, calls):
    """The times of calls on the page are those of the tree of calls."""
    page = Page(path)
    tab(page, "time")
    set_axis(page, "time")
    whole = page.run("hartscope.views.time.state()")
    check("time: all of the run", abs(whole["to"] - whole["from"] - calls["time"]) < 20,
          (whole, calls["time"]))
    for name in ("__libc_start_main", "main", "sum", "printf"):  # as they begin
        rows = [c for c in calls["calls"] if c["name"] == name]
        if len(rows) != 1 or rows[0]["calls"] != 1:
            check("time: called once: " + name, name not in ("main", "sum"), rows)
            continue
        page.key("Escape")
        find(page, name)
        page.run("document.getElementById('time-canvas').focus()")
        seen = []
        for _ in range(12):
            page.key("]", "]")
            seen.append(page.run("hartscope.views.time.state().selected") or "")
            if re.match(re.escape(name) + r"\b[^_]", seen[-1]):
                break
        shown = re.search(r" time ([\d,]+) from", seen[-1])
        ticks = int(shown[1].replace(",", "")) if shown else -1
        time = rows[0]["totalTime"]
        check("time: of " + name, abs(ticks - time) <= 20 + time // 200, (seen, rows))
        find(page, "")
    check("time: no errors", not page.errors, page.errors)
    page.close()


def gaps_drawn(page):
    """Gaps are on both axes, and lead there."""
    gaps = page.run("hartscope.data.gaps")
    tab(page, "time")
    for name in ("instructions", "time"):
        set_axis(page, name)
        found = page.run(
            "(() => { const c = document.getElementById('time-canvas'), found = new Set();"
            "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "for (let i = 0; i < p.length; i += 4)"
            " if (p[i] === 255 && p[i + 1] === 123 && p[i + 2] === 114) found.add(i / 4 % c.width);"
            "return found.size; })()")
        check("gaps: drawn across " + name, found >= 1, found)
    page.run("document.getElementById('time-canvas').focus()")
    page.key("g", "g")
    said = page.run("document.getElementById('time-info').textContent")
    check("gaps: the next one by key", said.startswith("gap: " + gaps[0][1]), (said, gaps))
    tab(page, "events")
    page.run("Array.from(document.querySelectorAll('#events td button')).pop().click()")
    state = page.run("hartscope.views.time.state()")
    check("gaps: from the table to the timeline",
          page.run("!document.getElementById('time').hidden") and
          page.run("document.activeElement.id") == "time-canvas", state)


def functions(page, report):
    last = page.run("Array.from(document.querySelectorAll('#summary tbody tr'),"
                    " (r) => r.lastChild.textContent)")
    want = page.run("hartscope.data.functions.slice(0, 15).map((f) => f[1])")
    check("summary: functions have their library", last == want and any(want), last)
    tab(page, "functions")
    wide = page.run("document.querySelector('#functions tbody tr').lastChild.clientWidth")
    check("functions: libraries have room", wide >= 120, wide)
    rows = page.run("hartscope.data.functions")
    want = [[f["name"], f["self"], f["total"], f["calls"]] for f in report["functions"]]
    check("functions: those of report", [[r[0]] + r[2:5] for r in rows] == want)
    find(page, "<script>")
    cells = page.run("Array.from(document.querySelectorAll('#functions .door'),"
                     " (c) => [c.textContent, c.title])")
    check("functions: one is called <script>",
          ["<…>window.bad=1<…>", "<script>window.bad=1</script>"] in cells, cells)
    page.run("document.getElementById('long-names').click()")
    cells = page.run("Array.from(document.querySelectorAll('#functions td.text'),"
                     " (c) => c.textContent)")
    check("functions: long names", "<script>window.bad=1</script>" in cells, cells)
    page.run("document.getElementById('long-names').click()")
    find(page, "")
    page.run("document.querySelectorAll('#functions th button')[5].click()")
    order = page.run("Array.from(document.querySelectorAll('#functions th'),"
                     " (t) => t.getAttribute('aria-sort'))")
    check("functions: by calls", order[5] == "descending", order)


def source(page):
    tab(page, "source")
    rows = page.run("Array.from(document.querySelectorAll('#source tbody tr'),"
                    " (r) => Array.from(r.cells, (c) => c.textContent))")
    line = [r for r in rows if "next() % 4 == 0" in r[3]]
    check("source: how often a line ran", line and line[0][1] == "100", line)
    check("source: text that ends scripts", line and "</script><!--" in line[0][3], line)


    find(page, "next() % 4")
    state = page.run("hartscope.views.source.state()")
    check("source: what is found is marked, and other lines stay",
          state["found"] >= 1 and state["rows"] == len(rows) and
          page.run("document.querySelectorAll('#source tr.hit').length") == state["found"] and
          page.run("document.querySelectorAll('#source tr.current').length") == 1, state)
    check("source: no bar at lines that are not found",
          page.run("getComputedStyle(document.querySelector('#source tr:not(.hit) td.code'))"
                   ".boxShadow") == "none")
    find(page, "")
    page.run("location.hash = '#source=' + encodeURIComponent("
             "hartscope.data.sources[0].file + ':%s')" % line[0][0])
    until(page, "hartscope.views.source.state().line > 0")
    check("source: a link to a line", page.run(
        "document.querySelector('#source tr.current').cells[3].textContent") == line[0][3])


def tool(*command):
    out = subprocess.run([os.environ["HARTSCOPE"], *command], capture_output=True, check=True,
                         text=True)
    return json.loads(out.stdout, object_hook=as_numbers)


# What the view of a function shows: names, callers, callees, counts of instructions.
SHOWN = """(() => { const tables = Array.from(document.querySelectorAll('#function .pair > div'));
const rows = (box) => Array.from(box.querySelectorAll('tbody tr'), (r) => [
 (r.cells[0].querySelector('button') || { title: '(nobody)' }).title,
 r.cells[1].textContent, r.cells[2].textContent]);
const code = Array.from(document.querySelectorAll('#function table')).pop();
return { name: document.querySelector('#function h2').title, callers: rows(tables[0]),
 callees: rows(tables[1]), counts: Array.from(code.querySelectorAll('tbody tr:not(.line)'),
 (r) => [r.cells[1].textContent, r.cells[0].textContent]) }; })()"""


def doors(page, recording):
    """Every name leads to the function: who called it, what it called, its instructions."""
    names = page.run("hartscope.data.functions.map((f) => f[0])")
    chance = random.Random(9)
    once = [n for n in names if names.count(n) == 1 and not n.startswith("(") and "<" not in n]
    opened = chance.sample(names, min(100, len(names)))
    wrong = []
    for name in opened:
        page.run("hartscope.open(hartscope.numberOf(%s))" % json.dumps(name))
        if page.run(SHOWN)["name"] != name:
            wrong.append(name)
    check("doors: %d names" % len(opened), len(opened) > 60 and not wrong, wrong)
    for name in ["main"] + chance.sample(once, 7):
        page.run("location.hash = '#function=' + encodeURIComponent(%s)" % json.dumps(name))
        until(page, "hartscope.views.function.state().name === " + json.dumps(name))
        shown = page.run(SHOWN)
        want = tool("report", "-q", "--json", "--callers", name, "--callees", name, recording)
        for key, other in (("callers", "caller"), ("callees", "callee")):
            got = sorted([r[0], r[1].replace(",", ""), r[2].replace(",", "")] for r in shown[key])
            rows = sorted([e[other], str(e["calls"]), str(e["total"])] for e in want[key])
            check("doors: %s of %s" % (key, name), got == rows, (got, rows))
        code = tool("annotate", "-q", "--json", name, recording)["code"]
        counts = [[i["pc"] if isinstance(i["pc"], str) else hex(i["pc"]),
                   format(i["count"], ",")] for i in code]
        check("doors: instructions of " + name, shown["counts"] == counts[:300],
              (shown["counts"][:4], counts[:4]))
    other = page.run("hartscope.data.functions.filter((f, i) => {"
                     "const v = hartscope.views.function; v.set(i);"
                     "return v.fromLink(decodeURIComponent(v.linkOf().slice(10))) !== i;"
                     "}).map((f) => f[0])")
    check("doors: each link leads to its function", other == [], other)
    page.run("hartscope.open(hartscope.numberOf('main'))")
    link = page.run("location.hash")
    page.run("document.querySelector('#function .pair .door').click()")
    check("doors: all callers and callees as a picture",
          page.run("document.querySelector('#function canvas').width > 100"))
    check("doors: a caller of main", page.run("location.hash") != link, link)
    page.run("history.back()")
    until(page, "location.hash === %s" % json.dumps(link))
    check("doors: back", page.run(SHOWN)["name"] == "main", page.run("location.hash"))
    page.run("Array.from(document.querySelectorAll('#function button'))"
             ".find((b) => b.textContent.startsWith('Next call')).click()")
    said = page.run("hartscope.views.time.state().selected") or ""
    check("doors: the next call in the timeline", said.startswith("main") and
          page.run("!document.getElementById('time').hidden"), said)


def main():
    with open(sys.argv[2], encoding="utf-8") as text:
        report = json.load(text, object_hook=as_numbers)
    page = Page(sys.argv[1])
    check("loaded", page.run("hartscope.ready") < 2000, page.run("hartscope.ready"))
    check("title", page.run("document.title").startswith("report.rec"))
    flame(page)
    timeline(page)
    functions(page, report)
    source(page)
    doors(page, sys.argv[6])
    tab(page, "events")
    page.run("document.getElementById('tab-events').focus()")
    page.key("ArrowRight")
    check("tabs: arrow keys", page.run("document.activeElement.id") == "tab-summary")
    page.key("/", "/")
    check("search: by its key", page.run("document.activeElement.id") == "find")
    find(page, "fib")
    check("search: the summary has nothing to find",
          page.run("!document.getElementById('functions').hidden"))
    page.run("history.back()")
    until(page, "!document.getElementById('summary').hidden")
    check("back: the tab before", page.run("!document.getElementById('summary').hidden"))
    find(page, "")
    check("no script of a name ran", page.run("window.bad === undefined"))
    light = page.run("getComputedStyle(document.body).backgroundColor")
    check("no errors", not page.errors, page.errors)
    page.close()
    page = Page(sys.argv[3], dark=True)
    dark = page.run("getComputedStyle(document.body).backgroundColor")
    check("dark mode", dark != light and dark == "rgb(13, 17, 23)", dark)
    warning = page.run("document.querySelector('#summary .warn').textContent")
    check("gaps: said in the summary", "gaps" in warning, warning)
    tab(page, "events")
    gaps = page.run("hartscope.data.gaps")
    check("gaps: listed", gaps and page.run("document.getElementById('events').textContent"
                                            ).count(gaps[0][1]) > 0, gaps)
    gaps_drawn(page)
    check("no errors in dark mode", not page.errors, page.errors)
    page.close()
    with open(sys.argv[5], encoding="utf-8") as text:
        times(sys.argv[4], json.load(text, object_hook=as_numbers))
    return failed


sys.exit(main())
