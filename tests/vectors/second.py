#!/usr/bin/env python3
"""A second codec of N-Trace, written from the text only, for the published vectors.

    second.py FILE...      each case of a file of sources (ntrace/messages.txt): do the fields give
                           the bytes, the bytes the fields, and the messages what runs?
    second.py --fill FILE  print the file with the bytes that the fields give

It shares no line with src/: messages and fields are those of NT 6.1, bytes those of NT 3, and what
runs is found instruction by instruction, as NT 11.1 describes it.
"""
import sys

# NT 6.1, Table 8: fields after TCODE and SRC; a number is a fixed width, 0 is variable length.
MESSAGES = {
    "Ownership": (2, [("PROCESS", 0)]),
    "DirectBranch": (3, [("I-CNT", 0)]),
    "IndirectBranch": (4, [("B-TYPE", 2), ("I-CNT", 0), ("U-ADDR", 0)]),
    "Error": (8, [("ETYPE", 4), ("ECODE", 0)]),
    "ProgTraceSync": (9, [("SYNC", 4), ("I-CNT", 0), ("F-ADDR", 0)]),
    "DirectBranchSync": (11, [("SYNC", 4), ("I-CNT", 0), ("F-ADDR", 0)]),
    "IndirectBranchSync": (12, [("SYNC", 4), ("B-TYPE", 2), ("I-CNT", 0), ("F-ADDR", 0)]),
    "ResourceFull": (27, [("RCODE", 4), ("RDATA", 0)]),
    "IndirectBranchHist": (28, [("B-TYPE", 2), ("I-CNT", 0), ("U-ADDR", 0), ("HIST", 0)]),
    "IndirectBranchHistSync": (29, [("SYNC", 4), ("B-TYPE", 2), ("I-CNT", 0), ("F-ADDR", 0),
                                    ("HIST", 0)]),
    "RepeatBranch": (30, [("B-CNT", 0)]),
    "ProgTraceCorrelation": (33, [("EVCODE", 4), ("CDF", 2), ("I-CNT", 0)]),
}
NAMES = {tcode: name for name, (tcode, _) in MESSAGES.items()}
MDO = 6  # bits of a message in a byte (NT 3.1)


def layout(name, values):
    """Fields of a message with their widths; two depend on an earlier one (NT 7.8, 7.12)."""
    fields = list(MESSAGES[name][1])
    if values.get("RCODE") == 2:
        fields.append(("HREPEAT", 0))
    if values.get("CDF") == 1:
        fields.append(("HIST", 0))
    return fields


# ---- the sources ------------------------------------------------------------------------------


class Case:
    """What a case of the sources says."""

    def __init__(self, name, defaults):
        self.name, self.only = name, ""
        self.set = dict(defaults)
        self.flow, self.messages = [], []  # (word, arguments); (name, source bits, fields, bytes)


def parse_message(words):
    fields, source, octets = [], None, b""
    if "=" in words:
        at = words.index("=")
        octets = bytes(int(word, 16) for word in words[at + 1:])
        words = words[:at]
    for word in words[1:]:
        field, value = word.split("=")
        if field.startswith("SRC:"):
            source = (int(field[4:]), int(value, 0))
        else:
            fields.append((field, int(value, 0)))
    return words[0], source, fields, octets


