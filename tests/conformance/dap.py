#!/usr/bin/env python3
"""GDB as a debug adapter (gdb -i dap) of a recording, as an editor uses it.

  dap.py GDB SCRIPT PROGRAM TARGET FUNCTION
"""
import json
import subprocess
import sys


class Adapter:
    """A client of the Debug Adapter Protocol."""

    def __init__(self, command):
        self.gdb = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number, self.events, self.answers = 0, [], {}

    def send(self, command, **arguments):
        """Ask; the number of the request."""
        self.number += 1
        text = json.dumps({"type": "request", "seq": self.number, "command": command,
                           "arguments": arguments}).encode()
        self.gdb.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.gdb.stdin.flush()
        return self.number

    def read(self):
        """Keep the next message."""
        size = 0
        while (line := self.gdb.stdout.readline().strip()):
            size = int(line.split(b":")[1]) if line.startswith(b"Content-Length") else size
        assert size, "gdb is gone"
        message = json.loads(self.gdb.stdout.read(size))
        if message["type"] == "event":
            self.events.append(message)
        elif message["type"] == "response":
            self.answers[message["request_seq"]] = message

    def answer(self, number):
        """The body of the answer to a request."""
        while number not in self.answers:
            self.read()
        message = self.answers.pop(number)
        assert message["success"], message
        return message.get("body") or {}

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def wait(self, event):
        """The body of the next event of this kind; those before it are forgotten."""
        while True:
            while self.events:
                e = self.events.pop(0)
                if e["event"] == event:
                    return e.get("body") or {}
            self.read()

    def frames(self):
        """Names and lines of the current thread's frames."""
        return [(f["name"], f["line"])
                for f in self.ask("stackTrace", threadId=1)["stackFrames"]]


def main():
    gdb, script, program, target, function = sys.argv[1:]
    a = Adapter([gdb, "-nx", "-q", "-i", "dap", "-iex", "set confirm off", "-x", script])
    a.ask("initialize", adapterID="gdb", clientID="test", linesStartAt1=True)
    attached = a.send("attach", program=program, target=target)
    a.wait("initialized")
    a.ask("setFunctionBreakpoints", breakpoints=[{"name": function}])
    a.ask("configurationDone")
    a.answer(attached)
    a.wait("stopped")
    a.ask("continue", threadId=1)
    why = a.wait("stopped")
    here = a.frames()
    assert why["reason"] in ("breakpoint", "function breakpoint"), why
    assert here[0][0] == function and "main" in [name for name, _ in here], here
    print("a breakpoint, and its callers: " + ", ".join(name for name, _ in here))
    a.send("next", threadId=1)
    a.wait("stopped")
    after = a.frames()
    assert after[0] != here[0], after
    a.send("evaluate", expression="reverse-next", context="repl")
    a.wait("stopped")
    assert a.frames() == here, (a.frames(), here)
    print("reverse-next in the console comes back")
    a.ask("evaluate", expression="set exec-direction reverse", context="repl")
    a.send("stepOut", threadId=1)
    a.wait("stopped")
    caller = a.frames()
    assert caller[0][0] == here[1][0], caller
    print("with set exec-direction reverse the buttons go backwards: to " + caller[0][0])
    a.send("disconnect")
    a.gdb.stdin.close()
    a.gdb.kill()
    a.gdb.wait()


main()
