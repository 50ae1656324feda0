#!/usr/bin/env python3
"""The runs of scripts/soak/fuzz.sh as a table: build-fuzz/results.tsv to Markdown.

    scripts/soak/fuzz-table.py            print it
    scripts/soak/fuzz-table.py --write    put it into docs/reliability.md, between its marks

Runs are added to the row of their target, but for those with a seed that the row has: these are in
it.
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = pathlib.Path(os.environ.get('HARTSCOPE_FUZZ_RESULTS', ROOT / 'build-fuzz/results.tsv'))
DOCUMENT = pathlib.Path(os.environ.get('HARTSCOPE_SOAK_DOCUMENT', ROOT / 'docs/reliability.md'))
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


def add_runs(rows):
    """To rows by target."""
    known = {name: set(row.seeds) for name, row in rows.items()}
    for line in RESULTS.read_text().splitlines():
        engine, name, seed, seconds, *numbers = line.split('\t')
        if seed not in known.get(name, ()):
            rows.setdefault(name, Row()).add(engine, int(seconds), map(int, numbers), seed)


def read_table(text):
    """@return rows by target, of a table that text() made."""
    rows = {}
    for line in text.splitlines():
        name, *cells = (cell.strip().replace(',', '') for cell in line.strip('|').split('|'))
        if len(cells) == 8 and cells[0].replace('.', '').isdigit() and name != 'all':
            rows[name] = Row(float(cells[0]) * 3600, map(int, cells[1:7]), cells[7].split())
    return rows


def table(rows):
    everything = Row(sum(round(row.seconds / 3.6) for row in rows.values()) * 3.6,
                     map(sum, zip(*(row.counts for row in rows.values()))))
    return HEAD + ''.join(rows[name].text(name) for name in sorted(rows)) + everything.text('all')


def main():
    before, rest = DOCUMENT.read_text().split(BEGIN)
    old, after = rest.split(END)
    rows = read_table(old)
    add_runs(rows)
    text = table(rows)
    if sys.argv[1:] == ['--write']:
        DOCUMENT.write_text(before + BEGIN + text + END + after)
    else:
        print(text, end='')


main()
