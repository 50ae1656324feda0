#!/bin/bash
# QEMU 7.2 (Debian 12, qemu-user 1:7.2+dfsg-7+deb12u18+b3), TCG plugins.
#
# Expected: qemu_plugin_reset(id, done) calls done() when all callbacks are gone, as its
# documentation says; a plugin that asks for two resets, each with a function of its own, gets both
# functions called, or an error for the second.
# Seen: a reset that is asked for while one is waited for is dropped without a word, and its
# function is never called.  What a plugin wanted to change by then has to be kept by itself.
#
# Installs nothing: packages go to a temporary folder.  Exits 0 while QEMU behaves so.
set -eu
version=1:7.2+dfsg-7+deb12u18+b3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
packages="qemu-user=$version"
for library in libcapstone4=4.0.2-5 liburing2=2.3-3 libnuma1=2.0.16-1 libglib2.0-0 libgnutls30 \
	gcc-12 libc6-dev; do
	dpkg -s "${library%%=*}" >/dev/null 2>&1 || packages="$packages $library"
done
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >log 2>&1 || { cat log; echo 'SKIP: no such packages here'; exit 77; }
for file in *.deb; do
	dpkg-deb -x "$file" root
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu:$work/root/lib/x86_64-linux-gnu

# A program of rv64: two system calls, getpid and exit.
python3 - <<'END'
import struct
code = b''.join(struct.pack('<I', i) for i in (
    0x0ac00893,  # li a7, 172
    0x00000073,  # ecall
    0x05d00893,  # li a7, 93
    0x00000513,  # li a0, 0
    0x00000073)) # ecall
head = b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 243, 1, 0x10078, 64, 0,
                                                        0, 64, 56, 1, 0, 0, 0)
load = struct.pack('<IIQQQQQQ', 1, 5, 0, 0x10000, 0x10000, 120 + len(code), 120 + len(code), 4096)
open('program', 'wb').write(head + load + code)
END
chmod +x program

cat >plugin.c <<'END'
#include <stdint.h>
#include <stdio.h>
typedef uint64_t id_t_;
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
void qemu_plugin_reset(id_t_ id, void (*cb)(id_t_ id));
void qemu_plugin_register_vcpu_syscall_cb(id_t_ id, void (*cb)(id_t_, unsigned, int64_t, uint64_t,
	uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
static void first(id_t_ id) { (void)id; fprintf(stderr, "first\n"); }
static void second(id_t_ id) { (void)id; fprintf(stderr, "second\n"); }
static void on_syscall(id_t_ id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b, uint64_t c,
	uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
	(void)vcpu, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
	if (number != 172)
		return;
	fprintf(stderr, "both are asked for\n");
	qemu_plugin_reset(id, first);
	qemu_plugin_reset(id, second);
}
__attribute__((visibility("default"))) int qemu_plugin_install(id_t_ id, const void *info, int n,
	char **arguments)
{
	(void)info, (void)n, (void)arguments;
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	return 0;
}
END
gcc -shared -fPIC -o plugin.so plugin.c
timeout 20 root/usr/bin/qemu-riscv64 -plugin ./plugin.so ./program 2>said
echo "qemu-user $version; seen:"
sed 's/^/  /' said
[ "$(cat said)" = 'both are asked for
first' ] || { echo 'it has changed'; exit 1; }
