#!/bin/sh
# record --encode, without a recording: what the trace decodes to is what ran, with nothing but what
# is in its folder: also of programs whose code is in several files, or in none
# (design/code-changes).
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64
for name in jit selfmod; do
	$gcc -O2 -static -o $name "$HARTSCOPE_SOURCE/tests/programs/$name.c" || exit 1
done
$gcc -O2 -g -pthread -o threads "$HARTSCOPE_SOURCE/tests/programs/threads.c" || exit 1

# position-independent, with libraries; "signals" also returns through the page of the emulator
cat >hello.c <<'X'
#include <stdio.h>
int main(void)
{
	return puts("hello") < 0;
}
X
cat >signals.c <<'X'
#include <signal.h>
static volatile int n;
static void handler(int s)
{
	n += s;
}
int main(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	return n == 0;
}
X
cat >later.c <<'X'
int later(int x)
{
	return x < 2 ? x : later(x - 1) + later(x - 2);
}
X
cat >loads.c <<'X'
#include <dlfcn.h>
int main(void)
{
	void *library = dlopen("./later.so", RTLD_NOW);
	int (*later)(int) = library ? (int (*)(int))dlsym(library, "later") : 0;

	return !later || later(10) != 55;
}
X
cat >forks.c <<'X'
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	int status = 0;

	if (fork() == 0)
		_exit(7);
	wait(&status);
	return WEXITSTATUS(status) != 7;
}
X
for name in hello signals loads forks; do
	$gcc -O1 -g -o $name $name.c || exit 1
done
$gcc -O1 -g -static -o signals_static signals.c || exit 1
$gcc -O1 -g -shared -fPIC -o later.so later.c || exit 1

# travels PROGRAM FUNCTION PROTOCOL: in another folder, and where the program is gone
travels() {
	rm -rf there && mkdir there && mv "$1".t* there/
	chmod -x "$1" && mv "$1" "$1".gone
	exits "$1, $3: elsewhere" 0 "$HARTSCOPE" decode -q -o there.flow "there/$1.t"
	exits "$1, $3: elsewhere, equal" 0 "$HARTSCOPE" check "$1.rec" there.flow
	mv "$1".gone "$1" && chmod +x "$1"
	exits "$1, $3: with --elf" 0 "$HARTSCOPE" decode -q --elf "$1" -o elf.flow "there/$1.t"
	exits "$1, $3: with --elf, equal" 0 "$HARTSCOPE" check "$1.rec" elf.flow
	exits "$1, $3: list" 0 "$HARTSCOPE" list -q --elf "$1" "there/$1.t"
	has "$1, $3: names" "^$2+" out
}

