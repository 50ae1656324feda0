"""cut_files.py RECORDING CASES: after a power cut any of the files of a recording may be short.

Each is cut at each 512 bytes and before its last byte, alone and in pairs; CASES of these, in a
random order that is always the same.  What list reads, and what fsck --salvage makes, begins what
the whole recording has; what lacks something is an error with a message; and what can be read is
salvaged, too.  $HARTSCOPE is the tool.
"""
import itertools
import os
import random
import shutil
import subprocess
import sys

TOOL = os.environ["HARTSCOPE"]


def run(*arguments):
    """Exit status, words of the output, and messages."""
    done = subprocess.run([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False)
    return done.returncode, done.stdout.split(), done.stderr


def cuts_of(folder):
    """Each file with the sizes that it is cut to, alone and in pairs."""
    sizes = {name: os.path.getsize(f"{folder}/{name}") for name in sorted(os.listdir(folder))}
    cuts = {name: [(name, at) for at in [*range(0, size, 512), size - 1]]
            for name, size in sizes.items() if size}
    yield from ((cut,) for of in cuts.values() for cut in of)
    for a, b in itertools.combinations(cuts.values(), 2):
        yield from itertools.product(a, b)


def wrong(folder, whole, cuts):
    """What is not as it should be where the files are cut so."""
    for old in ("cut.rec", "cut.salvaged"):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(folder, "cut.rec")
    for name, size in cuts:
        os.truncate(f"cut.rec/{name}", size)
    status, read, said = run("list", "--format", "pc", "cut.rec")
    run("fsck", "-q", "--salvage", "-o", "cut.salvaged", "cut.rec")
    salvaged = run("list", "--format", "pc", "cut.salvaged")[1]
    return [what for what, is_so in (
        ("read: not a beginning", read != whole[:len(read)]),
        ("salvaged: not a beginning", salvaged != whole[:len(salvaged)]),
        ("less, without an error", status == 0 and len(read) < len(whole)),
        ("an error without a word", status != 0 and not said.strip()),
        ("a signal", status < 0),
        ("less is salvaged than is read", len(salvaged) < len(read))) if is_so]


def main():
    """Print what is wrong."""
    folder, cases = sys.argv[1], int(sys.argv[2])
    whole = run("list", "--format", "pc", folder)[1]
    every = list(cuts_of(folder))
    random.Random(1).shuffle(every)
    for cuts in every[:cases]:
        for what in wrong(folder, whole, cuts):
            print(cuts, what)
    print(f"{min(cases, len(every))} cases of {len(every)}, {len(whole)} instructions")


main()
