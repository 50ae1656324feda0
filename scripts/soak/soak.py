#!/usr/bin/env python3
"""Runs the steps of scripts/soak/soak.sh in turn until the minutes are over (design/tests).

    HARTSCOPE_SOAK_MINUTES=60 scripts/soak/soak.sh
    scripts/soak/soak.sh STEP...     those, each once; a part of a name is all below it (fuzz,
                                faults:leaks).  With HARTSCOPE_SOAK_MINUTES no longer than that,
                                and random steps again and again
    scripts/soak/soak.sh list        what ran when, and with which result
    scripts/soak/soak.sh --table     writes that, what fuzzing did, and the sums of both into
                                docs/reliability.md; a row there that has more parts than the ledger
                                stays
    scripts/soak/soak.sh --merge LEDGER...    adds the runs of other folders

Half of the time is for steps that are random: fuzzing, and properties from new seeds.  Of each half
the next one is what failed the last time, then what never ran, then what ran longest ago, if it is
expected to end in time.  A step that does not is stopped.  build-soak/ledger.tsv has a line for
each run, build-soak/log what the last run of each step wrote.
"""
import fcntl
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from soak_ledger import Ledger, Run, Step, now, parts_run, read_log, summary
from soak_totals import with_totals

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STEPS = os.environ.get('HARTSCOPE_SOAK_STEPS', ROOT / 'scripts/soak/soak.sh')
FOLDER = pathlib.Path(os.environ.get('HARTSCOPE_SOAK_FOLDER', ROOT / 'build-soak'))
DOCUMENT = pathlib.Path(os.environ.get('HARTSCOPE_SOAK_DOCUMENT', ROOT / 'docs/reliability.md'))
BEGIN, END = '<!-- soak-table -->\n', '<!-- end of soak-table -->\n'
GRACE = float(os.environ.get('HARTSCOPE_SOAK_GRACE', '10'))  # seconds, to end after SIGTERM
SKIP = 77


