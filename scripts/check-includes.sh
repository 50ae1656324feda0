#!/bin/bash
# The include rule of docs/architecture.md: which room may see which.  One line a finding, and one
# "ok" or "not ok" line a room.  The rooms of `free` link without a C library.
set -u
cd "$(dirname "$0")/.." || exit 1

free='base isa image ingress flow ntrace transport control etrace ctr pmu'
free_headers='stdint.h stddef.h stdbool.h limits.h'

# Rooms whose headers a room may include, besides its own.
declare -A sees=(
	[base]=''
	[isa]='base'
	[image]='base isa'
	[ingress]='base isa image'
	[flow]='base isa image ingress'
	[transport]='base ntrace'
	[control]='base ntrace'
	[ntrace]='base isa image ingress flow'
	[etrace]='base isa image ingress flow'
	[ctr]='base isa'
	[pmu]='base'
	[sink]='base isa image ingress flow ntrace transport control etrace ctr pmu host'
	[host]='base isa image ingress flow ntrace transport control etrace ctr pmu port'
	[hartscope]='base isa image ingress flow ntrace transport control etrace ctr pmu sink host'
	[port]='base'
	[qemu]='base isa ctr port'
)

# The room of each public header.  block.h is base: every room speaks of blocks, and isa of itype.
declare -A public=(
	[status.h]=base [status.def]=base [block.h]=base [isa.h]=isa [image.h]=image
	[ingress.h]=ingress [qualifier.h]=ingress [qualifier_names.def]=ingress [port.h]=ingress [port_signals.def]=ingress [flow.h]=flow [transport.h]=transport [control.h]=control
	[trace_registers.def]=control [ntrace.h]=ntrace [nt_fields.def]=ntrace
	[nt_messages.def]=ntrace [nt_dialects.def]=ntrace [nt_lint.h]=ntrace [nt_findings.def]=ntrace [etrace.h]=etrace [et_fields.def]=etrace [et_packets.def]=etrace
	[et_packets_0_026.def]=etrace [et_packets_fast.def]=etrace [et_dialects.def]=etrace [et_params.def]=etrace [et_attributes.def]=etrace [ctr.h]=ctr [ctr_csrs.def]=ctr [ctr_fields.def]=ctr
	[ctr_types.def]=ctr [pmu.h]=pmu [pmu_soft.h]=pmu [pmu_errors.def]=pmu
	[pmu_functions.def]=pmu [pmu_events.def]=pmu
	[sink.h]=sink [ctr_export.h]=sink [ctr_explain.h]=sink [ctr_replay.h]=host [profile.h]=sink [calls.h]=sink [listing.h]=sink [record_port.h]=port [error.h]=host [program.h]=host [recording.h]=host
	[protocol.h]=host [source.h]=host [registers.h]=host [vcd.h]=host [capture.h]=host [json.h]=host
)

bad=0

finding()
{
	echo "$1: $2"
	bad=1
}

has_word()
{
	[[ " $1 " == *" $2 "* ]]
}

# An encoder never sees a decoder, nor the other way round; their private headers tell by name.
check_sides()
{
	local file=$1 header=$2

	case ${file##*/}:${header##*/} in
	*encode*:*decode* | *decode*:*encode*) finding "$file" "$header is on the other side of the wire" ;;
	esac
}

# check_angle ROOM FILE HEADER: #include <HEADER>
check_angle()
{
	local room=$1 file=$2 header=$3 owner

	if [[ $header != hartscope/* ]]; then
		has_word "$free" "$room" && ! has_word "$free_headers" "$header" &&
			finding "$file" "<$header> is not for a freestanding room"
		return
	fi
	owner=${public[${header#hartscope/}]-}
	if [ -z "$owner" ]; then
		finding "$file" "<$header> has no room in scripts/check-includes.sh"
	elif [ "$owner" != "$room" ] && ! has_word "${sees[$room]}" "$owner"; then
		finding "$file" "room $room may not see <$header> of room $owner"
	fi
}

# check_quoted ROOM FILE HEADER: #include "HEADER", a private header
check_quoted()
{
	local room=$1 file=$2 header=$3 owner

	check_sides "$file" "$header"
	[ ! -e "${file%/*}/$header" ] || [[ $header == */* ]] || return
	owner=${header%%/*}
	if [ ! -e "src/$header" ]; then
		finding "$file" "\"$header\" is neither in this room nor in src/"
	elif [ "$owner" != "$room" ] && ! { has_word "$free" "$room" && has_word "${sees[$room]}" "$owner"; }; then
		finding "$file" "room $room may not see \"$header\""
	fi
}

check_file()
{
	local room=$1 file=$2 kind header

	while read -r kind header; do
		if [ "$kind" = '<' ]; then
			check_angle "$room" "$file" "$header"
		else
			check_quoted "$room" "$file" "$header"
		fi
	done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^>"]+)[>"].*/\1 \2/p' "$file")
}

check_room()
{
	local room=$1 folder=$2 file

	if [ -z "${sees[$room]+x}" ]; then
		echo "not ok - $folder has no row in scripts/check-includes.sh"
		return 1
	fi
	bad=0
	while read -r file; do
		check_file "$room" "$file"
	done < <(find "$folder" -name '*.[ch]' -o -name '*.def' | sort)
	[ "$bad" -eq 0 ] && echo "ok - includes of $folder" || echo "not ok - includes of $folder"
	return "$bad"
}

status=0
for folder in src/* tools/* plugins/*; do
	[ ! -d "$folder" ] || check_room "${folder##*/}" "$folder" || status=1
done
bad=0
for header in include/hartscope/*; do
	room=${public[${header##*/}]-}
	if [ -z "$room" ]; then
		finding "$header" 'no room in scripts/check-includes.sh'
	else
		check_file "$room" "$header"
	fi
done
if [ "$bad" -eq 0 ]; then
	echo 'ok - includes of the public headers'
else
	echo 'not ok - includes of the public headers'
	status=1
fi
exit "$status"
