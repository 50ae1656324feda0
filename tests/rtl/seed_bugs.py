"""Put bugs into a copy of the design in this folder: seed_bugs.py TABLE

A row is NUMBER@FILE@PLACE@WRONG@FOUND.  With +bug=NUMBER the design has WRONG for the expression
that stands between ` in PLACE; FOUND is what the scoreboard then says."""
import sys

for row in open(sys.argv[1], encoding="utf-8"):
    number, name, place, wrong, found = row.split("@")
    before, right, after = place.split("`")
    text = open(name + ".sv", encoding="utf-8").read()
    if text.count(before + right + after) != 1:
        raise SystemExit(f"bug {number} has no place in {name}.sv")
    changed = f"{before}(hs_trace_pkg::bug == {number} ? {wrong} : {right}){after}"
    text = text.replace(before + right + after, changed)
    open(name + ".sv", "w", encoding="utf-8").write(text)
