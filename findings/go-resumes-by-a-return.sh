#!/bin/bash
# Go 1.19 for RISC-V: how the runtime resumes a goroutine, and how a function asks for more stack.
#
# Expected: an indirect jump (JALR with rd x0 and another rs1 than a link register) where gogo() goes on with
#           a goroutine, and a jump, or a call by ra, where a function's prologue leads to morestack().
# Seen:     gogo() ends with jr t0, and t0 is x5, the alternate link register: by the hints of the unprivileged
#           specification and by itype of E-Trace it is a return, for which no call was made.  Each prologue has
#           jal t0, which is a call.  So an encoder with implicit returns pops, at each switch of goroutines, an
#           entry that belongs to another function, and profilers that pair calls with returns nest one
#           goroutine in another.
# Exit status 0: as seen; 1: it changed.
set -eu
packages='golang-1.19-go=1.19.8-2 golang-1.19-src=1.19.8-2 binutils-riscv64-linux-gnu=2.40-2'
work=$(mktemp -d) && trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT && cd "$work"
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >/dev/null 2>&1
for package in *.deb; do
	dpkg-deb -x "$package" root
	dpkg-deb -f "$package" Package Version | xargs
done
# The toolchain looks for its library next to its own folder.
cp -r root/usr/share/go-1.19/. root/usr/lib/go-1.19/ 2>/dev/null || :
export GOROOT=$work/root/usr/lib/go-1.19 GOCACHE=$work/cache GOPATH=$work/path GOFLAGS=-mod=mod
export GOOS=linux GOARCH=riscv64 CGO_ENABLED=0 GO111MODULE=off HOME=$work
printf 'package main\n\nfunc main() {\n\tprintln("hello")\n}\n' >hello.go
"$GOROOT/bin/go" version
"$GOROOT/bin/go" build -o hello hello.go
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu
root/usr/bin/riscv64-linux-gnu-objdump -d -M no-aliases hello >code
# the last instruction of gogo(), which its ABI wrapper jumps to
awk '/^[0-9a-f]+ <gogo>:/ { on = 1 } on && !NF { exit } on' code | grep -E '\bc?\.?jalr?\b' | tail -n 1 | tee last
prologues=$(grep -cE 'jal[[:space:]]+t0,.*<runtime.morestack' code || :)
echo "calls of morestack by t0: $prologues"
grep -qE 'jalr[[:space:]]+zero,0?\(?t0' last && [ "$prologues" -gt 100 ] || { echo 'it changed'; exit 1; }
