# For tests of pages to source, after lib.sh: the page's files, its bytes and its commands are taken
# from it, and what the commands print is compared with it.  A line that begins with "hartscope:" is
# of standard error.  With HARTSCOPE_UPDATE=1 (scripts/docs/update-pages.sh) what they print is
# written into the page instead.
# shellcheck shell=sh
unset HARTSCOPE_FORCE # a reader has not set it

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

# run_step N COMMAND: what it prints, without what the filter `compared` takes away
run_step() {
	exits "$2" 0 sh -c "$2"
	if [ -n "${HARTSCOPE_UPDATE-}" ]; then
		! grep -q '^hartscope:' lines || grep '^hartscope:' err >>out
		mv out new$1
		return
	fi
	grep -v '^hartscope:' lines | compared >want
	grep . out | compared >got
	if [ -n "$page_gcc" ] && [ "$page_gcc" != "$here_gcc" ] && ! cmp -s want got; then
		ok "$2: prints what the page says # SKIP the page has what GCC $page_gcc makes"
		return
	fi
	is "$2: prints what the page says" "$(cat want)" "$(cat got)"
	grep '^hartscope:' lines >want || return 0
	is "$2: and notes" "$(cat want)" "$(grep -Fxf want err)"
}

# update_page FILE: with what the steps printed, in new1, new2, ...
update_page() {
	awk '
	/^$/ { blank++; next }
	/^    / && !/^    \$ / && skip { blank = 0; next }
	{ for (; blank > 0; blank--) print "" }
	/^    \$ / {
		n++
		print
		for (; (getline line < ("new" n)) > 0;) print line == "" ? "" : "    " line
		inside = skip = 1
		next
	}
	/^    / { if (!inside) n++; inside = 1; print; next }
	{ inside = skip = 0; print }
	END { for (; blank > 0; blank--) print "" }' "$1" >page.new && cp page.new "$1"
}

# run_page FILE COMMANDS [GCC]: every step of FILE, a path from the source folder, which has so many
# commands.  With GCC, what they print of programs is of that version of riscv64-linux-gnu-gcc and
# its C library, and differs with another.
run_page() {
	page=$HARTSCOPE_SOURCE/$1
	page_gcc=${3-} here_gcc=
	[ -z "$page_gcc" ] || here_gcc=$(riscv64-linux-gnu-gcc -dumpversion)
	mkdir bin
	ln -s "$HARTSCOPE" bin/hartscope
	PATH=$dir/bin:$PATH
	steps_of "$page"
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
		run) run_step "$step" "$rest" ;;
		*) bad "the page has lines that belong to nothing: $(head -1 lines)" ;;
		esac
	done <steps
	is "the page has its commands" "$2" "$(grep -c '^run' steps)"
	[ -z "${HARTSCOPE_UPDATE-}" ] || [ $failed -ne 0 ] || update_page "$page"
}
