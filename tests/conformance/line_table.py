"""What objdump and nm read of a program: its line table, inlined functions and symbols."""
import re
import subprocess
from collections import defaultdict

PART = re.compile(r"\.(part|cold)\b")


def base_name(symbol):
    """Without what the compiler adds to copies, and of a constructor or destructor that of all."""
    return re.sub(r"([CD])[12](?=E)", r"\1*", re.sub(r"\.(constprop|isra)\.\d+", "", symbol))


def objdump(what, program):
    return subprocess.run(["riscv64-linux-gnu-objdump", "--dwarf=" + what, program], check=True,
                          capture_output=True, text=True).stdout.split("\n")


def marks_of(program):
    """Where statements begin: the addresses of each line, and the lines of each address."""
    by_line, by_address = defaultdict(set), defaultdict(set)
    for text in objdump("decodedline", program):
        row = re.match(r"(\S+) +(\d+) +(0x[0-9a-f]+|0)( +\d+)? +x *$", text)
        if row:
            by_line[row[1], int(row[2])].add(row[3])
            by_address[row[3]].add((row[1], int(row[2])))
    return by_line, by_address


def inlined_of(program):
    """Lines where functions begin that were inlined, and lines with calls of these."""
    entries, entry = {}, {}
    for text in objdump("info", program):
        row = re.match(r" *<[0-9a-f]+><([0-9a-f]+)>: .*\((DW_TAG_\w+)\)", text)
        if row:
            entry = entries[row[1]] = {"tag": row[2]}
            continue
        row = re.match(r" *<[0-9a-f]+> +(DW_AT_\w+) *: (.*)", text)
        if row:
            entry[row[1]] = row[2]
    begins, calls = set(), set()
    for call in entries.values():
        if call["tag"] != "DW_TAG_inlined_subroutine":
            continue
        of = entries.get(re.sub("[<>]|0x", "", call["DW_AT_abstract_origin"]), {})
        while "DW_AT_decl_line" not in of and "DW_AT_specification" in of:
            of = entries.get(re.sub("[<>]|0x", "", of["DW_AT_specification"]), {})
        begins.add(int(of.get("DW_AT_decl_line", 0)))
        calls.add(int(call.get("DW_AT_call_line", 0)))
    return begins, calls


def called_in(program):
    """The functions that an instruction names: calls, jumps, and addresses that are taken."""
    out = subprocess.run(["riscv64-linux-gnu-objdump", "-d", "--no-show-raw-insn", program],
                         check=True, capture_output=True, text=True).stdout
    return {base_name(name) for name in re.findall(r"\t.*<([^<>+]+)>$", out, re.M)}


def symbols_of(program):
    """Addresses and sizes of functions, by the symbol without what the compiler added to it."""
    out = subprocess.run(["riscv64-linux-gnu-nm", "-S", program], check=True, capture_output=True,
                         text=True).stdout
    found = defaultdict(list)
    for row in out.split("\n"):
        row = row.split()
        if len(row) == 4 and row[2] in "tTwW" and not PART.search(row[3]):
            found[base_name(row[3])].append((int(row[0], 16), int(row[1], 16)))
    return found
