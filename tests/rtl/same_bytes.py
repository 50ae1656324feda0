"""Is a trace what a bench saved (bench.sv, +save)?  same_bytes.py SAVED TRACE

Up to the last 8 bytes: the bench ends by halting the hart."""
import sys

design = bytearray()
for line in open(sys.argv[1], encoding="ascii"):
    length, word = line.split()
    design += bytes.fromhex(word)[::-1][: int(length)]
trace = open(sys.argv[2], "rb").read()
sys.exit(not (len(trace) > 10000 and design[:-8] == trace[: len(design) - 8]))
