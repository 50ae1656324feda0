#!/usr/bin/env python3
"""Lines of src/ that were reached, by room, and why the others were not, as Markdown.

    scripts/coverage-table.py INFO LIST     LIST gets FILE:LINE: REASON: TEXT of each other line
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Why a line that no test here reaches is there, by its text or by the line before: the first that
# matches.
REASONS = [
    ('memory is exhausted', r'HS_E_MEMORY|no_memory|out of memory|HS_E_SPACE'),
    ('the system refuses', r'HS_E_SYSTEM|errno|strerror|perror|_exit\(|system_error'),
    ('a defect of ours', r'HS_E_INTERNAL|unreachable|abort\(|default:'),
]
OTHER = 'none of these'


def read_info(path):
    """@return times by line, by file of src/."""
    counts, file = collections.defaultdict(dict), None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith('SF:'):
            name = pathlib.Path(line[3:])
            inside = name.is_relative_to(ROOT / 'src')
            file = str(name.relative_to(ROOT)) if inside else None
        elif line.startswith('DA:') and file:
            number, times = map(int, line[3:].split(',')[:2])
            counts[file][number] = counts[file].get(number, 0) + times
    return counts


def reason_of(text, number):
    near = ' '.join(text[max(0, number - 4):number + 1])
    return next((name for name, words in REASONS if re.search(words, near)), OTHER)


def main():
    info, listing = sys.argv[1:]
    rooms = collections.defaultdict(lambda: collections.Counter())
    reasons, lines = collections.Counter(), []
    for file, counts in sorted(read_info(info).items()):
        room = rooms[file.split('/')[1]]
        text = (ROOT / file).read_text().splitlines()
        for number, times in sorted(counts.items()):
            room['lines'] += 1
            if times:
                room['reached'] += 1
                continue
            why = reason_of(text, number - 1)
            reasons[why] += 1
            lines.append(f'{file}:{number}: {why}: {text[number - 1].strip()}\n')
    pathlib.Path(listing).write_text(''.join(lines))
    print('| room | lines | reached | |\n| --- | ---: | ---: | ---: |')
    total = collections.Counter()
    for name, room in sorted(rooms.items()):
        total.update(room)
        print(f'| {name} | {room["lines"]:,} | {room["reached"]:,} | '
              f'{100 * room["reached"] / room["lines"]:.1f} % |')
    print(f'| all | {total["lines"]:,} | {total["reached"]:,} | '
          f'{100 * total["reached"] / total["lines"]:.1f} % |')
    print('\n| not reached, because | lines |\n| --- | ---: |')
    for why, n in reasons.most_common():
        print(f'| {why} | {n:,} |')


main()
