# verdict TEXT STATUS [FILE]: a row; where the status is not 0, $status becomes 1 and the file's
# beginning is shown.
# shellcheck shell=bash disable=SC2034
. "${HARTSCOPE_SOURCE:?the source folder}/tests/need.sh"
verdict()
{
	wanted "$1" || return 0
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		echo "  expected: status 0; got: $2${3:+, and ${3##*/} has:}"
		[ -z "${3-}" ] || head -n 20 "$3" | sed 's/^/  /'
		status=1
	fi
}
