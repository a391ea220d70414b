# SPDX-License-Identifier: Apache-2.0
# scripts/tap sum: whatever is not clearly a pass must count as a failure.

setup()
{
	tap=$BATS_TEST_DIRNAME/../../scripts/tap
	cd "$BATS_TEST_TMPDIR" || return
}

# sum_of STATUS LAST-LINE: adds up what stands on stdin.
sum_of()
{
	cat >one.tap
	run "$tap" sum one.tap
	[ "$status" -eq "$1" ] || { echo "status $status, wanted $1"; return 1; }
	[ "${lines[-1]}" = "$2" ] || { echo "${lines[-1]}"; return 1; }
}

@test "counts passes" {
	printf 'ok 1 - a\nok 2 - b\n1..2\n' | sum_of 0 "2 passed, 0 failed"
}

@test "counts failures, and prints their remarks" {
	printf '1..2\nok 1 - a\nnot ok 2 - b\n# because\n' | sum_of 1 "1 passed, 1 failed"
	run "$tap" sum one.tap
	[ "${lines[0]}" = "FAILED one: b" ]
	[ "${lines[1]}" = "    because" ]
}

@test "counts skips separately, and prints their reasons" {
	printf '1..2\nok 1 - a\nok 2 - b # SKIP no reference\n' | sum_of 0 "1 passed, 0 failed, 1 skipped"
	run "$tap" sum one.tap
	[ "${lines[0]}" = "skipped one: b (no reference)" ]
}

@test "a skip as cmocka writes it" {
	printf '1..2\nok 1 - a\nnot ok 2 # SKIP b\n' | sum_of 0 "1 passed, 0 failed, 1 skipped"
	run "$tap" sum one.tap
	[ "${lines[0]}" = "skipped one: b" ]
}

@test "a run with only skips is not a success" {
	printf '1..1\nok 1 - a # SKIP\n' | sum_of 1 "0 passed, 0 failed, 1 skipped"
}

@test "a case marked as to do is not a pass" {
	printf '1..2\nok 1 - a\nok 2 - b # TO%s later\n' DO | sum_of 1 "1 passed, 1 failed"
}

@test "a run that broke off: no plan" {
	printf 'ok 1 - a\n' | sum_of 1 "1 passed, 1 failed"
}

@test "a run that broke off: fewer than planned" {
	printf '1..3\nok 1 - a\nok 2 - b\n' | sum_of 1 "2 passed, 1 failed"
}

@test "a bail-out" {
	printf '1..1\nok 1 - a\nBail out! no disk\n' | sum_of 1 "1 passed, 1 failed"
}

@test "an empty file and a missing one are failures" {
	printf '' | sum_of 1 "0 passed, 1 failed"
	run "$tap" sum none.tap
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "0 passed, 1 failed" ]
}

@test "adds up several files, one line each" {
	printf '1..1\nok 1 - a\n' >one.tap
	printf '1..2\nok 1 - a\nnot ok 2 - b\n' >two.tap
	run "$tap" sum one.tap two.tap
	[ "$status" -eq 1 ]
	[ "${lines[-3]}" = "one  1 passed, 0 failed" ]
	[ "${lines[-2]}" = "two  1 passed, 1 failed" ]
	[ "${lines[-1]}" = "2 passed, 1 failed" ]
}

# meson_log RESULT STATUS STDOUT: what `meson test` would have left of one test that speaks TAP.
meson_log()
{
	mkdir -p bin build/meson-logs
	printf '#!/bin/sh\necho %s\n' "'[{\"name\": \"t\", \"protocol\": \"tap\"}]'" >bin/meson
	chmod +x bin/meson
	PATH=$PWD/bin:$PATH
	printf '{"name": "unit / t", "stdout": "%s", "stderr": "said so", "result": "%s", "returncode": %s}\n' \
		"$3" "$1" "$2" >build/meson-logs/testlog.json
	"$tap" meson build >one.tap
	cat one.tap
}

@test "meson: the cases of a test that passed" {
	meson_log OK 0 '1..2\nok 1 - a\nok 2 - b\n' | sum_of 0 "2 passed, 0 failed"
}

@test "meson: a test that was killed after it had passed all its cases" {
	meson_log ERROR -11 '1..1\nok 1 - a\n' | sum_of 1 "1 passed, 1 failed"
	run "$tap" sum one.tap
	[ "${lines[0]}" = "FAILED one: t: ERROR, status -11" ]
	[ "${lines[1]}" = "    said so" ]
}

@test "meson: a test that ran out of time" {
	meson_log TIMEOUT -15 '1..2\nok 1 - a\n' | sum_of 1 "1 passed, 2 failed"
}

@test "meson: a failed case explains the status of its test" {
	meson_log FAIL 0 '1..2\nok 1 - a\nnot ok 2 - b\n' | sum_of 1 "1 passed, 1 failed"
	meson_log ERROR 1 '1..2\nok 1 - a\nnot ok 2 - b\n' | sum_of 1 "1 passed, 1 failed"
}

@test "meson: a status without a failed case is a failure" {
	meson_log ERROR 1 '1..2\nok 1 - a\nok 2 - b\n' | sum_of 1 "2 passed, 1 failed"
}
