# For tests to source.
# shellcheck shell=sh

# need TOOL...: skip the whole test where one of them is not there
need()
{
	for tool; do
		command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 77; }
	done
}
