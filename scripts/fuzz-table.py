#!/usr/bin/env python3
"""The runs of scripts/fuzz.sh as a table: build-fuzz/results.tsv to Markdown.

    scripts/fuzz-table.py            print it
    scripts/fuzz-table.py --write    put it into docs/reliability.md, between its marks
"""
import collections
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / 'build-fuzz/results.tsv'
DOCUMENT = ROOT / 'docs/reliability.md'
BEGIN, END = '<!-- fuzz-table -->\n', '<!-- end of fuzz-table -->\n'


class Total:
    """The runs of one target under one engine."""

    def __init__(self):
        self.seconds = self.inputs = self.crashes = self.hangs = 0

    def add(self, seconds, inputs, crashes, hangs):
        self.seconds += seconds
        self.inputs += inputs
        self.crashes += crashes
        self.hangs += hangs


def read_runs():
    """@return totals by (target, engine), and the seeds."""
    totals, seeds = collections.defaultdict(Total), []
    for line in RESULTS.read_text().splitlines():
        engine, name, seed, *numbers = line.split('\t')
        totals[name, engine].add(*map(int, numbers))
        totals['all', engine].add(*map(int, numbers))
        if seed not in seeds:
            seeds.append(seed)
    return totals, seeds


def cells(total):
    return f'{total.inputs:,} | {total.crashes} | {total.hangs}'


def table():
    totals, seeds = read_runs()
    hours = sum(t.seconds for (name, _), t in totals.items() if name == 'all') / 3600
    lines = [f'{hours:.2f} hours by the clock, seeds {", ".join(seeds)}:\n\n',
             '| target | libFuzzer: inputs | crashes | hangs | AFL++: inputs | crashes | hangs |\n',
             '| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n']
    names = sorted({name for name, _ in totals} - {'all'}) + ['all']
    for name in names:
        lines.append(f'| {name} | {cells(totals[name, "libfuzzer"])} | '
                     f'{cells(totals[name, "afl"])} |\n')
    return ''.join(lines)


def main():
    text = table()
    if sys.argv[1:] != ['--write']:
        print(text, end='')
        return
    before, rest = DOCUMENT.read_text().split(BEGIN)
    DOCUMENT.write_text(before + BEGIN + text + END + rest.split(END)[1])


main()
