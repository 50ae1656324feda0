"""Recordings of what other tools wrote: logs of simulators, emulators and cores."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from .library import c_string, check, ffi, lib, text

__all__ = ["Imported", "import_log"]

Path = str | os.PathLike[str]


class Imported(NamedTuple):
    """What was imported."""

    format: str
    blocks: int
    gaps: int
    damage: list[str]
    """The first 1000 lines that could not be read, each with what was expected there."""
    damage_count: int


def import_log(path: Path, recording: Path, *, format: str | None = None,
               elf: Iterable[Path] | Path = (), xlen: int = 0, hart: int = 0,
               signals: Iterable[str] = (), clock: str | None = None) -> Imported:
    """Make a recording of a log, or of cycles of an ingress port as rows or waves.

    path: the file.
    recording: a folder; a recording that is there is replaced.
    format: its name, as of --from (docs/import.md); None: as the first lines show.
    elf: ELF files of the program: code that the log does not have.
    xlen: 32 or 64, where neither an ELF file nor the log says it.
    hart: the number of the log's hart 0 in the recording.
    signals, clock: of waves, as of --signal and --vcd-clock.

    Raises Error where the file has no format that is known, or cannot be read.
    """
    damage: list[str] = []

    @ffi.callback("void(void *, const struct hs_error *)")
    def report(_: Any, what: Any) -> None:
        if what.status != lib.HS_OK and len(damage) < 1000:
            damage.append(text(what.text) or "?")

    files = [elf] if isinstance(elf, (str, os.PathLike)) else list(elf)
    kept = [c_string(p) for p in [path, recording, *files]]
    code = ffi.new("struct hs_code_file[]",
                   [{"kind": lib.HS_CODE_ELF, "path": p} for p in kept[2:]])
    words = [c_string(s) for s in signals]
    wanted = ffi.new("const char *[]", words)
    names = [ffi.NULL if s is None else c_string(s) for s in (format, clock)]
    options = ffi.new("struct hs_import_options *", {
        "size": ffi.sizeof("struct hs_import_options"), "path": kept[0], "format": names[0],
        "code": code, "code_count": len(files), "xlen": xlen, "hart": hart, "clock": names[1],
        "signals": wanted, "signal_count": len(words), "report": report})
    error = ffi.new("struct hs_error *")
    started = ffi.new("struct hs_import **")
    result = ffi.new("struct hs_import_result *")
    check(lib.hs_import_open(options, started, error), error)
    try:
        check(lib.hs_import_write(started[0], kept[1], result, error), error)
        return Imported(text(result.format) or "?", result.blocks, result.gaps, damage,
                        result.errors)
    finally:
        lib.hs_import_close(started[0])
