# Can each instruction of a PC list follow the one before it?
#
#   awk -v handler=ADDRESS -f successors.awk DISASSEMBLY PC_LIST
#
# DISASSEMBLY is GNU objdump's of the whole program.  A signal handler may start anywhere; what
# runs after its return (addresses that the program does not have are QEMU's trampoline) has to
# follow what it interrupted.
BEGIN { bad = signals = resumed = 0 }
FNR == NR {
	if ($0 !~ /^ +[0-9a-f]+:\t/)
		next
	pc = $1
	sub(/:$/, "", pc)
	if (last != "")
		after[last] = pc
	last = pc
	kind[pc] = "linear"
	if ($3 ~ /^b(eq|ne|lt|ge|gt|le)/) {
		kind[pc] = "branch"
		n = split($4, operand, ",")
		target[pc] = operand[n]
	} else if ($3 == "j" || $3 == "jal") {
		kind[pc] = "jump"
		n = split($4, operand, ",")
		target[pc] = operand[n]
	} else if ($3 ~ /^(jr|jalr|ret|ecall|ebreak|unimp|c\.unimp|mret|sret)$/)
		kind[pc] = "any"
	next
}
function follows(a, b) {
	if (!(a in kind) || kind[a] == "any")
		return 1
	if (kind[a] == "jump")
		return b == target[a]
	return b == after[a] || (kind[a] == "branch" && b == target[a])
}
{
	if ($1 == handler) {
		stack[signals - resumed] = previous
		signals++
	} else if (inside && ($1 in kind)) {
		resumed++
		if (!follows(stack[signals - resumed], $1)) {
			print "not after a signal: " stack[signals - resumed] " -> " $1
			bad++
		}
	} else if (previous != "" && !follows(previous, $1)) {
		print "not possible: " previous " -> " $1
		bad++
	}
	inside = !($1 in kind)
	previous = $1
}
END {
	print signals " signals, " resumed " resumed, " FNR " instructions, " bad " impossible"
	exit bad > 0 || FNR == 0
}
