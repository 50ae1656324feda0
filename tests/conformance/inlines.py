"""inlines.py PAGE SPEEDSCOPE RECORDING: inlined functions in the timeline of a page, against each
instruction as list has it, with what debug information says, and calls as export has them."""
import json
import os
import random
import subprocess
import sys
import time

from browser import Page
import timeline
from timeline import calls_of, check, is_colour

TOOL = os.environ["HARTSCOPE"]


def innermost(calls):
    """At each instruction of a hart where another call becomes the innermost: (at, depth, number
    of the call); the last one ends all."""
    edges = []
    for depth, row in enumerate(calls):
        for n, (start, end, _) in enumerate(row):
            if start < end:
                edges += [(start, 1, depth, n), (end, 0, -depth, n)]
    places, open_calls = [], []
    for at, begins, depth, n in sorted(edges):
        if begins:
            open_calls.append((depth, n))
        else:
            open_calls.pop()
        if places and places[-1][0] == at:
            places.pop()
        places.append((at, *(open_calls[-1] if open_calls else (-1, -1))))
    return places


def listed(recording, hart, first, last):
    """The innermost inlined function of each instruction; None: there is none."""
    out = subprocess.run([TOOL, "list", "-q", "--json", "--hart", str(hart), "--from", str(first),
                          "--to", str(last), recording],
                         capture_output=True, check=True, text=True)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    return [r["inlined"][-1]["function"] if "inlined" in r else None for r in rows if "pc" in r]


def runs_of(recording, hart, places, first, last):
    """Runs as (start, end, depth of their row, name)."""
    import bisect
    names, runs, before = listed(recording, hart, first, last), [], None
    assert len(names) == last - first, (len(names), first, last)
    at = max(bisect.bisect_right(places, (first, 1 << 40, 0)) - 1, 0)
    for k, name in enumerate(names):
        while at + 1 < len(places) and places[at + 1][0] <= first + k:
            at += 1
            before = None  # another call, or the same one after what it called
        if name and name == before:
            runs[-1][1] += 1
        elif name:
            runs.append([first + k, first + k + 1, places[at][1] + 1, name])
        before = name
    return [tuple(r) for r in runs]


# Runs that the page has of a hart between two instructions.
RUNS = """(() => { const h = hartscope.time.harts.find((h) => h.hart === %d), found = [];
for (const p of h.inlined.levels) { const l = hartscope.time.calls(p);
 for (let i = 0; i < l.count; i++) if (l.start[i] < %d && l.start[i] + l.length[i] > %d)
  found.push([l.start[i], l.start[i] + l.length[i], l.depth[i],
   hartscope.data.timeline.inlinedNames[l.what[i] >> 4]]); }
return found.sort((a, b) => a[0] - b[0] || a[2] - b[2]); })()"""

# Spans of a level in which the page says that an inlined function has most, of the shortest ones.
SPANS = """(() => { const h = hartscope.time.harts.find((h) => h.hart === %d);
const l = h.inlined.spans[0], found = [];
hartscope.time.depths(l).forEach((d, depth) => { for (let i = 0; i < d.start.length; i++)
 found.push([d.start[i], d.end[i], depth,
  hartscope.data.timeline.inlinedNames[d.what[i] >> 4]]); });
return { span: Math.pow(2, l.shift), found }; })()"""


