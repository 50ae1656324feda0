"""timeline.py PAGE SPEEDSCOPE RECORDING: the timeline of a page against calls as export has them,
and against stat: no pixel is blank where something ran, and each has what ran most; ranges, Find,
links."""
import json
import os
import random
import re
import subprocess
import sys
import time

from browser import Page

from whole import as_numbers

TOOL = os.environ["HARTSCOPE"]
failed = False


def check(what, good, got=None):
    global failed
    print("%s - %s%s" % ("ok" if good else "not ok", what, "" if good else ": %r" % (got,)))
    failed = failed or not good


def calls_of(path):
    """Of each hart by depth: calls as (start, end, name), in order."""
    with open(path, encoding="utf-8") as text:
        export = json.load(text)
    frames = [f["name"] for f in export["shared"]["frames"]]
    harts = {}
    for profile in export["profiles"]:
        depths, opened = [], []
        for event in profile["events"]:
            if event["type"] == "O":
                opened.append((event["at"], event["frame"]))
                continue
            at, frame = opened.pop()
            while len(depths) <= len(opened):
                depths.append([])
            depths[len(opened)].append((at, event["at"], frames[frame]))
        harts[int(re.search(r"\d+", profile["name"])[0])] = depths
    return harts


def most_of(calls, first, last):
    """The names that have most of FIRST to LAST; none: nothing ran there."""
    sums = {}
    for start, end, name in calls:
        part = min(end, last) - max(start, first)
        if part > 0:
            sums[name] = sums.get(name, 0) + part
    return {name for name in sums if sums[name] == max(sums.values())}


AXIS = (208, 215, 222)  # --line: the lines of the axis, below the cells


def is_colour(pixel, colour):
    """Also with the line that ends a cell over a part of it, and where a cell covers a part of the
    pixel, with a line of the axis below."""
    def is_mix(other, most):
        return any(sum(abs(p - (c + t / 20 * (o - c)))
                       for p, c, o in zip(pixel[:3], colour[:3], other)) < 12
                   for t in range(most))
    return is_mix((128, 128, 128), 12) or is_mix(AXIS, 15)


class Row:
    """The calls of a depth, found by where they are."""

    def __init__(self, calls):
        self.calls = sorted(calls)

    def among(self, first, last):
        import bisect
        begin = max(bisect.bisect_left(self.calls, (first,)) - 1, 0)
        end = bisect.bisect_left(self.calls, (last,))
        return self.calls[begin:end]


# Colours of all pixels in the middle of a row, and of a function by its name.
PIXELS = """(() => { const v = hartscope.views.time, c = document.getElementById('time-canvas');
const k = c.width / c.clientWidth, x = c.getContext('2d'), lanes = v.view().lanes;
const one = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const seen = {}, tail = ' ' + hartscope.style('--sat') + ' ' + hartscope.style('--light') + ')';
const colours = hartscope.data.functions.map((f) => {
 one.fillStyle = 'hsl(' + hartscope.hue(f[0]) + tail;
 one.fillRect(0, 0, 1, 1); return [f[0], Array.from(one.getImageData(0, 0, 1, 1).data)]; });
return { width: c.width, colours, lanes: lanes.map((l) => ({ hart: l.hart.hart, rows: l.rows,
 span: l.view.span, rough: l.view.rough, pixels: Array.from({ length: l.rows }, (_, d) =>
 Array.from(x.getImageData(0, Math.round((l.top + d * 16 + 13) * k), c.width, 1).data)) })) };
})()"""


