#!/usr/bin/env python3
"""docs/port-signals.md from include/hartscope/tables/ingress.def and
src/ingress/qualifier_names.def.

  scripts/docs/port-signals.py            write it
  scripts/docs/port-signals.py --check    say whether it is current
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/port-signals.md"
HEAD = """# Ingress port and filters by name

Made by `scripts/docs/port-signals.py` from `include/hartscope/tables/ingress.def` and
`src/ingress/qualifier_names.def`; change those files.

## Signals of the ingress port

Members of `struct hs_port_slot`, `hs_port_cycle` and `hs_port_data` (`port.h`), and columns of
`import --from port`. "PT" is Processor Trace 0.026-DRAFT, "ET" Efficient Trace for RISC-V 2.0, "RHTI" RISC-V Hart to Trace Interface 0.9.
"each slot", "each access": a column is called `NAME_0`, `NAME_1` and so on. Numbers in rows are
decimal or hexadecimal, as the base says. The only signal of the other direction is `stall` (PT
Table 3.5), the member `stall` of `struct hs_port`.

| signal | instruction form (PT) | block form (ET) | width | base | clause | what |
| --- | --- | --- | --- | --- | --- | --- |
"""
SET_UP = """
## Set-up of comparators and filters

Lines of `NAME = VALUE` for `encode --filter @FILE`, or calls of `hs_qualifier_read()` (`ingress.h`). N of a comparator is 0 to
7, of a filter 0 to 15. A comparator's second comparison counts in the modes `both`, `not_both` and `latch`; with the function
`mask` its value is a mask for the first in every mode.

| name | words, besides numbers | what |
| --- | --- | --- |
"""


def rows(table, macros):
    """(macro, [arguments]) of each row, as the C preprocessor sees them."""
    defines = [f"-D{m}(...)=@{m}(__VA_ARGS__)@" for m in macros]
    text = subprocess.run(["cc", "-E", "-P", *defines, "-x", "c", "-"],
                          input=f'#include "{table}"\n', cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout
    for macro, body in re.findall(r"@(\w+)\((.*?)\)@", text, re.S):
        parts = re.findall(r'((?:"[^"]*"\s*)+|(?:[^,"(]|\([^)]*\))+)(?:,|$)', body)
        yield macro, ["".join(re.findall(r'"([^"]*)"', p)) if '"' in p else p.strip() for p in parts]


def port_row(macro, parts):
    name, insn, block, width, base, clause, text = parts
    insn_has = "–" if insn == "0" else "once a cycle" if macro == "HS_PORT_CYCLE" else "each slot"
    each = {"HS_PORT_SLOT": "each slot", "HS_PORT_DATA": "each access"}
    block_has = "–" if block == "0" else each.get(macro, "once a cycle")
    return f"| `{name}` | {insn_has} | {block_has} | {width} | {base} | {clause} | {text} |\n"


def set_up_row(macro, parts):
    prefix = {"HS_QUALIFIER_COMPARATOR": "comparator.N.", "HS_QUALIFIER_FILTER": "filter.N.", "HS_QUALIFIER_ALL": ""}[macro]
    words = re.sub(r"=\d+", "", parts[2]).replace(" ", ", ") if macro == "HS_QUALIFIER_COMPARATOR" else ""
    return f"| `{prefix}{parts[0]}` | {words} | {parts[-1]} |\n"


def page():
    kinds = ["HS_PORT_SLOT", "HS_PORT_SHARED", "HS_PORT_CYCLE", "HS_PORT_DATA"]
    table = rows("include/hartscope/tables/ingress.def", kinds)
    signals = "".join(port_row(*r) for r in table)
    names = "".join(set_up_row(*r) for r in rows("src/ingress/qualifier_names.def", ["HS_QUALIFIER_COMPARATOR", "HS_QUALIFIER_FILTER", "HS_QUALIFIER_ALL"]))
    return HEAD + signals + SET_UP + names


if sys.argv[1:] == ["--check"]:
    current = PAGE.read_text(encoding="utf-8") == page()
    print(f"{'ok' if current else 'not ok'} - docs/port-signals.md is that of the tables")
    sys.exit(not current)
PAGE.write_text(page(), encoding="utf-8")
