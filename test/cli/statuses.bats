# SPDX-License-Identifier: Apache-2.0
# The exit statuses: each row of the manual's table is produced here, and there are no others.

load lib.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# rows: the statuses of plumb(1)'s table, without marks.
rows()
{
	# shellcheck disable=SC2154 # by lib.bash
	sed -n '/^# EXIT STATUS/,/^# ENVIRONMENT/s/^|\[ //p' "$here/../../man/plumb.1.scd" | tr -d '*_'
}

# program TEXT: an executable script in the file `program`.
program()
{
	printf '%s\n' "$1" >program
	chmod +x program
}

# counts: skips the rest where nothing at all can be counted.
counts()
{
	"$PLUMB" stat -e task-clock -o out true 2>/dev/null || skip "the kernel lets nobody count"
}

@test "the table has these statuses" {
	[ "$(rows | xargs -d '\n' printf '%s;')" = "0;1;2;3;4;126;127;N;128 + N;" ]
	# All other pages refer to it.
	for page in "$here"/../../man/*.1.scd; do
		[ "${page##*/}" = plumb.1.scd ] || [ "${page##*/}" = plumb-spec.1.scd ] ||
			sed -n '/^# EXIT STATUS/,/^# [^E]/p' "$page" | tr '\n' ' ' |
			grep -q 'as in \*plumb\*(1)\|As in \*plumb\*(1)'
	done
}

@test "0: success" {
	run -0 plumb spec list cpus
}

@test "1: the result cannot be written, or memory runs out" {
	[ -w /dev/full ] || skip "no /dev/full"
	run -1 plumb spec list -o /dev/full
	run -1 plumb spec list -o nowhere/file
}

@test "2: bad usage or input" {
	: >empty
	run -2 plumb spec list --nothing
	run -2 plumb nothing
	run -2 plumb script -i nowhere
	run -2 plumb script --raw -i empty
	run -2 plumb spe dump empty
	run -2 plumb export --format spe-csv empty
	run -2 plumb spec validate empty
	run -2 plumb stat
	run -2 plumb record
}

@test "3: the machine cannot measure" {
	local compiler=aarch64-linux-gnu-gcc

	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null || skip "no compiler for AArch64"
	echo 'int main(void) { return 0; }' >program.c
	"$compiler" -static -o program program.c
	run -3 plumb stat --source model --qemu /bin/true ./program
	run -3 plumb record --source model --qemu /bin/true ./program
	run -3 plumb stat --source model --qemu ./nowhere ./program
}

@test "4: a limit of diff is exceeded" {
	local count

	for count in 100 103; do
		printf '{"events": [{"name": "CPU_CYCLES", "count": %d}], "source": "model"}\n' "$count" \
			>"$count.json"
	done
	run -4 plumb diff --fail-above cycles:2% 100.json 103.json
	run -0 plumb diff --fail-above cycles:4% 100.json 103.json
}

@test "126 and 127: the program cannot be run, or is not there; as for env" {
	echo text >file
	chmod +x file
	run -126 env "$PWD"
	for command in "stat" "stat --source model" "record -o out" "record --source model -o out"; do
		# shellcheck disable=SC2086 # words
		run -127 plumb $command ./nowhere
		# shellcheck disable=SC2086 # words
		run -127 plumb $command no-such-program-anywhere
	done
	for command in "stat --source model" "record --source model -o out"; do
		# shellcheck disable=SC2086 # words
		run -126 plumb $command "$PWD"
		# shellcheck disable=SC2086 # words
		run -126 plumb $command ./file
	done
	chmod -x file
	# shellcheck disable=SC2086 # words
	run -126 plumb stat --source model ./file
	counts
	run -126 plumb stat -e task-clock "$PWD"
	run -126 plumb stat -e task-clock ./file
}

@test "N and 128 + N: the program's own, and the signal that ended it" {
	counts
	for status in 0 1 3 77 126 255; do
		program "#!/bin/sh
exit $status"
		run "-$status" plumb stat -e task-clock ./program
	done
	# shellcheck disable=SC2016 # for the inner shell
	program '#!/bin/sh
kill -SEGV $$'
	run -139 plumb stat -e task-clock ./program
	# And plumb itself, which this shell tells from a status no better.
	# shellcheck disable=SC2016 # for the inner shell
	program '#!/bin/sh
kill -TERM $PPID; sleep 10'
	run -143 plumb stat -e task-clock ./program
}
