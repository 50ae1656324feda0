#!/bin/sh
# Each command in its shortest form, confined as usual: in the folder of what it reads, and from
# another one.  A command of 'hartscope help' that has no form here fails.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc

# The words of a command for files below $in; a status of 1: it has no form.
form() {
	case $1 in
	record) echo "-o ${in}new.rec ${in:-./}app" ;;
	encode | report | calls | coverage | traps | pmu | ctr | list | stat | gdb | info | fsck | \
		index) echo "${in}app.rec" ;;
	decode | dump | lint | identify) echo "${in}app.nt" ;;
	explain) echo "${in}app.nt 0" ;;
	view) echo "${in}app.rec" ;;
	crash) echo "${in}died.rec" ;;
	merge) echo "stat --parts 1 ${in}app.nt" ;;
	annotate) echo "main ${in}app.rec" ;;
	export) echo "--format folded ${in}app.rec" ;;
	check) echo "${in}app.rec ${in}app.flow" ;;
	diff) echo "${in}app.rec ${in}again.rec" ;;
	import) echo "-o ${in}pcs.rec --elf ${in}app ${in}app.pcs" ;;
	registers | generate | vectors | version | help) ;;
	*) return 1 ;;
	esac
}
# what it leaves below $in
leaves() {
	case $1 in
	record) echo new.rec/manifest.json ;;
	encode) echo app.nt app.nt.json ;;
	decode) echo app.flow/manifest.json ;;
	index) echo app.rec.idx ;;
	import) echo pcs.rec/manifest.json ;;
	esac
}

dir=$(pwd -P)
mkdir -p made/there
cat >made/app.c <<'EOS'
int main(int argc, char **argv)
{
	if (argc > 1)
		__builtin_trap();
	return argv[0] == 0;
}
EOS
riscv64-linux-gnu-gcc -O0 -g -static -o made/app made/app.c || bad "the program is built"
for name in app again; do
	"$HARTSCOPE" record -q -o made/$name.rec -- made/app || bad "the recording"
done
"$HARTSCOPE" record -q -o made/died.rec -- made/app dies 2>err
is "a program that dies" 133 $?
riscv64-linux-gnu-nm made/app | sed -n 's/^\(.*\) T main$/\1/p' >made/app.pcs

# encode and decode first: others read what they leave
names=$("$HARTSCOPE" help --all | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')
names="encode decode $(echo "$names" | grep -v '^encode$\|^decode$')"
is "commands that help lists" yes "$([ "$(echo "$names" | wc -w)" -ge 30 ] && echo yes)"
# Its page is in a folder of its own; a browser gets its path, and none is started otherwise.
unset DISPLAY WAYLAND_DISPLAY BROWSER
export TMPDIR="$dir"
printf '#!/bin/sh\necho "$1" >%s/opened.new\nmv %s/opened.new %s/opened\n' "$dir" "$dir" "$dir" \
	>browser
chmod +x browser
exits "view with a browser" 0 env BROWSER="$dir/browser" "$HARTSCOPE" view made/app.rec
page=$(cat out)
has "view: the page" '<html' "$page"
is "view: only its user reads it" 700 "$(stat -c %a "${page%/*}")"
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e opened ] || sleep 1; done
is "view: the browser has it" "$page" "$(cat opened)"
exits "view of what is not there" 2 "$HARTSCOPE" view nothing.rec
is "view of what is not there leaves nothing" 1 "$(find . -name 'hartscope-*' -type d | wc -l)"
shortest() { # WHERE
	where=$1
	for name in $names; do
		form $name >words || { bad "$name has no form in this test"; continue; }
		[ $name != merge ] || "$HARTSCOPE" stat --part 1/1 "${in}app.nt" >/dev/null 2>&1
		# shellcheck disable=SC2046  # words
		exits "$where: $name" 0 "$HARTSCOPE" $name $(cat words)
		[ ! -s err ] || ! grep -i 'denied\|not permitted' err || bad "$where: $name"
		for file in $(leaves $name); do
			is "$where: $name leaves ${file}" yes "$([ -s "$in$file" ] && echo yes)"
		done
	done
}
again() { (cd "$dir/made" && rm -rf app.nt* app.flow app.rec.idx new.rec pcs.rec); }
in=made/
shortest "from the folder above"
again
in=$dir/made/
cd made/there || exit 1
shortest "from elsewhere"
again
in=
cd "$dir/made" || exit 1
shortest "in the folder"
exits "E-Trace has an ending of its own" 0 "$HARTSCOPE" encode --protocol etrace app.rec
is "app.et" "etrace" "$(sed -n 's/.*"protocol": "\([a-z]*\)".*/\1/p' app.et.json)"
exits "app.et to app.flow" 0 env HARTSCOPE_FORCE=1 "$HARTSCOPE" decode app.et
is "no app.et.flow" no "$([ -e app.et.flow ] && echo yes || echo no)"
finish
