"""Hartscope: what a RISC-V hart executed.

    import hartscope

    with hartscope.open("app.rec") as run:
        for items in run.blocks():                 # NumPy arrays, without a copy
            taken = items[items["itype"] == hartscope.Itype.TAKEN]
        for f in run.functions()[:10]:
            print(f.instructions, f.calls, f.name)

open() takes a recording, a decoded flow or a trace; import_log() makes a recording of a
simulator's or emulator's log.  All other calls of the library are in
hartscope.lib, with hartscope.ffi for their structures (the C headers document them).
"""

from .blocks import BLOCK, Itype, Kind, Priv
from .calls import Call, CallNode, CallTree, Function
from .compare import Comparison, Difference
from .imports import Imported, import_log
from .library import Error, ffi, lib
from .profile import Group, Profile, ProfileFunction
from .run import Damage, Place, Run
from .run import open_run as open
from .tables import Tables

__all__ = ["BLOCK", "Call", "CallNode", "CallTree", "Comparison", "Damage", "Difference", "Error",
           "Function", "Group", "Imported", "Itype", "Kind", "Place", "Priv", "Profile",
           "ProfileFunction", "Run", "Tables", "ffi", "import_log", "lib", "open"]
