#!/bin/sh
# Put the --help of each command into its page of docs/cli.  Usage: update-cli-docs.sh TOOL
set -eu
tool=$1
cd "$(dirname "$0")/../docs/cli"
for page in *.md; do
	command=${page%.md}
	[ "$command" != README ] || continue
	"$tool" "$command" --help >"$page.help"
	awk -v help="$page.help" '
		/^```text$/ { print; while ((getline line < help) > 0) print line; inside = 1; next }
		/^```$/ { inside = 0 }
		!inside { print }' "$page" >"$page.new"
	mv "$page.new" "$page"
	rm "$page.help"
done
