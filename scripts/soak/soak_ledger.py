"""The ledger of `make soak`: a line for each run of a step, and what they say together."""
import dataclasses
import datetime
import os
import re

HEAD = ('step', 'commit', 'date', 'seconds', 'result', 'counts', 'seeds')
WHOLE = ('ok', 'failed')  # the step ran to its end
SKIPS = re.compile(r'# SKIP ?(.*)')
COUNT = re.compile(r'^soak: count (\d+) (.*)$')
SEED = re.compile(r'^soak: seed (\d+)$')


@dataclasses.dataclass
class Step:
    """@seconds: its rough length.  @random: it goes on from a new seed whenever it runs."""
    name: str
    seconds: int
    random: bool

    def group(self):
        """The row of a table: fuzz:elf is of fuzz, faults:errors:list of faults:errors."""
        parts = self.name.split(':')
        return ':'.join(parts[:-1]) if self.random or len(parts) > 2 else self.name


@dataclasses.dataclass
class Run:
    """A line; @result is ok, failed, stopped or skipped."""
    step: str
    commit: str
    date: str
    seconds: int
    result: str
    counts: str
    seeds: str


def read_runs(path):
    with open(path, encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file]
    return [Run(*cells[:3], int(cells[3]), *cells[4:]) for cells in rows
            if len(cells) == len(HEAD) and cells[3].isdigit()]


class Ledger:
    def __init__(self, path):
        self.path, self.runs = path, {}
        if not os.path.exists(path):
            self.append(HEAD)
        for run in sorted(read_runs(path), key=lambda r: r.date):  # merged ones are at the end
            self.note(run)

    def append(self, cells):
        with open(self.path, 'a', encoding='utf-8') as file:
            file.write('\t'.join(str(c).replace('\t', ' ') for c in cells) + '\n')

    def note(self, run):
        self.runs.setdefault(run.step, []).append(run)

    def add(self, run):
        self.note(run)
        self.append(dataclasses.astuple(run))

    def merge(self, path):
        """The runs of another folder's ledger that this one does not have."""
        for run in sorted(read_runs(path), key=lambda r: r.date):
            if run not in self.runs.get(run.step, ()):
                self.add(run)

    def last(self, step):
        """Its last run that was not stopped; None: it has none."""
        return next((r for r in reversed(self.runs.get(step.name, ())) if r.result != 'stopped'),
                    None)

    def expected(self, step):
        """How long it takes: as the last time; when it was stopped then, twice as long."""
        last = self.last(step)
        known = last.seconds if last and last.result in WHOLE else step.seconds
        runs = self.runs.get(step.name, ())
        return max(known, 2 * runs[-1].seconds) if runs and runs[-1].result == 'stopped' else known


def add_counts(texts, number='{}'):
    """'3 rows, 1 skipped' and '4 rows' are '7 rows, 1 skipped'.  @number: how one is written."""
    totals = {}
    for text in texts:
        for count, unit in re.findall(r'(\d+) ([a-z ]+)', text):
            totals[unit] = totals.get(unit, 0) + int(count)
    return ', '.join(f'{number.format(count)} {unit}' for unit, count in totals.items())


def read_log(path):
    """@return (counts, seeds, why it was skipped, lines that say what failed) of a step's output.
    Counts are what it says, otherwise its rows."""
    counts, seeds, wrong, why, rows, skipped = [], [], [], '', 0, 0
    with open(path, encoding='utf-8', errors='replace') as file:
        for line in file:
            skip, count, seed = SKIPS.search(line), COUNT.match(line), SEED.match(line)
            if count:
                counts.append(f'{count[1]} {count[2]}')
            elif seed:
                seeds.append(seed[1])
            elif skip:
                skipped += 1
                why = skip[1].strip()
            elif line.startswith('ok'):
                rows += 1
            elif line.startswith(('not ok', 'FAIL')):
                wrong.append(line.rstrip())
    if not counts:
        counts = [f'{rows} rows'] * (rows > 0) + [f'{len(wrong)} wrong'] * (len(wrong) > 0) + \
            [f'{skipped} skipped'] * (skipped > 0)
    return add_counts(counts), ' '.join(seeds), '' if rows or wrong else why, wrong


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M:%S')


def summary(steps, ledger):
    """A row for each step or group: name, date and commit of the oldest run, seconds, result,
    counts.  Random steps add up all of their runs, others have their last one."""
    groups = {}
    for step in steps:
        groups.setdefault(step.group(), []).append(step)
    rows = []
    for name, members in groups.items():
        lasts = [(s, ledger.last(s)) for s in members]
        runs = [r for _, r in lasts if r]
        taken = [r for s in members for r in ledger.runs.get(s.name, ())] \
            if members[0].random else runs
        oldest = min(runs, key=lambda r: r.date, default=None)
        rows.append((name, oldest.date[:16] if oldest else '-', oldest.commit if oldest else '',
                     sum(r.seconds for r in taken), results(members, lasts, ledger),
                     add_counts((r.counts for r in taken if r.result != 'skipped'), '{:,}')))
    return rows


def results(members, lasts, ledger):
    """'ok', or how many parts are what."""
    kinds = {}
    for step, run in lasts:
        stopped = not run and ledger.runs.get(step.name)
        kind = run.result if run else 'stopped' if stopped else 'not run'
        if run and run.result == 'skipped':
            kind += ': ' + run.counts
        kinds.setdefault(kind, []).append(step.name)
    if len(members) == 1:
        return next(iter(kinds)).replace('skipped', 'cannot be had here', 1)
    return ', '.join(f'{len(names)} {kind}' + (
        f' ({" ".join(n.rsplit(":", 1)[-1] for n in names)})' if kind == 'failed' else '')
        for kind, names in kinds.items())


def parts_run(result):
    """Of what results() gave: how many parts ran."""
    return sum(int(n) for n in re.findall(r'(\d+) (?:ok|failed|skipped)', result)) or \
        int(result.startswith(('ok', 'failed', 'cannot be had')))
