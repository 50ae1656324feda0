"""thread_order.py CHROME RECORDING | --apart CHROME | --page HTML: the threads of
tests/programs/relay.c, whose order is known, on the axis of an export or of a page."""
import json
import os
import subprocess
import sys

TOOL = os.environ["HARTSCOPE"]
LEGS = ["leg0", "leg1", "leg2", "leg3"]
failed = False


def check(what, good, got=None):
    global failed
    print("%s - %s%s" % ("ok" if good else "not ok", what, "" if good else ": %r" % (got,)))
    failed = failed or not good


def calls_of(path):
    """Calls as (name, hart, begin, end) and of each hart when it begins and ends, nanoseconds."""
    calls, opened, harts = [], {}, {}
    for e in json.load(open(path))["traceEvents"]:
        if e["ph"] not in "BE":
            continue
        now, stack = round(e["ts"] * 1000), opened.setdefault((e["pid"], e["tid"]), [])
        first, last = harts.get(e["pid"], (now, now))
        harts[e["pid"]] = min(first, now), max(last, now)
        if e["ph"] == "B":
            stack.append((e["name"], now))
        else:
            name, begin = stack.pop()
            calls.append((name, e["pid"], begin, now))
    return calls, harts


def relay(calls, begins):
    """Legs come one after the other, each on a hart of its own; finish() after the last, twice at
    the same time.  @begins: where each hart begins."""
    legs = sorted((c for c in calls if c[0] in LEGS), key=lambda c: c[0])
    ends = sorted((c for c in calls if c[0] == "finish"), key=lambda c: c[2])
    check("each leg ran on a thread of its own", [c[0] for c in legs] == list(LEGS) and
          len({c[1] for c in legs} - {0}) == len(LEGS), legs)
    check("each leg is after the one before",
          all(a[3] < b[2] for a, b in zip(legs, legs[1:])), legs)
    check("and not later than the baton", all(b[2] - a[3] < 3000 for a, b in zip(legs, legs[1:])),
          legs)
    check("two finish after the last leg", len(ends) == 2 and ends[0][2] > legs[3][3], ends)
    check("at the same time", ends[0][3] > ends[1][2], ends)
    main = [c for c in calls if c[0] == "main"][0]
    check("main waited for all runners", main[3] > max(c[3] for c in calls if c[0] == "runner"),
          main)
    made = sorted(c[2:] for c in calls if c[0] in ("clone", "__clone") and c[2] != begins[c[1]])
    born = sorted(begins[h] for h in begins if h)
    check("each thread begins in the clone() that made it",
          len(made) == len(born) == 6 and all(a <= b <= c for (a, c), b in zip(made, born)),
          (made, born))


# In the middle of each long wait, by depth: 0 where nothing is drawn, 1 a call that is known, 2
# what has most of a span, which may have begun after the wait.
WAITS = """hartscope.views.time.view().lanes.flatMap((l) => { const v = hartscope.views.time,
 w = v.view(), s = l.hart.scale, c = document.getElementById('time-canvas'), out = [];
 const box = c.getBoundingClientRect(), scroll = document.getElementById('time-scroll').scrollTop;
 s.at.forEach((a, i) => { if (a > 0 && a === s.at[i + 1] && s.time[i + 1] - s.time[i] > 1e5) {
  const at = (s.time[i] + s.time[i + 1]) / 2;
  const x = box.left + (at - w.from) / (w.to - w.from) * box.width;
  out.push(Array.from({ length: l.rows }, (_, d) => { const call = v.callAt({ clientX: x,
   clientY: box.top + l.top + 16 * d + 8 - scroll });
   return call ? call.level ? 1 : 2 : 0; })); } });
 return out; })"""


def page(path):
    from browser import Page
    page = Page(path)
    page.run("location.hash = '#time'")
    page.resize(1280, 1600)
    calls = page.run("""hartscope.time.harts.flatMap((h) => h.levels.flatMap((p) => {
 const l = hartscope.time.calls(p), a = hartscope.views.time.axes.time;
 return Array.from({ length: l.count }, (_, i) => [hartscope.functionOf(l.what[i] >> 4)[0], h.hart,
  a.place(h, l.start[i], true), a.place(h, l.start[i] + l.length[i], false)]); }))""")
    begins = {h: at for h, at in page.run("hartscope.time.harts.map((h) =>"
                                          " [h.hart, hartscope.views.time.axes.time.place(h, 0)])")}
    relay([tuple(c) for c in calls], begins)
    said = page.run("document.getElementById('time-aligned').textContent")
    check("the page says what is known", said.startswith("Threads are aligned by their system") and
          "not known who" not in said, said)
    shown = page.run("hartscope.views.time.state()")
    check("that axis is shown", shown["across"] == "time" and
          shown["to"] == max(c[3] for c in calls), shown)
    # No pixel of the outermost row is blank where a thread is, and all are where it is not.
    rows = page.run("""(() => { const v = hartscope.views.time.view(),
 c = document.getElementById('time-canvas'), x = c.getContext('2d'), k = c.width / c.clientWidth;
 return v.lanes.map((l) => [l.hart.hart, v.from, v.to, Array.from(x.getImageData(0,
  Math.round((l.top + 8) * k), c.width, 1).data).filter((_, i) => i % 4 === 3)]); })()""")
    for hart, first, last, alpha in rows:
        each = (last - first) / len(alpha)
        lane = [c for c in calls if c[1] == hart]
        begin, end = begins[hart], max(c[3] for c in lane)
        inside = [a for x, a in enumerate(alpha)
                  if first + x * each > begin and first + (x + 1) * each < end]
        before = [a for x, a in enumerate(alpha) if first + (x + 2) * each < begin]
        check("hart %d: no pixel is blank while it lives" % hart,
              inside and min(inside) > 0, (inside.count(0), len(inside)))
        check("hart %d: nothing before it began" % hart,
              sum(a == 255 for a in before) < 12, before.count(255))  # lines of the axis
    waits = page.run(WAITS)
    # Each leg but the first waits for its baton, main for the first runner, the last runner for
    # one of the two it began.  Whether others had to wait is up to the emulator.
    check("in waits only calls that are open", len(waits) >= len(LEGS) - 1 + 2 and
          all(row[0] == 1 and 2 not in row for row in waits), waits)
    page.run("hartscope.views.time.setAxis('instructions')")
    check("without places: from 0", page.run("hartscope.views.time.view().from") == 0)
    check("no errors", not page.errors, page.errors)
    page.close()


def main():
    if sys.argv[1] == "--page":
        page(sys.argv[2])
    elif sys.argv[1] == "--apart":
        calls, harts = calls_of(sys.argv[2])
        check("each begins at 0", len(harts) == 7 and all(h[0] == 0 for h in harts.values()), harts)
    else:
        calls, harts = calls_of(sys.argv[1])
        relay(calls, {h: harts[h][0] for h in harts})
        own = json.loads(subprocess.run([TOOL, "calls", "-q", "--json", "--flat", sys.argv[2]],
                                        capture_output=True, check=True, text=True).stdout)
        check("it has all calls", sum(c["calls"] for c in own["calls"]) <= len(calls), len(calls))
    sys.exit(failed)


main()
