#!/usr/bin/env python3
"""Lines of src/ that were reached, by room, and why the others were not, as Markdown.

    scripts/tests/coverage-table.py FOLDER LIST   of a build folder with counts of gcov; LIST gets
                                            FILE:LINE: REASON: TEXT of each line not reached
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Why a line that no test here reaches is there, by its text or by the line before: the first that
# matches.
REASONS = [
    ('memory is exhausted', r'HS_E_MEMORY|no_memory|out of memory|HS_E_SPACE'),
    ('the system refuses', r'HS_E_SYSTEM|errno|strerror|perror|_exit\(|system_error'),
    ('a defect of ours', r'HS_E_INTERNAL|unreachable|abort\(|default:'),
]
OTHER = 'none of these'


def read_counts(folder):
    """@return times by line, by file of src/, over all objects of the libraries."""
    counts = collections.defaultdict(dict)
    objects = sorted(pathlib.Path(folder).glob('*.p/*.gcda'))
    for some in (objects[i:i + 50] for i in range(0, len(objects), 50)):
        names = [str(o.relative_to(folder)) for o in some]
        out = subprocess.run(['gcov', '--json-format', '--stdout', *names], cwd=folder, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for text in out.splitlines():
            for file in json.loads(text)['files']:
                take_file(counts, folder, file)
    return counts


def take_file(counts, folder, file):
    """Add what gcov says of one file of one object."""
    name = (pathlib.Path(folder) / file['file']).resolve()
    if not name.is_relative_to(ROOT / 'src'):
        return
    of_file = counts[str(name.relative_to(ROOT))]
    for line in file['lines']:
        number = line['line_number']
        of_file[number] = of_file.get(number, 0) + line['count']


def reason_of(text, number):
    near = ' '.join(text[max(0, number - 4):number + 1])
    return next((name for name, words in REASONS if re.search(words, near)), OTHER)


def text_of(file, counts):
    path = ROOT / file
    text = path.read_text().splitlines() if path.exists() else []
    if len(text) < max(counts, default=0):
        sys.exit(f'coverage: {file} is not as it was counted: count anew, without --table')
    return text


def main():
    folder, listing = sys.argv[1:]
    rooms = collections.defaultdict(lambda: collections.Counter())
    reasons, lines = collections.Counter(), []
    for file, counts in sorted(read_counts(folder).items()):
        room = rooms[file.split('/')[1]]
        text = text_of(file, counts)
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
