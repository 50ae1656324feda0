"""Profiles: how many instructions ran, and where."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from .library import check, ffi, lib, text

__all__ = ["BY", "Group", "Profile", "ProfileFunction", "by_number", "profile_of"]

BY = Literal["nothing", "process", "hart", "mode", "thread"]


class ProfileFunction(NamedTuple):
    """A function and what ran in it (struct hs_profile_function)."""

    name: str | None
    """None: no symbol covers these instructions."""
    file: str | None
    """Path of the file that has the code."""
    start: int
    """Address; 0 without a name."""
    instructions: int
    """That retired in it."""
    entries: int
    """Blocks that begin with its first instruction."""
    group: int
    """Number of the group whose it is; 0 unless by process, thread or hart."""


class Group(NamedTuple):
    """A process, thread, hart or mode and what ran in it (struct hs_profile_group)."""

    number: int
    context: int | None
    """By process or thread: its first context; None where none is known."""
    hart: int
    """By hart: its number."""
    mode: int
    """By mode: Priv."""
    instructions: int
    blocks: int
    switches: int
    """By process or thread: changes to it."""


class Profile(NamedTuple):
    """What ran (struct hs_profile_result)."""

    instructions: int
    blocks: int
    distinct: int
    """Different blocks."""
    unmapped: int
    """Blocks whose code is not known: their instructions are not counted."""
    gaps: int
    ends: list[int]
    """Blocks by how they ended (Itype)."""
    functions: list[ProfileFunction]
    """The hottest first."""
    groups: list[Group]
    """The hottest first."""


def _function(f: Any) -> ProfileFunction:
    return ProfileFunction(text(f.name), text(f.file), f.start, f.instructions, f.entries, f.group)


def _group(g: Any) -> Group:
    return Group(g.number, g.context if g.has_context else None, g.hart, g.priv, g.instructions,
                 g.blocks, g.switches)


def profile_of(counts: Any) -> Profile:
    """The profile of a struct hs_counts *."""
    r = ffi.new("struct hs_profile_result *")
    check(lib.hs_counts_get_profile(counts, r))
    return Profile(r.instructions, r.blocks, r.distinct, r.unmapped, r.events[lib.HS_KIND_GAP],
                   list(r.ends), [_function(r.functions[i]) for i in range(r.function_count)],
                   [_group(r.groups[i]) for i in range(r.group_count)])


def by_number(by: BY) -> int:
    """The enum hs_profile_by of a word."""
    bys: dict[str, int] = {"nothing": lib.HS_PROFILE_BY_NOTHING, "mode": lib.HS_PROFILE_BY_MODE,
                           "process": lib.HS_PROFILE_BY_PROCESS, "hart": lib.HS_PROFILE_BY_HART,
                           "thread": lib.HS_PROFILE_BY_THREAD}
    if by not in bys:
        raise ValueError(f"by: {by!r} is none of {', '.join(bys)}")
    return bys[by]