def read_steps():
    """Lines "NAME SECONDS fixed|random"."""
    text = subprocess.run([STEPS, '--names'], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return [Step(name, int(seconds), kind == 'random') for name, seconds, kind in rows]


def commit():
    """The one that is checked out; with + it is not all that there is."""
    def git(*argv):
        done = subprocess.run(['git', '-C', ROOT, *argv], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout.strip()
    return (git('rev-parse', '--short=8', 'HEAD') or '-') + \
        ('+' if git('status', '--porcelain', '--untracked-files=no') else '')


def members(session):
    """The processes of a session, also those with a process group of their own."""
    found = []
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                with open(f'/proc/{entry}/stat', encoding='ascii', errors='replace') as file:
                    state, _, _, own = file.read().rsplit(')', 1)[1].split()[:4]
            except OSError:
                continue
            if int(own) == session and state not in 'ZX':
                found.append(int(entry))
    return found


def end_session(session):
    """SIGTERM to all of it, and SIGKILL to what is still there later."""
    end = time.monotonic() + GRACE
    number = signal.SIGTERM
    while left := members(session):
        for process in left:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
        number = 0 if time.monotonic() < end else signal.SIGKILL
        time.sleep(0.05)


class Soak:
    def __init__(self, steps, ledger, seconds):
        self.steps, self.ledger = steps, ledger
        self.end = time.monotonic() + seconds
        self.repeat = seconds < math.inf
        self.spent = {False: 0, True: 0}
        self.done, self.failed = {}, []

    def left(self):
        return self.end - time.monotonic()

    def order(self, step):
        last = self.ledger.last(step)
        failed = last and last.result == 'failed' and step.name not in self.done
        return (self.done.get(step.name, 0), not failed, last.date if last else '')

    def next_step(self):
        """What is due and ends in time; None: nothing."""
        for random in sorted(self.spent, key=self.spent.get):
            due = [s for s in self.steps if s.random == random and
                   (s.name not in self.done or random and self.repeat)]
            for step in sorted(due, key=self.order):
                if self.ledger.expected(step) <= self.left():
                    return step
        return None

    def run(self, step):
        """@return False: someone wants it to end."""
        log = FOLDER / 'log' / step.name.replace(':', '-')
        begin, status, going = time.monotonic(), None, True
        with open(log, 'wb') as out, \
                tempfile.TemporaryDirectory(prefix='hartscope-soak-') as room:
            work = os.path.join(room, 'work')
            os.mkdir(work)
            with subprocess.Popen([STEPS, '--run', step.name], stdin=subprocess.DEVNULL,
                                  stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
                                  env=dict(os.environ, TMPDIR=work)) as child:
                try:
                    status = child.wait(None if self.left() == math.inf else max(self.left(), 0))
                except subprocess.TimeoutExpired:
                    pass
                except KeyboardInterrupt:
                    going = False
                end_session(child.pid)
            # A file system that a step left mounted is not ours to remove.
            subprocess.run(['rm', '-rf', '--one-file-system', work], check=False)
        self.note(step, log, status, time.monotonic() - begin)
        return going

    def note(self, step, log, status, seconds):
        counts, seeds, why, wrong = read_log(log)
        result = 'stopped' if status is None else \
            'skipped' if status == SKIP or status == 0 and why else \
            'failed' if status or wrong else 'ok'
        if result == 'skipped':
            counts = why or 'something is missing'
        self.spent[step.random] += seconds
        self.done[step.name] = self.done.get(step.name, 0) + 1
        self.ledger.add(Run(step.name, commit(), now(), round(seconds), result, counts, seeds))
        verdict = {'failed': 'not ok', 'stopped': 'stopped'}.get(result, 'ok')
        print(f'{verdict} - {step.name}, {round(seconds)} s: '
              f'{"# SKIP " * (result == "skipped")}{counts}', flush=True)
        if result == 'failed':
            self.failed.append((step, log, wrong))

    def report(self, going):
        """@return the exit status."""
        if self.repeat and going:
            rest = [s.name for s in self.steps if s.name not in self.done and not s.random]
            if rest:
                print(f'soak: {len(rest)} steps are left for the next time: '
                      f'{" ".join(rest[:8])}{" ..." * (len(rest) > 8)}')
        for step, log, wrong in self.failed:
            print(f'soak: failed: {step.name}: {log}')
            for line in wrong[:5]:
                print('  ' + line)
        return 130 if not going else 1 if self.failed else 0


def soak(steps, ledger, seconds):
    (FOLDER / 'log').mkdir(exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    todo, going = Soak(steps, ledger, seconds), True
    try:
        while going and (step := todo.next_step()):
            going = todo.run(step)
    except KeyboardInterrupt:
        going = False
    return todo.report(going)


def show(rows):
    """As a table for a terminal."""
    print(f'{"step":22} {"oldest run":16} {"commit":9} {"seconds":>7}  result')
    for name, date, at, seconds, result, counts in rows:
        print(f'{name:22} {date:16} {at:9} {seconds or "":>7}  {result}'
              f'{": " + counts if counts else ""}')


def write_table(rows):
    before, rest = DOCUMENT.read_text().split(BEGIN)
    old, after = rest.split(END)
    known = {line.split(' | ')[0]: line for line in old.splitlines(keepends=True)}
    lines = ['| step | oldest run | commit | seconds | result | counts |\n',
             '| --- | --- | --- | ---: | --- | --- |\n']
    for name, date, at, seconds, result, counts in rows:
        line = f'| {" | ".join([name, date, at, f"{seconds:,}", result, counts])} |\n'
        old_line = known.get(f'| {name}', line)
        lines.append(old_line if parts_run(old_line.split(' | ')[4]) > parts_run(result) else line)
    DOCUMENT.write_text(before + BEGIN + ''.join(lines) + END + after)
    if DOCUMENT.is_relative_to(ROOT) and (ROOT / 'build-fuzz/results.tsv').exists():
        subprocess.run([ROOT / 'scripts/soak/fuzz-table.py', '--write'], check=True)
    DOCUMENT.write_text(with_totals(DOCUMENT.read_text()))


def main(argv):
    FOLDER.mkdir(exist_ok=True)
    steps, ledger = read_steps(), Ledger(FOLDER / 'ledger.tsv')
    if argv == ['list']:
        return show(summary(steps, ledger))
    if argv == ['--table']:
        return write_table(summary(steps, ledger))
    if argv[:1] == ['--merge']:
        for path in argv[1:]:
            ledger.merge(os.path.join(os.environ.get('HARTSCOPE_SOAK_FROM', ''), path))
        return 0
    unknown = [a for a in argv if not any(f'{s.name}:'.startswith(a + ':') for s in steps)]
    if unknown:
        print(f"soak: no step '{unknown[0]}'; `scripts/soak/soak.sh --names` has all",
              file=sys.stderr)
        return 2
    wanted = [s for s in steps if not argv or any(f'{s.name}:'.startswith(a + ':') for a in argv)]
    minutes = os.environ.get('HARTSCOPE_SOAK_MINUTES') or ('inf' if argv else '60')
    with open(FOLDER / 'lock', 'w', encoding='ascii') as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f'soak: another one runs in {FOLDER}', file=sys.stderr)
            return 2
        return soak(wanted, ledger, 60 * float(minutes))


sys.exit(main(sys.argv[1:]))
