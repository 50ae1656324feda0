#!/bin/sh
# Which emulator records: record --check, with emulators that are scripts.  Each says with which
# versions of the plugin interface it loads a plugin, as plugins/qemu/version.c prints them, or why
# it does not.
. "$(dirname "$0")/lib.sh"
mkdir path empty home
export HOME="$dir/home"
unset HARTSCOPE_CACHE XDG_CACHE_HOME HARTSCOPE_PLUGIN
tools=$PATH
PATH=$dir/path:$dir/empty

# emulator FILE VERSION LINE: one with that version, which prints LINE when it loads a plugin
emulator() {
	folder=${1%/*}
	PATH=$tools mkdir -p "$folder"
	PATH=$tools cat >"$1" <<-END
		#!/bin/sh
		case " \$* " in
		*' --version '*) echo "qemu-riscv64 version $2 (Debian 1:$2+ds-0)" ;;
		*'probe=on '*) echo "$3" ;;
		esac
	END
	PATH=$tools chmod +x "$1"
}

# refuses FILE TEXT: one that says so of -plugin
refuses() {
	printf '#!/bin/sh\necho "%s" >&2\nexit 1\n' "$2" >"$1"
	PATH=$tools chmod +x "$1"
}

# check TEXT STATUS [OPTION]...
check() {
	text=$1 status=$2
	shift 2
	"$HARTSCOPE" record --check "$@" >out 2>err
	PATH=$tools is "$text: exit status" "$status" $?
}

# line TEXT PATTERN [FILE]
line() {
	PATH=$tools has "$1" "$2" "${3-out}"
}

user='^programs of RV64  *'
check 'none' 1
line 'none' "${user}none: qemu-riscv64: No such file"
line 'none: the command that builds one' "hint: '.*/scripts/guests/qemu-user.sh' builds one" err

refuses path/qemu-riscv64 "qemu: unknown option 'plugin'"
check 'one without plugins' 1
line 'one without plugins' "${user}none: qemu-riscv64: it is built without plugins"
line 'one without plugins: the command' "hint: '.*/scripts/guests/qemu-user.sh' builds one" err

built=home/.cache/hartscope/qemu-user
emulator $built/9.2.4/bin/qemu-riscv64 9.2.4 '2 4 riscv64 user'
emulator $built/10.0.13/bin/qemu-riscv64 10.0.13 '2 4 riscv64 user'
emulator $built/10.0.9/bin/qemu-riscv64 10.0.9 '2 4 riscv64 user'
check 'the newest of those that were built' 0
line 'its path' "$user$dir/$built/10.0.13/bin/qemu-riscv64, QEMU 10.0.13 "
line 'its versions and plugin' ' (plugin interface 2 to 4), hartscope-qemu-3.so$'

emulator $built/10.2.2/bin/qemu-riscv64 10.2.2 '2 5 riscv64 user'
check 'plugin interface 5' 0
line 'plugin interface 5' ' (plugin interface 2 to 5), hartscope-qemu-3.so$'
PATH=$tools cat >$built/10.2.2/bin/qemu-riscv64 <<'END'
#!/bin/sh
case " $* " in
*hartscope-qemu-2.so,probe=on*) echo '2 5 riscv64 user' ;;
*probe=on*) echo 'Could not load plugin x: requires another API version' >&2; exit 1 ;;
*) echo 'qemu-riscv64 version 10.2.2' ;;
esac
END
check 'an object of an older interface' 0
line 'an object of an older interface is not taken' 'QEMU 10.0.13 '
check 'the same by --qemu' 1 --qemu "$dir/$built/10.2.2/bin/qemu-riscv64"
line 'why' 'none: .*: it loads no recorder plugin: none is for its plugin interface, 2 to 5$'
PATH=$tools rm -r $built/10.2.2

refuses $built/10.0.13/bin/qemu-riscv64 'error while loading shared libraries: libglib-2.0.so.0'
check 'the newest that runs' 0
line 'the newest that runs' 'QEMU 10.0.9 '

emulator own/qemu-user/11.1/bin/qemu-riscv64 11.1 '7 7 riscv64 user'
HARTSCOPE_CACHE=$dir/own check 'HARTSCOPE_CACHE' 0
line 'HARTSCOPE_CACHE' "$user$dir/own/qemu-user/11.1/bin/qemu-riscv64, QEMU 11.1 "
emulator xdg/hartscope/qemu-user/8.2/bin/qemu-riscv64 8.2 '0 1 riscv64 user'
XDG_CACHE_HOME=$dir/xdg check 'XDG_CACHE_HOME' 0
line 'XDG_CACHE_HOME' "$user$dir/xdg/hartscope/qemu-user/8.2/bin/qemu-riscv64, QEMU 8.2 "

emulator path/qemu-riscv64 7.2.22 '0 1 riscv64 user'
emulator path/qemu-system-riscv32 10.1 '3 5 riscv32 system'
refuses path/qemu-system-riscv64 'Could not load plugin x: x: undefined symbol: qemu_plugin_y'
check 'that of PATH comes first' 0
line 'that of PATH comes first' "$user$dir/path/qemu-riscv64, QEMU 7.2.22 "
line 'no other XLEN' '^programs of RV32  *none: '
line 'machines' '^machines of RV32 .*, QEMU 10.1 (plugin interface 3 to 5), .*-system-4.so$'
line 'machines: too old' '^machines of RV64  *none: .*machines need QEMU 9.2 or newer'
line 'machines: the command' "hint: '.*/scripts/guests/qemu-new.sh DIR' fetches" err

check '--qemu' 0 --qemu "$dir/$built/9.2.4/bin/qemu-riscv64"
line '--qemu' "$user.*9.2.4 "
check '--json' 0 --json
line '--json' '"name": "qemu-riscv64".*"version": "7.2.22".*"interface_greatest": 1'
PATH=$tools json '--json' out

emulator path/qemu-riscv64 10 '2 4 riscv64 system'
PATH=$tools rm -r $built
check 'one that emulates something else' 1
printf '#!/bin/sh\nexec %s 100\n' "$(PATH=$tools command -v sleep)" >path/qemu-riscv64
check 'one that does not end' 1
line 'one that does not end' "${user}none: .* does not end when it is asked"

"$HARTSCOPE" record --check ./program >out 2>err
PATH=$tools is 'with a program: exit status' 2 $?
line 'with a program' 'takes no program' err
PATH=$tools finish
