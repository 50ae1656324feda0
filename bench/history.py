#!/usr/bin/env python3
"""Compare the figures of a benchmark with those of the last time, and keep them.

  history.py HISTORY FIGURES LOAD PROGRAM

FIGURES has lines "NAME VALUE".  HISTORY gets a line, a JSON object with date, commit, cpu, cores,
load, program and figures; the last line of the same processor and program is what figures are
compared with.  Figures that differ by more than a twentieth are printed.  Nothing fails.
"""
import datetime
import json
import os
import subprocess
import sys

NOTED = 0.05


def read_figures(path):
    figures = {}
    with open(path) as lines:
        for line in lines:
            words = line.split()
            try:
                figures[words[0]] = float(words[1])
            except (IndexError, ValueError):
                continue
    return figures


def commit():
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def processor():
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown"


def last_like(path, now):
    """The last entry of the same processor and program, or None."""
    found = None
    try:
        lines = open(path)
    except OSError:
        return None
    with lines:
        for line in lines:
            try:
                entry = json.loads(line)
                if all(entry[key] == now[key] for key in ("cpu", "cores", "program")):
                    entry["figures"] = {name: float(value)
                                        for name, value in entry["figures"].items()}
                    found = entry
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
    return found


def compare(before, now):
    if before is None:
        print("There is nothing to compare with yet.")
        return
    print(f"Since {before.get('date')} ({before.get('commit')}, load {before.get('load')}; "
          f"now {now['commit']}, load {now['load']}):\n")
    print("| figure | then | now | change, % |\n| --- | ---: | ---: | ---: |")
    for name, value in now["figures"].items():
        then = before["figures"].get(name)
        if not then or abs(value / then - 1) <= NOTED:
            continue
        print(f"| {name} | {then:g} | {value:g} | {100 * (value / then - 1):+.0f} |")
    print("\nAll others are within 5 %.")


def main():
    path, figures, load, program = sys.argv[1:5]
    now = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "commit": commit(), "cpu": processor(), "cores": len(os.sched_getaffinity(0)),
        "load": float(load), "program": program, "figures": read_figures(figures),
    }
    compare(last_like(path, now), now)
    with open(path, "a") as history:
        history.write(json.dumps(now) + "\n")
    print(f"\nKept in {path}.")


main()
