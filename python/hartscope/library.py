"""The shared library, its errors and its text."""

from __future__ import annotations

import os
import pathlib
from typing import Any

from ._declarations import ffi

__all__ = ["Error", "check", "ffi", "lib", "text"]


def _open() -> Any:
    inside = pathlib.Path(__file__).with_name("libhartscope.so.0")  # of a wheel
    name = os.environ.get("HARTSCOPE_LIBRARY", str(inside) if inside.exists() else inside.name)
    try:
        return ffi.dlopen(name)
    except OSError as e:
        raise ImportError(
            f"{e}: install libhartscope, or give its path in HARTSCOPE_LIBRARY") from e


lib: Any = _open()
"""Every call, enumeration constant and structure of the C headers, as cffi has them."""


class Error(Exception):
    """A call of the library failed.

    status: its name, such as "E_FORMAT" (hartscope/status.h).
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = text(lib.hs_status_name(status)) or "?"


def text(c: Any) -> str | None:
    """A C string as text, which may have any bytes; None for NULL."""
    return None if c == ffi.NULL else ffi.string(c).decode("utf-8", "backslashreplace")


def c_string(value: str | bytes | os.PathLike[str]) -> Any:
    """VALUE as a C string, which lives as long as the result: TypeError for None and what is no
    text, ValueError for text with a NUL."""
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return ffi.new("char[]", encoded)


def check(status: int, error: Any = None) -> None:
    """Raise Error unless STATUS is HS_OK; ERROR is a struct hs_error * that may say why."""
    if status == lib.HS_OK:
        return
    said = text(error.text) if error is not None and error.status == status else None
    raise Error(status, said or text(lib.hs_status_text(status)) or "?")
