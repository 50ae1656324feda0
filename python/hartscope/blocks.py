"""Retired blocks and events as NumPy arrays, in the library's own memory."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from .library import ffi

__all__ = ["BLOCK", "Itype", "Kind", "Priv", "view"]


def _numbers(name: str, prefix: str) -> dict[str, int]:
    """The constants of an enumeration of the headers, without their prefix."""
    members = ffi.typeof(f"enum {name}").relements
    return {k[len(prefix):]: v for k, v in members.items() if k.startswith(prefix)}


Kind = enum.IntEnum("Kind", _numbers("hs_kind", "HS_KIND_"), module=__name__)
"""What an item is: BLOCK, or an event (enum hs_kind, hartscope/block.h)."""

Itype = enum.IntEnum("Itype", _numbers("hs_itype", "HS_ITYPE_"), module=__name__)
"""How a block ended (enum hs_itype; N-Trace, chapter 2, Tables 2 to 4)."""

Priv = enum.IntEnum("Priv", _numbers("hs_priv", "HS_PRIV_"), module=__name__)
"""Privilege (enum hs_priv)."""


def _dtype() -> np.dtype[Any]:
    """The dtype of struct hs_block, by its declaration; its bit fields are one byte, flags."""
    fields = {name: (ffi.offsetof("struct hs_block", name), np.dtype(f"u{size}"))
              for name, size in (("iaddr", 8), ("iretire", 4), ("ilast", 1), ("itype", 1),
                                 ("kind", 1))}
    fields["flags"] = (fields["itype"][0] + 1, np.dtype("u1"))
    return np.dtype({"names": list(fields), "offsets": [at for at, _ in fields.values()],
                     "formats": [of for _, of in fields.values()],
                     "itemsize": ffi.sizeof("struct hs_block")})


BLOCK: np.dtype[Any] = _dtype()
"""The dtype of arrays of items.

iaddr    block: address of the first instruction; event: its value
iretire  block: half-words that retired; event: its argument
ilast    block: half-words of the last instruction
itype    block: how it ended (Itype)
flags    bits 2:0: privilege (Priv), bit 3: sijump
kind     what it is (Kind)
"""


def view(items: Any, n: int) -> np.ndarray[Any, Any]:
    """N items at a const struct hs_block *, without a copy; they cannot be written."""
    bytes_ = ffi.buffer(items, n * BLOCK.itemsize)
    array = np.frombuffer(bytes_, dtype=BLOCK)
    array.flags.writeable = False
    return array