# The same program twice executes the same, at the same addresses, which QEMU 10 would choose anew:
# what is recorded is what the trace has to be.  A C library may still do another thing the next
# time (it looks at random numbers), so two runs get twelve tries to be alike.
#
# both_runs PROGRAM PROTOCOL: a recording of one run, a trace of another; 0 when they are equal
both_runs() {
	rm -rf "$1".rec "$1".t* ./*.flow
	setarch -R "$HARTSCOPE" record -q -o "$1.rec" -- "./$1" >want &&
		setarch -R "$HARTSCOPE" record -q --encode "$2" -o "$1.t" -- "./$1" >got &&
		"$HARTSCOPE" decode -q -o own.flow "$1.t" &&
		"$HARTSCOPE" check "$1.rec" own.flow >/dev/null 2>&1
}

for row in hello:main signals:handler signals_static:handler loads:later forks:main jit:main \
	selfmod:main; do
	program=${row%:*}
	for protocol in ntrace etrace; do
		tries=1
		until both_runs "$program" $protocol || [ $tries -eq 12 ]; do
			tries=$((tries + 1))
		done
		is "$program, $protocol: output" "$(cat want)" "$(cat got)"
		exits "$program, $protocol: decode" 0 \
			"$HARTSCOPE" decode -q -o own.flow "$program.t"
		exits "$program, $protocol: equal" 0 "$HARTSCOPE" check "$program.rec" own.flow
		travels "$program" "${row#*:}" $protocol
		rm -rf one.t one.rec one.flow
		exits "$program, $protocol: one run" 0 "$HARTSCOPE" record -q --encode $protocol \
			--recording one.rec -o one.t -- "./$program"
		exits "$program, $protocol: one run, decode" 0 \
			"$HARTSCOPE" decode -q --elf "$program" -o one.flow one.t
		exits "$program, $protocol: one run, equal" 0 "$HARTSCOPE" check one.rec one.flow
	done
done

# Of threads no two runs are alike: one run, recorded and encoded; and no gap without a recording.
for protocol in ntrace etrace; do
	rm -rf t t.* own.flow
	exits "threads, $protocol" 0 "$HARTSCOPE" record -q --encode $protocol --harts 9 \
		--recording t.rec -o t -- ./threads
	exits "threads, $protocol: decode" 0 "$HARTSCOPE" decode -q --elf threads -o own.flow t
	exits "threads, $protocol: equal" 0 "$HARTSCOPE" check t.rec own.flow
	rm -rf alone* own.flow
	exits "threads, $protocol: alone" 0 "$HARTSCOPE" record -q --encode $protocol --harts 9 \
		-o alone -- ./threads
	exits "threads, $protocol: no gap" 0 "$HARTSCOPE" decode --json -o own.flow alone
	has "threads, $protocol: no gap" '"gaps": "\{0,1\}0' out
done

# Threads whose work is counted: gcov of the same program on this machine, and by hand: thread N
# calls leaf() 100 N times.
cat >counted.c <<'X'
#include <pthread.h>
static int leaf(int x)
{
	if (x % 3 == 0)
		return x / 3;
	return x + 1;
}
static void *work(void *argument)
{
	long n = (long)argument, s = 0;

	for (long i = 0; i < n; i++)
		s += leaf((int)i);
	return (void *)s;
}
int main(void)
{
	pthread_t all[8];

	for (long i = 0; i < 8; i++)
		pthread_create(&all[i], 0, work, (void *)(100 * (i + 1)));
	for (int i = 0; i < 8; i++)
		pthread_join(all[i], 0);
	return 0;
}
X
$gcc -O0 -g -pthread -o counted counted.c || exit 1
lines() { sed -n '/counted\.c$/,/end_of_record/s/^DA:\([0-9]*\),\([0-9]*\).*/\1:\2/p' "$1"; }
by_gcov=
if command -v gcov >/dev/null; then
	mkdir host
	(cd host && cp ../counted.c . && gcc -O0 --coverage -fprofile-update=atomic -pthread \
		-c counted.c && gcc --coverage -pthread -o counted counted.o && ./counted &&
		gcov counted.c) >gcov.out 2>&1 || bad "gcov"
	by_gcov=$(awk -F: '$1 ~ /[0-9]/ { gsub(/[ *]/, ""); print $2 ":" $1 }' host/counted.c.gcov)
fi
for protocol in ntrace etrace; do
	rm -rf counted.t*
	exits "counted, $protocol" 0 "$HARTSCOPE" record -q --encode $protocol --harts 9 \
		-o counted.t -- ./counted
	calls=
	for hart in 1 2 3 4 5 6 7 8; do
		"$HARTSCOPE" report --hart $hart --top 100000 counted.t >out 2>err
		calls="$calls $(awk '$NF == "leaf" { print $(NF - 1) }' out)"
	done
	is "counted, $protocol: calls of each thread" "100 200 300 400 500 600 700 800" \
		"$(printf '%s\n' $calls | sort -n | xargs)" # a thread begins on any hart
	exits "counted, $protocol: coverage" 0 "$HARTSCOPE" coverage --format lcov counted.t
	lines out >have # gcov has no line for the end of a function, which is code of RISC-V
	for line in $by_gcov; do
		has "counted, $protocol: a line as gcov has it" "^$line\$" have
	done
done

# What is mapped where, and which build of it
"$HARTSCOPE" record -q --encode ntrace -o hello.t -- ./hello >out
is 'TRACE.json names it' '"recording": "hello.t.code.rec",' \
	"$(sed -n 's/^ *\("recording.*\)/\1/p' hello.t.json)"
id=$(readelf -n hello | sed -n 's/.*Build ID: //p')
has 'the program, and its build' "\"buildId\": \"$id\"" hello.t.code.rec/manifest.json
has 'the C library' '/libc.so.6"' hello.t.code.rec/manifest.json
exits 'info' 0 "$HARTSCOPE" info hello.t.code.rec
has 'info: what it is' 'code' out
exits 'list' 3 "$HARTSCOPE" list hello.t.code.rec
has 'list: it has no run' 'has the code of a trace, and no run: read the trace' err
is 'no streams' '' "$(ls hello.t.code.rec | grep hart)"

# A recording is not taken for the code of a trace.
rm -rf app app.*
"$HARTSCOPE" record -q -o app.code.rec -- ./hello >out
exits 'a recording of that name' 126 env -u HARTSCOPE_FORCE "$HARTSCOPE" record -q \
	--encode ntrace -o app -- ./hello
has 'a recording of that name: said' 'app.code.rec exists: a recording' err
exits 'a recording of that name: --force' 0 "$HARTSCOPE" record -q --force --encode ntrace -o app \
	-- ./hello
finish
