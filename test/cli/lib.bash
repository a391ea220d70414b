# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of the command line share. PLUMB is the program; PLUMB_REFERENCE the folder with
# Arm's files, for the tests that compare with them.

bats_require_minimum_version 1.5.0

: "${PLUMB:?the program to test}"
# shellcheck disable=SC2034 # for the tests
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The same for everyone, whatever the terminal and the person at it.
unset NO_COLOR PAGER PLUMB_PAGER LESS COLUMNS LC_CTYPE LANG
export LC_ALL=C.UTF-8 TERM=xterm

plumb()
{
	"$PLUMB" "$@"
}

# The engine that it runs the model in by itself; fails if there is none.
engine_path()
{
	/usr/bin/python3 "$here/../interop/engine.py" "$PLUMB"
}

# tell COMMAND: sends it to --control, which is descriptor 5, and waits for the answer at 6.
tell()
{
	local answer

	echo "$1" >&5
	read -r -t 60 -u 6 answer
	[ "$answer" = ack ]
}

# perf_records OPTION...: runs perf record, again if it aborts, as it does now and then; skips the
# test for perf's own reason.
perf_records()
{
	local status why

	command -v perf >/dev/null || skip "no perf"
	for _ in 1 2 3; do
		status=0
		why=$(perf record -q "$@" 2>&1) || status=$?
		[ "$status" -eq 134 ] || break
	done
	[ "$status" -eq 0 ] || skip "perf cannot record: status $status, ${why%%$'\n'*}"
}

# Skips the test where programs for the model cannot be compiled.
need_compiler()
{
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for AArch64"
}

# bytes HEX...: those bytes.
bytes()
{
	printf '%b' "$(printf '\\x%s' "$@")"
}

# json EXPRESSION: whether it is true of the JSON on stdin, which it calls `d`; Python.
json()
{
	/usr/bin/python3 "$here/holds.py" "$@"
}

# Skips the test where no terminal can be had.
need_terminal()
{
	/usr/bin/python3 -c 'import pty; pty.openpty()' 2>/dev/null ||
		skip "no terminal can be opened: is devpts mounted?"
}

# in_terminal COLUMNS COMMAND...: what the command prints on a terminal.
in_terminal()
{
	/usr/bin/python3 "$here/in_terminal.py" "$@"
}

# too_wide COLUMNS: the lines of stdin that are wider, by Unicode's widths of characters.
too_wide()
{
	/usr/bin/python3 -c '
import sys, unicodedata
sys.stdin.reconfigure(encoding="utf-8")
def columns(c):
    return 0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
for line in sys.stdin:
    if sum(map(columns, line.rstrip("\n"))) > int(sys.argv[1]):
        print(line, end="")' "$1"
}

# lacks GREP-ARGUMENT...: that there is text on stdin, and nothing in it that grep finds.
lacks()
{
	local text

	text=$(cat)
	[ -n "$text" ] || { echo "no text" && return 1; }
	if LC_ALL=C grep "$@" <<<"$text"; then
		return 1
	fi
}

# Every built-in CPU.
cpus()
{
	plumb spec list cpus -x '|' | cut -d '|' -f 1
}

# names KIND FIELD CPU
names()
{
	plumb spec list "$1" --cpu "$3" -x '|' | cut -d '|' -f "$2"
}

# leads_from_perf COMMAND: that each option of perf in the command's table, by its first name, is
# unknown and leads to something.
leads_from_perf()
{
	local options said status theirs

	mapfile -t options < <(sed -n "/option_twin perf_options_$1/,/^}/s/^\t{\"\([a-zA-Z-]*\)[,\"].*/\1/p" \
		"$here/../../cli/tool/perf_options.c")
	[ "${#options[@]}" -gt 1 ]
	for theirs in "${options[@]}"; do
		[ "${#theirs}" -gt 1 ] && theirs=-$theirs
		theirs=-$theirs
		status=0
		said=$(plumb "$1" "$theirs" 2>&1) || status=$?
		[ "$status" -eq 2 ]
		[ "$(tail -n 1 <<<"$said" | cut -d ' ' -f 8-10)" = "perf's $theirs is" ] || {
			echo "$1 $theirs: $said" && return 1
		}
	done
}

# Skips the test where Arm's files are not at hand.
need_reference()
{
	[ -d "${PLUMB_REFERENCE:-}/mrs/cpu" ] || skip "no reference documents"
}

# said LINE...: that the command run with `run --separate-stderr` printed nothing but these lines,
# on stderr.
said()
{
	local expected

	expected=$(printf '%s\n' "$@")
	# shellcheck disable=SC2154 # by bats
	[ "$stderr" = "$expected" ] || { printf 'stderr: %s\n' "$stderr" && return 1; }
	[ -z "$output" ] || { printf 'stdout: %s\n' "$output" && return 1; }
}
