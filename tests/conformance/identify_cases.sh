# Random captures for identify.sh: protocols, parameters, transports, drawn from one distribution in
# both forms.  Needs random(), $work and programs recorded as $work/NAME.rec.
# shellcheck shell=bash disable=SC2154

# one_of WORD...
one_of()
{
	shift "$(random $#)"
	echo "$1"
}

# between LEAST MOST
between()
{
	echo $(($1 + $(random $(($2 - $1 + 1)))))
}

# some OF WORDS...: the words, one time of OF
some()
{
	local of=$1

	shift
	[ "$(random "$of")" -ne 0 ] || echo "$*"
}

# sources PROGRAM LEAST MOST: a width of SRC or srcID, and one of them; the harts have their own
sources()
{
	local bits

	bits=$(between "$2" "$3")
	[ "$bits" -eq 0 ] || echo "--set trTeSrcBits=$bits" \
		"$([ "$1" = harts ] || echo "--set trTeSrcID=$(random $((1 << bits)))")"
}

# least_sources PROGRAM: bits that its harts need
least_sources()
{
	[ "$1" = harts ] && echo 3 || echo 0
}

# random_ntrace PROGRAM TRANSPORT: nothing in a circular buffer can be read without synchronisations
random_ntrace()
{
	local synchronise="messages messages halfwords bytes"

	[ "$2" = ring ] || synchronise="$synchronise off"
	# shellcheck disable=SC2086
	echo "--protocol ntrace --dialect $(one_of 1.0 1.0 rc7 reference sifive)" \
		"--set trTeInstMode=$(one_of btm htm htm)" \
		"$(sources "$1" "$(least_sources "$1")" 12)" \
		"--set trTeInstImplicitReturnMode=$(one_of off off full counting partial)" \
		"--set trTeInstEnSequentialJump=$(one_of 0 1)" \
		"--set trTeInstEnRepeatedHistory=$(one_of 0 1)" \
		"--set trTeInstEnAllJumps=$(one_of 0 0 1) --set repeatBranch=$(one_of 0 1)" \
		"--set trTeInstExtendAddrMSB=$(one_of 0 1) --set trTsEnable=$(one_of 0 1)" \
		"--set trTeContext=$(one_of 0 1)" \
		"--set trTeInstSyncMode=$(one_of $synchronise)" \
		"--set trTeInstSyncMax=$(one_of 1 2 4)" \
		"$(some 3 "--set callStack=$(between 1 32)")" \
		"$(some 5 "--set returnBits=$(between 4 32)") $(some 7 --set reportedCalls=1)" \
		"$(some 5 "--set icntBits=$(between 8 22)")" \
		"$(some 5 "--set histBits=$(between 4 31)") $(some 10 --set histAlways=1)" \
		"$(some 10 --set btypePlain=1) $(some 10 --set icntFull=sync)" \
		"$([ "$1" != small ] || echo --set xlen=32)"
}

# Options of 2.0 and 1.1, each with the table that it needs.
random_options()
{
	local predictor cache

	predictor="--set branch-prediction=1 --set bpred_size_p=$(between 1 12)"
	cache="--set jump-target-cache=1 --set cache_size_p=$(between 1 12)"
	echo "$(one_of '' "--set implicit-return=1 --set return_stack_size_p=$(between 1 8)" \
		"--set implicit-return=1 --set call_counter_size_p=$(between 1 8)" '')" \
		"$(one_of '' '--set si-jump=1 --set sijump_p=1')" \
		"$(one_of '' "$predictor" "$cache" \
			"$predictor $cache --set f0s_width_p=$(one_of 1 2)")"
}

# random_widths PROGRAM
random_widths()
{
	local most=64

	[ "$1" != small ] || most=32
	echo "$(one_of '' "--set iaddress_width_p=$(between 21 $most)")" \
		"--set iaddress_lsb_p=$(one_of 0 1 1 1)" \
		"--set privilege_width_p=$(one_of 2 3 3 4)" \
		"--set ecause_width_p=$(between 4 16)" \
		"$(some 3 "--set nocontext_p=0 --set context_width_p=$(between 1 32)")" \
		"$(some 3 "--set notime_p=0 --set time_width_p=$(between 20 64)")" \
		"--set full-address=$(one_of 0 0 1)"
}

