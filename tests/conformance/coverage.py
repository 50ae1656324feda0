#!/usr/bin/env python3
"""Compare coverage with gcov's: coverage.py GCOV.json OURS.json FILE PROGRAM
Compare the sums that lcov prints with ours: coverage.py lcov SUMMARY OURS.json

The first two are as gcov --json-format writes them.  Lines that both have must have one count; a line that
only gcov has must be a label, which has no instructions; one that only the other has must be the
brace where a function ends, or the line of a class of which the compiler made members.  The counts
of both directions of branches are compared on lines that have no switch and no catch, which gcov
has as one branch of many ways; that a call may throw is no branch.  FILE is the source, PROGRAM
what OURS.json is of: where the compiler left nothing of a line in a function, as its line table
says, only gcov counts it there.  On lines where exceptions pass, gcov counts each step of their
way, and on those that call what is inlined each return to them, which GCC 14's library has more
of; such a line has its count in a comment, "N times".
"""
import json
import os
import re
import sys

from line_table import base_name, marks_of, symbols_of
from whole import as_numbers

LABEL = re.compile(r'\s*(case\b.*|default\s*|[A-Za-z_]\w*\s*):\s*;?\s*$')
BRACE = re.compile(r'\s*}\s*;?\s*$')
CLASS = re.compile(r'(template <.*> )?(struct|class) ')
BY_HAND = re.compile(r'/\* (\d+) times?\b')


def lines_of(path, name):
    """The lines of a source file by number."""
    with open(path, encoding='utf-8') as f:
        files = json.load(f)['files']
    found = {}
    for file in files:
        if os.path.basename(file['file']) != name:
            continue
        for line in file['lines']:
            known = found.setdefault(line['line_number'],
                                     {'count': 0, 'branches': [], 'functions': {}})
            known['count'] += line['count']
            known['branches'] += line['branches']
            known['functions'][line.get('function_name')] = line['count']
    return found


def take_off_removed(gcov, source, program):
    """Take what gcov counts in functions that have nothing of the line off its counts."""
    rows, symbols = marks_of(program)[0], symbols_of(program)
    for number, line in gcov.items():
        begins = [int(a, 16) for a in rows[source, number]]
        if not begins:
            continue
        for function, count in line['functions'].items():
            copies = symbols.get(base_name(function or ''))
            if copies and not any(start <= a < start + size
                                  for start, size in copies for a in begins):
                line['count'] -= count


def directions(line):
    """The counts of both directions of each branch; which of them the compiler lets fall through
    differs from build to build."""
    arcs = line['branches']
    counts = [arc['count'] for arc, after in zip(arcs, arcs[1:] + [{'throw': False}])
              if not arc['throw'] and not after['throw']]
    return sorted(tuple(sorted(counts[i:i + 2])) for i in range(0, len(counts), 2))


def same_branches(gcov, ours, text):
    """Do both have the same branches?  A minimum, such as a < b ? a : b, is none for gcov."""
    if '?' in text and not gcov['branches']:
        return True
    return directions(gcov) == directions(ours)


def compare_sums():
    """Has lcov --summary the sums of coverage --json?"""
    with open(sys.argv[2], encoding='utf-8') as f:
        text = f.read()
    with open(sys.argv[3], encoding='utf-8') as f:
        ours = json.load(f, object_hook=as_numbers)
    seen = sum((b['taken'] != 0) + (b['not_taken'] != 0) for b in ours['branches'])
    for name, hit, found in (('lines', ours['lines_executed'], ours['lines_found']),
                             ('functions', ours['functions_executed'], ours['functions_found']),
                             ('branches', seen, 2 * ours['branches_found'])):
        sums = re.search(name + r'\.*: [0-9.]+% \((\d+) of (\d+) ', text)
        if not sums or (int(sums[1]), int(sums[2])) != (hit, found):
            print(text, name, hit, found)
            return True
    print('its sums are ours')
    return False


def main():
    if sys.argv[1] == 'lcov':
        return compare_sums()
    gcov = lines_of(sys.argv[1], os.path.basename(sys.argv[3]))
    take_off_removed(gcov, os.path.basename(sys.argv[3]), sys.argv[4])
    ours = lines_of(sys.argv[2], os.path.basename(sys.argv[3]))
    with open(sys.argv[3], encoding='utf-8') as f:
        source = [''] + f.read().split('\n')
    bad = lines = branches = by_hand = 0
    for number in sorted(set(gcov) | set(ours)):
        text = source[number]
        hand = BY_HAND.search(text)
        if number not in ours:
            good = LABEL.match(text)
        elif number not in gcov:
            good = BRACE.match(text) or CLASS.match(text)
        elif hand and int(hand[1]) != gcov[number]['count']:
            good = int(hand[1]) == ours[number]['count']
            by_hand += 1
        elif text == '}' and not gcov[number]['count']:
            good = True  # the end of a function, of which gcov has only what exceptions do there
        else:
            good = gcov[number]['count'] == ours[number]['count']
            lines += 1
            if not re.search(r'\b(switch|catch)\b', text):
                good = good and same_branches(gcov[number], ours[number], text)
                branches += len(ours[number]['branches']) // 2
        if not good:
            bad += 1
            print(number, text, gcov.get(number), ours.get(number))
    print(lines, 'lines,', branches, 'branches:', 'different' if bad else 'equal', end='')
    print(f', {by_hand} lines as counted by hand' if by_hand else '')
    return bad != 0 or not lines or not branches


if __name__ == '__main__':
    sys.exit(main())
