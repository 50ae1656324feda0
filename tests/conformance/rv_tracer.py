#!/usr/bin/env python3
"""A second reading of captures of rv_tracer: rv_tracer.py DISASSEMBLY CAPTURE prints the PCs.

Slots, fields and their meaning are those that docs/captures.md and design/et-layouts describe;
the program is what objdump -d printed.  Nothing of Hartscope is used.  What cannot be followed ends
it with a message.
"""
import re
import sys


def read_program(path):
    """Address: (bytes, mnemonic, target or None)."""
    program = {}
    for line in open(path, encoding="utf-8"):
        m = re.match(r"\s*([0-9a-f]+):\t([0-9a-f]+)\s*\t(\S+)\t?(.*)", line)
        if not m:
            continue
        name, targets = m[3], re.findall(r"\b([0-9a-f]{8})\b", m[4])
        jumps = name in ("j", "jal") or name.startswith("b")
        program[int(m[1], 16)] = (len(m[2]) // 2, name,
                                  int(targets[-1], 16) if jumps and targets else None)
    return program


class Packet:
    """Fields, the lowest bit first."""

    def __init__(self, slot):
        data = slot[::-1]
        size = data[0] & 31
        self.left, self.bits = 8 * size, int.from_bytes(data[9:9 + size], "little")

    def take(self, n):
        value = self.bits & (1 << n) - 1
        self.bits >>= n
        self.left -= n
        return value

    def address(self, after):
        n = (self.left - after - 1) // 8 * 8 + 1
        value = self.take(n)
        return value - (value >> n - 1 << n)


class Hart:
    def __init__(self, program):
        self.program, self.pc, self.reported, self.calls, self.ways = program, None, 0, [], []

    def is_branch(self, pc):
        return self.program[pc][1].startswith("b")

    def runs_to(self, pc, to):
        while pc != to:
            if pc not in self.program or self.program[pc][1] in ("j", "jal", "jr", "jalr", "ret") \
                    or self.is_branch(pc):
                return False
            pc += self.program[pc][0]
        return True

    def go(self, pc):
        self.pc = pc
        print(f"{pc:x}")

    def step(self):
        """False: only the trace knows where the instruction led."""
        size, name, target = self.program[self.pc]
        if name in ("ret", "jr", "jalr", "mret"):
            return False
        if name == "jal":
            self.calls.append(self.pc + size)
        if self.is_branch(self.pc):
            target = self.pc + size if self.ways.pop(0) else target
        self.go(self.pc + size if target is None else target)
        return True

    def arrive(self, to):
        """A return led to the block that ends at an address."""
        assert self.program[self.pc][1] == "ret", f"{self.pc:x}: no return"
        while not self.runs_to(self.calls[-1], to):
            self.calls.pop()
        self.go(self.calls.pop())
        while self.pc != to:
            self.go(self.pc + self.program[self.pc][0])

    def walk_to(self, to, spare=False):
        own = int(self.is_branch(to))
        while True:
            rest = self.ways[own:]
            if self.pc == to and len(self.ways) >= own and (not rest or spare and not any(rest)):
                del self.ways[own:]
                return
            if not self.step():
                self.arrive(to)

    def sync(self, branch, to):
        if self.pc is None:
            self.go(to)
        else:
            self.walk_to(to)
        if self.is_branch(to) and not self.ways:
            self.ways = [branch]

    def flow(self, packet, ways, spare):
        self.reported += packet.address(3)
        packet.take(1)
        self.ways += ways
        if not packet.take(1):
            self.walk_to(self.reported, spare)
            return
        while self.step():
            pass
        self.arrive(self.reported)
        assert len(self.ways) == int(self.is_branch(self.pc)), f"{self.pc:x}: branches left"

    def take(self, packet):
        kind = packet.take(2)
        if kind == 3:
            kind = packet.take(2)
            assert kind in (0, 3), "a packet that no capture has"
            if kind == 0:
                branch, _ = packet.take(1), packet.take(2)
                self.reported = packet.address(0)
                self.sync(branch, self.reported)
            return
        count = packet.take(5) if kind == 1 else -1
        size = next(n for n in (0, 1, 3, 7, 15, 31) if n >= (count or 31)) if kind == 1 else 0
        ways = [packet.take(1) for _ in range(size)][:count if count > 0 else size]
        if count == 0 and packet.left < 8:
            self.ways += ways
            while len(self.ways) > 1 or not self.is_branch(self.pc):
                assert self.step(), f"{self.pc:x}: a jump before the last branch"
            return
        self.flow(packet, ways, count == 0)


def main():
    hart = Hart(read_program(sys.argv[1]))
    data = open(sys.argv[2], "rb").read()
    assert len(data) % 40 == 0
    for at in range(0, len(data), 40):
        hart.take(Packet(data[at:at + 40]))


main()
