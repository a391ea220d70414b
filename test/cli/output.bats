# SPDX-License-Identifier: Apache-2.0
# Where output goes, and what happens when it cannot: files, pipes, terminals, colours, pagers.

# shellcheck disable=SC2016 # "$PLUMB" in single quotes is for an inner shell

load lib.bash

setup()
{
	mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
}

@test "-o writes what would have been printed" {
	plumb spec list events -o file
	plumb spec list events | cmp - file
	plumb spec show ipc --json -o file
	plumb spec show ipc --json | cmp - file
	plumb spec show ipc --json -o - | cmp - file
	[ "$(ls)" = file ]
}

@test "-o keeps a file's mode, and follows the link to it" {
	umask 027
	plumb spec list -o new
	[ "$(stat -c %a new)" = 640 ]
	touch old
	chmod 604 old
	ln -s old link
	plumb spec list -o link
	[ "$(stat -c %a old)" = 604 ]
	[ -L link ]
	cmp old new
}

@test "-o follows links to where nothing is yet, and keeps them" {
	mkdir there
	ln -s there/file one
	ln -s "$PWD/one" two
	ln -s loop loop
	plumb spec list -o two
	[ -L one ] && [ -L two ] && [ ! -L there/file ]
	plumb spec list | cmp - there/file
	run --separate-stderr plumb spec list -o loop
	[ "$status" -eq 1 ]
	said "plumb: cannot write loop: Too many levels of symbolic links"
	[ -L loop ]
}

@test "-o writes what is open already behind what it has, and replaces no descriptor" {
	echo before >log
	plumb spec list -o /dev/stdout >>log
	(echo before && plumb spec list) | cmp - log
	[ -L /dev/stdout ]
}

@test "-o writes through a link to a pipe" {
	mkfifo pipe
	ln -s pipe link
	plumb spec list -o link &
	plumb spec list | cmp - pipe
	wait
	[ -p pipe ] && [ -L link ]
}

@test "-o writes into a device or pipe" {
	mkfifo pipe
	plumb spec list -o pipe &
	plumb spec list | cmp - pipe
	wait
	[ -p pipe ]
	[ "$(plumb spec list -o /dev/stdout)" = "$(plumb spec list)" ]
}

@test "a file that cannot be written completely stays as it was" {
	echo old >file
	# Far less than it takes: writing fails, whatever the signal that comes with it does.
	for before in : 'trap "" XFSZ'; do
		run --separate-stderr bash -c \
			"$before; "'ulimit -f 4; exec "$PLUMB" spec list events --json -o file'
		[ "$status" -eq 1 ]
		said "plumb: cannot write file: File too large"
		[ "$(cat file)" = old ]
		[ "$(ls)" = file ]
	done
}

@test "standard output that may not grow is an error" {
	run --separate-stderr bash -c 'ulimit -f 4; exec "$PLUMB" spec list events --json >file'
	[ "$status" -eq 1 ]
	said "plumb: cannot write standard output: File too large"
}

@test "-o rejects a folder, or a path in a missing one" {
	mkdir folder
	run --separate-stderr plumb spec list -o folder
	[ "$status" -eq 1 ]
	said "plumb: cannot write folder: Is a directory"
	run --separate-stderr plumb spec list -o nowhere/file
	[ "$status" -eq 1 ]
	said "plumb: cannot write nowhere/file: folder nowhere does not exist"
	run --separate-stderr plumb spec list -o ./folder/a/b/file
	[ "$status" -eq 1 ]
	said "plumb: cannot write ./folder/a/b/file: folder ./folder/a does not exist"
	touch plain
	run --separate-stderr plumb spec list -o plain/file
	[ "$status" -eq 1 ]
	said "plumb: cannot write plain/file: plain is no folder"
	ln -s away/file link
	run --separate-stderr plumb spec list -o link
	[ "$status" -eq 1 ]
	said "plumb: cannot write link: folder away does not exist"
}

