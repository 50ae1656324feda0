#!/bin/sh
# Ways to die in C and C++: the line that a person needs is within the first five lines.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
gcc=riscv64-linux-gnu-gcc
need $gcc riscv64-linux-gnu-g++ qemu-riscv64

cat >ways.c <<'X'
#include <assert.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define APART static __attribute__((noinline))
static int *volatile nothing;
static char *volatile wild = (char *)0x1234567000;
static void (*volatile nowhere)(void);
static volatile int n;
static volatile uint64_t where = 0x4141414141414141;
APART void null_read(void)
{
	n = nothing[2]; /* null_read */
}
APART void bad_write(void)
{
	n++;
	wild[8] = 1; /* bad_write */
}
APART void jump_null(void)
{
	nowhere(); /* jump_null */
	n++;
}
APART void illegal(void)
{
	__asm__ volatile("unimp"); /* illegal */
}
APART void breakpoint(void)
{
	__builtin_trap(); /* breakpoint */
}
APART void gives_up(void)
{
	abort(); /* gives_up */
}
APART void asserts(void)
{
	assert(n == 7); /* asserts */
}
APART int overflow(int depth)
{
	volatile char room[4096];

	room[0] = (char)depth; /* overflow */
	return overflow(depth + 1) + room[0];
}
APART void smashed(void)
{
	uint64_t *volatile frame = __builtin_frame_address(0);

	n += getpid();
	frame[-1] = where;
} /* smashed */
APART void bus(void)
{
	FILE *f = tmpfile();
	char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0);

	n = p[100]; /* bus */
}
APART void raises(void)
{
	raise(SIGFPE); /* raises */
}
APART void double_free(void)
{
	char *volatile p = malloc(40);

	free(p);
	free(p); /* double_free */
}
APART void pipes(void)
{
	int p[2];

	if (pipe(p) == 0 && close(p[0]) == 0)
		n = (int)write(p[1], "x", 1); /* pipes */
}
int main(int argc, char **argv)
{
	const char *way = argv[argc - 1];

#define WAY(name) \
	if (strcmp(way, #name) == 0) \
		name();
	WAY(null_read) WAY(bad_write) WAY(jump_null) WAY(illegal) WAY(breakpoint) WAY(gives_up)
	WAY(asserts) WAY(smashed) WAY(bus) WAY(raises) WAY(double_free) WAY(pipes)
	if (strcmp(way, "overflow") == 0)
		n = overflow(0);
	return 0;
}
X
cat >ways.cc <<'X'
#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>
#define APART static __attribute__((noinline))
struct base {
	base() { early(); }
	void early() { work(); } // pure
	virtual void work() = 0;
};
struct derived : base {
	void work() override {}
};
APART void throws(int n)
{
	if (n > 0)
		throw std::runtime_error("no"); // throws
}
APART void quiet(int n) noexcept
{
	throws(n);
}
APART void ranges(int n)
{
	std::vector<int> v(1);
	v.at(n) = 1; // ranges
}
APART void allocates(long n)
{
	static char *volatile kept;

	kept = new char[n << 60]; // allocates
}
APART void ends()
{
	std::terminate(); // ends
}
int main(int argc, char **argv)
{
	const char *way = argv[argc - 1];

	if (strcmp(way, "throws") == 0)
		throws(argc);
	if (strcmp(way, "noexcept") == 0)
		quiet(argc);
	if (strcmp(way, "ranges") == 0)
		ranges(argc);
	if (strcmp(way, "allocates") == 0)
		allocates(argc);
	if (strcmp(way, "ends") == 0)
		ends();
	if (strcmp(way, "pure") == 0)
		derived().work();
	return 0;
}
X
$gcc -O1 -g -fno-omit-frame-pointer -static -o ways ways.c 2>err || exit 1
# Nothing else refers to it.
riscv64-linux-gnu-g++ -O1 -g -static -Wl,-u,__cxa_pure_virtual -o ways++ ways.cc || exit 1

# way, program, file, the mark of the line, what the first line says, the instruction of a fault
while IFS='|' read -r way program file mark says insn; do
	line=$(grep -n "/[/*] $mark\( \*/\)*\$" "$file" | cut -d: -f1)
	"$HARTSCOPE" record -q --force -o way.rec -- "./$program" "$way" >/dev/null 2>&1
	cut=0
	[ "$way" != pipes ] || cut=3 # its emulator died with it, and the recording was cut short
	exits "$way" $cut "$HARTSCOPE" crash way.rec
	head -n 5 out >first
	has "$way: the line" "^in  .*  $file:$line\$" first
	has "$way: its text" "^source  .*\($mark\|}\)" first
	has "$way: why" "^died of  *signal .*$says" first
	[ -z "$insn" ] || has "$way: the instruction" "^instruction  *0x[0-9a-f]*  $insn" first
done <<'EOS'
null_read|ways|ways.c|null_read|(SIGSEGV): .*address 0x8 (a null pointer)|lw .*, 0x8(
bad_write|ways|ways.c|bad_write|(SIGSEGV): .*address 0x1234567008|sb .*, 0x8(
jump_null|ways|ways.c|jump_null|(SIGSEGV): a jump to where there is no code|jalr
illegal|ways|ways.c|illegal|(SIGILL): an instruction that is not one|
breakpoint|ways|ways.c|breakpoint|(SIGTRAP): an ebreak|ebreak
gives_up|ways|ways.c|gives_up|(SIGABRT): abort()|
asserts|ways|ways.c|asserts|(SIGABRT): an assertion failed|
overflow|ways|ways.c|overflow|(SIGSEGV): .*the stack may be full: [0-9]* calls of overflow|s[bd] 
smashed|ways|ways.c|smashed|(SIGSEGV): a jump to where there is no code|ret
bus|ways|ways.c|bus|(SIGBUS): an access to memory that is not there|lb
raises|ways|ways.c|raises|(SIGFPE): the program sent it to itself|
double_free|ways|ways.c|double_free|(SIGABRT): the heap is damaged|
pipes|ways|ways.c|pipes|(SIGPIPE): it wrote to a pipe or socket that nobody reads|
ranges|ways++|ways.cc|ranges|(SIGABRT): a C++ exception that nothing catches (std::out_of_range)|
allocates|ways++|ways.cc|allocates|(SIGABRT): a C++ exception that nothing catches (std::bad_alloc)|
throws|ways++|ways.cc|throws|(SIGABRT): a C++ exception that nothing catches|
noexcept|ways++|ways.cc|throws|(SIGABRT): a C++ exception left a function that is noexcept|
ends|ways++|ways.cc|ends|(SIGABRT): std::terminate()|
pure|ways++|ways.cc|pure|(SIGABRT): a pure virtual function was called|
EOS
# The callers, with those that were inlined, and the last lines.
"$HARTSCOPE" record -q --force -o way.rec -- ./ways null_read >/dev/null 2>&1
exits 'json' 0 "$HARTSCOPE" crash --json way.rec
json 'json' out
has 'json: the signal' '"signal": 11' out
has 'json: the place' '"function": "null_read"' out
exits 'callers' 0 "$HARTSCOPE" crash way.rec
has 'callers' '^  #1 *main  ways.c:[0-9]*$' out
line=$(grep -n '/\* null_read \*/$' ways.c | cut -d: -f1)
is 'the last line that ran' "ways.c:$line" "$(tail -n 1 out | sed 's/^ *//; s/ .*//')"
if command -v gdb-multiarch >/dev/null; then
	printf 'bt\nquit\n' | timeout 100 "$HARTSCOPE" gdb --start way.rec >out 2>err
	is 'gdb --start' 0 $?
	has 'gdb --start: the innermost frame is where it faulted' \
		"^#0 .* in null_read () at .*ways.c:$line\$" out
	has 'gdb --start: its caller' '^#1 .* in main ' out
	exits 'gdb --start of what is not there' 2 "$HARTSCOPE" gdb --start nothing.rec
fi
# Of several threads the one whose access was refused, though another one has registers that fit.
cat >threads.c <<'X'
#include <pthread.h>
#include <unistd.h>
static volatile int n;
static int *volatile bad;
static void *busy(void *p)
{
	for (;;)
		n++;
	return p;
}
static int inner(int x)
{
	return bad[x]; /* inner */
}
static void *worker(void *p)
{
	usleep(20000);
	n += inner(3);
	return p;
}
int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? busy : worker, NULL);
	return pthread_join(t[2], NULL);
}
X
$gcc -O0 -g -static -pthread -o threads threads.c || exit 1
"$HARTSCOPE" record -q -o threads.rec -- ./threads >/dev/null 2>&1
exits 'threads' 0 "$HARTSCOPE" crash threads.rec
has 'threads: the line' "^in  *inner  threads.c:$(grep -n '/\* inner' threads.c | cut -d: -f1)\$" out
has 'threads: why' '(SIGSEGV): .*address 0xc (a null pointer)' out
has 'threads: its caller' '^  #1 *worker  threads.c:' out
# Bare metal: the first exception that never returned, though its handler has one that did.
loop_bin
cat >bare.csv <<-EOS
	itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0
	0,0,0,3,1000,0,0,1,0
	1,5,1c,3,1002,0,0,1,0
	1,2,0,3,100a,0,0,1,1
	0,0,0,3,1000,0,0,1,0
	3,0,0,3,1002,0,0,1,0
	0,0,0,3,100e,0,0,1,0
EOS
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o bare.rec bare.csv
exits 'bare metal' 0 "$HARTSCOPE" crash bare.rec
has 'bare metal: the trap' '^died of  *load access fault, value 0x1c$' out
has 'bare metal: the instruction' '^instruction  *0x1004  bnez a0, ' out
exits 'bare metal: json' 0 "$HARTSCOPE" crash --json bare.rec
json 'bare metal' out
# A program that ends by itself.
"$HARTSCOPE" record -q --force -o way.rec -- ./ways nothing
exits 'no crash' 1 "$HARTSCOPE" crash way.rec
has 'no crash: says so' 'nothing crashed: it ended by exit 0' err
finish
