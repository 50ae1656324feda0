"""Calls: who called whom, how often, and what that took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .library import check, ffi, lib, text

__all__ = ["Call", "CallNode", "CallTree", "Function", "follow_calls"]


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
    """Instructions while it was not certain which stack is the current one (hartscope/stacks.h)."""
    graph: list[Function]

    def functions(self) -> list[Function]:
        """Functions without their paths; those with the most instructions first."""
        return sorted(self.graph, key=lambda f: (-f.instructions, -f.self_instructions, f.start))


def _node(n: Any) -> CallNode:
    return CallNode(text(n.name), text(n.file), n.start, n.calls, n.self, n.total,
                    None if n.parent == 0xFFFFFFFF else n.parent, n.depth)


def _graph(result: Any) -> list[Function]:
    made = ffi.new("struct hs_call_graph **")
    check(lib.hs_call_graph_new(result, made))
    graph = ffi.gc(made[0], lib.hs_call_graph_free)
    r = ffi.new("struct hs_call_graph_result *")
    lib.hs_call_graph_get_result(graph, r)
    return [Function(text(f.name), text(f.file), f.start, f.calls, f.self, f.total, f.recursive)
            for f in (r.functions[i] for i in range(r.function_count))]


def follow_calls(source: Any, items: Iterator[tuple[Any, int]],
                 calls: list[Call] | None) -> CallTree:
    """The tree of all items of a struct hs_source *; each call to CALLS, unless it is None."""
    options = ffi.new("struct hs_stacks_options *")
    options.size = ffi.sizeof("struct hs_stacks_options")
    options.program = lib.hs_source_program(source)
    options.programs = lib.hs_source_programs(source)
    options.guest = lib.hs_source_guest(source)
    made = ffi.new("struct hs_call_tree **")
    check(lib.hs_call_tree_new(options, made))
    tree = ffi.gc(made[0], lib.hs_call_tree_free)
    ended: list[tuple[int, int, int, int, int, int]] = []

    @ffi.callback("void(void *, const struct hs_call *)")
    def each(_: Any, c: Any) -> None:
        ended.append((c.node, c.start, c.end, c.depth, c.hart, c.mode))

    if calls is not None:
        lib.hs_call_tree_set_each(tree, each, ffi.NULL)
    for blocks, n in items:
        check(lib.hs_call_tree_add(tree, blocks, n))
    lib.hs_call_tree_end_calls(tree)
    r = ffi.new("struct hs_call_tree_result *")
    check(lib.hs_call_tree_get_result(tree, r))
    nodes = [_node(r.nodes[i]) for i in range(r.count)]
    if calls is not None:
        calls.extend(Call(nodes[r.place[c[0]]].name, *c[1:]) for c in ended)
    return CallTree(nodes, r.instructions, r.unsure, _graph(r))
