#!/bin/bash
# The include rule of docs/architecture.md: which room may see which, and how large a room may be.
# One line a finding, and one "ok" or "not ok" line a rule.  The rooms are those of src/rooms.txt.
#
# HARTSCOPE_TREE is the tree to check, by default the one of this script
# (tests/conformance/checks.sh).
set -u
scripts=$(cd "$(dirname "$0")" && pwd)
cd "${HARTSCOPE_TREE:-$scripts/../..}" || exit 1
. "$scripts/verdict.sh"

free_headers='stdint.h stddef.h stdbool.h limits.h'

# From src/rooms.txt: the rooms of the kinds, what each may include besides its own headers, and the
# private headers of other hosted rooms that it shares.
free='' ends='' all=''
declare -A sees=() shares=()
while IFS='|' read -r room kind sees_rooms shares_rooms _; do
	read -r room <<<"$room"
	read -r kind <<<"$kind"
	case $kind in
	free) free="$free $room" ;;
	end) ends="$ends $room" ;;
	esac
	[ "$kind" = user ] || all="$all $room"
	sees[$room]=$(sed "s/\\bfree\\b/$free/; s/\\ball\\b/$all/" <<<"$sees_rooms" | xargs)
	shares[$room]=$(xargs <<<"$shares_rooms")
done < <(grep -v '^#' src/rooms.txt)

# Files of a protocol by side.  Each file has one; those of both sides hold what the format is.
declare -A sides=(
	[ntrace:encoder]='nt_encoder.h call_stack.h encoder.c emit.c emit.h plain.c writer.c'
	[ntrace:decoder]='decoder.c decoder_options.c find_sync.c reader.c reader.h recall.c
		source.c source.h where.c recall.h recall_count.c window.h fault.c source_*.c
		lint.c lint.h lint_*.c nt_decoder.h nt_lint.h'
	[ntrace:both]='ntrace.h nt_message.h nt_reader.h config.c rules.c tables.c tables.h'
	[etrace:encoder]='et_encoder.h encoder.c emit.c emit.h decide.c decide.h plain.c
		fast_encoder.c options.c port.c loss.c short.c writer.c access.c frame.h
		arrive_encoder.c data_encoder.c'
	[etrace:decoder]='addresses.c careful.c careful.h decoder.c decoder_options.c fault.c
		find_sync.c reader.c recall.c recall_tables.* recognise.c indexed.c source.c
		where.c source.h arrive.c
		place.c place.h payload.c payload.h draft.c format*.c sizes.c block_begin.c
		fast_decoder.c path.c path.h unseen.c et_decoder.h data_decoder.c lint.c lint.h
		lint_*.c etrace_lint.h ring.c ring.h ring_*.c etrace_ring.h'
	[etrace:both]='etrace.h et_config.h et_discovery.h et_packet.h et_reader.h rules.c
		tables.c tables.h standard.c et_standard.h registers.h config.c attributes.c
		discovery.c predictor.h memory.c memory.h data.h data_form.c data_names.c
		data_packet.c etrace_data.h'
)

# Share of src/ that a room may have, in per cent.
largest=12
largest_protocol=18

# The room of each public header, and of the tables in include/hartscope/tables: the lowest of those
# whose subjects are in it.  block.h is core: every room speaks of blocks.
declare -A public=()
rooms_of()
{
	local room=$1 header

	shift
	for header in "$@"; do
		public[$header]=$room
	done
}
rooms_of core status.h status.def block.h image.h messages.def registers.def perf.def
rooms_of ingress ingress.h port.h ingress.def
rooms_of flow memo.h
rooms_of ntrace ntrace.h
rooms_of etrace etrace.h etrace_state.h
rooms_of transport transport.h
rooms_of device control.h
rooms_of ctr ctr.h
rooms_of pmu pmu.h
rooms_of program program.h
rooms_of recording recording.h record.h
rooms_of inputs capture.h
rooms_of trace protocol.h trace_params.h
rooms_of source source.h
rooms_of calls views.h
rooms_of counts counts.h compare.h
rooms_of encode encode.h

