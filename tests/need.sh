# For tests to source.
# shellcheck shell=sh

# need TOOL...: skip the whole test where one of them is not there
need()
{
	for tool; do
		command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 77; }
	done
}

# wanted TEXT: does HARTSCOPE_ONLY, a pattern of the shell, fit this check?  All are, without it.  A
# test runs to its end, as later checks need files of earlier ones; only wanted ones count.
wanted()
{
	[ -z "${HARTSCOPE_ONLY-}" ] || case $1 in $HARTSCOPE_ONLY) any_wanted=1 ;; *) false ;; esac
}

# is_from VERSION EMULATOR: is it of that version, or newer?
is_from()
{
	[ "$(printf '%s\n' "$1" "$("$2" --version | sed -nE '1s/.* version ([0-9.]+).*/\1/p')" |
		sort -V | head -n 1)" = "$1" ]
}

# no_overflows EMULATOR: QEMU from 10.0.11 to 10.0.13, at least, has LCOFIE of mie, sie and vsie
# read-only 0, so that overflows of counters interrupt nobody; 10.0.2 and 11.1 have not
no_overflows()
{
	is_from 10.0.11 "$1" && ! is_from 10.1 "$1"
}

# system_plugin FOLDER QEMU: the plugin for whole machines in FOLDER that QEMU loads
system_plugin()
{
	for object in "$1"/hartscope-qemu-system-*.so; do
		! "$2" -M none -display none -nodefaults -plugin "$object,probe=on" \
			>/dev/null 2>&1 </dev/null || { echo "$object"; return; }
	done
	return 1
}
