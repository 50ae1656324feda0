# For tests to source.
# shellcheck shell=bash
failed=0

# report TEXT STATUS [FILE]: what the file says at its end where the status is not 0
report()
{
	wanted "$1" || return 0
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
		return
	fi
	echo "FAIL - $1"
	failed=1
	echo "  expected: status 0; got: $2${3:+, and ${3##*/} ends with:}"
	[ -z "${3:-}" ] || tail -n 30 "$3" | sed 's/^/  /'
}
