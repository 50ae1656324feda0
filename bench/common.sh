# What the scripts of bench/ share.
say()
{
	printf 'bench: %s\n' "$*" >&2
}

# calc FORMAT EXPRESSION
calc()
{
	awk "BEGIN { printf \"$1\", $2 }"
}
