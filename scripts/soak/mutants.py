#!/usr/bin/env python3
"""Mutated files of every kind, given to the commands that read them.

    mutants.py HARTSCOPE SECONDS [SEED]

A command ends within a minute, by itself, with an exit status of its help, with what it prints
harmless to a terminal, and no report of a sanitizer.  Files are those of `generate`, of examples/
and of what commands make of them.  A failure leaves its file and command in the current folder.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL, SECONDS = os.path.abspath(sys.argv[1]), float(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 31)
HARMFUL = re.compile(rb'[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]')
CAPTURES = ROOT / 'examples/captures'
EXPORTS = ('callgrind', 'folded', 'chrome', 'speedscope', 'perfetto', 'firefox', 'sqlite', 'ctf',
           'pprof', 'lcov')
VIEWS = (['stat'], ['list'], ['calls'], ['traps', '--syscalls'], ['report'],
         ['report', '--html', '-o', 'page.html'], ['coverage'], ['info'], ['crash'], ['fsck'],
         ['check', 'self'], ['diff', 'self'], ['index', '-o', 'made.idx'], ['annotate', 'main'],
         ['stat', '--by', 'process', '--traps', '--json'], ['list', '--json', '--last', '50'])
TRACES = (['dump'], ['decode', '-o', 'made.flow'], ['lint'], ['stat'], ['list'],
          ['explain'], ['check', 'self'], ['stat', '--coverage'], ['identify'], ['stat', '--rate'],
          ['report', '-j', '3'], ['decode', '-j', '4', '-o', 'made.flow'], ['fsck'])


def run(words, cwd, **more):
    return subprocess.run([TOOL, *words], cwd=cwd, stdin=subprocess.DEVNULL, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)


def must(words, cwd):
    done = run(words, cwd)
    if done.returncode:
        sys.exit(f'not ok - {" ".join(words)}: {done.stderr.decode(errors="replace")}')


class Sample:
    """A file, or one in a folder, and the commands that read it."""

    def __init__(self, path, part, commands):
        self.path, self.part, self.commands = path, part, commands


def trace_commands(trace, config, recording, protocol):
    given = ['--protocol', protocol, '--config', config, '--elf', f'{recording}']
    return [[c[0], *given, *(w for w in c[1:] if w != 'self'), trace] +
            ([recording] if 'self' in c else []) for c in TRACES if c != ['identify']]


def make_samples(folder, r):
    """All samples of a run: other corners each time."""
    must(['generate', '-q', '--seed', str(r.randrange(1000)), '-o', 'corners'], folder)
    samples = []
    names = sorted(p.name[:-4] for p in (folder / 'corners').glob('*.rec'))
    for name in r.sample(names, min(24, len(names))):
        rec, config = f'corners/{name}.rec', f'corners/{name}.txt'
        protocol = 'ntrace' if name.startswith('ntrace') else 'etrace'
        trace = f'{name}.trace'
        if run(['encode', '-q', '--protocol', protocol, '--config', config, '-o', trace, rec],
               folder).returncode:
            continue
        read = [['stat', trace], ['list', trace], ['dump', trace], ['info', trace],
                ['decode', '-o', 'made.flow', trace], ['check', rec, trace], ['lint', trace],
                ['explain', trace], ['stat', '--coverage', trace], ['stat', '--rate', trace],
                ['report', '-j', '3', trace], ['fsck', trace], ['identify', '--elf', rec, trace],
                ['gdb', '-', trace]]
        samples.append(Sample(trace, trace, read))
        samples.append(Sample(trace, trace + '.json', read[:6]))
        files = [str(p.relative_to(folder)) for p in (folder / rec).iterdir()]
        views = [[c[0], *(w for w in c[1:] if w != 'self'), rec] + ([rec] if 'self' in c else [])
                 for c in VIEWS] + [['export', '--format', e, '-o', 'made.out', rec]
                                    for e in EXPORTS]
        views += [['encode', '-o', 'made.trace', rec], ['ctr', rec], ['pmu', rec]]
        samples += [Sample(rec, f, views) for f in files]
        samples.append(Sample(trace, config, [['encode', '--protocol', protocol, '--config', config,
                                               '-o', 'made.trace', rec]]))
        for way in ('tpiu-frames', 'pins4', 'uart-packed'):
            wire = f'{name}.{way}'
            if not run(['encode', '-q', '--protocol', protocol, '--config', config, '--transport',
                        way, '-o', wire, rec], folder).returncode:
                samples.append(Sample(wire, wire, [['stat', wire], ['list', wire], ['info', wire],
                                                   ['identify', '--elf', rec, wire]]))
        for fmt in ('vcd', 'port-csv'):
            wave = f'{name}.{fmt}'
            source = trace if fmt == 'vcd' else rec
            if not run(['export', '-q', '--format', fmt, '-o', wave, source], folder).returncode:
                samples.append(Sample(wave, wave, [
                    ['import', '--from', 'port', '-o', 'made.rec', wave], ['info', wave],
                    ['identify', wave], ['import', '-o', 'made.rec', wave]]))
    for path in sorted(CAPTURES.iterdir()):
        shutil.copy(path, folder / path.name)
        elf = ['--elf', 'app.elf']
        samples.append(Sample(path.name, path.name, [
            ['identify', *elf, path.name], ['info', path.name], ['stat', *elf, path.name],
            ['list', *elf, path.name], ['import', '-o', 'made.rec', path.name],
            ['dump', path.name]]))
    shutil.copytree(ROOT / 'tests/data/recording-1', folder / 'old.rec')
    samples += [Sample('old.rec', f'old.rec/{p.name}', [[*c, 'old.rec'] for c in
                       (['stat'], ['list'], ['calls'], ['fsck'], ['info'])])
                for p in (folder / 'old.rec').iterdir() if p.is_file()]
    samples.append(Sample('app.elf', 'app.elf', [
        ['info', 'app.elf'], ['list', '--elf', 'app.elf', 'capture.trace'],
        ['report', '--elf', 'app.elf', 'capture.trace'],
        ['coverage', '--elf', 'app.elf', 'capture.trace']]))
    return samples


EDGES = (b'\0', b'\xff', b'\x7f', b'\x80', b'\n', b'\x1b[2J', b'\xc2\x9b', b'\xe2\x80\xae', b'"',
         b'\\', b'{', b'[', b'-1', b'1e999', b'18446744073709551616', b'0x', b'null', b'/../',
         b'\xff' * 8, b'\0' * 8, b'\xff\xff\xff\x7f')


def mutate(r, data):
    """One to some changes of bytes, of numbers in text, of order and of length."""
    data = bytearray(data)
    for _ in range(1 + int(r.expovariate(0.7))):
        at = r.randrange(len(data) + 1)
        how = r.randrange(10)
        n = 1 + int(r.expovariate(0.2))
        if how == 0 and data:
            data[at % len(data)] ^= 1 << r.randrange(8)
        elif how == 1:
            data[at:at + 1] = bytes([r.randrange(256)])
        elif how == 2:
            data[at:at] = r.choice(EDGES)
        elif how == 3:
            del data[at:at + n]
        elif how == 4:
            data[at:at + n] = r.randbytes(n)
        elif how == 5:
            from_ = r.randrange(len(data) + 1)
            data[at:at] = data[from_:from_ + 4 * n]
        elif how == 6 and r.randrange(3) == 0:
            del data[at:]
        elif how == 7:
            numbers = list(re.finditer(rb'\d+', data)) if len(data) < 100000 else []
            if numbers:
                m = r.choice(numbers)
                data[m.start():m.end()] = str(r.choice((0, 1, 7, 255, 1 << 31, 1 << 32, 1 << 63,
                                                        (1 << 64) - 1, r.randrange(99)))).encode()
        elif how == 8:
            data[at:at + 8] = r.choice((0, 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1)).to_bytes(
                8, 'little')
        else:
            data[at:at + 4] = r.choice((0, 1, 1 << 31, (1 << 32) - 1)).to_bytes(4, 'little')
    return bytes(data)


def complaint(done):
    """What is wrong with a command that ended; None: nothing."""
    said = done.stdout + done.stderr
    if b'Sanitizer' in said or b'runtime error' in said:
        return 'a sanitizer reports: ' + said[said.find(b'ERROR'):][:300].decode(errors='replace')
    if done.returncode not in (0, 1, 2, 3):
        return f'exit status {done.returncode}'
    if done.args[1] not in ('export', 'gdb') and HARMFUL.search(said):
        return 'harmful bytes: ' + repr(HARMFUL.search(said).group())
    if '--json' in done.args and done.returncode == 0:
        for line in done.stdout.splitlines():
            json.loads(line)
    return None


def one(folder, sample, r, number):
    path = folder / sample.part
    good = path.read_bytes()
    words = r.choice(sample.commands)
    bad = mutate(r, good)
    why = None
    path.write_bytes(bad)
    try:
        why = complaint(run(words, folder))
    except subprocess.TimeoutExpired:
        why = 'it takes more than a minute'
    except json.JSONDecodeError as e:
        why = f'no JSON: {e}'
    finally:
        path.write_bytes(good)
        for made in folder.glob('made.*'):
            shutil.rmtree(made) if made.is_dir() else made.unlink()
    if why:
        kept = pathlib.Path(f'mutant-{SEED}-{number}')
        shutil.copytree(folder, kept, symlinks=True)
        (kept / sample.part).write_bytes(bad)
        print(f'not ok - {" ".join(words)} with {sample.part} in {kept}: {why}', flush=True)
    return not why


def main():
    r = random.Random(SEED)
    print(f'soak: seed {SEED}')
    end, count, failed = time.monotonic() + SECONDS, 0, 0
    os.environ.setdefault('TERM', 'dumb')
    while time.monotonic() < end and failed < 20:
        with tempfile.TemporaryDirectory(prefix='hartscope-mutants-') as room:
            folder = pathlib.Path(room)
            samples = make_samples(folder, r)
            for _ in range(4000):
                if time.monotonic() > end or failed == 20:
                    break
                count += 1
                failed += not one(folder, r.choice(samples), r, count)
    print(f'soak: count {count} mutants')
    print('ok' if not failed else 'not ok', f'- {count} mutants')
    return failed > 0


sys.exit(main())
