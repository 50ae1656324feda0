"""The commands that faults.py disturbs, on inputs of a few bytes.

  commands.py MODE    their names, for a mode of faults.py
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

# Program "loop" of tests/cli/lib.sh, and what it executes.
LOOP = bytes.fromhex('0945 7d15 7dfd ef00 8000 1305 1500 8280')
ROWS = [(0, 0x1000, 0), (0, 0x1002, 0), (5, 0x1004, 0), (0, 0x1002, 0), (4, 0x1004, 0),
        (0, 0x1006, 1), (6, 0x100e, 0), (0, 0x100a, 1)]
# A loop that calls a function, 9000 times: so many blocks that texts are made on other threads.
MANY = bytes.fromhex('ef008000 6ff0dfff 8280')
MANY_ROWS = 9000 * [(0, 0x1000, 1), (6, 0x1008, 0), (0, 0x1004, 1)]
TWO_HARTS = 3000 * ''.join(f'core   {hart}: 3 0x{address:016x} (0x{code})\n' for hart in (0, 1)
                           for address, code in ((0x1000, '008000ef'), (0x1008, '8082'),
                                                 (0x1004, 'ffdff06f')))
SYSTEM = """[encoder 0x1000]
trTeFormat = 1
trTeInstMode = 6
to = 0x3000
[ram 0x3000]
trRamLimitLow = 0xffc
"""
# clone(SIGCHLD); the parent waits for its child; exit_group(0).  Its child has a recording, too.
FORKER = bytes.fromhex('9308c00d 13051001 93050000 73000000 63000502 93084010 1305f0ff 93050000'
                       '13060000 93060000 73000000 13050000 9308e005 73000000')
EXITS = bytes.fromhex('9308e005 13050000 73000000')
HEAD = 'itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0\n'


def csv(rows):
    return HEAD + ''.join(f'{i},0,0,3,{a:x},0,0,1,{s}\n' for i, a, s in rows)


def elf(code):
    """A static RISC-V program of one segment."""
    size = 64 + 56 + len(code)
    return struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\x02\x01\x01', 2, 243, 1, 0x10078, 64, 0, 1,
                       64, 56, 1, 0, 0, 0) + \
        struct.pack('<IIQQQQQQ', 1, 5, 0, 0x10000, 0x10000, size, size, 4096) + code


def make_inputs(tool, folder):
    """loop.csv, once.csv (a turn less), and a recording, flow and trace of each of them; many.rec
    and its traces; two.rec of two harts, and its trace."""
    def write(name, data):
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)

    def run(*argv):
        subprocess.run([tool, *argv], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    write('loop.bin', LOOP)
    write('one.system', SYSTEM.encode())
    for name, code in (('forker', FORKER), ('exits', EXITS)):
        write(name, elf(code))
        os.chmod(os.path.join(folder, name), 0o777)
    write('loop.csv', csv(ROWS).encode())
    write('once.csv', csv(ROWS[:1] + ROWS[3:]).encode())
    write('many.bin', MANY)
    write('many.csv', csv(MANY_ROWS).encode())
    for name, code in (('loop', 'loop'), ('once', 'loop'), ('many', 'many')):
        run('import', '-q', '--from', 'csv', '--bin', f'{code}.bin@0x1000', '-o', f'{name}.rec',
            f'{name}.csv')
        run('encode', '-q', '--protocol', 'ntrace', '-o', f'{name}.nt', f'{name}.rec')
        run('encode', '-q', '--protocol', 'etrace', '-o', f'{name}.et', f'{name}.rec')
    write('two.log', TWO_HARTS.encode())
    run('import', '-q', '--from', 'spike', '-o', 'two.rec', 'two.log')
    run('encode', '-q', '--protocol', 'ntrace', '-o', 'two.nt', 'two.rec')
    shutil.copytree(os.path.join(folder, 'loop.rec'), os.path.join(folder, 'both.rec'))
    shutil.copytree(os.path.join(folder, 'once.rec'), os.path.join(folder, 'both.rec/child-1'))
    for name in ('many.csv', 'two.log'):  # each run copies what is there
        os.remove(os.path.join(folder, name))
    for k in ('1', '2'):
        run('decode', '-q', '--part', f'{k}/2', '--work', 'parts', 'loop.nt')
    with open(os.path.join(folder, 'loop.nt'), 'rb') as file:
        write('bare.nt', file.read())


class Command:
    """@output: what it writes; @kind: file, trace (a file with parameters) or folder.
    @before: a run that left another result there.  @rereads: what it reads for the second time, or
    lists, is hit in a sample, too, and so are its last allocations.  @long: a sample leaves it
    out."""

    def __init__(self, name, line, output=None, kind='file', before=None,
                 llvm=False, code=(), rereads=False, long=False):
        self.name, self.argv, self.output, self.kind = name, line.split(), output, kind
        self.llvm = llvm  # it disassembles with LLVM, which ends a process that has no memory
        self.rereads, self.long = rereads, long
        self.before = before.split() if before else None
        self.listing = ['list', '--format', 'pc', *code, output]

    def slug(self):
        """Its name as a word."""
        return self.name.replace(' ', '-')

    ends = (0, 1, 2, 3)  # exit statuses that it may have

    def plain(self, files):
        return files

    def recordings(self):
        """What says itself that it is incomplete, where that is so."""
        return [self.output]

    def is_there(self):
        return True

    def says_incomplete(self, result):
        return result.status == 3 and b'incomplete' in result.err

    def text(self, out):
        """What it prints, without what differs from run to run."""
        return out

    def left(self, bench, now):
        """What is wrong with the files of a run that was killed; None: nothing."""
        return {'file': left_file, 'trace': left_trace, 'folder': left_folder}[self.kind](
            self, bench, now)


class Record(Command):
    """Its exit status is the program's, or 126.  It runs an emulator, which nothing happens to."""
    ends = (0, 126, 130, 143)

    def plain(self, files):
        """Without what depends on when the recorder looked: the frames of a stream."""
        return {name: self.plain_file(name, data) for name, data in files.items()
                if name.startswith('new')}

    @staticmethod
    def plain_file(name, data):
        if name.endswith('.zst'):
            return b''
        return re.sub(rb'"(pid|bytes|xxh64)": "?\w+"?', b'', data) \
            if name.endswith('manifest.json') else data

    def recordings(self):
        return [self.output, f'{self.output}/child-1']

    def left(self, bench, now):
        """A program that a signal ended has a new recording, which says so."""
        wrong = super().left(bench, now)
        return None if wrong and bench.signalled and bench.reads_incomplete() else wrong

    def is_there(self):
        return shutil.which('qemu-riscv64') is not None

    def says_incomplete(self, result):
        return result.status != 126 and result.err.startswith(b'hartscope record: ')


