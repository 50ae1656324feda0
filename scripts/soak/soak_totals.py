"""The sums of docs/reliability.md: rows of its first table that come from the other two.

A row there is CAMPAIGN | INPUTS | CRASHES | HANGS | WRONG | LEAKS | SEEDS | HOURS.  Of those
named below some cells are written from the tables that --table writes; the other cells stay.
"""
import re

BEGIN, END = '<!-- totals -->\n', '<!-- end of totals -->\n'
INPUTS, CRASHES, HANGS, SEEDS, HOURS = 1, 2, 3, 6, 7  # cells


def rows_of(text, mark):
    """The cells of a table's rows, without its head."""
    found = re.search(f'<!-- {mark} -->\n(.*?)<!-- end of {mark} -->\n', text, re.DOTALL)
    lines = found[1].splitlines()[2:] if found else []
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in lines]


def number(text):
    """'1,234' and '1,234 hit' are 1234; what is no number is 0."""
    found = re.match(r'[\d,]+', text)
    return int(found[0].replace(',', '')) if found else 0


def of_fuzzing(rows):
    targets = [r for r in rows if r[0] != 'all']

    def total(*cells):
        return f'{sum(number(r[c]) for r in targets for c in cells):,}'
    seeds = {seed for r in targets for seed in r[8].split(', ')}
    return {INPUTS: total(2, 5), CRASHES: total(3, 6), HANGS: total(4, 7), SEEDS: str(len(seeds)),
            HOURS: f'{sum(float(r[1]) for r in targets):.1f}'} if targets else {}


def of_steps(rows, name):
    """All rows below a name."""
    own = [r for r in rows if f'{r[0]}:'.startswith(name + ':')]
    return {INPUTS: f'{sum(number(r[5]) for r in own):,}',
            HOURS: f'{sum(number(r[3]) for r in own) / 3600:.1f}'} if own else {}


def with_totals(text):
    """@return the document with sums that fit its tables."""
    if BEGIN not in text:
        return text
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    fuzzing, steps = rows_of(text, 'fuzz-table'), rows_of(text, 'soak-table')
    known = {'fuzzing': of_fuzzing(fuzzing), 'properties': of_steps(steps, 'property'),
             'calls that fail': of_steps(steps, 'faults')}
    lines = []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        for at, value in known.get(cells[0], {}).items():
            cells[at] = value
        lines.append(f'| {" | ".join(cells)} |\n')
    return before + BEGIN + ''.join(lines) + END + after
