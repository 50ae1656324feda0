#!/usr/bin/env python3
"""Runs commands of the tool again and again; in each run another system call goes wrong.

  faults.py MODE [EVERY] [COMMAND...]

MODE is errors, leaks, short, kills, signals, memory or late.  Of the calls, every EVERYth is hit
(1: all).
Prints a line for each command with the calls that there are and those that were hit.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from commands import make_inputs, of_mode

TOOL = os.environ['HARTSCOPE']
INJECT = os.environ['INJECT']
STEADY = os.environ.get('STEADY')
ALLOCATIONS = os.environ['FAIL_ALLOCATION']
LEAKS = os.environ.get('LEAK_SANITIZER')  # its library; without it leaks are not looked for
LEAKED = 77
LEAKS_SAYS = rb'(?m)^Warning: REAL\(sigaction_symname\).*\n'  # of a handler of ours, by its library
ERRORS = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'ENOMEM', 'EAGAIN', 'EINTR']
READS = ['read', 'getdents64']
SIGNALS = [signal.SIGINT, signal.SIGTERM]
WAIT = int(os.environ.get('HARTSCOPE_FAULTS_SECONDS', '60'))  # until a run counts as without end
LAST = 12  # allocations that a sample hits, too, where results are made of what was counted


def snapshot(folder):
    """What is in a folder: the bytes of each file."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in files:
            whole = os.path.join(path, name)
            with open(whole, 'rb') as file:
                found[os.path.relpath(whole, folder)] = file.read()
        for name in folders:
            found[os.path.relpath(os.path.join(path, name), folder) + '/'] = b''
    return found


class Result:
    def __init__(self, status, out, err, calls=0, hit=0, name='-'):
        self.status, self.out = status, out
        self.err = re.sub(LEAKS_SAYS, b'', err)
        self.calls, self.hit, self.name = calls, hit, name


