#!/bin/bash
# Parts of a trace and hartscope merge (design/parts, docs/part-files.md): what is printed and
# written is that of one process, byte for byte, of traces of both protocols, whole and damaged, for
# stat, coverage, decode and check; a part that is missing or damaged is named; what is done is not done
# again.  With OpenMPI the same by hartscope-mpi, and ranks that die.
#
#   parts.sh HARTSCOPE_MPI [CASES]     the tool, or none; cases of each trace, by default 1
#   parts.sh long                      20 cases, other ones in each run
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/trip.sh"
mpi=$1
cases=${2:-1}
numbers='1 3 8' # of ranks
seed=${SEED:-1}
sentences=500
[ -z "${HARTSCOPE_SANITIZED-}" ] || sentences=200
if [ "$mpi" = long ]; then
	numbers='1 2 3 4 8'
	cases=20 sentences=1500 seed=${SEED:-$(date +%s)}
	mpi=$HARTSCOPE_BUILD/tools/hartscope/hartscope-mpi
	[ -x "$mpi" ] || mpi=none
	echo "# SEED=$seed"
fi
[ "$mpi" = none ] || mpi=$(realpath "$mpi")
cd "$work" || exit 1
need riscv64-linux-gnu-gcc qemu-riscv64
riscv64-linux-gnu-gcc -O2 -g -static -o program "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o program.rec -- ./program $sentences >/dev/null 2>&1 || exit 1

# pick N: a random number below N, in $picked
pick()
{
	seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
	picked=$(((seed >> 8) % $1))
}

# damage TRACE N: some bytes near the seams of N parts and elsewhere are others
damage()
{
	local size k at

	size=$(stat -c %s "$1")
	for k in $(seq 1 $(($2 - 1))); do
		pick 2000
		at=$((size * k / $2 - 1000 + picked))
		((at >= 0 && at < size)) || continue
		printf 'xyz' | dd of="$1" bs=1 seek=$at conv=notrunc 2>/dev/null
	done
	for k in 1 2 3; do
		pick "$size"
		printf 'z' | dd of="$1" bs=1 seek=$picked conv=notrunc 2>/dev/null
	done
}

# one NAME COMMAND [ARGUMENT...]: its output and exit status as NAME.out, NAME.err, NAME.rc
one()
{
	local name=$1

	shift
	"$HARTSCOPE" "$@" >"$name.out" 2>"$name.err"
	echo $? >"$name.rc"
}

# same A B: did both print the same?
same()
{
	cmp "$1.out" "$2.out" && cmp "$1.err" "$2.err" && cmp "$1.rc" "$2.rc"
}

stat_options=(--json --calls --top 100000 --by mode)

# whole TRACE: what one process gives: whole.stat, whole.coverage, whole.decode, whole.check,
# whole.flow
whole()
{
	rm -rf whole.* flow
	one whole.stat stat -q -j 1 --elf program "${stat_options[@]}" "$1"
	one whole.coverage coverage -q -j 1 --json --elf program "$1"
	one whole.decode decode --json -j 1 --elf program -o flow "$1"
	mv flow whole.flow
	one whole.check check -q -j 1 --json --elf program program.rec "$1"
}

# parts TRACE N: does merge give what one process gave?
parts()
{
	local k

	rm -rf work merged.* flow
	for k in $(seq "$2"); do
		"$HARTSCOPE" stat -q --elf program --part "$k/$2" --work work "$1" &&
			"$HARTSCOPE" coverage -q --elf program --part "$k/$2" --work work "$1" &&
			"$HARTSCOPE" decode -q --elf program --part "$k/$2" --work work "$1" ||
			return 1
	done
	for k in $(seq "$2"); do
		"$HARTSCOPE" check -q --elf program --part "$k/$2" --work work program.rec "$1" ||
			return 1
	done
	one merged.stat merge stat -q --parts "$2" --work work --elf program \
		"${stat_options[@]}" "$1"
	one merged.coverage merge coverage -q --parts "$2" --work work --elf program --json "$1"
	one merged.decode merge decode --json --parts "$2" --work work --elf program -o flow "$1"
	mv flow merged.flow
	one merged.check merge check -q --parts "$2" --work work --json --elf program \
		program.rec "$1"
	same whole.stat merged.stat && same whole.coverage merged.coverage &&
		same whole.decode merged.decode && same whole.check merged.check &&
		same_flow merged.flow
}

