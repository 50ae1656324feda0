#!/usr/bin/env python3
"""Save a guest's memory before it runs and when it powers off, and once in between.

    qemu-memory.py SOCKET START SIZE BEFORE AFTER [MIDDLE CONSOLE WORDS]

MIDDLE is saved when the file CONSOLE has the words.
QEMU runs with -S -no-shutdown -qmp unix:SOCKET,server=on,wait=off.
"""
import json
import os
import socket
import sys
import time


class Monitor:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(600):
            try:
                self.socket.connect(path)
                break
            except OSError:
                time.sleep(0.1)
        else:
            sys.exit(f"{path}: nothing listens")
        self.lines = self.socket.makefile("r")
        self.events = set()
        self.read()
        self.ask("qmp_capabilities")

    def read(self):
        line = self.lines.readline()
        if not line:
            sys.exit("QEMU is gone")
        return json.loads(line)

    def ask(self, command, **arguments):
        request = {"execute": command, "arguments": arguments}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = self.read()
            if "event" in answer:
                self.events.add(answer["event"])
            elif "error" in answer:
                sys.exit(f"{command}: {answer['error']['desc']}")
            else:
                return

    def wait_for(self, event):
        while event not in self.events:
            self.events.add(self.read().get("event"))


def wait_for_words(path, words):
    for _ in range(20000):
        with open(path, "rb") as console:
            if words.encode() in console.read():
                return
        time.sleep(0.02)
    sys.exit(f"{path}: no \"{words}\"")


def main():
    path, start, size, before, after = sys.argv[1:6]
    where = {"val": int(start, 0), "size": int(size, 0)}
    monitor = Monitor(path)

    def save(name):
        monitor.ask("pmemsave", filename=os.path.abspath(name), **where)

    save(before)
    monitor.ask("cont")
    if sys.argv[6:]:
        middle, console, words = sys.argv[6:]
        wait_for_words(console, words)
        monitor.ask("stop")
        save(middle)
        monitor.ask("cont")
    monitor.wait_for("SHUTDOWN")
    save(after)
    monitor.ask("quit")


main()
