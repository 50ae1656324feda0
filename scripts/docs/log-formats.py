#!/usr/bin/env python3
"""The table of formats in docs/import.md, from src/ingress/log_formats.def.

  scripts/docs/log-formats.py            write it
  scripts/docs/log-formats.py --check    say whether it is current
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = "src/ingress/log_formats.def"
PAGE = ROOT / "docs/import.md"
START, END = "<!-- formats: scripts/docs/log-formats.py -->\n", "<!-- end of formats -->\n"


def rows():
    """The arguments of each row, as the C preprocessor sees them."""
    text = subprocess.run(["cc", "-E", "-P", "-DHS_LOG_FORMAT(...)=@__VA_ARGS__@", "-x", "c", "-"],
                          input=f'#include "{TABLE}"\n', cwd=ROOT, capture_output=True,
                          text=True, check=True).stdout
    for body in re.findall(r"@(.*?)@", text, re.S):
        yield ["".join(re.findall(r'"([^"]*)"', part))
               for part in re.findall(r'(?:"[^"]*"\s*)+', body)]


def table():
    out = "| `--from` | what | made by | read from | gaps |\n| --- | --- | --- | --- | --- |\n"
    for name, *rest in rows():
        out += f"| `{name}` | {' | '.join(rest)} |\n"
    return out


def main():
    page = PAGE.read_text()
    before, rest = page.split(START)
    new = before + START + table() + END + rest.split(END)[1]
    if sys.argv[1:] == ["--check"]:
        if new != page:
            sys.exit("docs/import.md is not current: scripts/docs/log-formats.py")
    else:
        PAGE.write_text(new)


main()