# same_flow FLOW: has it what whole.flow has, and is it complete?
same_flow()
{
	"$HARTSCOPE" stat --json whole.flow >one.flow.out &&
		"$HARTSCOPE" stat --json "$1" >flow.out && cmp one.flow.out flow.out &&
		"$HARTSCOPE" check -q whole.flow "$1" &&
		grep -q '"complete": true' "$1/manifest.json"
}

# some PROTOCOL [SETTING...]: the trace in random numbers of parts, then damaged
some()
{
	local settings=() s protocol=$1 case n bad=0 tried=

	shift
	for s; do
		settings+=(--set "$s")
	done
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o trace program.rec \
		>out 2>&1 || bad=1
	cp trace.json other.json
	for case in $(seq "$cases"); do
		pick 9
		n=$((1 + picked))
		tried+=" $n"
		cp trace other
		[ "$case" = 2 ] || damage other $n
		whole other
		parts other $n >out 2>&1 || bad=1
		[ $bad = 0 ] || break
	done
	verdict "$protocol${*:+ $*}: parts:$tried" $bad out
}

some ntrace trTeInstSyncMode=messages trTeInstSyncMax=4
some ntrace trTeInstMode=btm
some ntrace trTeInstSyncMode=messages trTeInstSyncMax=3 "${all_ntrace[@]}"
some etrace trTeInstSyncMode=packets resync-max=4
some etrace trTeInstSyncMode=packets resync-max=3 "${all_etrace[@]}"

# A segment that is longer than a part: nothing but the beginning synchronises.
"$HARTSCOPE" encode -q --protocol etrace --set trTeInstSyncMode=off -o trace program.rec
whole trace
parts trace 5 >out 2>&1
verdict 'a segment that is longer than the parts' $? out

# A part that is missing, one that is damaged, and a job that is begun again.
"$HARTSCOPE" encode -q --protocol ntrace --set trTeInstSyncMode=messages --set trTeInstSyncMax=4 \
	-o trace program.rec
whole trace
parts trace 3 >out 2>&1
verdict 'three parts' $? out
stat -c '%n %y %s' work/stat.* >before
mv work/stat.2-of-3 kept
one merged.stat merge stat -q --parts 3 --work work --elf program "${stat_options[@]}" trace
grep -q 'part 2 of 3 is not done' merged.stat.err && [ ! -s merged.stat.out ] &&
	[ "$(cat merged.stat.rc)" = 2 ]
verdict 'a part that is missing is named, and nothing is printed' $? merged.stat.err
other=x
[ "$(head -c 2001 kept | tail -c 1 | tr '\0' ' ')" != x ] || other=y
{ head -c 2000 kept; printf $other; tail -c +2002 kept; } >work/stat.2-of-3
one merged.stat merge stat -q --parts 3 --work work --elf program "${stat_options[@]}" trace
grep -q 'part 2 of 3 is not done' merged.stat.err
verdict 'a part that is damaged is not done' $? merged.stat.err
for k in 1 2 3; do
	"$HARTSCOPE" stat -q --elf program --part $k/3 --work work trace || break
done
one merged.stat merge stat -q --parts 3 --work work --elf program "${stat_options[@]}" trace
same whole.stat merged.stat >out 2>&1
verdict 'a job that is begun again is as whole' $? out
stat -c '%n %y %s' work/stat.* >after
[ "$(diff before after | grep -c '^>')" = 1 ]
verdict 'it does only what is not done' $? after
cp trace other
printf 'x' | dd of=other bs=1 seek=0 conv=notrunc 2>/dev/null
one merged.stat merge stat -q --parts 3 --work work --elf program other
grep -q 'part 1 of 3 is not done' merged.stat.err
verdict 'parts of another trace are not taken' $? merged.stat.err

# ---- OpenMPI ---------------------------------------------------------------------------

if [ "$mpi" = none ] || [ -n "${HARTSCOPE_SANITIZED-}" ] || ! command -v mpirun >/dev/null; then
	echo 'ok - hartscope-mpi # SKIP no OpenMPI, or with sanitizers'
	exit $status
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in a container
export OMPI_MCA_mpi_yield_when_idle=1
# OpenMPI 5 has no -q, and complains where a machine has no network.
quiet=
case $(mpirun --version) in
*') '[1-4].*) quiet=-q ;;
*) export OMPI_MCA_btl=self,sm ;;
esac

