# Packages of another suite or architecture, through this machine's apt and without a change to it.
# To be sourced:
#
#   suite_open STATE SUITES [APT_OPTION...]  lists of the suites, in the folder STATE; exits with
#                                            77 where one cannot be reached
#   suite_mirror                             prints where this system's packages come from
#   suite_apt ...                            apt-get on them; suite_cache ... apt-cache
#   suite_libraries SUITE PACKAGE            what else installing it would bring, as NAME=VERSION
#
# suite_types='deb deb-src' before that takes source packages, too.  apt checks what it fetches by
# the archive's key.

# The mirror is the one that main packages come from.
suite_mirror()
{
	apt-get indextargets --format '$(SITE) $(RELEASE) $(CODENAME)' 2>/dev/null |
		grep -v -- '-\|security' |
		awk 'NR == 1 { print $1 }'
}

suite_open()
{
	suite_state=$1
	suite_names=$2
	shift 2
	rm -rf "$suite_state"
	mkdir -p "$suite_state/lists/partial" "$suite_state/cache/archives/partial" \
		"$suite_state/get"
	{
		echo "Dir::Etc::SourceList \"$suite_state/sources.list\";"
		echo 'Dir::Etc::SourceParts "/dev/null"; APT::Sandbox::User "root";'
		echo "Dir::State::Lists \"$suite_state/lists\"; Dir::Cache \"$suite_state/cache\";"
		printf '%s;\n' "$@"
	} >"$suite_state/apt.conf"

	suite_from=$(suite_mirror)
	if [ -z "$suite_from" ]; then
		echo "${0##*/}: apt names no mirror" >&2
		exit 77
	fi
	suite_system=$(. /etc/os-release && echo "${ID:-debian}")
	suite_keys=/usr/share/keyrings/$suite_system-archive-keyring.gpg
	[ -e "$suite_keys" ] || suite_keys=/usr/share/keyrings/debian-archive-keyring.gpg
	for suite_name in $suite_names; do
		for suite_type in ${suite_types:-deb}; do
			echo "$suite_type [signed-by=$suite_keys] $suite_from $suite_name main"
		done
	done >"$suite_state/sources.list"
	if ! suite_apt update >"$suite_state/log" 2>&1 ||
		grep -q '^[EW]:.*Failed' "$suite_state/log"; then
		echo "${0##*/}: $suite_names cannot be reached" >&2
		exit 77
	fi
}

suite_apt()
{
	APT_CONFIG="$suite_state/apt.conf" apt-get -q "$@"
}

suite_cache()
{
	APT_CONFIG="$suite_state/apt.conf" apt-cache "$@"
}

suite_libraries()
{
	suite_apt install --simulate --no-install-recommends -t "$1" "$2" 2>>"$suite_state/log" |
		sed -n '/^Inst lib/s/^Inst \([^ ]*\) \(\[[^]]*] \)\{0,1\}(\([^ ]*\).*/\1=\3/p'
}
