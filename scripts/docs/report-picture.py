#!/usr/bin/env python3
"""Make docs/report.png: a report of examples/sort.c as headless Chromium shows it.

  report-picture.py TOOL OUT.png

Needs riscv64-linux-gnu-gcc, qemu-riscv64 and chromium.
"""
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests/conformance"))
from browser import Page  # noqa: E402  (the folder above)

WIDTH, HEIGHT = 960, 440


def report(tool, folder):
    """The path of a report of the example, recorded now."""
    def run(*command):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run("riscv64-linux-gnu-gcc", "-O2", "-g", "-static", f"{SOURCE}/examples/sort.c", "-o", "sort")
    run(tool, "record", "-q", "-o", "sort.rec", "--", "./sort")
    run(tool, "report", "-q", "--html", "-o", "sort.html", "sort.rec")
    return f"{folder}/sort.html"


def main():
    tool, out = (os.path.realpath(path) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        page = Page(report(tool, folder), size=(WIDTH, HEIGHT))
        page.send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT,
                  deviceScaleFactor=1, mobile=False)
        page.send("Emulation.setScrollbarsHidden", hidden=True)
        page.run("document.querySelector('#tab-flame').click()")
        # Two frames: the first one lays out, the second one has drawn.
        page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.shot(out)
        errors = page.errors
        page.close()
    sys.exit("\n".join(errors))


main()
