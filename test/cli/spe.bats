# SPDX-License-Identifier: Apache-2.0
# plumb spe dump: how it is called. That its lines are perf's, test/interop checks.

load lib.bash

setup()
{
	mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
	{
		printf '\xb0\x50\x38\x40\x00\x00\x00\x00\x80\x00\x00\x00\x49\x00\x98\x0c\x00'
		printf '\x71\x10\x00\x00\x00\x00\x00\x00\x00\xff\x4a\x01\x01'
	} >spe.data
}

expected()
{
	cat <<-'END'
		.
		. ... ARM SPE data: size 0x1e bytes
		.  00000000:  b0 50 38 40 00 00 00 00 80                      PC 0x403850 el0 ns=1
		.  00000009:  00 00 00                                        PAD
		.  0000000c:  49 00                                           LD GP-REG
		.  0000000e:  98 0c 00                                        LAT 12 TOT
		.  00000011:  71 10 00 00 00 00 00 00 00                      TS 16
		.  0000001a:  ff                                              Bad packet!
		.  0000001b:  4a 01                                           B COND
		.  0000001d:  01                                              END
	END
}

@test "--raw: one line per packet" {
	run --separate-stderr plumb spe dump --raw spe.data
	[ "$status" -eq 0 ]
	[ "$output" = "$(expected)" ] || { echo "$output" && return 1; }
	[ -z "$stderr" ]
	plumb spe dump --raw - <spe.data | cmp - <(expected)
	plumb spe dump --raw spe.data -o file
	cmp file <(expected)
}

@test "--records prints where each record ends" {
	run plumb spe dump --raw --records spe.data
	[ "$status" -eq 0 ]
	grep -qF 'record 0: at 00000000, 26 bytes' <<<"$output"
	grep -qF 'record 1: at 0000001b, 3 bytes' <<<"$output"
	[ "$(grep -v record <<<"$output")" = "$(expected)" ]
}

@test "packets at the end of large buffers" {
	for ((i = 0; i < 16; i++)); do head -c 65536 /dev/zero; done >large
	printf '\x00\x71\x10\x00\x00\x00\x00\x00\x00\x00' >>large
	plumb spe dump --raw large >out
	[ "$(tail -n 1 out | cut -c 15-)" = "71 10 00 00 00 00 00 00 00                      TS 16" ]
	# Paddings stand together, sixteen to a line.
	[ "$(grep -c PAD out)" -eq 65537 ]
}

@test "rejects files that cannot be shown" {
	run --separate-stderr plumb spe
	[ "$status" -eq 2 ]
	run --separate-stderr plumb spe dum
	[ "$status" -eq 2 ]
	[[ "$stderr" = *"did you mean plumb spe dump?"* ]]
	run --separate-stderr plumb spe dump nowhere
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[[ ${stderr_lines[0]} = plumb:*nowhere* ]]
	[ "${stderr_lines[1]}" = "       make a recording with plumb record PROGRAM" ]
	run --separate-stderr plumb spe dump --raw nowhere
	[ "$status" -eq 2 ]
	run --separate-stderr plumb spe dump spe.data
	[ "$status" -eq 2 ]
}

@test "--raw does not take a recording for bare data" {
	for magic in PERFILE2 2ELIFREP; do
		{ printf '%s' "$magic" && head -c 200 /dev/zero; } >recorded
		for command in "spe dump --raw" "script --raw -i" "report --raw -i"; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr plumb $command recorded
			[ "$status" -eq 2 ]
			said "plumb: recorded: a perf.data file, not bare SPE data" "       leave out --raw"
		done
	done
}

@test "a recording without SPE data" {
	perf_records -e cpu-clock -o perf.data -- true
	run --separate-stderr plumb spe dump
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "${stderr_lines[0]}" = "plumb: perf.data: no SPE data in this file" ]
	[[ ${stderr_lines[1]} = *"plumb record -e spe"* ]]
}

@test "-i names the recording, too" {
	plumb spe dump --raw -i spe.data >named
	plumb spe dump --raw spe.data | cmp - named
	[ -s named ]
	run plumb spe dump --raw -i spe.data spe.data
	[ "$status" -eq 2 ]
	[ "$output" = "plumb: --input and FILE cannot be combined" ]
}
