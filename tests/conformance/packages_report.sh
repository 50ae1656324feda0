# For tests to source.
# shellcheck shell=bash
failed=0

# report TEXT STATUS [FILE]: what the file says at its end where the status is not 0
report()
{
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
		return
	fi
	echo "FAIL - $1"
	failed=1
	[ -z "${3:-}" ] || tail -n 30 "$3" | sed 's/^/  /'
}
