#!/usr/bin/env python3
# Files of perf as two kernels write them, from their description (docs/perf-data.md), with messages
# of N-Trace made by hand: perf_linux.py FOLDER.
import os
import struct
import sys

folder = os.path.realpath(sys.argv[1])
SYNC, OWNERSHIP, CORRELATION = 9, 2, 33


def elf(name, address, code):
    """A program of one segment; code is half-words."""
    code = struct.pack(f"<{len(code)}H", *code)
    head = struct.pack("<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 2, 243, 1, address, 64, 0,
                       1, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0x1000, address, address, len(code), len(code), 0x1000)
    with open(f"{folder}/{name}", "wb") as f:
        f.write((head + segment).ljust(0x1000, b"\0") + code)


def message(tcode, src, *fields):
    """Fields: (bits, value) of a fixed width, or a number.  src: None or 12 bits."""
    fixed, out = [(6, tcode)] + ([] if src is None else [(12, src)]), []
    bits = width = 0
    for field in fixed + list(fields):
        if isinstance(field, tuple):
            bits |= field[1] << width
            width += field[0]
            continue
        bits |= field << width
        width += max(field.bit_length(), 1)
        count = -(-width // 6)
        part = [(bits >> 6 * i & 63) << 2 for i in range(count)]
        part[-1] |= 1
        out += part
        bits = width = 0
    out[-1] |= 3
    return bytes(out)


def run(src, address, halfwords, process=None):
    """Trace begins at an address and ends so many half-words later."""
    out = b"" if process is None else message(OWNERSHIP, src, process)
    out += message(SYNC, src, (4, 5), 0, address >> 1 & (1 << 63) - 1)
    return out + message(CORRELATION, src, (4, 0), (2, 0), halfwords)


def frames(data):
    """CoreSight frames of bytes with their IDs: a list of (ID, byte)."""
    out, i, current = b"", 0, None
    while i < len(data):
        frame = bytearray(16)
        for place in range(0, 16, 2):
            (source, byte), (then, odd) = (data[i:] + [(0, 0), (0, 0)])[:2]
            if source != current:
                frame[place] = source << 1 | 1
                current = source
                if place < 14:
                    frame[place + 1] = byte
                    i += 1
            elif then != current and place < 14:
                frame[place], frame[place + 1] = then << 1 | 1, byte
                frame[15] |= 1 << place // 2
                current = then
                i += 1
            else:
                frame[place] = byte & 0xfe
                frame[15] |= (byte & 1) << place // 2
                i += 1
                if place < 14:
                    frame[place + 1] = odd
                    i += 1
        out += frame
    return out


def interleave(*sources):
    """Bytes of (ID, bytes) in turns, with their IDs: what a funnel gives."""
    left, out, turn = [[n, list(b)] for n, b in sources], [], 0
    while any(b for n, b in left):
        turn += 1
        for n, b in left:
            some = 1 + turn % 5
            out += [(n, byte) for byte in b[:some]]
            del b[:some]
    return out


# ---- perf.data: <linux/perf_event.h>, perf.data-file-format.txt -------------------------------

HEADER, ATTRIBUTE = 104, 128 + 16
BEGIN = HEADER + ATTRIBUTE


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(pid, tid, time, cpu):
    return struct.pack("<IIQII", pid, tid, time, cpu, 0)


def padded(text):
    return text.encode() + bytes(8 - len(text) % 8)


def comm(pid, tid, name, execs=False):
    return record(3, 1 << 13 if execs else 0,
                  struct.pack("<II", pid, tid) + padded(name) + trailer(pid, tid, 1, 0))


def fork(pid, tid):
    return record(7, 0, struct.pack("<IIIIQ", pid, pid, tid, pid, 1) + trailer(pid, tid, 1, 0))


def mmap2(pid, address, path):
    return record(10, 2, struct.pack("<IIQQQIIQQII", pid, pid, address, 0x1000, 0x1000, 0, 0, 0, 0,
                                     5, 2) + padded(path) + trailer(pid, pid, 1, 0))


def aux(offset, size, flags, time, cpu=0):
    return record(11, 0, struct.pack("<QQQ", offset, size, flags) + trailer(1, 1, time, cpu))


def auxtrace(offset, data, cpu=0):
    data += bytes(-len(data) % 8)
    where = struct.pack("<QQQIIII", len(data), offset, 0, cpu, 0xffffffff, cpu, 0)
    return record(71, 0, where) + data


def info(*words):
    return record(70, 0, struct.pack("<II", 7, 0) + struct.pack(f"<{len(words)}Q", *words))


def write(name, *records):
    body = b"".join(records)
    attribute = bytearray(ATTRIBUTE)
    struct.pack_into("<II", attribute, 0, 10, 128)
    struct.pack_into("<Q", attribute, 24, 2 | 4 | 128)   # TID, TIME, CPU
    struct.pack_into("<Q", attribute, 40, 1 << 18)       # sample_id_all
    head = b"PERFILE2" + struct.pack("<12Q", HEADER, ATTRIBUTE, HEADER, ATTRIBUTE, BEGIN, len(body),
                                     0, 0, 0, 0, 0, 0)
    with open(f"{folder}/{name}", "wb") as f:
        f.write(head + bytes(attribute) + body)


# ---- programs: li a0, 1, li a0, 2, li a0, 3 ---------------------------------------------------

KERNEL = 0xffffffff80001000
elf("a.elf", 0x10000, [0x4505] * 16)
elf("b.elf", 0x10000, [0x4509] * 16)
elf("kernel.elf", KERNEL, [0x450d] * 16)

U, S = 0 << 2, 1 << 2


def process(tid, mode):
    return tid << 5 | mode | 2


# ---- a trace sink of CoreSight, encoders of N-Trace, SRC of 12 bits ---------------------------

BARRIER = b"\xff\xff\xff\x7f" * 4
tasks = [comm(100, 100, "a", True), mmap2(100, 0x10000, f"{folder}/a.elf"), fork(100, 101),
         comm(100, 101, "a-thread"), comm(200, 200, "b", True),
         mmap2(200, 0x10000, f"{folder}/b.elf"), fork(200, 201)]
cpus = [0, 5]
words = [10 << 32 | len(cpus)]
for cpu in cpus:
    words += [cpu, 5, 1, 1, 0, 12, cpu]
first = interleave((0x10, run(0, 0x10000, 2, process(101, U)) + run(0, KERNEL, 3, process(101, S)) +
                    run(0, 0x10004, 1, process(200, U))),
                   (0x1a, run(5, 0x10002, 4, process(201, U))))
second = interleave((0x10, run(0, 0x10000, 1, process(100, U))))


def framed(name, blocks, flags=0):
    offset, records = 0, []
    for block in blocks:
        records += [aux(offset, len(block), flags, 2), auxtrace(offset, block)]
        offset += len(block)
    write(name, info(*words), *tasks, *records)


framed("k3.data", [BARRIER + frames(first), BARRIER + frames(second)])
framed("bare.data", [frames(first)])
# A message is cut at the end of the first block; the second one begins inside another, as AUX says.
framed("cut.data", [BARRIER + frames(first + second[:8]), BARRIER + frames(second)])
tail = interleave((0x10, run(0, 0x10008, 2)[2:] + run(0, 0x10000, 1, process(100, U))))
framed("wrapped.data", [BARRIER + frames(tail)], flags=1)

# ---- the RAM sink of rvtrace: copied from its start at each stop, or from the last stop -------

stops = [run(None, 0x10000, n) * 4 for n in (1, 2, 3, 4)]


def sink(name, pieces, *more):
    offset, records, data = 0, [], b""
    for piece in pieces:
        records.append(aux(offset, len(piece), 0, 2))
        offset += len(piece)
        data += piece
    write(name, info(10), tasks[0], tasks[1], *records, auxtrace(0, data), *more)


sink("v4.data", stops)
sink("v3.data", [b"".join(stops[:n + 1]) for n in range(len(stops))])
# One stop begins with other bytes: what is equal is equal by chance.
sink("chance.data", [stops[0], stops[0] + stops[1], stops[2], stops[2] + stops[3]])
# The memory of 4096 bytes wraps at the third stop; then it is filled anew.
counts = [12345]
while len(counts) < 800:
    counts.append((counts[-1] * 1103515245 + 12345) % 2**31)
memory, ring = b"".join(run(None, 0x10000, 1 + (n >> 16) % 15) for n in counts), 4096
kept = memory[2100:2100 + ring]
sink("ring.data", [memory[:1500], memory[:3000], kept, stops[0], stops[0] + stops[1]])
with open(f"{folder}/ring.nt", "wb") as f:
    f.write(memory[:2100 + ring] + stops[0] + stops[1])
