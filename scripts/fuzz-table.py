#!/usr/bin/env python3
"""The runs of scripts/fuzz.sh as a table: build-fuzz/results.tsv to Markdown.

    scripts/fuzz-table.py            print it
    scripts/fuzz-table.py --write    put it into docs/reliability.md, between its marks

A target that results.tsv has gets a new row; the rows of all others stay as the document has them.
"""
import collections
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / 'build-fuzz/results.tsv'
DOCUMENT = ROOT / 'docs/reliability.md'
BEGIN, END = '<!-- fuzz-table -->\n', '<!-- end of fuzz-table -->\n'
HEAD = ('| target | hours | libFuzzer: inputs | crashes | hangs | AFL++: inputs | crashes | hangs | seeds |\n'
        '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n')


class Row:
    """The runs of one target: seconds by the clock; inputs, crashes, hangs of each engine."""

    def __init__(self, seconds=0, counts=(0,) * 6, seeds=()):
        self.seconds, self.counts, self.seeds = seconds, list(counts), list(seeds)

    def add(self, engine, seconds, numbers, seed):
        first = 0 if engine == 'libfuzzer' else 3
        self.seconds += seconds
        for i, n in enumerate(numbers):
            self.counts[first + i] += n
        if seed not in self.seeds:
            self.seeds.append(seed)

    def text(self, name):
        counts = ' | '.join(f'{n:,}' for n in self.counts)
        return f'| {name} | {self.seconds / 3600:.3f} | {counts} | {", ".join(self.seeds)} |\n'


def read_runs():
    """@return rows by target."""
    rows = collections.defaultdict(Row)
    for line in RESULTS.read_text().splitlines():
        engine, name, seed, seconds, *numbers = line.split('\t')
        rows[name].add(engine, int(seconds), map(int, numbers), seed)
    return rows


def read_table(text):
    """@return rows by target, of a table that text() made."""
    rows = {}
    for line in text.splitlines():
        name, *cells = (cell.strip().replace(',', '') for cell in line.strip('|').split('|'))
        if len(cells) == 8 and cells[0].replace('.', '').isdigit() and name != 'all':
            rows[name] = Row(float(cells[0]) * 3600, map(int, cells[1:7]), cells[7].split())
    return rows


def table(rows):
    everything = Row(sum(row.seconds for row in rows.values()),
                     map(sum, zip(*(row.counts for row in rows.values()))))
    return HEAD + ''.join(rows[name].text(name) for name in sorted(rows)) + everything.text('all')


def main():
    before, rest = DOCUMENT.read_text().split(BEGIN)
    old, after = rest.split(END)
    text = table(read_table(old) | read_runs())
    if sys.argv[1:] == ['--write']:
        DOCUMENT.write_text(before + BEGIN + text + END + after)
    else:
        print(text, end='')


main()