def pixels(page, harts, what, begin, end):
    page.run("hartscope.views.time.show(%d, %d)" % (begin, end))
    shown = page.run("hartscope.views.time.state()")
    drawn = page.run(PIXELS)
    colours = dict((name, colour) for name, colour in drawn["colours"])
    each = (shown["to"] - shown["from"]) / drawn["width"]
    blank, wrong, looked, expected = [], [], 0, 0
    for lane in drawn["lanes"]:
        rows = [Row(calls) for calls in harts[lane["hart"]]]
        for depth, row in enumerate(rows[:200]):
            for x in range(drawn["width"]):
                first = shown["from"] + x * each
                here = most_of(row.among(first, first + each), first, first + each)
                if not here:
                    continue
                expected += 1
                if depth >= lane["rows"]:
                    blank.append((lane["hart"], depth, x))
                    continue
                pixel = lane["pixels"][depth][4 * x:4 * x + 4]
                if pixel[3] == 0:
                    blank.append((lane["hart"], depth, x))
                    continue
                looked += 1
                if looked % 7 or pixel[3] < 255 or lane["rough"]:
                    continue
                span = lane["span"]
                good = set()
                for n in range(int(first // span), int((first + each) // span) + 1):
                    good |= most_of(row.among(n * span, n * span + span), n * span, n * span + span)
                near = any(is_colour(pixel, colours[name]) for name in good)
                if not near and len(good) == 1 and x not in (0, drawn["width"] - 1):
                    wrong.append((lane["hart"], depth, x, pixel, sorted(good)))
    check("%s: none of %d pixels is blank" % (what, expected), expected > 500 and not blank,
          blank[:5])
    check("%s: pixels have what ran most" % what, not wrong, (len(wrong), wrong[:5]))


def main():
    page = Page(sys.argv[1])
    harts = calls_of(sys.argv[2])
    page.run("location.hash = '#time'; hartscope.views.time.setAxis('instructions')")
    time.sleep(0.3)
    check("link: a tab", page.run("!document.getElementById('time').hidden"))
    end = page.run("hartscope.views.time.view().to")
    check("not every call is on the page", page.run("hartscope.data.timeline.least") > 0)
    check("a lane for each hart",
          sorted(harts) == page.run("hartscope.time.harts.map((h) => h.hart)"))
    page.run("document.documentElement.style.setProperty('--cell-text', 'transparent')")
    page.run("document.getElementById('time-inlined').click()")  # these are in inlines.py
    page.resize(1280, 2400)  # all lanes are seen
    pixels(page, harts, "all", 0, end)
    for what, part in (("a quarter", 4), ("a 50th", 50), ("a 1,000th", 1000),
                       ("a 20,000th", 20000)):
        begin = int(end * 0.37)
        pixels(page, harts, what, begin, begin + max(end // part, 400))
    page.run("document.documentElement.style.removeProperty('--cell-text')")
    page.run("document.getElementById('time-inlined').click()")
    ranges(page, sys.argv[3])
    find(page)
    names = page.run("hartscope.time.harts.map(hartscope.time.titleOf)")
    check("threads have the names of what they run",
          names == ["hart 0: main", "hart 1: worker", "hart 2: climber"], names)
    said = page.run("document.getElementById('time-aligned').textContent")
    check("threads: aligned, and said by what", said.startswith("Threads are aligned by"), said)
    size = page.run("JSON.stringify(JSON.parse(document.getElementById('data').textContent)"
                    ".timeline).length")
    check("the timeline has at most 4 MB", 100000 < size < 4 << 20, size)
    inlined(page, sys.argv[3])
    lanes(page)
    density(page, run_on(sys.argv[3]))
    check("no errors", not page.errors, page.errors)
    page.close()
    return failed


def stat(recording, hart, first, last):
    out = subprocess.run([TOOL, "stat", "-q", "--json", "--top", "100000", "--hart", str(hart),
                          "--from", str(first), "--to", str(last), recording],
                         capture_output=True, check=True, text=True)
    counts = json.loads(out.stdout, object_hook=as_numbers)
    sums = {}
    for f in counts["functions"]:
        sums[f["name"]] = sums.get(f["name"], 0) + f["instructions"]
    return sums, counts


def run_on(recording):
    """Functions from which code runs into the next symbol: by address they have other counts than
    by the calls (design/stacks), and ranges count by calls.  glibc 2.41 has one."""
    sums = []
    for command, key, count in (("stat --top 100000", "functions", "instructions"),
                                ("calls --flat", "calls", "self")):
        out = subprocess.run([TOOL, *command.split(), "-q", "--json", recording],
                             capture_output=True, check=True, text=True)
        found = {}
        for f in json.loads(out.stdout, object_hook=as_numbers)[key]:
            found[f["name"]] = found.get(f["name"], 0) + f[count]
        sums.append(found)
    return {n for n in set(sums[0]) | set(sums[1]) if sums[0].get(n, 0) != sums[1].get(n, 0)}


def ranges(page, recording):
    """The sums of a range are those of stat."""
    chance, odd = random.Random(5), run_on(recording)
    check("range: functions that run into the next are few", len(odd) < 4, odd)
    for hart in page.run("hartscope.time.harts.map((h) => [h.hart, h.end])"):
        for length in (hart[1], hart[1] // 3, hart[1] // 100, 700):
            first = chance.randrange(max(hart[1] - length, 0) + 1)
            page.run("location.hash = '#range=%d:%d-%d'" % (hart[0], first, first + length))
            time.sleep(0.1)
            got = page.run("(() => { const v = hartscope.views.time, r = v.range(), s = v.sumUp(r);"
                           "return { from: r.from, to: r.to, traps: s.traps, all: s.instructions,"
                           " rows: s.functions.map((f) => [f.f[0], f.self]) }; })()")
            want, counts = stat(recording, hart[0], got["from"], got["to"])
            sums = {}
            for name, count in got["rows"]:
                sums[name] = sums.get(name, 0) + count
            sums = {name: n for name, n in sums.items() if n}
            what = "hart %d, %d of %d" % (hart[0], length, hart[1])
            check("range: it has what was asked for, " + what,
                  got["from"] <= first and got["to"] >= first + length, got)
            wrong = {n for n in set(sums) | set(want) if sums.get(n, 0) != want.get(n, 0)}
            check("range: instructions of functions as stat has them, " + what,
                  wrong <= odd and sum(sums.values()) == sum(want.values()),
                  {n: (sums.get(n), want.get(n)) for n in wrong})
            check("range: traps as stat has them, " + what,
                  got["traps"] == counts["exceptions"] + counts["interrupts"],
                  (got["traps"], counts["exceptions"]))


# Of each lane: how many pixels of the strip above its calls are painted.
STRIP = """(() => { const v = hartscope.views.time.view();
const c = document.getElementById('time-canvas');
const x = c.getContext('2d'), k = c.width / c.clientWidth;
return v.lanes.map((l) => {
 const p = x.getImageData(0, Math.round((l.top - 5) * k), c.width, 1).data;
 let n = 0; for (let i = 3; i < p.length; i += 4) n += p[i] > 0; return n / c.width; }); })()"""


def density(page, odd):
    """Find paints where a function ran; all harts are one range; traps are left out evenly."""
    page.resize(1280, 2400)
    page.run("location.hash = '#time'; hartscope.views.time.reset(); hartscope.find('weigh')")
    time.sleep(0.3)
    strips = page.run(STRIP)
    page.run("hartscope.find('')")
    check("find: the strip is where it ran", strips[0] > 0.2 and strips[1] > 0.98 and
          strips[2] < 0.02, strips)
    end = page.run("hartscope.views.time.view().to")
    page.run("location.hash = '#range=all:0-%d'" % end)
    time.sleep(0.3)
    wrong = page.run("hartscope.views.time.sumUp(hartscope.views.time.range()).functions"
                     ".filter((r) => r.self !== r.f[2] || r.total !== r.f[3] || r.calls !== r.f[4])"
                     ".map((r) => [r.f, r.self, r.total, r.calls])")
    wrong = [row for row in wrong if row[0][0] not in odd]
    check("range: all of all harts is the table of functions", wrong == [], wrong[:3])
    hart = page.run("hartscope.time.harts[1]")
    traps = sorted(t[0] for t in page.run("hartscope.data.traps") if t[1] == 1)
    gap = max(b - a for a, b in zip([0] + traps, traps + [hart["end"]]))
    check("traps: evenly left out", 500 < len(traps) < 3000 and gap < hart["end"] // 100,
          (len(traps), gap))


def lanes(page):
    """Lanes that are not seen are reached, and what is drawn is where the pointer finds it."""
    page.resize(1000, 420)
    page.run("location.hash = '#time'; hartscope.views.time.reset()")
    time.sleep(0.3)
    page.run("hartscope.views.time.jump(true, (f) => f === hartscope.numberOf('climber'))")
    time.sleep(0.3)
    said = page.run("hartscope.views.time.state().selected") or ""
    place = page.run(
        "(() => { const b = document.getElementById('time-canvas').getBoundingClientRect(),"
        " v = hartscope.views.time.view(), l = v.lanes.find((l) => l.hart.hart === 2);"
        " const y = l.top + 40 - document.getElementById('time-scroll').scrollTop;"
        " return { x: b.x + b.width / 2, inside: y > 20 && y < b.height }; })()")
    check("lanes: a call in one that was not seen is scrolled to", said.startswith("climber") and
          place["inside"], (said, place))
    page.run("document.getElementById('time-canvas').scrollIntoView()")
    call = page.run("(() => { const c = hartscope.views.time.callAt({ clientX: %f, clientY: "
                    "document.getElementById('time-canvas').getBoundingClientRect().top + "
                    "hartscope.views.time.view().lanes.find((l) => l.hart.hart === 2).top + 40 - "
                    "document.getElementById('time-scroll').scrollTop });"
                    "return c && hartscope.views.time.say(c); })()" % place["x"])
    check("lanes: the pointer finds it", (call or "").startswith("climber"), call)


def inlined(page, recording):
    """Inlined functions are in the tables and in the flame graph."""
    out = subprocess.run([TOOL, "report", "-q", "--json", "--top", "100000", "--by", "inline",
                          recording],
                         capture_output=True, check=True, text=True)
    rows = [r for r in json.loads(out.stdout, object_hook=as_numbers)["inlined"]
            if r["function"] == "spread"]
    page.run("location.hash = '#functions'")
    page.run("hartscope.find('spread')")
    row = page.run("Array.from(document.querySelector('#functions tr.inlined').cells,"
                   " (c) => c.textContent)")
    check("inlined: among the functions", len(rows) == 2 and row[0] == "spread" and
          row[1] == format(sum(r["self"] for r in rows), ","), (row, rows))
    page.run("hartscope.find('')")
    page.run("document.getElementById('tab-flame').click()")
    nodes = page.run("hartscope.views.flame.inlined()")
    exact = [n for n in nodes if n["name"] == "spread" and n["exact"]]
    want = [r["self"] for r in rows if r["inlinedInto"] == "climber"]
    check("inlined: in the flame graph", [n["total"] for n in exact] == want, (nodes, rows))
    shared = sum(n["total"] for n in nodes if n["name"] == "spread" and not n["exact"])
    rest = sum(r["self"] for r in rows if r["inlinedInto"] == "mix")
    check("inlined: shared out among paths", abs(shared - rest) <= 2 and rest, (nodes, rows))
    page.run("document.getElementById('flame-inlined').click()")
    check("inlined: off", page.run("hartscope.views.flame.inlined()") == [])
    page.run("document.getElementById('flame-inlined').click()")


def find(page):
    """Find says how often; the pointer selects a range."""
    page.run("location.hash = '#time'; hartscope.views.time.reset()")
    page.run("hartscope.find('weigh')")
    said = page.run("document.getElementById('time-found').textContent")
    f = page.run("hartscope.data.functions[hartscope.numberOf('weigh')]")
    check("find: how often", said.startswith("1 function: %s calls, %s instructions" % (
        format(f[4], ","), format(f[2], ","))) and f[4] >= 80000, (said, f))
    page.run("hartscope.find('')")
    box = page.run("(() => { const c = document.getElementById('time-canvas'); c.scrollIntoView();"
                   "const b = c.getBoundingClientRect(); return [b.x, b.y, b.width]; })()")
    y = box[1] + page.run("hartscope.views.time.view().lanes[0].top") + 4

    def mouse(kind, x):
        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                  buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    mouse("mousePressed", box[0] + 100)
    mouse("mouseMoved", box[0] + 150)
    mouse("mouseMoved", box[0] + 200)
    mouse("mouseReleased", box[0] + 200)
    link = page.run("location.hash")
    check("drag: a range, and its link", re.match(r"#range=0:\d+-\d+$", link), link)
    rows = page.run("document.querySelectorAll('#time-range tbody tr').length")
    check("drag: a table", rows > 0, rows)
    page.run("document.getElementById('time-canvas').focus()")
    page.key("Escape")
    check("Escape: no range", page.run("hartscope.views.time.range()") is None)
    page.run("history.back()")
    time.sleep(0.3)
    check("back: the range", page.run("location.hash") == link and
          page.run("hartscope.views.time.range() !== null"),
          page.run("location.hash"))


if __name__ == "__main__":
    sys.exit(main())
