"""What a capture is, where nobody says it."""

from __future__ import annotations

from typing import Any

from .library import Error, check, ffi, lib, text

__all__ = ["identify"]


def identify(source: Any) -> tuple[Any, int]:
    """The struct hs_trace_params * of the trace that a struct hs_source_options * names, and by how
    many bytes its program was moved.

    Raises Error where nothing fits well enough to go on.
    """
    error = ffi.new("struct hs_error *")
    options = ffi.new("struct hs_identify_options *", {
        "size": ffi.sizeof("struct hs_identify_options"), "xlen": source.xlen,
        "path": source.path, "code": source.code, "code_count": source.code_count,
        "guest": source.guest, "guest_count": source.guest_count, "sysroot": source.sysroot,
        "custom": source.custom, "custom_count": source.custom_count})
    made = ffi.new("struct hs_identity **")
    check(lib.hs_identify(options, made, error), error)
    identity = ffi.gc(made[0], lib.hs_identity_free)
    found = lib.hs_identity_get(identity, 0)
    if lib.hs_identity_verdict(identity, ffi.NULL) < lib.HS_IDENTIFY_LIKELY or found == ffi.NULL:
        raise Error(lib.HS_E_FORMAT, "nothing fits: give protocol and settings, and the program")
    if found.source_id or found.ring:
        raise Error(lib.HS_E_UNSUPPORTED, "frames of several sources, or a circular buffer: "
                    "hartscope decode --auto makes a flow, which this opens")
    params = ffi.new("struct hs_trace_params **")
    check(lib.hs_trace_params_new(found.protocol, params, error), error)
    owned = ffi.gc(params[0], lib.hs_trace_params_free)
    for word in (text(found.settings) or "").split():
        name, _, value = word.partition("=")
        check(lib.hs_trace_params_set(owned, name.encode(), value.encode(), error), error)
    check(lib.hs_trace_params_set_transport(owned, found.transport))
    return owned, found.offset if found.has_offset else 0