# ranks N COMMAND [ARGUMENT...]
ranks()
{
	local n=$1

	shift
	# shellcheck disable=SC2086  # an option, or none
	timeout 100 mpirun --oversubscribe $quiet -np "$n" "$mpi" "$@"
}

# by_ranks NAME N COMMAND [ARGUMENT...]: as one(); mpirun adds words of its own to errors, that of
# OpenMPI 5 a zero byte, too
by_ranks()
{
	local name=$1

	shift
	ranks "$@" >"$name.out" 2>"$name.all"
	echo $? >"$name.rc"
	tr -d '\000' <"$name.all" | grep '^hartscope:' >"$name.err"
}

ranks 2 stat --help >out 2>err && [ "$(grep -c '^Usage: mpirun hartscope-mpi' out)" = 1 ] &&
	[ ! -s err ]
verdict 'help of a command, once' $? err
"$HARTSCOPE" encode -q --protocol etrace --set trTeInstSyncMode=packets --set resync-max=4 \
	-o trace program.rec
cp trace other
cp trace.json other.json
damage other 4
whole other
one merged.coverage coverage -q --json --elf program other
for n in $numbers; do # coverage goes the way of stat: once
	rm -rf work flow
	by_ranks merged.stat $n stat -q --work work --elf program "${stat_options[@]}" other
	[ $n != 3 ] ||
		by_ranks merged.coverage $n coverage -q --json --work work --elf program other
	by_ranks merged.decode $n decode --json --work work --elf program -o flow other
	by_ranks merged.check $n check -q --work work --json --elf program program.rec other
	same whole.stat merged.stat >out 2>&1 && same whole.coverage merged.coverage >>out 2>&1 &&
		same whole.decode merged.decode >>out 2>&1 &&
		same whole.check merged.check >>out 2>&1 && same_flow flow >>out 2>&1
	verdict "$n ranks do what one process does" $? out
done
"$HARTSCOPE" stat --json --elf program trace >one.out
"$HARTSCOPE" stat --json --elf program other >>one.out 2>/dev/null
ranks 3 stat --json --work set --elf program -- trace other >out 2>/dev/null
cmp one.out out >differ 2>&1
verdict 'a set of traces' $? differ

# A rank that is killed while it works: its job ends, and what was done is used by the next one.
rm -rf work flow
mpirun --oversubscribe -np 2 "$mpi" decode -q --parts 200 --work work --elf program -o flow other \
	>out 2>err &
job=$!
for i in $(seq 500); do
	[ "$(find work -name '*-of-200' 2>/dev/null | wc -l)" -lt 6 ] || break
	sleep 0.02
done
victim=$(cat /proc/$job/task/*/children | tr ' ' '\n' | grep . | tail -n 1)
[ -z "$victim" ] || kill -KILL "$victim"
! wait $job && grep -q 'rank [01]' err && [ ! -s out ] && [ ! -e flow ]
verdict 'a rank that is killed ends the job with its name, and nothing looks whole' $? err
find work -name '*-of-200' -exec stat -c '%n %y %s' {} + | sort >before
done_before=$(wc -l <before)
[ "$done_before" -gt 0 ] && [ "$done_before" -lt 200 ]
verdict "parts that were done: $done_before of 200" $?
flow=work/decode.200-of-200.flow # killed before there is a manifest
rm -rf "${flow%.flow}" $flow
mkdir $flow && : >$flow/runs.zst
by_ranks merged.decode 2 decode --json --parts 200 --work work --elf program -o flow other
same whole.decode merged.decode >out 2>&1 && same_flow flow >>out 2>&1
verdict 'the job that is begun again gives the whole' $? out
find work -name '*-of-200' -exec stat -c '%n %y %s' {} + | sort >after
[ -z "$(comm -23 before after)" ]
verdict 'it did not do again what was done' $? before
: >file
by_ranks merged.stat 2 stat -q --work file --elf program other
grep -q 'rank [01] of 2 on .*: stat: part [12] of 2 of other is not done' merged.stat.err &&
	[ ! -s merged.stat.out ]
verdict 'a rank that cannot go on says so' $? merged.stat.all
exit $status
