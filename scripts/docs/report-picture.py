#!/usr/bin/env python3
"""Make the pictures of report pages in docs/, as headless Chromium shows them.

  report-picture.py TOOL FOLDER

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
    ("report-threads", "timeline", True, 960, 760, "location.hash = '#time'"),
    ("report-function", "sort", False, 960, 760,
     "hartscope.open(hartscope.numberOf('words_count.constprop.0'))"),
    ("report-gaps", "gaps", False, 960, 460, "location.hash = '#time'"),
    ("report-narrow", "sort", True, 400, 800, "location.hash = '#functions'"),
)
GAPS = range(100000, 4000000, 300000)  # bytes of the trace that are lost


def make(tool, folder):
    """Pages of a program, of one with threads, and of a trace with gaps."""
    def run(*command, good=(0,)):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        if done.returncode not in good:
            sys.exit("%s: exit status %d" % (" ".join(command), done.returncode))

    for name, source in (("sort", "examples/sort.c"), ("timeline", "tests/programs/timeline.c")):
        run("riscv64-linux-gnu-gcc", "-O2", "-g", "-static", "-pthread", f"{SOURCE}/{source}",
            "-o", name)
        run(tool, "record", "-q", "-o", f"{name}.rec", "--", f"./{name}")
        run(tool, "report", "-q", "--html", "-o", f"{name}.html", f"{name}.rec")
    run(tool, "encode", "-q", "--protocol", "ntrace", "--set", "trTeInstSyncMode=bytes", "--set",
        "trTeInstSyncMax=1", "-o", "gaps.nt", "sort.rec")
    with open(f"{folder}/gaps.nt", "r+b") as trace:
        for at in GAPS:
            trace.seek(at)
            trace.write(bytes(40))
    run(tool, "report", "-q", "--html", "-o", "gaps.html", "--elf", "sort", "gaps.nt", good=(3,))


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
    tool, out = (os.path.realpath(path) for path in sys.argv[1:])
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        make(tool, folder)
        for name, page, *how in PICTURES:
            errors += show(f"{folder}/{page}.html", f"{out}/{name}.png", *how)
    sys.exit("\n".join(errors))


main()
