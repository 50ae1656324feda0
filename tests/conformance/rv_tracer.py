#!/usr/bin/env python3
"""A second reading of a capture of rv_tracer: is a list of PCs what its packets say?

    rv_tracer.py CAPTURE DISASSEMBLY PCS

Slots are read here bit by bit, without the decoder under test.  The branches of the list went the
ways of all branch maps in order; the addresses of packets are in the list in order; every PC is one
that the instruction before it can lead to (DISASSEMBLY: of objdump -d); a return leads to after a
call.
"""
import re
import sys

SLOT = 40
MAP_BITS = [31, 1] + 2 * [3] + 4 * [7] + 8 * [15] + 16 * [31]


def packets(capture):
    """Branches and address of each packet: (bits, address or None)."""
    address = 0
    for at in range(0, len(capture), SLOT):
        slot = capture[at:at + SLOT][::-1]
        count = slot[0] & 31
        payload = slot[9:9 + count]
        bits = [byte >> i & 1 for byte in payload for i in range(8)]
        form = bits[0] + 2 * bits[1]
        if form == 3 and bits[2:4] == [0, 0]:  # a synchronisation
            left = bits[7:] + 64 * bits[-1:]
            address = sum(bit << i for i, bit in enumerate(left[:64]))
            yield [], None if at > SLOT else address
        elif form == 1 or form == 2:
            branches, begin = 0, 2
            if form == 1:
                branches = sum(bit << i for i, bit in enumerate(bits[2:7]))
                begin = 7
            size = MAP_BITS[branches] if form == 1 else 0
            outcomes = [not bit for bit in bits[begin:begin + (branches or size)]]
            if form == 1 and branches == 0:
                yield outcomes, None
                continue
            begin += size
            width = (len(bits) - begin - 4) // 8 * 8 + 1  # before three flags
            difference = sum(bit << i for i, bit in enumerate(bits[begin:begin + width]))
            difference -= bits[begin + width - 1] << width
            address = (address + difference) % (1 << 64)
            yield outcomes, address


def instructions(disassembly):
    """{PC: (next PC, name, target or None)}"""
    found = {}
    for line in disassembly:
        m = re.match(r"\s*([0-9a-f]+):\t([0-9a-f]{4}|[0-9a-f]{8})\s+(\S+)\s*(\S*)", line)
        if m:
            pc = int(m.group(1), 16)
            target = re.search(r"\b([0-9a-f]{8,16})(?: <|$)", line.split("\t", 2)[2])
            found[pc] = (pc + len(m.group(2)) // 2, m.group(3),
                         int(target.group(1), 16) if target else None)
    return found


def check(capture, disassembly, pcs):
    code = instructions(disassembly)
    after_calls = {code[pc][0] for pc in code if code[pc][1] in ("jal", "jalr")}
    outcomes = []
    for pc, to in zip(pcs, pcs[1:]):
        following, name, target = code[pc]
        if name[0] == "b":
            outcomes.append(to == target)
            assert to in (following, target), f"{pc:#x} {name} does not lead to {to:#x}"
        elif name in ("j", "jal"):
            assert to == target, f"{pc:#x} {name} does not lead to {to:#x}"
        elif name == "ret":
            assert to in after_calls, f"{pc:#x}: {to:#x} does not follow a call"
        elif name not in ("jr", "jalr"):
            assert to == following, f"{pc:#x} {name} does not lead to {to:#x}"
    maps, addresses = [], []
    for bits, address in packets(capture):
        maps += bits
        addresses += [address] if address is not None else []
    assert outcomes == maps[:len(outcomes)], "branches went other ways than the maps say"
    assert len(maps) - len(outcomes) <= 1, f"{len(maps)} branches, {len(outcomes)} listed"
    place = iter(pcs)
    for address in addresses:
        assert address in place, f"the list does not come to {address:#x} in order"
    return len(outcomes), len(addresses)


def main():
    with open(sys.argv[1], "rb") as capture, open(sys.argv[2]) as text, open(sys.argv[3]) as pcs:
        branches, addresses = check(capture.read(), text, [int(pc, 16) for pc in pcs])
    print(f"{branches} branches, {addresses} addresses")


main()
