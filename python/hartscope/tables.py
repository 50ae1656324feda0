"""All tables of a run as NumPy arrays in the library's own memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .library import check, ffi, lib, text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Tables", "dtype_of"]

Array = np.ndarray[Any, Any]


def _format(kind: Any) -> str | None:
    """How NumPy reads a member of a structure; None: it does not."""
    if kind.kind == "pointer":
        return f"u{ffi.sizeof('void *')}"
    if kind.kind == "enum":
        return f"u{ffi.sizeof(kind)}"
    if kind.kind != "primitive":
        return None
    if kind.cname == "_Bool":
        return "?"
    if kind.cname in ("float", "double"):
        return f"f{ffi.sizeof(kind)}"
    signed = int(ffi.cast(kind, -1)) < 0
    return f"{'i' if signed else 'u'}{ffi.sizeof(kind)}"


def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a structure of the headers: its numbers, and the addresses of its texts; without
    members that are structures or arrays."""
    fields = [(member, field.offset, _format(field.type))
              for member, field in ffi.typeof(name).fields if field.bitsize < 0]
    fields = [f for f in fields if f[2] is not None]
    return np.dtype({"names": [f[0] for f in fields], "offsets": [f[1] for f in fields],
                     "formats": [f[2] for f in fields], "itemsize": ffi.sizeof(name)})


def _view(owner: Any, first: Any, count: int) -> Array:
    """COUNT structures from FIRST on, without a copy; OWNER stays alive as long as they do."""
    name = ffi.getctype(ffi.typeof(first).item).removeprefix("const ")
    dtype = dtype_of(name)
    if not count:
        return np.empty(0, dtype)
    held = ffi.gc(ffi.cast(f"{name} *", first), lambda _, kept=owner: None)
    array = np.frombuffer(ffi.buffer(held, count * dtype.itemsize), dtype=dtype)
    array.flags.writeable = False
    return array


class Tables:
    """Tables of a run, counted in one pass; made by hartscope.Run.tables().

    Each is a structured array in the library's memory, which cannot be written.  Its fields are
    the members of the structure of the headers that is named below; a text is an address, which
    names() turns into text.  Arrays may outlive the run.
    """

    def __init__(self, counts: Any, source: Any, code: bool) -> None:
        self._kept = (counts, source)  # texts are the program's
        r = ffi.new("struct hs_counts_functions *")
        check(lib.hs_counts_get_functions(counts, r))
        profile, tree, graph = r.profile, r.tree, r.graph
        self.functions = _view(self._kept, r.functions, r.function_count)
        """Functions, those with the most instructions first (struct hs_counts_function)."""
        self.profile = _view(self._kept, profile.functions, profile.function_count)
        """The same by group (struct hs_profile_function)."""
        self.groups = _view(self._kept, profile.groups, profile.group_count)
        """Processes, harts, modes or threads (struct hs_profile_group)."""
        self.nodes = _view(self._kept, tree.nodes, tree.count)
        """Paths of calls, each after its caller (struct hs_call_node)."""
        self.calls = _view(self._kept, tree.calls, tree.call_count)
        """Calls in the order of their ends; node is the number of its path (struct hs_call)."""
        self.called = _view(self._kept, graph.functions, graph.function_count)
        """Functions that were called; edges have their numbers (struct hs_call_function)."""
        self.edges = _view(self._kept, graph.edges, graph.edge_count)
        """Who called whom (struct hs_call_edge)."""
        traps = ffi.new("struct hs_traps_result *")
        check(lib.hs_counts_get_traps(counts, traps))
        self.traps = _view(self._kept, traps.kinds, traps.count)
        """Traps by kind (struct hs_trap_kind)."""
        self.instructions: Array = np.empty(0, dtype_of("struct hs_counts_insn"))
        """With code: instructions with their counts (struct hs_counts_insn)."""
        if code:
            c = ffi.new("struct hs_counts_code *")
            check(lib.hs_counts_get_code(counts, c))
            self.instructions = _view(self._kept, c.insns, c.insn_count)

    @staticmethod
    def names(column: Array) -> Array:
        """The texts of a column of addresses, such as tables.nodes["name"]; None where there is
        none."""
        addresses, at = np.unique(column, return_inverse=True)
        texts = np.empty(len(addresses), object)
        texts[:] = [text(ffi.cast("const char *", a)) if a else None for a in addresses.tolist()]
        return texts[at]

    def frame(self, name: str) -> pd.DataFrame:
        """A table as a pandas.DataFrame: texts in place of addresses, and the function of a call.

        Columns are copied, as pandas does."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        array = getattr(self, name)
        kinds = dict(ffi.typeof(f"struct {_STRUCTURES[name]}").fields)
        columns: dict[str, Any] = {}
        for field in array.dtype.names:
            kind = kinds[field].type
            if kind.kind != "pointer":
                columns[field] = array[field]
            elif kind.item.cname.endswith("char"):
                columns[field] = self._texts(array[field])
        if name == "calls" and len(array):
            names = self._texts(self.nodes["name"])
            columns["name"] = pd.Categorical.from_codes(names.codes[array["node"]],
                                                        dtype=names.dtype)
        return pd.DataFrame(columns, copy=False)

    @staticmethod
    def _texts(column: Array) -> Any:
        import pandas as pd  # pylint: disable=import-outside-toplevel
        return pd.Categorical(Tables.names(column))


_STRUCTURES = {"functions": "hs_counts_function", "profile": "hs_profile_function",
               "groups": "hs_profile_group", "nodes": "hs_call_node", "calls": "hs_call",
               "called": "hs_call_function", "edges": "hs_call_edge", "traps": "hs_trap_kind",
               "instructions": "hs_counts_insn"}
