#!/bin/sh
# Put what 'help --all' says into each page of docs/cli: of a command, or of the topic parameters.
# Man pages are made from these (scripts/docs/man-page.py).  Usage: update-cli-docs.sh TOOL
set -eu
tool=$(realpath "$1")
cd "$(dirname "$0")/../../docs/cli"
for page in *.md; do
	command=${page%.md}
	[ "$command" != README ] || continue
	"$tool" help "$command" --all >"$page.help"
	awk -v help="$page.help" '
		/^```text$/ { print; while ((getline line < help) > 0) print line; inside = 1; next }
		/^```$/ { inside = 0 }
		!inside { print }' "$page" >"$page.new"
	mv "$page.new" "$page"
	rm "$page.help"
done
