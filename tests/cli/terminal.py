#!/usr/bin/env python3
"""Run a command on a terminal of its own, and print what it wrote there: terminal.py COMMAND..."""

import os
import pty
import sys


def main():
    """The exit status is the command's."""
    pid, end = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    out = b""
    while True:
        try:
            piece = os.read(end, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        out += piece
    sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


if __name__ == "__main__":
    main()
