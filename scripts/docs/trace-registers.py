#!/usr/bin/env python3
"""docs/trace-registers.md, and the table in scripts/openocd/hartscope.tcl, from
include/hartscope/tables/registers.def and src/trace/sifive_registers.def.

  scripts/docs/trace-registers.py            write them
  scripts/docs/trace-registers.py --check    say whether they are current
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/trace-registers.md"
SCRIPT = ROOT / "scripts/openocd/hartscope.tcl"
UNITS = [
    ("ENCODER", "Trace encoder"), ("TS", "Timestamp unit (of encoder and funnel alike)"),
    ("FUNNEL", "Trace funnel"), ("RAM", "RAM sink"), ("PIB", "Pin interface"), ("ATB", "ATB bridge"),
]
SIFIVE_UNITS = [("ENCODER0", "Encoder of version 0 of SiFive"),
                ("FUNNEL0", "Funnel of version 0 of SiFive"), ("SIFIVE", "Both of these")]
SIFIVE_HEAD = """
## Components of version 0 of SiFive

From `src/trace/sifive_registers.def`. Components have no type; the sink is a part of the funnel.
`--registers` reads these registers in sections `[encoder0 BASE]` and `[funnel0 BASE]`, as those of
1.0 that mean the same.
"""
HEAD = """# Trace control registers

Made by `scripts/docs/trace-registers.py` from `include/hartscope/tables/registers.def`; change that file.

"TCI n" is a chapter of the RISC-V Trace Control Interface 1.0, counted from its introduction. Offsets are from the
component's base. "idle": a write keeps the value while the component is enabled. Reset: a number, `U` where a reset may
leave it as it was, `S` where the implementation decides. "Legal" is what the text allows; a profile of
`include/hartscope/control.h` may have less. Everything else in a component is reserved: it reads 0.
"""


def rows():
    """(macro, [arguments]) of each row, as the C preprocessor sees them."""
    source = '#include "include/hartscope/tables/registers.def"\n'
    text = subprocess.run(["cc", "-E", "-P", "-DHS_TR_REG(...)=@R(__VA_ARGS__)@", "-DHS_TR_FIELD(...)=@F(__VA_ARGS__)@",
                           "-x", "c", "-"], input=source, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for kind, body in re.findall(r"@([RF])\((.*?)\)@", text, re.S):
        parts = re.findall(r'((?:"[^"]*"\s*)+|[^,"]+)(?:,|$)', body)
        yield kind, ["".join(re.findall(r'"([^"]*)"', p)) if '"' in p else p.strip() for p in parts]


def sifive_rows():
    """The rows of SiFive's registers, with as many arguments as those of 1.0."""
    source = '#include "src/trace/sifive_registers.def"\n'
    macros = ["-DHS_SF_REG(...)=@R(__VA_ARGS__)@", "-DHS_SF_FIELD(...)=@F(__VA_ARGS__)@"]
    text = subprocess.run(["cc", "-E", "-P", *macros, "-x", "c", "-"], input=source, cwd=ROOT,
                          capture_output=True, text=True, check=True).stdout
    regs, fields = [], {}
    for kind, body in re.findall(r"@([RF])\((.*?)\)@", text, re.S):
        parts = re.findall(r'((?:"[^"]*"\s*)+|[^,"]+)(?:,|$)', body)
        parts = ["".join(re.findall(r'"([^"]*)"', p)) if '"' in p else p.strip() for p in parts]
        if kind == "R":
            unit, name, text_name, offset, text = parts
            regs.append([unit, name, text_name, offset, "1", "SiFive", text])
        else:
            fields.setdefault(parts[0], []).append(parts)
    return regs, fields


