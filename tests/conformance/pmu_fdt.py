"""Another reading of the riscv,pmu node, for pmu_fdt.sh.

    pmu_fdt.py TREE           print its rows as pmu_fdt.c does (of a tree without selectors)
    pmu_fdt.py TREE NEW       write a tree whose node also has selectors and raw events
    pmu_fdt.py TREE NEW bad   the same, with a selector 0
"""
import struct
import sys

MORE = {
    "riscv,event-to-mhpmevent": [0x10019, 0x12, 0x34567890],
    "riscv,raw-event-to-mhpmcounters": [
        0, 2, 0xffffffff, 0xffffffff, 0x7fff8, 0, 0x100, 0x3ffffff, 0xffffff00, 8],
}


class Tree:
    def __init__(self, data):
        self.head = list(struct.unpack(">10I", data[:40]))
        self.structure = data[self.head[2]:self.head[2] + self.head[9]]
        self.strings = data[self.head[3]:self.head[3] + self.head[8]]
        self.before = data[40:self.head[2]]

    def name(self, at):
        return self.strings[at:self.strings.index(0, at)].decode()

    def tokens(self):
        """(token, where it ends, name, value) of each."""
        at = 0
        while True:
            token, = struct.unpack_from(">I", self.structure, at)
            at += 4
            name, value = "", b""
            if token == 1:
                end = self.structure.index(0, at)
                name = self.structure[at:end].decode()
                at = (end + 4) // 4 * 4
            elif token == 3:
                size, offset = struct.unpack_from(">II", self.structure, at)
                name, value = self.name(offset), self.structure[at + 8:at + 8 + size]
                at = (at + 8 + size + 3) // 4 * 4
            yield token, at, name, value
            if token == 9:
                return

    def pmu(self):
        """The properties of the node, and where the first one ends."""
        found, where = {}, 0
        for token, at, name, value in self.tokens():
            if token == 3:
                found[name] = value
                where = where or at
            elif b"riscv,pmu" in found.get("compatible", b"").split(b"\0"):
                return found, where
            else:
                found, where = {}, 0
        sys.exit("no riscv,pmu node")


def rows(value, cells):
    words = struct.unpack(">%dI" % (len(value) // 4), value)
    return zip(*[iter(words)] * cells)


def show(tree):
    properties, _ = tree.pmu()
    for first, last, counters in rows(properties["riscv,event-to-mhpmcounters"], 3):
        if counters:
            print("event %x %x %x 0" % (first, last, counters))


def extend(tree, path, bad):
    _, where = tree.pmu()
    more = b""
    if bad:
        MORE["riscv,event-to-mhpmevent"][1:] = [0, 0]
    for name, cells in MORE.items():
        more += struct.pack(">III%dI" % len(cells), 3, 4 * len(cells), len(tree.strings), *cells)
        tree.strings += name.encode() + b"\0"
    structure = tree.structure[:where] + more + tree.structure[where:]
    tree.head[9] = len(structure)
    tree.head[8] = len(tree.strings)
    tree.head[3] = tree.head[2] + len(structure)
    tree.head[1] = tree.head[3] + len(tree.strings)
    with open(path, "wb") as out:
        out.write(struct.pack(">10I", *tree.head) + tree.before + structure + tree.strings)


def main():
    with open(sys.argv[1], "rb") as source:
        tree = Tree(source.read())
    if len(sys.argv) > 2:
        extend(tree, sys.argv[2], len(sys.argv) > 3)
    else:
        show(tree)


main()
