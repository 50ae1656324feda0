#!/usr/bin/env python3
"""Every address of every message of a capture of a SiFive encoder, by a second reading.

    nexus_addresses.py CAPTURE [ADDRESS-BITS] [SRC-BITS]

A line for each message that gives one: "flow ADDRESS" (F-ADDR, U-ADDR), "sample ADDRESS",
"event CKSRC ADDRESS" and for a second one "called ADDRESS"; "data CKSRC VALUE" for what is no
address.  Written from NT 3, 6 to 8 and design/nt-vendor; it shares nothing with the product, and
has no program: what is read is only what is sent.  With SRC-BITS the source is the first word.
"""
import sys

# Fields of a TCODE: name, and width or 0; of those that have an address, or come before one.
FIELDS = {
    4: ["btype:2", "icnt", "uaddr"],
    9: ["sync:4", "icnt", "faddr"],
    11: ["sync:4", "icnt", "faddr"],
    12: ["sync:4", "btype:2", "icnt", "faddr"],
    28: ["btype:2", "icnt", "uaddr", "hist"],
    29: ["sync:4", "btype:2", "icnt", "faddr", "hist"],
    34: ["cksrc:4", "ckdf:2", "ckdata"],
    35: ["cksrc:4", "ckdf:2", "ckdata"],
}


def messages(octets):
    """MDO of each message as lists of fields' bits: [(bits, ends a field)...] (NT 3.1)."""
    message = []
    for octet in octets:
        if not message and octet == 0xFF:
            continue
        message.append(octet)
        if octet & 3 == 3:
            yield message
            message = []


class Bits:
    def __init__(self, message):
        self.bits = [(o >> (2 + i) & 1, o & 3 if i == 5 else 0) for o in message for i in range(6)]

    def fixed(self, n):
        taken, self.bits = self.bits[:n], self.bits[n:]
        return sum(bit << i for i, (bit, _) in enumerate(taken))

    def variable(self):
        value = n = 0
        while self.bits:
            bit, end = self.bits.pop(0)
            value |= bit << n
            n += 1
            if end:
                break
        return value


def extended(value, width):
    if width and value >> (width - 1) & 1:
        value |= -1 << width
    return value << 1 & (1 << 64) - 1


def read(message, source_bits):
    bits = Bits(message)
    tcode, source = bits.fixed(6), bits.fixed(source_bits)
    fields = {}
    for field in FIELDS.get(tcode, []):
        name, _, width = field.partition(":")
        fields[name] = bits.fixed(int(width)) if width else bits.variable()
    if fields.get("ckdf") == 1:
        fields["ckdata1"] = bits.variable()
    return tcode, source, fields


def addresses(octets, width=0, source_bits=0):
    reference = {}
    for message in messages(octets):
        tcode, source, fields = read(message, source_bits)
        if tcode == 8:  # Error: what came before is not known
            reference.pop(source, None)
        if tcode == 30:
            sys.exit("RepeatBranch: not read here")
        before = reference.get(source)
        if "faddr" in fields:
            reference[source] = extended(fields["faddr"], width)
            yield source, "sample" if fields["sync"] == 15 else "flow", reference[source]
        elif "uaddr" in fields and before is not None:
            reference[source] = before ^ extended(fields["uaddr"], width)
            yield source, "flow", reference[source]
        elif "cksrc" in fields:
            yield from event(tcode, source, fields, width, reference)


def event(tcode, source, fields, width, reference):
    kind, pair = fields["cksrc"], "ckdata1" in fields
    if kind == 12 or (kind == 0 and not pair):
        yield source, "data %d" % kind, fields["ckdata"]
        if pair:
            yield source, "data %d" % kind, fields["ckdata1"]
        return
    if tcode == 34 and source not in reference:
        return
    address = extended(fields["ckdata"], width)
    if tcode == 34:
        address ^= reference[source]
    reference[source] = address
    yield source, "event %d" % kind, address
    if pair and kind == 9:
        reference[source] ^= extended(fields["ckdata1"], width)
        yield source, "called", reference[source]
    elif pair:
        yield source, "data %d" % kind, fields["ckdata1"]


def main():
    octets = open(sys.argv[1], "rb").read()
    width, source_bits = (int(n) for n in (sys.argv[2:] + ["0", "0"])[:2])
    for source, what, value in addresses(octets, width, source_bits):
        print("%s%s %x" % ("%d " % source if source_bits else "", what, value))


if __name__ == "__main__":
    main()
