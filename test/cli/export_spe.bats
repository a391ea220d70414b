# SPDX-License-Identifier: Apache-2.0
# plumb export --format spe-csv: where files go, and what it says. Their cells are checked by
# test/interop/spe_csv_check.py.

load lib.bash

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	# A branch at 0x401000, and an end.
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x4a\x00\x01' >branch
	# The same as a load.
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x49\x00\x01' >load
}

@test "a raw buffer becomes spe-br.csv in the current folder, and no other file" {
	run plumb export --format spe-csv --raw branch
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(ls spe-*)" = spe-br.csv ]
	[ "$(tail -n 1 spe-br.csv)" = "0,B,0x401000,0,false,false,,0,0,,0,,0,,0" ]
	[ "$(wc -l <spe-br.csv)" -eq 2 ]
}

@test "-o names a prefix, or a folder, made if it ends in a slash" {
	cat load branch load >both
	plumb export --format spe-csv --raw -o run1 both
	[ "$(echo run1*)" = "run1-br.csv run1-ldst.csv" ]
	plumb export --format=spe-csv --raw --output made/ both
	[ "$(cd made && echo *)" = "spe-br.csv spe-ldst.csv" ]
	mkdir there
	plumb export --format spe-csv --raw -o there both
	[ "$(cd there && echo *)" = "spe-br.csv spe-ldst.csv" ]
	cmp there/spe-ldst.csv run1-ldst.csv
}

@test "standard input, and how many rows with -v" {
	run plumb export --format spe-csv --raw -v - <load
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "spe-ldst.csv: 1 rows" ]
	[ "${lines[2]}" = "spe-other.csv: 0 rows" ]
}

@test "--core sets the core whose names data sources get; default Neoverse N1" {
	# Data source 0x5.
	printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80\x49\x00\x43\x05\x01' >sourced
	plumb export --format spe-csv --raw --core 0xc00fac30 sourced
	grep -q ',remote chip cache,' spe-ldst.csv
	plumb export --format spe-csv --raw sourced
	grep -q ',remote chip cache,' spe-ldst.csv && return 1
	run plumb export --format spe-csv --raw --core nothing sourced
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: unknown core 'nothing': not a name or a MIDR" ]
}

@test "skips and reports invalid packets and truncated records" {
	{
		printf '\xff\xff'
		cat load
		printf '\xb0\x00\x10\x40\x00\x00\x00\x00\x80'
	} >odd
	run plumb export --format spe-csv --raw odd
	[ "$status" -eq 0 ]
	[[ ${lines[0]} = "plumb: odd: 1 SPE record is cut off and was skipped" ]]
	[[ ${lines[2]} = "plumb: odd: skipped 2 bytes of AUX data that begin no SPE packet, the first at 0x0" ]]
	[ "$(wc -l <spe-ldst.csv)" -eq 2 ]
}

@test "rejects a missing or unknown format" {
	run plumb export branch
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: missing --format" ]
	[ "${lines[1]}" = "       supported formats: spe-csv, callgrind, folded, speedscope, pprof, firefox" ]
	run plumb export --format spe-cvs branch
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: unknown format 'spe-cvs'" ]
	[[ ${lines[1]} = *"spe-csv"* ]]
}

@test "rejects a file that is missing, not a recording, or without SPE records" {
	run plumb export --format spe-csv branch
	[ "$status" -eq 2 ]
	[[ ${lines[0]} = "plumb: branch"* ]]
	run plumb export --format spe-csv </dev/null
	[ "$status" -ne 0 ]
	[[ ${lines[0]} = "plumb: perf.data"* ]]
	[ "${lines[1]}" = "       make a recording with plumb record PROGRAM" ]
	run plumb export --format spe-csv < <(:)
	[ "${lines[1]}" = "       use -i - to read standard input" ]
	run plumb export --format spe-csv -o - --raw branch
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: cannot write to standard output: spe-csv writes several files" ]
	run plumb export --format spe-csv --raw absent
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "plumb: absent: cannot be opened: No such file or directory" ]
	: >empty
	run plumb export --format spe-csv --raw empty
	[ "$status" -eq 2 ]
	[ "$output" = "plumb: empty: the file is empty" ]
	[ -z "$(ls spe-* 2>/dev/null)" ]
}

@test "a file that cannot be written is named and all are removed, but no link" {
	run plumb export --format spe-csv --raw -o absent/run branch
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "plumb: cannot write absent/run-br.csv: No such file or directory" ]
	ln -s /dev/full full-br.csv
	cat load branch load >both
	run plumb export --format spe-csv --raw -o full both
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "plumb: cannot write full-br.csv: No space left on device" ]
	[ -L full-br.csv ] && [ ! -e full-ldst.csv ]
}

@test "-i names the recording, too" {
	plumb export --format spe-csv --raw -i branch -o named
	plumb export --format spe-csv --raw -o operand branch
	cmp named-br.csv operand-br.csv
	run plumb export --format spe-csv --raw -i branch branch
	[ "$status" -eq 2 ]
	[ "$output" = "plumb: --input and FILE cannot be combined" ]
}

@test "callgrind reads no bare SPE data, and no hint says so" {
	run plumb export --format callgrind --raw branch
	[ "$status" -eq 2 ]
	[ "$output" = "plumb: --raw cannot be combined with --format callgrind" ]
	run plumb export --format callgrind branch
	[ "$status" -eq 2 ]
	[ "$output" = "plumb: branch: not a recording: it does not begin with PERFILE2" ]
	run plumb export --format spe-csv --raw load -o load
	[ "$status" -eq 0 ]
	plumb record -q --source perf -e task-clock -o clock.data -- true || skip "perf cannot record"
	cp clock.data before
	run plumb export --format callgrind -o clock.data clock.data
	[ "$status" -eq 2 ]
	cmp clock.data before
}
