"""Calls: who called whom, how often, and what that took."""

from __future__ import annotations

from typing import Any, NamedTuple

from .library import check, ffi, lib, text

__all__ = ["Call", "CallList", "CallNode", "CallTree", "Function", "tree_of"]


class CallNode(NamedTuple):
    """A function on a path of calls from an outermost function (struct hs_call_node)."""

    name: str | None
    """None: no symbol covers it."""
    file: str | None
    start: int
    """Address of the function."""
    calls: int
    """How often control came to it on this path."""
    self_instructions: int
    """That retired in it."""
    instructions: int
    """And in what it called."""
    parent: int | None
    """Index of its caller's node; None: an outermost one."""
    depth: int


class Function(NamedTuple):
    """A function, by all paths to it (struct hs_call_function)."""

    name: str | None
    """None: all code that no symbol covers."""
    file: str | None
    start: int
    calls: int
    self_instructions: int
    instructions: int
    """And in what it called; recursion counts once."""
    recursive: bool


class Call(NamedTuple):
    """A call that ended (struct hs_call)."""

    name: str | None
    start: int
    """Instructions that its hart retired before it."""
    end: int
    """And until it ended."""
    depth: int
    hart: int
    mode: int
    """Priv of its first block."""


class CallTree(NamedTuple):
    """Paths of calls."""

    nodes: list[CallNode]
    """Each after its caller; of one caller those with the most instructions first."""
    instructions: int
    unsure: int
    """Instructions while it was not certain which stack is the current one (hartscope/views.h)."""
    graph: list[Function]

    def functions(self) -> list[Function]:
        """Functions without their paths; those with the most instructions first."""
        return sorted(self.graph, key=lambda f: (-f.instructions, -f.self_instructions, f.start))


def _node(n: Any) -> CallNode:
    return CallNode(text(n.name), text(n.file), n.start, n.calls, n.self, n.total,
                    None if n.parent == 0xFFFFFFFF else n.parent, n.depth)


def _graph(counts: Any) -> list[Function]:
    r = ffi.new("struct hs_call_graph_result *")
    check(lib.hs_counts_get_graph(counts, r))
    return [Function(text(f.name), text(f.file), f.start, f.calls, f.self, f.total, f.recursive)
            for f in (r.functions[i] for i in range(r.function_count))]


class CallList:
    """Calls, as a struct hs_counts * gives them when they end."""

    def __init__(self) -> None:
        self._ended: list[tuple[int, int, int, int, int, int]] = []

        @ffi.callback("void(void *, const struct hs_call *)")
        def each(_: Any, c: Any) -> None:
            self._ended.append((c.node, c.start, c.end, c.depth, c.hart, c.mode))

        self.each = each
        """For hs_counts_options.call; it lives as long as this does."""

    def named(self, names: list[str | None], place: Any) -> list[Call]:
        """All of them, with NAMES by number of node."""
        return [Call(names[place[c[0]]], *c[1:]) for c in self._ended]


def tree_of(counts: Any, calls: CallList | None = None) -> tuple[CallTree, list[Call]]:
    """The tree of a struct hs_counts *, and the calls of CALLS."""
    graph = _graph(counts)
    r = ffi.new("struct hs_call_tree_result *")
    check(lib.hs_counts_get_tree(counts, r))
    nodes = [_node(r.nodes[i]) for i in range(r.count)]
    ended = calls.named([n.name for n in nodes], r.place) if calls else []
    return CallTree(nodes, r.instructions, r.unsure, graph), ended