has_word()
{
	[[ " $1 " == *" $2 "* ]]
}

# The tables above, the files and folders of the tree and each include of a file: a line each, words
# after a kind.
facts()
{
	local key

	set -f # patterns of files stay as they are
	for key in $free; do echo free "$key"; done
	for key in $free_headers; do echo free_header "$key"; done
	for key in "${!sees[@]}"; do echo sees "$key" ${sees[$key]}; done
	for key in "${!shares[@]}"; do echo shares "$key" ${shares[$key]}; done
	for key in "${!sides[@]}"; do echo side "${key/:/ }" ${sides[$key]}; done
	for key in "${!public[@]}"; do echo public "$key" "${public[$key]}"; done
	set +f
	for key in src/* tools/* plugins/*; do
		[ ! -d "$key" ] || echo folder "$key"
	done
	find src tools plugins include -type f -printf 'file %p\n' | LC_ALL=C sort
	find src tools plugins include \( -name '*.[ch]' -o -name '*.def' \) -print0 | xargs -0 \
		grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]+' /dev/null |
		sed -E 's/^([^:]*):[^<"]*([<"])/include \1 \2 /'
}

# One verdict for each folder, one for the public headers, and one for the sides of protocols.
check_includes()
{
	awk '
	# The side of FILE, as ROOM/NAME: encoder, decoder or both; empty when it has no row.
	function side_of(file, part, i, room_side) {
		split(file, part, "/")
		for (i = 1; i <= 3; i++) {
			room_side = part[1] " " side_names[i]
			if (room_side in patterns && part[2] ~ patterns[room_side])
				return side_names[i]
		}
		return ""
	}
	# An encoder never sees the private header of a decoder, nor the other way round, and what
	# serves both sees neither of them.  Both as ROOM/NAME.
	function check_sides(file, header, part, room, from, to) {
		room = file
		sub(/\/[^\/]*$/, "", room)
		if (!((room " both") in patterns) || header !~ "^" room "/[^/]*$")
			return
		if (header ~ /[.]def$/) # a table has no side
			return
		if (file == room "/" room ".h") # what other rooms see: both sides
			return
		from = side_of(file)
		to = side_of(header)
		if (to != "both" && from != to)
			finding("src/" file, "\"" header "\" is the " to "'\''s; this file is " \
				(from == "" ? "without a side" : from))
	}
	function check_angle(room, file, header, name, owner) {
		if (header !~ /^hartscope\//) {
			if (room in free && !(header in free_header))
				finding(file, "<" header "> is not for a freestanding room")
			return
		}
		name = header
		sub(/.*\//, "", name)
		owner = public[name]
		if (owner == "")
			finding(file, "<" header "> has no room in check-includes.sh")
		else if (owner != room && !((room, owner) in sees))
			finding(file, "room " room " may not see <" header "> of room " owner)
	}
	# A private header.
	function check_quoted(room, file, header, short, folder, owner) {
		short = folder = file
		sub(/^src\//, "", short)
		sub(/\/[^\/]*$/, "", folder)
		check_sides(short, header ~ /\// ? header : room "/" header)
		if (header !~ /\// && (folder "/" header) in files)
			return
		owner = header
		sub(/\/.*/, "", owner)
		if (room == "hartscope" && ("tools/hartscope/" header) in files)
			return
		if (!(("src/" header) in files))
			finding(file, "\"" header "\" is neither in this room nor in src/")
		else if (owner != room && !((room, owner) in shares) && !((room, owner) in sees &&
			 (room in free || header == owner "/" owner ".h" || header ~ /[.]def$/)))
			finding(file, "room " room " may not see \"" header "\"")
	}
	# What the verdict of a folder comes after.
	function finding(file, text) {
		findings[folder_of(file)] = findings[folder_of(file)] "  " file ": " text "\n"
	}
	function folder_of(file, part) {
		if (file ~ /^include\//)
			return "the public headers"
		split(file, part, "/")
		return part[1] "/" part[2]
	}
	function room_of(file, part) {
		if (file !~ /^include\//) {
			split(file, part, "/")
			return part[2]
		}
		sub(/.*\//, "", file)
		return public[file]
	}
	function say(rule, found) {
		printf "%s%s - %s\n", found, found == "" ? "ok" : "not ok", rule
	}
	BEGIN { split("encoder decoder both", side_names, " ") }
	$1 == "free" { free[$2] }
	$1 == "free_header" { free_header[$2] }
	$1 == "sees" { rooms[$2]; for (i = 3; i <= NF; i++) sees[$2, $i] }
	$1 == "shares" { for (i = 3; i <= NF; i++) shares[$2, $i] }
	$1 == "side" {
		pattern = $4
		for (i = 5; i <= NF; i++)
			pattern = pattern "|" $i
		gsub(/\./, "[.]", pattern)
		gsub(/\*/, ".*", pattern)
		patterns[$2 " " $3] = "^(" pattern ")$"
	}
	$1 == "public" { public[$2] = $3 }
	$1 == "folder" { folders[++n_folders] = $2 }
	$1 == "file" {
		files[$2]
		if ($2 ~ /^include\// && $2 ~ /[.](h|def)$/ && room_of($2) == "")
			finding($2, "no room in check-includes.sh")
		if ($2 ~ /^src\/(ntrace|etrace)\/[^\/]*[.][ch]$/ &&
		    side_of(substr($2, 5)) == "")
			sideless = sideless "  " $2 " has none in check-includes.sh\n"
	}
	$1 == "include" && room_of($2) in rooms {
		if ($3 == "<")
			check_angle(room_of($2), $2, $4)
		else
			check_quoted(room_of($2), $2, $4)
	}
	END {
		for (i = 1; i <= n_folders; i++) {
			room = folders[i]
			sub(/.*\//, "", room)
			if (room in rooms)
				say("includes of " folders[i], findings[folders[i]])
			else
				print "not ok - " folders[i] " has no row in src/rooms.txt"
		}
		say("includes of the public headers", findings["the public headers"])
		say("each file of a protocol has a side", sideless)
	}'
}

found=$(facts | check_includes)
printf '%s\n' "$found"
! grep -q '^not ok' <<<"$found" || status=1

verdict 'no circle between rooms' "$(for room in "${!sees[@]}"; do
	for other in ${sees[$room]} ${shares[$room]-}; do
		echo "$room $other"
	done
done | tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: //')"

verdict 'nothing in src/ sees a room where the way ends' "$(for folder in src/*/; do
	room=${folder#src/}
	room=${room%/}
	for end in $ends; do
		! has_word "${sees[$room]-} ${shares[$room]-}" "$end" || echo "$room sees $end"
	done
done)"

# Of each room its name and whether it is free, as the document and src/rooms.txt have it.
verdict 'docs/architecture.md has each room, and no other' "$(diff \
	<(sed -nE 's/^\| `src\/([a-z_]+)` \|.*\| (free|hosted) \|$/\1 \2/p' docs/architecture.md | sort) \
	<(awk -F ' *[|] *' '!/^#/ && $2 != "user" { print $1, $2 == "free" ? "free" : "hosted" }' \
		src/rooms.txt | sort) | grep '^[<>]')"

# Lines "ROOM LINES PER-CENT", the largest first.
shares_of_src()
{
	find src -name '*.[ch]' -o -name '*.def' | xargs wc -l | awk '
		$2 != "total" { split($2, part, "/"); lines[part[2]] += $1; all += $1 }
		END { for (room in lines) printf "%s %d %.1f\n", room, lines[room], 100 * lines[room] / all }' |
		sort -k2,2nr
}
parts=$(shares_of_src)
head -n 5 <<<"$parts" | sed 's/^/  /; s/$/ %/'
verdict "no room above $largest % of src/, no protocol above $largest_protocol %" "$(
	awk -v l="$largest" -v p="$largest_protocol" \
		'$3 > ($1 ~ /^[ne]trace$/ ? p : l) { print $1 ": " $3 " %" }' <<<"$parts")"
exit "$status"
