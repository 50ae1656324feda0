"""What a profile of a trace costs from Python: a loop over its items, and counts of it.

    profiles.py TRACE ELF

As bench/profiles.cc.
"""
import sys
import time

import hartscope
from hartscope.library import check, ffi, lib
from hartscope.profile import profile_of


def loop(run):
    """Each block is counted."""
    options = ffi.new("struct hs_counts_options *", {
        "size": ffi.sizeof("struct hs_counts_options"), "source": run._source})
    made = ffi.new("struct hs_counts **")
    check(lib.hs_counts_new(options, made))
    counts = ffi.gc(made[0], lib.hs_counts_free)
    for items in run.blocks():
        check(lib.hs_counts_add(counts, ffi.from_buffer("struct hs_block[]", items), len(items)))
    return profile_of(counts).instructions


def count(run):
    """The run is."""
    return run.profile().instructions


def main():
    """The least of three each, in turn."""
    seconds = {loop: [], count: []}
    for _ in range(3):
        found = set()
        for way, spent in seconds.items():
            start = time.process_time()
            with hartscope.open(sys.argv[1], elf=sys.argv[2], threads=1) as run:
                found.add(way(run))
            spent.append(time.process_time() - start)
        if len(found) != 1:
            sys.exit("the ways count different instructions")
    for way, spent in seconds.items():
        print(f"{way.__name__}_seconds {min(spent):.3f}")


main()
