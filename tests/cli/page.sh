# For tests of pages in docs/ to source, after lib.sh: the page's files, its bytes and its commands
# are taken from it, and what the commands print is compared with it.  A line that begins with
# "hartscope:" is of standard error.
# shellcheck shell=sh

# The page as steps: "file NAME", "bytes NAME", "run COMMAND", each with its lines in a file.
steps_of() {
	awk '
	{ name = "" }
	match($0, /[Tt]he file `[^`]*`/) { kind = "file"; name = substr($0, RSTART, RLENGTH) }
	match($0, /[Tt]he bytes of `[^`]*`/) { kind = "bytes"; name = substr($0, RSTART, RLENGTH) }
	name != "" { gsub(/^[^`]*`|`$/, "", name); expected = kind " " name }
	/^    \$ / { n++; print "run " substr($0, 7) >"steps"; inside = 1; next }
	/^    / {
		if (!inside) {
			n++
			print (expected == "" ? "stray" : expected) >"steps"
			expected = ""
			inside = 1
		}
		print substr($0, 5) >("lines" n)
		next
	}
	/./ { inside = 0 }' "$1"
}

# run_step COMMAND: what it prints, without what the filter `compared` takes away
run_step() {
	exits "$1" 0 sh -c "$1"
	grep -v '^hartscope:' lines | compared >want
	grep . out | compared >got
	is "$1: prints what the page says" "$(cat want)" "$(cat got)"
	grep '^hartscope:' lines >want || return 0
	is "$1: and notes" "$(cat want)" "$(grep -Fxf want err)"
}

# run_page NAME COMMANDS: every step of docs/NAME, which has so many commands
run_page() {
	mkdir bin
	ln -s "$HARTSCOPE" bin/hartscope
	PATH=$dir/bin:$PATH
	steps_of "$HARTSCOPE_SOURCE/docs/$1"
	step=0
	while read -r kind rest; do
		step=$((step + 1))
		: >lines
		[ ! -e lines$step ] || cat lines$step >lines
		case $kind in
		file) cp lines "$rest" ;;
		bytes)
			for byte in $(cat lines); do
				printf '%b' "\\0$(printf %o "0x$byte")"
			done >"$rest"
			;;
		run) run_step "$rest" ;;
		*) bad "the page has lines that belong to nothing: $(head -1 lines)" ;;
		esac
	done <steps
	is "the page has its commands" "$2" "$(grep -c '^run' steps)"
}
