#!/usr/bin/env python3
"""A second writer of the packets that the trace encoder proposed for QEMU sends.

    qemu_encoder.py [--clears] TEXT EVENTS >packets

TEXT is the output of objdump -d; EVENTS has a line for each instruction that was begun, its
address in hexadecimal, and lines "trap CAUSE INTERRUPT EPC" and "mode N" (privilege from here on,
as packets have it).  Bits of the branch map stay set, as they do there, unless --clears is given.

Written from the description of the encoder, not from this project's: what is sent when, and every
bit of it."""
import sys

BRANCHES = set('beq bne blt bge bltu bgeu beqz bnez blez bgez bltz bgtz bgt ble bgtu bleu'.split())
JUMPS = {'jalr', 'jr', 'ret', 'ecall', 'ebreak', 'mret', 'sret'}


def read_text(name):
    code = {}
    for line in open(name, encoding='utf-8', errors='replace'):
        parts = line.split('\t')
        if len(parts) < 3 or not parts[0].strip().endswith(':'):
            continue
        size = len(parts[1].replace(' ', '')) // 2
        code[int(parts[0].strip()[:-1], 16)] = (parts[2].split()[0].removeprefix('c.'), size)
    return code


class Encoder:
    def __init__(self, clears):
        self.clears, self.map, self.branches, self.mode = clears, 0, 0, 0
        self.pending, self.next = False, True
        self.out = bytearray()

    def send(self, fields):
        """Fields are (value, bits), the lowest bit first; whole bytes, after a byte of length."""
        value = bits = 0
        for v, n in fields:
            value |= (v & ((1 << n) - 1)) << bits
            bits += n
        n = (bits + 7) // 8
        self.out.append(n)
        self.out += value.to_bytes(n, 'little')

    def sync(self, pc):
        self.send([(3, 2), (0, 2), (0, 1), (self.mode, 3), (pc, 64)])

    def trap(self, cause, interrupt, epc):
        self.report(epc)
        fields = [(3, 2), (1, 2), (0, 1), (self.mode, 3), (cause, 6), (interrupt, 1), (1, 1)]
        fields.append((epc, 64))
        self.send(fields if interrupt else fields + [(epc, 64)])

    def report(self, pc):
        """An uninferable jump led there, if one is pending."""
        if not self.pending:
            return
        self.pending = False
        notify = pc >> 31 & 1
        flags = [(notify, 1), (1 - notify, 1), (1 - notify, 1), (0 if notify else 7, 3)]
        if self.branches:
            width = next(n for n in (3, 7, 15, 31) if self.branches <= n)
            self.send([(1, 2), (self.branches, 5), (self.map, width), (pc, 64)] + flags)
            self.end_map()
        else:
            self.send([(3, 2), (pc, 64)] + flags)

    def end_map(self):
        self.branches = 0
        self.map = 0 if self.clears else self.map

    def retire(self, pc, insn, after):
        """@after: the address of the next instruction."""
        name, size = insn
        if self.next:
            self.report(pc)
            self.sync(pc)
            self.next = False
        if name in BRANCHES:
            self.map |= (after == pc + size) << self.branches
            self.branches += 1
            if self.branches == 31:
                self.send([(1, 2), (31, 5), (self.map, 31)])
                self.end_map()
        if name in JUMPS:
            self.pending = self.next = True

    def change_mode(self, mode, pc, handler):
        """The old mode is sent with the handler, or with the address of the mret."""
        if mode != self.mode:
            self.report(pc if handler is None else handler)
            self.sync(pc if handler is None else handler)
        self.mode = mode


def main(arguments):
    clears = arguments[0] == '--clears'
    text, events = arguments[-2:]
    code = read_text(text)
    lines = [line.split() for line in open(events, encoding='utf-8') if line.strip()]
    pcs = [int(words[0], 16) if len(words) == 1 else None for words in lines]
    e = Encoder(clears)
    last = trapped = None
    for i, words in enumerate(lines):
        later = next((pc for pc in pcs[i + 1:i + 4] if pc is not None), None)
        if words[0] == 'trap':
            e.trap(int(words[1]), int(words[2]), int(words[3], 16))
            trapped = True
        elif words[0] == 'mode' and last is None:
            e.mode = int(words[1])
        elif words[0] == 'mode':
            e.change_mode(int(words[1]), last, later if trapped else None)
        else:
            last, trapped = pcs[i], None
            e.retire(last, code[last], later)
    sys.stdout.buffer.write(bytes(e.out))


main(sys.argv[1:])
