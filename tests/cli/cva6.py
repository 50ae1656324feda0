"""CVA6's own rv_tracer as a model, clock by clock: cva6.py INSTRUCTIONS [GAPS] writes its slots.

INSTRUCTIONS has a line for each that retires: address, kind (i: any other, b: a branch that is not
taken, t: taken, j: a jump by register, e: an exception struck there, x: an interrupt), mode, cause,
tval.  GAPS: the seed of cycles without an instruction between them; none without it.

What is modelled is what the RTL of CVA6 (corev_apu/instr_tracing) does with N = 1: three stages
(the last, this, the next instruction), a map that has the next instruction's branch already,
packets in the order of te_priority, fields in the order of te_packet_emitter, whole bytes of
addresses with their sign, and slots as slicer_DPTI sends them: header, time, payload, the highest
byte first.
"""
import random
import sys

CYCLES = 0x1FFF  # of the resync counter


class Bits:
    def __init__(self):
        self.value = self.n = 0

    def put(self, value, n):
        self.value |= (value & (1 << n) - 1) << self.n
        self.n += n
        return self

    def address(self, address):
        """As few bytes as keep the sign of 32 bits."""
        signed = address - (address >> 31 << 32)
        n = next(n for n in (8, 16, 24, 32) if -(1 << n - 1) <= signed < 1 << n - 1)
        return self.put(address, n)


class Encoder:
    def __init__(self):
        self.out = bytearray()
        self.tab = [None, None, None]  # next, this, last
        self.time = 0
        self.valid = False             # an instruction came in the cycle before
        self.flush = self.started = False
        self.map = self.count = self.counter = 0
        self.resync = self.above = self.equal = self.changed = False
        self.branch = self.taken = False

    def send(self, bits):
        size = (bits.n + 7) // 8
        self.out += bytes([0x80 | size]) + self.time.to_bytes(8, "big")
        self.out += bits.value.to_bytes(31, "big")

    def flow(self, this, count, bits_map):
        """Formats 1 and 2."""
        bits = Bits()
        if count:
            width = next(w for w in (1, 3, 7, 15, 31) if count <= w)
            bits.put(1, 2).put(count if count < 31 else 0, 5).put(bits_map, width)
            if count == 31:
                bits.put(0, 1)
        else:
            bits.put(2, 2)
        if count < 31:
            top = this["pc"] >> 31 & 1
            bits.put(7 * top, 3).address(this["pc"])
        self.send(bits)
        return count != 0

    def sync(self, this):
        self.send(Bits().put(3, 4).put(not (self.branch and self.taken), 1).put(this["mode"], 2)
                  .put(this["time"], 64).address(this["pc"]))

    def trap(self, this, last):
        self.send(Bits().put(7, 4).put(not (self.branch and self.taken), 1).put(this["mode"], 2)
                  .put(this["time"], 64).put(last["cause"], 32).put(last["kind"] == "x", 1)
                  .put(1, 1).put(last["tval"], 32).address(0))

    def clock(self, insn):
        following, this, last = self.tab
        is_branch = following is not None and following["kind"] in "bt"
        is_taken = following is not None and following["kind"] == "t"
        bits_map, count = (0, 0) if self.flush else (self.map, self.count)
        if is_branch and self.valid:
            bits_map |= (not is_taken) << count
            count = count + 1 & 31
        next_empty = self.flush or count == 0
        next_changed = self.changed
        if insn is not None:
            next_changed = following is not None and this is not None and \
                following["mode"] != this["mode"]
        flush = reset = flowed = False
        if not self.started:
            self.send(Bits().put(15, 4).put(1, 1).put(0, 1).put(0, 2).put(0x20, 7))
        elif self.valid and this is not None:
            if last is not None and last["kind"] in "ex":
                self.trap(this, last)
                reset = True
            elif last is None or self.changed or self.above and not self.resync:
                self.sync(this)
                reset = True
            elif last["kind"] == "j" or self.resync or this["kind"] in "ex" or \
                    next_changed and not next_empty or count == 31 and not next_empty:
                flush = self.flow(this, count, bits_map)
                flowed = True
        counter = self.counter + (self.counter <= CYCLES)
        counter = 0 if reset else counter
        self.resync = (self.resync or self.equal and count != 0) and not flowed
        self.equal, self.above = counter == CYCLES, counter > CYCLES and not reset
        self.counter, self.map, self.count, self.flush = counter, bits_map, count, flush
        if insn is not None:
            self.branch = is_branch
            insn["time"] = self.time
            self.tab = [insn, following, this]
        self.taken = is_taken
        self.changed = next_changed
        self.valid = insn is not None
        self.started = True
        self.time += 1


def main():
    gaps = random.Random(int(sys.argv[2])) if len(sys.argv) > 2 else None
    encoder = Encoder()
    encoder.clock(None)
    for line in open(sys.argv[1], encoding="ascii"):
        words = line.split()
        while gaps and gaps.random() < 0.4:
            encoder.clock(None)
        encoder.clock({"pc": int(words[0], 16), "kind": words[1], "mode": int(words[2]),
                       "cause": int(words[3]), "tval": int(words[4], 16)})
    encoder.clock(None)
    sys.stdout.buffer.write(encoder.out)


main()