def parse(path):
    """(code, cases): code by address, a byte each."""
    code, cases, defaults = {}, [], {}
    for line in open(path, encoding="ascii"):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "code":
            at = int(words[1], 16)
            for word in words[2:]:
                for octet in int(word, 16).to_bytes(len(word) // 2, "little"):
                    code[at] = octet
                    at += 1
        elif words[0] == "default":
            defaults.update(word.split("=") for word in words[1:])
        elif words[0] == "case":
            cases.append(Case(" ".join(words[1:]), defaults))
        elif words[0] == "set":
            cases[-1].set.update(word.split("=") for word in words[1:])
        elif words[0] == "only":
            cases[-1].only = words[1]
        elif words[0] == "message":
            cases[-1].messages.append(parse_message(words[1:]))
        elif words[0] not in ("clause", "why"):
            cases[-1].flow.append(words)
    return code, cases


# ---- bytes (NT 3) -----------------------------------------------------------------------------


def address_bits(value, room, extend):
    """Bits of an address: zeros on top are not sent (NT 8.1), or equal top bits (NT 8.2)."""
    if not extend:
        return max(1, value.bit_length())
    for last in range(room, 72, MDO):
        top = value >> (last - 1)  # the last bit sent, and all above it
        if top in (0, (1 << (64 - last)) - 1):
            return min(last, 63)
    return 63


def pack(name, source, fields, extend):
    """The bytes of a message."""
    values = dict(fields)
    bits, ends = [], []

    def add(value, width):
        bits.extend(value >> i & 1 for i in range(width))

    add(MESSAGES[name][0], 6)
    if source:
        add(source[1], source[0])
    listed = layout(name, values) + ([("TSTAMP", 0)] if "TSTAMP" in values else [])
    assert [field for field, _ in fields] == [field for field, _ in listed], "fields in wire order"
    for field, width in listed:
        value = values[field]
        if width:
            add(value, width)
            continue
        room = MDO - len(bits) % MDO
        is_address = field.endswith("ADDR")
        add(value, address_bits(value, room, extend) if is_address else max(1, value.bit_length()))
        while len(bits) % MDO:
            bits.append(value >> 62 if extend and is_address else 0)
        ends.append(len(bits) // MDO - 1)
    octets = []
    for i in range(0, len(bits), MDO):
        octets.append(sum(bit << k for k, bit in enumerate(bits[i:i + MDO])) << 2)
    for end in ends:
        octets[end] |= 1
    octets[-1] |= 3
    return bytes(octets)


def unpack(octets, source_bits, timestamps, extend):
    """(messages, as they are in the sources) of a stream without idle bytes."""
    messages, at = [], 0
    while at < len(octets):
        begin = at
        while octets[at] & 3 != 3:
            at += 1
        at += 1
        messages.append(unpack_one(octets[begin:at], source_bits, timestamps, extend))
    return messages


def unpack_one(octets, source_bits, timestamps, extend):
    position = 0

    def take(width):
        nonlocal position
        value = 0
        for i in range(width):
            value |= (octets[position // MDO] >> (2 + position % MDO) & 1) << i
            position += 1
        return value

    def take_variable(is_address):
        begin = position
        end = begin // MDO
        while octets[end] & 3 == 0:
            end += 1
        width = (end + 1) * MDO - begin
        value = take(width)
        if is_address and extend and value >> (width - 1):
            value |= -1 << width
        return value & (1 << 63) - 1 if is_address else value

    name = NAMES[take(6)]
    source = (source_bits, take(source_bits)) if source_bits else None
    fields = []
    for known in range(8):
        listed = layout(name, dict(fields)) + ([("TSTAMP", 0)] if timestamps else [])
        if known == len(listed):
            break
        field, width = listed[known]
        fields.append((field, take(width) if width else take_variable(field.endswith("ADDR"))))
    assert position == len(octets) * MDO, "the whole message was read"
    return name, source, fields, octets


# ---- what runs (NT 11.1) ----------------------------------------------------------------------


def half(code, at):
    for high in (0, 0x80000000, 0xffffffff80000000):
        if at - high in code:
            return code[at - high] | code[at - high + 1] << 8
    raise AssertionError("no code at %x" % at)


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def instruction(code, at):
    """(half-words, kind, target) of an instruction; target of what is direct."""
    low = half(code, at)
    if low & 3 != 3:
        if low & 0xf07f == 0x8002 and low & 0xf80:
            return 1, "return" if low >> 7 & 31 in (1, 5) else "jump", None
        return 1, "plain", None
    word = low | half(code, at + 2) << 16
    opcode, rd, rs1 = word & 0x7f, word >> 7 & 31, word >> 15 & 31
    if opcode == 0x63:
        offset = (word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5
        return 2, "branch", at + signed(offset | (word >> 8 & 15) << 1, 13)
    if opcode == 0x6f:
        offset = (word >> 31) << 20 | (word >> 12 & 255) << 12 | (word >> 20 & 1) << 11
        offset |= (word >> 21 & 1023) << 1
        return 2, "call" if rd in (1, 5) else "direct", at + signed(offset, 21)
    if opcode == 0x67:
        linked = half(code, at - 4) | half(code, at - 2) << 16 if at - 4 in code else 0
        if linked & 0x7f == 0x17 and linked >> 7 & 31 == rs1 and rd == 0:
            upper = signed(linked >> 12, 20) << 12
            return 2, "constant", at - 4 + upper + signed(word >> 20, 12)
        return 2, "return" if rs1 in (1, 5) and rd == 0 else "jump", None
    return 2, "plain", None


class Walk:
    """The state of a decoder."""

    def __init__(self, code, settings):
        self.code, self.settings = code, settings
        self.pcs, self.pc, self.address = [], None, 0
        self.count, self.history, self.calls = 0, [], []

    def step(self, last):
        """One instruction.  last: how the message ends, where it is the last one of a count."""
        size, kind, target = instruction(self.code, self.pc)
        self.pcs.append(self.pc)
        after = self.pc + 2 * size
        if kind == "branch":
            btm = self.settings.get("trTeInstMode") == "btm"
            self.pc = target if (last == "direct" if btm else self.history.pop(0)) else after
        elif kind == "call":
            self.calls.append(after)
            self.pc = target
        elif kind == "direct" or (kind == "constant" and
                                  self.settings.get("trTeInstEnSequentialJump")):
            self.pc = target
        elif kind == "return" and not last and self.calls and \
                self.settings.get("trTeInstImplicitReturnMode"):
            self.pc = self.calls.pop()
        elif kind in ("return", "jump", "constant"):
            assert last in ("indirect", "trap"), "a jump at %x in the middle of a count" % self.pc
        else:
            self.pc = after
        return size

    def run(self, count, last):
        """So many half-words more."""
        self.count += count
        while self.count:
            size = instruction(self.code, self.pc)[0]
            assert size <= self.count, "I-CNT ends in the instruction at %x" % self.pc
            self.step(last if size == self.count else None)
            self.count -= size
        assert not self.history, "branches are left over"

    def add_history(self, value, times=1):
        assert value, "HIST has its stop bit"
        bits = [value >> i & 1 for i in range(value.bit_length() - 2, -1, -1)]
        self.history += bits * times

    def take(self, name, values):
        """A message; RepeatBranch is the one before, so many times."""
        if name in ("Ownership", "Error"):
            self.count = 0 if name == "Error" else self.count
            return
        if name == "ResourceFull":
            if values["RCODE"] == 0:
                self.count += values["RDATA"]
            else:
                self.add_history(values["RDATA"], values.get("HREPEAT", 1))
            return
        if "HIST" in values:
            self.add_history(values["HIST"])
        starts = name == "ProgTraceSync" and values["SYNC"] not in (0, 4, 6)
        if not starts or self.pc is not None and values["I-CNT"]:
            jumps = "B-TYPE" in values and "SYNC" not in values
            self.run(values["I-CNT"], "direct" if name.startswith("Direct") else
                     "trap" if values.get("B-TYPE") else "indirect" if jumps else None)
        if "F-ADDR" in values:
            self.address = values["F-ADDR"]
            self.calls = [] if starts else self.calls
        elif "U-ADDR" in values:
            self.address ^= values["U-ADDR"]
        if "ADDR" in "".join(values):
            self.pc = self.address << 1
            self.pc |= 1 << 63 if self.pc >> 62 & 1 else 0

    def messages(self, messages):
        last = None
        for name, _, fields, _ in messages:
            values = dict(fields)
            if name == "RepeatBranch":
                for _ in range(values["B-CNT"]):
                    self.take(*last)
            else:
                self.take(name, values)
            last = (name, values)


def expected(code, case):
    """The addresses of what a case says it ran."""
    pcs = []
    for words in case.flow:
        if words[0] == "run":
            at, end = int(words[1], 16), int(words[2], 16)
            while at < end:
                pcs.append(at)
                at += 2 * instruction(code, at)[0]
    return pcs


# ---- checks -----------------------------------------------------------------------------------


def check(code, case):
    extend = case.set.get("trTeInstExtendAddrMSB") == "1"
    octets = b""
    for name, source, fields, given in case.messages:
        made = pack(name, source, fields, extend)
        assert made == given, "%s: %s, not %s" % (name, made.hex(" "), given.hex(" "))
        octets += given
    source_bits = int(case.set.get("trTeSrcBits", "0"))
    read = unpack(octets, source_bits, "trTsEnable" in case.set, extend)
    assert read == case.messages, "fields of the bytes"
    walk = Walk(code, case.set)
    walk.messages(case.messages)
    wanted = expected(code, case)
    assert walk.pcs == wanted, "%s, not %s" % ([hex(pc) for pc in walk.pcs],
                                               [hex(pc) for pc in wanted])


def fill(path):
    _, cases = parse(path)
    messages = iter([(case, message) for case in cases for message in case.messages])
    for line in open(path, encoding="ascii"):
        if line.startswith("message "):
            case, (name, source, fields, _) = next(messages)
            octets = pack(name, source, fields, case.set.get("trTeInstExtendAddrMSB") == "1")
            line = "%s = %s\n" % (line.split(" = ")[0].rstrip(), octets.hex(" "))
        sys.stdout.write(line)


def main():
    if sys.argv[1] == "--fill":
        fill(sys.argv[2])
        return
    bad = 0
    for path in sys.argv[1:]:
        code, cases = parse(path)
        for case in cases:
            try:
                check(code, case)
                print("ok - " + case.name)
            except (AssertionError, IndexError, KeyError) as e:
                bad = 1
                print("FAIL - %s: %s" % (case.name, e))
    sys.exit(bad)


main()
