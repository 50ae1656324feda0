#!/bin/bash
# QEMU 7.2 (Debian 12, qemu-user 1:7.2+dfsg-7+deb12u18+b3), TCG plugins, qemu-riscv64.
#
# Expected: a memory callback of a RISC-V store-conditional means that it stored; one that fails
# (rd is 1) writes nothing, so that there is none with qemu_plugin_mem_is_store().
# Seen: where its address is the reserved one, a store-conditional that fails calls back as a load
# and as a store: QEMU writes back what memory had.  Only rd says that it failed, and plugins of
# this version cannot read registers.
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

# lr.d, a store of another value to the same place, sc.d; the exit status is rd of sc.d.
python3 - <<'END'
import struct
code = b''.join(struct.pack('<I', i) for i in (
    0x00011437,  # lui s0, 0x11: a page of data
    0x00700293,  # li t0, 7
    0x00900e13,  # li t3, 9
    0x1004332f,  # lr.d t1, (s0)
    0x00543023,  # sd t0, (s0)
    0x19c4352f,  # sc.d a0, t3, (s0)
    0x05d00893,  # li a7, 93
    0x00000073)) # ecall
head = b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 243, 1, 0x100b0, 64, 0,
                                                        0, 64, 56, 2, 0, 0, 0)
text = struct.pack('<IIQQQQQQ', 1, 5, 0, 0x10000, 0x10000, 176 + len(code), 176 + len(code), 4096)
data = struct.pack('<IIQQQQQQ', 1, 6, 0, 0x11000, 0x11000, 0, 4096, 4096)
open('program', 'wb').write(head + text + data + code)
END
chmod +x program

cat >plugin.c <<'END'
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
struct tb;
struct insn;
typedef void (*memory_fn)(unsigned vcpu, uint32_t info, uint64_t address, void *data);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*cb)(uint64_t, struct tb *));
void qemu_plugin_register_vcpu_mem_cb(struct insn *, memory_fn, int flags, int rw, void *data);
size_t qemu_plugin_tb_n_insns(const struct tb *);
struct insn *qemu_plugin_tb_get_insn(const struct tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct insn *);
bool qemu_plugin_mem_is_store(uint32_t info);
static void on_memory(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu, (void)address;
	fprintf(stderr, "%s: %s\n", (const char *)data,
		qemu_plugin_mem_is_store(info) ? "store" : "load");
}
static void on_translate(uint64_t id, struct tb *tb)
{
	static const char *const names[] = { "lr.d", "sd", "sc.d" };
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const uint64_t at = (qemu_plugin_insn_vaddr(insn) - 0x100bc) / 4;
		if (at < 3)
			qemu_plugin_register_vcpu_mem_cb(insn, on_memory, 0, 3, (void *)names[at]);
	}
}
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info, int n,
	char **arguments)
{
	(void)info, (void)n, (void)arguments;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
END
gcc -shared -fPIC -o plugin.so plugin.c
status=0
timeout 20 root/usr/bin/qemu-riscv64 -plugin ./plugin.so ./program 2>said || status=$?
echo "qemu-user $version; rd of sc.d is $status (1: it failed); seen:"
sed 's/^/  /' said
[ $status -eq 1 ] && [ "$(cat said)" = 'lr.d: load
sd: store
sc.d: load
sc.d: store' ] || { echo 'it has changed'; exit 1; }
