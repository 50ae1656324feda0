"""For GDB as a client of `hartscope gdb`: frames, and places by name.

  gdb-multiarch -x hartscope.py app -ex 'target remote | hartscope gdb - app.rec'

A flow has no stack pointer, so that GDB cannot find callers by itself.  The server knows the exact
frames; here they become GDB's, for backtrace, up, next, finish and their reverse forms.
"""
import re

import gdb
from gdb.unwinder import Unwinder, register_unwinder

said = set()  # notes of the server, each printed once
TOP = 0x7FFF00000000  # frames have no addresses: a number for each depth stands for one


class FrameId:
    """What GDB tells frames apart by."""

    def __init__(self, depth, function):
        self.sp = gdb.Value(TOP - 16 * depth)
        self.pc = gdb.Value(function)


def ask():
    """The frames of the current thread, innermost first: pc, function, depth."""
    if not isinstance(gdb.selected_inferior().connection, gdb.RemoteTargetConnection):
        return []
    try:
        text = gdb.execute("monitor stack", False, True)
    except gdb.error:  # another server
        return []
    note = re.search(r"^# (.*)$", text, re.M)
    if note and note.group(1) not in said:
        said.add(note.group(1))
        gdb.write("\nhartscope: " + note.group(1) + "\n", gdb.STDERR)
    rows = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)$", text, re.M)
    return [tuple(int(v, 16) for v in row) for row in rows]


class HartscopeUnwinder(Unwinder):
    """Frames as the server has them."""

    def __init__(self):
        super().__init__("hartscope")
        self.frames = []

    def __call__(self, pending):
        level = pending.level()
        if level == 0:
            self.frames = ask()
        if not self.frames:
            return None
        # Callers that the flow does not have: one more frame, at address 0.
        beyond = level - len(self.frames) + 1
        depth, function = (self.frames[level][2], self.frames[level][1]) if beyond < 1 else (
            -beyond, 0)
        pc = self.frames[level + 1][0] if beyond < 0 else 0
        info = pending.create_unwind_info(FrameId(depth, function))
        info.add_saved_register("pc", gdb.Value(pc).cast(pending.read_register("pc").type))
        return info


class Hartscope(gdb.Command):
    """Places of a flow: hartscope goto N|NAME|end, hartscope bookmark NAME, hartscope position."""

    def __init__(self):
        super().__init__("hartscope", gdb.COMMAND_RUNNING)

    def invoke(self, words, from_tty):
        gdb.execute("monitor " + words, from_tty)
        if words.startswith("goto"):
            gdb.execute("maintenance flush register-cache", from_tty, True)
            gdb.execute("frame", from_tty)


def look_at_watch(point):
    """Say at once that there is nothing to watch: GDB only says that it could not insert it."""
    if point.type not in (gdb.BP_WATCHPOINT, gdb.BP_HARDWARE_WATCHPOINT, gdb.BP_READ_WATCHPOINT,
                          gdb.BP_ACCESS_WATCHPOINT):
        return
    if isinstance(gdb.selected_inferior().connection, gdb.RemoteTargetConnection):
        text = gdb.execute("monitor data", False, True)
        if text.startswith("no data"):
            gdb.write("hartscope: " + text, gdb.STDERR)


gdb.events.breakpoint_created.connect(look_at_watch)
for setting in ("frame-arguments none", "finish off"):  # there are no data to show
    gdb.execute("set print " + setting)
if gdb.parameter("remotetimeout") < 60:  # two seconds are too few to search a long trace
    gdb.execute("set remotetimeout 60")
gdb.execute("set osabi none")  # for GNU/Linux, GDB steps by registers, also over ecall
register_unwinder(None, HartscopeUnwinder(), replace=True)
Hartscope()
