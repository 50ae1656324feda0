# What the checks of scripts/ say; for them to source.
# shellcheck shell=bash
status=0

# verdict NAME FINDINGS: good when there are none
verdict()
{
	if [ -z "$2" ]; then
		echo "ok - $1"
	else
		printf '%s\n' "$2" | sed 's/^/  /'
		echo "not ok - $1"
		status=1
	fi
}
