"""A recording, a flow or a trace: what a program executed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from .blocks import view
from .calls import Call, CallList, CallTree, Function, tree_of
from .compare import Comparison, compare
from .identify import identify
from .library import Error, c_string, check, ffi, lib, text
from .profile import BY, Profile, by_number, profile_of
from .tables import Tables

__all__ = ["Damage", "Place", "Run", "open_run"]

Path = str | os.PathLike[str]


class Damage(NamedTuple):
    """A part of a trace or recording that could not be read; what follows it is good again."""

    status: str
    """Name of its enum hs_status, such as "E_FLOW"."""
    message: str
    """Where it is, what is wrong, and the clause."""


class Place(NamedTuple):
    """Where an address is in the program."""

    function: str | None
    offset: int
    """Bytes from the function's start."""
    file: str | None
    """Source file; None without line information."""
    line: int


class _Keeper:
    """C strings and arrays that a structure points to, alive as long as this is."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def string(self, value: Path) -> Any:
        self._kept.append(c_string(value))
        return self._kept[-1]

    def optional(self, value: Path | None) -> Any:
        return ffi.NULL if value is None else self.string(value)

    def array(self, of: str, values: list[Any]) -> Any:
        self._kept.append(ffi.new(f"{of}[]", values))
        return self._kept[-1]


def _position(where: str | int | None) -> Any:
    """A position from words as of --from (docs/ranges.md), or an instruction's number."""
    position = ffi.new("struct hs_position *")
    if where is not None and lib.hs_position_parse(c_string(str(where)), position) != lib.HS_OK:
        raise ValueError(f"{where!r}: not a position: N, time:T, byte:OFFSET, 0xADDRESS[@N], "
                         "insn:BITS[@N], ecall:A7[@N] or FUNCTION[@N]")
    return position