class Bench:
    """One command: its inputs, what it does when nothing goes wrong, and folders to run it in."""

    def __init__(self, command, inputs, room):
        self.command, self.inputs, self.room = command, inputs, room
        self.work = os.path.join(room, 'work')
        self.report = os.path.join(room, 'report')
        self.old = None
        self.signalled = False

    def fresh(self, with_old=True):
        """A folder with the inputs, and with what an older run with other parameters made."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.old if with_old and self.old else self.inputs, self.work,
                        symlinks=True)

    def run(self, options, argv=None, environment=None):
        argv = self.command.argv if argv is None else argv
        done = subprocess.run([INJECT, *options, self.report, TOOL, *argv], cwd=self.work,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=WAIT,
                              env=environment, check=False)
        with open(self.report, encoding='ascii') as file:
            calls, hit, name = file.read().split()
        return Result(done.returncode, done.stdout, done.stderr, int(calls), int(hit), name)

    def prepare(self):
        """Run it undisturbed: without and with something old in its way."""
        self.fresh()
        if self.command.before:
            old = self.run([], self.command.before)
            assert old.status in (0, 1), old.err
            self.old = os.path.join(self.room, 'old')
            shutil.copytree(self.work, self.old)
        self.fresh()
        self.before = snapshot(self.work)
        self.good = self.run([])
        self.after = snapshot(self.work)
        self.new_says = self.listing()
        self.fresh()
        self.old_says = self.listing()

    def listing(self):
        return self.run([], self.command.listing).out if self.command.output else b''

    def undisturbed(self):
        self.fresh()
        return self.run([])

    def mixed(self, now, result):
        """What is left after a failure: the old, the new, or what says that it is neither."""
        if self.same(now, self.before) or self.same(now, self.after):
            return None
        left = sorted(k for k in set(now) | set(self.before) if now.get(k) != self.before.get(k))
        rest = [k for k in left if '.new' in k]
        if self.command.kind == 'trace' and not self.command.left(self, now):
            return None
        if self.command.says_incomplete(result) and not rest and self.reads_incomplete():
            return None
        if rest and self.command.kind == 'folder' and result.err.count(b'.new'):
            now = {k: v for k, v in now.items() if k not in rest}
            if self.same(now, self.before) or self.same(now, self.after):
                return None
        output = self.command.output
        if self.command.kind == 'folder' and not rest and output + '/' not in self.before:
            listed = self.run([], ['list', output])
            if listed.status in (2, 3):
                return None
            return f'what is left of {output} lists with {listed.status}: {left}'
        return f'neither old nor new is left: {left}'

    def reads_incomplete(self):
        """What is left, where it is a recording, says itself that it is incomplete."""
        return self.command.kind != 'folder' or any(
            self.run([], ['list', name]).status in (2, 3) for name in self.command.recordings())

    def same_flow(self, now):
        """The same files with the same blocks: without memory for a number, a block is written in
        full (src/recording/writer.c)."""
        if self.command.kind != 'folder' or sorted(now) != sorted(self.after):
            return False
        listed = self.run([], self.command.listing)
        return listed.status == 0 and listed.out == self.new_says

    def same(self, a, b):
        return self.command.plain(a) == self.command.plain(b)


class Count:
    def __init__(self):
        self.calls = self.hits = 0
        self.names = set()
        self.wrong = []

    def add(self, result):
        self.calls = max(self.calls, result.calls)
        self.hits += result.hit != 0
        self.names.add(result.name)


def say(bench, mode, count):
    if not count.hits and mode.split()[-1] not in ERRORS:
        count.wrong.append('nothing was hit')
    good = not count.wrong
    print(f"{'ok' if good else 'FAIL'} - {bench.command.name}, {mode}: "
          f"{count.calls} calls, {count.hits} runs hit one, {len(count.wrong)} wrong")
    for line in count.wrong[:20]:
        print('  ' + line)
    sys.stdout.flush()
    return good


def judge_failure(bench, result):
    """A call failed: is the result right, or a clear error with nothing half written?"""
    now = snapshot(bench.work)
    if result.status not in bench.command.ends:
        return f'ends with {result.status}: {result.err[-200:]!r}'
    if result.status == bench.good.status and not bench.command.says_incomplete(result):
        if not bench.same(now, bench.after) and not bench.same_flow(now):
            return 'says that all is well, and wrote something else'
        if b'no disassembler' in result.err:
            return None
        if bench.command.text(result.out) != bench.command.text(bench.good.out):
            return 'says that all is well, and printed something else'
        return None
    if result.status == 0 and not bench.command.says_incomplete(result):
        return 'exit status 0'
    if not result.err.strip():
        return f'exit status {result.status} without a word'
    return bench.mixed(now, result)


def sweep(bench, count, options, every, judge, environment=None, start=1, argv=None):
    """Hit call after call, until there are no more."""
    at = start
    while True:
        bench.fresh()
        try:
            result = bench.run([*options, '--at', str(at)], argv, environment)
        except subprocess.TimeoutExpired:
            count.wrong.append(f'{" ".join(options)} {at}: does not end')
            at += every
            continue
        if result.hit == 0:
            count.calls = max(count.calls, result.calls)
            return
        count.add(result)
        wrong = judge(bench, result)
        if wrong:
            count.wrong.append(f'{" ".join(options)} {at} ({result.name}): {wrong}')
        at += every


def errors(bench, every):
    good = True
    for name in READS if every > 1 and bench.command.rereads else ():
        count = Count()
        sweep(bench, count, ['--error', 'EIO', '--call', name], 1, judge_failure)
        good &= say(bench, f'{name}, EIO', count)
    for n, name in enumerate(ERRORS):
        count = Count()
        sweep(bench, count, ['--error', name], every, judge_failure, start=1 + n % every)
        good &= say(bench, name, count)
    return good


def judge_short(bench, result):
    wrong = judge_failure(bench, result)
    return wrong or (None if result.status == bench.good.status else
                     f'short: exit status {result.status}: {result.err[-200:]!r}')


def short(bench, every):
    count = Count()
    bench.fresh()
    result = bench.run(['--short', '--all'])
    count.add(result)
    wrong = judge_short(bench, result)
    if wrong:
        count.wrong.append(f'every call: {wrong}')
    sweep(bench, count, ['--short'], every, judge_short)
    return say(bench, 'short', count)


def judge_kill(bench, result):
    """It was killed: old or new, never a mix; and the next run is as if nothing had been."""
    now = snapshot(bench.work)
    wrong = bench.command.left(bench, now)
    if wrong:
        return wrong
    again = bench.run([])
    if again.status != bench.good.status:
        return f'the next run ends with {again.status}: {again.err[-200:]!r}'
    if not bench.same(snapshot(bench.work), bench.after):
        return f'the next run leaves {sorted(snapshot(bench.work))}'
    return None


def kills(bench, every):
    count = Count()
    sweep(bench, count, ['--kill'], every, judge_kill)
    return say(bench, 'killed', count)


def judge_signal(bench, result):
    now = snapshot(bench.work)
    bench.signalled = True
    if result.status == bench.good.status and not bench.command.says_incomplete(result) and \
            not bench.same(now, bench.after):
        return 'says that all is well, and wrote something else'
    ends = {bench.good.status, 2, 3, 130, 143}
    if result.name == 'execve':  # who would have become the emulator: there is no recorder plugin
        ends |= set(bench.command.ends)
    if result.status not in ends:
        return f'ends with {result.status}: {result.err[-200:]!r}'
    return bench.mixed(now, result) or judge_kill(bench, result)


def signals(bench, every):
    good = True
    for number in SIGNALS:
        count = Count()
        sweep(bench, count, ['--signal', str(int(number))], every, judge_signal)
        good &= say(bench, number.name, count)
    return good


def late(bench, every):
    """Threads that are later than all others: at each of their calls, also when a signal came.
    None: the command has no other threads."""
    good = True
    kinds = [([], judge_short)]
    if bench.command.output:
        kinds.append((['--signal', str(int(signal.SIGTERM))], judge_signal))
    for options, judge in kinds:
        count = Count()
        sweep(bench, count, ['--hold', *options], every, judge)
        if not count.calls:
            return None
        good &= say(bench, ' '.join(['late', *options]), count)
    return good


def is_steady(room):
    """Signals that are sent make no call fail that never does."""
    report = os.path.join(room, 'steady.txt')
    failed = [at for at in range(60, 100) if subprocess.run(
        [INJECT, '--signal', str(int(signal.SIGUSR1)), '--at', str(at), report, STEADY],
        check=False).returncode]
    print(f"{'FAIL' if failed else 'ok'} - a signal ends no call that none ends: 40 runs, "
          f"{len(failed)} wrong")
    return not failed


def no_sandbox(command):
    """The arguments of a command that may do what LeakSanitizer needs, and go on without memory,
    which libseccomp does not."""
    argv = list(command.argv)
    if argv[0] not in ('version', 'help', 'record'):
        argv.insert(2 if argv[0] == 'merge' else 1, '--no-sandbox')
    return argv


def preloaded(at, report):
    """The @at-th allocation fails; 0: none does."""
    return dict(os.environ, LD_PRELOAD=f'{ALLOCATIONS}:{LEAKS or ""}', FAIL_AT=str(at),
                FAIL_REPORT=report, FAIL_PROGRAM=TOOL,
                LSAN_OPTIONS=f'exitcode={LEAKED}:fast_unwind_on_malloc=0')


def leaks(bench, every):
    """As errors, and nothing is left that was allocated."""
    if not LEAKS:
        print(f'ok - {bench.command.name}, leaks # SKIP no LeakSanitizer')
        return True
    good = True
    environment = preloaded(0, os.path.join(bench.room, 'allocations'))
    for n, name in enumerate(('EIO', 'EMFILE', 'ENOSPC', 'EAGAIN')):
        count = Count()
        sweep(bench, count, ['--error', name], every, judge_memory, environment, 1 + n % every,
              no_sandbox(bench.command))
        good &= say(bench, f'leaks after {name}', count)
    return good


def judge_memory(bench, result):
    """LeakSanitizer itself needs memory where a thread begins, and ends the process without it."""
    at = result.err.find(b'leak of ')
    if result.status == LEAKED:
        return None if at < 0 else result.err[at:].decode(errors='replace')[:1500]
    return judge_failure(bench, result)


def without(bench, count, at):
    """Run without the @at-th allocation; @return whether there is one."""
    bench.fresh()
    report = os.path.join(bench.room, 'allocations')
    with open(report, 'w', encoding='ascii'):
        pass
    try:
        done = subprocess.run([TOOL, *no_sandbox(bench.command)], cwd=bench.work,
                              env=preloaded(at, report), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=WAIT, check=False)
    except subprocess.TimeoutExpired:
        count.wrong.append(f'allocation {at}: does not end')
        return True
    with open(report, encoding='ascii') as file:
        numbers = file.read().split()
    if numbers and int(numbers[0]) < at:
        count.calls = int(numbers[0])
        return False
    result = Result(done.returncode, done.stdout, done.stderr, at, at, 'malloc')
    count.add(result)
    wrong = judge_memory(bench, result)
    if wrong:
        count.wrong.append(f'allocation {at}: {wrong}')
    return True


def memory(bench, every):
    """Allocations: the Nth gives NULL, in the process itself."""
    count = Count()
    at = 1
    while without(bench, count, at):
        at += every
    if every > 1 and bench.command.rereads:
        for last in range(max(1, count.calls - LAST), count.calls + 1):
            without(bench, count, last)
    return say(bench, 'allocations', count)


def main():
    mode, rest = globals()[sys.argv[1]], sys.argv[2:]
    every = int(rest.pop(0)) if rest and rest[0].isdigit() else 1
    good, ended, known = True, 0, False
    with tempfile.TemporaryDirectory(prefix='hartscope-faults-') as room:
        inputs = os.path.join(room, 'inputs')
        os.mkdir(inputs)
        make_inputs(TOOL, inputs)
        if mode is signals:
            good &= is_steady(room)
        for command in of_mode(mode.__name__):
            if command.name not in rest and command.slug() not in rest if rest else \
                    command.long and every > 1:
                continue
            known |= bool(rest)
            if not command.is_there():
                print(f'ok - {command.name} # SKIP what it needs is not installed')
                continue
            own = os.path.join(room, command.slug())
            os.mkdir(own)
            bench = Bench(command, inputs, own)
            bench.prepare()
            result = mode(bench, every)
            good &= result is not False
            ended += result is not None
            if result is None and rest:
                print(f'ok - {command.name}, {sys.argv[1]} # SKIP it has no threads')
            shutil.rmtree(own)
    if not ended and not known:
        print('FAIL - no command was one for this mode')
    return 0 if good and (ended or known) else 1


sys.exit(main())