def exact(page, recording, hart, places, end):
    """Runs that the page has are those of the instructions, and all where it says so."""
    hidden = page.run(
        "hartscope.time.harts.find((h) => h.hart === %d).inlined.hidden || null" % hart)
    chance, whole = random.Random(hart), 0
    places_of = [chance.randrange(max(end - 9000, 1)) for _ in range(4)]
    for first in [0, max(end - 9000, 0)] + places_of:
        last = min(first + 9000, end)
        got = [tuple(r) for r in page.run(RUNS % (hart, last - 100, first + 100))
               if r[0] >= first and r[1] <= last]
        want = [r for r in runs_of(recording, hart, places, first, last)
                if r[0] < last - 100 and r[1] > first + 100]
        known = not hidden or last <= hidden[0] or first >= hidden[1]
        whole += known
        inside = [r for r in want if r[0] > first and r[1] < last]
        extra = [r for r in got if r not in want and first < r[0] and r[1] < last]
        lost = [r for r in inside if r not in got] if known else []
        check("hart %d from %d: runs are those of the instructions" % (hart, first),
              not extra and not lost, (extra[:3], lost[:3]))
    check("hart %d: of some places the page has all" % hart, whole >= 2, hidden)
    return hidden


def most(page, recording, hart, calls, places, end):
    """Where the page says that an inlined function has most of a span, it has."""
    page_has = page.run(SPANS % hart)
    span, chance = page_has["span"], random.Random(hart + 9)
    many = max(24000 // span, 1)
    for first in [chance.randrange(max(int(end / span) - many, 1)) * span for _ in range(3)]:
        last = min(first + many * span, end // span * span)
        sums = {}
        for start, finish, depth, name in runs_of(recording, hart, places, first, last):
            for n in range(start // span, (finish - 1) // span + 1):
                part = min(finish, n * span + span) - max(start, n * span)
                of = sums.setdefault((depth, n), {})
                of[name] = of.get(name, 0) + part
        wrong, looked = [], 0
        for n in range(first // span, last // span):
            for depth in {d for d, k in sums if k == n} | {0, 1, 2}:
                own, others = sums.get((depth, n), {}), {}
                for start, finish, name in calls[depth] if depth < len(calls) else []:
                    part = min(finish, n * span + span) - max(start, n * span)
                    if part > 0:
                        others[name] = others.get(name, 0) + part
                best = max(own.values(), default=0)
                good = {name for name in own if own[name] == best} \
                    if best and best >= max(others.values(), default=0) else {None}
                said = [r[3] for r in page_has["found"]
                        if r[2] == depth and r[0] <= n * span < r[1]]
                looked += 1
                if (said[0] if said else None) not in good:
                    wrong.append((n, depth, said, own, others))
        check("hart %d from %d: what has most of each span of %d" % (hart, first, span),
              looked and not wrong, wrong[:2])


# Colours of the middle of rows and whether they have a dashed border above, around a place.
ROW = """(() => { const v = hartscope.views.time.view(), c = document.getElementById('time-canvas');
const k = c.width / c.clientWidth, x = c.getContext('2d');
const l = v.lanes.find((l) => l.hart.hart === %d);
const scale = c.clientWidth / (v.to - v.from), at = (p) => Math.round((p - v.from) * scale * k);
const y = l.top + %d * 16 - document.getElementById('time-scroll').scrollTop;
const left = at(%f), width = Math.max(at(%f) - left, 1);
const border = Array.from(x.getImageData(left, Math.round(y * k), width, 1).data);
const one = document.createElement('canvas').getContext('2d');
one.fillStyle = 'hsl(' + hartscope.hue('%s') + ' ' + hartscope.style('--sat') + ' ' +
 hartscope.style('--light') + ')';
one.fillRect(0, 0, 1, 1);
const middle = x.getImageData(left + Math.floor(width / 2), Math.round((y + 12) * k), 1, 1).data;
return { colour: Array.from(one.getImageData(0, 0, 1, 1).data), border, width,
 middle: Array.from(middle) };
})()"""


def drawn(page):
    """A wide one is a dashed cell, which says what it is; the switch is one for all tabs."""
    page.resize(1280, 1600)
    page.run("location.hash = '#time'")
    time.sleep(0.2)
    longest = page.run("(() => { let best = null; const h = hartscope.time.harts[1];"
                       "for (const p of h.inlined.levels) { const l = hartscope.time.calls(p);"
                       "for (let i = 0; i < l.count; i++) if (!best || l.length[i] > best[1])"
                       " best = [l.start[i], l.length[i], l.depth[i],"
                       " hartscope.data.timeline.inlinedNames[l.what[i] >> 4]]; }"
                       " return best; })()")
    start, length, depth, name = longest
    check("the longest run", name == "churn" and length > 10000, longest)
    page.run("hartscope.views.time.setAxis('instructions')")
    page.run("document.documentElement.style.setProperty('--cell-text', 'transparent')")
    page.run("hartscope.views.time.show(%d, %d)" % (start - length, start + 2 * length))
    where = (1, depth, start, start + length, name)
    cell = page.run(ROW % where)
    border = [cell["border"][4 * i:4 * i + 3] for i in range(10, cell["width"] - 10)]
    dashes = sum(not is_colour(p, cell["colour"]) for p in border)
    check("it is a cell in its colour", is_colour(cell["middle"], cell["colour"]), cell["middle"])
    check("its border is dashed", len(border) * 0.2 < dashes < len(border) * 0.9,
          (dashes, len(border)))
    said = page.run(
        "(() => { const v = hartscope.views.time.view();"
        " const b = document.getElementById('time-canvas').getBoundingClientRect();"
        " const l = v.lanes.find((l) => l.hart.hart === 1);"
        " const c = hartscope.views.time.callAt({ clientX: b.x + b.width / 2,"
        " clientY: b.y + l.top +"
        " %d * 16 + 8 - document.getElementById('time-scroll').scrollTop });"
        " return c && [hartscope.views.time.say(c), hartscope.views.time.functionOf(c)]; })()"
        % depth)
    check("the pointer says what it is", said and said[1] == "churn" and
          "inlined into the call above" in said[0] and format(length, ",") in said[0], said)
    page.run("document.getElementById('time-inlined').click()")
    off = page.run(ROW % where)
    check("off: nothing is there", off["middle"][3] == 0 or
          not is_colour(off["middle"], cell["colour"]), off["middle"])
    check("off: the same in the flame graph and among the functions",
          page.run("document.getElementById('tab-flame').click();"
                   " [document.getElementById('flame-inlined').checked,"
                   " hartscope.views.flame.inlined().length]") == [False, 0] and
          page.run("document.getElementById('tab-functions').click();"
                   " [document.getElementById('functions-inlined').checked,"
                   " document.querySelectorAll('#functions tr.inlined').length]") == [False, 0])
    page.run("document.getElementById('functions-inlined').click()")
    check("on: rows, and the focus stays", page.run(
        "[document.querySelectorAll('#functions tr.inlined').length > 1,"
        " document.activeElement.id]") == [True, "functions-inlined"])
    page.run("document.getElementById('tab-time').click()")
    check("on: it is there again", page.run(ROW % where)["middle"] == cell["middle"])
    note = page.run("document.getElementById('time-note').textContent")
    shown, all_of = page.run("(({ inlinedShown, inlinedRuns }) => [inlinedShown, inlinedRuns])"
                             "(hartscope.data.timeline)")
    check("what is not on the page is said", shown < all_of and
          "the longest %s of %s" % (format(shown, ","), format(all_of, ",")) in note, note)


def main():
    page, recording = Page(sys.argv[1]), sys.argv[3]
    harts = calls_of(sys.argv[2])
    hidden = []
    for hart, calls in sorted(harts.items()):
        end = max(row[-1][1] for row in calls if row)
        places = innermost(calls)
        hidden.append(exact(page, recording, hart, places, end))
        most(page, recording, hart, calls, places, end)
    check("some runs are not on the page", any(hidden), hidden)
    drawn(page)
    size = page.run("JSON.stringify(JSON.parse(document.getElementById('data').textContent)"
                    ".timeline).length")
    check("the timeline has at most 4 MB", 100000 < size < 4 << 20, size)
    check("no errors", not page.errors, page.errors)
    page.close()
    return timeline.failed


if __name__ == "__main__":
    sys.exit(main())
