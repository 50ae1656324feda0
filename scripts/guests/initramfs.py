#!/usr/bin/env python3
"""Make an initramfs: a gzipped cpio archive, of which the kernel makes its first file system.

    scripts/guests/initramfs.py [--root FOLDER] OUT GUEST=HOST...

What the host may execute, and init, is a program.  A program that needs shared libraries brings
them and its interpreter, from below --root.  The same files give the same bytes.
"""
import gzip
import os
import stat
import struct
import sys

LIBRARY_FOLDERS = ['usr/lib/riscv64-linux-gnu', 'usr/lib', 'usr/lib64']
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB = 1, 5


def text_at(data, offset):
    return data[offset:data.index(0, offset)].decode()


def needs_of(data):
    """The interpreter and the libraries that a 64-bit ELF file names."""
    if data[:5] != b'\x7fELF\x02':
        return None, []
    start, = struct.unpack_from('<Q', data, 32)
    size, count = struct.unpack_from('<HH', data, 54)
    segments = [struct.unpack_from('<IIQQQQ', data, start + i * size) for i in range(count)]
    offset_of = lambda address: next(s[2] + address - s[3] for s in segments
                                     if s[0] == PT_LOAD and s[3] <= address < s[3] + s[5])
    interpreter, entries = None, []
    for kind, _, offset, _, _, length in segments:
        if kind == PT_INTERP:
            interpreter = text_at(data, offset)
        elif kind == PT_DYNAMIC:
            entries = [struct.unpack_from('<QQ', data, offset + i) for i in range(0, length, 16)]
    names = [value for tag, value in entries if tag == DT_NEEDED]
    strings = next((value for tag, value in entries if tag == DT_STRTAB), 0)
    return interpreter, [text_at(data, offset_of(strings) + name) for name in names]


def find_library(root, name):
    for folder in LIBRARY_FOLDERS:
        if os.path.exists(os.path.join(root, folder, name)):
            return os.path.join(folder, name)
    sys.exit(f'initramfs: no {name} below {root}')


class Archive:
    def __init__(self, root):
        self.root, self.entries = root, {}

    def add(self, path, mode, data=b'', device=(0, 0)):
        folder = os.path.dirname(path)
        if folder and folder not in self.entries:
            self.add(folder, stat.S_IFDIR | 0o755)
        self.entries[path] = (mode, data, device)

    def add_file(self, guest, host):
        if guest in self.entries:
            return
        with open(host, 'rb') as f:
            data = f.read()
        is_program = guest == 'init' or os.stat(host).st_mode & 0o100
        self.add(guest, stat.S_IFREG | (0o755 if is_program else 0o644), data)
        interpreter, libraries = needs_of(data)
        if interpreter:
            path = interpreter.lstrip('/')
            self.add_file(path, os.path.join(self.root, path))
        for library in libraries:
            path = find_library(self.root, library)
            self.add_file(path, os.path.join(self.root, path))
            # the interpreter looks in /lib, too, and no cache of paths is needed
            self.add('lib/' + library, stat.S_IFLNK | 0o777, ('/' + path).encode())

    def bytes(self):
        out = bytearray()
        files = list(self.entries.items()) + [('TRAILER!!!', (0, b'', (0, 0)))]
        for number, (path, (mode, data, device)) in enumerate(files):
            name = path.encode() + b'\0'
            fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0]
            out += b'070701' + b''.join(b'%08X' % field for field in fields) + name
            out += bytes(-len(out) % 4) + data
            out += bytes(-len(out) % 4)
        return bytes(out)


def main(arguments):
    root = '/'
    if arguments[:1] == ['--root']:
        root, arguments = arguments[1], arguments[2:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    archive = Archive(root)
    for folder in ['dev', 'proc', 'sys', 'tmp', 'bin', 'lib']:
        archive.add(folder, stat.S_IFDIR | 0o755)
    archive.add('dev/console', stat.S_IFCHR | 0o600, device=(5, 1))
    for argument in arguments[1:]:
        guest, _, host = argument.partition('=')
        archive.add_file(guest.lstrip('/'), host)
    with open(arguments[0], 'wb') as f:
        with gzip.GzipFile(fileobj=f, mode='wb', compresslevel=1, mtime=0, filename='') as z:
            z.write(archive.bytes())


main(sys.argv[1:])
