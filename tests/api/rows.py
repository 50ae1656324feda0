"""Make rows of all exported functions, for tests/api/api.c, from the installed headers.

    rows.py CC SOURCE OUTPUT

A row has a function that makes the call, and of each argument its kind, how a good value of it is
made (made.h), and whether the function's description says what NULL means.
"""

import re
import sys
from pathlib import Path
from typing import Any

import cffi

SOURCE = Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "python"))
from declarations import constant_sizes, preprocess, without_inlines  # noqa: E402

COUNTS = ("n", "cap", "size", "count")
CARRIED = ("context", "to", "of")  # what is only handed to a function of the caller
HEADERS = sorted((SOURCE / "include/hartscope").glob("*.h"))


def descriptions() -> dict[str, tuple[str, str]]:
    """By function what its header says of it, and of the threads that may call it."""
    found = {}
    for path in HEADERS:
        text = path.read_text(encoding="utf-8")
        for m in re.finditer(r"HS_API [^;]*?\b(hs_\w+)\([^;]*;([^\n]*)", text):
            before = text[:m.start()].rstrip()
            comment = before[before.rfind("/**"):] if before.endswith("*/") else ""
            threads = re.findall(r"Threads:([^/]*)\*/|Threads: ([^/]*)\n \*\n", text[:m.start()])
            said = " ".join(" ".join(threads[-1]).replace(" * ", " ").split()) if threads else ""
            found[m.group(1)] = (comment + m.group(2), said)
    return found


def says_null(comment: str, name: str, first: bool) -> bool:
    """Does a description say what NULL means for the parameter NAME?"""
    words = " ".join(comment.replace("\n *", " ").split())
    for part in re.split(r"@(?=param|ret)", words):
        if re.match(rf"param \s*{name}\b", part) and re.search(r"NULL(?! at the end)", part):
            return True
        if re.match(rf"param\[\w+\]\s+{name}\b", part) and re.search("NULL:|[Mm]ay be NULL", part):
            return True
    if f"*{name} (may be NULL)" in words:
        return True
    return bool(re.search(rf"[@*]{name}\b[^.;@]*NULL", re.split("@param|@ret", words)[0])) or (
        first and "NULL is allowed" in words)


class Rows:
    """The text that is made."""

    def __init__(self, ffi: cffi.FFI, makers: set[str]) -> None:
        self.ffi, self.makers = ffi, makers
        self.stubs: dict[str, str] = {}

    def stub(self, of: Any) -> str:
        """A function that can be called back: it does nothing, and true is its answer."""
        key = of.cname
        if key not in self.stubs:
            name = f"stub_{len(self.stubs)}"
            args = ", ".join(declared(a, f"a{i}") for i, a in enumerate(of.args)) or "void"
            result = "void" if of.result.kind == "void" else of.result.cname
            body = "" if result == "void" else f" return ({result})1;"
            unused = "".join(f" (void)a{i};" for i in range(len(of.args)))
            self.stubs[key] = f"static {result} {name}({args}) {{{unused}{body} }}\n"
        return re.search(r"stub_\d+", self.stubs[key]).group()

    def pointer(self, function: str, name: str, of: Any) -> tuple[str, str, int]:
        """Kind, maker and size of what a pointer leads to."""
        target = of.item
        own = f"{function}_{name}"
        struct = target.cname.replace("struct ", "") if target.kind == "struct" else ""
        if target.kind == "function":
            return "API_CALL", self.stub(target), 0
        fields = target.fields if struct else None
        sized = bool(fields) and fields[0][0] == "size"
        for maker in (own, struct, f"text_{name}" if target.cname in ("char", "void") else ""):
            if maker and maker in self.makers:
                if maker == "text_config": # its protocol knows its size
                    return "API_SIZED", f"made_{maker}", 0
                if sized:
                    return "API_SIZED", f"made_{maker}", self.ffi.sizeof(target)
                return "API_OBJECT", f"made_{maker}", 0
        if struct and not fields:
            sys.exit(f"rows.py: made.c has no made_{struct}() for {function}()")
        if sized:
            return "API_SIZED", "NULL", self.ffi.sizeof(target)
        return "API_ROOM", "NULL", 1 if target.kind == "void" else self.ffi.sizeof(target)

    def argument(self, function: str, name: str, of: Any, said: str, first: bool,
                 constant: bool) -> str:
        """An argument of a row."""
        if of.kind in ("pointer", "array") or of.kind == "function":
            if of.kind == "function":
                kind, make, size = "API_CALL", self.stub(of), 0
            else:
                kind, make, size = self.pointer(function, name, of)
            null = (says_null(said, name, first) or
                    (name in CARRIED and of.cname == "void *") or
                    of.cname == "struct hs_error *" and not constant)
            made = f"(void (*)(void)){make}" if kind == "API_CALL" else "NULL"
            maker = "NULL" if kind == "API_CALL" else make
            return f'{{ "{name}", {kind}, {maker}, {made}, {size}, {str(null).lower()}, 0 }}'
        count = name in COUNTS
        most = 1 if of.cname == "_Bool" else (1 << 8 * self.ffi.sizeof(of)) - 1
        kind = "API_COUNT" if count else "API_NUMBER"
        return f'{{ "{name}", {kind}, NULL, NULL, 0, false, UINT64_C({most}) }}'