def left_file(command, bench, now):
    found = now.get(command.output)
    if found not in (bench.before.get(command.output), bench.after.get(command.output)):
        return f'{command.output} is neither the old nor the new one'
    return None


def says(bench, *argv):
    done = bench.run([], argv)
    return done.status, done.out


def left_trace(command, bench, now):
    """A trace and its parameters: what a reader makes of them is that of one of the two."""
    wrong = left_file(command, bench, now)
    if wrong:
        return wrong
    if command.output not in now:
        return None
    status, out = says(bench, *command.listing)
    if status == 0 and out not in (bench.old_says, bench.new_says):
        return f'{command.output} lists as neither the old nor the new one'
    if status != 0:
        return f'{command.output} cannot be listed ({status})'
    return None


def left_folder(command, bench, now):
    """A recording: the old one, the new one, or one that says that it is incomplete."""
    if command.output + '/' not in now:
        return None if command.output + '/' not in bench.before else 'nothing is left'
    status, out = says(bench, *command.listing)
    if status == 0 and out not in (bench.old_says, bench.new_says):
        return f'{command.output} lists as neither the old nor the new one'
    if status != 0 and command.output + '/' in bench.before:
        return f'{command.output} was good and cannot be listed ({status})'
    return None


CODE = '--bin loop.bin@0x1000'
COMMANDS = [
    Command('import', f'import --from csv {CODE} -o new.rec loop.csv', 'new.rec', 'folder'),
    Command('import over another', f'import --from csv {CODE} -o new.rec loop.csv', 'new.rec',
            'folder', f'import --from csv {CODE} -o new.rec once.csv'),
    Command('encode', 'encode --protocol ntrace -o new.nt loop.rec', 'new.nt', 'trace'),
    Command('encode over another',
            'encode --protocol ntrace --set trTeInstMode=btm -o new.nt loop.rec', 'new.nt', 'trace',
            'encode --protocol etrace -o new.nt once.rec'),
    Command('decode', 'decode -o new.flow loop.nt', 'new.flow', 'folder'),
    Command('decode over another', 'decode -o new.flow loop.et', 'new.flow', 'folder',
            'decode -o new.flow once.nt'),
    Command('index', 'index loop.nt', 'loop.nt.idx'),
    Command('export', 'export --format callgrind -o new.out loop.rec', 'new.out', 'file',
            'export --format callgrind -o new.out once.rec'),
    Command('coverage', 'coverage -o new.info loop.rec', 'new.info'),
    Command('report', 'report --html -o new.html loop.rec', 'new.html', llvm=True),
    Command('registers', 'registers -o new.regs loop.nt', 'new.regs'),
    Command('list', 'list loop.rec', llvm=True),
    Command('list of addresses', 'list --format pc loop.rec'),
    Command('list of a trace', 'list loop.nt', llvm=True),
    Command('list of addresses of a trace', 'list --format pc loop.nt'),
    Command('list of an E-Trace', 'list --json loop.et', llvm=True),
    Command('dump', 'dump loop.nt'),
    Command('stat', 'stat loop.nt'),
    Command('lint', 'lint loop.et'),
    Command('calls', 'calls loop.rec'),
    Command('annotate', 'annotate loop.rec', llvm=True),
    Command('traps', 'traps loop.rec'),
    Command('pmu', 'pmu loop.rec'),
    Command('ctr', 'ctr loop.rec'),
    Command('check', 'check loop.rec once.rec'),
    Command('check of a trace', 'check loop.rec loop.nt', rereads=True),
    Command('diff', 'diff loop.rec once.rec'),
    Command('info', 'info loop.rec'),
    Command('info of a trace', 'info loop.nt'),
    Command('explain', 'explain loop.nt 5', rereads=True),
    Command('explain of an E-Trace', 'explain loop.et 5'),
    Command('merge', 'merge decode --parts 2 --work parts -o new.flow loop.nt', 'new.flow',
            'folder', rereads=True),
    Command('fsck', 'fsck loop.rec'),
    Command('fsck of a child', 'fsck both.rec'),
    Command('fsck of a trace', 'fsck loop.nt'),
    Command('salvage', 'fsck --salvage -o new.rec loop.rec', 'new.rec', 'folder'),
    Command('gdb', 'gdb - loop.rec'),
    Command('system', 'encode --system one.system -o . loop.rec', 'ram-0x3000.trace',
            'trace', 'encode --system one.system -o . once.rec'),
    Command('packets', 'check --packets loop.nt once.nt'),
    Command('waves', 'export --format vcd -o new.vcd loop.nt', 'new.vcd', 'file',
            'export --format vcd -o new.vcd once.nt', rereads=True),
    Command('rows', 'export --format port-csv -o new.csv loop.rec', 'new.csv'),
    Command('points', 'stat --coverage loop.nt'),
    Command('identify', f'identify {CODE} bare.nt'),
    Record('record', 'record -o new.rec -- ./forker', 'new.rec', 'folder'),
    Record('record over another', 'record -o new.rec -- ./forker', 'new.rec', 'folder',
           'record -o new.rec -- ./exits'),
    Record('record to a trace', 'record --encode ntrace -o new.nt -- ./exits', 'new.nt', 'trace',
           'record --encode etrace -o new.nt -- ./exits', code=('--elf', 'exits')),
    Command('list of many', 'list --format pc -j 2 many.nt', long=True),
    Command('dump of many', 'dump -j 2 many.et', long=True),
    Command('decode of many', 'decode -j 2 -o new.flow many.nt', 'new.flow', 'folder', long=True),
    Command('export of many', 'export --format chrome -j 2 -o new.json many.rec', 'new.json',
            long=True),
    Command('encode of harts', 'encode -j 2 --protocol ntrace -o new.nt two.rec', 'new.nt',
            'trace', long=True),
    Command('decode of harts', 'decode -j 2 -o new.flow two.nt', 'new.flow', 'folder', long=True),
    Command('check of harts', 'check -j 2 two.rec two.nt', long=True),
    Command('version', 'version'),
    Command('help', 'help list'),
]


def of_mode(mode):
    """The commands which a mode of faults.py disturbs."""
    return [c for c in COMMANDS if (c.output or mode not in ('kills', 'signals')) and
            not (c.llvm and mode == 'memory')]


if __name__ == '__main__':
    print('\n'.join(c.slug() for c in of_mode(sys.argv[1])))