# random_dialect PROGRAM TRANSPORT VERSION: samples of pins need the standard encapsulation
random_dialect()
{
	local dialects

	case $3 in
	0.026) dialects="standard draft draft pulp reference none atb" ;;
	*) dialects="standard standard atb encap1 reference none siemens" ;;
	esac
	[ "$1$3" != small2.0 ] || dialects="$dialects esp32"
	case $1,$2 in
	harts,*) dialects=${dialects//reference/} dialects=${dialects//none/} \
		dialects=${dialects//pulp/} ;;
	*,raw | *,tpiu* | *,ring) ;;
	*) dialects="standard" ;;
	esac
	# shellcheck disable=SC2086
	one_of $dialects
}

# random_frame PROGRAM DIALECT: srcID and timestamp, where packets have them
random_frame()
{
	case $2 in
	standard | atb | encap1 | draft)
		echo "$(sources "$1" "$(least_sources "$1")" 16)" \
			"$(some 3 "--set trTsWidth=$(between 2 8)")"
		;;
	siemens)
		if [ "$1" = harts ] || [ "$(random 2)" -eq 0 ]; then
			sources "$1" 8 8
		fi
		some 3 "--set trTsWidth=$(between 2 8)"
		;;
	esac
}

# random_etrace PROGRAM TRANSPORT
random_etrace()
{
	local dialect version

	version=$(one_of 2.0 2.0 1.1 0.026)
	dialect=$(random_dialect "$1" "$2" "$version")
	echo "--protocol etrace --set version=$version --dialect $dialect" \
		"--set trTeInstSyncMode=packets --set resync-max=$(one_of 1 2 4)" \
		"$(random_frame "$1" "$dialect")"
	case $dialect in
	esp32) echo "--set full-address=1" ;;
	pulp) ;;
	*) random_widths "$1" ;;
	esac
	case $version,$dialect,$1 in
	0.026,*) echo "$(some 2 --set notval_p=1) $(some 5 --set negated=1)" ;;
	*,esp32,*) ;;
	*,standard,data | *,encap1,data | *,siemens,data)
		echo "$(random_options) --set data-trace=1 $(some 2 --set doptions-width=2)"
		;;
	*) random_options ;;
	esac
}

# as_dump: the samples of 4 pins in $work/made as a value change dump
as_dump()
{
	od -An -v -tu1 -w1 "$work/made" | awk 'BEGIN {
		print "$timescale 1 ns $end\n$var wire 1 ! trc_clk $end"
		print "$var wire 4 \" trc_data [3:0] $end\n$enddefinitions $end"
		for (n = 0; n < 16; n++)
			bits[n] = int(n / 8) % 2 "" int(n / 4) % 2 "" int(n / 2) % 2 "" n % 2
	}
	{ print "#" 10 * NR - 5 "\nb" bits[$1 + 0] " \"\n#" 10 * NR "\n" NR % 2 "!" }' \
		>"$work/dump" && mv "$work/dump" "$work/made"
}

# as_ring: the last three quarters of $work/made, as a circular buffer holds them; $wrap says where
# its write pointer is
as_ring()
{
	local all size at

	all=$(wc -c <"$work/made")
	size=$((all * 3 / 4 / 4 * 4))
	at=$((all % size))
	tail -c $size "$work/made" >"$work/newest"
	{
		tail -c $at "$work/newest"
		head -c $((size - at)) "$work/newest"
	} >"$work/made"
	wrap="--wrap $at"
}

# A program, a protocol, parameters and a transport: $work/capture.  $how, $wrap and $program say
# what it is.  Fails where no encoder can have these parameters together.
random_case()
{
	local transport wire

	wrap=
	program=$(one_of app app small small data harts)
	transport=$(one_of raw raw raw raw raw raw raw raw pins1 pins2 pins4 pins8 pins16 \
		pins1-packed pins2-packed pins4-packed uart uart-packed manchester \
		manchester-packed tpiu tpiu-frames vcd ring ring)
	how=$(one_of ntrace etrace etrace)
	how=$("random_$how" "$program" "$transport" | tr '\n' ' ')
	case $transport in
	vcd) wire=pins4 ;;
	ring) wire=raw ;;
	uart* | manchester*) wire="$transport --bit $(one_of 4 5.5 8 8.68 16)" ;;
	*) wire=$transport ;;
	esac
	# shellcheck disable=SC2086
	"$HARTSCOPE" encode -q $how --transport $wire -o "$work/made" "$work/$program.rec" \
		2>"$work/err" || return 1
	[ "$transport" != ring ] || as_ring
	[ "$transport" != vcd ] || { as_dump && wire=vcd; }
	mv "$work/made" "$work/capture"
	rm -f "$work"/made*
	how="$how --transport $wire"
}
