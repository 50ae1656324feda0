#!/usr/bin/env python3
"""A client of GDB's remote protocol for hartscope gdb.

  gdb.py steps PCS FLOW...        each instruction, forwards and backwards
  gdb.py breaks PCS ADDRESS FLOW...   each time that one executes, forwards and backwards
  gdb.py end PCS FLOW...          the last two instructions
  gdb.py threads FLOW...          each thread has a place of its own
  gdb.py garbage FLOW...          damaged and foreign packets
  gdb.py shrinks FILE ADDRESS FLOW...   a file of the program, which has it, becomes empty
"""
import os
import random
import re
import subprocess
import sys


class Client:
    """The server at its standard input and output."""

    def __init__(self, words):
        self.server = subprocess.Popen(["hartscope", "gdb", "-q", *words],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.ask("QStartNoAckMode") == "OK"
        self.server.stdin.write(b"+")

    def send(self, packet):
        data = packet.encode("latin-1")
        self.server.stdin.write(b"$%s#%02x" % (data, sum(data) & 255))
        self.server.stdin.flush()

    def receive(self):
        c = self.server.stdout.read(1)
        while c in (b"+", b"-"):
            c = self.server.stdout.read(1)
        assert c == b"$", c
        data = b""
        while not data.endswith(b"#"):
            c = self.server.stdout.read(1)
            assert c, "the server is gone"
            data += c
        data = data[:-1]
        assert int(self.server.stdout.read(2), 16) == sum(data) & 255
        return re.sub(rb"}(.)", lambda m: bytes([m.group(1)[0] ^ 32]), data,
                      flags=re.S).decode("latin-1")

    def ask(self, packet):
        self.send(packet)
        return self.receive()

    def pc(self):
        text = self.ask("p20")
        return int.from_bytes(bytes.fromhex(text), "little")

    def monitor(self, text):
        return bytes.fromhex(self.ask("qRcmd," + text.encode().hex())).decode()

    def seconds(self):
        """Time that the server had a processor: what else runs on the machine adds nothing."""
        fields = open(f"/proc/{self.server.pid}/stat").read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.send("k")
        self.server.stdin.close()
        assert self.server.wait() == 0


def read_pcs(path):
    return [int(line, 16) for line in open(path)]


def steps(path, *words):
    pcs, g = read_pcs(path)[:3000], Client(words)
    got = [g.pc()]
    for _ in pcs[1:]:
        assert g.ask("vCont;s:1").startswith("T05")
        got.append(g.pc())
    assert got == pcs
    back = [got.pop()]
    while "replaylog:begin" not in g.ask("bs"):
        back.append(g.pc())
    assert back == pcs[::-1]
    g.close()
    print(f"{len(pcs)} instructions")


def breaks(path, address, *words):
    pcs, g = read_pcs(path), Client(words)
    at = int(address, 16)
    want = [i for i, pc in enumerate(pcs) if pc == at]
    assert want and g.ask(f"Z0,{at:x},2") == "OK"
    for command, order, end in (("vCont;c", want, "end"), ("bc", want[::-1], "begin")):
        for n in order:
            assert "swbreak" in g.ask(command)
            assert g.pc() == at
            assert re.match(f"instruction {n}[ ,]", g.monitor("position")), n
        assert f"replaylog:{end}" in g.ask(command)
    # anywhere, and to the nearest ones
    for _ in range(200):
        n = random.randrange(len(pcs))
        g.monitor(f"goto {n}")
        assert g.pc() == pcs[n]
        before = [w for w in want if w < n]
        assert ("swbreak" in g.ask("bc")) == bool(before)
        assert g.pc() == (at if before else pcs[0])
        if before:
            assert f"instruction {before[-1]} " in g.monitor("position")
    g.close()
    print(f"{len(want)} times forwards and backwards, 200 places")


def end(path, *words):
    last = read_pcs(path)
    g = Client(words)
    start = g.seconds()
    assert "replaylog:end" in g.ask("vCont;c")
    assert g.pc() == last[1]
    assert g.ask("bs").startswith("T05")
    assert g.pc() == last[0]
    took = g.seconds() - start
    g.close()
    assert took < 1, took
    print("the last two instructions, in less than a second")


def threads(*words):
    g = Client(words)
    ids = g.ask("qfThreadInfo")[1:].split(",")
    assert len(ids) > 1 and g.ask("qsThreadInfo") == "l"
    first = {}
    for i in ids:
        assert g.ask("Hg" + i) == "OK"
        first[i] = g.pc()
    assert "replaylog:end" in g.ask("vCont;c:" + ids[-1])
    for i in ids[:-1]:
        assert g.ask("Hg" + i) == "OK" and g.pc() == first[i]
        assert "hart" in bytes.fromhex(g.ask("qThreadExtraInfo," + i)).decode()
    assert g.ask("Hgff").startswith("E") and g.ask("Tff").startswith("E")
    g.close()
    others(ids, first, *words)
    print(f"{len(ids)} threads")


def others(ids, first, *words):
    """What only other threads execute stops one of them; the rest stay where they are."""
    def executed(i):
        hart = re.search("hart ([0-9]+)", bytes.fromhex(g.ask("qThreadExtraInfo," + i)).decode())
        return subprocess.run(["hartscope", "list", "--format", "pc", "--hart", hart.group(1),
                               *words], check=True, capture_output=True, text=True).stdout.split()

    g = Client(words)
    own = set(executed(ids[0]))
    alone = next(int(pc, 16) for pc in executed(ids[1]) if pc not in own)
    assert g.ask("Hg" + ids[0]) == "OK" and g.ask(f"Z0,{alone:x},2") == "OK"
    assert "replaylog:end" in g.ask("vCont;c:" + ids[0])
    assert g.ask("vCont;c").startswith(f"T05thread:{ids[1]};swbreak") and g.pc() == alone
    for i in ids[2:]:
        assert g.ask("Hg" + i) == "OK" and g.pc() == first[i]
    assert g.ask("Hg" + ids[0]) == "OK" and g.ask("Hc0") == "OK"
    assert g.ask("bc").startswith(f"T05thread:{ids[0]};replaylog:begin")
    assert g.ask("Hg" + ids[1]) == "OK" and g.pc() == alone
    g.close()


def garbage(*words):
    g = Client(words)
    pc = g.pc()
    odd = ["", "m", "m,", "mzz,4", "mffffffffffffffff,4", "Z0", "Z0,", "Z2,10,4", "z0,10", "p999",
           "pzz", "qXfer:features:read:target.xml:ffffffff,ffffffff", "vCont;", "vCont;x",
           "vCont;s:99", "qRcmd,", "qRcmd,4", "qRcmd,676f746f", "H", "Hgzz", "bx", "X0,1:a", "G00",
           "qThreadExtraInfo,", "vMustReplyEmpty", "q" * 5000, "!", "R00"]
    for packet in odd:
        g.ask(packet)
    assert g.pc() == pc
    assert g.ask("m" + "0" * 20000).startswith("E")
    assert g.ask("vMustReplyEmpty") == "" and g.ask("G00").startswith("E")
    assert g.ask("mffffffffffffff00,4") == "E01"
    registers = g.ask("g")
    assert registers.count("x") == len(registers) - 32 and g.ask("p2") == "x" * 16
    g.server.stdin.write(b"$g#00\x03++--$x$g#zz")  # wrong sums, no sums
    g.server.stdin.flush()
    assert g.receive() == g.receive() == registers  # "$$" begins again
    assert g.ask("qC") and g.pc() == pc
    g.close()
    print(f"{len(odd)} packets")


def shrinks(path, address, *words):
    g = Client(words)
    pc, read = g.pc(), f"m{address},8"
    assert re.fullmatch("[0-9a-f]{16}", g.ask(read))
    os.truncate(path, 0)
    assert g.ask(read) == "E01" and g.pc() == pc
    g.close()
    print("what is not there any more is not in memory")


globals()[sys.argv[1]](*sys.argv[2:])
