#!/bin/sh
# Install a build folder, or remove what was installed, and say what is where.
#
#   install.sh FOLDER            below the prefix of the folder, in $DESTDIR if it is set
#   install.sh --remove FOLDER   what this folder installed last, there
set -eu
remove=no
if [ "$1" = --remove ]; then
	remove=yes
	shift
fi
folder=$1
# What is installed below each DESTDIR is remembered.
log=$folder/installed.${DESTDIR:+$(printf '%s' "$DESTDIR" | cksum | cut -d ' ' -f 1).}txt

# files: what was installed, a path a line
files()
{
	grep -v '^#' "$log"
}

if [ "$remove" = yes ]; then
	if [ ! -f "$log" ]; then
		echo "uninstall: $folder has installed nothing" >&2
		exit 1
	fi
	count=0
	files >"$log.gone"
	while read -r file; do
		if [ -L "$file" ] || [ -f "$file" ]; then
			rm -f "$file"
			count=$((count + 1))
		fi
	done <"$log.gone"
	# Folders of our own that are empty now, but for what Python kept of modules.
	sed 's|/[^/]*$||' "$log.gone" | grep -i hartscope | sort -ru | while read -r path; do
		rm -rf "$path/__pycache__"
		while [ -d "$path" ] && rmdir "$path" 2>/dev/null; do
			path=${path%/*}
			case ${path##*/} in *artscope*) ;; *) break ;; esac
		done
	done
	rm -f "$log" "$log.gone"
	echo "removed $count files"
	[ -n "${DESTDIR:-}" ] || [ "$(id -u)" -ne 0 ] || ldconfig
	exit 0
fi

# $DESTDIR comes through the environment.
meson install -C "$folder" --no-rebuild --quiet
mv "$folder/meson-logs/install-log.txt" "$log"

# row TEXT PATTERN: the folder that the files that match have in common, and how many they are
row()
{
	files | grep -E "$2" | awk -v text="$1" '
		{ sub("/[^/]*$", "") }
		NR == 1 { common = $0 }
		{ while (index($0 "/", common "/") != 1) sub("/[^/]*$", "", common) }
		END { if (NR) printf "  %-22s %s (%d files)\n", text, common, NR }'
}
echo "installed:"
row tool '/bin/'
row library '/lib.*/libhartscope[^/]*$'
row 'headers' '/include/'
row 'recorder' '/hartscope/hartscope-qemu[^/]*$'
row 'pkg-config' '\.pc$'
row 'man pages' '/man/man'
row 'Python module' '/(dist|site)-packages/'
row 'completion' 'complet|site-functions'
row 'scripts, layouts, RTL' '/share/hartscope/'
row 'documents, examples' '/share/doc/'

libraries=$(files | sed -n 's|/libhartscope\.so$||p')
if [ -n "${DESTDIR:-}" ]; then
	echo "below DESTDIR=$DESTDIR: nothing else is to be done here"
	exit 0
fi
if [ "$(id -u)" -eq 0 ] && ldconfig && ldconfig -p | grep -q "$libraries/libhartscope.so"; then
	echo "ldconfig ran: programs find the library"
elif [ "$(id -u)" -ne 0 ] && ldconfig -v -N 2>/dev/null | grep -q "^$libraries:"; then
	echo "run 'ldconfig' as root, so that programs find the library"
else
	echo "$libraries is not where ld.so looks: programs that use the" \
		"library need it as -rpath or in LD_LIBRARY_PATH"
fi
tool=$(files | grep '/bin/hartscope$')
if [ "$(command -v hartscope || true)" = "$tool" ]; then
	echo "start with: hartscope help"
else
	echo "start with: $tool help (${tool%/*} is not first in PATH)"
fi
