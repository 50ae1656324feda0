#!/usr/bin/env python3
"""Make the pictures of report pages in docs/, as headless Chromium shows them.

  report-picture.py TOOL FOLDER [NAME...]     all, or those with these names

Needs riscv64-linux-gnu-gcc, qemu-riscv64 and chromium.
"""
import os
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests/conformance"))
from browser import Page  # noqa: E402  (the folder above)

# Picture, page, dark, width, height, and what to do first, one after the other.
PICTURES = (
    ("report", "sort", False, 960, 440, "document.querySelector('#tab-flame').click()"),
    ("report-timeline", "sort", False, 960, 1000,
     "location.hash = '#range=0:74000000-74700000'",
     "hartscope.views.time.show(73700000, 75250000); hartscope.find('by_text')"),
    ("report-threads", "pipeline", True, 960, 1060, "location.hash = '#time'"),
    ("report-function", "sort", False, 960, 760,
     "hartscope.open(hartscope.numberOf('words_count.constprop.0'))"),
    ("report-gaps", "gaps", False, 960, 520,
     "location.hash = '#time'", "hartscope.views.time.show(400000, 10200000)"),
    ("report-narrow", "sort", True, 400, 800, "location.hash = '#functions'"),
)
GAPS = range(100000, 4000000, 300000)  # bytes of the trace that are lost


def run(folder, *command, good=(0,)):
    """Run it there; other statuses end all."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode not in good:
        sys.exit("%s: exit status %d" % (" ".join(command), done.returncode))


def make_program(tool, folder, name, source):
    """A page of a program."""
    run(folder, "riscv64-linux-gnu-gcc", "-O2", "-g", "-static", "-pthread", f"{SOURCE}/{source}",
        "-o", name)
    run(folder, tool, "record", "-q", "-o", f"{name}.rec", "--", f"./{name}")
    run(folder, tool, "report", "-q", "--html", "-o", f"{name}.html", f"{name}.rec")


def make_gaps(tool, folder):
    """A page of a trace that lost bytes."""
    if not os.path.exists(f"{folder}/sort.rec"):
        make_program(tool, folder, "sort", "examples/sort.c")
    run(folder, tool, "encode", "-q", "--protocol", "ntrace", "--set", "trTeInstSyncMode=bytes",
        "--set", "trTeInstSyncMax=1", "-o", "gaps.nt", "sort.rec")
    with open(f"{folder}/gaps.nt", "r+b") as trace:
        for at in GAPS:
            trace.seek(at)
            trace.write(bytes(40))
    run(folder, tool, "report", "-q", "--html", "-o", "gaps.html", "--elf", "sort", "gaps.nt",
        good=(3,))


PAGES = {
    "sort": lambda *to: make_program(*to, "sort", "examples/sort.c"),
    "pipeline": lambda *to: make_program(*to, "pipeline", "tests/programs/pipeline.c"),
    "gaps": make_gaps,
}


def show(path, out, dark, width, height, *scripts):
    """The errors of a page, which is shown."""
    page = Page(path, dark, size=(width, height))
    page.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
              deviceScaleFactor=1, mobile=False)
    page.send("Emulation.setScrollbarsHidden", hidden=True)
    for script in scripts:
        page.run(script)
        time.sleep(0.5)  # a link is followed, and the page drawn
    page.shot(out)
    page.close()
    return page.errors


def main():
    tool, out = (os.path.realpath(path) for path in sys.argv[1:3])
    wanted = [p for p in PICTURES if p[0] in sys.argv[3:] or not sys.argv[3:]]
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for page in dict.fromkeys(p[1] for p in wanted):
            PAGES[page](tool, folder)
        for name, page, *how in wanted:
            errors += show(f"{folder}/{page}.html", f"{out}/{name}.png", *how)
    sys.exit("\n".join(errors))


main()
