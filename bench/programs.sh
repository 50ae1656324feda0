# The programs that are measured.  The caller has set work (a folder) and sqlite (an npm package
# that holds the SQLite amalgamation).
# shellcheck shell=bash disable=SC2034,SC2154
declare -A rows

fetch_sqlite()
{
	[ ! -f "$work/sqlite3.c" ] || return 0
	command -v npm >/dev/null || return 1
	(cd "$work" && npm pack --silent "$sqlite" >/dev/null && tar xzf better-sqlite3-*.tgz \
		--strip-components=3 package/deps/sqlite3/sqlite3.c package/deps/sqlite3/sqlite3.h)
}

build_programs()
{
	riscv64-linux-gnu-gcc -O2 -g -static examples/sort.c -o "$work/sentences"
	if fetch_sqlite; then
		name='SQLite: inserts, an index, joins, sorting'
		rows=([listed]=4000 [small]=20000 [large]=100000)
		[ -x "$work/sqlite" ] || riscv64-linux-gnu-gcc -O2 -g -static \
			-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I"$work" \
			bench/sqlite_driver.c "$work/sqlite3.c" -lm -o "$work/sqlite"
		ln -sf sqlite "$work/program"
	else
		say 'npm is not here or cannot fetch SQLite: measuring a longer examples/sort.c'
		name='examples/sort.c, 30 times as long'
		rows=([listed]=14400 [small]=72000 [large]=360000)
		ln -sf sentences "$work/program"
	fi
}
