"""Read the fields of dumped messages again, from the bits that the dump names: a second reading.

messages.py ntrace|etrace TRACE    the dump, as JSON lines, on standard input

Prints how many fields it compared.  Whatever differs is an AssertionError.
"""
import json
import sys

protocol, path = sys.argv[1:]
with open(path, "rb") as f:
    trace = f.read()

# E-Trace: sent as differing from the bit before, or only with another field (ET Format 2 packets)
RELATIVE = {"notify", "updiscon", "irreport", "irdepth"}


def wire_bits(data):
    """The bits of a message that fields can lie in, by their number."""
    bits = {8 * i + b: byte >> b & 1 for i, byte in enumerate(data) for b in range(8)}
    if protocol == "ntrace":
        bits = {n: v for n, v in bits.items() if n % 8 >= 2}
    return bits


def check(field, value, bits):
    there = sum(v << k for k, v in enumerate(bits))
    if value == there:
        return
    # the bits that were left off repeat the last one
    rest = value >> len(bits)
    assert protocol == "etrace" and value & ((1 << len(bits)) - 1) == there, field
    assert bits and bits[-1] == 1 and rest & (rest + 1) == 0, field


fields = 0
for line in sys.stdin:
    m = json.loads(line)
    data = bytes.fromhex(m["bytes"])
    offset = int(m["offset"])
    assert len(data) == m["length"] and trace[offset:offset + len(data)] == data, m
    bits = wire_bits(data)
    order = sorted(bits)
    end = 0
    for field, (at, count) in m["bits"].items():
        first = order.index(at)
        assert first >= end, (field, m)
        end = first + count
        fields += 1
        if field not in RELATIVE:
            check(field, int(m["fields"][field]), [bits[n] for n in order[first:end]])
print(fields)
