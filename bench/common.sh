# What the scripts of bench/ share.  The caller has set work (a folder) and rusage (bench-rusage).
# shellcheck shell=bash disable=SC2154
sections=

say()
{
	printf 'bench: %s\n' "$*" >&2
}

# section [NAME]: what is measured from here on; without a NAME the last one is over.  How long each
# took is in sections, a row of a table each.
section()
{
	local now=$EPOCHREALTIME

	[ -z "${section_name-}" ] || sections+="| $section_name | $(calc %.1f \
		"$now - $section_start") |"$'\n'
	section_name=${1-}
	section_start=$now
	[ -z "$section_name" ] || say "$section_name"
}

# calc FORMAT EXPRESSION
calc()
{
	awk "BEGIN { printf \"$1\", $2 }"
}

# figure NAME VALUE: for the history
figure()
{
	printf '%s %s\n' "$1" "$2" >>"$work/figures"
}

# cost NAME COMMAND...: once; its CPU seconds to NAME.cpu, seconds of the wall clock to NAME.wall,
# kibibytes to NAME.kib, one line each.  What it prints is not kept: a list has gigabytes.
cost()
{
	local name=$1

	shift
	"$rusage" "$work/cost" "$@" >/dev/null 2>"$work/stderr" || {
		say "failed: $*"
		cat "$work/stderr" >&2
		return 1
	}
	awk '{ print $2 + $3 }' "$work/cost" >>"$work/$name.cpu"
	awk '{ print $1 }' "$work/cost" >>"$work/$name.wall"
	awk '{ print $4 }' "$work/cost" >>"$work/$name.kib"
}

# forget NAME...: what cost() has of them
forget()
{
	local name

	for name; do
		rm -f "$work/$name".{cpu,wall,kib}
	done
}

# best NAME.KIND: the least
best()
{
	sort -g "$work/$1" | head -n 1
}

# ratio BASE NAME KIND: of NAME to BASE, the middle one of the pairs
ratio()
{
	paste "$work/$1.$3" "$work/$2.$3" | awk '{ print $2 / $1 }' | sort -g | awk '
		{ all[NR] = $1 }
		END { printf "%.2f", all[int((NR + 1) / 2)] }'
}
