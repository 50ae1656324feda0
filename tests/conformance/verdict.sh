# verdict TEXT STATUS [FILE]: a row; where the status is not 0, $status becomes 1 and the file's
# beginning is shown.
# shellcheck shell=bash disable=SC2034
verdict()
{
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		[ -z "${3-}" ] || head -n 20 "$3" | sed 's/^/  /'
		status=1
	fi
}