class Run:
    """What a program executed; made by hartscope.open().  Calls of several threads wait for each
    other; a reader of one that another one interrupted gets RuntimeError."""

    def __init__(self, options: Any, kept: _Keeper) -> None:
        self.damage: list[Damage] = []
        """The first 1000 of what could not be read, since the last start."""
        self.damage_count = 0
        """How often something could not be read, since the last start."""
        error = ffi.new("struct hs_error *")
        source = ffi.new("struct hs_source **")
        check(lib.hs_source_open(options, source, error), error)
        self._kept = kept
        self._source = ffi.gc(source[0], lib.hs_source_close)
        self._lock = threading.RLock()
        self._threads = options.threads
        self._turn = 0  # how often reading began

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the files, once no array of blocks() is left."""
        self._source = None

    def _open_source(self) -> Any:
        if self._source is None:
            raise ValueError("the run is closed")
        return self._source

    def _set_range(self, start: str | int | None, end: str | int | None,
                   function: str | None) -> None:
        error = ffi.new("struct hs_error *")
        options = ffi.new("struct hs_range_options *")
        options.size = ffi.sizeof("struct hs_range_options")
        setattr(options, "from", _position(start)[0])
        options.to = _position(end)[0]
        options.function = self._kept.optional(function)
        check(lib.hs_source_set_range(self._open_source(), options, error), error)

    def _note(self, status: int, error: Any) -> None:
        """Keep what is wrong with the data; raise what ends the work."""
        name = text(lib.hs_status_name(status)) or "?"
        message = (text(error.text) if error.status == status else None) or ""
        kind = lib.hs_status_get_class(status)
        if kind not in (lib.HS_CLASS_DATA, lib.HS_CLASS_UNSUPPORTED):
            raise Error(status, message or text(lib.hs_status_text(status)) or "?")
        self.damage_count += 1
        if len(self.damage) < 1000:
            self.damage.append(Damage(name, message))

    def _rewind(self) -> int:
        """Begin to read from the start; readers before are not to go on."""
        error = ffi.new("struct hs_error *")
        self.damage, self.damage_count = [], 0
        check(lib.hs_source_rewind(self._open_source(), error), error)
        self._turn += 1
        return self._turn

    def _count(self, what: int, by: int = 0, call: Any = ffi.NULL, keep: bool = False) -> Any:
        """All of the run, counted: a struct hs_counts *."""
        with self._lock:
            return self._count_alone(self._open_source(), what, by, call, keep)

    def _count_alone(self, source: Any, what: int, by: int, call: Any, keep: bool) -> Any:
        options = ffi.new("struct hs_counts_options *", {
            "size": ffi.sizeof("struct hs_counts_options"), "what": what, "by": by,
            "source": source, "call": call, "keep_calls": keep})
        made = ffi.new("struct hs_counts **")
        check(lib.hs_counts_new(options, made))
        kept = (self._kept, source)  # what counts point to
        counts = ffi.gc(made[0], lambda c, _kept=kept: lib.hs_counts_free(c))
        raised: list[BaseException] = []

        def stop(_kind: Any, value: BaseException, _traceback: Any) -> None:
            raised.append(value)

        @ffi.callback("bool(void *, const struct hs_block *, size_t)", error=False, onerror=stop)
        def take(_to: Any, _items: Any, _n: int) -> bool:  # here Python looks at signals
            return not raised

        @ffi.callback("void(void *, const struct hs_error *)", onerror=stop)
        def damaged(_to: Any, error: Any) -> None:
            self._note(error.status, error)

        look = ffi.new("struct hs_taker *", {"take": take, "error": damaged})
        self._rewind()
        status = lib.hs_source_count(source, counts, look)
        if raised:
            raise raised[0]
        check(status)
        return counts

    def _items(self) -> Iterator[tuple[Any, int]]:
        """All items from the start, as const struct hs_block * and their number."""
        source = self._open_source()
        error = ffi.new("struct hs_error *")
        items = ffi.new("const struct hs_block **")
        n = ffi.new("size_t *")
        kept = (self._kept, source)  # what items are in
        with self._lock:
            turn = self._rewind()
        while True:
            with self._lock:
                if turn != self._turn or self._source is None:
                    raise RuntimeError("the run was read again or closed since")
                status = lib.hs_source_view(source, items, n, error)
            if n[0]:
                yield ffi.gc(items[0], lambda _items, _kept=kept: None), n[0]
            if status == lib.HS_END:
                return
            if status != lib.HS_OK:
                self._note(status, error)

    def blocks(self) -> Iterator[np.ndarray[Any, Any]]:
        """Retired blocks and events in order, as arrays of dtype BLOCK of some thousand items.

        An array is the library's own memory: it is valid until the next one is taken, and cannot
        be written; copy() what is needed longer.  Damage is in the attribute damage, and a
        Kind.GAP is among the items; what follows is good again.

        A run is read from its start each time, and by one reader at a time: RuntimeError after
        another call has begun to read.  Raises Error where a file cannot be read at all.
        """
        for items, n in self._items():
            yield view(items, n)

    @property
    def harts(self) -> list[int]:
        """The harts of a recording or flow; a trace has those that its items name."""
        harts = ffi.new("const uint32_t **")
        n = ffi.new("uint32_t *")
        error = ffi.new("struct hs_error *")
        with self._lock:
            source = self._open_source()
            check(lib.hs_source_get_harts(source, harts, n, error), error)
            return [harts[0][i] for i in range(n[0])]

    def place(self, address: int) -> Place:
        """The function and the source line of an address."""
        place = ffi.new("struct hs_place *")
        with self._lock:
            source = self._open_source()
            lib.hs_program_find_place(lib.hs_source_known(source).program, address, place)
            return Place(text(place.function), place.offset, text(place.file), place.line)

    def source_line(self, file: str, line: int) -> str | None:
        """A line of source text; None where there is no such file or line."""
        name = c_string(file)
        with self._lock:
            source = self._open_source()
            program = lib.hs_source_known(source).program
            return text(lib.hs_program_source_line(program, name, line))

    def profile(self, by: BY = "nothing") -> Profile:
        """How many instructions ran, in which functions, modes and groups.

        by: what functions and groups are counted by: "nothing", "process", "hart", "mode" or
        "thread".
        """
        return profile_of(self._count(lib.HS_COUNTS_PROFILE, by_number(by)))

    def call_tree(self) -> CallTree:
        """Who called whom, how often, and what that took: call stacks as a tree."""
        return tree_of(self._count(lib.HS_COUNTS_TREE))[0]

    def functions(self) -> list[Function]:
        """Functions by what ran in them and in what they called, the most first."""
        return self.call_tree().functions()

    def compare(self, other: Run, *, gaps: bool = False) -> Comparison:
        """Are this run and another one equal, hart by hart and block by block?

        Events that one of them does not carry are left out, such as the traps of a trace.  What
        cannot be read of either is in the attribute damage of this one.

        gaps: one of them is a recording or flow; the other one may lack what its gaps stand for.
        """
        first, second = sorted((self, other), key=id)  # whoever else compares them, in one order
        with first._lock, second._lock:
            self._rewind()
            other._rewind()
            return compare(self._open_source(), other._open_source(), gaps, self._threads,
                           self._note)

    def calls(self) -> list[Call]:
        """Every call that ended, in the order of the ends."""
        calls = CallList()
        return tree_of(self._count(lib.HS_COUNTS_TREE, call=calls.each), calls)[1]

    def tables(self, *, calls: bool = False, code: bool = False, by: BY = "nothing") -> Tables:
        """All tables of the run as NumPy arrays, without a copy, in one pass.

        calls: also each call (40 bytes of memory for each).
        code: also each instruction with its counts.
        by: as of profile().
        """
        what = lib.HS_COUNTS_PROFILE | lib.HS_COUNTS_TREE | lib.HS_COUNTS_TRAPS
        what |= lib.HS_COUNTS_CODE if code else 0
        with self._lock:
            return Tables(self._count(what, by_number(by), keep=calls), self._open_source(), code)

    def calls_array(self) -> np.ndarray[Any, Any]:
        """Every call that ended as tables(calls=True).calls: numbers only, without a copy."""
        return self.tables(calls=True).calls


def _params(kept: _Keeper, path: Path, protocol: str | None, config: Iterable[Path],
            settings: Mapping[str, object] | None, transport: str | None) -> Any:
    """Parameters of a trace; NULL: those of TRACE.json, or the defaults."""
    configs = [kept.string(c) for c in config]
    if protocol is None and not configs and not settings and transport is None:
        return ffi.NULL
    error = ffi.new("struct hs_error *")
    options = ffi.new("struct hs_trace_params_options *")
    options.size = ffi.sizeof("struct hs_trace_params_options")
    options.protocol = kept.optional(protocol)
    options.trace = kept.string(path)
    if configs:
        options.configs = kept.array("const char *", configs)
    options.config_count = len(configs)
    given = [{"name": kept.string(k), "value": kept.string(str(v))}
             for k, v in (settings or {}).items()]
    if given:
        options.settings = kept.array("struct hs_setting", given)
    options.setting_count = len(given)
    params = ffi.new("struct hs_trace_params **")
    check(lib.hs_trace_params_open(options, params, error), error)
    owned = ffi.gc(params[0], lib.hs_trace_params_free)
    if transport is not None:
        check(lib.hs_trace_params_set_transport(owned, kept.string(transport)))
    return owned


def open_run(path: Path, *, elf: Iterable[Path] | Path = (), protocol: str | None = None,
             config: Iterable[Path] = (), settings: Mapping[str, object] | None = None,
             transport: str | None = None, auto: bool = False, hart: int | None = None,
             start: str | int | None = None, end: str | int | None = None,
             function: str | None = None, names: bool = True,
             threads: int | None = None) -> Run:
    """Open a recording, a flow or a trace.

    path: a folder (recording, flow) or a file (trace).
    elf: ELF files of the program: needed for a trace whose TRACE.json names none.
    protocol: "ntrace" or "etrace"; None: as TRACE.json says.
    config: files of parameters, as of --config.
    settings: parameters of the protocol by name, as of --set.
    transport: how the bytes of a trace came, as of --transport.
    auto: find protocol, transport and parameters, as --auto does.
    hart: only what this hart executed.
    start, end: positions, as of --from and --to, or numbers of instructions (docs/ranges.md).
    function: only the instructions of this function.
    names: also read symbols and source lines.
    threads: that may decode a trace; None: one for each processor, at most 8.

    Raises Error where the file is not there, is not what it should be, or parameters contradict
    each other; ValueError where a position is none.
    """
    kept = _Keeper()
    files = [elf] if isinstance(elf, (str, os.PathLike)) else list(elf)
    options = ffi.new("struct hs_source_options *")
    options.size = ffi.sizeof("struct hs_source_options")
    options.path = kept.string(path)
    options.names = names
    options.versions = True
    options.one_hart = hart is not None
    options.hart = hart or 0
    options.threads = threads or min(os.cpu_count() or 1, 8)
    if files:
        options.code = kept.array("struct hs_code_file", [
            {"kind": lib.HS_CODE_ELF, "path": kept.string(f)} for f in files])
        options.code_count = len(files)
    params = _params(kept, path, protocol, config, settings, transport)
    if auto and params != ffi.NULL:
        raise ValueError("auto stands without protocol, config, settings and transport")
    if auto and not os.path.isdir(path):
        params, moved = identify(options)
        for i in range(options.code_count):
            options.code[i].address = moved % (1 << 64)
    options.params = params
    run = Run(options, kept)
    if start is not None or end is not None or function is not None:
        run._set_range(start, end, function)
    return run
