"""Two runs compared: are they equal, and where do they first differ?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .blocks import view
from .library import check, ffi, lib

__all__ = ["Comparison", "Difference", "compare"]


class Difference(NamedTuple):
    """The first difference of a hart (struct hs_check_hart)."""

    hart: int
    blocks: int
    """Equal blocks before it."""
    before: np.ndarray[Any, Any]
    """The last equal items before it, of dtype BLOCK."""
    items: tuple[np.ndarray[Any, Any] | None, np.ndarray[Any, Any] | None]
    """What each of the two has there, an item of dtype BLOCK; None: it ends."""


class Comparison(NamedTuple):
    """What two runs have in common (struct hs_check_result)."""

    equal: bool
    blocks: int
    """Equal blocks."""
    instructions: int
    """Of equal blocks."""
    traps: int
    """Equal blocks that end in a trap."""
    gaps: int
    """Gaps that were passed, with gaps=True."""
    missing_hart: int | None
    """The number of a hart that only one of them has."""
    difference: Difference | None
    """Of the first hart that differs."""


def _difference(h: Any) -> Difference:
    n = min(h.items, len(h.before))
    before = view(h.before + (len(h.before) - n), n).copy()
    a, b = (None if h.ended[i] else view(h.next + i, 1)[0].copy() for i in range(2))
    return Difference(h.number, h.blocks, before, (a, b))


def compare(a: Any, b: Any, gaps: bool, threads: int,
            note: Callable[[int, Any], None]) -> Comparison:
    """Compare two struct hs_source * at their starts; NOTE gets what cannot be read of them."""
    failed: list[BaseException] = []

    @ffi.callback("void(void *, const struct hs_source *, const struct hs_error *)")
    def damage(_to: Any, _source: Any, error: Any) -> None:
        try:
            note(error.status, error)
        except Exception as e:  # pylint: disable=broad-exception-caught  # it is raised below
            failed.append(e)

    options = ffi.new("struct hs_check_options *")
    options.size = ffi.sizeof("struct hs_check_options")
    options.gaps = gaps
    options.threads = threads
    options.error = damage
    result = ffi.new("struct hs_check_result *")
    error = ffi.new("struct hs_error *")
    check(lib.hs_check(a, b, options, result, error), error)
    if failed:
        raise failed[0]
    return Comparison(result.equal, result.blocks, result.instructions, result.traps, result.gaps,
                      result.missing_hart if result.missing else None,
                      _difference(result.difference) if result.differs else None)