def declared(of: Any, name: str) -> str:
    """A parameter's declaration."""
    if of.kind == "pointer" and of.item.kind == "function":
        return of.cname.replace("(*)", f"(*{name})")
    return f"{of.cname} {name}"


def signatures(text: str) -> dict[str, tuple[str, str]]:
    """By function the type of a pointer to it, and its parameters."""
    found = {}
    for statement in re.split(r"[;{}]", text):
        words = " ".join(statement.split())
        m = re.match(r"([\w* ]*?)\b(hs_\w+)\((.*)\)(?: \(\(format.*)?$", words)
        if m:
            result, name, inside = m.groups()
            found[name] = (constant_sizes(f"{result}(*)({inside})"), inside)
    return found


def parameters(inside: str) -> list[str]:
    """The declarations of a function's parameters."""
    depth, parts = 0, [""]
    for c in inside:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip() not in ("...", "void")]


def name_of(parameter: str) -> str:
    """The name that is declared."""
    callback = re.search(r"\(\*(\w+)\)", parameter)
    return callback.group(1) if callback else re.sub(r"\[.*", "", parameter).split()[-1].lstrip("*")


def is_call(of: Any) -> bool:
    """Is it a function of the caller?"""
    return of.kind == "function" or of.kind == "pointer" and of.item.kind == "function"


def value(i: int, parameter: str, of: Any) -> str:
    """Argument number I of a call, from the values of a case."""
    if is_call(of):
        named = "(*" in parameter
        cast = re.sub(r"\(\*\w+\)", "(*)", parameter) if named else parameter.rsplit(" ", 1)[0]
        return f"({cast})a[{i}].call"
    return f"a[{i}].n" if of.kind in ("primitive", "enum") else f"a[{i}].p"


def main() -> None:
    """Write the rows to OUTPUT."""
    text = without_inlines(preprocess(sys.argv[1].split(), str(SOURCE / "include"),
                                      [p.name for p in HEADERS]))
    ffi = cffi.FFI()
    ffi.cdef(constant_sizes(text))
    made = (SOURCE / "tests/api/made.h").read_text(encoding="utf-8")
    rows = Rows(ffi, set(re.findall(r"MADE\((\w+)\)", made)))
    said, declared_as = descriptions(), signatures(text)
    exported = re.findall(r"^\t(hs_\w+);", (SOURCE / "src/hartscope.map").read_text(), re.M)
    calls, table = [], []
    for name in exported:
        signature, inside = declared_as[name]
        of = ffi.typeof(signature)
        given = parameters(inside)
        values = [value(i, p, t) for i, (p, t) in enumerate(zip(given, of.args))]
        status = of.result.cname == "enum hs_status"
        plain = f"{name}({', '.join(values)})"
        calls.append(f"static int call_{name}(const union api_value *a)\n{{\n\t(void)a;\n\t" +
                     (f"return (int){plain};" if status else f"(void){plain};\n\treturn -1;") +
                     "\n}\n")
        arguments = ", ".join(
            rows.argument(name, name_of(p), t, said[name][0], i == 0, p.startswith("const"))
            for i, (p, t) in enumerate(zip(given, of.args)))
        shared = "every call here may run on several" in said[name][1] or \
            "functions here read constant tables" in said[name][1]
        table.append(f'\t{{ "{name}", call_{name}, {len(of.args)}, {str(shared).lower()}, '
                     f'{{ {arguments or "{ 0 }"} }} }},\n')
    with open(sys.argv[3], "w", encoding="ascii") as out:
        out.write("".join(f"#include <hartscope/{p.name}>\n" for p in HEADERS))
        out.write("".join(rows.stubs.values()) + "".join(calls))
        out.write("static const struct api_row rows[] = {\n" + "".join(table) + "};\n")


main()
