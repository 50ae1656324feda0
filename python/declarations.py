"""Make the declarations that the Python module reads, from the library's public headers.

    declarations.py CC INCLUDE OUTPUT HEADER...

The headers go through the C preprocessor; what cffi cannot parse, the bodies of inline functions,
is left out.  So structures and calls are never written twice, and importing parses no C.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cffi
from cffi import recompiler

# What the headers include of the C library: cffi knows these types itself.
SYSTEM = ("stdbool.h", "stddef.h", "stdint.h", "stdio.h")


def preprocess(cc: list[str], include: str, headers: list[str]) -> str:
    """All headers as the compiler sees them, without those of the C library."""
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEM:
            (Path(folder) / name).write_text("", encoding="ascii")
        text = "".join(f"#include <hartscope/{name}>\n" for name in headers)
        command = [*cc, "-E", "-P", "-nostdinc", "-I", folder, "-I", include,
                   "-D__attribute__(x)=", "-x", "c", "-"]
        return subprocess.run(command, input=text, text=True, check=True,
                              stdout=subprocess.PIPE).stdout


def skip_body(text: str, at: int) -> int:
    """The place after a body that begins at the brace TEXT[AT]."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise ValueError("a brace is not closed")


def without_inlines(text: str) -> str:
    """TEXT without inline functions: their addresses are not in the library."""
    kept, at = [], 0
    for match in re.finditer(r"static inline [^;{]*\{", text):
        if match.start() < at:
            continue
        kept.append(text[at:match.start()])
        at = skip_body(text, match.end() - 1)
    return "".join(kept) + text[at:]


def constant_sizes(text: str) -> str:
    """Sizes of arrays as numbers: cffi takes no expressions with suffixes such as 8u."""
    return re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uU][lL]*\b", r"\1", text)


def main() -> None:
    """Write the declarations to OUTPUT, as a Python module."""
    cc, include, output, *headers = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(constant_sizes(without_inlines(preprocess(cc.split(), include, headers))))
    ffi.set_source("hartscope._declarations", None)
    recompiler.make_py_source(ffi, "hartscope._declarations", output)


if __name__ == "__main__":
    main()