def sifive_page():
    out = SIFIVE_HEAD
    regs, fields = sifive_rows()
    for unit, title in SIFIVE_UNITS:
        out += f"\n### {title}\n\n| register | offset | bits | field | what |\n"
        out += "| --- | --- | --- | --- | --- |\n"
        for reg in [r for r in regs if r[0] == unit]:
            for i, (_, _, name, msb, lsb, values, text) in enumerate(fields[reg[1]]):
                bits = msb if msb == lsb else f"{msb}:{lsb}"
                words = f" ({values.replace(' ', ', ').replace('=', ' ')})" if values else ""
                head = f"{reg[2]} | {reg[3]}" if i == 0 else " | "
                out += f"| {head} | {bits} | {name} | {text}{words} |\n"
    return out


def legal(rule, mask, values):
    mask = int(mask, 0)
    if rule == "BITS":
        return "any" if mask & (mask + 1) == 0 else f"bits 0x{mask:x}"
    words = dict(w.split("=", 1) for w in values.split())
    return ", ".join(f"{v} {words[str(v)]}" if str(v) in words else str(v) for v in range(32) if mask >> v & 1)


def register_head(reg):
    _, _, name, offset, count, clause, text = reg
    where = offset if count == "1" else f"{offset} + 0x20 × #, # = 0..{int(count) - 1}"
    return f"\n### {name}\n\n{where} · {text} · {clause}\n\n| bits | field | access | reset | legal | what |\n" \
           "| --- | --- | --- | --- | --- | --- |\n"


def field_row(f):
    _, _, name, msb, lsb, access, when, rule, mask, reset, value, values, text = f
    bits = msb if msb == lsb else f"{msb}:{lsb}"
    shown = "any" if rule == "SET" and int(mask, 0) == 0xffff else legal(rule, mask, values)
    return f"| {bits} | {name} | {access}{', idle' if when == 'IDLE' else ''} | {value if reset == 'R' else reset} " \
           f"| {shown} | {text} |\n"


def page(regs, fields):
    out = HEAD
    for unit, title in UNITS:
        out += f"\n## {title}\n"
        for reg in regs:
            if reg[0] == unit:
                out += register_head(reg) + "".join(field_row(f) for f in fields[reg[1]])
    return out + sifive_page()


def tcl_table(regs, fields):
    """Registers: {UNIT NAME} {OFFSET INSTANCES}; fields: NAME {REGISTER MSB LSB}."""
    more, more_fields = sifive_rows()
    fields = {r[2]: fields[r[1]] for r in regs}
    fields.update({r[2]: more_fields[r[1]] for r in more})
    regs = regs + more
    out = "# {UNIT REGISTER} {OFFSET INSTANCES}; instances are 0x20 bytes apart, # is their number.\n"
    out += "set hs_registers {\n"
    for unit, _, name, offset, count, _, _ in regs:
        out += f"\t{{{unit.lower()} {name}}} {{{offset} {count}}}\n"
    out += "}\n# FIELD {REGISTER MSB LSB}; of registers with instances, of the first.\nset hs_fields {\n"
    for reg in regs:
        for f in fields[reg[2]]:
            out += f"\t{f[2]} {{{reg[2].replace('#', '0')} {f[3]} {f[4]}}}\n"
    return out + "}\n"


def script(text, table):
    """The script with the table between its two marks."""
    head, rest = re.match(r"(.*?# ---- registers and fields, [^\n]*\n)(.*)", text, re.S).groups()
    end = "# ---- end of what scripts/docs/trace-registers.py writes"
    return head + table + rest[rest.index(end):]


def main():
    regs, fields = [], {}
    for kind, parts in rows():
        if kind == "R":
            regs.append(parts)
        else:
            fields.setdefault(parts[0], []).append(parts)
    stale = False
    for path, make in [(PAGE, lambda _: page(regs, fields)),
                       (SCRIPT, lambda old: script(old, tcl_table(regs, fields)))]:
        old = path.read_text() if path.exists() else ""
        new = make(old)
        if sys.argv[1:] == ["--check"]:
            name = path.relative_to(ROOT)
            print(f"ok - {name} is current" if old == new else
                  f"not ok - {name} is not current: run scripts/docs/trace-registers.py")
            stale |= old != new
        else:
            path.write_text(new)
    return stale


sys.exit(main())