@test "reports a full disk" {
	for command in "spec list" "spec list events --json" "--help" "--version" "spec tree" \
		"spec show ipc" "spec diff n1 n2" "spec export --cpu n1 --format mrs"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr bash -c '"$PLUMB" "$@" >/dev/full' - $command
		[ "$status" -eq 1 ]
		said "plumb: cannot write standard output: No space left on device"
	done
	run --separate-stderr plumb spec list -o /dev/full
	[ "$status" -eq 1 ]
	said "plumb: cannot write /dev/full: No space left on device"
}

@test "reports a closed standard output" {
	run --separate-stderr bash -c '"$PLUMB" spec list >&-'
	[ "$status" -eq 1 ]
	[[ $stderr == "plumb: cannot write standard output: "* ]]
}

@test "a reader that goes away causes no message" {
	run --separate-stderr bash -c \
		'"$PLUMB" spec list events --json | head -n 1; echo "${PIPESTATUS[0]}"'
	[ -z "$stderr" ]
	[ "${lines[1]}" -eq 141 ]
	run --separate-stderr bash -c \
		'trap "" PIPE; "$PLUMB" spec list events --json | head -n 1; echo "${PIPESTATUS[0]}"'
	[ -z "$stderr" ]
	[ "${lines[1]}" -eq 1 ]
}

@test "uses colours only on a terminal, unless asked to" {
	need_terminal
	plumb spec list | lacks $'\e'
	plumb spec list --color=always | grep -q $'\e\[36m'
	plumb spec list --color=always -o file
	grep -q $'\e\[36m' file
	PLUMB_PAGER='' in_terminal 80 "$PLUMB" spec list | grep -q $'\e\[36m'
	PLUMB_PAGER='' in_terminal 80 "$PLUMB" spec list --color=never | lacks $'\e'
	PLUMB_PAGER='' NO_COLOR=1 in_terminal 80 "$PLUMB" spec list | lacks $'\e'
	PLUMB_PAGER='' TERM=dumb in_terminal 80 "$PLUMB" spec list | lacks $'\e'
	PLUMB_PAGER='' NO_COLOR='' in_terminal 80 "$PLUMB" spec list | grep -q $'\e'
	PLUMB_PAGER='' NO_COLOR=1 in_terminal 80 "$PLUMB" spec list --color always | grep -q $'\e'
	PLUMB_PAGER='' in_terminal 80 "$PLUMB" spec list --color --no-color | lacks $'\e'
	# Without a value it means always; what follows is one only if it can be.
	for words in "--color" "--color cpus" "--no-color --color" "cpus --color always"; do
		# shellcheck disable=SC2086 # words
		plumb spec list $words | grep -q $'\e\[36m'
	done
	for words in "--no-color" "--color auto" "--color never cpus" "--color=always --no-color"; do
		# shellcheck disable=SC2086 # words
		plumb spec list $words | lacks $'\e'
	done
}

@test "colours change nothing else" {
	for command in "spec list events" "spec show ipc" "spec tree" "spec diff n1 n2" "--help"; do
		# shellcheck disable=SC2086 # words
		plumb $command >plain
		# shellcheck disable=SC2086
		[ "$command" = --help ] || plumb $command --color=always |
			sed 's/\x1b\[[0-9;]*m//g' | cmp - plain
	done
}

@test "uses the terminal's width" {
	need_terminal
	for width in 50 80 132; do
		PLUMB_PAGER='' in_terminal "$width" "$PLUMB" spec show --color=never \
			--cpu neoverse-n3 L1D_CACHE backend_bound Topdown_L1 >text
		[ -z "$(too_wide "$width" <text)" ]
		eval "lines_$width=$(wc -l <text)"
	done
	# shellcheck disable=SC2154 # by eval
	[ "$lines_50" -gt "$lines_80" ]
	# shellcheck disable=SC2154
	[ "$lines_80" -gt "$lines_132" ]
	# A wide one has room for the titles of metrics.
	PLUMB_PAGER='' in_terminal 132 "$PLUMB" spec list metrics --cpu n1 --color=never |
		grep -qE '^ipc +Instructions Per Cycle +per cycle$'
}

