# For tests to source that need a screen.
# shellcheck shell=sh disable=SC2034

# screen_start: a screen that only exists in memory, its picture in ./Xvfb_screen0.  Its process is
# $screen, its number $DISPLAY.  1 where it is not there after a minute.
#
# By default the server begins anew whenever its last client goes, and refuses those that come in
# that moment: a service of the desktop's that looks in first would keep the program out.
screen_start()
{
	Xvfb -noreset -displayfd 3 -screen 0 1280x800x24 -fbdir . 3>display >screen.log 2>&1 &
	screen=$!
	for _ in $(seq 600); do
		if [ -s display ]; then
			DISPLAY=:$(cat display)
			export DISPLAY
			return 0
		fi
		kill -0 "$screen" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}
