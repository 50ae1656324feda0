#!/usr/bin/env python3
"""Run the examples of a page: blocks of "$ cat FILE" with the file, and "$ hartscope ..." with
what it prints.

  examples.py PAGE TOOL

Files are made in the current folder.  One "ok" or "FAIL" line for each command.
"""
import re
import subprocess
import sys

page, tool = sys.argv[1:]
failed = False
for block in re.findall(r"^```text\n(\$ cat .*?)^```$", open(page).read(), re.S | re.M):
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        line, _, text = part.partition("\n")
        if line.startswith("cat "):
            open(line[4:], "w").write(text)
            continue
        got = subprocess.run([tool, *line.split()[1:]], capture_output=True, text=True)
        same = got.stdout + got.stderr == text
        print(f"{'ok' if same else 'FAIL'} - {line}")
        if not same:
            print("".join(f"  {x}\n" for x in (got.stdout + got.stderr).splitlines()))
            failed = True
sys.exit(failed)