@test "uses a pager only on a terminal" {
	need_terminal
	export PLUMB_PAGER='sed s/^/paged:/'
	plumb spec list | lacks paged
	in_terminal 80 "$PLUMB" spec list | grep -q '^paged:.*neoverse-n3'
	in_terminal 80 "$PLUMB" spec list --no-pager | lacks paged
	[ -z "$(in_terminal 80 "$PLUMB" spec list -o file)" ]
	lacks paged <file
	in_terminal 80 "$PLUMB" --help | lacks paged
}

@test "uses no pager on a terminal that cannot move the cursor" {
	need_terminal
	for term in TERM=dumb TERM= -uTERM; do
		in_terminal 80 env "$term" PLUMB_PAGER='sed s/^/paged:/' "$PLUMB" spec list >text
		grep -q neoverse-n3 text
		lacks paged <text
		lacks $'\e' <text
	done
}

@test "chooses the pager" {
	need_terminal
	PLUMB_PAGER='sed s/^/mine:/' PAGER='sed s/^/theirs:/' in_terminal 80 "$PLUMB" spec list |
		grep -q '^mine:'
	PAGER='sed s/^/theirs:/' in_terminal 80 "$PLUMB" spec list | grep -q '^theirs:'
	PLUMB_PAGER=cat PAGER='sed s/^/theirs:/' in_terminal 80 "$PLUMB" spec list >text
	grep -q neoverse-n3 text
	lacks theirs <text
	mkdir bin
	printf '#!/bin/sh\necho "less:$LESS"; sed s/^/less:/\n' >bin/less
	chmod +x bin/less
	PATH=$PWD/bin:$PATH in_terminal 80 "$PLUMB" spec list >text
	grep -q '^less:FRX' text
	grep -q '^less:.*neoverse-n3' text
	LESS=S PATH=$PWD/bin:$PATH in_terminal 80 "$PLUMB" spec list | grep -q '^less:S'
}

@test "a pager that is missing or quits early" {
	need_terminal
	run in_terminal 80 env PLUMB_PAGER=nowhere-such-a-pager "$PLUMB" spec list events
	[[ $output != *"plumb:"* ]]
	run in_terminal 80 env PLUMB_PAGER='head -n 1' "$PLUMB" spec list events
	[[ $output == *CODE*NAME*TITLE* ]]
	[[ $output != *"plumb:"* ]]
}

@test "the locale's decimal point and language change nothing" {
	plumb spec show backend_bound --json >plain
	LC_ALL=de_DE.UTF-8 plumb spec show backend_bound --json | cmp - plain
}

@test "COLUMNS is the width, also of a file or a pipe; values that are no width are ignored" {
	plumb spec show CPU_CYCLES >"$BATS_TEST_TMPDIR/80"
	COLUMNS=50 plumb spec show CPU_CYCLES >"$BATS_TEST_TMPDIR/50"
	COLUMNS=50 plumb spec show CPU_CYCLES -o "$BATS_TEST_TMPDIR/file"
	[ -z "$(too_wide 50 <"$BATS_TEST_TMPDIR/50")" ]
	[ -n "$(too_wide 50 <"$BATS_TEST_TMPDIR/80")" ]
	cmp "$BATS_TEST_TMPDIR/50" "$BATS_TEST_TMPDIR/file"
	for nonsense in '' 0 -5 x 99999999999999999999; do
		COLUMNS=$nonsense plumb spec show CPU_CYCLES | cmp - "$BATS_TEST_TMPDIR/80"
	done
	# Nothing is narrower than 40 columns.
	[ "$(COLUMNS=1 plumb spec show CPU_CYCLES)" = "$(COLUMNS=40 plumb spec show CPU_CYCLES)" ]
}
